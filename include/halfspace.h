/* halfspace.h: linear classification, with a certificate on every answer.
 *
 * The one public header of the core library, C and C++ clean. Pictures are in halfspace_plot.h and a library of their own.
 *
 * Errors.   Every function that can fail returns 0 (HSP_OK) or a negative hsp_status, and takes an `hsp_error **err` last,
 *           which may be NULL. On failure *err is a new object (free it with hsp_error_free) and every `out` is NULL.
 *           "Did not converge" is a result, not an error: it is in the report.
 * Memory.   A `T **out` is yours to free; a returned `const T *` is borrowed from its handle; inputs are never kept.
 * Threads.  Const handles may be shared between threads. The library never prints, exits, or touches locale or signals.
 * Text.     UTF-8; every number is read and written locale-free, in the shortest form that reads back to the same bits.
 * Reports.  Results come as one JSON object in a string (free it with hsp_free) and as named arrays.
 */
#ifndef HALFSPACE_H
#define HALFSPACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HSP_API __attribute__((visibility("default")))
#else
#define HSP_API
#endif

#define HSP_VERSION "0.2.0"

/* The version of the library that is loaded, e.g. "0.2.0". */
HSP_API const char *hsp_version(void);

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef enum hsp_status {
    HSP_OK = 0,
    HSP_EUSAGE = -1,     /* an option or argument that makes no sense, or a combination that cannot work */
    HSP_EINPUT = -2,     /* data or a model file that cannot be used as it is */
    HSP_EIO = -3,        /* the system could not read or write */
    HSP_EMEMORY = -4,    /* out of memory */
    HSP_ECANCELLED = -5, /* hsp_cancel() or a hook stopped the work before there was anything to return */
    HSP_EINTERNAL = -6   /* a bug in halfspace */
} hsp_status;

typedef struct hsp_error hsp_error;

HSP_API int hsp_error_code(const hsp_error *e);
/* The whole line, "FILE:LINE:COLUMN: what is wrong: what to do", without the parts that do not apply. */
HSP_API const char *hsp_error_message(const hsp_error *e);
HSP_API const char *hsp_error_file(const hsp_error *e);  /* NULL when no file is concerned */
HSP_API int64_t hsp_error_line(const hsp_error *e);      /* from 1; 0: none */
HSP_API int64_t hsp_error_column(const hsp_error *e);    /* byte in the line, from 1; 0: none */
HSP_API void hsp_error_free(hsp_error *e);               /* NULL is allowed */
/* For libraries beside this one: sets *err when there is one to set and it is not set yet; returns `code`. */
HSP_API int hsp_error_new(hsp_error **err, int code, const char *message);

/* Frees any string or buffer that the library returned through `char **` or `void **`. */
HSP_API void hsp_free(void *p);

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Options are set by name, with the text that the command line takes ("C", "0.1"). Names, types, defaults and help are
 * data: walk them with hsp_option_count and hsp_option_field. */
typedef struct hsp_options hsp_options;

HSP_API int hsp_options_new(hsp_options **out, hsp_error **err);
HSP_API int hsp_options_set(hsp_options *o, const char *name, const char *value, hsp_error **err);
HSP_API int hsp_options_set_double(hsp_options *o, const char *name, double value, hsp_error **err);
HSP_API int hsp_options_set_int(hsp_options *o, const char *name, int64_t value, hsp_error **err);
/* The value that is in force (the default when it was never set); NULL for an unknown name. */
HSP_API const char *hsp_options_get(const hsp_options *o, const char *name);
HSP_API int hsp_options_given(const hsp_options *o, const char *name); /* 1: it was set; 0: it has its default */
HSP_API void hsp_options_free(hsp_options *o);

HSP_API int64_t hsp_option_count(void);
/* Field of the i-th option: "name", "short", "group", "type", "default", "choices", "argument", "help".
 * NULL when the option has no such field. */
HSP_API const char *hsp_option_field(int64_t i, const char *field);

/* The tables as JSON: what is "algorithms", "losses", "penalties", "solvers", "generators" or "options". */
HSP_API int hsp_list(const char *what, char **json, hsp_error **err);

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

/* One line of the trace: the state of a run after an epoch (epoch 0: the start). Unknown figures are NaN. */
typedef struct hsp_progress {
    size_t size;          /* sizeof(hsp_progress) of the library */
    const char *label;    /* what this problem tells apart (the class, for one-vs-rest); borrowed for the call */
    int64_t problem;      /* 0 .. problems-1 */
    int64_t problems;
    int64_t epoch;
    int64_t max_epochs;
    int64_t updates;      /* parameter changes so far */
    int64_t steps;        /* examples visited so far */
    double objective;     /* P(w, b) */
    double mean_loss;     /* weighted mean of the loss */
    double error;         /* share of training rows on the wrong side */
    double norm;          /* |w| */
    double dual_bound;
    double relative_gap;
    double seconds;       /* since the run began */
    const char *method;   /* what is at work: a solver, or a method of one that is made of several; borrowed for the call */
} hsp_progress;

/* One change of the weights, as a film shows it. */
typedef struct hsp_update {
    size_t size;       /* sizeof(hsp_update) of the library */
    int64_t problem;   /* 0 .. problems-1 */
    int64_t problems;
    int64_t epoch;     /* passes over the data that are complete */
    int64_t updates;   /* parameter changes so far, this one included; 0: the start */
    int64_t steps;     /* examples visited so far */
    int64_t row;       /* the row of the data that caused it, from 0; -1: all of them, or none */
    const double *weights; /* features, original units; borrowed for the call */
    int64_t features;
    double intercept;
} hsp_update;

typedef struct hsp_hooks {
    size_t size;  /* sizeof(hsp_hooks), so that the struct can grow */
    void *user;
    /* Called on the calling thread after every epoch that was measured; non-zero cancels (the best point so far is kept). Of
     * hsp_predict, hsp_evaluate and hsp_verify at the start and every some thousand rows: steps are the rows done, epoch and
     * max_epochs passes over them (max_epochs 0: not known), figures of training NaN; non-zero ends them with HSP_ECANCELLED.
     * May be NULL. */
    int (*progress)(void *user, const hsp_progress *p);
    /* One line of information (what was assumed, what was chosen). level -1: a warning, 0: notice, 1:
     * detail. May be NULL. */
    void (*log)(void *user, int level, const char *line);
    /* Called on the calling thread at the start and after every single change of the weights, by the solvers that make them
     * one by one (perceptron, stochastic, gradient, dual); non-zero cancels. Costs a copy of the weights each. May be NULL. */
    int (*update)(void *user, const hsp_update *u);
} hsp_hooks;

/* Asks whatever is running to stop soon, keeping the best so far. Safe in a signal handler. The request is consumed by
 * the call that it stops. */
HSP_API void hsp_cancel(void);
/* 1: such a request is waiting to be consumed. For long work of libraries beside this one. */
HSP_API int hsp_cancel_waiting(void);
/* The same, and consumes it: for one that stops. */
HSP_API int hsp_cancel_consume(void);

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

typedef enum hsp_dtype { HSP_FLOAT32 = 1, HSP_FLOAT64 = 2, HSP_INT32 = 3, HSP_INT64 = 4, HSP_UINT32 = 5 } hsp_dtype;

/* A borrowed view of an array: shape[0] rows, shape[1] columns (1 for vectors), strides in bytes. */
typedef struct hsp_array {
    size_t size; /* sizeof(hsp_array), set by the caller */
    const void *data;
    int32_t dtype; /* hsp_dtype */
    int32_t ndim;
    int64_t shape[2];
    int64_t strides[2];
} hsp_array;

/* ---- data -------------------------------------------------------------------------------------------------------- */

typedef struct hsp_data hsp_data;
typedef struct hsp_model hsp_model;

/* Reads a whole file ("-": stdin; plain, gzip or zstd). Reading options: format, target, header, delimiter, ignore, base...
 * What only one who learns must know of a table (missing values, columns that are neither numbers nor words) is no error
 * here, but one of hsp_train. */
HSP_API int hsp_data_read(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err);
/* The same for data that a model shall judge: columns are matched by the model's names, labels must be the model's. */
HSP_API int hsp_data_read_for(const hsp_model *m, const char *path, const hsp_options *o, const hsp_hooks *hooks,
                              hsp_data **out, hsp_error **err);
/* The rows of a part of a table, in the features of a model that was trained on another (or on this, which has learnt its
 * own). *out is NULL where they are that already. */
HSP_API int hsp_data_encode_for(const hsp_model *m, const hsp_data *data, hsp_data **out, hsp_error **err);
/* 1: what is read for the one model is what is read for the other, from any file. Of models that learnt from tables 0. */
HSP_API int hsp_model_reads_alike(const hsp_model *m, const hsp_model *other);
/* Copies n rows of d numbers (row i begins at x + i*stride, stride in elements) and their labels (n strings). names may be
 * NULL. Values must be finite. */
HSP_API int hsp_data_from_dense(const double *x, int64_t n, int64_t d, int64_t stride, const char *const *labels,
                                const char *const *names, hsp_data **out, hsp_error **err);
/* Copies a CSR matrix: row i has entries row[i] .. row[i+1]-1 of column (from 0, any order, duplicates are added) and value. */
HSP_API int hsp_data_from_csr(const int64_t *row, const int64_t *column, const double *value, int64_t n, int64_t d,
                              const char *const *labels, hsp_data **out, hsp_error **err);
/* Gives every row a weight (n numbers, copied; finite, not negative, not all zero). NULL: all 1 again. */
HSP_API int hsp_data_set_weights(hsp_data *data, const double *weights, hsp_error **err);
/* Makes data for regression: n finite numbers to predict, copied, in place of the labels. (labels may be NULL in
 * hsp_data_from_dense and hsp_data_from_csr.) */
HSP_API int hsp_data_set_targets(hsp_data *data, const double *targets, hsp_error **err);
/* Demonstration data: kind is one of hsp_list("generators"). Options: rows, noise, features, classes, seed. */
HSP_API int hsp_data_generate(const char *kind, const hsp_options *o, hsp_data **out, hsp_error **err);
/* The same into a file, block by block: text (CSV, TSV, svmlight, as hsp_data_write chooses) of any size takes the same
 * little memory. json, to be freed: kind, rows, features, nonzeros, classes, targets, seconds {generate, write}. */
HSP_API int hsp_data_generate_file(const char *kind, const hsp_options *o, const char *path, char **json, hsp_error **err);
/* A reproducible random split; options: test (share or number of rows), stratify, seed. */
HSP_API int hsp_data_split(const hsp_data *data, const hsp_options *o, hsp_data **train, hsp_data **test, hsp_error **err);
/* Writes CSV, TSV or svmlight by the name's ending (or the option to-format), compressed by .gz or .zst; "-": stdout. A
 * regular file appears whole or not at all. */
HSP_API int hsp_data_write(const hsp_data *data, const char *path, const hsp_options *o, hsp_error **err);
/* rows, features, nonzeros, classes {label: count}, layout, bytes, assumed, seconds. */
HSP_API int hsp_data_report(const hsp_data *data, char **json, hsp_error **err);
/* Named arrays: "labels" (class of each row, int32), "targets" (float64, regression), "weights" (float64, when rows have them),
 * "column-min", "column-max" (float64, d). */
HSP_API int hsp_data_array(const hsp_data *data, const char *name, hsp_array *out, hsp_error **err);
/* Row i as d doubles. */
HSP_API int hsp_data_row(const hsp_data *data, int64_t i, double *x, hsp_error **err);
HSP_API int64_t hsp_data_rows(const hsp_data *data);
HSP_API int64_t hsp_data_features(const hsp_data *data);
HSP_API int64_t hsp_data_classes(const hsp_data *data);
HSP_API const char *hsp_data_class_name(const hsp_data *data, int64_t k);   /* NULL out of range */
HSP_API const char *hsp_data_feature_name(const hsp_data *data, int64_t j); /* NULL out of range or without names */
/* What to call feature j: its name, else its number as the data file has it (written to buf, 32 bytes). */
HSP_API const char *hsp_data_feature_label(const hsp_data *data, int64_t j, char *buf);
HSP_API void hsp_data_free(hsp_data *data);

/* ---- training and models ----------------------------------------------------------------------------------------- */

/* Fits; *report is the JSON of `halfspace train --json` less reading, writing and the model's name (report may be
 * NULL). Cancelled or not converged: still HSP_OK with the best model so far, and stop_reason says so. A hard margin that
 * does not exist: HSP_OK, *model is NULL, and the report has the witness. */
HSP_API int hsp_train(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model, char **report,
                      hsp_error **err);

HSP_API int hsp_model_save(const hsp_model *m, const char *path, hsp_error **err);
HSP_API int hsp_model_load(const char *path, hsp_model **out, hsp_error **err);
HSP_API int hsp_model_save_memory(const hsp_model *m, void **bytes, size_t *size, hsp_error **err);
HSP_API int hsp_model_load_memory(const void *bytes, size_t size, hsp_model **out, hsp_error **err);
/* Everything in the model, weights included: the JSON of `halfspace show --json`. */
HSP_API int hsp_model_report(const hsp_model *m, char **json, hsp_error **err);
/* Named arrays: "weights" (outputs x features, original units), "intercepts" (outputs), and what the algorithm stores besides:
 * "class-mass", "class-means", "class-covariances", "second-moment", "cross-moment", "directions", "direction-offsets"; and of
 * the dual vector "dual-begin" (outputs + 1), "dual-rows" (from 0) and "dual-values" (for margins y_i alpha_i). */
HSP_API int hsp_model_array(const hsp_model *m, const char *name, hsp_array *out, hsp_error **err);
/* "algorithm", "task", "loss", "penalty", "solver", "scale" ...: an entry of the header as text; NULL: it has none. */
HSP_API const char *hsp_model_field(const hsp_model *m, const char *name);
/* The scores (rows x outputs, or NULL) and the classes (rows, or NULL) that the model gives the rows of data read for it or
 * trained on; all threads. */
HSP_API int hsp_model_score(const hsp_model *m, const hsp_data *data, double *scores, int32_t *classes, hsp_error **err);
HSP_API int64_t hsp_model_outputs(const hsp_model *m); /* 1 for two classes or regression, else their number */
HSP_API int64_t hsp_model_features(const hsp_model *m);
HSP_API int64_t hsp_model_classes(const hsp_model *m);
HSP_API const char *hsp_model_class_name(const hsp_model *m, int64_t k);   /* sorted order; NULL out of range */
/* The class of a label of the data, in any spelling; -1 when it has none. Merged labels (--positive A,B) share a class. */
HSP_API int64_t hsp_model_class_of(const hsp_model *m, const char *label);
HSP_API const char *hsp_model_feature_name(const hsp_model *m, int64_t j); /* NULL out of range or without names */
/* What to call feature j: its name, else its number as the data file has it (written to buf, 32 bytes). */
HSP_API const char *hsp_model_feature_label(const hsp_model *m, int64_t j, char *buf);
HSP_API int64_t hsp_model_positive(const hsp_model *m); /* the class of positive scores, two classes; else -1 */
/* The class and (scores not NULL) the `outputs` scores of one row of d numbers. */
HSP_API int64_t hsp_model_classify(const hsp_model *m, const double *x, double *scores);
/* The probabilities of the classes, in their order, of one row of d numbers; HSP_EUSAGE when the algorithm has none. */
HSP_API int hsp_model_probability(const hsp_model *m, const double *x, double *p, hsp_error **err);
/* Means, covariances, scatters and second moments that the algorithm used, in original units: `halfspace show --moments`. */
HSP_API int hsp_model_moments(const hsp_model *m, char **json, hsp_error **err);
HSP_API void hsp_model_free(hsp_model *m);

/* Streams DATA through the model: reads `in`, writes CSV to `out` ("-" for the standard ones). Options: scores, reading. */
HSP_API int hsp_predict(const hsp_model *m, const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                        char **report, hsp_error **err);
/* Metrics of the model on data read with hsp_data_read_for: the JSON of `halfspace evaluate --json`. */
HSP_API int hsp_evaluate(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                         char **report, hsp_error **err);

/* ---- certificates ------------------------------------------------------------------------------------------------ */

/* Recomputes all that the model claims of its training data, by code that shares nothing with the solvers: the JSON of
 * `halfspace verify --json`, whose member "verified" is the answer. certificate: a file of hsp_certificate_write, in place of
 * the dual vector in the model; NULL: none. */
HSP_API int hsp_verify(const hsp_model *m, const hsp_data *data, const char *certificate, const hsp_options *o,
                       const hsp_hooks *hooks, char **report, hsp_error **err);
/* Writes the dual vector as CSV, one line for each row (and problem): row, class, alpha, margin, slack, kind. */
HSP_API int hsp_certificate_write(const hsp_model *m, const hsp_data *data, const char *path, hsp_error **err);
/* Takes the dual vector out of the model; its claims stay. */
HSP_API void hsp_model_drop_dual(hsp_model *m);

/* Are the classes linearly separable? verdict, margin, proof, hyperplane, witness and more: the member "separable" of
 * `halfspace inspect --json`, with the data's hash. More than two classes: each against the rest. Options: intercept
 * (none: planes through the origin), positive, max-seconds, seed, threads. */
HSP_API int hsp_separability(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, char **report,
                             hsp_error **err);
/* Checks such a report against the data, as hsp_verify does a model. */
HSP_API int hsp_verify_separability(const char *proof, const hsp_data *data, const hsp_options *o, char **report,
                                    hsp_error **err);
/* What is to know of data before training: the JSON of `halfspace inspect --json` less reading. */
HSP_API int hsp_inspect(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, char **report, hsp_error **err);

/* ---- studies ----------------------------------------------------------------------------------------------------- */

/* What a picture shows, as numbers: named arrays of doubles, named numbers, lists of texts. Of a model and data: "scores",
 * "projection", "roc", "pr", "calibration", "confusion", "plane"; of data, training as the options say: "lambda",
 * "bias-variance", "learning-curve", "path", "cv"; of nothing: "losses". docs/studies.md names what is in each. */
typedef struct hsp_study hsp_study;

/* m or data are NULL where they are not needed. HSP_EUSAGE: no such study, or it cannot be made of these. */
HSP_API int hsp_study_run(const char *kind, const hsp_model *m, const hsp_data *data, const hsp_options *o,
                          const hsp_hooks *hooks, hsp_study **out, hsp_error **err);
/* The study "trace": a file that `train --trace` wrote. */
HSP_API int hsp_study_read_trace(const char *path, hsp_study **out, hsp_error **err);
HSP_API const char *hsp_study_kind(const hsp_study *s);
/* An array of float64; HSP_EUSAGE when the study has none of that name. */
HSP_API int hsp_study_array(const hsp_study *s, const char *name, hsp_array *out, hsp_error **err);
HSP_API double hsp_study_number(const hsp_study *s, const char *name);                   /* NaN: there is none */
HSP_API const char *hsp_study_text(const hsp_study *s, const char *list, int64_t i);     /* NULL past the end */
HSP_API int hsp_study_report(const hsp_study *s, char **json, hsp_error **err);
HSP_API void hsp_study_free(hsp_study *s);

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Shortest text that reads back to the same bits; buf holds at least 32 bytes. Returns its length. */
HSP_API int hsp_format_number(double v, char *buf);
/* Correctly rounded; 0, or HSP_EINPUT when the n bytes are not one number. "nan" and "inf" are not numbers here. */
HSP_API int hsp_parse_number(const char *text, size_t n, double *v);

/* Writes n bytes to path ("-": stdout); a regular file appears whole or not at all. */
HSP_API int hsp_write_file(const char *path, const void *bytes, size_t n, hsp_error **err);

#ifdef __cplusplus
}
#endif
#endif
