/* The loop. After each epoch the solver's point is measured over all rows: this gives the trace, the best point so far and
 * the reasons to stop. The dual bound is computed at epochs 1, 2, 3, 5, 8, ... (x 1.3). A lower bound of the optimum stays
 * valid, so the best one is kept. */
#include "solve/loop/run.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "loss/loss.h"
#include "solve/loop/observe.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run_state.h"

#include <math.h>
#include <string.h>

/* No progress: over the later half of the run the objective fell by less than this share. Checked each time the run has
 * doubled in length: with step sizes like 1/k, what is left to gain is about what a doubling gains. */
enum { FIRST_CHECK = 100 };
static const double PROGRESS = 1e-3;
static const double WORTHLESS = 0.5; /* above this gap the multipliers are not worth a warm start */

bool hsp_budget_out(hsp_budget *budget) {
    if (budget->updates >= budget->max_updates || budget->steps >= budget->max_steps) {
        bool pause = budget->watched && budget->updates < budget->most_updates && budget->steps < budget->max_steps;
        *(pause ? &budget->paused : &budget->out) = true;
        return true;
    }
    if (budget->steps - budget->polled >= 256) {
        budget->polled = budget->steps;
        if (hsp_cancel_pending() || hsp_clock_seconds() >= budget->deadline) return budget->out = true;
    }
    return false;
}

void hsp_run_start(const hsp_problem *p, const hsp_rules *rules, int64_t problem, hsp_point *point) {
    hsp_rng rng = hsp_rng_new(rules->seed, 100 + (uint64_t)problem);
    bool intercept = p->intercept != HSP_INTERCEPT_NONE;
    for (int64_t j = 0; j < point->outputs * point->d; j++)
        point->w[j] = rules->start == HSP_START_ONE_OVER_D ? 1 / (double)point->d
                      : rules->start == HSP_START_RANDOM   ? 2 * hsp_rng_uniform(&rng) - 1
                      : rules->start == HSP_START_GIVEN    ? rules->given[j % point->d]
                                                           : 0;
    for (int64_t k = 0; k < point->outputs; k++) {
        point->b[k] = 0;
        if (intercept && rules->start == HSP_START_RANDOM) point->b[k] = 2 * hsp_rng_uniform(&rng) - 1;
        if (intercept && rules->start == HSP_START_GIVEN) point->b[k] = rules->given[point->d];
    }
}

static bool is_finite(const hsp_run_state *r) {
    for (int64_t k = 0; k < r->now->outputs; k++)
        if (!isfinite(r->now->b[k])) return false;
    return isfinite(r->at_now.objective) && isfinite(r->at_now.norm);
}

static bool by_mistakes(const hsp_run_state *r) {
    return r->solver->counts_mistakes || (r->p->loss->traits & HSP_LOSS_TRIVIAL);
}

/* Fewer mistakes, then a lower objective; or a lower objective alone. Where mistakes are counted, the start does not compete:
 * weights of zero get a whole class right without having learnt anything. */
static bool is_better(const hsp_run_state *r, hsp_evaluation a, hsp_evaluation b) {
    if (by_mistakes(r) && r->at_start) return true;
    if (by_mistakes(r) && a.error != b.error) return a.error < b.error;
    return a.objective < b.objective;
}

static void keep_now(hsp_run_state *r) {
    r->at_start = false;
    hsp_point_copy(r->best, r->now);
    r->at_best = r->at_now;
}

bool hsp_run_measure(hsp_run_state *r, hsp_which which) {
    hsp_measured own = {.bound = NAN};
    bool measured = false;
    if (r->batch) {
        r->batch->export(r->state, r->member, r->now);
        measured = r->batch->measured(r->state, r->member, &own);
    } else {
        if (!r->solver->export(r->state, which, r->now)) return false;
        measured = which == HSP_POINT_CURRENT && r->solver->measured && r->solver->measured(r->state, &own);
    }
    r->bound_now = measured ? own.bound : NAN;
    r->at_now = measured ? own.at : hsp_problem_evaluate(r->p, r->now->w, r->now->b);
    if (is_finite(r) && is_better(r, r->at_now, r->at_best)) keep_now(r);
    return true;
}

/* Keeps a bound if it is the best. One above an objective that was reached is wrong: slightly by rounding, by more because
 * the numbers cannot be trusted. */
static void offer_bound(hsp_run_state *r, double D, const double *multipliers) {
    double P = r->at_best.objective;
    if (D > P && D - P <= 1e-12 * fabs(P)) D = P;
    if (isnan(D) || D > P || D <= r->out->dual_bound) return;
    r->out->dual_bound = D;
    double *alpha = r->best->alpha; /* the multipliers that prove it */
    for (int64_t t = 0; alpha && t < r->p->design->n * r->p->outputs; t++) alpha[t] = multipliers[t];
}

/* The best of two bounds: from the multipliers that the solver proposes, and from the slopes at the point. Where the loss has
 * a kink the latter are a poor guess, not worth their passes beside the solver's own. Nor are they, with several outputs,
 * beside multipliers that have just proved more. */
static void update_bound(hsp_run_state *r, const hsp_point *at) {
    bool proposed = at == r->now && r->solver->proposes, kinked = !(r->p->loss->traits & HSP_LOSS_SMOOTH);
    if (proposed && !isnan(r->bound_now)) {
        offer_bound(r, r->bound_now, at->alpha);
    } else {
        double before = r->out->dual_bound;
        if (proposed) offer_bound(r, hsp_problem_dual_of(r->p, at->alpha), r->p->slopes);
        bool many = proposed && r->p->outputs > 1;
        bool better = many && r->out->dual_bound > 0 && !(r->out->dual_bound <= before);
        if (!better && !(kinked && r->solver->proposes))
            offer_bound(r, hsp_problem_dual_bound(r->p, at->w, at->b), r->p->slopes);
    }
    if (r->out->dual_bound > r->at_best.objective) r->out->dual_bound = r->at_best.objective; /* rounding */
    r->out->gap = hsp_relative_gap(r->at_best.objective, r->out->dual_bound);
}

static const char *method_name(const hsp_run_state *r) {
    if (r->batch) return r->batch->name;
    return r->solver->method ? r->solver->method(r->state) : r->solver->name;
}

bool hsp_run_report(const hsp_run_state *r) {
    if (!r->hooks || !r->hooks->progress) return false;
    r->out->updates = r->budget.updates;
    r->out->steps = r->budget.steps;
    hsp_progress line = hsp_progress_line(r->place, r->rules->max_epochs, r->out, r->at_now, r->begun, method_name(r));
    if (!r->batch && (r->solver->samples || r->solver->searches)) line.step = r->budget.change.step; /* learning rates */
    return r->hooks->progress(r->hooks->user, &line) != 0;
}

/* A default limit applies to each solver of the run by itself. */
static bool epochs_over(const hsp_run_state *r) {
    int64_t epochs = r->out->epochs - (r->rules->epochs_given ? 0 : r->taken_at);
    return r->rules->max_epochs >= 0 && epochs >= r->rules->max_epochs;
}

hsp_stop hsp_run_limit(const hsp_run_state *r) {
    if (r->cancelled || hsp_cancel_take() || r->observer.stopped) return HSP_STOP_CANCELLED;
    if (r->budget.updates >= r->budget.max_updates) return HSP_STOP_MAX_UPDATES;
    if (r->budget.steps >= r->budget.max_steps) return HSP_STOP_MAX_STEPS;
    if (hsp_clock_seconds() >= r->budget.deadline) return HSP_STOP_MAX_SECONDS;
    if (epochs_over(r)) return HSP_STOP_MAX_EPOCHS;
    return HSP_STOP_NONE;
}

bool hsp_run_is_over(const hsp_run_state *r) {
    return r->budget.out || r->cancelled || epochs_over(r) || hsp_cancel_pending() || r->observer.stopped ||
           hsp_clock_seconds() >= r->budget.deadline;
}

static bool has_fallen(double from, double to, double share) {
    return from - to >= share * fabs(from);
}

/* Neither the best nor the present objective has fallen, and no dual over several classes, whose objective rests for long,
 * has reduced the gap. With patience the check comes after every so many epochs and compares their mean, because steps past
 * a kink go up and down; a run that has never improved on its start gets the time of the others. */
static bool is_stuck(hsp_run_state *r) {
    bool patient = r->rules->patience > 0;
    double share = patient ? r->rules->least_fall : PROGRESS;
    if (r->rules->tol_given || by_mistakes(r)) return false;
    r->progress.sum += r->at_now.objective;
    r->progress.count++;
    if (r->out->epochs < r->progress.next || (patient && r->at_start && r->out->epochs < FIRST_CHECK)) return false;
    double now = patient ? r->progress.sum / (double)r->progress.count : r->at_now.objective;
    bool moving = has_fallen(r->progress.best, r->at_best.objective, share) || has_fallen(r->progress.now, now, share);
    bool closing = r->solver->proposes && r->p->outputs > 1 && r->out->gap <= 0.9 * r->progress.gap;
    r->progress.gap = r->out->gap;
    r->progress.next = patient ? r->out->epochs + r->rules->patience : 2 * r->progress.next;
    r->progress.best = r->at_best.objective;
    r->progress.now = now;
    r->progress.sum = 0;
    r->progress.count = 0;
    return !moving && !closing;
}

/* A small gradient does not imply the gap that the user asked for: continue while there is anything to gain. */
static bool short_of_tolerance(hsp_run_state *r) {
    if (!r->rules->tol_given || !(hsp_problem_has_dual(r->p) || r->solver->proposes)) return false;
    update_bound(r, r->now);
    return r->out->gap > r->rules->tol && r->budget.updates > r->updates_before;
}

const hsp_solver *hsp_run_successor(const hsp_run_state *r) {
    if (r->rules->next && r->solver != r->rules->next && r->fallbacks == 0) return r->rules->next;
    return r->fallbacks < HSP_MOST_FALLBACKS ? r->rules->fallback[r->fallbacks] : NULL;
}

/* Many expensive steps have not halved the gap: the solver is cycling. */
static bool is_cycling(hsp_run_state *r) {
    enum { MOST_IDLE = 40 };
    if (!(r->out->gap > r->halving.gap / 2)) {
        r->halving.gap = r->out->gap;
        r->halving.from = r->out->epochs;
    }
    bool checked = r->solver->expensive_steps && !isnan(r->out->gap) && !r->rules->epochs_given;
    return checked && r->out->epochs - r->halving.from >= MOST_IDLE && hsp_run_successor(r);
}

hsp_stop hsp_run_stop_reason(hsp_run_state *r, hsp_step step) {
    if (step == HSP_STEP_FAILED || !is_finite(r)) return HSP_STOP_DIVERGED;
    if (step == HSP_STEP_ENDLESS) return HSP_STOP_INFINITY;
    if (step == HSP_STEP_DONE) {
        if (r->solver->proposes) update_bound(r, r->now);
        /* Of all points without a mistake, keep the one that a whole pass confirmed. */
        if (r->solver->counts_mistakes) keep_now(r);
        if (!short_of_tolerance(r)) return r->out->gap <= r->rules->tol ? HSP_STOP_GAP : r->solver->done;
    }
    if (r->at_now.objective == 0 && (r->p->regression || r->at_now.error == 0) && !r->solver->counts_mistakes)
        return HSP_STOP_ZERO_LOSS;
    if (r->out->epochs >= r->next_gap || !isnan(r->bound_now)) {
        update_bound(r, r->now);
        r->next_gap = r->out->epochs < 3 || r->solver->expensive_steps ? r->out->epochs + 1
                                                                       : (int64_t)ceil((double)r->out->epochs * 1.3);
        if (r->out->gap <= r->rules->tol) return HSP_STOP_GAP;
    }
    hsp_stop reached = hsp_run_limit(r);
    if (reached) return reached;
    if (is_cycling(r)) return HSP_STOP_CYCLING;
    if (step != HSP_STEP_STALLED && !is_stuck(r)) return HSP_STOP_NONE;
    /* Stuck above the start: the steps are too long for the data. */
    if (r->at_start && r->at_now.objective > r->out->start.objective) return HSP_STOP_DIVERGED;
    return step != HSP_STEP_STALLED && r->rules->patience > 0 ? HSP_STOP_EARLY : HSP_STOP_NO_PROGRESS;
}

/* ---- methods that follow one another ---- */

static void note_method(hsp_run_state *r) {
    hsp_outcome *out = r->out;
    const char *name = method_name(r);
    if (out->stage_count > 0 && strcmp(out->stages[out->stage_count - 1].method, name) == 0) return;
    if (out->stage_count == HSP_MOST_STAGES) return;
    out->stages[out->stage_count++] = (hsp_stage){name, out->epochs, out->gap, hsp_clock_seconds() - r->begun};
}

bool hsp_run_is_taken_over(const hsp_run_state *r, hsp_step step, hsp_stop stop) {
    bool late = stop == HSP_STOP_MAX_EPOCHS && !r->rules->epochs_given;
    bool stuck = step == HSP_STEP_STALLED || step == HSP_STEP_FAILED || late || stop == HSP_STOP_CYCLING;
    if (!stuck || stop == HSP_STOP_GAP || (hsp_run_is_over(r) && !late)) return false;
    return hsp_run_successor(r) && !(r->out->gap <= r->rules->tol);
}

int hsp_run_hand_over(hsp_run_state *r, const hsp_solver *next, hsp_error **err) {
    hsp_point start = *r->best;
    if (next != r->rules->next && next != r->solver) r->fallbacks++;
    if (next->own_start || !(r->out->gap < WORTHLESS)) start.alpha = NULL;
    if (!r->batch) {
        r->solver->free(r->state);
        hsp_free(r->state);
    }
    r->batch = NULL;
    r->solver = next;
    r->state = hsp_alloc_zero(1, r->solver->state_size);
    if (!r->state) return hsp_fail_memory(err);
    int status = r->solver->init(r->state, r->p, r->rules, &start, err);
    r->taken_at = r->halving.from = r->out->epochs;
    r->halving.gap = r->out->gap;
    r->next_gap = r->out->epochs + 1;
    r->progress.next = r->out->epochs + FIRST_CHECK;
    r->progress.best = r->at_best.objective;
    r->progress.now = INFINITY;
    if (!status) note_method(r);
    return status;
}

int hsp_run_loop(hsp_run_state *r, hsp_stop stop, hsp_stop *why, hsp_error **err) {
    while (!stop) {
        r->updates_before = r->budget.updates;
        hsp_step step = hsp_observer_step(&r->observer, r->solver, r->state, &r->budget, r->out->epochs);
        if (step == HSP_STEP_MEMORY) return hsp_fail_memory(err);
        if (!r->budget.out) r->out->epochs++;
        note_method(r);
        if (step == HSP_STEP_QUIET && !hsp_run_is_over(r)) continue;
        hsp_run_measure(r, HSP_POINT_CANDIDATE);
        hsp_run_measure(r, HSP_POINT_CURRENT);
        stop = hsp_run_stop_reason(r, step);
        if (hsp_run_report(r) && !stop) stop = HSP_STOP_CANCELLED;
        if (stop && hsp_run_is_taken_over(r, step, stop)) {
            int status = hsp_run_hand_over(r, hsp_run_successor(r), err);
            if (status) return status;
            stop = HSP_STOP_NONE;
        }
    }
    if (stop == HSP_STOP_CYCLING) stop = HSP_STOP_NO_PROGRESS; /* a limit was reached at the same time */
    *why = stop;
    return HSP_OK;
}

void hsp_run_finish(hsp_run_state *r, hsp_stop stop) {
    hsp_outcome *out = r->out;
    if (r->rules->keep != HSP_KEEP_BEST) { /* unless it is not finite */
        hsp_run_measure(r, r->rules->keep == HSP_KEEP_AVERAGE ? HSP_POINT_AVERAGE : HSP_POINT_CURRENT);
        if (is_finite(r)) keep_now(r);
    }
    if (!(out->gap <= r->rules->tol)) update_bound(r, r->best);
    if (r->at_best.objective == 0 && (r->p->loss->traits & HSP_LOSS_DUAL))
        out->dual_bound = out->gap = 0; /* P is never below 0 */
    out->stop = stop;
    if (stop == HSP_STOP_INFINITY) {
        if (!(out->dual_bound >= 0)) out->dual_bound = 0; /* P is never below 0 */
        out->gap = hsp_relative_gap(r->at_best.objective, out->dual_bound);
        if (r->solver->diverging) out->diverging_count = r->solver->diverging(r->state, out->diverging);
    }
    out->converged =
        stop == HSP_STOP_GAP || stop == HSP_STOP_ZERO_LOSS || stop == r->solver->done || out->gap <= r->rules->tol;
    out->updates = r->budget.updates;
    out->steps = r->budget.steps;
    out->end = r->at_best;
    out->at_start = r->at_start;
    out->seconds = hsp_clock_seconds() - r->begun;
}

static int64_t limit_or_none(int64_t limit) {
    return limit < 0 ? INT64_MAX : limit;
}

int hsp_run_allocate(hsp_run_state *r, hsp_error **err) {
    const hsp_point *start = r->best;
    *r->out = (hsp_outcome){.dual_bound = NAN, .gap = NAN};
    int status = hsp_point_new(start->outputs, start->d, &r->now, err);
    bool proposes = r->solver->proposes || (r->rules->next && r->rules->next->proposes);
    for (int k = 0; k < HSP_MOST_FALLBACKS; k++) proposes |= r->rules->fallback[k] && r->rules->fallback[k]->proposes;
    if (!status && proposes) status = hsp_point_add_alpha(r->now, r->p->design->n, err);
    if (!status) status = hsp_observer_init(&r->observer, r->hooks, r->p, r->place, err);
    return status;
}

void hsp_run_free(hsp_run_state *r) {
    if (r->state && !r->batch) {
        r->solver->free(r->state);
        hsp_free(r->state);
    }
    hsp_observer_free(&r->observer);
    hsp_point_free(r->now);
}

void hsp_run_measure_start(hsp_run_state *r) {
    const hsp_point *start = r->best;
    r->begun = hsp_clock_seconds();
    r->budget = (hsp_budget){.max_updates = limit_or_none(r->rules->max_updates),
                             .max_steps = limit_or_none(r->rules->max_steps),
                             .change = {.step = NAN},
                             .deadline = r->rules->max_seconds >= 0 ? r->begun + r->rules->max_seconds : INFINITY};
    r->p->width = HSP_PROBLEM_WIDTH; /* reset: which run used the problem before depends on the threads */
    hsp_point_copy(r->now, start);
    r->at_now = r->at_best = r->out->start = hsp_problem_evaluate(r->p, start->w, start->b);
    r->progress.best = r->at_best.objective;
    r->progress.now = INFINITY; /* so that the first check finds progress */
    r->progress.next = r->rules->patience > 0 ? r->rules->patience : FIRST_CHECK;
    r->progress.gap = INFINITY;
    r->next_gap = 1;
    r->halving.gap = INFINITY;
    r->at_start = true;
    r->bound_now = NAN;
    note_method(r);
}

/* The start may be optimal already. Its multipliers, and where the loss is smooth its slopes, give a bound. */
static hsp_stop check_start(hsp_run_state *r) {
    bool smooth = r->p->loss->traits & HSP_LOSS_SMOOTH;
    if (r->rules->start != HSP_START_MODEL || r->solver->counts_mistakes || !hsp_problem_has_dual(r->p)) return HSP_STOP_NONE;
    if (r->best->alpha) offer_bound(r, hsp_problem_dual_of(r->p, r->best->alpha), r->p->slopes);
    if (smooth) offer_bound(r, hsp_problem_dual_bound(r->p, r->best->w, r->best->b), r->p->slopes);
    r->out->gap = hsp_relative_gap(r->at_best.objective, r->out->dual_bound);
    return r->out->gap <= r->rules->tol ? HSP_STOP_GAP : HSP_STOP_NONE;
}

int hsp_run(const hsp_solver *solver, hsp_problem *p, const hsp_rules *rules, hsp_run_place place, const hsp_hooks *hooks,
            hsp_point *point, hsp_outcome *out, hsp_error **err) {
    hsp_run_state r = {.solver = solver, .p = p, .rules = rules, .place = place, .hooks = hooks, .best = point, .out = out};
    hsp_stop stop = HSP_STOP_NONE;
    int status = hsp_run_allocate(&r, err);
    r.state = hsp_alloc_zero(1, solver->state_size);
    if (!status && !r.state) status = hsp_fail_memory(err);
    if (!status) status = solver->init(r.state, p, rules, point, err);
    if (!status) {
        hsp_run_measure_start(&r);
        hsp_observer_report_start(&r.observer, solver, r.state);
        hsp_stop at_once = check_start(&r);
        if (hsp_run_report(&r)) at_once = HSP_STOP_CANCELLED;
        if (!at_once) at_once = hsp_run_limit(&r);
        status = hsp_run_loop(&r, at_once, &stop, err);
    }
    if (!status) hsp_run_finish(&r, stop);
    if (!status) hsp_observer_report_end(&r.observer, r.solver, r.state, &r.budget, out->epochs, point);
    hsp_run_free(&r);
    return status;
}
