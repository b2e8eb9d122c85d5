/* Solves
 *     min |w|^2/2  subject to  y_i (w.x_i + b) >= 1
 * by the methods of the soft margin, without an upper bound on the multipliers. Scaling makes every iterate feasible: if
 * its least margin m = min_i y_i g_i is positive, (w, b) / m satisfies all constraints. Multipliers alpha >= 0 give, at
 * their best scale, the lower bound
 *     (sum alpha)^2 / (2 |v|^2),   v = sum alpha_i y_i x_i */
#include "fit/hard_margin.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "fit/fit_solve.h"
#include "fit/margin_rows.h"
#include "kernel/kernel.h"
#include "prepare/prepare.h"
#include "problem/margin_values.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <string.h>

/* Gaps at which interior point and dual descent hand over to the polish, and the gap to reach by default. */
static const double HAND_OVER = 1e-5, HAND_OVER_DUAL = 1e-6, AIM = 1e-12;

typedef struct search {
    hsp_fit *f;
    int64_t k;
    hsp_margin_rows rows;
    double *y;
    hsp_budget budget;
    hsp_margin_point now;  /* the method's iterate */
    hsp_margin_point best; /* the widest feasible margin so far, and the multipliers of the best bound */
    double P, D;           /* their objective and bound */
    double *v;             /* d: scratch */
    int64_t epochs;
} search;

/* ---- points made feasible ---- */

/* Takes the plane w with its best intercept, scaled until every margin y g is at least 1, if it beats the best so far. */
static void take_plane(search *s, const double *w) {
    const hsp_margin *m = &s->rows.program;
    int64_t n = m->design->n, d = m->design->d;
    hsp_design_scores(m->design, w, 0, s->rows.scores);
    double b = hsp_margin_best_intercept(m, s->rows.scores, s->rows.scratch), least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (m->upper[i] > 0) least = fmin(least, m->y[i] * (s->rows.scores[i] + b));
    double square = hsp_dot_f64(w, w, d);
    if (m->intercept == HSP_INTERCEPT_PENALISED) square += b * b;
    double P = square / (2 * least * least);
    if (!(least > 0) || !(P < s->P)) return;
    s->P = P;
    s->best.b = b / least;
    for (int64_t j = 0; j < d; j++) s->best.w[j] = w[j] / least;
}

/* Takes the multipliers if their bound, at the best scale, beats the best so far. */
static void take_multipliers(search *s, double *alpha) {
    const hsp_margin *m = &s->rows.program;
    hsp_margin_balance(m, alpha);
    double t = hsp_margin_combine(m, alpha, s->rows.scratch, s->v);
    double sum = hsp_sum_f64(alpha, m->design->n), square = hsp_dot_f64(s->v, s->v, m->design->d);
    if (m->intercept == HSP_INTERCEPT_PENALISED) square += t * t;
    double D = sum * sum / (2 * square);
    if (!(D > s->D) || !isfinite(D)) return;
    s->D = fmin(D, s->P);
    for (int64_t i = 0; i < m->design->n; i++) s->best.alpha[i] = alpha[i] * (sum / square);
}

static double gap(const search *s) {
    return hsp_relative_gap(s->P, s->D);
}

/* Passes one line to the progress hook; returns true if the hook asks to stop. */
static bool report_progress(const search *s, const char *method) {
    const hsp_fit *f = s->f;
    const hsp_hooks *hooks = f->job.hooks;
    if (!hooks || !hooks->progress) return false;
    hsp_run_place place = {s->k, f->out.outputs, f->out.results[s->k].label};
    hsp_outcome o = {.epochs = s->epochs, .dual_bound = s->D, .gap = gap(s)};
    hsp_evaluation at = {.objective = s->P, .mean_loss = NAN, .error = 0, .norm = sqrt(2 * s->P)};
    hsp_progress line = hsp_progress_line(place, f->form.rules.max_epochs, &o, at, f->job.begun, method);
    return hooks->progress(hooks->user, &line) != 0;
}

/* ---- the loop ---- */

static hsp_stop limit_reached(const search *s) {
    if (hsp_cancel_take()) return HSP_STOP_CANCELLED;
    if (hsp_clock_seconds() >= s->budget.deadline) return HSP_STOP_MAX_SECONDS;
    return s->f->form.rules.max_epochs >= 0 && s->epochs >= s->f->form.rules.max_epochs ? HSP_STOP_MAX_EPOCHS
                                                                                        : HSP_STOP_NONE;
}

/* Runs one method from the end of the last one, until it finishes or the gap is at most `enough`. *stop: why the whole
 * search must end. */
static int run_method(search *s, const hsp_margin_method *method, double enough, hsp_stop *stop, hsp_error **err) {
    void *state = hsp_alloc_zero(1, method->state_size);
    if (!state) return hsp_fail_memory(err);
    int status = method->init(state, &s->rows.program, s->epochs ? &s->now : NULL, s->f->form.rules.seed, err);
    hsp_step step = HSP_STEP_MORE;
    double aim = s->f->form.rules.tol_given ? s->f->form.rules.tol : AIM;
    while (!status && step == HSP_STEP_MORE && !*stop) {
        step = method->step(state, &s->budget);
        if (step == HSP_STEP_MEMORY) status = hsp_fail_memory(err);
        if (status || step == HSP_STEP_FAILED) break;
        s->epochs++;
        method->export(state, &s->now);
        take_plane(s, s->now.w);
        memcpy(s->rows.alpha, s->now.alpha, (size_t)s->f->job.design->n * sizeof *s->rows.alpha);
        take_multipliers(s, s->rows.alpha);
        if (s->D > 0) take_plane(s, s->v);
        *stop = gap(s) <= aim ? HSP_STOP_GAP : limit_reached(s);
        if (report_progress(s, method->name) && !*stop) *stop = HSP_STOP_CANCELLED;
        if (method->gap(state) <= enough) break;
    }
    method->free(state);
    hsp_free(state);
    return status;
}

static int search_widest(search *s, hsp_error **err) {
    bool few = hsp_margin_few_columns(s->f->job.design);
    hsp_outcome *o = &s->f->out.results[s->k].outcome;
    hsp_stop stop = HSP_STOP_NONE;
    int status = run_method(s, few ? &hsp_margin_interior : &hsp_margin_dual, few ? HAND_OVER : HAND_OVER_DUAL, &stop, err);
    if (!status && !stop) status = run_method(s, &hsp_margin_polish, 0, &stop, err);
    if (!status && !stop && few && gap(s) > s->f->form.rules.tol)
        status = run_method(s, &hsp_margin_interior, 0, &stop, err);
    if (status) return status;
    bool converged = gap(s) <= s->f->form.rules.tol;
    o->stop = stop && stop != HSP_STOP_GAP ? stop : converged ? HSP_STOP_GAP : HSP_STOP_NO_PROGRESS;
    o->converged = converged;
    o->epochs = o->updates = s->epochs;
    o->end = (hsp_evaluation){.objective = s->P, .mean_loss = 0, .error = 0, .norm = sqrt(2 * s->P)};
    o->dual_bound = s->D;
    o->gap = gap(s);
    o->seconds = hsp_clock_seconds() - s->f->job.begun;
    return HSP_OK;
}

/* ---- one class against the rest ---- */

/* Stores weights, intercept and multipliers in the fit. */
static int keep_best(search *s, hsp_error **err) {
    hsp_fit *f = s->f;
    int64_t n = f->job.design->n, d = f->job.design->d;
    if (!f->out.dual) f->out.dual = hsp_alloc_zero(n * f->out.outputs, sizeof *f->out.dual);
    if (!f->out.dual) return hsp_fail_memory(err);
    memcpy(f->out.w + s->k * d, s->best.w, (size_t)d * sizeof *f->out.w);
    f->out.b[s->k] = s->best.b;
    for (int64_t i = 0; i < n; i++) f->out.dual[i * f->out.outputs + s->k] = s->y[i] * s->best.alpha[i];
    return HSP_OK;
}

static int open_search(search *s, hsp_intercept intercept, hsp_error **err) {
    int64_t n = s->f->job.design->n, d = s->f->job.design->d;
    s->y = hsp_alloc(n, sizeof *s->y);
    s->now.w = hsp_alloc_zero(d, sizeof *s->now.w);
    s->now.alpha = hsp_alloc_zero(n, sizeof *s->now.alpha);
    s->best.w = hsp_alloc_zero(d, sizeof *s->best.w);
    s->best.alpha = hsp_alloc_zero(n, sizeof *s->best.alpha);
    s->v = hsp_alloc_zero(d, sizeof *s->v);
    if (!s->y || !s->now.w || !s->now.alpha || !s->best.w || !s->best.alpha || !s->v) return hsp_fail_memory(err);
    hsp_fit_targets(s->f, s->k, s->y);
    return hsp_margin_rows_hard(s->f->job.design, s->y, s->f->rows.c, intercept, &s->rows, err);
}

int hsp_fit_hard_margin(hsp_fit *f, int64_t k, hsp_intercept intercept, double deadline, hsp_error **err) {
    search s = {.f = f, .k = k, .P = INFINITY, .D = 0};
    s.budget = (hsp_budget){.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = deadline};
    int status = open_search(&s, intercept, err);
    if (!status) {
        /* The plane of the proof in the design's units is the fallback. */
        const hsp_prepare *p = f->job.prepare;
        const double *w = f->out.proofs[k].w;
        for (int64_t j = 0; w && j < f->job.design->d; j++) s.v[j] = p->factor ? w[j] / p->factor[j] : w[j];
        if (w) take_plane(&s, s.v);
        status = search_widest(&s, err);
    }
    if (!status) status = keep_best(&s, err);
    hsp_margin_rows_clear(&s.rows);
    HSP_FREE(s.y, s.now.w, s.now.alpha, s.best.w, s.best.alpha, s.v);
    return status;
}
