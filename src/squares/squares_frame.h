/* What all ways to a least-squares answer share: the problem with its intercept taken out. The rows are centred by their
 * weighted mean (in the transform of a second design, before anything is multiplied, so that nothing cancels), and so are
 * the targets. A penalised intercept is a free one and one more row (m, y mean) of weight kappa = S nu / (S + nu). */
#ifndef HSP_SQUARES_SQUARES_FRAME_H
#define HSP_SQUARES_SQUARES_FRAME_H

#include "design/design.h"
#include "halfspace.h"
#include "problem/squares.h"
#include "squares/squares_solve.h"

typedef struct hsp_squares_frame {
    const hsp_squares *p;
    int64_t n, d, K;
    hsp_design *E;          /* the centred rows z_i */
    double *shift, *factor; /* its transform */
    bool *constant;         /* d: columns that are the same in all rows with weight (or zero, without a free intercept) */
    double *root;           /* n: sqrt(c_i), or NULL: all 1 */
    double *m, *y;          /* d and K: the means that were taken out */
    double *T;              /* n x K: targets less their mean */
    double *R;              /* n x K: scratch */
    double *group;          /* groups x (1 + d + K): mass, sum of the rows and targets of each; NULL: not known */
    hsp_squares_sums *sums; /* K: over the rows, at the last W of hsp_frame_residual */
    double S, mu, nu, kappa;
    int64_t rows; /* with weight */
} hsp_squares_frame;

/* The root of the weight of row i. */
static inline double hsp_frame_root(const hsp_squares_frame *f, int64_t i) {
    return f->root ? f->root[i] : 1;
}

/* plain: leave a penalised intercept alone (the caller has another way). */
int hsp_frame_open(hsp_squares_frame *f, const hsp_squares *p, bool plain, hsp_error **err);
void hsp_frame_close(hsp_squares_frame *f);
/* The normal equations' right-hand side, K x d: sum_i c_i t_i z_i (+ kappa y m). */
int hsp_frame_moment(hsp_squares_frame *f, double *out, hsp_error **err);
/* What is left of it at W, from the rows: sum_i c_i (t_i - W z_i) z_i (+ ...) - mu W, K x d. */
int hsp_frame_residual(hsp_squares_frame *f, const double *W, double *out, hsp_error **err);
/* Row i as d numbers; tile as for hsp_design_row. */
void hsp_frame_row(const hsp_squares_frame *f, int64_t i, double *tile, double *out);
/* b from W. */
void hsp_frame_intercepts(const hsp_squares_frame *f, const double *W, double *b);
/* d x d or n x n doubles that may be had in that number. */
bool hsp_frame_fits(int64_t rows, int64_t columns, int64_t copies);
/* The one line for numbers that leave the range of double, and what to do about it. */
int hsp_frame_extreme(const hsp_squares *p, hsp_error **err);

/* The ways. Each fills w and what it knows; HSP_OK with a->path another than its own: go there instead. */
int hsp_squares_by_gram(hsp_squares_frame *f, bool insist, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_qr(hsp_squares_frame *f, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_dual(hsp_squares_frame *f, bool insist, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_svd(hsp_squares_frame *f, hsp_squares_answer *a, hsp_error **err);
int hsp_squares_by_lsmr(hsp_squares_frame *f, double tol, hsp_squares_answer *a, hsp_error **err);

/* Below this reciprocal condition of a matrix of products, its factors cannot be refined to full accuracy. */
#define HSP_SQUARES_RCOND 1e-10

#endif
