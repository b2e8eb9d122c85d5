/* The state of a run, shared by run.c (one problem) and run_together.c (several at once). */
#ifndef HSP_SOLVE_LOOP_RUN_STATE_H
#define HSP_SOLVE_LOOP_RUN_STATE_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/observe.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"

typedef struct hsp_run_state {
    const hsp_solver *solver;
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_run_place place;
    const hsp_hooks *hooks;
    hsp_observer observer;
    const hsp_batch *batch; /* NULL: not in a batch */
    int64_t member;         /* index of the problem in the batch */
    void *state;            /* the solver's (owned), or the batch's (borrowed) */
    bool cancelled;         /* with the batch */
    hsp_point *now;         /* owned: the point exported last */
    hsp_point *best;        /* the best so far: the caller's point, at first the start */
    hsp_evaluation at_now, at_best;
    double bound_now; /* the bound that the solver reported for the present point; NaN: none */
    hsp_budget budget;
    hsp_outcome *out;
    bool at_start; /* the best so far is the start */
    double begun;
    int64_t updates_before; /* the present epoch */
    int64_t next_gap;       /* epoch of the next dual bound */
    int64_t taken_at;       /* epoch at which the present solver took over */
    struct {
        double gap;   /* the gap that must be halved, ... */
        int64_t from; /* ... and the epoch at which it was reached */
    } halving;
    struct {
        int64_t next;     /* epoch at which the objective is checked again */
        double best, now; /* best and present objective at the last check; with patience `now` is the mean since then ... */
        double sum;       /* ... and this the sum so far, ... */
        int64_t count;    /* ... over so many epochs */
        double gap;       /* the gap at the last check */
    } progress;
    int fallbacks; /* number tried */
} hsp_run_state;

/* Allocates memory for a run whose solver, p, rules, place, hooks, best and out are set. */
int hsp_run_allocate(hsp_run_state *r, hsp_error **err);
void hsp_run_free(hsp_run_state *r);
/* Measures the start and starts the clock. */
void hsp_run_measure_start(hsp_run_state *r);
/* Exports a point, measures it unless the solver has, and keeps it if it is the best so far; false when there is none of
 * that kind. */
bool hsp_run_measure(hsp_run_state *r, hsp_which which);
/* The reason to stop after an epoch whose point was measured, or NULL. */
hsp_stop hsp_run_stop_reason(hsp_run_state *r, hsp_step step);
/* The limit that is reached, or NULL; clears a pending cancel. hsp_run_is_over only tests and does not clear it. */
hsp_stop hsp_run_limit(const hsp_run_state *r);
bool hsp_run_is_over(const hsp_run_state *r);
/* One line to the progress hook; true when it asks to stop. */
bool hsp_run_report(const hsp_run_state *r);
/* The solver that follows the present one; NULL: none. And whether it takes over, or the run ends. */
const hsp_solver *hsp_run_successor(const hsp_run_state *r);
bool hsp_run_is_taken_over(const hsp_run_state *r, hsp_step step, hsp_stop stop);
/* Starts the next solver at the best point, with the multipliers of the best bound, unless the gap is too large for them to
 * be of use or the solver does better from its own start. */
int hsp_run_hand_over(hsp_run_state *r, const hsp_solver *next, hsp_error **err);
/* Runs to the end, unless `stop` is a reason to stop at once; *why is the reason. */
int hsp_run_loop(hsp_run_state *r, hsp_stop stop, hsp_stop *why, hsp_error **err);
/* Fills in the outcome. */
void hsp_run_finish(hsp_run_state *r, hsp_stop stop);

#endif
