/* The loop. After each epoch the solver's point is measured over all rows; from that come the trace, the best point so far
 * and the reasons to stop. The dual bound is computed at epochs 1, 2, 3, 5, 8, ... (x 1.3): any lower bound of the optimum
 * stays one, so the best is kept. */
#include "solve/loop/run.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "loss/loss.h"
#include "solve/loop/observe.h"
#include "solve/loop/progress_line.h"

#include <math.h>
#include <string.h>

/* No progress: over the later half of the run the objective fell by less than this share. Looked at when the run has
 * doubled, from the first length on: with steps that fall like 1/k what is left to gain is about what a doubling gains. */
enum { FIRST_LOOK = 100 };
static const double PROGRESS = 1e-3;
static const double WORTHLESS = 0.5; /* a gap from which multipliers are no start for another solver */

typedef struct run {
    const hsp_solver *solver;
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_run_place place;
    const hsp_hooks *hooks;
    hsp_observer observer;
    const hsp_batch *batch; /* that it is a part of; NULL: by itself */
    int64_t member;         /* which of its problems */
    void *state;            /* the solver's, or the batch's */
    bool cancelled;         /* with the batch */
    hsp_point *now;         /* scratch */
    hsp_point *best;        /* the best so far: the caller's point, which began as the start */
    hsp_evaluation at_now, at_best;
    double bound_now; /* that the solver knows of the present point; NaN: it does not */
    hsp_budget budget;
    hsp_outcome *out;
    bool at_start; /* the best so far is the start */
    double begun;
    int64_t updates_before; /* the present epoch */
    int64_t next_gap;       /* epoch of the next dual bound */
    int64_t taken_at;       /* epoch at which the present solver took over */
    struct {
        double gap;   /* that must be halved ... */
        int64_t from; /* ... and the epoch at which it was reached */
    } halving;
    struct {
        int64_t next;     /* epoch at which the objective must have fallen again */
        double best, now; /* best and present objective at the last one */
    } progress;
    int spares; /* that have been tried */
} run;

bool hsp_budget_out(hsp_budget *budget) {
    if (budget->updates >= budget->max_updates || budget->steps >= budget->max_steps) {
        bool look = budget->watched && budget->updates < budget->most_updates && budget->steps < budget->max_steps;
        *(look ? &budget->paused : &budget->out) = true;
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
                                                           : 0;
    for (int64_t k = 0; k < point->outputs; k++)
        point->b[k] = rules->start == HSP_START_RANDOM && intercept ? 2 * hsp_rng_uniform(&rng) - 1 : 0;
}

static bool sound(const run *r) {
    for (int64_t k = 0; k < r->now->outputs; k++)
        if (!isfinite(r->now->b[k])) return false;
    return isfinite(r->at_now.objective) && isfinite(r->at_now.norm);
}

static bool by_mistakes(const run *r) {
    return r->solver->counts_mistakes || (r->p->loss->traits & HSP_LOSS_TRIVIAL);
}

/* Fewer mistakes, then a lower objective; or a lower objective alone. Where mistakes count, the start does not compete:
 * weights of zero would be right about a whole class without having learnt anything. */
static bool better(const run *r, hsp_evaluation a, hsp_evaluation b) {
    if (by_mistakes(r) && r->at_start) return true;
    if (by_mistakes(r) && a.error != b.error) return a.error < b.error;
    return a.objective < b.objective;
}

static void keep_now(run *r) {
    r->at_start = false;
    hsp_point_copy(r->best, r->now);
    r->at_best = r->at_now;
}

/* Exports a point, measures it unless the solver has done so, and keeps it when it is the best yet; false when there is
 * none of that kind. */
static bool judge(run *r, hsp_which which) {
    hsp_known known = {.bound = NAN};
    bool said = false;
    if (r->batch) {
        r->batch->export(r->state, r->member, r->now);
        said = r->batch->known(r->state, r->member, &known);
    } else {
        if (!r->solver->export(r->state, which, r->now)) return false;
        said = which == HSP_POINT_CURRENT && r->solver->known && r->solver->known(r->state, &known);
    }
    r->bound_now = said ? known.bound : NAN;
    r->at_now = said ? known.at : hsp_problem_evaluate(r->p, r->now->w, r->now->b);
    if (sound(r) && better(r, r->at_now, r->at_best)) keep_now(r);
    return true;
}

/* A bound above an objective that was reached is no bound: by a hair it is rounding, by more the numbers cannot be trusted.
 */
static void take_bound(run *r, double D, const double *multipliers) {
    double P = r->at_best.objective;
    if (D > P && D - P <= 1e-12 * fabs(P)) D = P;
    if (isnan(D) || D > P || D <= r->out->dual_bound) return;
    r->out->dual_bound = D;
    double *alpha = r->best->alpha; /* the multipliers that prove it */
    for (int64_t t = 0; alpha && t < r->p->design->n * r->p->outputs; t++) alpha[t] = multipliers[t];
}

/* The best of the bounds known: from the multipliers that the solver proposes, and from the point itself. Where the loss
 * has a kink the latter are a poor guess, and not worth their passes beside the solver's own. */
static void bound(run *r, const hsp_point *at) {
    bool proposed = at == r->now && r->solver->proposes, guessed = !(r->p->loss->traits & HSP_LOSS_SMOOTH);
    if (proposed && !isnan(r->bound_now)) {
        take_bound(r, r->bound_now, at->alpha);
    } else {
        if (proposed) take_bound(r, hsp_problem_dual_of(r->p, at->alpha), r->p->slopes);
        if (!(guessed && r->solver->proposes)) take_bound(r, hsp_problem_dual_bound(r->p, at->w, at->b), r->p->slopes);
    }
    if (r->out->dual_bound > r->at_best.objective) r->out->dual_bound = r->at_best.objective; /* likewise, later on */
    r->out->gap = hsp_relative_gap(r->at_best.objective, r->out->dual_bound);
}

static const char *method_name(const run *r) {
    if (r->batch) return r->batch->name;
    return r->solver->method ? r->solver->method(r->state) : r->solver->name;
}

/* One line to the progress hook; true when it asks to stop. */
static bool report(const run *r) {
    if (!r->hooks || !r->hooks->progress) return false;
    r->out->updates = r->budget.updates;
    r->out->steps = r->budget.steps;
    hsp_progress line =
        hsp_progress_line(r->place, r->rules->max_epochs, r->out, r->at_now, r->begun, method_name(r));
    return r->hooks->progress(r->hooks->user, &line) != 0;
}

/* A limit that nobody asked for is each solver's own. */
static bool epochs_over(const run *r) {
    int64_t epochs = r->out->epochs - (r->rules->epochs_given ? 0 : r->taken_at);
    return r->rules->max_epochs >= 0 && epochs >= r->rules->max_epochs;
}

static const char *limit(const run *r) {
    if (r->cancelled || hsp_cancel_take() || r->observer.stopped) return "cancelled";
    if (r->budget.updates >= r->budget.max_updates) return "max-updates";
    if (r->budget.steps >= r->budget.max_steps) return "max-steps";
    if (hsp_clock_seconds() >= r->budget.deadline) return "max-seconds";
    if (epochs_over(r)) return "max-epochs";
    return NULL;
}

/* Whether a limit is reached; limit() also takes a cancel away. */
static bool over(const run *r) {
    return r->budget.out || r->cancelled || epochs_over(r) || hsp_cancel_pending() || r->observer.stopped ||
           hsp_clock_seconds() >= r->budget.deadline;
}

static bool fell(double from, double to) {
    return from - to >= PROGRESS * fabs(from);
}

/* Neither the best nor the present objective has fallen. */
static bool stuck(run *r) {
    if (r->rules->tol_given || by_mistakes(r)) return false;
    if (r->out->epochs < r->progress.next) return false;
    bool moving = fell(r->progress.best, r->at_best.objective) || fell(r->progress.now, r->at_now.objective);
    r->progress.next *= 2;
    r->progress.best = r->at_best.objective;
    r->progress.now = r->at_now.objective;
    return !moving;
}

/* Stuck above where it began: the steps are too long for the data. */
static const char *no_progress(const run *r) {
    return r->at_start && r->at_now.objective > r->out->start.objective ? "diverged" : "no-progress";
}

/* A small gradient is not yet the gap that was asked for by name: go on while there is anything to gain. */
static bool short_of_tolerance(run *r) {
    if (!r->rules->tol_given || !(hsp_problem_has_dual(r->p) || r->solver->proposes)) return false;
    bound(r, r->now);
    return r->out->gap > r->rules->tol && r->budget.updates > r->updates_before;
}

/* Who goes on when the present solver cannot; NULL: nobody. */
static const hsp_solver *successor(const run *r) {
    if (r->rules->next && r->solver != r->rules->next && r->spares == 0) return r->rules->next;
    return r->spares < HSP_MOST_SPARE ? r->rules->spare[r->spares] : NULL;
}

/* Steps that cost much and have not halved the gap for long: the solver goes in circles. */
static bool circles(run *r) {
    enum { MOST_IDLE = 40 };
    if (!(r->out->gap > r->halving.gap / 2)) {
        r->halving.gap = r->out->gap;
        r->halving.from = r->out->epochs;
    }
    bool known = r->solver->dear_steps && !isnan(r->out->gap) && !r->rules->epochs_given;
    return known && r->out->epochs - r->halving.from >= MOST_IDLE && successor(r);
}

/* Why to stop after an epoch, or NULL. */
static const char *verdict(run *r, hsp_step step) {
    if (step == HSP_STEP_FAILED || !sound(r)) return "diverged";
    if (step == HSP_STEP_ENDLESS) return "infinity";
    if (step == HSP_STEP_DONE) {
        if (r->solver->proposes) bound(r, r->now);
        /* Of all points without a mistake, the one that a whole pass confirmed. */
        if (r->solver->counts_mistakes) keep_now(r);
        if (!short_of_tolerance(r)) return r->out->gap <= r->rules->tol ? "gap" : r->solver->done;
    }
    if (r->at_now.objective == 0 && (r->p->regression || r->at_now.error == 0) && !r->solver->counts_mistakes)
        return "zero-loss";
    if (r->out->epochs >= r->next_gap || !isnan(r->bound_now)) {
        bound(r, r->now);
        r->next_gap =
            r->out->epochs < 3 || r->solver->dear_steps ? r->out->epochs + 1 : (int64_t)ceil((double)r->out->epochs * 1.3);
        if (r->out->gap <= r->rules->tol) return "gap";
    }
    const char *reached = limit(r);
    if (reached) return reached;
    if (circles(r)) return "circles";
    return step == HSP_STEP_STALLED || stuck(r) ? no_progress(r) : NULL;
}

/* ---- methods that follow one another ---- */

static void note_method(run *r) {
    hsp_outcome *out = r->out;
    const char *name = method_name(r);
    if (out->stage_count > 0 && strcmp(out->stages[out->stage_count - 1].method, name) == 0) return;
    if (out->stage_count == HSP_MOST_STAGES) return;
    out->stages[out->stage_count++] = (hsp_stage){name, out->epochs, out->gap, hsp_clock_seconds() - r->begun};
}

/* Whether another solver is to go on, rather than that the run ends. */
static bool taken_over(const run *r, hsp_step step, const char *stop) {
    bool late = strcmp(stop, "max-epochs") == 0 && !r->rules->epochs_given;
    bool stuck = step == HSP_STEP_STALLED || step == HSP_STEP_FAILED || late || strcmp(stop, "circles") == 0;
    if (!stuck || strcmp(stop, "gap") == 0 || (over(r) && !late)) return false;
    return successor(r) && !(r->out->gap <= r->rules->tol);
}

/* The next solver goes on from the best point, with the multipliers of the best bound, unless these are worth nothing
 * or it does better from its own start. */
static int hand_over(run *r, const hsp_solver *next, hsp_error **err) {
    hsp_point start = *r->best;
    if (next != r->rules->next && next != r->solver) r->spares++;
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
    r->progress.next = r->out->epochs + FIRST_LOOK;
    r->progress.best = r->at_best.objective;
    r->progress.now = INFINITY;
    if (!status) note_method(r);
    return status;
}

/* Runs on to the end, and why that came. */
static int loop(run *r, const char *stop, const char **why, hsp_error **err) {
    while (!stop) {
        r->updates_before = r->budget.updates;
        hsp_step step = hsp_observer_step(&r->observer, r->solver, r->state, &r->budget, r->out->epochs);
        if (step == HSP_STEP_MEMORY) return hsp_fail_memory(err);
        if (!r->budget.out) r->out->epochs++;
        note_method(r);
        if (step == HSP_STEP_QUIET && !over(r)) continue;
        judge(r, HSP_POINT_CANDIDATE);
        judge(r, HSP_POINT_CURRENT);
        stop = verdict(r, step);
        if (report(r) && !stop) stop = "cancelled";
        if (stop && taken_over(r, step, stop)) {
            int status = hand_over(r, successor(r), err);
            if (status) return status;
            stop = NULL;
        }
    }
    if (strcmp(stop, "circles") == 0) stop = "no-progress"; /* a limit was reached at the same time */
    *why = stop;
    return HSP_OK;
}

/* Leaves the point that was asked for in r->best; one that is not finite gives way to the best. */
static void keep(run *r) {
    hsp_keep kind = r->rules->keep;
    if (kind != HSP_KEEP_BEST) {
        judge(r, kind == HSP_KEEP_AVERAGE ? HSP_POINT_AVERAGE : HSP_POINT_CURRENT);
        if (sound(r)) keep_now(r);
    }
}

static void finish(run *r, const char *stop) {
    hsp_outcome *out = r->out;
    keep(r);
    if (!(out->gap <= r->rules->tol)) bound(r, r->best);
    if (r->at_best.objective == 0 && (r->p->loss->traits & HSP_LOSS_DUAL))
        out->dual_bound = out->gap = 0; /* P is never below 0 */
    out->stop = stop;
    if (strcmp(stop, "infinity") == 0) {
        if (!(out->dual_bound >= 0)) out->dual_bound = 0; /* P is never below 0 */
        out->gap = hsp_relative_gap(r->at_best.objective, out->dual_bound);
        if (r->solver->diverging) out->diverging_count = r->solver->diverging(r->state, out->diverging);
    }
    out->converged = strcmp(stop, "gap") == 0 || strcmp(stop, "zero-loss") == 0 || strcmp(stop, r->solver->done) == 0 ||
                     out->gap <= r->rules->tol;
    out->updates = r->budget.updates;
    out->steps = r->budget.steps;
    out->end = r->at_best;
    out->at_start = r->at_start;
    out->seconds = hsp_clock_seconds() - r->begun;
}

static int64_t limit_or_none(int64_t limit) {
    return limit < 0 ? INT64_MAX : limit;
}

/* Memory for a run. */
static int make_run(run *r, hsp_error **err) {
    const hsp_point *start = r->best;
    *r->out = (hsp_outcome){.dual_bound = NAN, .gap = NAN};
    int status = hsp_point_new(start->outputs, start->d, &r->now, err);
    bool proposes = r->solver->proposes || (r->rules->next && r->rules->next->proposes);
    for (int k = 0; k < HSP_MOST_SPARE; k++) proposes |= r->rules->spare[k] && r->rules->spare[k]->proposes;
    if (!status && proposes) status = hsp_point_add_alpha(r->now, r->p->design->n, err);
    if (!status) status = hsp_observer_init(&r->observer, r->hooks, r->p, r->place, err);
    return status;
}

static void clear_run(run *r) {
    if (r->state && !r->batch) {
        r->solver->free(r->state);
        hsp_free(r->state);
    }
    hsp_observer_free(&r->observer);
    hsp_point_free(r->now);
}

/* The start is measured and the clock set. */
static void begin_run(run *r) {
    const hsp_point *start = r->best;
    r->begun = hsp_clock_seconds();
    r->budget = (hsp_budget){.max_updates = limit_or_none(r->rules->max_updates),
                             .max_steps = limit_or_none(r->rules->max_steps),
                             .deadline = r->rules->max_seconds >= 0 ? r->begun + r->rules->max_seconds : INFINITY};
    r->p->width = HSP_PROBLEM_WIDTH; /* nothing is left of another run: which came before depends on the threads */
    hsp_point_copy(r->now, start);
    r->at_now = r->at_best = r->out->start = hsp_problem_evaluate(r->p, start->w, start->b);
    r->progress.best = r->at_best.objective;
    r->progress.now = INFINITY; /* the first look sees a run that moves */
    r->progress.next = FIRST_LOOK;
    r->next_gap = 1;
    r->halving.gap = INFINITY;
    r->at_start = true;
    r->bound_now = NAN;
    note_method(r);
}

int hsp_run(const hsp_solver *solver, hsp_problem *p, const hsp_rules *rules, hsp_run_place place, const hsp_hooks *hooks,
            hsp_point *point, hsp_outcome *out, hsp_error **err) {
    run r = {.solver = solver, .p = p, .rules = rules, .place = place, .hooks = hooks, .best = point, .out = out};
    const char *stop = NULL;
    int status = make_run(&r, err);
    r.state = hsp_alloc_zero(1, solver->state_size);
    if (!status && !r.state) status = hsp_fail_memory(err);
    if (!status) status = solver->init(r.state, p, rules, point, err);
    if (!status) {
        begin_run(&r);
        hsp_observer_begin(&r.observer, solver, r.state);
        status = loop(&r, report(&r) ? "cancelled" : limit(&r), &stop, err);
    }
    if (!status) finish(&r, stop);
    clear_run(&r);
    return status;
}

/* ---- several at once ---- */

/* A run leaves its batch: ended, or to go on by itself with the solver that is named. */
static void leave_batch(run *r, const char *stop, const hsp_solver *alone, const hsp_solver **next) {
    r->batch->leave(r->state, r->member);
    *next = alone;
    if (alone) return;
    finish(r, stop);
    r->batch = NULL;
    r->state = NULL;
}

/* One step of all that are in the batch; how many that leaves there. */
static int64_t step_together(run *r, int64_t count, void *state, hsp_budget *budget, const hsp_solver **next) {
    hsp_step said[HSP_MOST_BATCH] = {HSP_STEP_MORE};
    int64_t updates[HSP_MOST_BATCH] = {0}, before = budget->steps, left = 0;
    r->solver->batch->step(state, budget, said, updates);
    bool cancelled = hsp_cancel_take();
    for (int64_t k = 0; k < count; k++) {
        run *one = r + k;
        if (!one->batch || next[k]) continue;
        left++;
        one->updates_before = one->budget.updates;
        one->budget.updates += updates[k];
        one->budget.steps += budget->steps - before;
        one->budget.out = budget->out;
        one->cancelled = cancelled;
        if (!budget->out && budget->steps > before) one->out->epochs++;
        if (said[k] == HSP_STEP_QUIET && !over(one)) continue;
        judge(one, HSP_POINT_CURRENT);
        const char *stop = verdict(one, said[k]);
        if (report(one) && !stop) stop = "cancelled";
        if (!stop && said[k] != HSP_STEP_ALONE) continue;
        const hsp_solver *alone = !stop ? one->solver : taken_over(one, said[k], stop) ? successor(one) : NULL;
        leave_batch(one, stop, alone, next + k);
        left--;
    }
    return left;
}

static int loop_together(run *r, int64_t count, hsp_error **err) {
    const hsp_solver *next[HSP_MOST_BATCH] = {NULL};
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = r->budget.deadline};
    int64_t left = count;
    void *state = r->state;
    const hsp_batch *batch = r->solver->batch;
    bool cancelled = hsp_cancel_take();
    for (int64_t k = 0; k < count; k++) {
        r[k].cancelled = cancelled;
        const char *stop = report(r + k) ? "cancelled" : limit(r + k);
        if (!stop) continue;
        leave_batch(r + k, stop, NULL, next + k);
        left--;
    }
    while (left > 0) left = step_together(r, count, state, &budget, next);
    for (int64_t k = 0; k < count; k++) r[k].state = NULL;
    batch->free(state);
    hsp_free(state);
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < count; k++) {
        const char *stop = NULL;
        if (!next[k]) continue;
        status = hand_over(r + k, next[k], err);
        if (!status) status = loop(r + k, NULL, &stop, err);
        if (!status) finish(r + k, stop);
    }
    return status;
}

int hsp_run_together(const hsp_solver *solver, const hsp_run_task *tasks, int64_t count, const hsp_rules *rules,
                     hsp_error **err) {
    hsp_problem *p[HSP_MOST_BATCH];
    hsp_point *start[HSP_MOST_BATCH];
    run *r = hsp_alloc_zero(count, sizeof *r);
    void *state = hsp_alloc_zero(1, solver->batch->state_size);
    int status = r && state ? HSP_OK : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < count; k++) {
        const hsp_run_task *t = tasks + k;
        r[k] = (run){.solver = solver, .p = t->p, .rules = rules, .place = t->place, .hooks = t->hooks, .best = t->point};
        r[k].out = t->out;
        r[k].batch = solver->batch;
        r[k].member = k;
        r[k].state = state;
        p[k] = t->p;
        start[k] = t->point;
        status = make_run(r + k, err);
    }
    if (!status) status = solver->batch->init(state, p, count, rules, start, err);
    if (status && state) {
        solver->batch->free(state);
        hsp_free(state);
    }
    for (int64_t k = 0; !status && k < count; k++) begin_run(r + k);
    if (!status) status = loop_together(r, count, err);
    for (int64_t k = 0; r && k < count; k++) clear_run(r + k);
    hsp_free(r);
    return status;
}
