/* Newton's method for one output and a penalty. One pass over the data per iteration does everything (survey.h): it evaluates
 * the end of the last step, computes the lower bound that the step proves, and gathers what the next step needs.
 * newton_one_factor.c and newton_one_cg.c differ in how they solve the linear system. */
#ifndef HSP_SOLVE_NEWTON_NEWTON_ONE_H
#define HSP_SOLVE_NEWTON_NEWTON_ONE_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "problem/rare.h"
#include "problem/survey.h"
#include "solve/loop/solver.h"
#include "solve/newton/hessian.h"

typedef struct hsp_newton_one {
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_survey *survey;   /* owned */
    hsp_rare rare;        /* its problem is NULL until the columns have been counted */
    bool polish;          /* this step ends with a search along rare columns */
    double *point;        /* d + 1: weights, intercept; all arrays are owned */
    double *trial, *step; /* d + 1 */
    double *gc;           /* d: gradient with the intercept eliminated */
    double *scratch;      /* 4 d */
    double *t;            /* n, borrowed: the problem's scratch, which nothing else uses within a step */
    hsp_evaluation at;    /* the point */
    bool begun;
    bool majorised;   /* curvature of rows on the wrong side by hsp_majorant */
    bool repair;      /* the factor alone is too inaccurate: conjugate gradients correct its rounding errors */
    double decrease;  /* predicted by the last step, as a share of J; < 0 before the first */
    int64_t products; /* of the Hessian in the last step */
    int tiny;         /* consecutive steps below rounding */
    int64_t k;        /* steps taken */
} hsp_newton_one;

/* How the linear system is solved: step (d) ~ -H^-1 gc, where H is the Hessian of J with the intercept eliminated. HSP_OK or
 * HSP_EMEMORY. */
typedef struct hsp_newton_linear {
    bool gram; /* needs survey->G, which it overwrites */
    int (*direct)(void *state, double *step, hsp_budget *budget);
    /* The same by the factor that the last `direct` has left; NULL: there is none. */
    int (*again)(void *state, double *step, hsp_budget *budget);
} hsp_newton_linear;

/* Whether the method can solve the problem: others are for newton_core.h. */
bool hsp_newton_one_takes(const hsp_problem *p);
int hsp_newton_one_init(hsp_newton_one *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, bool gram,
                        hsp_error **err);
void hsp_newton_one_free(hsp_newton_one *s);
hsp_step hsp_newton_one_step(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, hsp_budget *budget);
/* s->trial <- point + t step. */
static inline void hsp_newton_one_set_trial(hsp_newton_one *s, double t) {
    for (int64_t j = 0; j <= s->p->design->d; j++) s->trial[j] = s->point[j] + t * s->step[j];
}
/* Conjugate gradients for `direct`: the caller sets precondition, ctx, relative and most of `inner`. */
void hsp_newton_one_solve(hsp_newton_one *s, hsp_inner inner, double *step, hsp_budget *budget);
/* The step from the point evaluated last, the slope along it, and in s->decrease the predicted decrease. HSP_OK or
 * HSP_EMEMORY. */
int hsp_newton_one_direction(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, double *slope,
                             hsp_budget *budget);
/* The gap, as a share of J, after a step with this predicted decrease, as a share of J. */
double hsp_newton_one_predicted_gap(const hsp_newton_one *s, double decrease);
/* Whether to start on samples of the rows (newton_sample.c). And the start: moves the point, and leaves in s->trial the point
 * to return to if J is more than *J there. */
bool hsp_newton_one_samples(const hsp_newton_one *s);
int hsp_newton_one_sample(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, double *J, hsp_budget *budget);
/* The diagonal (d) of the Hessian with the intercept eliminated; first: d numbers of scratch. */
void hsp_newton_one_diagonal(hsp_newton_one *s, double *first, double *diagonal);
/* The slots export and measured of a method whose state begins with its hsp_newton_one. */
bool hsp_newton_one_export(void *state, hsp_which which, hsp_point *out);
bool hsp_newton_one_measured(void *state, hsp_measured *out);

/* The methods, of which newton.c makes solvers: the functions only, without name and needs. */
extern const hsp_solver hsp_newton_one_factor, hsp_newton_one_cg;

#endif
