/* What every solver of the driver does after a round: figures of a problem, progress, and the reasons to stop. */
#ifndef HSP_DRIVE_ROUND_WATCH_H
#define HSP_DRIVE_ROUND_WATCH_H

#include "drive/drive_problem.h"
#include "solve/loop/run.h"

/* Empty results, before the problems run. Those of classes without rows are not run. */
void hsp_drive_open_results(hsp_drive_problem *p);
/* Takes the measure of an accepted point into the outcome of a problem, whose best bound stays, tells the hooks, and decides
 * whether to stop: o->stop is set then. method: of the solver. */
void hsp_drive_watch(hsp_drive_problem *p, int64_t figure, const hsp_measure *m, const char *method);
/* Ends a problem that cannot be improved. */
void hsp_drive_stall(hsp_drive_problem *p, int64_t figure);
static inline hsp_outcome *hsp_drive_outcome(const hsp_drive_problem *p, int64_t figure) {
    return &p->drive->fit.out.results[figure].outcome;
}
/* The problems that still run: their numbers into `which`, as many as there are problems; how many. */
int64_t hsp_drive_running(const hsp_drive_problem *p, int64_t *which);
/* Before a round: a limit or a request to cancel stops all problems that still run. */
void hsp_drive_check_limits(hsp_drive_problem *p);

#endif
