/* The loop that runs any solver on a problem, keeps the requested point, and reports the outcome. */
#ifndef HSP_SOLVE_LOOP_RUN_H
#define HSP_SOLVE_LOOP_RUN_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

/* One problem of several over the same design, for progress reports and random streams. */
typedef struct hsp_run_place {
    int64_t problem, problems;
    const char *label;
} hsp_run_place;

/* A part of a run by one method: a solver, or a method of one that is made of several. */
typedef struct hsp_stage {
    const char *method;
    int64_t epochs; /* when it took over, ... */
    double gap;     /* ... the gap then (NaN: not known), ... */
    double seconds; /* ... and the time since the run began */
} hsp_stage;

enum { HSP_MOST_STAGES = 8 };

typedef struct hsp_outcome {
    hsp_stop stop;
    bool converged; /* stopped by a proof: gap, gradient, no mistakes, zero loss */
    int64_t epochs, updates, steps;
    hsp_evaluation start;   /* before the first step */
    hsp_evaluation end;     /* at the point that was kept */
    bool at_start;          /* that is the start: no later point was better */
    double dual_bound, gap; /* NaN when no dual is known */
    double seconds;
    hsp_stage stages[HSP_MOST_STAGES]; /* the first ones, when there were more */
    int stage_count;
    /* HSP_STOP_INFINITY: columns whose weights grow without bound */
    int64_t diverging[HSP_MOST_DIVERGING];
    int diverging_count;
} hsp_outcome;

/* point: where to start, then the point that was kept; if it has multipliers (alpha), also those of the best bound. */
int hsp_run(const hsp_solver *solver, hsp_problem *p, const hsp_rules *rules, hsp_run_place place, const hsp_hooks *hooks,
            hsp_point *point, hsp_outcome *out, hsp_error **err);

/* The same for up to solver->batch->most problems over one design at once. A problem that leaves the batch early is solved by
 * itself afterwards, by `solver` or the next one of the rules. */
typedef struct hsp_run_task {
    hsp_problem *p;
    hsp_run_place place;
    const hsp_hooks *hooks;
    hsp_point *point;
    hsp_outcome *out;
} hsp_run_task;
int hsp_run_together(const hsp_solver *solver, const hsp_run_task *tasks, int64_t count, const hsp_rules *rules,
                     hsp_error **err);

/* Fills the start: zeros, 1/d, uniform on [-1, 1) (weights and intercepts), or the numbers given, for every output. */
void hsp_run_start(const hsp_problem *p, const hsp_rules *rules, int64_t problem, hsp_point *point);

#endif
