/* The inside of a run, which run.c (one problem) and run_together.c (several at once) share. */
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
    const hsp_batch *batch; /* that it is a part of; NULL: by itself */
    int64_t member;         /* which of its problems */
    void *state;            /* the solver's, or the batch's */
    bool cancelled;         /* with the batch */
    hsp_point *now;         /* scratch */
    hsp_point *best;        /* the best so far: the caller's point, which began as the start */
    hsp_evaluation at_now, at_best;
    double bound_now; /* that the solver knows of the present point; NaN: it does not */
    hsp_budget budget;
    hsp_outcome *out;
    bool at_start; /* the best so far is the start */
    double begun;
    int64_t updates_before; /* the present epoch */
    int64_t next_gap;       /* epoch of the next dual bound */
    int64_t taken_at;       /* epoch at which the present solver took over */
    struct {
        double gap;   /* that must be halved ... */
        int64_t from; /* ... and the epoch at which it was reached */
    } halving;
    struct {
        int64_t next;     /* epoch at which the objective must have fallen again */
        double best, now; /* best and present objective at the last one */
    } progress;
    int spares; /* that have been tried */
} hsp_run_state;

/* Memory for a run, of which solver, p, rules, place, hooks, best and out are given; and its end. */
int hsp_run_make(hsp_run_state *r, hsp_error **err);
void hsp_run_clear(hsp_run_state *r);
/* The start is measured and the clock set. */
void hsp_run_begin(hsp_run_state *r);
/* Exports a point, measures it unless the solver has done so, and keeps it when it is the best yet; false when there is
 * none of that kind. */
bool hsp_run_measure(hsp_run_state *r, hsp_which which);
/* Why to stop after an epoch whose point was measured, or NULL. */
const char *hsp_run_verdict(hsp_run_state *r, hsp_step step);
/* The limit that is reached, or NULL; takes a cancel away. Whether one is, which does not. */
const char *hsp_run_limit(const hsp_run_state *r);
bool hsp_run_is_over(const hsp_run_state *r);
/* One line to the progress hook; true when it asks to stop. */
bool hsp_run_report(const hsp_run_state *r);
/* Who goes on when the present solver cannot; NULL: nobody. Whether he is to, rather than that the run ends. */
const hsp_solver *hsp_run_successor(const hsp_run_state *r);
bool hsp_run_is_taken_over(const hsp_run_state *r, hsp_step step, const char *stop);
/* The next solver goes on from the best point, with the multipliers of the best bound, unless these are worth nothing or it
 * does better from its own start. */
int hsp_run_hand_over(hsp_run_state *r, const hsp_solver *next, hsp_error **err);
/* Runs on to the end, unless `stop` says that it is there, and why that came. */
int hsp_run_loop(hsp_run_state *r, const char *stop, const char **why, hsp_error **err);
/* Fills in the outcome. */
void hsp_run_finish(hsp_run_state *r, const char *stop);

#endif
