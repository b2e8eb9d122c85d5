/* Whether an unpenalised problem has its optimum at infinity (Albert and Anderson 1984). For a loss that is never 0 that is
 * so when the classes are separable (every row strictly on the right side at some point: the infimum is 0), or quasi-
 * separable (a direction v along which no row gets worse and some get better). A Newton step shows such a v once the rest
 * has converged: the rows that run off gain about 1 in the logarithm of their odds each time, the others stay. The step is
 * then projected onto the plane where the others do not move at all, and looked at again: that is the proof. */
#ifndef HSP_SOLVE_NEWTON_SEPARATION_H
#define HSP_SOLVE_NEWTON_SEPARATION_H

#include "halfspace.h"
#include "problem/problem.h"

typedef struct hsp_separation {
    hsp_problem *p;
    bool possible;           /* no penalty, and a loss that is never 0: else nothing is allocated and nothing found */
    double *v;               /* K x d and K: the direction found */
    double *e, *q, *u;       /* likewise, scratch */
    double *length;          /* d: of the columns */
    double *gains, *rho, *t; /* n x K */
} hsp_separation;

int hsp_separation_init(hsp_separation *s, hsp_problem *p, hsp_error **err);
void hsp_separation_free(hsp_separation *s);

/* Fewer than two classes have rows that weigh anything: a free intercept then runs off, penalty or not. */
bool hsp_separation_lonely(const hsp_problem *p);
/* At a point (K x d weights, then K intercepts) with these scores: every row on the right side. */
bool hsp_separation_complete(hsp_separation *s, const double *point, const double *scores);
/* Along a step with these changes of the scores: quasi-separation. */
bool hsp_separation_quasi(hsp_separation *s, const double *step, const double *change);
/* The columns that matter most in the direction found; how many. */
int hsp_separation_columns(const hsp_separation *s, int64_t *columns);

#endif
