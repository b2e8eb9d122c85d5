/* Facts about the data, computed once and read by all checks. A column is one of the user's: a column of the file for a
 * table, otherwise a feature. */
#ifndef HSP_INSPECT_CHECKUP_H
#define HSP_INSPECT_CHECKUP_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "data/data.h"
#include "data/schema.h"
#include "halfspace.h"
#include "inspect/finding.h"
#include "inspect/twins.h"
#include "prepare/prepare.h"
#include "table/encoding.h"
#include "table/kind.h"
#include "table/profile.h"

enum {
    HSP_CHECKUP_COLUMNS = 1000,    /* columns beyond which they are not summarised one by one */
    HSP_CHECKUP_SAMPLE = 100000,   /* maximum rows in the sorted sample of a column ... */
    HSP_CHECKUP_SORTED = 20000000, /* ... and maximum values sorted in total, but at least 10000 rows */
    HSP_CHECKUP_LISTED = 10        /* findings of one kind; the others are combined in one more */
};

/* The kind of value behind a feature. */
typedef enum hsp_column_role {
    HSP_ROLE_NUMBER, /* a plain number, or a truth value */
    HSP_ROLE_LEVEL,  /* a level of a category */
    HSP_ROLE_OTHER   /* from a date or a text, an indicator of missing values, a product of features */
} hsp_column_role;

/* One column, summarised by its sorted values in a sample of the rows, without missing values. */
typedef struct hsp_column_summary {
    bool numeric;         /* a column of numbers: the other fields are set */
    int64_t values;       /* numbers in the sample */
    int64_t distinct;     /* distinct values among them */
    double lower, upper;  /* quartiles */
    int64_t far;          /* over all rows: values more than ten interquartile ranges outside the quartiles */
    double distance;      /* of the farthest of these, in interquartile ranges; of transformed values, if they are */
    double worst;         /* the farthest ... */
    int64_t worst_row;    /* ... and its first row, from 0 */
    int64_t worst_count;  /* number of rows with that value */
    bool alone;           /* its distance to the next value is at least that value's distance to the quartile */
    bool whole, counting; /* over all rows: integers, checked only if all differ; each greater than the one before */
    /* Balanced accuracy of this column alone; 0: not measured. */
    double accuracy;
    bool coded;       /* predicts by few values, or by one value against all others, as a copy of the label would */
    double threshold; /* for two classes; otherwise NaN */
} hsp_column_summary;

typedef struct hsp_checkup {
    const hsp_data *data;
    const hsp_encoding *encoding; /* NULL: not a table */
    const hsp_schema *schema;     /* of the columns */
    int64_t columns;
    int threads;
    double end;             /* no expensive check begins after this time */
    bool scaled;            /* training is to scale the columns */
    hsp_column_stats stats; /* of the features */
    bool *constant;         /* features */
    int64_t *twin;          /* features: see twins.h; constant ones have no twin */
    int64_t *order, paired; /* the features that have a twin, group by group */
    int64_t *nonzeros;      /* features: number of rows in which each is not 0 */
    uint8_t *role;          /* features: an hsp_column_role */
    bool *quantity;         /* features: have a unit (hsp_prepare_quantities); NULL: all */
    int64_t *owner;         /* features: their column; -1: none, or several */
    int64_t *class_counts;  /* rows of each class */
    hsp_equal_rows rows;
    hsp_profile *profile;        /* of the columns of a table, or NULL */
    hsp_column_summary *summary; /* of the columns; NULL: there are too many */
    hsp_findings findings;
    hsp_text skipped; /* skipped checks and the reasons, each ended by a NUL */
} hsp_checkup;

/* The kind of column c; NULL: a number, in data that are not a table. */
static inline const hsp_kind *hsp_checkup_kind(const hsp_checkup *u, int64_t c) {
    return u->encoding ? u->encoding->column[c].kind : NULL;
}
/* Whether column c is read as numbers. */
static inline bool hsp_checkup_numeric(const hsp_checkup *u, int64_t c) {
    const hsp_kind *k = hsp_checkup_kind(u, c);
    return !k || k->as_is;
}
/* The transform of column c; NULL: none. */
static inline const hsp_transform *hsp_checkup_transform(const hsp_checkup *u, int64_t c) {
    return u->encoding ? u->encoding->column[c].transform : NULL;
}
/* Whether column c is excluded from the features. */
static inline bool hsp_checkup_left_out(const hsp_checkup *u, int64_t c) {
    return u->encoding && u->encoding->column[c].kind->left_out;
}
/* The first feature of column c, if it has one. */
static inline int64_t hsp_checkup_feature(const hsp_checkup *u, int64_t c) {
    return u->encoding ? u->encoding->column[c].first : c;
}
/* Whether feature f is nonzero in enough rows that a coincidence with other features is not due to chance. */
static inline bool hsp_checkup_supported(const hsp_checkup *u, int64_t f, int64_t rows) {
    return u->nonzeros[f] >= rows || 2 * u->nonzeros[f] >= u->data->x.n;
}
/* Number of rows in the sample, and the row of its i-th item. */
static inline int64_t hsp_checkup_sample(const hsp_checkup *u) {
    int64_t n = u->data->x.n, most = u->columns > 0 ? HSP_CHECKUP_SORTED / u->columns : HSP_CHECKUP_SAMPLE;
    most = most < 10000 ? 10000 : most > HSP_CHECKUP_SAMPLE ? HSP_CHECKUP_SAMPLE : most;
    return n < most ? n : most;
}
static inline int64_t hsp_checkup_sample_row(const hsp_checkup *u, int64_t i) {
    int64_t n = u->data->x.n, m = hsp_checkup_sample(u);
    return n == m ? i : (int64_t)((double)i / (double)m * (double)n);
}
/* Fills all but summary, findings and skipped. Call hsp_checkup_clear also after a failure. */
int hsp_checkup_begin(hsp_checkup *u, const hsp_data *data, int threads, hsp_error **err);
/* Runs all checks, except expensive ones after u->end. HSP_ECANCELLED: interrupted. */
int hsp_checkup_run(hsp_checkup *u, hsp_error **err);
void hsp_checkup_clear(hsp_checkup *u);
/* Records that a check was skipped. */
void hsp_checkup_skip(hsp_checkup *u, const char *format, ...) HSP_PRINTF(2, 3);

/* The checks. Each returns HSP_OK or HSP_EMEMORY; those that return nothing record a failure in the list of findings. */
int hsp_summarise_columns(hsp_checkup *u, hsp_error **err); /* fills `summary` */
int hsp_check_collinear(hsp_checkup *u, hsp_error **err);
int hsp_check_levels_leak(hsp_checkup *u, hsp_error **err); /* fills `accuracy` of categories and truth values */
int hsp_check_target(hsp_checkup *u, hsp_error **err);      /* for a target that is not a class */
int hsp_check_label_case(hsp_checkup *u, hsp_error **err);
/* Finds lines above the table that were skipped as a title. */
void hsp_check_title(hsp_checkup *u);
void hsp_check_classes(hsp_checkup *u);
void hsp_check_order(hsp_checkup *u);
void hsp_check_rows(hsp_checkup *u);
void hsp_check_missing(hsp_checkup *u);
void hsp_check_kinds(hsp_checkup *u);
void hsp_check_leaks(hsp_checkup *u);
void hsp_check_ids(hsp_checkup *u);
void hsp_check_constant(hsp_checkup *u);
int hsp_check_duplicates(hsp_checkup *u, hsp_error **err);
void hsp_check_scale(hsp_checkup *u);
void hsp_check_outliers(hsp_checkup *u);
void hsp_check_levels(hsp_checkup *u);

/* Number of missing cells in all columns. */
int64_t hsp_checkup_missing(const hsp_checkup *u);
/* Writes the member "columns": null if there are too many. */
void hsp_checkup_write_columns(const hsp_checkup *u, hsp_json *j);

/* hsp_separability, with --max-seconds counted from `begun`. */
int hsp_separability_from(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, double begun,
                          hsp_report **report, hsp_error **err);

#endif
