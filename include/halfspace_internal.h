/* What the libraries and the program of Halfspace share and users do not need: memory, errors, files, and the writer of
 * reports and JSON. Exported by libhalfspace, not installed, and may change in any version. The headers of src/base/ that
 * include this one (error.h, file.h, json.h, memory.h, text.h) add what is internal to the library. */
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

/* Sets *err (if err is not NULL and *err is still NULL) and returns `code`, so that callers can write `return
 * hsp_fail(...)`. If there is no memory for the message, returns HSP_EMEMORY and sets *err accordingly. The message is
 * "what is wrong: what to do", on one line. Control characters and bytes that are not UTF-8 become '?'; the middle of a
 * message longer than 1000 bytes is left out. Format doubles with hsp_format_number, never with %g, because the C library's
 * follows the locale. */
HSP_API int hsp_fail(hsp_error **err, int code, const char *format, ...) HSP_PRINTF(3, 4);

/* The same for a formatted message. */
HSP_API int hsp_error_new(hsp_error **err, int code, const char *message);

/* ---- cancelling ---- */

/* 1: a request by hsp_cancel is pending. For long work in libraries other than the core. */
HSP_API int hsp_cancel_waiting(void);
/* The same, and consumes the request: for a call that stops because of it. */
HSP_API int hsp_cancel_consume(void);

/* ---- results ---- */

/* A stop_reason of a report as a sentence for people; an unknown one is returned unchanged. */
HSP_API const char *hsp_stop_sentence(const char *name);

/* ---- comparisons ---- */

/* The settings of every algorithm that hsp_compare fits: a list of {name, task, settings, option, chosen}. */
HSP_API int hsp_contenders_report(hsp_report **out, hsp_error **err);

/* ---- networks ---- */

/* The parameters of a network in original units, in the order of hsp_update.weights; borrowed. NULL, *count 0: it is none. */
HSP_API const double *hsp_model_parameters(const hsp_model *m, int64_t *count);
/* The scores (rows x outputs) that the network would have with these parameters for rows of its features. HSP_EINTERNAL: the
 * model is no network. */
HSP_API int hsp_model_score_with(const hsp_model *m, const double *parameters, const double *x, int64_t rows, double *scores,
                                 hsp_error **err);

/* ---- columns ---- */

/* The features of a model at rows of the numeric columns of its table, in their order (rows x columns), the other columns as
 * in a typical row of `data`, which are those of training: rows x features. HSP_EINPUT: they are not its table. */
HSP_API int hsp_model_raw_features(const hsp_model *m, const hsp_data *data, const double *x, int64_t rows, double *features,
                                   hsp_error **err);

/* ---- the build ---- */

/* How the library was built ("build": compiler, optimised) and the versions of the libraries that it uses ("libraries"). */
HSP_API int hsp_build_report(hsp_report **out, hsp_error **err);
/* The instructions of the kernels: "plain", "avx2" or "avx512", the best that the processor has, or those that the environment
 * variable HALFSPACE_SIMD names when the library is loaded. All give the same bits. */
HSP_API const char *hsp_simd_name(void);
/* Why HALFSPACE_SIMD is not obeyed, as an error message; NULL: it is, or it is not set. */
HSP_API const char *hsp_simd_problem(void);

/* ---- files ---- */

/* Writes n bytes to path ("-": stdout). A regular file is written completely or not at all. */
HSP_API int hsp_write_file(const char *path, const void *bytes, size_t n, hsp_error **err);

/* A file that is written bit by bit to a temporary name beside it; commit renames it. Pipes, devices and "-" (stdout) are
 * written directly. compress 0: no compression; 'g': gzip; 'z': zstd; '?': by the path's ending (.gz, .zst). */
typedef struct hsp_out hsp_out;
HSP_API int hsp_out_open(const char *path, char compress, hsp_out **out, hsp_error **err);
HSP_API int hsp_out_write(hsp_out *o, const void *bytes, int64_t n, hsp_error **err);
/* Flushes, syncs, renames; frees o, also on failure, which leaves no file behind. */
HSP_API int hsp_out_commit(hsp_out *o, hsp_error **err);
/* Removes the temporary file and frees o. NULL is allowed. */
HSP_API void hsp_out_abandon(hsp_out *o);

/* Holds `path` back: when it is written, the complete file keeps a temporary name until hsp_files_release renames all held
 * files. So a command that fails between two files replaces none. A file that does not exist yet gets at most the
 * permissions of `source`, whose content it copies (NULL: those of the umask). "-" is not held. */
HSP_API int hsp_file_hold(const char *path, const char *source, hsp_error **err);
/* Renames the held files that were written, in the order of hsp_file_hold; after a failure removes the others. No file is
 * held afterwards. */
HSP_API int hsp_files_release(hsp_error **err);
/* Removes what was written to held files; the files that they would replace stay. */
HSP_API void hsp_files_drop(void);

/* The name of the mapped file that has this address; NULL: none. For a handler of SIGBUS, which is raised when another
 * program makes a mapped file shorter; safe there. */
HSP_API const char *hsp_map_file_at(const void *address);
/* HSP_EIO if a file that is mapped, or was since the last call, has been changed in place: what was computed from it is not
 * of the file as it was. */
HSP_API int hsp_maps_check(hsp_error **err);

/* ---- training on rows as they arrive ---- */

/* One pass of an update rule (sgd, minibatch, perceptron) over a stream, in constant memory: the last weights, or the average
 * (options: max-epochs 1, keep last or average). classes: all labels that may occur, "A,B,..."; NULL: those of the first
 * rows. *data: as hsp_data_report. Cancelled: HSP_OK with the model so far. HSP_EINPUT names the line of a wrong row or of a
 * label that was not declared; HSP_EUSAGE: options or columns that need all rows. */
HSP_API int hsp_train_arriving(const char *path, const char *classes, const hsp_options *o, const hsp_hooks *hooks,
                               hsp_model **model, hsp_report **report, hsp_report **data, hsp_error **err);

/* ---- memory, freed with hsp_free (halfspace.h) ---- */

HSP_API void *hsp_alloc_zero(int64_t count, size_t size); /* zeroed; NULL on failure, never for count 0 */
HSP_API char *hsp_strdup(const char *s);                  /* NULL in, NULL out */
HSP_API char *hsp_strndup(const char *s, size_t n);
/* Grows *block, an array of `size`-byte items with room for *capacity, to hold `needed`, in steps of 1.5x. Returns 0, or
 * HSP_EMEMORY and keeps the old block. */
HSP_API int hsp_reserve(void **block, int64_t *capacity, int64_t needed, size_t size);
/* Frees several blocks, each of which may be NULL, in this order: HSP_FREE(a, b, c). */
#define HSP_FREE(...) hsp_free_each((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
HSP_API void hsp_free_each(void *const *blocks, size_t count);

/* For qsort: doubles in ascending order. */
HSP_API int hsp_ascending(const void *a, const void *b);

/* ---- growing text ---- */

typedef struct hsp_text {
    char *s; /* owned; NUL-terminated once something was appended; NULL before */
    int64_t length;
    int64_t capacity;
    bool failed; /* an append ran out of memory; the text is incomplete */
} hsp_text;      /* {0} is an empty text */

HSP_API void hsp_text_free(hsp_text *t);
/* Hands over the string (an empty text gives "") and leaves t empty. HSP_EMEMORY and *out = NULL if an append failed. */
HSP_API int hsp_text_take(hsp_text *t, char **out, hsp_error **err);

/* ---- names ---- */

/* Whether `name` is one of the blank-separated `words`, which are in lower case and without dashes; the case, '-' and '_'
 * of `name` do not count. */
HSP_API bool hsp_name_listed(const char *words, const char *name);
/* The name in a NULL-ended list that was probably meant: the one with the fewest edits, where a beginning of three letters
 * or more counts as one edit, and case and '_' for '-' as none. NULL: none is near. */
HSP_API const char *hsp_name_nearest(const char *name, const char *const *names);

/* What is typed before the name of an option of the library in messages: "-" for an option that is a letter (-C), else "--". */
HSP_API const char *hsp_option_dashes(const char *name);

/* ---- JSON ---- */

/* Writes named values either as JSON text for files (`out` is set), or as a report in memory (hsp_json j = {0}, then
 * hsp_json_take). The writer adds commas and nesting; the caller gives the keys. A number that is not finite becomes null:
 * nothing non-finite leaves the library. A failure is kept until the text or the report is taken. */
typedef struct hsp_json {
    hsp_text *out;           /* borrowed; NULL: builds a report */
    bool comma;              /* text: a value was already written at this level */
    bool failed;             /* report: memory ran out */
    struct hsp_report *node; /* owned: the report so far */
    int64_t nodes, capacity;
    int64_t open; /* the container being filled */
} hsp_json;

/* Returns the report that was built; its top-level container must be ended. HSP_EMEMORY if memory ran out while building
 * it. The writer is empty afterwards in any case. */
HSP_API int hsp_json_take(hsp_json *j, hsp_report **out, hsp_error **err);
HSP_API void hsp_json_drop(hsp_json *j); /* frees a report being built; leaves text alone */
HSP_API void hsp_json_fail(hsp_json *j); /* memory ran out for a value */

/* Begin and end containers. `key` is NULL inside an array and at the top level. */
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
/* Iterates over the nodes of a list or object. */
#define HSP_REPORT_EACH(item, r) \
    for (const hsp_report *item = hsp_report_next(r, NULL); item; item = hsp_report_next(r, item))

/* Write a value of a report (NULL: null), or all members of an object or list into the open container. */
HSP_API void hsp_json_report(hsp_json *j, const char *key, const hsp_report *r);
HSP_API void hsp_json_members(hsp_json *j, const hsp_report *r);

#ifdef __cplusplus
}
#endif

#endif
