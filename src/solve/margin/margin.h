/* Methods for the program of problem/margin_values.h.
 *
 * A method improves a point (w, b, alpha) step by step, independently of run.c: margin_solver.c makes solvers of methods, and
 * hard_svm.c runs them directly. Methods follow one another: the next one starts where the last has ended. */
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

/* Copies a point of the program m. */
static inline void hsp_margin_point_copy(hsp_margin_point *to, const hsp_margin_point *from, const hsp_margin *m) {
    for (int64_t j = 0; j < m->design->d; j++) to->w[j] = from->w[j];
    for (int64_t i = 0; i < m->design->n; i++) to->alpha[i] = from->alpha[i];
    to->b = from->b;
}

/* What a method has measured at the point that it exports, so that margin_solver.c can report it to run.c without a pass over
 * the data (error rate and mean loss follow from the scores by hsp_problem_evaluate_scores). */
typedef struct hsp_margin_measured {
    double primal, dual;      /* objectives: of (w, b), and of the multipliers, which are feasible */
    const double *scores;     /* n: X w without b; borrowed until the next step */
    const hsp_evaluation *at; /* the figures of the problem; NULL: to be computed from the scores */
} hsp_margin_measured;

typedef struct hsp_margin_method {
    const char *name; /* in traces and reports */
    size_t state_size;
    bool entropy; /* can also solve problems with the logistic loss (HSP_DUAL_ENTROPY) */
    /* start: copied; NULL: the method's own start. Allocates all that `step` needs. HSP_EUSAGE (with the reason) when the
     * method cannot solve the program, HSP_EMEMORY. */
    int (*init)(void *state, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err);
    /* One Newton step or one epoch. MORE; DONE: converged up to rounding; STALLED; FAILED: a number is not finite; MEMORY. */
    hsp_step (*step)(void *state, hsp_budget *budget);
    /* The present point. b is the best for w (the middle, if that is an interval); alpha is feasible up to rounding. */
    void (*export)(void *state, hsp_margin_point *out);
    /* Its own estimate of (P - D) / |P| at the present point: when to hand over. INFINITY before the first step. */
    double (*gap)(const void *state);
    /* Optional: what was measured at the point that `export` gives; false: nothing. */
    bool (*measured)(const void *state, hsp_margin_measured *out);
    /* Optional: whether the last step, whose result was MORE, left a point that is not worth measuring. */
    bool (*quiet)(const void *state);
    /* Optional: whether the finish would reach the gap `tol` sooner than the method itself. NULL: always. */
    bool (*finish_pays)(const void *state, double tol);
    /* Optional: the present point, as hsp_solver.peek. */
    void (*peek)(const void *state, double *w, double *b);
    void (*free)(void *state); /* frees what init allocated, also when init failed; not the state itself */
} hsp_margin_method;

/* Interior point (Mehrotra 1992): one weighted Gram matrix and one Cholesky factorisation a step; few columns, any rows. */
extern const hsp_margin_method hsp_margin_interior;
/* Dual coordinate descent with the intercept free by an augmented Lagrangian; many sparse columns. */
extern const hsp_margin_method hsp_margin_dual;
/* Proximal point in alpha with semismooth Newton steps: the finish of both, which ends at exact multipliers. */
extern const hsp_margin_method hsp_margin_polish;

#endif
