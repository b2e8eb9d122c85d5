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
 *     hard margin     u_i = infinite          q_i = 0                    (psi is infinite inside the margin)
 *
 * A method improves a point (w, b, alpha) step by step and knows nothing of run.c; margin_solver.c makes solvers of
 * methods, and hard_svm.c runs them by itself. Methods follow one another: what the first exports is where the next one
 * starts. */
#ifndef HSP_SOLVE_MARGIN_MARGIN_H
#define HSP_SOLVE_MARGIN_MARGIN_H

#include "design/design.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

#include <stdbool.h>

typedef struct hsp_margin {
    const hsp_design *design;
    const double *y;     /* n: -1 or +1 */
    const double *upper; /* n: u_i, INFINITY when there is no bound; 0: the row does not count */
    const double *ridge; /* n: q_i; NULL: all 0 */
    hsp_intercept intercept;
    /* Where it is the program of a problem that run.c has solved; else NULL and 0. */
    hsp_problem *problem; /* objectives are then its */
    double aim;           /* relative gap that is asked for */
    bool followed;        /* another solver, of second order where the loss is smooth, may take over */
} hsp_margin;             /* all borrowed; must outlive the methods */

typedef struct hsp_margin_point {
    double *w; /* d */
    double b;
    double *alpha; /* n, each in [0, u_i] */
} hsp_margin_point;

/* What a method knows of the point that it exports: margin_solver.c can answer run.c with it and measures nothing anew (the
 * share of errors and the mean loss come from the scores by hsp_problem_evaluate_scores, without a look at the data). */
typedef struct hsp_margin_known {
    double primal, dual;      /* objectives: of (w, b), and of the multipliers, feasible as they are */
    const double *scores;     /* n: X w without b; borrowed, as it is until the next step */
    const hsp_evaluation *at; /* the figures of the problem; NULL: to be made of the scores */
} hsp_margin_known;

typedef struct hsp_margin_method {
    const char *name; /* as traces and reports have it */
    size_t state_size;
    bool entropy; /* takes the logistic loss (HSP_DUAL_ENTROPY) in place of the boxes, too, for problems */
    /* start: copied; NULL: the method's own start. Allocates whatever `step` needs. HSP_EUSAGE when the method cannot take
     * the program (with the reason), HSP_EMEMORY. */
    int (*init)(void *state, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err);
    /* One step of Newton's method or one epoch. MORE; DONE: converged as far as double goes; STALLED; FAILED: a number is
     * not finite; MEMORY. */
    hsp_step (*step)(void *state, hsp_budget *budget);
    /* The present point. b is best for w where that is an interval its middle; alpha is feasible up to rounding. */
    void (*export)(void *state, hsp_margin_point *out);
    /* Its own estimate of (P - D) / |P| at the present point: when to hand over. INFINITY before the first step. */
    double (*gap)(const void *state);
    /* NULL; or fills in what is known of the point that `export` gives; false: nothing is. */
    bool (*known)(const void *state, hsp_margin_known *out);
    /* NULL; or whether the last step, which said MORE, left a point that is not worth measuring. */
    bool (*quiet)(const void *state);
    /* NULL: always; or whether the finish would be sooner at the gap `tol` than the method itself. */
    bool (*finish_pays)(const void *state, double tol);
    /* NULL; or the present point as hsp_solver.peek has it. */
    void (*peek)(const void *state, double *w, double *b);
    void (*free)(void *state); /* what init allocated, also when it failed half-way; not the state itself */
} hsp_margin_method;

/* Interior point (Mehrotra 1992): one weighted Gram matrix and one Cholesky factorisation a step; few columns, any rows. */
extern const hsp_margin_method hsp_margin_interior;
/* Dual coordinate descent with the intercept free by an augmented Lagrangian; many sparse columns. */
extern const hsp_margin_method hsp_margin_dual;
/* Proximal point in alpha, semismooth Newton inside: the finish of both, which ends at exact multipliers. */
extern const hsp_margin_method hsp_margin_polish;

/* ---- what the methods share (margin.c) ---- */

/* The program of a problem whose loss has a box or an entropy for its dual, over arrays of n numbers that are filled here;
 * ridge may be NULL where the loss has none. y is the problem's. */
hsp_margin hsp_margin_of(const hsp_problem *p, double *upper, double *ridge);

/* w (d) = sum_i alpha_i y_i x_i; returns t = sum_i alpha_i y_i. `scratch` has n numbers. */
double hsp_margin_combine(const hsp_margin *m, const double *alpha, double *scratch, double *w);
/* The objective of the primal at w and b; `scores` are X w without b. Where a hard margin is not kept: that of the multiple
 * of (w, b) which keeps it, INFINITY when there is none. */
double hsp_margin_primal(const hsp_margin *m, const double *w, const double *scores, double b);
/* The objective of the dual, given w and t of hsp_margin_combine. A free intercept's t is taken as 0. */
double hsp_margin_dual_value(const hsp_margin *m, const double *alpha, const double *w, double t);
/* The b that minimises the primal for fixed w: the middle of the interval where there is one. `scratch` has 2 n numbers.
 * 0 without an intercept. Hard margin: the middle between the classes. */
double hsp_margin_best_intercept(const hsp_margin *m, const double *scores, double *scratch);
/* Scales the multipliers of the heavier class down so that t = 0 (free intercept only). */
void hsp_margin_balance(const hsp_margin *m, double *alpha);

#endif
