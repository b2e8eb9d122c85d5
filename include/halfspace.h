/* halfspace.h: linear classification with certificates of optimality.
 *
 * The public header of the core library, for C and C++. Plots are in halfspace_plot.h and a library of their own.
 *
 * Errors.   A function that can fail returns 0 (HSP_OK) or a negative hsp_status, and takes an `hsp_error **err` last,
 *           which may be NULL. On failure *err is a new object (free it with hsp_error_free) and every `out` is NULL.
 *           "Did not converge" is a result, not an error: the report states it.
 * Memory.   The caller frees what comes through `T **out`. A returned `const T *` is borrowed from its handle and valid
 *           until the handle is freed. Inputs are copied, never kept, but for the arrays of hsp_data_view_dense and
 *           hsp_data_view_csr, which are borrowed until their release. Every free function accepts NULL. A buffer that the
 *           caller provides states its size at the function; HSP_NUMBER_SIZE and HSP_LABEL_SIZE are such sizes.
 * Threads.  Any function may be called from any thread. Calls that only read a handle (`const T *`) may run at the same
 *           time on the same handle; a call that changes or frees a handle needs exclusive access. All calls share one
 *           pool of worker threads. The pool serves one call at a time: a call that finds it busy does all of its work on
 *           the calling thread, with the same result to the last bit. Hooks are called on the thread that made the call;
 *           those of a job on the job's thread.
 * Cancel.   Every job has a request of its own: hsp_job_cancel stops that job and nothing else. hsp_cancel is for calls
 *           outside of jobs: it stops one such call that is running, unspecified which, and never a job. A hook that
 *           returns non-zero stops its own call.
 * Fork.     A child process may use the library and all handles that existed before the fork; it starts workers of its
 *           own. Fork only while no other thread is inside a call of this library and no job is running, and never from a
 *           hook. A job that was running is lost in the child: hsp_job_result says so, and hsp_job_free does not wait.
 * Effects.  The library never prints, exits, raises or handles a signal, or reads the locale. The one environment variable
 *           that it reads is SOURCE_DATE_EPOCH, the date of models for reproducible builds.
 * Text.     UTF-8. Numbers are read and written locale-free, in the shortest form that reads back to the same bits.
 * Reports.  Results come as an hsp_report: named values, read with typed getters, or all of it as JSON.
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
/* The same as one number, for #if: 10000 major + 100 minor + patch. */
#define HSP_VERSION_NUMBER 200

/* The version of the library that is loaded, which may differ from the header's. */
HSP_API const char *hsp_version(void);
HSP_API int hsp_version_number(void);

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef enum hsp_status {
    HSP_OK = 0,
    HSP_EUSAGE = -1,     /* an option or argument that is not valid, or a combination that cannot work */
    HSP_EINPUT = -2,     /* data or a model file that cannot be used as it is */
    HSP_EIO = -3,        /* the system could not read or write */
    HSP_EMEMORY = -4,    /* out of memory */
    HSP_ECANCELLED = -5, /* hsp_cancel or a hook stopped the call before it had a result */
    HSP_EINTERNAL = -6   /* a bug in halfspace */
} hsp_status;

typedef struct hsp_error hsp_error;

HSP_API int hsp_error_code(const hsp_error *e);
/* The whole line, "FILE:LINE:COLUMN: what is wrong: what to do", without the parts that do not apply. */
HSP_API const char *hsp_error_message(const hsp_error *e);
HSP_API const char *hsp_error_file(const hsp_error *e); /* NULL: the error does not concern a file */
HSP_API int64_t hsp_error_line(const hsp_error *e);     /* from 1; 0: none */
HSP_API int64_t hsp_error_column(const hsp_error *e);   /* byte of the line, from 1; 0: none */
HSP_API void hsp_error_free(hsp_error *e);

/* Frees a string or buffer that the library returned through `char **` or `void **`. */
HSP_API void hsp_free(void *p);

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

typedef enum hsp_dtype {
    HSP_FLOAT32 = 1,
    HSP_FLOAT64 = 2,
    HSP_INT32 = 3,
    HSP_INT64 = 4,
    HSP_UINT32 = 5,
    HSP_INT8 = 6,
    HSP_UINT8 = 7,
    HSP_BOOL = 8, /* a byte: 0 is false, all others are true */
    HSP_INT16 = 9
} hsp_dtype;

/* A borrowed view of an array: shape[0] rows, shape[1] columns (1 for vectors), strides in bytes, which may be negative or 0.
 * Bytes are in the order of the machine. Arrays that are passed in are never written to. */
typedef struct hsp_array {
    size_t size; /* sizeof(hsp_array), set by the caller before the call */
    const void *data;
    int32_t dtype; /* hsp_dtype */
    int32_t ndim;  /* 1 or 2 */
    int64_t shape[2];
    int64_t strides[2];
} hsp_array;

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/* The result of a call: a tree of named values. docs/reports.md lists every member of every report. A report does not
 * change; free the whole with hsp_report_free. Parts of it (hsp_report_member, hsp_report_item) are borrowed and are
 * reports themselves. In all getters r may be NULL, which contains nothing, and a NULL name stands for r itself. */
typedef struct hsp_report hsp_report;

typedef enum hsp_report_kinds {
    HSP_REPORT_ABSENT = 0, /* no such member */
    HSP_REPORT_NULL = 1,   /* does not exist for this algorithm, or is unknown */
    HSP_REPORT_FLAG = 2,
    HSP_REPORT_NUMBER = 3,
    HSP_REPORT_TEXT = 4,
    HSP_REPORT_ARRAY = 5, /* numbers: a vector or a matrix; those that are not finite are null in the JSON */
    HSP_REPORT_LIST = 6,  /* other values, by position */
    HSP_REPORT_OBJECT = 7 /* values by name, in a fixed order */
} hsp_report_kinds;

HSP_API int hsp_report_kind(const hsp_report *r, const char *name);         /* one of hsp_report_kinds */
HSP_API double hsp_report_number(const hsp_report *r, const char *name);    /* NaN: absent, null or not a number */
HSP_API int hsp_report_flag(const hsp_report *r, const char *name);         /* 1: true; 0: false; -1: neither */
HSP_API const char *hsp_report_text(const hsp_report *r, const char *name); /* NULL: absent, null or not text */
/* The float64 numbers of an array, borrowed. HSP_EUSAGE: there is no array of that name. */
HSP_API int hsp_report_array(const hsp_report *r, const char *name, hsp_array *out, hsp_error **err);
/* Members of an object, elements of a list, rows of an array; 0 for everything else. */
HSP_API int64_t hsp_report_count(const hsp_report *r, const char *name);
/* Element i, from 0, of a vector or list of numbers, or of a list of texts; NaN or NULL out of range. */
HSP_API double hsp_report_number_at(const hsp_report *r, const char *name, int64_t i);
HSP_API const char *hsp_report_text_at(const hsp_report *r, const char *name, int64_t i);
HSP_API const hsp_report *hsp_report_member(const hsp_report *r, const char *name); /* NULL: absent */
/* Element i of a list, or member i of an object, from 0; NULL out of range. */
HSP_API const hsp_report *hsp_report_item(const hsp_report *r, const char *name, int64_t i);
/* Iterates over a list or an object: the first item for NULL, then the one after `item`; NULL at the end. */
HSP_API const hsp_report *hsp_report_next(const hsp_report *r, const hsp_report *item);
HSP_API const char *hsp_report_name(const hsp_report *r); /* of a member; NULL for an element of a list and for a whole */
/* The report as one line of JSON; free it with hsp_free. */
HSP_API int hsp_report_json(const hsp_report *r, char **json, hsp_error **err);
/* Reads a report from `size` bytes of JSON, such as a file written by --json or by inspect --certificate. */
HSP_API int hsp_report_parse(const char *json, size_t size, hsp_report **out, hsp_error **err);
HSP_API void hsp_report_free(hsp_report *r);

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* Options are set by name, with the text that the command line takes ("C", "0.1"); one object serves reading, training
 * and all other calls. Names, types, defaults and help are data: see hsp_option_count and hsp_option_field. */
typedef struct hsp_options hsp_options;

HSP_API int hsp_options_new(hsp_options **out, hsp_error **err);
/* HSP_EUSAGE: no such option, or a value that it does not take. */
HSP_API int hsp_options_set(hsp_options *o, const char *name, const char *value, hsp_error **err);
HSP_API int hsp_options_set_double(hsp_options *o, const char *name, double value, hsp_error **err);
HSP_API int hsp_options_set_int(hsp_options *o, const char *name, int64_t value, hsp_error **err);
/* The value in force (the default when it was not set), borrowed until it is set again; NULL: no such option, or no
 * value. */
HSP_API const char *hsp_options_get(const hsp_options *o, const char *name);
HSP_API int hsp_options_given(const hsp_options *o, const char *name); /* 1: it was set; 0: it has its default */
HSP_API void hsp_options_free(hsp_options *o);

HSP_API int64_t hsp_option_count(void);
/* A field of option i, from 0: "name", "short", "group", "type", "default", "choices", "argument" or "help". NULL when the
 * option has no such field. Groups: read, table, write, split, generate, train, run, predict, columns, evaluate, folds, cv,
 * compare, study, explain, chart, plane, picture, film, page and general. The program calls the option of the group plane
 * --project, that of the group columns --keep, and that of the group explain --to-format. */
HSP_API const char *hsp_option_field(int64_t i, const char *field);

/* A table as a list of objects. what: "algorithms", "losses", "penalties", "solvers", "generators" or "options". */
HSP_API int hsp_list(const char *what, hsp_report **out, hsp_error **err);

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

/* One line of the trace: the state of a run after an epoch (epoch 0: the start). Unknown figures are NaN. */
typedef struct hsp_progress {
    size_t size;       /* sizeof(hsp_progress) of the library */
    const char *label; /* the class that this problem separates from the rest (one-vs-rest); borrowed for the call */
    int64_t problem;   /* 0 .. problems-1 */
    int64_t problems;
    int64_t epoch;
    int64_t max_epochs;
    int64_t updates;  /* parameter changes so far */
    int64_t steps;    /* examples visited so far */
    double objective; /* P(w, b) */
    double mean_loss; /* weighted mean of the loss */
    double error;     /* share of training rows on the wrong side */
    double norm;      /* |w| */
    double dual_bound;
    double relative_gap;
    double seconds;     /* since the run began */
    const char *method; /* the solver at work, or the method of one that combines several; borrowed for the call */
    double step;        /* the learning rate of the last update; NaN: none so far, or a method without one */
} hsp_progress;

/* One change of the weights. Unknown figures are NaN. A method may also move the point between two updates: the dual method
 * moves its intercept after every epoch, and another method may finish the work. Such a move is one more call with the same
 * `updates`, row -1 and a `step` of NaN, as the start has. */
typedef struct hsp_update {
    size_t size;     /* sizeof(hsp_update) of the library */
    int64_t problem; /* 0 .. problems-1 */
    int64_t problems;
    int64_t epoch;         /* complete passes over the data */
    int64_t updates;       /* parameter changes so far, this one included; 0: the start */
    int64_t steps;         /* examples visited so far */
    int64_t row;           /* the row of the data that caused it, from 0; -1: all rows, or none */
    const double *weights; /* `features` numbers in original units; borrowed for the call */
    int64_t features;
    double intercept;
    int has_intercept;   /* 0: none is fitted; `intercept` is 0, or with a scale what its shift of the columns adds */
    const char *label;   /* the class that this problem separates from the rest (one-vs-rest); borrowed for the call */
    int64_t passes;      /* complete passes over the data before this change; `epoch` counts the one that it completes */
    const int64_t *rows; /* the rows of a batch, from 0; borrowed for the call; NULL: `row` alone, all rows, or none */
    int64_t row_count;   /* of `rows` */
    double y;            /* of `row`: -1 or +1, or the number to predict (regression) */
    double score;        /* of `row` before the change */
    double margin;       /* y score; NaN for regression */
    double step;         /* the learning rate; of the dual method the change of the row's multiplier alpha */
    double loss;         /* before the change, without the penalty: of `row`, or the weighted mean of the batch or of all */
    /* Names of the `features` parameters, borrowed for the call; NULL: they are the weights of the data's features. */
    const char *const *names;
} hsp_update;

typedef struct hsp_hooks {
    size_t size; /* sizeof(hsp_hooks), set by the caller */
    void *user;  /* passed to every hook */
    /* Called after every epoch that was measured; non-zero cancels, and the best point so far is kept. hsp_predict,
     * hsp_model_apply, hsp_evaluate and hsp_verify call it at the start and every few thousand rows: `steps` counts rows,
     * `epoch` and `max_epochs` passes (max_epochs 0: unknown), figures of training are NaN; non-zero ends them with
     * HSP_ECANCELLED. hsp_data_read and its kin, hsp_file_split, hsp_file_convert, hsp_inspect, hsp_separability, and studies
     * of a model call it at the start and then about every 50 milliseconds, `steps` counts the rows read; non-zero at the
     * start ends them with HSP_ECANCELLED, later like hsp_cancel. Studies that train call it after each fit, hsp_explain as
     * training does and then like a study; non-zero ends both with HSP_ECANCELLED. With the options calibrate or decide,
     * training calls it for the fits of folds too: `method` is "folds", `problem` of `problems` are done, all figures are NaN.
     * May be NULL. */
    int (*progress)(void *user, const hsp_progress *p);
    /* One line of information. level -1: a warning; 0: a notice; 1: a detail. May be NULL. */
    void (*log)(void *user, int level, const char *line);
    /* Called at the start and after every single change of the weights, by the solvers that make them one by one
     * (perceptron, stochastic, gradient, dual); non-zero cancels. With several problems (one-vs-rest) they follow one
     * another. Each call costs a copy of the weights. The result of training has the same bits as without, except where the
     * dual solver would take three or more classes of sparse data together: there the tolerance is the same. May be NULL. */
    int (*update)(void *user, const hsp_update *u);
} hsp_hooks;

/* Asks a call that is running to stop soon and to keep the best result so far. Safe in a signal handler. The request is
 * consumed by the call that it stops. Jobs do not obey it: they have hsp_job_cancel. */
HSP_API void hsp_cancel(void);

/* ---- data -------------------------------------------------------------------------------------------------------- */

typedef struct hsp_data hsp_data;
typedef struct hsp_model hsp_model;

/* Reads a whole file ("-": stdin; plain, gzip or zstd). Options: those of the groups read and table. Missing values and
 * columns that cannot be encoded are errors of hsp_train, not of this call. */
HSP_API int hsp_data_read(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err);
/* The same for data to which a model will be applied: columns are matched by the model's names, labels must be the
 * model's. */
HSP_API int hsp_data_read_for(const hsp_model *m, const char *path, const hsp_options *o, const hsp_hooks *hooks,
                              hsp_data **out, hsp_error **err);
/* The Arrow C data interface: tables of other programs and languages without a copy in between. Field by field as its ABI
 * states them; the guards are those of all headers that declare these structs. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* Reads all record batches of a stream as one table, by the rules of a CSV file with a header: docs/c-api.md. The stream
 * and all that it gave are released before the call returns, also after a failure, and its functions are called on the
 * calling thread alone. Errors count rows, from 1, as lines. Options: as for hsp_data_read. HSP_EIO: the stream failed. */
HSP_API int hsp_data_read_arrow(struct ArrowArrayStream *stream, const hsp_options *o, const hsp_hooks *hooks,
                                hsp_data **out, hsp_error **err);
/* The same for data to which a model will be applied. The target may be absent. */
HSP_API int hsp_data_read_arrow_for(const hsp_model *m, struct ArrowArrayStream *stream, const hsp_options *o,
                                    const hsp_hooks *hooks, hsp_data **out, hsp_error **err);
/* The rows of a table, or of a part of one, encoded as the model encodes them. *out is NULL if they are so already. */
HSP_API int hsp_data_encode_for(const hsp_model *m, const hsp_data *data, hsp_data **out, hsp_error **err);
/* 1: both models read files identically, so that data read for one can be used with the other. Always 0 for models of
 * tables. */
HSP_API int hsp_model_reads_alike(const hsp_model *m, const hsp_model *other);
/* Copies n rows of d numbers (row i begins at x + i*stride, stride in elements), n labels (NULL: none) and d names (NULL:
 * none). Values must be finite. */
HSP_API int hsp_data_from_dense(const double *x, int64_t n, int64_t d, int64_t stride, const char *const *labels,
                                const char *const *names, hsp_data **out, hsp_error **err);
/* Copies a CSR matrix: row i has entries row[i] .. row[i+1]-1 of column (from 0, any order, duplicates are added) and
 * value. row has n + 1 entries, labels n (NULL: none). */
HSP_API int hsp_data_from_csr(const int64_t *row, const int64_t *column, const double *value, int64_t n, int64_t d,
                              const char *const *labels, hsp_data **out, hsp_error **err);
/* Data sets over arrays of the caller, without a copy. The arrays must not change and must stay until release(user) is
 * called, exactly once: by hsp_data_free or, after a failure or where a copy was made, before the call returns, on the thread
 * that makes the call. release may be NULL. Only the arrays are borrowed: the hsp_array structs and the names (NULL: none)
 * are not kept. Values must be finite; all threads check it. HSP_EUSAGE: an array of the wrong form; HSP_EINPUT: its content
 * is wrong.
 *
 * x: n rows, d columns of float32, float64, int8, uint8, bool, int16, int32 or int64, in C or Fortran order or with any
 * other strides. An int64 that a double cannot hold exactly, which happens only beyond 2^53, is an error. Copied, in their own
 * dtype, are elements that are not aligned, and n > 1 rows with a stride of 0. */
HSP_API int hsp_data_view_dense(const hsp_array *x, const char *const *names, void (*release)(void *user), void *user,
                                hsp_data **out, hsp_error **err);
/* CSR: row i has the entries row[i] .. row[i+1]-1 of column (from 0 to d-1) and value. row has n + 1 elements; row and
 * column are int32 or int64, value is float32 or float64. Borrowed if columns ascend strictly in each row, no value is 0,
 * and column and value are contiguous and aligned; offsets are copied unless they are int64, contiguous and begin with 0. In
 * all other cases a copy is made: columns are sorted, duplicates added, zeros left out. */
HSP_API int hsp_data_view_csr(const hsp_array *row, const hsp_array *column, const hsp_array *value, int64_t d,
                              const char *const *names, void (*release)(void *user), void *user, hsp_data **out,
                              hsp_error **err);
/* CSC: column j has the entries column_begin[j] .. column_begin[j+1]-1 of row (from 0 to n-1, any order, duplicates are
 * added) and value, of the same dtypes. Turned into CSR, a copy: release is called before it returns. */
HSP_API int hsp_data_view_csc(const hsp_array *column_begin, const hsp_array *row, const hsp_array *value, int64_t n,
                              const char *const *names, void (*release)(void *user), void *user, hsp_data **out,
                              hsp_error **err);
/* Labels of any data set, in place of those it has: row i is of the class names[codes[i]]. codes: a vector of n integers or
 * bools from 0 to count-1; names: count texts; both are copied. The classes are sorted as always (numbers as numbers, else
 * as bytes); those without rows stay. HSP_EINPUT: a code out of range, or two names that are the same label ("1", "1.0"). */
HSP_API int hsp_data_set_labels(hsp_data *data, const hsp_array *codes, const char *const *names, int64_t count,
                                hsp_error **err);
/* hsp_data_set_weights and hsp_data_set_targets of a vector of n numbers of any dtype, copied as doubles (integers beyond
 * 2^53 are rounded). */
HSP_API int hsp_data_set_weights_array(hsp_data *data, const hsp_array *weights, hsp_error **err);
HSP_API int hsp_data_set_targets_array(hsp_data *data, const hsp_array *targets, hsp_error **err);
/* Sets a weight for every row (n numbers, copied; finite, not negative, not all zero). NULL: all 1 again. */
HSP_API int hsp_data_set_weights(hsp_data *data, const double *weights, hsp_error **err);
/* Sets n finite numbers to predict, copied, in place of the labels: data for regression. */
HSP_API int hsp_data_set_targets(hsp_data *data, const double *targets, hsp_error **err);
/* For cross-validation. groups: a vector of n integers or bools of any values; rows of the same value are of one group, and are
 * tested together. times: a vector of n finite numbers; each fold is tested by models of earlier rows only. Both are copied;
 * NULL: none again. They are kept by hsp_data_split, and stored in no file. */
HSP_API int hsp_data_set_groups(hsp_data *data, const hsp_array *groups, hsp_error **err);
HSP_API int hsp_data_set_times(hsp_data *data, const hsp_array *times, hsp_error **err);
/* Example data. kind: a name of hsp_list("generators"). Options: those of the group generate, and seed. */
HSP_API int hsp_data_generate(const char *kind, const hsp_options *o, hsp_data **out, hsp_error **err);
/* The same into a file, in blocks: text of any size needs little memory. The report: kind, rows, features, nonzeros,
 * classes, targets, seconds {generate, write}. */
HSP_API int hsp_data_generate_file(const char *kind, const hsp_options *o, const char *path, hsp_report **report,
                                   hsp_error **err);
/* A reproducible random split. Options: test (share or number of rows), stratify, seed. Groups of rows (hsp_data_set_groups) go
 * whole to one part; of rows with times the latest are the test part. The number of test rows is then as near as possible. */
HSP_API int hsp_data_split(const hsp_data *data, const hsp_options *o, hsp_data **train, hsp_data **test, hsp_error **err);
/* Writes a file; "-": stdout. The name's ending, or the option to-format, chooses csv, tsv, svmlight (.svm, .svmlight,
 * .libsvm), npy or hsd (the binary cache); .gz or .zst after it compresses. Without either: as the data were read. A
 * regular file appears whole or not at all. */
HSP_API int hsp_data_write(const hsp_data *data, const char *path, const hsp_options *o, hsp_error **err);
/* Splits the rows of a file at random into two files, as hsp_data_split does. Rows of CSV and svmlight are copied byte by byte
 * with their line ends, header line and byte order mark at the start of each part; blank lines and lines that are only a
 * comment are left out, and a last line without an end gets one. Memory does not grow with the file, only with the text of a
 * pipe. Cells need not be readable, and labels are needed only for stratify. Options that would change the content (map-label,
 * ignore, missing-values) fail with HSP_EUSAGE. A part in another format than the file is read and written as data. Options:
 * those of the groups split, read and write, and seed. The report: rows, features, nonzeros, classes, targets, weights (null
 * where they are not known), assumed, train and test {rows, classes, targets, weights, output}, seconds {read, write}. */
HSP_API int hsp_file_split(const char *in, const char *train, const char *test, const hsp_options *o,
                           const hsp_hooks *hooks, hsp_report **report, hsp_error **err);
/* Writes the data of a file in another format. From CSV to CSV or TSV every cell keeps its spelling: only delimiter, line ends
 * and quotes change where they must; options ignore and map-label apply. To and from other formats as hsp_data_read and
 * hsp_data_write do. The report: input, output, rows, features, nonzeros, classes, targets, weights, assumed, seconds. */
HSP_API int hsp_file_convert(const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                             hsp_report **report, hsp_error **err);
/* The same from several files, which have the same columns; a name may be a pattern ('part-*.svm'). Files of numbers that need
 * more than option max-memory are converted block by block, with a temporary file in TMPDIR. */
HSP_API int hsp_files_convert(const char *const *in, int64_t count, const char *out, const hsp_options *o,
                              const hsp_hooks *hooks, hsp_report **report, hsp_error **err);
/* Rows, features, classes with their counts, storage, what was assumed, seconds of reading. */
HSP_API int hsp_data_report(const hsp_data *data, hsp_report **out, hsp_error **err);
/* Named arrays, borrowed: "labels" (class of each row, int32), "targets" (float64, regression), "weights" (float64, when
 * rows have weights), "groups" (int32) and "times" (float64, both when they are known), "column-min" and "column-max"
 * (float64, one for each feature). */
HSP_API int hsp_data_array(const hsp_data *data, const char *name, hsp_array *out, hsp_error **err);
/* Copies row i, from 0, into x, which holds hsp_data_features numbers. */
HSP_API int hsp_data_row(const hsp_data *data, int64_t i, double *x, hsp_error **err);
/* Copies numbers into the caller's memory: out->data, dtype, shape and strides (any) are set by the caller. what: "features"
 * (rows x features; float32 or float64), or of sparse rows "row-begin" (rows + 1; int32 or int64), "columns" (from 0) and
 * "values" (both as many as the report's nonzeros). HSP_EUSAGE: another dtype or shape, or the rows are dense. */
HSP_API int hsp_data_copy(const hsp_data *data, const char *what, hsp_array *out, hsp_error **err);
/* 1: a table, whose cells were encoded as features; 0: all columns are numbers. */
HSP_API int hsp_data_is_table(const hsp_data *data);
HSP_API int64_t hsp_data_rows(const hsp_data *data);
HSP_API int64_t hsp_data_features(const hsp_data *data);
HSP_API int64_t hsp_data_classes(const hsp_data *data);
HSP_API const char *hsp_data_class_name(const hsp_data *data, int64_t k);   /* sorted order; NULL out of range */
HSP_API const char *hsp_data_feature_name(const hsp_data *data, int64_t j); /* NULL out of range or without names */
/* A label for feature j: its name, else its number as the data file has it, written to buf (HSP_LABEL_SIZE bytes). */
#define HSP_LABEL_SIZE 32
HSP_API const char *hsp_data_feature_label(const hsp_data *data, int64_t j, char *buf);
HSP_API void hsp_data_free(hsp_data *data);

/* ---- training and models ----------------------------------------------------------------------------------------- */

/* Fits a model. Options: those of the groups train and run; groups and times of the data apply to the folds of calibrate and
 * decide. *report (report may be NULL) is that of `halfspace train --json` without reading, writing and the file of the
 * model. Cancelled or not converged: HSP_OK with the best model so far, and the report's stop_reason. A hard margin that
 * does not exist: HSP_OK, *model is NULL, and the report has the witness. */
HSP_API int hsp_train(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                      hsp_report **report, hsp_error **err);

typedef enum hsp_job_mode {
    HSP_JOB_TRAIN = 0, /* fits the data; a start is the point from which the solver begins */
    HSP_JOB_UPDATE = 1 /* a partial fit: one pass of an update rule over new rows */
} hsp_job_mode;

/* Trains from a model. start NULL: hsp_train. HSP_JOB_TRAIN: a warm start, for algorithms that iterate (perceptron,
 * gradient-descent, sgd, minibatch, logistic, svm, lasso, elastic-net, mlp). The solver begins at the weights of the start:
 * where the optimum is unique, the result is the same up to the tolerance, after fewer epochs. A start that is optimal
 * already ends after 0 epochs with the stop_reason "gap". If the data are those of the start, its dual vector is used too;
 * interior-point and class-interior begin at a start of their own in any case. The start may be of another algorithm, C or
 * scaling, and from a file. HSP_EUSAGE: the algorithm does not iterate, the option init is set too, or the start has other
 * classes, another positive class, another task or other hidden layers. HSP_EINPUT: it has other features.
 *
 * HSP_JOB_UPDATE: one pass of the update rule of perceptron, sgd or minibatch over these rows, or one step of
 * gradient-descent. Weights, classes, features, scaling, step sizes (the array "update-state" of the model counts the
 * updates) and random numbers continue those of the start; schedule, learning rate and lambda are those of the first rows
 * where the options do not set them. start NULL: from the initial weights. Then the data declare all classes, of which some
 * may have no rows. Row weights multiply the steps. Nothing is measured, as that would cost as much as the pass: the figures
 * in the report are null, and the model claims nothing. HSP_EUSAGE: an algorithm without an update rule, or options of
 * several passes (max-epochs, tol, keep best). HSP_EINPUT: a label or features that the start does not have. */
HSP_API int hsp_train_from(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, int mode,
                           const hsp_model *start, hsp_model **model, hsp_report **report, hsp_error **err);

/* ---- jobs: training on a thread of its own, which can be watched and cancelled by itself ---- */

typedef struct hsp_job hsp_job;

/* Starts to train as hsp_train_from does. Options and hooks are copied; data, start, and what hooks->user points to, must
 * stay until the job is freed. hooks (NULL: none) are called on the thread of the job, whose signals are blocked. Errors of
 * the options, the data or the start are those of hsp_job_result. Where the system has no thread left, hsp_job_step and
 * hsp_job_result train on the caller's thread instead. Functions of one job, but for hsp_job_cancel, are for one thread at a
 * time. */
HSP_API int hsp_job_start(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, int mode,
                          const hsp_model *start, hsp_job **out, hsp_error **err);
/* Waits for the end, at most so many seconds (negative: without limit), and returns at the end at once. 1: the job has ended;
 * 0: it is still running. */
HSP_API int hsp_job_step(hsp_job *job, double seconds);
/* Asks this job to stop soon and to keep the best model so far; others are not affected. From any thread until hsp_job_free,
 * and safe in a signal handler. Before the job has begun its work it ends with the start; after its end there is no effect. */
HSP_API void hsp_job_cancel(hsp_job *job);
/* The latest line of the trace; set out->size to sizeof(hsp_progress) first. 0; 1: no line is new since the last call, and *out
 * is unchanged; HSP_EUSAGE: size is not set. Texts are borrowed until the next call. */
HSP_API int hsp_job_progress(hsp_job *job, hsp_progress *out);
/* Waits for the end. Status, model, report (which may be NULL) and error are those of hsp_train_from; a job that was cancelled
 * gives HSP_OK, the best model so far and the stop_reason "cancelled". HSP_EUSAGE: the result has been taken before. */
HSP_API int hsp_job_result(hsp_job *job, hsp_model **model, hsp_report **report, hsp_error **err);
/* Cancels the job and waits for its end if it is running. */
HSP_API void hsp_job_free(hsp_job *job);

/* ---- data in parts ----------------------------------------------------------------------------------------------- */

/* Data that are in several places, or larger than memory: docs/parts.md. The driver asks, parts answer, answers add up. A block
 * is HSP_PART_ROWS consecutive rows with a global number, from 0; each file or array begins a new block, so its last one may be
 * shorter. A part holds whole blocks. Requests and replies are bytes, which any engine may carry: sums over blocks are joined
 * in a fixed tree over their numbers, so that a result has the same bits for any division into parts, any number of workers
 * and any order of arrival. A part keeps nothing of a fit: a lost one is made again from its rows. */
#define HSP_PART_ROWS 16384

typedef struct hsp_part hsp_part;

/* Rows in memory as a part whose first block has this number. The data must stay until hsp_part_free. Options: threads. */
HSP_API int hsp_part_of_data(const hsp_data *data, int64_t first_block, const hsp_options *o, hsp_part **out,
                             hsp_error **err);
/* Files as parts: divides their blocks, in order, into at most `parts` contiguous parts of about the same size. A name may be a
 * pattern ('part-*.svm'). All files are data files (.hsd), or all are text or arrays with the same columns, which are read
 * once for the plan; tables several times, to learn how their columns are encoded. Options: those of the groups read and
 * table, and threads. The report: rows, features, nonzeros, classes, targets, weights, format, assumed and target as in
 * hsp_data_report; notes (on the encoding, one a line, or null), files, stored (whether they are data files), blocks, bytes (of
 * the rows in memory), block_bytes (of the largest block), budget, and parts: [{description, first_block, blocks, rows,
 * bytes}]. A description is a text from which any process that sees the files opens the part. HSP_EINPUT: the files are
 * wrong or differ. */
HSP_API int hsp_part_plan(const char *const *paths, int64_t count, int64_t parts, const hsp_options *o,
                          const hsp_hooks *hooks, hsp_report **out, hsp_error **err);
/* Reads the rows of a part: text into memory, or into a temporary file in TMPDIR if they take more than half of the plan's
 * option max-memory; data files stay where they are. HSP_EINPUT: a file has changed since the plan. */
HSP_API int hsp_part_open(const char *description, hsp_part **out, hsp_error **err);
/* The caller frees *reply with hsp_free. A reply that states what is wrong with the rows is HSP_OK: the driver raises it.
 * HSP_EINPUT: the bytes are no request of this version. One call at a time for each part. */
HSP_API int hsp_part_answer(hsp_part *part, const void *request, size_t request_size, void **reply, size_t *reply_size,
                            hsp_error **err);
/* The sum of two replies to the same request, in any order; free it with hsp_free. HSP_EINPUT: they are to different
 * requests, a block is in both, or the bytes are no reply of this version. */
HSP_API int hsp_reply_add(const void *a, size_t a_size, const void *b, size_t b_size, void **sum, size_t *sum_size,
                          hsp_error **err);
HSP_API void hsp_part_free(hsp_part *part);

#define HSP_WHY_SIZE 512
/* Who has the parts. */
typedef struct hsp_engine {
    size_t size; /* sizeof(hsp_engine), set by the caller */
    void *user;
    /* Asks all parts and gives the sum of their replies, borrowed until the next call or the end of the training. 0, or a
     * negative hsp_status with the reason in `why`, HSP_WHY_SIZE bytes, which is an empty text at the call. */
    int (*ask)(void *user, const void *request, size_t request_size, const void **reply, size_t *reply_size, char *why);
    const char *name; /* for the report: "memory", "disk", "mpi", "dask", ... */
    int64_t parts;    /* for the report; 0: unknown */
} hsp_engine;

/* Parts of this process, answered one after the other, each by all threads. The parts must stay until hsp_engine_free. */
HSP_API int hsp_engine_local(hsp_part *const *parts, int64_t count, hsp_engine **out, hsp_error **err);
HSP_API void hsp_engine_free(hsp_engine *engine); /* one of hsp_engine_local */
/* An engine that asks another one and writes every reply to a file, so that a training that was stopped at any moment continues
 * with the same bits: with resume 1 the replies of the file are given again, as long as the questions are the same. The first
 * two are asked again, to know that the rows are the same. HSP_EUSAGE: the file exists, and resume is 0. HSP_EINPUT: it is no
 * such file. The other engine must stay until hsp_engine_checkpoint_free. */
HSP_API int hsp_engine_checkpoint(const hsp_engine *engine, const char *path, int resume, hsp_engine **out, hsp_error **err);
HSP_API void hsp_engine_checkpoint_free(hsp_engine *engine);

/* Trains as hsp_train does, over parts: the same options, report (with the member `parts`) and certificate. The model has no
 * dual vector, and the same bytes for any engine and any division of the blocks into parts. Cancelled or not converged: HSP_OK
 * with the best model so far. HSP_EUSAGE: an algorithm or option that needs all rows at once. */
HSP_API int hsp_train_parts(const hsp_engine *engine, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                            hsp_report **report, hsp_error **err);
/* Computes objective and bound of such a model again, by code that the solvers do not use. The report: the flag "verified",
 * "checks" (what, claimed, found, ok), objective, dual_bound, relative_gap, "unchecked", seconds, parts. */
HSP_API int hsp_verify_parts(const hsp_model *m, const hsp_engine *engine, const hsp_options *o, const hsp_hooks *hooks,
                             hsp_report **report, hsp_error **err);

/* ---- models ---- */

HSP_API int hsp_model_save(const hsp_model *m, const char *path, hsp_error **err);
HSP_API int hsp_model_load(const char *path, hsp_model **out, hsp_error **err);
HSP_API int hsp_model_save_memory(const hsp_model *m, void **bytes, size_t *size, hsp_error **err);
HSP_API int hsp_model_load_memory(const void *bytes, size_t size, hsp_model **out, hsp_error **err);
/* Everything in the model, weights included: the report of `halfspace show --json`. */
HSP_API int hsp_model_report(const hsp_model *m, hsp_report **out, hsp_error **err);
/* Named arrays, borrowed: "weights" (outputs x features, original units), "intercepts" (outputs); where the algorithm
 * stores them "class-mass", "class-means", "class-covariances", "second-moment", "cross-moment", "directions",
 * "direction-offsets"; of the features over the training rows, without their weights, "feature-means" (not above 100,000
 * features) and "feature-sds"; of a partial fit "update-state" (outputs x 4: updates, rows visited, random numbers drawn, next
 * step); of a calibration "calibration-begin" (maps + 1) and "calibration-pairs" (docs/model-format.md); and the dual vector
 * as "dual-begin" (outputs + 1), "dual-rows" (from 0) and "dual-values" (for margins y_i alpha_i). */
HSP_API int hsp_model_array(const hsp_model *m, const char *name, hsp_array *out, hsp_error **err);
/* A member of the model's report or options as text ("algorithm", "loss", "solver", "scale", ...); NULL: absent. Also
 * "decision", "calibration", and with two classes "score_threshold", above which the positive class is predicted. */
HSP_API const char *hsp_model_field(const hsp_model *m, const char *name);
/* Scores (rows x outputs numbers, or NULL) and classes (rows numbers, or NULL) for data read for the model or trained
 * on, by all threads. */
HSP_API int hsp_model_score(const hsp_model *m, const hsp_data *data, double *scores, int32_t *classes, hsp_error **err);
/* What the model gives for all rows of the data, into the caller's array, by all threads. what:
 *   "scores"         rows x outputs   as hsp_model_score
 *   "classes"        rows             the number of the class, from 0 (int32 or int64)
 *   "probabilities"  rows x classes   as hsp_model_probability
 *   "features"       rows x features  the rows as the weights see them: a table encoded, in original units
 *   "projections"    rows x directions, of lda and fisher: the rows on the discriminant directions
 * The caller sets out->size, data (which is written), dtype (float64 or float32, where a number beyond its range becomes the
 * largest), ndim, shape and strides, of any sign and not aligned; a single column may be a vector. Options: threads, and
 * decide for classes. hooks (or NULL): as for hsp_predict; cancelled, the array is written in part. HSP_EUSAGE: no such
 * output, the model does not have it, or another shape or dtype. HSP_EINPUT: other features. */
HSP_API int hsp_model_apply(const hsp_model *m, const hsp_data *data, const char *what, const hsp_options *o,
                            const hsp_hooks *hooks, hsp_array *out, hsp_error **err);
HSP_API int64_t hsp_model_outputs(const hsp_model *m); /* 1 for two classes or regression, else the number of classes */
HSP_API int64_t hsp_model_features(const hsp_model *m);
HSP_API int64_t hsp_model_classes(const hsp_model *m);                   /* 0 for regression */
HSP_API const char *hsp_model_class_name(const hsp_model *m, int64_t k); /* sorted order; NULL out of range */
/* The class of a label in any spelling; -1: none. Labels merged by the option positive (A,B) share a class. */
HSP_API int64_t hsp_model_class_of(const hsp_model *m, const char *label);
HSP_API const char *hsp_model_feature_name(const hsp_model *m, int64_t j); /* NULL out of range or without names */
/* As hsp_data_feature_label; buf holds HSP_LABEL_SIZE bytes. */
HSP_API const char *hsp_model_feature_label(const hsp_model *m, int64_t j, char *buf);
/* 1: the boundaries are linear in the numeric columns of the data; 0: products of columns, Fourier features, transforms, hidden
 * layers, or the calibration of several classes bend them. */
HSP_API int hsp_model_is_linear(const hsp_model *m);
HSP_API int64_t hsp_model_positive(const hsp_model *m); /* the class of positive scores, two classes; else -1 */
/* The class of one row x of hsp_model_features numbers (-1 for regression), and its hsp_model_outputs scores (NULL: not
 * wanted). Does not allocate. */
HSP_API int64_t hsp_model_classify(const hsp_model *m, const double *x, double *scores);
/* The hsp_model_classes probabilities of one row, in the order of the classes. HSP_EUSAGE: the model has none. */
HSP_API int hsp_model_probability(const hsp_model *m, const double *x, double *p, hsp_error **err);
/* Means, covariances, scatter matrices and second moments of the fit, in original units: `halfspace show --moments`.
 * HSP_EUSAGE: the algorithm has none. */
HSP_API int hsp_model_moments(const hsp_model *m, hsp_report **out, hsp_error **err);
HSP_API void hsp_model_free(hsp_model *m);

/* Applies the model to the file `in` and writes CSV to `out` ("-": stdin, stdout), in blocks, whatever the size. Options:
 * those of the groups predict, columns and read, and decide (a threshold, or a rule that needs no rows) in place of the
 * decision rule of the model. report may be NULL. */
HSP_API int hsp_predict(const hsp_model *m, const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                        hsp_report **report, hsp_error **err);
/* Metrics of the model on data read with hsp_data_read_for: the report of `halfspace evaluate --json`. Options: importance,
 * decide, seed, threads. */
HSP_API int hsp_evaluate(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                         hsp_report **report, hsp_error **err);

/* ---- certificates ------------------------------------------------------------------------------------------------ */

/* Recomputes everything that the model claims about its training data, by code that is independent of the solvers. The
 * answer is the flag "verified"; "unchecked" lists what cannot be checked. certificate: a file of hsp_certificate_write
 * that replaces the dual vector in the model; NULL: none. */
HSP_API int hsp_verify(const hsp_model *m, const hsp_data *data, const char *certificate, const hsp_options *o,
                       const hsp_hooks *hooks, hsp_report **report, hsp_error **err);
/* Writes the dual vector as CSV, one line for each row and problem: row, class (with more than two
 * classes), alpha, margin, slack, kind. */
HSP_API int hsp_certificate_write(const hsp_model *m, const hsp_data *data, const char *path, hsp_error **err);
/* Removes the dual vector from the model; its claims stay. 1, or 0 if it had none. */
HSP_API int hsp_model_drop_dual(hsp_model *m);

/* Are the classes linearly separable? The report has verdict, margin, proof, hyperplane, witness and the hash of the data:
 * the member "separable" of `halfspace inspect --json`. More than two classes: each against the rest. Options: intercept
 * (none: planes through the origin), positive, max-seconds, seed, threads. Cancelled after the start: HSP_OK, with the
 * verdict "undecided" and the flag "interrupted" where none was found yet. */
HSP_API int hsp_separability(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                             hsp_error **err);
/* Checks such a report against the data, as hsp_verify checks a model. */
HSP_API int hsp_verify_separability(const hsp_report *proof, const hsp_data *data, const hsp_options *o,
                                    hsp_report **report, hsp_error **err);
/* Checks data for problems before training: the report of `halfspace inspect --json` without reading. */
HSP_API int hsp_inspect(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                        hsp_error **err);

/* ---- choice of models -------------------------------------------------------------------------------------------- */

/* Cross-validation: every row is tested by a model that was trained without its fold; encoding, scaling and all parameters
 * are learnt from the training rows of each fold alone. Options: those of training, of the groups folds and cv, lambdas, and
 * repeats. grid: values of training options to try, "C=0.01:100:log9;scale=none,standard", all combinations on the same folds.
 * Groups and times of the rows (hsp_data_set_groups, the option group of a file) shape the folds. max-seconds limits all fits
 * but the one of `model`. model NULL: none; else the model of the chosen combination, trained on all rows. The report is that
 * of `halfspace cv --json`. Cancelled or out of time: HSP_OK, with the folds that are complete, the flag interrupted or
 * out_of_time, and no model. The hook progress is called after each fit and during those on the calling thread. */
HSP_API int hsp_cross_validate(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                               hsp_report **report, hsp_error **err);
/* ---- regularisation paths --------------------------------------------------------------------------------------- */

/* The optima of one objective for a decreasing sequence of lambda, each with a proven relative gap: the report of `halfspace
 * path --json`, with lambdas, objectives, relative_gaps, nonzeros, intercepts and weights, and with the option folds also mean,
 * sd, best and one_se. Options: algorithm, or loss and penalty (default l1), l1-ratio, intercept, scale, tol (default 1e-6),
 * lambdas, steps, folds, metric, max-seconds, threads and those of the data. Cancelled after the first point: HSP_OK, with
 * the points so far and the flag "interrupted". */
HSP_API int hsp_path(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                     hsp_error **err);

/* ---- studies ----------------------------------------------------------------------------------------------------- */

/* The numbers behind a plot: named arrays, numbers and lists of texts, listed in docs/studies.md. Of a model and data:
 * "scores", "projection", "roc", "pr", "calibration", "confusion", "residuals", "plane", "regions"; of data, training as the
 * options say: "lambda", "bias-variance", "learning-curve", "path"; of nothing: "losses". m or data may be NULL where they are
 * not needed.
 * HSP_EUSAGE: no such study, or something that it needs is missing. */
HSP_API int hsp_study_run(const char *kind, const hsp_model *m, const hsp_data *data, const hsp_options *o,
                          const hsp_hooks *hooks, hsp_report **out, hsp_error **err);
/* The study "trace", of a file that `train --trace` wrote. */
HSP_API int hsp_study_read_trace(const char *path, hsp_report **out, hsp_error **err);

/* ---- choosing an algorithm ------------------------------------------------------------------------------------------- */

/* Every algorithm with sensible settings (`halfspace compare --list`), and a baseline without features, on the same folds:
 * means of the metric, differences to the best with intervals that are corrected for overlapping training sets, times, gaps. An
 * algorithm that fails is listed with its error. model not NULL: the winner is fitted to all rows, as hsp_train does, and the
 * report has `choice` and `train`. Options: only, metric, folds, repeats, seed, threads, max-seconds (of all), max-seconds-each
 * (of each algorithm), positive, class-weight, scale, no-certificate (of the winner). The progress hook's label is the
 * algorithm, its problem and problems the work done and the whole, in no unit. Cancelled: HSP_OK with the flag `interrupted`
 * and what is finished; HSP_ECANCELLED if nothing is, or a winner was asked for. HSP_EUSAGE: other training options, which have
 * no effect. */
HSP_API int hsp_compare(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                        hsp_report **report, hsp_error **err);

/* ---- explanations ------------------------------------------------------------------------------------------------ */

/* Trains as hsp_train does and derives the result step by step with the numbers of the data: the report has `algorithm` and
 * `sections`, each with title, text and values by name. `exists` is false where there is no such model (a hard margin of
 * classes that are not separable). Options: those of hsp_train, and explain-format (text, md). */
HSP_API int hsp_explain(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                        hsp_error **err);

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The shortest text that reads back to the same bits, into buf (HSP_NUMBER_SIZE bytes). Returns its length. */
#define HSP_NUMBER_SIZE 32
HSP_API int hsp_format_number(double v, char *buf);
/* Correctly rounded. 0, or HSP_EINPUT when the n bytes are not one finite number. */
HSP_API int hsp_parse_number(const char *text, size_t n, double *v);

#ifdef __cplusplus
}
#endif
#endif
