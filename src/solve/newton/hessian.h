/* The Hessian of F at a point, as an operator on the weights alone: the intercepts, which are K numbers, are eliminated
 * exactly, so that columns far from 0 do no harm. With s = X v and A_i the second derivative of row i's loss (weighted,
 * K x K: h_i for one output, c_i (diag(p) - p p') for softmax), the quadratic model is least over the intercepts at
 *
 *     beta = -B^+ sum_i A_i s_i,   B = sum_i A_i,
 *
 * and what remains of the Hessian is  v -> X' A (X v + beta) + lambda v.  Two passes over the data a product. */
#ifndef HSP_SOLVE_NEWTON_HESSIAN_H
#define HSP_SOLVE_NEWTON_HESSIAN_H

#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

typedef struct hsp_hessian {
    hsp_problem *p;
    bool offset;     /* there are intercepts to eliminate */
    double *a;       /* n x K: h_i, or the probabilities of the classes, which weigh ... */
    double *weight;  /* ... n: c_i / sum_c (several outputs only) */
    double *t;       /* n x K scratch */
    double *B;       /* K x K, factorised */
    double *beta;    /* K: of the last product or solution */
    double *scratch; /* 4 x K d */
} hsp_hessian;

int hsp_hessian_init(hsp_hessian *H, hsp_problem *p, hsp_error **err);
void hsp_hessian_free(hsp_hessian *H);

/* Takes the curvature at problem->scores (which several outputs use up). A row far on the wrong side has a slope but next
 * to no curvature, and the quadratic model would send it anywhere. With `careful` such a row is given the curvature of the
 * parabola that touches the loss at its margin m and at -m, tanh(m/2) / (2 m), which lies above the loss everywhere
 * (Jaakkola and Jordan 2000). False: the budget is out, by its clock or a cancel, and the curvature is not to be used. */
bool hsp_hessian_set(hsp_hessian *H, bool careful, hsp_budget *budget);
/* t_i <- A_i t_i for all rows. */
void hsp_hessian_rows(const hsp_hessian *H, double *t);
/* The curvature of class k with itself in row i, c_i p_k (1 - p_k) / sum_c; for one output h_i. */
static inline double hsp_hessian_weight(const hsp_hessian *H, int64_t i, int64_t k) {
    int64_t K = H->p->outputs;
    double q = H->a[i * K + k];
    return K == 1 ? q : H->weight[i] * q * (1 - q);
}
/* That of all rows, in h (n). */
void hsp_hessian_own(const hsp_hessian *H, int64_t k, double *h);
/* x <- B^+ x (K numbers); without an intercept 0. */
void hsp_hessian_offsets(const hsp_hessian *H, double *x);
/* Takes from each column's weights (K x d) their mean over the classes: those of softmax sum to 0 at the optimum and
 * everywhere on the way to it. */
void hsp_hessian_centre(const hsp_hessian *H, double *v);
/* Completes the gradient (gw, gb) of F to that of F minimised over the intercepts, in g (K x d). */
void hsp_hessian_reduce(hsp_hessian *H, const double *gw, const double *gb, double *g);

/* z = M^-1 r for some M near H; and out = H v. */
typedef void (*hsp_precondition)(void *ctx, const double *r, double *z);
typedef void (*hsp_multiply)(void *ctx, const double *v, double *out);

typedef struct hsp_inner {
    hsp_precondition precondition;
    void *ctx;
    hsp_multiply multiply; /* hsp_hessian_solve fills it in, and what it is of */
    void *of;
    double relative; /* stop when the residual, measured by M^-1, has fallen to this share ... */
    double absolute; /* ... and, when the step promises less than `enough`, its length to this or it to the finest share */
    double enough, finest;
    double ceiling; /* stop when the step promises more than this, which nothing can keep; 0: no such thing */
    int64_t most;   /* products at most */
    /* what came out */
    int64_t products;
    double decrease; /* that the quadratic model promises */
} hsp_inner;

/* x ~ -H^-1 g by preconditioned conjugate gradients from x = 0 (Hestenes and Stiefel 1952), stopped at the radius (Steihaug
 * 1983). A product counts as `rows` steps of the budget; scratch has 4 x size numbers. */
void hsp_conjugate(int64_t size, const double *g, double *x, double *scratch, hsp_inner *inner, int64_t rows,
                   hsp_budget *budget);
void hsp_hessian_solve(hsp_hessian *H, const double *g, double *x, hsp_inner *inner, hsp_budget *budget);

#endif
