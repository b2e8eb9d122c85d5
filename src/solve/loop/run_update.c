#include "solve/loop/run_update.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/loop/observe.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/stop.h"

#include <math.h>

typedef struct update_run {
    const hsp_solver *solver;
    const hsp_rules *rules;
    hsp_run_place place;
    const hsp_hooks *hooks;
    void *state; /* owned, the solver's */
    hsp_observer observer;
    hsp_budget budget;
    hsp_outcome *out;
    double begun;
} update_run;

/* One line to the progress hook; true when it asks to stop. */
static bool report(update_run *r) {
    if (!r->hooks || !r->hooks->progress) return false;
    r->out->updates = r->budget.updates;
    r->out->steps = r->budget.steps;
    hsp_progress line = hsp_progress_line(r->place, 1, r->out, r->out->end, r->begun, r->solver->name);
    line.step = r->budget.change.step;
    return r->hooks->progress(r->hooks->user, &line) != 0;
}

static hsp_stop reason(const update_run *r) {
    if (!r->budget.out) return HSP_STOP_MAX_EPOCHS;
    if (r->observer.stopped || hsp_cancel_take()) return HSP_STOP_CANCELLED;
    if (r->budget.updates >= r->budget.max_updates) return HSP_STOP_MAX_UPDATES;
    return r->budget.steps >= r->budget.max_steps ? HSP_STOP_MAX_STEPS : HSP_STOP_MAX_SECONDS;
}

static void pass(update_run *r) {
    hsp_observer_report_start(&r->observer, r->solver, r->state);
    if (report(r) || r->observer.stopped || hsp_cancel_take()) {
        r->out->stop = HSP_STOP_CANCELLED;
        return;
    }
    hsp_observer_step(&r->observer, r->solver, r->state, &r->budget, 0);
    r->out->epochs = r->budget.out ? 0 : 1;
    r->out->stop = reason(r);
    if (report(r)) r->out->stop = HSP_STOP_CANCELLED;
}

static int64_t limit_or_none(int64_t limit) {
    return limit < 0 ? INT64_MAX : limit;
}

int hsp_run_update(const hsp_solver *solver, hsp_problem *p, const hsp_rules *rules, hsp_run_place place,
                   const hsp_hooks *hooks, hsp_counters *counters, hsp_point *point, hsp_point *average, hsp_outcome *out,
                   hsp_error **err) {
    update_run r = {.solver = solver, .rules = rules, .place = place, .hooks = hooks, .out = out};
    const hsp_evaluation unknown = {NAN, NAN, NAN, NAN};
    r.begun = hsp_clock_seconds();
    r.budget = (hsp_budget){.max_updates = limit_or_none(rules->max_updates),
                            .max_steps = limit_or_none(rules->max_steps),
                            .change = {.step = NAN},
                            .deadline = rules->max_seconds >= 0 ? r.begun + rules->max_seconds : INFINITY};
    *out = (hsp_outcome){.start = unknown, .end = unknown, .dual_bound = NAN, .gap = NAN};
    out->stages[out->stage_count++] = (hsp_stage){.method = solver->name, .gap = NAN};
    int status = hsp_observer_init(&r.observer, hooks, p, place, err);
    r.state = hsp_alloc_zero(1, solver->state_size);
    if (!status && !r.state) status = hsp_fail_memory(err);
    if (!status) status = solver->init(r.state, p, rules, point, err);
    if (!status) {
        solver->on.resume(r.state, counters);
        pass(&r);
        solver->on.leave(r.state, counters);
        counters->updates += r.budget.updates;
        counters->steps += r.budget.steps;
        solver->export(r.state, HSP_POINT_CURRENT, point);
        if (average) solver->export(r.state, HSP_POINT_AVERAGE, average);
        out->updates = r.budget.updates;
        out->steps = r.budget.steps;
        out->seconds = hsp_clock_seconds() - r.begun;
    }
    if (r.state) solver->free(r.state);
    hsp_free(r.state);
    hsp_observer_free(&r.observer);
    return status;
}
