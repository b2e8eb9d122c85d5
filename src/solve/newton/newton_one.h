/* Newton's method for one output and a penalty, where one pass over the data an iteration does everything (survey.h): it
 * evaluates the step that led to the point, bounds the optimum from below by it, and brings what the next step needs.
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
    hsp_survey *survey;
    hsp_rare rare;        /* its problem is NULL until it is looked for */
    bool polish;          /* this step */
    double *point;        /* d + 1: weights, intercept */
    double *trial, *step; /* d + 1 */
    double *gc;           /* d: gradient with the intercept eliminated */
    double *scratch;      /* 4 d */
    double *t;            /* n */
    hsp_evaluation at;    /* the point */
    bool begun;
    bool careful;     /* with the curvature of rows on the wrong side */
    bool repair;      /* the factor alone does not do: let conjugate gradients repair what rounding has spoilt */
    double decrease;  /* promised by the last step, as a share of J; < 0 before the first */
    int64_t products; /* of the Hessian in the last step */
    int tiny;         /* steps below rounding, one after the other */
    int64_t k;        /* steps taken */
} hsp_newton_one;

/* How to solve: step (d) ~ -H^-1 gc, where H is the Hessian of J with the intercept eliminated. HSP_OK or HSP_EMEMORY. */
typedef struct hsp_newton_way {
    bool gram; /* uses look->G, up */
    int (*direct)(void *state, double *step, hsp_budget *budget);
    /* Likewise by the factor that the last `direct` has left; NULL: there is none. */
    int (*again)(void *state, double *step, hsp_budget *budget);
} hsp_newton_way;

/* Whether it takes the problem: others go by newton_core.h. */
bool hsp_newton_one_takes(const hsp_problem *p);
int hsp_newton_one_init(hsp_newton_one *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, bool gram,
                        hsp_error **err);
void hsp_newton_one_free(hsp_newton_one *s);
hsp_step hsp_newton_one_step(hsp_newton_one *s, const hsp_newton_way *way, void *state, hsp_budget *budget);
/* Conjugate gradients for `direct`: inner says how to precondition and how far to go at most; the demands are filled in. */
void hsp_newton_one_solve(hsp_newton_one *s, hsp_inner inner, double *step, hsp_budget *budget);
/* The step from the point that was looked at last, the slope along it, and in s->decrease what it promises. HSP_OK or
 * HSP_EMEMORY. */
int hsp_newton_one_direction(hsp_newton_one *s, const hsp_newton_way *way, void *state, double *slope, hsp_budget *budget);
/* The gap, as a share of J, after a step that promises this share of it. */
double hsp_newton_one_foreseen(const hsp_newton_one *s, double decrease);
/* Whether to begin with samples of the rows (newton_sample.c); and to do so: leaves the point where they have led, and in
 * s->trial one to go back to if J is more than *J there. */
bool hsp_newton_one_samples(const hsp_newton_one *s);
int hsp_newton_one_sample(hsp_newton_one *s, const hsp_newton_way *way, void *state, double *J, hsp_budget *budget);
/* The diagonal (d) of the Hessian with the intercept eliminated; first: d numbers of scratch. */
void hsp_newton_one_diagonal(hsp_newton_one *s, double *first, double *diagonal);
/* The slots export and known of a method whose state begins with its hsp_newton_one. */
bool hsp_newton_one_export(void *state, hsp_which which, hsp_point *out);
bool hsp_newton_one_measured(void *state, hsp_measured *out);

/* The methods (newton.c makes solvers of them): only what a solver does, no name and no needs. */
extern const hsp_solver hsp_newton_one_factor, hsp_newton_one_cg;

#endif
