/* A look at every update of a run, for the hook `update`: the solver comes back after each (solver.h: watched, paused), its
 * point is told in original units, and it goes on. The run is the same to the last bit as without. */
#ifndef HSP_SOLVE_LOOP_OBSERVE_H
#define HSP_SOLVE_LOOP_OBSERVE_H

#include "design/design.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

typedef struct hsp_observer {
    const hsp_hooks *hooks;
    const hsp_design *design;
    hsp_run_place place;
    double *w; /* d; NULL: nobody looks */
    double b;
    bool stopped; /* the hook asked for it */
} hsp_observer;

/* Whether there is such a hook. */
bool hsp_observed(const hsp_hooks *hooks);
/* Problems of one output can be looked at, others are not. HSP_OK or HSP_EMEMORY; free it in either case. */
int hsp_observer_init(hsp_observer *o, const hsp_hooks *hooks, const hsp_problem *p, hsp_run_place place, hsp_error **err);
void hsp_observer_free(hsp_observer *o);
/* The start. */
void hsp_observer_begin(hsp_observer *o, const hsp_solver *solver, const void *state);
/* solver->step to the end of the epoch or of the budget, with a look after every update; `epochs` are complete. */
hsp_step hsp_observer_step(hsp_observer *o, const hsp_solver *solver, void *state, hsp_budget *budget, int64_t epochs);

#endif
