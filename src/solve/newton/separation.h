/* Whether an unpenalised problem has its optimum at infinity (Albert and Anderson 1984). For a loss that is never 0 this is
 * the case under complete separation (every row strictly on the right side at some point: the infimum is 0) or
 * quasi-complete separation (a direction v along which no row gets worse and some get better). Newton steps converge to such
 * a v: the diverging rows gain about 1 in their log-odds each step, the others stay. The step is then projected onto the
 * subspace where the others do not move at all, and checked again: that is the proof. */
#ifndef HSP_SOLVE_NEWTON_SEPARATION_H
#define HSP_SOLVE_NEWTON_SEPARATION_H

#include "halfspace.h"
#include "problem/problem.h"

typedef struct hsp_separation {
    hsp_problem *p;
    bool possible;           /* no penalty, and a loss that is never 0: else nothing is allocated and nothing found */
    double *v;               /* K x d and K: the direction found; all arrays are owned */
    double *e, *q, *u;       /* likewise, scratch */
    double *length;          /* d: of the columns */
    double *gains, *rho, *t; /* n x K */
} hsp_separation;

int hsp_separation_init(hsp_separation *s, hsp_problem *p, hsp_error **err);
void hsp_separation_free(hsp_separation *s);

/* Fewer than two classes have rows of positive weight: a free intercept then diverges, penalty or not. */
bool hsp_separation_one_class(const hsp_problem *p);
/* Complete separation: at a point (K x d weights, then K intercepts) with these scores every row is on the right side. */
bool hsp_separation_complete(hsp_separation *s, const double *point, const double *scores);
/* Quasi-complete separation, along a step with these changes of the scores. */
bool hsp_separation_quasi(hsp_separation *s, const double *step, const double *change);
/* Fills in the columns with the largest influence in the direction found; returns how many. */
int hsp_separation_columns(const hsp_separation *s, int64_t *columns);

#endif
