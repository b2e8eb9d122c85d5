/* One pass of an update rule over new rows, in place of a run: partial fits, which are made in loops. Nothing is measured. */
#ifndef HSP_SOLVE_LOOP_RUN_UPDATE_H
#define HSP_SOLVE_LOOP_RUN_UPDATE_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"

/* point: where to start, then the present point, whatever its objective; average (same shape, NULL: not wanted): that of all
 * points of the pass, which the rules must keep. counters: of the passes before, then with this one. The solver must be an
 * update rule. The figures of the outcome are NaN; its stop is the epoch, a limit or a cancel. */
int hsp_run_update(const hsp_solver *solver, hsp_problem *p, const hsp_rules *rules, hsp_run_place place,
                   const hsp_hooks *hooks, hsp_counters *counters, hsp_point *point, hsp_point *average, hsp_outcome *out,
                   hsp_error **err);

#endif
