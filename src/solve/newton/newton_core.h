/* The part of Newton's method that does not depend on how its linear systems are solved: the point, its gradient and
 * curvature, the line search, the multipliers that a step proposes, and the check for an optimum at infinity. newton_whole.c
 * and newton_blocks.c differ only in the preconditioner. */
#ifndef HSP_SOLVE_NEWTON_NEWTON_CORE_H
#define HSP_SOLVE_NEWTON_NEWTON_CORE_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/hessian.h"
#include "solve/newton/separation.h"

typedef struct hsp_newton {
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_hessian H;
    hsp_separation separation;
    int64_t size;     /* K (d + 1): the weights, then the intercepts */
    double *point;    /* the present one; all arrays are owned */
    double *step;     /* the direction */
    double *gb;       /* K: gradient of F in the intercepts */
    double *gc;       /* K x d: that in the weights, with the intercepts eliminated */
    double *base;     /* n x K: scores at the point */
    bool scored;      /* base has been moved along with the point */
    double drift;     /* by how much, at most, since it was computed */
    hsp_evaluation at; /* the point, if scored */
    double *change;   /* n x K: of the scores along the direction */
    double *alpha;    /* n x K: multipliers */
    bool proposed;    /* alpha is filled */
    int64_t endless;  /* steps since a direction was found along which the optimum lies at infinity; 0: none was */
    bool majorised;   /* curvature of rows on the wrong side by hsp_majorant */
    double decrease;  /* of F, predicted by the last step; < 0 before the first */
    int64_t products; /* of the Hessian in the last step */
    int tiny;         /* consecutive steps below rounding */
    int64_t k;        /* steps taken */
} hsp_newton;

/* Computes the preconditioner M for the curvature in H: HSP_OK or HSP_EMEMORY. */
typedef int (*hsp_newton_prepare)(void *state);

int hsp_newton_init(hsp_newton *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err);
void hsp_newton_free(hsp_newton *s);
/* One iteration. The caller sets precondition, ctx, relative and most of `inner`. */
hsp_step hsp_newton_step(hsp_newton *s, hsp_newton_prepare prepare, hsp_inner inner, hsp_budget *budget);
/* The slots export, diverging and measured of a method whose state begins with its hsp_newton. */
bool hsp_newton_export(void *state, hsp_which which, hsp_point *out);
int hsp_newton_diverging(void *state, int64_t *columns);
bool hsp_newton_measured(void *state, hsp_measured *out);

/* The methods, of which newton.c makes solvers: the functions only, without name and needs. */
extern const hsp_solver hsp_newton_whole, hsp_newton_blocks;

#endif
