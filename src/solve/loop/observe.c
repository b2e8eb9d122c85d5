#include "solve/loop/observe.h"

#include "base/error.h"
#include "base/memory.h"

bool hsp_observed(const hsp_hooks *hooks) {
    return hooks && hooks->size >= offsetof(hsp_hooks, update) + sizeof hooks->update && hooks->update;
}

int hsp_observer_init(hsp_observer *o, const hsp_hooks *hooks, const hsp_problem *p, hsp_run_place place, hsp_error **err) {
    *o = (hsp_observer){.hooks = hooks, .design = p->design, .place = place};
    if (!hsp_observed(hooks) || p->outputs != 1) return HSP_OK;
    o->w = hsp_alloc(p->design->d, sizeof *o->w);
    return o->w ? HSP_OK : hsp_fail_memory(err);
}

void hsp_observer_free(hsp_observer *o) {
    hsp_free(o->w);
}

/* Converts w.x' + b over the design's columns to w.x + b over those of the data, and reports it. */
static void report_update(hsp_observer *o, const hsp_budget *at, int64_t epochs) {
    const hsp_design *D = o->design;
    for (int64_t j = 0; D->factor && j < D->d; j++) {
        o->w[j] *= D->factor[j];
        if (D->shift) o->b -= D->shift[j] * o->w[j];
    }
    hsp_update u = {.size = sizeof u,
                    .problem = o->place.problem,
                    .problems = o->place.problems,
                    .epoch = epochs,
                    .updates = at->updates,
                    .steps = at->steps,
                    .row = at->row,
                    .weights = o->w,
                    .features = o->design->d,
                    .intercept = o->b};
    if (o->hooks->update(o->hooks->user, &u)) o->stopped = true;
}

static bool peek_at_point(hsp_observer *o, const hsp_solver *solver, const void *state) {
    return solver->peek && solver->peek(state, o->w, &o->b);
}

void hsp_observer_report_start(hsp_observer *o, const hsp_solver *solver, const void *state) {
    hsp_budget nothing = {.row = -1};
    if (o->w && peek_at_point(o, solver, state)) report_update(o, &nothing, 0);
}

/* Up to the next update, or to the end of the epoch. */
static hsp_step step_once(const hsp_solver *solver, void *state, hsp_budget *budget) {
    budget->watched = true;
    budget->paused = false;
    budget->most_updates = budget->max_updates;
    if (budget->updates < budget->max_updates) budget->max_updates = budget->updates + 1;
    hsp_step result = solver->step(state, budget);
    budget->max_updates = budget->most_updates;
    budget->watched = false;
    return result;
}

hsp_step hsp_observer_step(hsp_observer *o, const hsp_solver *solver, void *state, hsp_budget *budget, int64_t epochs) {
    while (o->w && peek_at_point(o, solver, state)) {
        int64_t before = budget->updates;
        hsp_step result = step_once(solver, state, budget);
        bool paused = budget->paused, changed = budget->updates > before;
        if (result == HSP_STEP_MEMORY) return result;
        if (changed && peek_at_point(o, solver, state)) report_update(o, budget, epochs + (budget->out || paused ? 0 : 1));
        budget->paused = false;
        if (paused && o->stopped) budget->out = true;
        if (!paused || o->stopped) return result;
    }
    return solver->step(state, budget);
}
