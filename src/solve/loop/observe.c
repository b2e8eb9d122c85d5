#include "solve/loop/observe.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"

#include <math.h>
#include <string.h>

/* A difference of this share of the largest parameter is rounding: solvers change how they represent their point. */
static const double ROUNDING = 1e-12;

bool hsp_observed(const hsp_hooks *hooks) {
    return hooks && hooks->size >= offsetof(hsp_hooks, update) + sizeof hooks->update && hooks->update;
}

int hsp_observer_init(hsp_observer *o, const hsp_hooks *hooks, const hsp_problem *p, hsp_run_place place, hsp_error **err) {
    int64_t d = p->design->d;
    *o = (hsp_observer){.hooks = hooks, .p = p, .place = place};
    if (!hsp_observed(hooks) || p->outputs != 1) return HSP_OK;
    bool allocated = HSP_ALLOC_DOUBLES(d, &o->w, &o->last) && HSP_ALLOC_DOUBLES(p->design->factor ? d : -1, &o->out);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

void hsp_observer_free(hsp_observer *o) {
    HSP_FREE(o->w, o->last, o->out);
}

/* Converts w.x' + b over the design's columns to w.x + b over those of the data. Returns the intercept. */
static double convert_point(hsp_observer *o) {
    const hsp_design *D = o->p->design;
    double b = o->b;
    for (int64_t j = 0; o->out && j < D->d; j++) {
        o->out[j] = o->w[j] * D->factor[j];
        if (D->shift) b -= D->shift[j] * o->out[j];
    }
    return b;
}

/* What is known of a single row: its label, score and loss before the change. */
static void add_row(const hsp_problem *p, const hsp_change *change, hsp_update *u) {
    u->y = p->y[change->row];
    u->score = change->score;
    u->margin = p->regression ? NAN : u->y * u->score + 0.0; /* 0, not -0 */
    u->loss = p->loss->at(p->loss, u->y, u->score, p->kink).value;
}

static void report_point(hsp_observer *o, const hsp_budget *at, const hsp_change *change, int64_t before, int64_t epochs) {
    const hsp_problem *p = o->p;
    double b = convert_point(o);
    hsp_update u = {.size = sizeof u,
                    .problem = o->place.problem,
                    .problems = o->place.problems,
                    .label = o->place.label,
                    .epoch = epochs,
                    .passes = before,
                    .updates = at->updates,
                    .steps = at->steps,
                    .row = change->row,
                    .rows = change->rows,
                    .row_count = change->rows ? change->count : 0,
                    .weights = o->out ? o->out : o->w,
                    .features = p->design->d,
                    .intercept = b,
                    .has_intercept = p->intercept != HSP_INTERCEPT_NONE,
                    .y = NAN,
                    .score = NAN,
                    .margin = NAN,
                    .step = change->step,
                    .loss = change->loss};
    if (change->row >= 0) add_row(p, change, &u);
    if (p->design->d > 0) memcpy(o->last, o->w, (size_t)p->design->d * sizeof *o->w);
    o->at_b = o->b;
    o->updates = at->updates;
    if (o->hooks->update(o->hooks->user, &u)) o->stopped = true;
}

static bool peek_at_point(hsp_observer *o, const hsp_solver *solver, const void *state) {
    return solver->peek && solver->peek(state, o->w, &o->b);
}

/* Reports a point that no update led to: the start, or a move between two updates. */
static void report_move(hsp_observer *o, const hsp_budget *at, int64_t epochs) {
    hsp_change none = {.row = -1, .score = NAN, .loss = NAN, .step = NAN};
    hsp_budget counts = {.updates = o->updates, .steps = at->steps}; /* another method counts its own updates */
    report_point(o, &counts, &none, epochs, epochs);
}

/* Whether the present point differs from the one reported last by more than rounding. */
static bool has_moved(const hsp_observer *o) {
    double size = fmax(fabs(o->b), fabs(o->at_b)), off = fabs(o->b - o->at_b);
    for (int64_t j = 0; j < o->p->design->d; j++) {
        size = fmax(size, fmax(fabs(o->w[j]), fabs(o->last[j])));
        off = fmax(off, fabs(o->w[j] - o->last[j]));
    }
    return off > ROUNDING * size;
}

void hsp_observer_report_start(hsp_observer *o, const hsp_solver *solver, const void *state) {
    hsp_budget nothing = {0};
    if (!o->w || !peek_at_point(o, solver, state)) return;
    o->begun = true;
    report_move(o, &nothing, 0);
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
        int64_t updates = budget->updates;
        if (o->begun && has_moved(o)) report_move(o, budget, epochs);
        hsp_step result = step_once(solver, state, budget);
        bool paused = budget->paused, changed = budget->updates > updates;
        if (result == HSP_STEP_MEMORY) return result;
        if (changed && peek_at_point(o, solver, state))
            report_point(o, budget, &budget->change, epochs, epochs + (budget->out || paused ? 0 : 1));
        budget->paused = false;
        if (paused && o->stopped) budget->out = true;
        if (!paused || o->stopped) return result;
    }
    return solver->step(state, budget);
}

void hsp_observer_report_end(hsp_observer *o, const hsp_solver *solver, const void *state, const hsp_budget *budget,
                             int64_t epochs, const hsp_point *kept) {
    if (!o->w || !o->begun || o->stopped) return;
    if (!peek_at_point(o, solver, state)) {
        if (kept->d > 0) memcpy(o->w, kept->w, (size_t)kept->d * sizeof *o->w);
        o->b = kept->b[0];
    }
    if (has_moved(o)) report_move(o, budget, epochs);
}
