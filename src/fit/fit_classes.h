/* How the problems of a fit are solved: one after the other, several at once, or side by side in batches. */
#ifndef HSP_FIT_FIT_CLASSES_H
#define HSP_FIT_FIT_CLASSES_H

#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "halfspace.h"
#include "problem/problem.h"

/* ---- one problem, or several side by side (fit.c) ---- */

typedef struct hsp_fit_task {
    int64_t count;                 /* 1; or up to so many as the batch of form.solver->together takes */
    const int64_t *output;         /* which they are */
    hsp_problem *const *problem;   /* one for each; their targets are filled in here */
    const hsp_hooks *const *hooks; /* one for each */
    double radius;                 /* R of the perceptron's bound, or NaN */
    double seconds;                /* they may take; negative: no limit */
} hsp_fit_task;

/* Solves them, and keeps weights, multipliers and results. */
int hsp_fit_solve_outputs(hsp_fit *f, const hsp_fit_task *t, hsp_error **err);
/* Room for the multipliers of all outputs, where they are wanted, before several threads keep theirs (fit_dual.c). */
int hsp_fit_dual_room(hsp_fit *f, const hsp_problem *p, hsp_error **err);

/* What is known of a problem that has not been run. */
hsp_fit_result hsp_fit_not_run(const hsp_fit *f, int64_t k);

/* ---- all of them (fit_classes.c) ---- */

/* Results are `cancelled` when it begins; classes without rows stay so. */
int hsp_fit_solve_classes(hsp_fit *f, hsp_problem *p, double radius, hsp_error **err);

/* ---- what happens meanwhile (fit_relay.c) ---- */

/* Progress of several problems at once, for hooks that are called on one thread, one problem after the other: lines of a
 * problem whose turn has not come wait. */
typedef struct hsp_relay hsp_relay;
int hsp_relay_new(const hsp_hooks *hooks, int64_t problems, hsp_relay **out, hsp_error **err);
void hsp_relay_free(hsp_relay *relay);
/* The hooks of problem k, for any thread. */
const hsp_hooks *hsp_relay_hooks(hsp_relay *relay, int64_t k);
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
