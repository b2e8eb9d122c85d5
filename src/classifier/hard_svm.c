/* hard-svm: min |w|^2/2 subject to y_i (w.x_i + b) >= 1. First the proof that there is such a plane, or the witness that
 * there is none; then the widest street, by the methods of the soft margin with no bound on the multipliers. Every point
 * met is made feasible by scaling: with least margin m > 0, (w, b) / m keeps all rows out of the street; and multipliers
 * alpha >= 0 with v = sum alpha y x give the bound (sum alpha)^2 / (2 |v|^2) at their best scale. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classifier/margin_fit.h"
#include "data/matrix.h"
#include "design/design.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_certify.h"
#include "fit/fit_solve.h"
#include "kernel/kernel.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "prepare/prepare.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"
#include "verify/proof/proof.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Where interior point and dual descent give way to the finish. */
static const double HAND_OVER = 1e-5, HAND_OVER_DUAL = 1e-6, AIM = 1e-12;

typedef struct search {
    hsp_fit *f;
    int64_t k;
    hsp_margin_rows rows;
    double *y;
    hsp_budget budget;
    hsp_margin_point now;  /* as the method has it */
    hsp_margin_point best; /* the widest street that was found, feasible; and the multipliers of the best bound */
    double P, D;           /* of those */
    double *v;             /* d: scratch */
    int64_t epochs;
} search;

static double squares(const search *s, const double *w, double b) {
    double sum = hsp_dot_f64(w, w, s->f->job.design->d);
    return s->rows.program.intercept == HSP_INTERCEPT_PENALISED ? sum + b * b : sum;
}

/* ---- points made feasible ---- */

/* The plane w with the best offset, scaled until no row is in the street, when it is better than what there was. */
static void take_plane(search *s, const double *w) {
    const hsp_margin *m = &s->rows.program;
    int64_t n = m->design->n, d = m->design->d;
    hsp_design_scores(m->design, w, 0, s->rows.scores);
    double b = hsp_margin_best_intercept(m, s->rows.scores, s->rows.scratch), least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (m->upper[i] > 0) least = fmin(least, m->y[i] * (s->rows.scores[i] + b));
    double P = squares(s, w, b) / (2 * least * least);
    if (!(least > 0) || !(P < s->P)) return;
    s->P = P;
    s->best.b = b / least;
    for (int64_t j = 0; j < d; j++) s->best.w[j] = w[j] / least;
}

/* The bound that the multipliers give at their best scale. */
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

/* One line to the progress hook; true when it asks to stop. */
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

static const char *limit(const search *s) {
    if (hsp_cancel_take()) return "cancelled";
    if (hsp_clock_seconds() >= s->budget.deadline) return "max-seconds";
    return s->f->form.rules.max_epochs >= 0 && s->epochs >= s->f->form.rules.max_epochs ? "max-epochs" : NULL;
}

/* One method from where the last one ended, until it is done or near enough. *stop: why the whole search must end. */
static int run(search *s, const hsp_margin_method *method, double enough, const char **stop, hsp_error **err) {
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
        *stop = gap(s) <= aim ? "gap" : limit(s);
        if (report_progress(s, method->name) && !*stop) *stop = "cancelled";
        if (method->gap(state) <= enough) break;
    }
    method->free(state);
    hsp_free(state);
    return status;
}

static int solve(search *s, hsp_error **err) {
    bool few = hsp_margin_few_columns(s->f->job.design);
    hsp_outcome *o = &s->f->out.results[s->k].outcome;
    const char *stop = NULL;
    int status = run(s, few ? &hsp_margin_interior : &hsp_margin_dual, few ? HAND_OVER : HAND_OVER_DUAL, &stop, err);
    if (!status && !stop) status = run(s, &hsp_margin_polish, 0, &stop, err);
    if (!status && !stop && few && gap(s) > s->f->form.rules.tol) status = run(s, &hsp_margin_interior, 0, &stop, err);
    if (status) return status;
    bool converged = gap(s) <= s->f->form.rules.tol;
    o->stop = stop && strcmp(stop, "gap") != 0 ? stop : converged ? "gap" : "no-progress";
    o->converged = converged;
    o->epochs = o->updates = s->epochs;
    o->end = (hsp_evaluation){.objective = s->P, .mean_loss = 0, .error = 0, .norm = sqrt(2 * s->P)};
    o->dual_bound = s->D;
    o->gap = gap(s);
    o->seconds = hsp_clock_seconds() - s->f->job.begun;
    return HSP_OK;
}

/* ---- one class against the rest ---- */

/* The plane of the proof in the design's units: something to fall back to. */
static void take_proof(search *s) {
    const hsp_prepare *p = s->f->job.prepare;
    const double *w = s->f->out.proofs[s->k].w;
    for (int64_t j = 0; w && j < s->f->job.design->d; j++) s->v[j] = p->factor ? w[j] / p->factor[j] : w[j];
    if (w) take_plane(s, s->v);
}

/* Weights, offset and multipliers into the fit. */
static int deliver(search *s, hsp_error **err) {
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

static void close_search(search *s) {
    hsp_margin_rows_clear(&s->rows);
    hsp_free(s->y);
    hsp_free(s->now.w);
    hsp_free(s->now.alpha);
    hsp_free(s->best.w);
    hsp_free(s->best.alpha);
    hsp_free(s->v);
}

static int fit_output(hsp_fit *f, int64_t k, hsp_intercept intercept, double deadline, hsp_error **err) {
    search s = {.f = f, .k = k, .P = INFINITY, .D = 0};
    s.budget = (hsp_budget){.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = deadline};
    int status = open_search(&s, intercept, err);
    if (!status) {
        take_proof(&s);
        status = solve(&s, err);
    }
    if (!status) status = deliver(&s, err);
    close_search(&s);
    return status;
}

/* ---- rounding ---- */

/* The least y g over the rows that count, of weights in original units, in long double. */
static double least_margin(const hsp_fit *f, int64_t k, const double *w, double b) {
    long double least = INFINITY;
    int64_t plus = f->out.outputs == 1 ? f->job.prepare->positive : k;
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        if (f->rows.c && f->rows.c[i] == 0) continue;
        hsp_row x = hsp_matrix_row(&f->job.data->x, i);
        long double g = b;
        for (int64_t e = 0; e < x.count; e++) g += (long double)w[hsp_row_id(x, e)] * (long double)hsp_row_value(x, e);
        long double m = f->rows.y[i] == plus ? g : -g;
        least = m < least ? m : least;
    }
    return (double)(least < 1 ? least - 1e-18L : 1); /* a shortfall must not be rounded away */
}

/* The least margin of output k once its weights are in original units, as they will be written. */
static double written_margin(const hsp_fit *f, int64_t k, double *written) {
    double b = f->out.b[k];
    memcpy(written, f->out.w + k * f->job.design->d, (size_t)f->job.design->d * sizeof *written);
    hsp_prepare_unscale(f->job.prepare, written, &b);
    return least_margin(f, k, written, b);
}

/* Whether the weights in `written` put every row on its side in double precision, as predictions are made. */
static bool predicts(const hsp_fit *f, int64_t k, const double *written) {
    double b = f->out.b[k];
    int64_t plus = f->out.outputs == 1 ? f->job.prepare->positive : k;
    const hsp_prepare *q = f->job.prepare;
    int64_t d = f->job.design->d;
    for (int64_t j = 0; q->shift && j < d; j++) b -= q->shift[j] * q->factor[j] * f->out.w[k * d + j];
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        hsp_row x = hsp_matrix_row(&f->job.data->x, i);
        double g = 0;
        for (int64_t e = 0; e < x.count; e++) g += written[hsp_row_id(x, e)] * hsp_row_value(x, e);
        g += b;
        if ((!f->rows.c || f->rows.c[i] > 0) && (g > 0) != (f->rows.y[i] == plus)) return false;
    }
    return true;
}

static void multiply(hsp_fit *f, int64_t k, double factor) {
    hsp_scale_f64(factor, f->out.w + k * f->job.design->d, f->job.design->d);
    f->out.b[k] *= factor;
}

/* The plane of the proof, whose rows are on their sides in exact arithmetic, in place of one that lost them to rounding;
 * powers of two change nothing but its size. */
static void fall_back(hsp_fit *f, int64_t k, double *written) {
    const hsp_proof *p = &f->out.proofs[k];
    const hsp_prepare *q = f->job.prepare;
    double *w = f->out.w + k * f->job.design->d;
    f->out.b[k] = p->b;
    for (int64_t j = 0; j < f->job.design->d; j++) {
        w[j] = q->factor ? p->w[j] / q->factor[j] : p->w[j];
        if (q->shift) f->out.b[k] += p->w[j] * q->shift[j];
    }
    for (int tries = 0; tries < 40; tries++) {
        double least = written_margin(f, k, written);
        if (least >= 1 || !(least > 0)) break;
        multiply(f, k, ldexp(1, 1 - ilogb(least)));
    }
    hsp_outcome *o = &f->out.results[k].outcome;
    double square = hsp_dot_f64(w, w, f->job.design->d);
    o->end.objective = square / 2;
    o->end.norm = sqrt(square);
    o->gap = hsp_relative_gap(o->end.objective, o->dual_bound);
    o->converged = o->gap <= f->form.rules.tol;
    if (!o->converged) o->stop = "no-progress";
}

/* The weights as they will be written must keep every row out of the street, too: rounding may have let one in by a hair.
 */
static int widen(hsp_fit *f, int64_t k, hsp_error **err) {
    double *written = hsp_alloc(f->job.design->d, sizeof *written), least = 0;
    if (!written) return hsp_fail_memory(err);
    for (int tries = 0; tries < 20; tries++) {
        least = written_margin(f, k, written);
        if (least >= 1 || !(least > 0)) break;
        multiply(f, k, (1 + 2e-16 * (tries + 1)) / least);
    }
    if (!(least >= 1) && f->out.proofs[k].w) {
        fall_back(f, k, written);
        least = written_margin(f, k, written);
    }
    if (!(least >= 1) || !predicts(f, k, written)) {
        hsp_outcome *o = &f->out.results[k].outcome;
        f->out.infeasible = true;
        *o = (hsp_outcome){.stop = "no-progress", .start = o->start, .end = o->start, .epochs = o->epochs};
        o->dual_bound = o->gap = NAN;
        hsp_text_add(&f->notes.warnings,
                     "the classes are separable, but by a street too narrow for weights in double precision: "
                     "subtract from the columns what all rows have in common\n");
    }
    hsp_free(written);
    return HSP_OK;
}

/* ---- all classes ---- */

static void warn_infeasible(hsp_fit *f) {
    for (int64_t k = 0; k < f->out.outputs; k++) {
        const hsp_proof *p = &f->out.proofs[k];
        if (!hsp_fit_asked(f, k) || p->verdict == HSP_SEPARABLE) continue;
        hsp_text_format(&f->notes.warnings, f->out.outputs == 1 ? "the classes%s" : "class %s and the rest",
                        f->out.outputs == 1 ? "" : f->job.prepare->classes.name[k]);
        if (p->verdict == HSP_UNDECIDED)
            hsp_text_format(&f->notes.warnings, " may or may not be separable (%s): use -a svm\n",
                            p->reason ? p->reason : "undecided");
        else
            hsp_text_format(&f->notes.warnings, " are not linearly separable%s: use -a svm, the soft margin\n",
                            p->verdict == HSP_TOUCHING ? " (their hulls touch)" : "");
    }
}

static void begin_results(hsp_fit *f) {
    hsp_evaluation unknown = {NAN, NAN, NAN, NAN};
    for (int64_t k = 0; k < f->out.outputs; k++)
        f->out.results[k] = (hsp_fit_result){
            .label = f->job.prepare->classes.name[f->out.outputs == 1 ? f->job.prepare->positive : k],
            .outcome = {.stop = "not-tried", .start = unknown, .end = unknown, .dual_bound = NAN, .gap = NAN},
            .margin = NAN,
            .radius = NAN,
            .bound = NAN};
}

/* Whether every class can be told from the rest; the reason of the first that cannot becomes the reason of the fit. */
static int ask(hsp_fit *f, double deadline, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < f->out.outputs; k++) {
        if (f->out.outputs > 1 && hsp_fit_absent(f, k)) continue;
        status = hsp_fit_separate(f, k, deadline, err);
        if (status || f->out.proofs[k].verdict == HSP_SEPARABLE) continue;
        f->out.infeasible = true;
        f->out.results[k].outcome.stop = hsp_verdict_names[f->out.proofs[k].verdict];
        if (hsp_cancel_pending()) break;
    }
    for (int64_t k = 0; f->out.infeasible && k < f->out.outputs; k++)
        f->out.results[k].outcome.converged = hsp_fit_asked(f, k) && f->out.proofs[k].verdict == HSP_SEPARABLE;
    return status;
}

static int fit(hsp_fit *f, hsp_error **err) {
    double most = hsp_options_real(f->job.options, "max-seconds", NAN);
    double deadline = isnan(most) ? INFINITY : f->job.begun + most;
    hsp_intercept intercept = hsp_options_is(f->job.options, "intercept", "none")        ? HSP_INTERCEPT_NONE
                              : hsp_options_is(f->job.options, "intercept", "penalised") ? HSP_INTERCEPT_PENALISED
                                                                               : HSP_INTERCEPT_FREE;
    f->form.penalty = hsp_penalty_find("l2");
    f->form.solver = &hsp_solver_interior_point;
    f->notes.solved = f->notes.iterative = f->form.certified = f->notes.margins = true;
    if (f->out.outputs > 1) f->form.multiclass = "ovr";
    begin_results(f);
    int status = ask(f, deadline, err);
    if (status) return status;
    if (f->out.infeasible) {
        hsp_cancel_take(); /* told by the verdict */
        warn_infeasible(f);
        return HSP_OK;
    }
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    for (int64_t k = 0; !status && k < f->out.outputs; k++)
        if (f->out.outputs == 1 || !hsp_fit_absent(f, k)) status = fit_output(f, k, intercept, deadline, err);
    hsp_fit_restore(f, &about);
    for (int64_t k = 0; !status && k < f->out.outputs; k++)
        if (f->out.outputs == 1 || !hsp_fit_absent(f, k)) status = widen(f, k, err);
    if (!status && !f->out.infeasible) hsp_margin_story(f);
    return status;
}

const hsp_classifier hsp_classifier_hard_svm = {
    .name = "hard-svm",
    .help = "hard margin: the widest street without a row in it, or the witness that there is none",
    .options = HSP_OPTIONS_ANY " intercept tol max-epochs max-seconds",
    .defaults = NULL,
    .automatic = "interior point for few columns, dual coordinate descent for many; both end at exact multipliers",
    .solver = &hsp_solver_interior_point,
    .fit = fit};
