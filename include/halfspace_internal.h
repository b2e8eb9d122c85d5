/* What the libraries and the program of Halfspace share and users do not need: memory, errors, files, and the one writer
 * of reports and JSON. Exported by libhalfspace, not installed, and free to change with any version. The headers of
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

/* The same for a message that is ready. */
HSP_API int hsp_error_new(hsp_error **err, int code, const char *message);

/* ---- cancelling ---- */

/* 1: a request of hsp_cancel waits to be consumed. For long work of libraries beside the core. */
HSP_API int hsp_cancel_waiting(void);
/* The same, and consumes the request: for a call that stops. */
HSP_API int hsp_cancel_consume(void);

/* ---- results ---- */

/* A stop_reason of a report as a sentence for people; one that is not known as it is. */
HSP_API const char *hsp_stop_sentence(const char *name);

/* ---- files ---- */

/* Writes n bytes to path ("-": stdout); a regular file appears whole or not at all. */
HSP_API int hsp_write_file(const char *path, const void *bytes, size_t n, hsp_error **err);

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

/* One writer of named values, with two ends: JSON text for files (`out` is set), or a report in memory (hsp_json j = {0},
 * then hsp_json_take). Commas and nesting are kept by the writer; keys come from the caller. A number that is not finite is
 * null: nothing non-finite leaves the library. A failure is kept until the text or the report is taken. */
typedef struct hsp_json {
    hsp_text *out;           /* borrowed; NULL: a report is built */
    bool comma;              /* text: a value was written at this level */
    bool failed;             /* report: memory ran out */
    struct hsp_report *node; /* owned: the report so far */
    int64_t nodes, capacity;
    int64_t open; /* the container that is being filled */
} hsp_json;

/* The report that was built, whose top is a container that was ended; HSP_EMEMORY when there was no memory for all of it.
 * The writer is empty again in any case. */
HSP_API int hsp_json_take(hsp_json *j, hsp_report **out, hsp_error **err);
HSP_API void hsp_json_drop(hsp_json *j); /* frees what was built; of a text nothing */
HSP_API void hsp_json_fail(hsp_json *j); /* memory ran out for a value */

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
HSP_API void hsp_json_numbers(hsp_json *j, const char *key, const double *v, int64_t n);
/* The nodes of a list or object in turn: NULL begins, NULL ends. */
#define HSP_REPORT_EACH(item, r) \
    for (const hsp_report *item = hsp_report_next(r, NULL); item; item = hsp_report_next(r, item))

/* A value of a report (NULL: null), and all members of an object or list into the open one. */
HSP_API void hsp_json_report(hsp_json *j, const char *key, const hsp_report *r);
HSP_API void hsp_json_members(hsp_json *j, const hsp_report *r);

#ifdef __cplusplus
}
#endif

#endif
