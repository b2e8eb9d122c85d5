/* What is learnt from the training rows and repeated on new ones: the columns, the labels, the scaling. The model stores
 * it whole; cross-validation refits it per fold. */
#ifndef HSP_PREPARE_PREPARE_H
#define HSP_PREPARE_PREPARE_H

#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "halfspace.h"
#include "table/encoding.h"

typedef struct hsp_prepare {
    hsp_schema schema;
    hsp_encoding *encoding; /* how the features come from the columns of a table; NULL: they are the columns */
    hsp_classes classes;
    bool regression;  /* a number is predicted: there are no classes */
    int64_t positive; /* the class of positive scores when there are two; else -1 */
    /* --positive A,B with more than two labels merges them into two classes, "A,B" and "rest": the labels that the data may
     * have, and the class of each. source.count is 0 and merged NULL otherwise. */
    hsp_classes source;
    int32_t *merged;
    char *scale;    /* "none", "standard", "maxabs", "minmax" */
    double *shift;  /* column j becomes (x - shift[j]) * factor[j]; both NULL for "none"; */
    double *factor; /* shift NULL for "maxabs". A constant column gets factor 1. */
} hsp_prepare;

/* Learns from the data. Options: scale, positive, task. Fails when there are fewer than two classes with rows (those of
 * weight 0 do not count), when `positive` names no class or all, when `task` contradicts the data. Data with targets are
 * for regression, asked for or not. Scaling goes by the rows as they are, whatever their weights. */
int hsp_prepare_fit(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err);
void hsp_prepare_clear(hsp_prepare *p);
/* The columns by which new rows are read: those of the table, or the features themselves. */
const hsp_schema *hsp_prepare_columns(const hsp_prepare *p);
/* The labels that data for the model may have: `source` when classes were merged, else `classes`. */
const hsp_classes *hsp_prepare_labels(const hsp_prepare *p);
/* The class of a label in any spelling, or -1. */
int64_t hsp_prepare_class(const hsp_prepare *p, const char *label, int64_t length);
/* Weights of the transformed columns -> original units, in place: w_j *= factor_j, b -= sum shift_j factor_j w_j. */
void hsp_prepare_unscale(const hsp_prepare *p, double *w, double *b);
/* A point of the transformed columns -> original units: x_j = x'_j / factor_j + shift_j. */
void hsp_prepare_unscale_point(const hsp_prepare *p, double *x);
/* A d x d matrix of products of centred columns (covariance, scatter): A_jk /= factor_j factor_k. */
void hsp_prepare_unscale_scatter(const hsp_prepare *p, double *A);

/* Column statistics of a matrix, in passes over the stored values; each array has d doubles. sd: divisor n. Zeros of CSR
 * count. Everything is finite whatever the scale of the data. */
typedef struct hsp_column_stats {
    double *mean, *sd, *min, *max;
} hsp_column_stats;
int hsp_column_stats_fit(const hsp_matrix *x, hsp_column_stats *out); /* allocates all four; 0 or HSP_EMEMORY */
void hsp_column_stats_clear(hsp_column_stats *s);
/* Largest over smallest sd of the columns that vary; 1 when none does. */
double hsp_scale_ratio(const hsp_column_stats *s, int64_t d);

#endif
