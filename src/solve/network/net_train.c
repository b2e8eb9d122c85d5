/* The loop of every trainer: limits, early stopping, trace and progress. run.c has the loop for solvers of an hsp_problem,
 * which has weights of columns, bounds and several outputs; a network has none of these. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "network/network.h"
#include "problem/problem.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/network/trainer.h"

#include <math.h>
#include <string.h>

typedef struct net_run {
    hsp_net_objective *o;
    const hsp_trainer *trainer;
    const hsp_rules *rules;
    hsp_run_place place;
    const hsp_hooks *hooks;
    void *state; /* owned */
    hsp_budget budget;
    hsp_outcome *out;
    hsp_evaluation now;
    double begun;
    double best;       /* the objective from which it must fall, ... */
    int64_t best_from; /* ... and the epoch at which it was reached */
    double *kept;      /* owned: theta at the lowest objective so far, in case that it diverges */
    double lowest;
    hsp_net_observer observer;
} net_run;

static int64_t limit_or_none(int64_t limit) {
    return limit < 0 ? INT64_MAX : limit;
}

static bool report(net_run *r) {
    if (!r->hooks || !r->hooks->progress) return false;
    r->out->updates = r->budget.updates;
    r->out->steps = r->budget.steps;
    hsp_progress line =
        hsp_progress_line(r->place, r->rules->max_epochs, r->out, r->now, r->begun, r->trainer->name);
    return r->hooks->progress(r->hooks->user, &line) != 0;
}

static hsp_stop limit_reached(const net_run *r) {
    if (hsp_cancel_take() || r->observer.stopped) return HSP_STOP_CANCELLED;
    if (r->budget.updates >= r->budget.max_updates) return HSP_STOP_MAX_UPDATES;
    if (r->budget.steps >= r->budget.max_steps) return HSP_STOP_MAX_STEPS;
    if (hsp_clock_seconds() >= r->budget.deadline) return HSP_STOP_MAX_SECONDS;
    if (r->rules->max_epochs >= 0 && r->out->epochs >= r->rules->max_epochs) return HSP_STOP_MAX_EPOCHS;
    return HSP_STOP_NONE;
}

/* Whether the objective has not fallen by tol, relative to the start, over `patience` epochs. */
static bool has_settled(net_run *r) {
    if (r->now.objective < r->best - r->rules->tol * r->out->start.objective) {
        r->best = r->now.objective;
        r->best_from = r->out->epochs;
    }
    return r->out->epochs - r->best_from >= r->rules->patience;
}

static hsp_stop stop_reason(net_run *r, hsp_step step) {
    if (step == HSP_STEP_FAILED || !isfinite(r->now.objective)) return HSP_STOP_DIVERGED;
    if (step == HSP_STEP_DONE) return HSP_STOP_GRADIENT;
    hsp_stop limit = limit_reached(r);
    if (limit) return limit;
    if (step == HSP_STEP_STALLED) return HSP_STOP_NO_PROGRESS;
    return has_settled(r) ? HSP_STOP_EARLY : HSP_STOP_NONE;
}

static size_t theta_bytes(const net_run *r) {
    return (size_t)hsp_network_parameters(r->o->net) * sizeof(double);
}

static void keep_best(net_run *r) {
    if (!(r->now.objective < r->lowest) || !hsp_finite_f64(r->o->net->theta, hsp_network_parameters(r->o->net))) return;
    r->lowest = r->now.objective;
    memcpy(r->kept, r->o->net->theta, theta_bytes(r));
}

static hsp_stop run_epochs(net_run *r) {
    hsp_net_observe(&r->observer, r->o->net, &r->budget, NULL);
    hsp_stop stop = report(r) ? HSP_STOP_CANCELLED : limit_reached(r);
    while (!stop) {
        hsp_step step = r->trainer->step(r->state, &r->budget, &r->now);
        if (!r->budget.out) r->out->epochs++;
        keep_best(r);
        stop = stop_reason(r, step);
        if (report(r) && !stop) stop = HSP_STOP_CANCELLED;
    }
    return stop;
}

static void measure_start(net_run *r) {
    r->begun = hsp_clock_seconds();
    r->budget = (hsp_budget){.max_updates = limit_or_none(r->rules->max_updates),
                             .max_steps = limit_or_none(r->rules->max_steps),
                             .deadline = r->rules->max_seconds >= 0 ? r->begun + r->rules->max_seconds : INFINITY};
    r->now = r->out->start = hsp_net_evaluate(r->o, NULL, r->o->e->n, NULL);
    r->best = r->lowest = r->now.objective;
    memcpy(r->kept, r->o->net->theta, theta_bytes(r));
    r->out->stages[0] = (hsp_stage){.method = r->trainer->name, .gap = NAN};
    r->out->stage_count = 1;
}

static void finish(net_run *r, hsp_stop stop) {
    hsp_outcome *out = r->out;
    if (stop == HSP_STOP_DIVERGED) memcpy(r->o->net->theta, r->kept, theta_bytes(r));
    out->stop = stop;
    out->converged = stop == HSP_STOP_GRADIENT || stop == HSP_STOP_EARLY;
    out->updates = r->budget.updates;
    out->steps = r->budget.steps;
    out->end = hsp_net_evaluate(r->o, NULL, r->o->e->n, NULL); /* not a mean over an epoch */
    out->seconds = hsp_clock_seconds() - r->begun;
}

int hsp_net_train(hsp_net_objective *o, const hsp_trainer *trainer, const hsp_rules *rules, hsp_run_place place,
                  const hsp_hooks *hooks, hsp_outcome *out, hsp_error **err) {
    net_run r = {.o = o, .trainer = trainer, .rules = rules, .place = place, .hooks = hooks, .out = out};
    *out = (hsp_outcome){.dual_bound = NAN, .gap = NAN};
    r.state = hsp_alloc_zero(1, trainer->state_size);
    r.kept = hsp_alloc(hsp_network_parameters(o->net), sizeof *r.kept);
    o->observer = &r.observer;
    int status = r.state && r.kept ? trainer->init(r.state, o, rules, err) : hsp_fail_memory(err);
    if (!status) status = hsp_net_observer_open(&r.observer, hooks, o->e, o->net, err);
    if (!status) {
        measure_start(&r);
        finish(&r, run_epochs(&r));
    }
    hsp_net_observer_close(&r.observer);
    o->observer = NULL;
    if (r.state) trainer->free(r.state);
    HSP_FREE(r.state, r.kept);
    return status;
}
