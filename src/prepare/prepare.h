/* What is learnt from the training rows and repeated on new ones: the columns, the labels, the scaling. The model stores
 * it whole; cross-validation refits it per fold. */
#ifndef HSP_PREPARE_PREPARE_H
#define HSP_PREPARE_PREPARE_H

#include "base/json.h"
#include "base/options.h"
#include "data/data.h"

typedef struct hsp_prepare {
    hsp_schema schema;
    hsp_classes classes;
    int64_t positive; /* the class of positive scores when there are two; else -1 */
    char *scale;      /* "none", "standard", "maxabs", "minmax" */
    double *shift;    /* column j becomes (x - shift[j]) * factor[j]; both NULL for "none"; */
    double *factor;   /* shift NULL for "maxabs". A constant column gets factor 1. */
} hsp_prepare;

/* Learns from the data. Options: scale, positive. Fails when there are fewer than two classes with rows, or `positive`
 * names no class. */
int hsp_prepare_fit(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err);
void hsp_prepare_clear(hsp_prepare *p);
/* Weights of the transformed columns -> original units, in place: w_j *= factor_j, b -= sum shift_j factor_j w_j. */
void hsp_prepare_unscale(const hsp_prepare *p, double *w, double *b);

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
