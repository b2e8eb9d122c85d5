/* Methods for the program of problem/margin_values.h.
 *
 * A method improves a point (w, b, alpha) step by step and knows nothing of run.c; margin_solver.c makes solvers of
 * methods, and hard_svm.c runs them by itself. Methods follow one another: what the first exports is where the next one
 * starts. */
#ifndef HSP_SOLVE_MARGIN_MARGIN_H
#define HSP_SOLVE_MARGIN_MARGIN_H

#include "halfspace.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

typedef struct hsp_margin_point {
    double *w; /* d */
    double b;
    double *alpha; /* n, each in [0, u_i] */
} hsp_margin_point;

/* What a method knows of the point that it exports: margin_solver.c can answer run.c with it and measures nothing anew (the
 * share of errors and the mean loss come from the scores by hsp_problem_evaluate_scores, without a look at the data). */
typedef struct hsp_margin_measured {
    double primal, dual;      /* objectives: of (w, b), and of the multipliers, feasible as they are */
    const double *scores;     /* n: X w without b; borrowed, as it is until the next step */
    const hsp_evaluation *at; /* the figures of the problem; NULL: to be made of the scores */
} hsp_margin_measured;

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
    bool (*measured)(const void *state, hsp_margin_measured *out);
    /* NULL; or whether the last step, which result MORE, left a point that is not worth measuring. */
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

#endif
