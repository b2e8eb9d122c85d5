/* The line that the hook `progress` is given. */
#ifndef HSP_SOLVE_LOOP_PROGRESS_LINE_H
#define HSP_SOLVE_LOOP_PROGRESS_LINE_H

#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

/* Of the problem at `place`: the epochs, updates, steps, bound and gap that `o` has so far, the figures of the present point,
 * the seconds since `begun` (hsp_clock_seconds()) and the method that is running. Its step is unknown. */
hsp_progress hsp_progress_line(hsp_run_place place, int64_t max_epochs, const hsp_outcome *o, hsp_evaluation at,
                               double begun, const char *method);

#endif
