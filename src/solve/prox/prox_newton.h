/* What the parts of the proximal Newton method share. Near (w, b) the objective is modelled by
 *
 *     F(w, b) + g.delta + gb.beta + sum_i q_i' H_i q_i / 2 + t |w + delta|_1,   q_i = delta x_i + beta  (K numbers),
 *
 * with the Hessians H_i of the losses (weighted) and the L2 part in g and on the diagonal. The intercepts beta, which have
 * no L1 term, are eliminated: at every delta the model is taken at its best beta. Two ways to minimise it:
 *
 *     gram_model.h     the whole Hessian as a matrix, for few weights
 *     column_model.h   by the columns of the design, in a working set of weights that may move
 *
 * Slopes, curvatures and gradients are of F, the mean form. Weight (k, j) is number k d + j. */
#ifndef HSP_SOLVE_PROX_PROX_NEWTON_H
#define HSP_SOLVE_PROX_PROX_NEWTON_H

#include "problem/problem.h"
#include "solve/loop/solver.h"

#include <math.h>

/* All arrays of these are owned by the hsp_prox that they are in: hsp_prox_free frees them. */
typedef struct hsp_prox_point {
    double *w, *b;   /* K d and K */
    double *gw, *gb; /* gradient of the smooth part there */
    double *alpha;   /* n x K: multipliers for a lower bound */
    double violated; /* the largest violation of a condition of optimality */
    bool ready;      /* scores, slopes and gradient are those of the point, and `measured` may be given to run.c */
    hsp_measured measured;
} hsp_prox_point;

typedef struct hsp_prox_rows {
    double *c;      /* n: c_i / sum_c */
    double *h;      /* n curvatures (their square roots, if `roots`), or n x K probabilities */
    double *extra;  /* n: curvature that the loss turned out to have further on */
    double *more;   /* n: what is added to the Hessian of K classes, times I - 1 1' / K */
    double *S;      /* K x K: sum_i H_i, the Hessian in beta */
    double *M;      /* K x K: the inverse of S, with the penalty when b has one; 0 without an intercept */
    double *factor; /* K x K: scratch */
    double *sorted; /* K: scratch */
    bool roots;     /* one output, by columns */
    double damping; /* of the curvature where the loss is almost straight: see hsp_prox_curvature */
} hsp_prox_rows;

/* From the point to the model's minimum. */
typedef struct hsp_prox_move {
    double *u, *to_b;      /* K d and K: the minimum; u = w where weights may not move */
    double *q;             /* n x K: how the scores move */
    double *trial;         /* n x K: scores tried */
    double *losses;        /* n: losses there */
    double *before;        /* n: losses at the point */
    const int64_t *weight; /* borrowed: the numbers of the weights that may move; NULL: all */
    int64_t count;         /* how many they are */
    double fall;           /* what the last step promised; infinite when it was shortened */
} hsp_prox_move;

typedef struct hsp_prox {
    hsp_problem *p; /* borrowed, as are the rules; its scores, values and slopes (weighted) are those of the point */
    const hsp_rules *rules; /* */
    int64_t n, d, K;
    double t, ridge; /* lambda rho, to which t may come down in steps, and lambda (1 - rho) */
    hsp_prox_point at;
    hsp_prox_rows rows;
    hsp_prox_move move;
    struct hsp_gram_model *gram;      /* owned; */
    struct hsp_column_model *columns; /* owned; one of the two is NULL */
    double first_violation, best_violation;
    int64_t idle; /* steps since violations last shrank */
} hsp_prox;

#define HSP_PROX_LEAST_DAMPING 1e-4

static inline bool hsp_prox_arrived(const hsp_prox *s) {
    return s->t == s->p->lambda * s->p->rho;
}

/* H_i[k, l], weighted. */
static inline double hsp_prox_hessian(const hsp_prox *s, int64_t i, int64_t k, int64_t l) {
    const hsp_prox_rows *r = &s->rows;
    if (s->K == 1) return r->roots ? r->h[i] * r->h[i] : r->h[i];
    const double *P = r->h + i * s->K;
    return r->c[i] * (P[k] * ((k == l) - P[l]) + r->more[i] * ((k == l) - 1 / (double)s->K));
}

/* The threshold for a weight whose column has sum_i h_i x_i^2 = square, S = sum_i h_i. The multipliers that come of the
 * model meet |v_j| <= t up to rounding, which is not small in columns of large numbers. To be beyond t costs |w|_1 of the
 * lower bound; to aim a little below it costs only |w_j|, next to nothing in such columns. */
static inline double hsp_prox_threshold(const hsp_prox *s, double S, double square) {
    double noise = 2e-14 * sqrt(S * (square > 0 ? square : 0));
    return s->t - (noise < s->t / 8 ? noise : s->t / 8);
}

/* Makes zeroed arrays of `size` numbers (none of size 0) in the places that the list names, up to a NULL. False: no
 * memory; what was made stays. */
bool hsp_prox_allocate(int64_t size, double **const *arrays);

/* prox_rows.c. Losses and weighted slopes at p->scores; gb. */
void hsp_prox_slopes(hsp_prox *s);
/* h, S and M: once after each call of hsp_prox_slopes. */
void hsp_prox_curvature(hsp_prox *s);
/* M, from S. */
void hsp_prox_invert(hsp_prox *s);
/* H_i q, K numbers. */
void hsp_prox_bend(const hsp_prox *s, int64_t i, const double *q, double *out);
/* Adds the best number to all K weights of a column, which softmax does not see. */
void hsp_prox_shift_classes(hsp_prox *s);
/* Brings the intercepts to their optimum, p->scores with them. */
void hsp_prox_tune_intercepts(hsp_prox *s);

/* prox_search.c. What the gradient and the L1 term promise for the whole move: negative unless (w, b) is optimal. */
double hsp_prox_promise(const hsp_prox *s);
/* How well differences of F can be measured. */
double hsp_prox_rounding(const hsp_prox *s);
/* Goes from the point towards the model's minimum as far as F falls, and adapts the next models to the outcome. False: F
 * does not fall. */
bool hsp_prox_search(hsp_prox *s, double noise, double promised);

#endif
