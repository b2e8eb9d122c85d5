/* What is learnt from the training rows and applied to new ones: columns, classes, scaling. The model stores it;
 * cross-validation refits it for each fold. */
#ifndef HSP_PREPARE_PREPARE_H
#define HSP_PREPARE_PREPARE_H

#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "halfspace.h"
#include "table/encoding.h"

/* Owns its members; the encoding is a counted reference. */
typedef struct hsp_prepare {
    hsp_schema schema;
    hsp_encoding *encoding; /* of the columns of a table as features; NULL: the features are the columns */
    hsp_classes classes;
    bool regression;  /* there are no classes */
    int64_t positive; /* the positive one of two classes; else -1 */
    /* --positive A,B with more than two labels merges them into two classes, "A,B" and "rest". source: the labels of the
     * data; merged: the class of each. Else source.count is 0 and merged NULL. */
    hsp_classes source;
    int32_t *merged;
    char *scale;    /* "none", "standard", "maxabs", "minmax" */
    double *shift;  /* column j becomes (x - shift[j]) * factor[j]; both are NULL for "none", */
    double *factor; /* shift is NULL for "maxabs". A constant column gets factor 1. */
    bool scale_all; /* scaled all features of a table, also those that are not quantities (hsp_encoding_mark_quantities),
                       which otherwise have shift 0 and factor 1; true without a table */
} hsp_prepare;

/* Learns from the data. Options: scale, scale-all, positive, task. Fails if fewer than two classes have rows of weight above
 * 0, if `positive` names no class or all, or if `task` contradicts the data. Data with targets are for regression, whether
 * asked for or not. The scaling does not depend on the weights of the rows. */
int hsp_prepare_fit(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err);
/* The same for the first rows of several: two classes must be declared, but need no rows. */
int hsp_prepare_declared(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err);
int hsp_prepare_copy(const hsp_prepare *p, hsp_prepare *out, hsp_error **err);
void hsp_prepare_clear(hsp_prepare *p);
/* The columns of new rows: those of the table, or the features themselves. */
const hsp_schema *hsp_prepare_columns(const hsp_prepare *p);
/* The labels that data for the model may have: `source` if classes were merged, else `classes`. */
const hsp_classes *hsp_prepare_labels(const hsp_prepare *p);
/* The class of a label in any spelling, or -1. */
int64_t hsp_prepare_class(const hsp_prepare *p, const char *label, int64_t length);
/* Weights of the transformed columns to original units, in place:
 *     w_j *= factor_j,  b -= sum shift_j factor_j w_j */
void hsp_prepare_unscale(const hsp_prepare *p, double *w, double *b);
/* A point of the transformed columns to original units:
 *     x_j = x'_j / factor_j + shift_j */
void hsp_prepare_unscale_point(const hsp_prepare *p, double *x);
/* A d x d matrix of products of centred columns (covariance, scatter):
 *     A_jk /= factor_j factor_k */
void hsp_prepare_unscale_scatter(const hsp_prepare *p, double *A);

/* Column statistics of a matrix; each array has d doubles, owned. sd: divisor n. Zeros of CSR count. All are finite,
 * whatever the scale of the data. */
typedef struct hsp_column_stats {
    double *mean, *sd, *min, *max;
} hsp_column_stats;
int hsp_column_stats_fit(const hsp_matrix *x, hsp_column_stats *out); /* allocates all four; 0 or HSP_EMEMORY */
void hsp_column_stats_clear(hsp_column_stats *s);
/* Mean and sd (divisor n) of each column into arrays of d, for the model: as above, but faster, and with other rounding. They
 * do not depend on the weights of the rows, like the scaling, nor on the threads. 0 or HSP_EMEMORY. */
int hsp_feature_spread(const hsp_matrix *x, int threads, double *mean, double *sd);
/* The same, with the same bits, of dense rows that come some at a time: all of them once, in their order. The arrays are the
 * caller's; pivot: d numbers of scratch. */
typedef struct hsp_spreading {
    const hsp_matrix *x;
    double *mean, *sd, *pivot;
} hsp_spreading;
void hsp_spreading_begin(const hsp_spreading *s);
void hsp_spreading_rows(const hsp_spreading *s, int64_t from, int64_t to);
int hsp_spreading_end(const hsp_spreading *s); /* HSP_OK or HSP_EMEMORY */
/* Learns the scaling by the statistics of all rows of the columns p->schema. Options: scale, scale-all. 0 or HSP_EMEMORY. */
int hsp_prepare_scale(const hsp_column_stats *s, const hsp_options *o, hsp_prepare *p, hsp_error **err);
/* Largest over smallest sd of the columns that vary; 1 if none does. counted[j]: column j counts; NULL: all do. */
double hsp_scale_ratio(const hsp_column_stats *s, int64_t d, const bool *counted);
/* The columns of a fit that have a unit: *out (d, owned by the caller) marks the quantities of a table; NULL: all columns
 * have one. 0 or HSP_EMEMORY. */
int hsp_prepare_quantities(const hsp_encoding *e, bool **out);

#endif
