/* The design: all that solvers see of the data. Its rows are the stored rows after the column transform
 *     x'_ij = (x_ij - shift_j) factor_j,
 * which is applied on the fly. A dense row is transformed into a tile. Sparse rows stay sparse: z_i = factor * x_i is computed
 * in the tile, and centring is the rank-one term x'_i = z_i - p with p = shift * factor. */
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
    double *p;            /* owned; sparse and centred: shift * factor; else NULL */
    double pp;            /* |p|^2 */
    double *pz;           /* owned; n: p.z_i */
    int threads;
    int64_t slabs; /* parts of X'r, determined by the size of the data */
    double *tiles; /* owned: slabs x d, a tile for each slab (tile 0 also for single rows); NULL: not needed */
    double *sums;  /* owned: (slabs - 1) x d partial sums; NULL when slabs is 1 */
} hsp_design;

/* shift and factor may be NULL (dense rows: no shift without a factor) and must outlive the design, as must x. */
int hsp_design_new(const hsp_matrix *x, const double *shift, const double *factor, int threads, hsp_design **out,
                   hsp_error **err);
void hsp_design_free(hsp_design *D);
/* Rows `from` to `from` + rows - 1 as a design of their own, for their scores, which have the same bits. It borrows everything
 * from D and must not be freed; x: memory for its matrix. */
hsp_design hsp_design_slice(const hsp_design *D, int64_t from, int64_t rows, hsp_matrix *x);

/* Transforms a stored row into the tile; a sparse row only by the factor. */
hsp_row hsp_design_transform(const hsp_design *D, hsp_row r, double *tile);
/* Row i: x'_i, or z_i when p is not NULL. May be computed in `tile` (d doubles; NULL: the design's own, for one user at a
 * time). */
static inline hsp_row hsp_design_row(const hsp_design *D, int64_t i, double *tile) {
    hsp_row r = hsp_matrix_row(D->x, i);
    return D->factor ? hsp_design_transform(D, r, tile) : r;
}
/* Prefetches the first cache lines of row i, for visits in random order; the hardware prefetches the rest. */
void hsp_design_prefetch(const hsp_design *D, int64_t i);
/* x.w, w += a x and |x|^2 of a row; inline up to the kernel, because rows may be short. */
static inline double hsp_row_dot(hsp_row r, const double *w) {
    return hsp_dots[hsp_row_form(r)](r.id, r.value, r.table, r.count, w);
}
static inline void hsp_row_axpy(double a, hsp_row r, double *w) {
    hsp_axpys[hsp_row_form(r)](a, r.id, r.value, r.table, r.count, w);
}
static inline double hsp_row_norm2(hsp_row r) {
    return hsp_norms2[r.coding](r.value, r.table, r.count);
}

/* out_i = x'_i . w + b for all rows. */
void hsp_design_scores(const hsp_design *D, const double *w, double b, double *out);
/* out (d) = sum_i r_i x'_i; the same bits for any number of threads. */
void hsp_design_adjoint(const hsp_design *D, const double *r, double *out);
/* |x'_i|^2 of the rows with c_i != 0: the mean weighted by c (NULL: all 1), and the largest. */
void hsp_design_norms(const hsp_design *D, const double *c, double *mean, double *largest);

#endif
