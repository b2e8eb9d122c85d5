/* The Hessian of F at a point, as an operator on the weights alone: the K intercepts are eliminated exactly, so that columns
 * far from 0 cause no ill-conditioning. With s = X v and A_i the second derivative of row i's loss (weighted, K x K: h_i for
 * one output, c_i (diag(p) - p p') for softmax), the quadratic model is minimal over the intercepts at
 *
 *     beta = -B^+ sum_i A_i s_i,   B = sum_i A_i,
 *
 * and the reduced Hessian is
 *
 *     v -> X' A (X v + beta) + lambda v
 *
 * A product costs two passes over the data. */
#ifndef HSP_SOLVE_NEWTON_HESSIAN_H
#define HSP_SOLVE_NEWTON_HESSIAN_H

#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

typedef struct hsp_hessian {
    hsp_problem *p;
    bool intercepts; /* there are intercepts to eliminate */
    double *a;       /* n x K: h_i, or the probabilities of the classes; all arrays are owned */
    double *weight;  /* n: c_i / sum_c (several outputs only) */
    double *t;       /* n x K scratch */
    double *B;       /* K x K, factorised */
    double *beta;    /* K: of the last product or solution */
    double *scratch; /* 4 x K d */
} hsp_hessian;

int hsp_hessian_init(hsp_hessian *H, hsp_problem *p, hsp_error **err);
void hsp_hessian_free(hsp_hessian *H);

/* Computes the curvature at problem->scores (which are overwritten if there are several outputs). With `majorised` rows on
 * the wrong side get the curvature of a parabola above the loss (hsp_majorant). False: the budget is out, by the clock or a
 * cancel, and the curvature must not be used. */
bool hsp_hessian_set(hsp_hessian *H, bool majorised, hsp_budget *budget);
/* After the caller has set `a` and `weight` itself (several outputs): as hsp_hessian_set. */
bool hsp_hessian_use(hsp_hessian *H, hsp_budget *budget);
/* t_i <- A_i t_i for all rows. */
void hsp_hessian_rows(const hsp_hessian *H, double *t);
/* The curvature of class k with itself in row i, c_i p_k (1 - p_k) / sum_c; for one output h_i. */
static inline double hsp_hessian_weight(const hsp_hessian *H, int64_t i, int64_t k) {
    int64_t K = H->p->outputs;
    double q = H->a[i * K + k];
    return K == 1 ? q : H->weight[i] * q * (1 - q);
}
/* The same for all rows, in h (n). */
void hsp_hessian_weights(const hsp_hessian *H, int64_t k, double *h);
/* x <- B^+ x (K numbers); without an intercept 0. */
void hsp_hessian_solve_intercepts(const hsp_hessian *H, double *x);
/* Subtracts from each column's weights (K x d) their mean over the classes: those of softmax sum to 0 at the optimum and at
 * every iterate. */
void hsp_hessian_centre(const hsp_hessian *H, double *v);
/* Completes the gradient (gw, gb) of F to that of F minimised over the intercepts, in g (K x d). */
void hsp_hessian_reduce(hsp_hessian *H, const double *gw, const double *gb, double *g);
/* The same from the slopes of the rows at the weights w (hsp_problem_slopes_scores), in one pass. */
void hsp_hessian_gradient(hsp_hessian *H, const double *slopes, const double *w, const double *gb, double *g);

/* The intercepts' part of a step (K) whose weights are `step` (K x d), given the gradient gb of F in the intercepts; and the
 * change of the scores along the whole step (n x K). */
void hsp_hessian_complete(hsp_hessian *H, const double *gb, const double *step, double *delta, double *change);

/* z = M^-1 r for some M near H; and out = H v. */
typedef void (*hsp_precondition)(void *ctx, const double *r, double *z);
typedef void (*hsp_multiply)(void *ctx, const double *v, double *out);

typedef struct hsp_inner {
    hsp_precondition precondition;
    void *ctx;
    hsp_multiply multiply; /* set by hsp_hessian_solve, with its context `of` */
    void *of;
    /* Stop when the residual, measured by M^-1, has fallen to the share `relative`. If the predicted decrease is below
     * `enough`, also its length must have fallen to `absolute`, or the residual to the share `finest`. */
    double relative, absolute, enough, finest;
    double ceiling; /* stop when the predicted decrease exceeds this, which is impossible; 0: no such limit */
    int64_t most;   /* products at most */
    /* results */
    int64_t products;
    double decrease; /* predicted by the quadratic model */
} hsp_inner;

/* x ~ -H^-1 g by preconditioned conjugate gradients from x = 0 (Hestenes and Stiefel 1952). A product counts as `rows` steps
 * of the budget; scratch has 4 x size numbers. */
void hsp_conjugate_gradients(int64_t size, const double *g, double *x, double *scratch, hsp_inner *inner, int64_t rows,
                             hsp_budget *budget);
void hsp_hessian_solve(hsp_hessian *H, const double *g, double *x, hsp_inner *inner, hsp_budget *budget);

#endif
