/* The solver that `auto` takes: the one that reaches the tolerance first according to a cost model. The model uses the size
 * and shape of the data, a sample of rows and the problem, never a clock: the same data, the same choice. A factor of two or
 * three is accurate enough, since a solver that makes no progress is replaced by the next. */
#ifndef HSP_SOLVE_LOOP_CHOOSE_H
#define HSP_SOLVE_LOOP_CHOOSE_H

#include "design/design.h"
#include "loss/loss.h"
#include "solve/loop/solver.h"

/* The input of the cost model. */
typedef struct hsp_facts {
    const hsp_loss *loss;
    bool l1;         /* the penalty has an L1 part */
    bool penalised;  /* there is a penalty */
    int64_t outputs; /* scores of a row in one problem */
    double C;        /* weight of a row's loss; 1 without a penalty */
    double tol;
    double n, d, stored; /* rows, columns, stored numbers */
    bool dense;
    double pairs; /* products of a Gram matrix */
    double size;  /* mean |x'_i - centre|^2 */
} hsp_facts;

hsp_facts hsp_facts_of(const hsp_design *D, const hsp_loss *loss, double C, double tol);

typedef struct hsp_solver_choice {
    const hsp_solver *first, *next;                 /* next: NULL where the first needs no other */
    const hsp_solver *fallback[HSP_MOST_FALLBACKS]; /* tried in turn when those fail; NULL: no more */
} hsp_solver_choice;

hsp_solver_choice hsp_choose(const hsp_facts *f);

#endif
