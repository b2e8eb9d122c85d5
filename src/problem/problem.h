/* The problem: design x loss x penalty x intercept. The one place where the objective is written for the solvers:
 *
 *     P(w, b) = R(w) + C sum_i c_i loss(y_i, g_i),   g_i = w.x_i + b       (penalised)
 *     P(w, b) =        sum_i c_i loss(y_i, g_i)                           (penalty none)
 *
 * With K outputs (softmax) w is K x d, b has K numbers, and R and the intercept's penalty are sums over all of them.
 * Learning rates apply to the mean form
 *
 *     F(w, b) = lambda R(w) + sum_i c_i loss(y_i, g_i) / sum_i c_i,   P = scale F,   lambda = 1 / (C sum_i c_i)
 */
#ifndef HSP_PROBLEM_PROBLEM_H
#define HSP_PROBLEM_PROBLEM_H

#include "design/design.h"
#include "design/gram.h"
#include "halfspace.h"
#include "loss/loss.h"
#include "option/choices.h"
#include "penalty/penalty.h"
#include "problem/point.h"

typedef enum hsp_intercept { HSP_INTERCEPT_CHOICES(HSP_CHOICE_VALUE) } hsp_intercept;

#define HSP_PROBLEM_WIDTH 0.25

typedef struct hsp_problem {
    const hsp_design *design;
    const hsp_loss *loss;
    const hsp_penalty *penalty;
    hsp_intercept intercept;
    hsp_kink kink;
    double C, lambda; /* lambda is 0 and C is 1 without a penalty */
    double rho;       /* share of L1 */
    int64_t outputs;  /* scores of a row: 1, or K for a loss of K scores */
    bool regression;  /* y are numbers: there is no error rate */
    double *y;        /* n labels -1 or +1, numbers to predict, or classes 0 .. K-1: the caller fills them in */
    const double *c;  /* n row weights, borrowed, or NULL: all 1 */
    double sum_c;
    double scale; /* P = scale * F */
    /* scratch */
    double *scores, *slopes;  /* n x outputs; owned, as all that follow */
    double *values;           /* n */
    double *v;                /* outputs x d */
    double *tilt;             /* outputs */
    hsp_scores_plan *score;   /* scores for several outputs; NULL with one */
    hsp_adjoint_plan *adjoin; /* likewise */
    double *centre;           /* d: means of the columns, where a bound without a penalty needs them; else NULL */
    double width;             /* of the smoothed hinge that last gave the best dual point; at first HSP_PROBLEM_WIDTH */
} hsp_problem;

typedef struct hsp_problem_spec {
    const hsp_loss *loss;
    const hsp_penalty *penalty;
    hsp_intercept intercept;
    hsp_kink kink;
    double C, lambda; /* the one that is not given is NaN; both NaN: C = 1 */
    double l1_ratio;
    const double *c;
    int64_t outputs; /* 0 means 1 */
    bool regression;
} hsp_problem_spec;

int hsp_problem_new(const hsp_design *design, const hsp_problem_spec *spec, hsp_problem **out, hsp_error **err);
void hsp_problem_free(hsp_problem *p);
/* The same problem with another C; no effect without a penalty. */
void hsp_problem_strengthen(hsp_problem *p, double C);

typedef struct hsp_evaluation {
    double objective; /* P */
    double mean_loss;
    double error; /* share of the rows, by weight, on the wrong side (of the wrong class); NaN for regression */
    double norm;  /* |w| */
} hsp_evaluation;

/* One pass: the figures at a point, w (outputs x d) and b (outputs). Leaves the scores in problem->scores. */
hsp_evaluation hsp_problem_evaluate(hsp_problem *p, const double *w, const double *b);
/* Also the gradient of the smooth part of F (all but the L1 term): gw (outputs x d) and gb (outputs; 0 without an
 * intercept). */
hsp_evaluation hsp_problem_gradient(hsp_problem *p, const double *w, const double *b, double *gw, double *gb);
/* The same from scores that are already in problem->scores: for line searches, which know how scores move. The first takes
 * `count` weights, in any order; those left out are 0. */
hsp_evaluation hsp_problem_evaluate_scores(hsp_problem *p, const double *w, int64_t count, const double *b);
hsp_evaluation hsp_problem_gradient_scores(hsp_problem *p, const double *w, const double *b, double *gw, double *gb);
/* The same without gw, which costs a pass: leaves in problem->slopes the r (n x outputs) with
 *     gw = sum_i r_i x_i' + lambda (1 - rho) w. */
hsp_evaluation hsp_problem_slopes_scores(hsp_problem *p, const double *w, const double *b, double *gb);
/* h_i = c_i / sum_c * loss''(y_i, scores_i) at the scores of the last call above (one output). The Hessian of F is
 * X' diag(h) X + lambda (1 - rho) I. */
void hsp_problem_curvature(const hsp_problem *p, double *h);
/* The weighted mean loss, and its derivative in t, at the scores base + t step (n x outputs each): for line searches,
 * without a pass over the data. Leaves those scores in problem->scores and the slopes in problem->slopes. */
double hsp_problem_line(hsp_problem *p, const double *base, const double *step, double t, double *derivative);
/* out (n x outputs) = X w' + b, and out (outputs x d) = sum_i r_i x_i': passes for any number of outputs. */
void hsp_problem_scores(hsp_problem *p, const double *w, const double *b, double *out);
void hsp_problem_adjoint(hsp_problem *p, const double *r, double *out);
/* F at a point whose P is known. */
static inline double hsp_problem_mean(const hsp_problem *p, double objective) {
    return objective / p->scale;
}
/* Whether every point yields a lower bound of the optimum: a penalty, and a loss with a conjugate. */
static inline bool hsp_problem_has_dual(const hsp_problem *p) {
    return p->penalty->penalises && (p->loss->traits & HSP_LOSS_DUAL);
}
/* A valid lower bound of the optimum of P, from dual-feasible points built at (w, b); NaN when no dual is known. Overwrites
 * the scratch, scores too, and leaves in problem->slopes the multipliers r (n x outputs, feasible) that give the bound. */
double hsp_problem_dual_bound(hsp_problem *p, const double *w, const double *b);
/* The bound from multipliers that a solver proposes: r (n x outputs) near -dloss/dg, signed and without the weight of the
 * row. They are clipped to the domain and made feasible for the free intercept. Without a penalty also
 * sum_i k_i r_i x_i = 0 must hold, up to rounding: else NaN. Leaves the feasible multipliers in problem->slopes. */
double hsp_problem_dual_of(hsp_problem *p, const double *r);
/* The same in two parts, for a caller that computes v = sum_i k_i r_i x_i itself, k_i = C c_i: one output, a penalty, and an
 * intercept that is free or absent. The first leaves feasible multipliers r in problem->slopes, and the second, which takes the
 * largest |v_j| and the conjugate R*(v) of an L1 share below 1, scales them. Columns with |v_j| <= rho may be left out of both
 * numbers. */
void hsp_problem_dual_begin(hsp_problem *p, const double *r);
double hsp_problem_dual_end(hsp_problem *p, double top, double conjugate);
/* (P - D) / max(|P|, 1e-300); NaN when D is. */
double hsp_relative_gap(double objective, double dual_bound);
/* The curvature of the parabola that touches the logistic loss at the margins m and -m, tanh(m/2) / (2 m) for m >= 0, and
 * lies above it everywhere (Jaakkola and Jordan 2000). In place of the curvature of a row far on the wrong side, which has a
 * slope but almost no curvature, it keeps Newton steps from overshooting. */
double hsp_majorant(double m);
bool hsp_all_zero(const double *v, int64_t size);

/* Loops over the rows are divided into blocks that do not depend on the number of threads: how many there are of n rows, and
 * the number of rows in one of them, from row *from on. */
enum { HSP_BLOCK_ROWS = 4096 };
static inline int64_t hsp_block_count(int64_t n) {
    return (n + HSP_BLOCK_ROWS - 1) / HSP_BLOCK_ROWS;
}
static inline int64_t hsp_block_rows(int64_t n, int64_t block, int64_t *from) {
    *from = block * HSP_BLOCK_ROWS;
    return n - *from < HSP_BLOCK_ROWS ? n - *from : HSP_BLOCK_ROWS;
}

#endif
