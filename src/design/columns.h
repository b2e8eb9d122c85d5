/* A copy of the design by columns, for coordinate descent:
 *     x'_ij = z_ij - p_j,   z_ij = factor_j value_ij.
 * Sparse: the stored non-zeros by column (CSC) in the same coding, centring as the rank-one term p. Dense: transformed doubles
 * by column; optionally each column is centred (p is minus the means), so that sums over a column with a large mean do not
 * lose digits. */
#ifndef HSP_DESIGN_COLUMNS_H
#define HSP_DESIGN_COLUMNS_H

#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "kernel/form.h"

typedef struct hsp_columns {
    int64_t n, d;
    int64_t stored;
    int64_t *start; /* owned: d+1 offsets; NULL when dense */
    void *id;       /* owned: rows, ascending in a column; NULL when dense */
    hsp_ids ids;    /* their width: 16 or 32 bits */
    hsp_coding coding;
    void *value;          /* owned */
    const double *table;  /* borrowed from the matrix */
    const double *factor; /* d; the design's or own_factor; NULL: 1 */
    const double *p;      /* d; the design's or own; NULL: 0 */
    double *own;          /* owned, or NULL */
    double *own_factor;   /* owned, or NULL */
    uint32_t *origin;     /* owned: d, the design's number of each column, ascending; NULL: all columns */
} hsp_columns;

/* centred: subtract the means of dense columns. */
int hsp_columns_new(const hsp_design *D, bool centred, hsp_columns **out, hsp_error **err);
/* Of sparse data only the columns with sum_i c_i |z_ij| >= least, up to rounding, in doubt included; c NULL: all 1. d is their
 * number, and column j is column origin[j] of the design. Of dense data all columns. */
int hsp_columns_heavy(const hsp_design *D, bool centred, const double *c, double least, hsp_columns **out, hsp_error **err);
static inline int64_t hsp_column_origin(const hsp_columns *C, int64_t j) {
    return C->origin ? (int64_t)C->origin[j] : j;
}
void hsp_columns_free(hsp_columns *C);

/* The stored values of column j, with its rows in `id`; z_ij is factor_j times them. */
hsp_row hsp_column(const hsp_columns *C, int64_t j);
static inline double hsp_column_factor(const hsp_columns *C, int64_t j) {
    return C->factor ? C->factor[j] : 1;
}
static inline double hsp_column_p(const hsp_columns *C, int64_t j) {
    return C->p ? C->p[j] : 0;
}
static inline int64_t hsp_column_count(const hsp_columns *C, int64_t j) {
    return C->start ? C->start[j + 1] - C->start[j] : C->n;
}
double hsp_column_dot(const hsp_columns *C, int64_t j, const double *r);    /* sum_i z_ij r_i */
void hsp_column_axpy(const hsp_columns *C, double a, int64_t j, double *r); /* r_i += a z_ij */
/* sum_i h_i z_ij and sum_i h_i z_ij^2 */
void hsp_column_moments(const hsp_columns *C, int64_t j, const double *h, double *first, double *second);
/* Writes the entries of column j with root_i != 0: their rows, and z_ij root_i share as floats. Returns their number. sums over
 * all entries: z_ij r_i, h_i z_ij and h_i z_ij^2 with h_i = root_i^2. pairs: r_i and root_i, interleaved, so that a row is
 * one memory access. */
typedef struct hsp_column_sums {
    double dot, first, second;
} hsp_column_sums;
int64_t hsp_column_pack(const hsp_columns *C, int64_t j, const double *pairs, double share, uint32_t *id, float *value,
                        hsp_column_sums *sums);

#endif
