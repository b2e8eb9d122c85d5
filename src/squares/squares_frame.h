/* The problem with its intercept eliminated, which all methods of least squares share. The rows are centred at their weighted
 * mean (in the transform of a second design, before anything is multiplied, to avoid cancellation), and so are the targets. A
 * penalised intercept is a free one and one more row (m, y mean) of weight kappa = S nu / (S + nu). */
#ifndef HSP_SQUARES_SQUARES_FRAME_H
#define HSP_SQUARES_SQUARES_FRAME_H

#include "design/design.h"
#include "design/sweep.h"
#include "halfspace.h"
#include "problem/squares.h"
#include "squares/squares_solve.h"

typedef struct hsp_squares_frame {
    const hsp_squares *p;
    int64_t n, d, K;
    hsp_design *E;          /* the centred rows z_i; owned, as are all arrays */
    double *shift, *factor; /* its transform */
    bool *constant;         /* d: columns that are constant over all rows with weight (or zero, without a free intercept) */
    double *root;           /* n: sqrt(c_i), or NULL: all 1 */
    double *m, *y;          /* d and K: the means that were subtracted */
    double *T;              /* n x K: targets less their mean */
    double *R;              /* n x K: scratch */
    hsp_sweep *sweep;       /* owned; one output, dense rows: passes over E that do all at once; NULL: others */
    double *scores;         /* with a sweep: n, scratch */
    double *group;          /* groups x (1 + d + K): mass, sum of the rows and targets of each; NULL: not known */
    hsp_squares_sums *sums; /* K: over the rows, at the last W of hsp_frame_residual */
    double S, mu, nu, kappa;
    int64_t rows; /* with weight */
} hsp_squares_frame;

/* The root of the weight of row i. */
static inline double hsp_frame_root(const hsp_squares_frame *f, int64_t i) {
    return f->root ? f->root[i] : 1;
}

/* plain: do not eliminate a penalised intercept (the caller treats it as a weight). */
int hsp_frame_open(hsp_squares_frame *f, const hsp_squares *p, bool plain, hsp_error **err);
/* The same with the memory of fast passes over dense rows: for callers of the passes below. */
int hsp_frame_open_passes(hsp_squares_frame *f, const hsp_squares *p, bool plain, hsp_error **err);
void hsp_frame_close(hsp_squares_frame *f);
/* The normal equations' right-hand side, K x d: sum_i c_i t_i z_i (+ kappa y m). */
int hsp_frame_moment(hsp_squares_frame *f, double *out, hsp_error **err);
/* The Gram matrix sum_i c_i z_i z_i' (+ kappa m m'), d x d, and the moment, in one pass where that is possible. */
int hsp_frame_gram(hsp_squares_frame *f, double *A, double *moment, hsp_error **err);
/* The residual of the normal equations at W, from the rows: sum_i c_i (t_i - W z_i) z_i (+ ...) - mu W, K x d. */
int hsp_frame_residual(hsp_squares_frame *f, const double *W, double *out, hsp_error **err);
/* Row i as d numbers; tile as for hsp_design_row. */
void hsp_frame_row(const hsp_squares_frame *f, int64_t i, double *tile, double *out);
/* b from W. */
void hsp_frame_intercepts(const hsp_squares_frame *f, const double *W, double *b);
/* Whether this many copies of a matrix fit into memory. */
bool hsp_frame_fits(int64_t rows, int64_t columns, int64_t copies);
/* M (n x n) = sqrt(c_i c_j) (z_i.z_j + ones), and its trace. */
int hsp_frame_products(const hsp_squares_frame *f, bool ones, double *M, double *trace, hsp_error **err);
/* M += amount q q' with q = sqrt(c / S), along which the products of centred rows are 0. */
void hsp_frame_deflate(const hsp_squares_frame *f, double amount, double *M);
/* The error for numbers out of the range of double, with the remedy. */
int hsp_frame_extreme(const hsp_squares *p, hsp_error **err);

/* The methods. Each fills w and what it has computed besides; HSP_OK with another a->path: that method must be used instead. */
int hsp_squares_by_gram(hsp_squares_frame *f, bool insist, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_qr(hsp_squares_frame *f, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_dual(hsp_squares_frame *f, bool insist, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_svd(hsp_squares_frame *f, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_lsmr(hsp_squares_frame *f, double tol, hsp_squares_answer *a, hsp_error **err);

/* Below this reciprocal condition of a matrix of products, its factors cannot be refined to full accuracy. */
#define HSP_SQUARES_RCOND 1e-10

#endif
