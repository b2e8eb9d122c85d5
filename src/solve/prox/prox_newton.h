/* The state that the parts of the proximal Newton method share. Near (w, b) the objective is modelled by
 *
 *     F(w, b) + g.delta + gb.beta + sum_i q_i' H_i q_i / 2 + t |w + delta|_1,   q_i = delta x_i + beta  (K numbers),
 *
 * with the Hessians H_i of the losses (weighted) and the L2 part in g and on the diagonal. The intercepts beta, which have
 * no L1 term, are eliminated: for every delta the best beta is used. Ways to minimise it:
 *
 *     gram_model.h     the whole Hessian as a matrix, for few weights
 *     column_model.h   by the columns of the design, in a working set of weights that may move
 *
 * or to leave most columns out, and to use the matrix for the others: reduced.h.
 *
 * Slopes, curvatures and gradients are of F, the mean form. Weight (k, j) is number k d + j. By columns, d and j count the
 * columns of the copy (columns.h), often few of those of the design: all other weights are 0. */
#ifndef HSP_SOLVE_PROX_PROX_NEWTON_H
#define HSP_SOLVE_PROX_PROX_NEWTON_H

#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

#include <math.h>

/* All arrays of these are owned by the hsp_prox that they are in: hsp_prox_free frees them. */
typedef struct hsp_prox_point {
    double *w, *b;   /* K d and K */
    double *gw, *gb; /* gradient of the smooth part there */
    double *alpha;   /* n x K: multipliers for a lower bound */
    double violated; /* the largest violation of a condition of optimality */
    bool ready;      /* scores, slopes and gradient are those of the point, and `measured` is valid for run.c */
    hsp_measured measured;
} hsp_prox_point;

typedef struct hsp_prox_rows {
    double *c;      /* n: c_i / sum_c */
    double *h;      /* n curvatures (their square roots, if `roots`), or n x K probabilities */
    double *extra;  /* n: additional curvature, found where a step failed */
    double *more;   /* n: the multiple of I - 1 1' / K added to the Hessian of K classes */
    double *S;      /* K x K: sum_i H_i, the Hessian in beta */
    double *M;      /* K x K: the inverse of S, with the penalty when b has one; 0 without an intercept */
    double *factor; /* K x K: scratch */
    double *sorted; /* K: scratch */
    bool roots;     /* one output, by columns */
    double damping; /* of the curvature where the loss is almost straight: see hsp_prox_curvature */
} hsp_prox_rows;

/* From the point to the model's minimum. */
typedef struct hsp_prox_move {
    double *u, *to_b;      /* K d and K: the minimum; u only of weights that may move */
    double *q;             /* n x K: the change of the scores */
    double *trial;         /* n x K: scores tried */
    double *losses;        /* n: losses there */
    double *before;        /* n: losses at the point */
    const int64_t *weight; /* borrowed: the numbers of the weights that may move; NULL: all */
    int64_t count;         /* how many they are */
    double fall;           /* predicted decrease of the last step; infinite when it was shortened */
} hsp_prox_move;

typedef struct hsp_prox {
    hsp_problem *p;         /* borrowed; its scores, values and slopes (weighted) are those of the point */
    const hsp_rules *rules; /* borrowed */
    int64_t n, d, K;        /* rows, columns (of the copy, if there is one) and outputs */
    double t, ridge;        /* the present threshold, which decreases to lambda rho, and lambda (1 - rho) */
    hsp_prox_point at;
    hsp_prox_rows rows;
    hsp_prox_move move;
    struct hsp_gram_model *gram;      /* owned; */
    struct hsp_column_model *columns; /* owned; */
    struct hsp_reduced *reduced;      /* owned; two of the three are NULL */
    double first_violation, best_violation;
    int64_t idle; /* steps since violations last shrank */
} hsp_prox;

#define HSP_PROX_LEAST_DAMPING 1e-4

/* prox_newton.c. How to minimise the model; auto: whatever costs less. */
typedef enum hsp_prox_way { HSP_PROX_AUTO, HSP_PROX_MATRIX, HSP_PROX_COLUMNS, HSP_PROX_REDUCED } hsp_prox_way;
bool hsp_prox_wants_matrix(const hsp_problem *p);
/* Starts at w, b (of the design). The caller closes it, after a failure too. */
int hsp_prox_open(hsp_prox *s, hsp_problem *p, const hsp_rules *rules, hsp_prox_way way, const double *w, const double *b,
                  hsp_error **err);
void hsp_prox_close(hsp_prox *s);
hsp_step hsp_prox_step(hsp_prox *s, hsp_budget *budget);
/* Newton steps in the present working set. Returns their number, or -1: out of memory. *lost: the predicted decrease is lost
 * in rounding. */
int64_t hsp_prox_take_steps(hsp_prox *s, bool *lost, hsp_budget *budget);
/* The problem's lambda has changed: the same point is the start of another run. What is known of it is kept. */
void hsp_prox_relax(hsp_prox *s);
/* The largest violation of a condition of optimality, from at.w, at.gw and at.gb. */
double hsp_prox_largest_violation(const hsp_prox *s);

static inline bool hsp_prox_at_final_threshold(const hsp_prox *s) {
    return s->t == s->p->lambda * s->p->rho;
}

/* H_i[k, l], weighted. */
static inline double hsp_prox_hessian(const hsp_prox *s, int64_t i, int64_t k, int64_t l) {
    const hsp_prox_rows *r = &s->rows;
    if (s->K == 1) return r->roots ? r->h[i] * r->h[i] : r->h[i];
    const double *P = r->h + i * s->K;
    return r->c[i] * (P[k] * ((k == l) - P[l]) + r->more[i] * ((k == l) - 1 / (double)s->K));
}

/* The threshold for a weight whose column has sum_i h_i x_i^2 = square, S = sum_i h_i. The model's multipliers satisfy
 * |v_j| <= t up to rounding, which is not small in columns of large numbers. A |v_j| above t lowers the bound in proportion to
 * |w|_1; a target slightly below t only in proportion to |w_j|, which is tiny in such columns. */
static inline double hsp_prox_threshold(const hsp_prox *s, double S, double square) {
    double noise = 2e-14 * sqrt(S * (square > 0 ? square : 0));
    return s->t - (noise < s->t / 8 ? noise : s->t / 8);
}

/* prox_rows.c. Losses and weighted slopes at p->scores; gb. */
void hsp_prox_slopes(hsp_prox *s);
/* h, S and M: once after each call of hsp_prox_slopes. */
void hsp_prox_curvature(hsp_prox *s);
/* M, from S. */
void hsp_prox_invert(hsp_prox *s);
/* H_i q, K numbers; for several outputs, and for any number. */
void hsp_prox_apply_hessians(const hsp_prox *s, int64_t i, const double *q, double *out);
static inline void hsp_prox_apply_hessian(const hsp_prox *s, int64_t i, const double *q, double *out) {
    if (s->K == 1)
        out[0] = hsp_prox_hessian(s, i, 0, 0) * q[0];
    else
        hsp_prox_apply_hessians(s, i, q, out);
}
/* Adds to all K weights of each column the number that minimises the penalty: softmax does not change. */
void hsp_prox_shift_classes(hsp_prox *s);
/* Brings the intercepts to their optimum, p->scores with them. */
void hsp_prox_tune_intercepts(hsp_prox *s);

/* prox_search.c. The change of F for the whole move predicted by the gradient and the L1 term: negative unless (w, b) is
 * optimal. */
double hsp_prox_predict(const hsp_prox *s);
/* The rounding error of differences of F. */
double hsp_prox_rounding(const hsp_prox *s);
/* Line search from the point to the model's minimum; adapts the next models to the outcome. False: F does not decrease. */
bool hsp_prox_search(hsp_prox *s, double noise, double predicted);

#endif
