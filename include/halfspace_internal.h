/* What the libraries and the program of Halfspace share and users do not need: memory, formatted errors, and the one JSON
 * writer. Exported by libhalfspace, not installed, and free to change with any version: not for users. The headers of
 * src/base/ that include this one (error.h, json.h, memory.h, text.h) add what stays inside the library. */
#ifndef HALFSPACE_INTERNAL_H
#define HALFSPACE_INTERNAL_H

#include "halfspace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HSP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define HSP_PRINTF(text, first)
#endif

/* ---- errors ---- */

/* Sets *err (if err is not NULL and *err is still NULL) and returns `code`, so that `return hsp_fail(...)` reads well; when
 * there is no memory for the message, HSP_EMEMORY, and *err says so. The message is "what is wrong: what to do", on one
 * line: control characters and bytes that are not UTF-8 become '?', and the middle of a message beyond 1000 bytes is left
 * out. Format doubles with hsp_format_number, never with %g: the C library's follows the locale. */
HSP_API int hsp_fail(hsp_error **err, int code, const char *format, ...) HSP_PRINTF(3, 4);

/* ---- memory, freed with hsp_free (halfspace.h) ---- */

HSP_API void *hsp_alloc_zero(int64_t count, size_t size); /* zeroed; NULL on failure, never for count 0 */
HSP_API char *hsp_strdup(const char *s);                  /* NULL in, NULL out */
HSP_API char *hsp_strndup(const char *s, size_t n);
/* Grows *block, an array of `size`-byte items that holds *capacity, to hold `needed`; 1.5x steps. 0, or HSP_EMEMORY and the
 * old block stays. */
HSP_API int hsp_reserve(void **block, int64_t *capacity, int64_t needed, size_t size);
/* Frees several blocks, each of which may be NULL, in this order: HSP_FREE(a, b, c). */
#define HSP_FREE(...) hsp_free_each((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
HSP_API void hsp_free_each(void *const *blocks, size_t count);

/* For qsort: doubles, the least first. */
HSP_API int hsp_ascending(const void *a, const void *b);

/* ---- text that grows ---- */

typedef struct hsp_text {
    char *s; /* owned; NUL-terminated once anything was appended; NULL before */
    int64_t length;
    int64_t capacity;
    bool failed; /* an append ran out of memory; the text is incomplete */
} hsp_text;      /* {0} is an empty one */

HSP_API void hsp_text_free(hsp_text *t);
/* Hands the string over (an empty one as ""), leaving t empty; HSP_EMEMORY and *out = NULL when an append had failed. */
HSP_API int hsp_text_take(hsp_text *t, char **out, hsp_error **err);

/* ---- JSON ---- */

/* A small streaming writer over hsp_text. Commas and nesting are kept by the writer; keys come from the caller. A
 * non-finite number is written as null: nothing non-finite leaves the library. Parsing is Jansson's job. */
typedef struct hsp_json {
    hsp_text *out; /* borrowed */
    bool comma;    /* a value was written at this level */
} hsp_json;

/* Begin and end containers. `key` is NULL inside an array and at the top. */
HSP_API void hsp_json_object(hsp_json *j, const char *key);
HSP_API void hsp_json_object_end(hsp_json *j);
HSP_API void hsp_json_array(hsp_json *j, const char *key);
HSP_API void hsp_json_array_end(hsp_json *j);
HSP_API void hsp_json_string(hsp_json *j, const char *key, const char *value); /* NULL value: null */
HSP_API void hsp_json_number(hsp_json *j, const char *key, double value);
HSP_API void hsp_json_int(hsp_json *j, const char *key, int64_t value);
HSP_API void hsp_json_bool(hsp_json *j, const char *key, bool value);
HSP_API void hsp_json_null(hsp_json *j, const char *key);
HSP_API void hsp_json_raw(hsp_json *j, const char *key, const char *json); /* text that is JSON already */
HSP_API void hsp_json_numbers(hsp_json *j, const char *key, const double *v, int64_t n);

#ifdef __cplusplus
}
#endif

#endif
