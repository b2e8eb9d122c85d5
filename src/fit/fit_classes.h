/* How the problems of a fit are solved: one after the other, several at once, or side by side in lanes. */
#ifndef HSP_FIT_FIT_CLASSES_H
#define HSP_FIT_FIT_CLASSES_H

#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"

#include <stdbool.h>

/* ---- one problem (fit.c) ---- */

typedef struct hsp_fit_task {
    int64_t output;
    double radius;  /* R of the perceptron's bound, or NaN */
    double seconds; /* it may take; negative: no limit */
    const hsp_hooks *hooks;
    hsp_point *begun; /* where lanes have left off, with multipliers; NULL: from the start. f->results has how it went */
} hsp_fit_task;

/* Solves it with p, whose targets are filled in here, and keeps weights, multipliers and result. */
int hsp_fit_solve_output(hsp_fit *f, hsp_problem *p, const hsp_fit_task *t, hsp_error **err);
/* Room for the multipliers of all outputs, where they are wanted, before several threads keep theirs (fit_dual.c). */
int hsp_fit_dual_room(hsp_fit *f, const hsp_problem *p, hsp_error **err);

/* What is known of a problem that has not been run. */
hsp_fit_result hsp_fit_not_run(const hsp_fit *f, int64_t k);

/* ---- all of them (fit_classes.c) ---- */

/* As hsp_pool_run, but the first task is done by the calling thread: so its lines are given as they come, and a hook that
 * stops it does so where it would without threads. */
void hsp_fit_share(int64_t tasks, int64_t threads, void (*task)(void *ctx, int64_t index), void *ctx);

/* Results are `cancelled` when it begins; classes without rows stay so. */
int hsp_fit_solve_classes(hsp_fit *f, hsp_problem *p, double radius, hsp_error **err);

/* ---- lanes (fit_lanes.c) ---- */

/* Whether the problems are solved side by side first: three at least, where a single one would be solved by dual coordinate
 * descent. */
bool hsp_fit_lanes_pay(const hsp_fit *f, const hsp_problem *p);
struct hsp_relay;
/* Runs lanes for the outputs named in `todo`. Those at the tolerance, or stopped, are kept and taken from the list; the
 * rest have their points in `points` (one for each output, with alpha where lanes have been at it). */
int hsp_fit_run_lanes(hsp_fit *f, hsp_problem *p, struct hsp_relay *relay, int64_t *todo, int64_t *count, hsp_point *points,
                      hsp_error **err);

/* ---- what happens meanwhile (fit_relay.c) ---- */

/* Progress of several problems at once, for hooks that are called on one thread, one problem after the other: lines of a
 * problem whose turn has not come wait. */
typedef struct hsp_relay hsp_relay;
int hsp_relay_new(const hsp_hooks *hooks, const hsp_fit_result *results, int64_t problems, hsp_relay **out,
                  hsp_error **err);
void hsp_relay_free(hsp_relay *relay);
/* The hooks of problem k, for any thread. Lines of a run that goes on where lanes left off count from there. */
const hsp_hooks *hsp_relay_hooks(hsp_relay *relay, int64_t k);
/* A line of problem k; true asks to stop. */
bool hsp_relay_line(hsp_relay *relay, int64_t k, const hsp_progress *line);
/* From now on the lines of problem k count from what its result says now. */
void hsp_relay_resume(hsp_relay *relay, int64_t k);
/* Problem k has no more lines. */
void hsp_relay_end(hsp_relay *relay, int64_t k);
/* All are to stop, and whether. */
void hsp_relay_stop(hsp_relay *relay);
bool hsp_relay_stopped(hsp_relay *relay);
/* The problem at whose line the hook asked to stop; -1: it did not. Those after it count as not reached, whatever other
 * threads have done. */
int64_t hsp_relay_stopped_at(const hsp_relay *relay);
/* Gives all lines that wait. On the thread that made the relay, when no other is at work. */
void hsp_relay_finish(hsp_relay *relay);

#endif
