/* The design by columns, for methods that move one weight at a time:
 *     x'_ij = z_ij - p_j,   z_ij = factor_j value_ij.
 * Sparse: the stored non-zeros by column (CSC) coded as they are stored, the column factor apart, centring as
 * the rank-one term p. Dense: doubles, column after column, the transform applied and, when asked, the mean of each column
 * taken out (then p is minus those means), so that sums over a column with a large mean lose nothing. A copy as large as
 * the data (or as the columns that were asked for): only for those who need it. */
#ifndef HSP_DESIGN_COLUMNS_H
#define HSP_DESIGN_COLUMNS_H

#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"

typedef struct hsp_columns {
    int64_t n, d;
    int64_t stored;
    int64_t *start; /* d+1 offsets; NULL when dense */
    void *id;       /* rows, ascending in a column; NULL when dense */
    bool narrow;    /* they are uint16_t, not uint32_t */
    hsp_coding coding;
    void *value;
    const double *table;  /* borrowed from the matrix */
    const double *factor; /* d, of the design or own; NULL: 1 */
    const double *p;      /* d, of the design or own; NULL: 0 */
    double *own;          /* p when it is ours */
    double *own_factor;   /* likewise */
    uint32_t *origin;     /* d: the columns of the design that these are, ascending; NULL: all of them */
} hsp_columns;

/* centred: take the means out of dense columns. */
int hsp_columns_new(const hsp_design *D, bool centred, hsp_columns **out, hsp_error **err);
/* Of sparse rows only the columns with sum_i c_i |z_ij| >= least, up to rounding (one in doubt is taken); c NULL: all 1.
 * Then d is their number, and column j is origin[j] of the design. Of dense rows all. */
int hsp_columns_heavy(const hsp_design *D, bool centred, const double *c, double least, hsp_columns **out, hsp_error **err);
static inline int64_t hsp_column_origin(const hsp_columns *C, int64_t j) {
    return C->origin ? (int64_t)C->origin[j] : j;
}
void hsp_columns_free(hsp_columns *C);

/* The stored numbers of column j, its rows in `id`; z is factor_j times them. */
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
/* The entries of column j times root_i share, as floats with their rows, those with root_i = 0 left out: how many were
 * written. Sums over all of them: of z_ij r_i, h_i z_ij, h_i z_ij^2, with h_i = root_i^2. pairs: r_i and root_i, row after
 * row, so that a row is one look into memory. */
typedef struct hsp_column_sums {
    double dot, first, second;
} hsp_column_sums;
int64_t hsp_column_pack(const hsp_columns *C, int64_t j, const double *pairs, double share, uint32_t *id, float *value,
                        hsp_column_sums *sums);

#endif
