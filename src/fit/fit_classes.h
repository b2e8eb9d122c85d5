/* How the problems of a fit are solved: one after the other, in parallel, or together in batches. */
#ifndef HSP_FIT_FIT_CLASSES_H
#define HSP_FIT_FIT_CLASSES_H

#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "halfspace.h"
#include "problem/problem.h"

/* ---- one problem, or a batch of several (fit.c) ---- */

typedef struct hsp_fit_task {
    int64_t count;                 /* 1, or at most the batch size of form.solver->together */
    const int64_t *output;         /* their outputs */
    hsp_problem *const *problem;   /* one for each; hsp_fit_solve_outputs fills in the targets */
    const hsp_hooks *const *hooks; /* one for each */
    double radius;                 /* R of the perceptron's bound, or NaN */
    double seconds;                /* time limit; negative: none */
} hsp_fit_task;

/* Solves the problems and stores weights, multipliers and results. */
int hsp_fit_solve_outputs(hsp_fit *f, const hsp_fit_task *t, hsp_error **err);
/* Allocates the multipliers of all outputs, if they are kept, before several threads write to them (fit_dual.c). */
int hsp_fit_dual_room(hsp_fit *f, const hsp_problem *p, hsp_error **err);

/* The result of a problem that has not been run. */
hsp_fit_result hsp_fit_not_run(const hsp_fit *f, int64_t k);

/* ---- all problems (fit_classes.c) ---- */

/* All results must be `cancelled` on entry; those of classes without rows stay so. */
int hsp_fit_solve_classes(hsp_fit *f, hsp_problem *p, double radius, hsp_error **err);

/* ---- progress (fit_relay.c) ---- */

/* Collects the progress of problems that run in parallel and calls the hooks on one thread, in the order of the problems:
 * lines of later problems are queued. */
typedef struct hsp_relay hsp_relay;
int hsp_relay_new(const hsp_hooks *hooks, int64_t problems, hsp_relay **out, hsp_error **err);
void hsp_relay_free(hsp_relay *relay);
/* The hooks of problem k, for any thread. */
const hsp_hooks *hsp_relay_hooks(hsp_relay *relay, int64_t k);
/* Problem k has no more lines. */
void hsp_relay_end(hsp_relay *relay, int64_t k);
/* Stops all problems; and whether they were stopped. */
void hsp_relay_stop(hsp_relay *relay);
bool hsp_relay_stopped(hsp_relay *relay);
/* The problem at whose line the hook asked to stop; -1: none. Later problems count as not run, whatever other threads have
 * done. */
int64_t hsp_relay_stopped_at(const hsp_relay *relay);
/* Delivers all queued lines. Call it on the thread that created the relay, after all others have finished. */
void hsp_relay_finish(hsp_relay *relay);

#endif
