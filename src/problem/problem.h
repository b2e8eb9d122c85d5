/* The problem: design x loss x penalty x intercept. The one place where the objective is written for the solvers:
 *
 *     P(w, b) = R(w) + C sum_i c_i loss(y_i, g_i),   g_i = w.x_i + b       (penalised)
 *     P(w, b) =        sum_i c_i loss(y_i, g_i)                           (penalty none)
 *
 * Learning rates apply to the mean form  F = lambda R(w) + sum c_i loss_i / sum c_i,  P = F * scale, lambda = 1/(C sum
 * c_i). */
#ifndef HSP_PROBLEM_PROBLEM_H
#define HSP_PROBLEM_PROBLEM_H

#include "design/design.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "problem/point.h"

typedef enum hsp_intercept { HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED } hsp_intercept;

typedef struct hsp_problem {
    const hsp_design *design;
    const hsp_loss *loss;
    const hsp_penalty *penalty;
    hsp_intercept intercept;
    hsp_kink kink;
    double C, lambda; /* lambda is 0 and C is 1 without a penalty */
    double rho;       /* share of L1 */
    double *y;        /* n labels, -1 or +1: the caller fills them in */
    const double *c;  /* n row weights, borrowed, or NULL: all 1 */
    double sum_c;
    double scale; /* P = scale * F */
    /* scratch */
    double *scores, *values, *slopes; /* n each */
    double *v;                        /* d */
    double width;                     /* of the smoothed hinge that last gave the best dual point */
} hsp_problem;

typedef struct hsp_problem_spec {
    const hsp_loss *loss;
    const hsp_penalty *penalty;
    hsp_intercept intercept;
    hsp_kink kink;
    double C, lambda; /* the one that is not given is NaN; both NaN: C = 1 */
    double l1_ratio;
    const double *c;
} hsp_problem_spec;

int hsp_problem_new(const hsp_design *design, const hsp_problem_spec *spec, hsp_problem **out, hsp_error **err);
void hsp_problem_free(hsp_problem *p);

typedef struct hsp_evaluation {
    double objective; /* P */
    double mean_loss;
    double error; /* share of rows on the wrong side */
    double norm;  /* |w| */
} hsp_evaluation;

/* One pass: the figures at a point with one output. Leaves the scores in problem->scores. */
hsp_evaluation hsp_problem_evaluate(hsp_problem *p, const double *w, double b);
/* Also the gradient of the smooth part of F (all but the L1 term): gw (d) and *gb (0 without an intercept). */
hsp_evaluation hsp_problem_gradient(hsp_problem *p, const double *w, double b, double *gw, double *gb);
/* F at a point whose P is known. */
static inline double hsp_problem_mean(const hsp_problem *p, double objective) {
    return objective / p->scale;
}
/* Whether a lower bound of the optimum can be had: a penalty, and a loss with a conjugate. */
static inline bool hsp_problem_has_dual(const hsp_problem *p) {
    return p->penalty->penalises && (p->loss->traits & HSP_LOSS_DUAL);
}
/* A true lower bound of the optimum of P, from dual-feasible points built at (w, b); NaN when no dual is known. */
double hsp_problem_dual_bound(hsp_problem *p, const double *w, double b);
/* (P - D) / max(|P|, 1e-300); NaN when D is. */
double hsp_relative_gap(double objective, double dual_bound);

#endif
