/* Maximum margin as one quadratic program, which all losses with a box for their dual (HSP_DUAL_BOX) and the hard margin
 * share:
 *
 *     dual     max  sum_i alpha_i - |v|^2 / 2 - sum_i q_i alpha_i^2 / 2  (- t^2 / 2 when the intercept is penalised),
 *              0 <= alpha_i <= u_i,   v = sum_i alpha_i y_i x_i,   t = sum_i alpha_i y_i   (t = 0 when it is free)
 *     primal   min  |w|^2 / 2 (+ b^2 / 2) + sum_i psi_i(1 - y_i g_i),  psi_i(s) = max over 0 <= a <= u_i of a s - q_i a^2 / 2
 *
 *     a loss          u_i = dual_high C c_i   q_i = dual_ridge / (C c_i)
 *     hinge           u_i = C c_i             q_i = 0
 *     squared hinge   u_i = infinite          q_i = 1 / (2 C c_i)
 *     hard margin     u_i = infinite          q_i = 0                    (psi is infinite inside the margin) */
#ifndef HSP_PROBLEM_MARGIN_VALUES_H
#define HSP_PROBLEM_MARGIN_VALUES_H

#include "design/design.h"
#include "kernel/total.h"
#include "problem/problem.h"

#include <math.h>

typedef struct hsp_margin {
    const hsp_design *design;
    const double *y;     /* n: -1 or +1 */
    const double *upper; /* n: u_i, INFINITY when there is no bound; 0: the row does not count */
    const double *ridge; /* n: q_i; NULL: all 0 */
    hsp_intercept intercept;
    /* Where run.c solves the problem that this is the program of; else NULL and 0. */
    hsp_problem *problem; /* its objectives are reported */
    double aim;           /* relative gap to reach */
    bool followed;        /* another solver, of second order where the loss is smooth, may take over */
    bool loose;           /* the tolerance is one that few steps reach from a near start */
} hsp_margin;             /* all borrowed; must outlive the methods */

/* ---- the one place where P and D of the program are computed ---- */

/* The program of a problem whose loss has a box or an entropy as its dual. Fills upper and ridge (n each; ridge may be NULL
 * where the loss has none); y is the problem's. */
hsp_margin hsp_margin_of(const hsp_problem *p, double *upper, double *ridge);

/* w (d) = sum_i alpha_i y_i x_i; returns t = sum_i alpha_i y_i. `scratch` has n numbers. */
double hsp_margin_combine(const hsp_margin *m, const double *alpha, double *scratch, double *w);
/* The primal objective at w and b; `scores` are X w without b. If (w, b) violates a hard margin: that of the multiple of
 * (w, b) that does not, INFINITY when there is none. */
double hsp_margin_primal(const hsp_margin *m, const double *w, const double *scores, double b);
/* The dual objective, given w and t of hsp_margin_combine. A free intercept's t is taken as 0. */
double hsp_margin_dual_value(const hsp_margin *m, const double *alpha, const double *w, double t);
/* The b that minimises the primal for fixed w; the middle, if it is an interval. `scratch` has 2 n numbers. 0 without an
 * intercept. Hard margin: the middle between the classes. */
double hsp_margin_best_intercept(const hsp_margin *m, const double *scores, double *scratch);
/* Scales down the multipliers of the class with the larger sum so that t = 0 (free intercept only). */
void hsp_margin_balance(const hsp_margin *m, double *alpha);
/* The factors, one of them 1, that balance the multipliers of two classes whose sums are plus and minus. */
static inline void hsp_margin_factors(double plus, double minus, double *up, double *down) {
    *up = plus > minus ? minus / plus : 1;
    *down = plus < minus ? plus / minus : 1;
}
/* Adds the term of one row to D: of a box with the multiplier a and the ridge q; of an entropy with the bound u. */
static inline void hsp_dual_add_box(hsp_total *D, double a, double q) {
    hsp_total_add(D, a);
    if (q > 0) hsp_total_add(D, -q * a * a / 2);
}
static inline void hsp_dual_add_entropy(hsp_total *D, double alpha, double u) {
    double a = alpha / u;
    hsp_total_add(D, -u * (a * log(a) + (1 - a) * log1p(-a)));
}
/* (P - D) / |P|, at least 0. Slightly negative values are rounding and become 0; INFINITY where D exceeds P by more (the
 * numbers cannot be trusted) or where P or D is not finite. */
double hsp_margin_gap(double P, double D);
/* |P - D| / |P|, for infeasible iterates, whose D may exceed P; INFINITY where either is not finite. */
double hsp_margin_distance(double P, double D);

#endif
