/* The design: all that solvers see of the data. Its rows are the stored rows after the column transform
 *     x'_ij = (x_ij - shift_j) factor_j,
 * which is never applied to the storage. Dense rows are transformed into a tile as they pass. Sparse rows stay sparse:
 * z_i = factor * x_i is formed in the tile, and centring is the rank-one term x'_i = z_i - p with p = shift * factor. */
#ifndef HSP_DESIGN_DESIGN_H
#define HSP_DESIGN_DESIGN_H

#include "data/matrix.h"
#include "halfspace.h"
#include "kernel/kernel.h"

typedef struct hsp_design {
    int64_t n, d;
    const hsp_matrix *x;  /* borrowed */
    const double *shift;  /* borrowed; NULL: 0 */
    const double *factor; /* borrowed; NULL: 1 */
    double *p;            /* sparse and centred: shift * factor; NULL otherwise */
    double pp;            /* |p|^2 */
    double *pz;           /* n: p.z_i */
    int threads;
    int64_t slabs; /* pieces of X'r, chosen by the size of the data alone */
    double *tiles; /* slabs x d, one for each piece of a pass (and tile 0 for row-wise work); NULL when not needed */
    double *sums;  /* slabs x d partial results; NULL when slabs is 1 */
} hsp_design;

/* shift and factor may be NULL (dense rows: no shift without a factor) and must outlive the design, as must x. */
int hsp_design_new(const hsp_matrix *x, const double *shift, const double *factor, int threads, hsp_design **out,
                   hsp_error **err);
void hsp_design_free(hsp_design *D);

/* A stored row, transformed into the tile: dense wholly, sparse by its factor only. */
hsp_row hsp_design_transform(const hsp_design *D, hsp_row r, double *tile);
/* Row i for the caller's own loops: x'_i, or z_i when p is not NULL. May be formed in `tile` (d doubles, or NULL to use the
 * design's own: then one user at a time). */
static inline hsp_row hsp_design_row(const hsp_design *D, int64_t i, double *tile) {
    hsp_row r = hsp_matrix_row(D->x, i);
    return D->factor ? hsp_design_transform(D, r, tile) : r;
}
/* Asks for the beginning of row i, which will be wanted soon. In random order its first lines are a wait for memory; the
 * rest the processor foresees. */
void hsp_design_prefetch(const hsp_design *D, int64_t i);
/* x.w, w += a x and |x|^2 of one row; inline up to the kernel of its form, since short rows are many. */
static inline double hsp_row_dot(hsp_row r, const double *w) {
    return hsp_dots[hsp_row_form(r)](r.id, r.value, r.table, r.count, w);
}
static inline void hsp_row_axpy(double a, hsp_row r, double *w) {
    hsp_axpys[hsp_row_form(r)](a, r.id, r.value, r.table, r.count, w);
}
static inline double hsp_row_norm2(hsp_row r) {
    return hsp_norms2[r.coding](r.value, r.table, r.count);
}

/* out_i = x'_i . w + b for all rows; threads over fixed blocks of rows. */
void hsp_design_scores(const hsp_design *D, const double *w, double b, double *out);
/* out = sum_i r_i x'_i (d numbers), in fixed slabs joined in order: the same bits for any number of threads. */
void hsp_design_adjoint(const hsp_design *D, const double *r, double *out);
/* |x'_i|^2 of all rows that have weight: the mean, by the weights c (NULL: all 1), and the largest. */
void hsp_design_norms(const hsp_design *D, const double *c, double *mean, double *largest);

#endif
