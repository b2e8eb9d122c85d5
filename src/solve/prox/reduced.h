/* The third way to minimise the objective of prox_newton.h, for one output: only some columns may have weights, and the problem
 * in these alone is solved by the matrix model, over a copy of their numbers (design/narrow.h). The gradient in all columns,
 * one pass over the rows, then proves the gap of the whole problem or names the columns that must come in. A column that is
 * out has weight 0 and stays out only as long as |g_j| <= lambda rho proves that it may: nothing is discarded unproved. */
#ifndef HSP_SOLVE_PROX_REDUCED_H
#define HSP_SOLVE_PROX_REDUCED_H

#include "design/narrow.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/prox/column_screen.h"
#include "solve/prox/prox_newton.h"
#include "solve/prox/single_screen.h"

/* Owns all its arrays. */
typedef struct hsp_reduced {
    hsp_narrow narrow;
    hsp_column_screen_of *screen;              /* owned; NULL: not made yet */
    hsp_single_screen *single;                 /* owned; likewise, of dense rows */
    bool screenless;                           /* it could not be made */
    hsp_problem *problem;                      /* over the narrow design; NULL: no column is in */
    hsp_prox inner;                            /* solves it */
    bool open;                                 /* inner is initialised */
    hsp_rules rules;                           /* of inner */
    int64_t *wanted;                           /* d: scratch */
    double *w;                                 /* d: scratch */
    double *last, *before;                     /* d: the gradients at the ends of the last two runs of a path */
    double lambda, lambda_last, lambda_before; /* the present one, and those of these runs */
    int64_t lambdas;                           /* changes of lambda so far */
    bool alone;     /* one fit, whose errors and norm are wanted */
    bool measured;  /* inner.at.measured and `duals` are those of the last step */
    double duals;   /* the dual objective of the multipliers of its model, without the conjugate of the penalty */
    double follows; /* the next gradient is expected at so many times the last change; 0: as it is */
} hsp_reduced;

/* Whether a problem is solved faster this way than by the others. */
bool hsp_reduced_suits(const hsp_problem *p, bool path);
/* Creates s->reduced; the caller frees it, after a failure too. alone: for one fit, which another way takes over if many
 * columns have weights. */
int hsp_reduced_init(hsp_prox *s, bool alone, hsp_error **err);
void hsp_reduced_free(hsp_reduced *r); /* NULL is allowed */
/* A step of the solver: some Newton steps in the columns that are in, and a pass over all. *many: too many columns have
 * weights, and another way is better from here. */
hsp_step hsp_reduced_step(hsp_prox *s, hsp_budget *budget, bool *many);

/* at.w and at.b were changed; scores: those there, n, or NULL. */
void hsp_reduced_start(hsp_prox *s, const double *scores);
/* Lambda has changed, and the point is the optimum of the one before. */
void hsp_reduced_relax(hsp_prox *s);

#endif
