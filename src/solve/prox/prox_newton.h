/* The parts of the proximal Newton method (prox_newton.c), and what they share. Near (w, b) the objective is modelled by
 *
 *     F(w, b) + g.delta + gb.beta + sum_i q_i' H_i q_i / 2 + t |w + delta|_1,   q_i = delta x_i + beta  (K numbers),
 *
 * with the Hessians H_i of the losses (weighted) and the L2 part in g and on the diagonal. The intercepts beta, which have
 * no L1 term, are eliminated: at every delta the model is taken at its best beta. Two ways to minimise it, the same answer:
 *   gram     the whole Hessian as a matrix, for few columns (prox_newton_gram.c);
 *   columns  by the columns of the design, in a working set of weights that may move (prox_newton_columns.c). */
#ifndef HSP_SOLVE_PROX_PROX_NEWTON_H
#define HSP_SOLVE_PROX_PROX_NEWTON_H

#include "design/columns.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/prox/coordinate.h"

#include <math.h>
#include <stdbool.h>

typedef struct hsp_prox {
    hsp_problem *p;
    const hsp_rules *rules;
    int64_t n, d, K, m; /* m = K d weights; weight (k, j) is number k d + j */
    double t, ridge;    /* lambda rho, lambda (1 - rho) */
    double *w, *b;      /* the point */
    double *gw, *gb;    /* gradient of the smooth part there */
    double *u, *to_b;   /* where the model is least; u = w outside of the working set */
    double *h;          /* n curvatures (one output), or n x K probabilities */
    double *q;          /* n x K: how the scores move from (w, b) to (u, to_b) */
    double *trial;      /* n x K scores tried */
    double *alpha;      /* n x K: multipliers for a lower bound */
    double *c;          /* n: c_i / sum_c */
    double *extra;      /* n: curvature that the loss turned out to have further on */
    double *more;       /* n: what is added to the Hessian of K classes, times I - 1 1' / K */
    double *losses;     /* n losses there */
    double *before;     /* n losses at (w, b) */
    double *S;          /* K x K: sum_i H_i, the Hessian in beta (with the penalty when b has one) */
    double *M;          /* K x K: its inverse (that on the complement of (1, .., 1) for softmax); 0 without an intercept */
    double *sorted;     /* K scratch */
    double *factor;     /* K x K scratch */
    bool by_gram;
    bool starved; /* a pass had no memory for its scratch */
    /* gram */
    hsp_quadratic quadratic; /* also the small one of the columns */
    double *centre, *sum;    /* d: taken from the rows; sums of a pass */
    double *cross;           /* m x K: sum_i H_i[k, l] (x_ij - centre_j) */
    double *block, *weight;  /* d x d and n: for several outputs */
    double *delta;           /* m */
    double *base, *used;     /* one output: the Gram matrix about the centre, d x d, and the n curvatures that it has */
    bool based;
    double line; /* how wrong the curvatures of a step may be at most, as a share */
    int64_t age; /* steps since the matrix was made anew */
    /* columns */
    hsp_columns *columns;
    int64_t *set;           /* the working set: numbers of weights, ascending by column */
    bool cut;               /* more weights wanted to move than were taken */
    int64_t set_count;      /* */
    double *V, *curvature;  /* of its members: sum_i H_i e_k z_ij (K each); second derivative */
    double *limit;          /* and threshold */
    double *U;              /* n x K: H_i sum_j z_ij delta_j */
    double *offset, *total; /* K: beta - sum_j p_j delta_j, and sum_i H_i q_i */
    double *MV;             /* K scratch */
    int64_t *order;         /* of a sweep: places in the set */
    int64_t *place;         /* d: where column j begins in the variables of the small quadratic, or -1 */
    int64_t *member;        /* its variables: places in the set */
    double *values;         /* one row of its columns */
    int64_t *spots;         /* and where they are */
    int64_t room;           /* most new members of the working set */
    int64_t most_small;     /* most variables of the small quadratic */
    double visited;         /* stored numbers passed by since the step began */
    /* progress */
    double damping;   /* of the curvature where the loss is all but straight: see curvature_one */
    int64_t patience; /* sweeps that a model is worth */
    bool tired;       /* the last one would have taken more */
    double best_violation, first_violation, violated;
    int64_t idle;
    double fall; /* what the last model promised; infinite when its way was cut */
    /* what is known of the point, its gradient among it: one output alone */
    bool ready;
    hsp_known known;
} hsp_prox;

/* Nothing is left but rounding: what there is to gain is `lost` in it, and violations no longer shrink. */
static inline bool hsp_prox_still(double violated, bool lost, double *best, int64_t *idle) {
    enum { MOST_IDLE = 8 };
    bool shrinks = violated < 0.5 * *best;
    if (shrinks) *best = violated;
    *idle = shrinks ? 0 : *idle + 1;
    return *idle >= MOST_IDLE && lost;
}

/* See stiffen in prox_newton_gram.c. */
#define HSP_PROX_STIFFNESS 1e-10
/* See curvature_one in prox_newton_rows.c. */
#define HSP_PROX_LEAST_DAMPING 1e-4

/* H_i[k, l], weighted. */
static inline double hsp_prox_hessian(const hsp_prox *s, int64_t i, int64_t k, int64_t l) {
    if (s->K == 1) return s->h[i];
    const double *P = s->h + i * s->K;
    return s->c[i] * (P[k] * ((k == l) - P[l]) + s->more[i] * ((k == l) - 1 / (double)s->K));
}

/* The threshold for a weight whose column has sum_i h_i x_i^2 = square, S = sum_i h_i. The multipliers that come of the
 * model meet |v_j| <= t up to rounding, which is not small in columns of large numbers. To be beyond t costs |w|_1 of the
 * lower bound; to aim a little below it costs but |w_j|, next to nothing in such columns. */
static inline double hsp_prox_threshold(const hsp_prox *s, double S, double square) {
    double noise = 2e-14 * sqrt(S * (square > 0 ? square : 0));
    return s->t - (noise < s->t / 8 ? noise : s->t / 8);
}

/* Rows (prox_newton_rows.c). Losses and weighted slopes at p->scores; gb. */
void hsp_prox_slopes(hsp_prox *s);
/* Curvatures there: h, S and M. */
void hsp_prox_curvature(hsp_prox *s);
/* M, from S. */
void hsp_prox_invert(hsp_prox *s);
/* Adds the best number to all K weights of a column, where softmax does not see it. */
void hsp_prox_shift(hsp_prox *s);
/* Brings the intercepts to their optimum, p->scores with them. */
void hsp_prox_tune(hsp_prox *s);

/* The way to the model's minimum (prox_newton_way.c). What the gradient and the L1 term promise for the whole of it:
 * negative unless (w, b) is optimal. */
double hsp_prox_promise(const hsp_prox *s);
/* How well differences of F can be known. */
double hsp_prox_rounding(const hsp_prox *s, double F);
/* Goes along it as far as F falls, and learns from that. False: there is no such way. */
bool hsp_prox_search(hsp_prox *s, double noise, double promised);

int hsp_prox_gram_init(hsp_prox *s, hsp_error **err);
void hsp_prox_gram_free(hsp_prox *s);
/* Sets u, to_b and q; leaves violations of the model's conditions at a share of those at (w, b). False: no memory. */
bool hsp_prox_gram_solve(hsp_prox *s, double tol, hsp_budget *budget);
/* The last step was slow: the matrix is to be nearer to the true one. */
void hsp_prox_gram_sharpen(hsp_prox *s);

int hsp_prox_columns_init(hsp_prox *s, hsp_error **err);
void hsp_prox_columns_free(hsp_prox *s);
/* Chooses the working set from the gradient at (w, b): all weights that are not zero, and those that most want to move. */
void hsp_prox_columns_choose(hsp_prox *s);
void hsp_prox_columns_solve(hsp_prox *s, double tol, hsp_budget *budget);
/* The gradient in the working set alone, from p->slopes (weighted); the largest violation in it. */
double hsp_prox_columns_gradient(hsp_prox *s);

#endif
