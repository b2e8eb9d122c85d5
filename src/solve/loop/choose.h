/* Which solver `auto` takes: the one that a model of costs says is soonest at the tolerance. The model looks at the size
 * and shape of the data, at a sample of rows and at the problem, never at a clock: the same data, the same choice. It
 * need not be right by more than a factor of two or three, since a solver that is not getting on gives way to the next. */
#ifndef HSP_SOLVE_LOOP_CHOOSE_H
#define HSP_SOLVE_LOOP_CHOOSE_H

#include "design/design.h"
#include "loss/loss.h"
#include "solve/loop/solver.h"

/* What the model looks at. */
typedef struct hsp_facts {
    const hsp_loss *loss;
    bool l1;         /* the penalty has a part of it */
    bool penalised;  /* there is one at all */
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
    const hsp_solver *first, *next;          /* next: NULL where the first needs no other */
    const hsp_solver *spare[HSP_MOST_SPARE]; /* when those fail; NULL: no more */
} hsp_solver_choice;

hsp_solver_choice hsp_choose(const hsp_facts *f);

#endif
