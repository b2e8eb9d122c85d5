/* Reports every update of a run to the hook `update`: the solver returns after each (solver.h: watched, paused), its point is
 * reported in original units, and it continues. The result is the same, bit for bit, as without the hook. */
#ifndef HSP_SOLVE_LOOP_OBSERVE_H
#define HSP_SOLVE_LOOP_OBSERVE_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

typedef struct hsp_observer {
    const hsp_hooks *hooks;
    const hsp_problem *p;
    hsp_run_place place;
    double *w, b;       /* d, owned: the present point; w NULL: nothing is observed */
    double *last, at_b; /* d, owned: the point reported last */
    double *out;        /* d, owned: the present weights in original units; NULL: those of the design are */
    int64_t updates;    /* so far, at the last report */
    bool begun;         /* the start was reported */
    bool stopped;       /* the hook asked for it */
} hsp_observer;

/* Whether there is such a hook. */
bool hsp_observed(const hsp_hooks *hooks);
/* Only problems of one output are observed. HSP_OK or HSP_EMEMORY; free it in either case. */
int hsp_observer_init(hsp_observer *o, const hsp_hooks *hooks, const hsp_problem *p, hsp_run_place place, hsp_error **err);
void hsp_observer_free(hsp_observer *o);
void hsp_observer_report_start(hsp_observer *o, const hsp_solver *solver, const void *state);
/* solver->step to the end of the epoch or of the budget, with a report after every update; `epochs` are complete. */
hsp_step hsp_observer_step(hsp_observer *o, const hsp_solver *solver, void *state, hsp_budget *budget, int64_t epochs);
/* At the end of the run: reports moves since the last update, and the point that was kept if another method found it. */
void hsp_observer_report_end(hsp_observer *o, const hsp_solver *solver, const void *state, const hsp_budget *budget,
                             int64_t epochs, const hsp_point *kept);

#endif
