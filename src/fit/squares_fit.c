/* Least squares and ridge: pose the problem, choose lambda, solve, compute leave-one-out errors. */
#include "fit/squares_fit.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/stop.h"

#include <string.h>

/* Leave-one-out costs about n min(n, d)^2. By default it runs only if that takes about a second. */
#define LOO_AFFORDABLE 2e9

/* Row-major; a single output stands for the positive class, several for one class each. */
static void fill_targets(const hsp_fit *f, double *Y) {
    int64_t n = f->job.design->n, K = f->out.outputs;
    if (K == 1) {
        hsp_fit_targets(f, 0, Y);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < K; k++) Y[i * K + k] = f->rows.y[i] == k ? 1 : -1;
}

/* Takes C and lambda from the options, or chooses lambda by leave-one-out. */
static int choose_penalty(hsp_fit *f, hsp_squares *p, hsp_squares_search *search, hsp_error **err) {
    double mass = hsp_squares_mass(p), lambda = hsp_options_real(f->job.options, "lambda", NAN);
    int status = hsp_squares_check(p, HSP_SQUARES_LARGEST, err); /* first, so that no error blames C or lambda */
    if (status) return status;
    if (hsp_options_is(f->job.options, "lambda", "auto")) {
        p->C = 1;
        status = hsp_squares_search_lambda(p, search, err);
        if (status) return status;
        lambda = search->best;
    }
    f->form.C = isnan(lambda) ? hsp_options_real(f->job.options, "C", 1) : 1 / (lambda * mass);
    f->form.lambda = isnan(lambda) ? 1 / (f->form.C * mass) : lambda;
    double C = f->form.C;
    if (!(isfinite(f->form.lambda) && f->form.lambda > 0 && isfinite(C) && C > 0 && isfinite(1 / C)))
        return hsp_fail(err, HSP_EUSAGE, "-C or --lambda is out of range for %lld rows: choose a value nearer to 1",
                        (long long)f->job.design->n);
    p->C = f->form.C;
    return HSP_OK;
}

static int fill_results(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, hsp_error **err) {
    hsp_evaluation *zero = hsp_alloc(f->out.outputs, sizeof *zero);
    int status = zero ? hsp_squares_at_zero(p, zero, err) : hsp_fail_memory(err);
    bool ridge = hsp_squares_penalised(p), iterated = a->path == HSP_SQUARES_LSMR;
    bool cancelled = iterated && hsp_cancel_take();
    for (int64_t k = 0; !status && k < f->out.outputs; k++) {
        hsp_evaluation end = a->figures[k].at;
        hsp_outcome o = {.stop = iterated ? (ridge ? HSP_STOP_GAP : HSP_STOP_GRADIENT) : HSP_STOP_CLOSED_FORM,
                         .start = zero[k],
                         .end = end,
                         .dual_bound = fmax(end.objective - a->excess[k], 0),
                         .seconds = hsp_clock_seconds() - f->job.begun};
        if (isnan(a->excess[k])) o.dual_bound = NAN;
        o.gap = hsp_relative_gap(end.objective, o.dual_bound);
        o.converged = ridge ? o.gap <= f->form.rules.tol : !(iterated && a->reached > 1e-8);
        if (!o.converged && iterated) o.stop = cancelled ? HSP_STOP_CANCELLED : HSP_STOP_NO_PROGRESS;
        int64_t class = f->out.outputs == 1 ? f->job.prepare->positive : k;
        const char *label = f->rows.y ? f->job.prepare->classes.name[class] : NULL;
        f->out.results[k] = (hsp_fit_result){
            .outcome = o, .label = label, .margin = NAN, .geometric = NAN, .radius = NAN, .bound = NAN};
    }
    f->out.problems = f->out.outputs;
    f->notes.solved = true;
    f->form.certified = ridge;
    f->form.multiclass = f->out.outputs > 1 ? "ovr" : NULL;
    f->notes.method = hsp_squares_path_name(a->path);
    hsp_free(zero);
    return status;
}

/* ---- leave-one-out ---- */

/* Whether to compute leave-one-out: if the user asks for it, if it is cheap, or if it chose lambda. */
static bool wants_loo(const hsp_fit *f) {
    const char *asked = hsp_options_text(f->job.options, "loo");
    if (asked && strcmp(asked, "no") == 0) return false;
    if ((asked && strcmp(asked, "yes") == 0) || hsp_options_is(f->job.options, "lambda", "auto")) return true;
    double n = (double)f->job.design->n, d = (double)f->job.design->d, few = n < d ? n : d;
    return n * few * few <= LOO_AFFORDABLE;
}

static bool wrong_side(const hsp_squares *p, int64_t i, const double *scores) {
    const double *y = p->Y + i * p->K, *g = scores + i * p->K;
    int64_t high = 0;
    if (p->K == 1) return (g[0] > 0) != (y[0] > 0);
    for (int64_t k = 1; k < p->K; k++)
        if (g[k] > g[high]) high = k;
    return y[high] < 0;
}

/* scores: n x K, the prediction of each row by the fit without it; NaN where undefined. */
static hsp_loo sum_left_out(const hsp_squares *p, const hsp_squares_answer *a, const double *spare, double *scores) {
    hsp_loo loo = {0};
    double mass = 0, wrong = 0;
    for (int64_t i = 0; i < p->design->n; i++) {
        double c = p->c ? p->c[i] : 1;
        for (int64_t k = 0; k < p->K; k++) {
            int64_t at = i * p->K + k;
            double r = a->residuals && c > 0 ? a->residuals[at] : p->Y[at] - a->scores[at];
            r /= spare[i];
            scores[at] = p->Y[at] - r;
            if (!isnan(spare[i]) && c > 0) loo.press += c * r * r;
        }
        loo.undefined += isnan(spare[i]) && c > 0;
        if (isnan(spare[i]) || c == 0) continue;
        mass += c;
        wrong += wrong_side(p, i, scores) ? c : 0;
    }
    if (mass == 0) loo.press = NAN;
    loo.rmse = mass > 0 ? sqrt(loo.press / mass) : NAN;
    loo.error = mass > 0 && !p->regression ? wrong / mass : NAN;
    return loo;
}

/* ---- the whole fit ---- */

static int finish_squares(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_squares_search *search,
                          hsp_error **err) {
    int64_t n = f->job.design->n, K = f->out.outputs;
    bool wanted = wants_loo(f) && a->path != HSP_SQUARES_LSMR;
    double *spare = wanted ? hsp_alloc(n, sizeof *spare) : NULL;
    double *scores = wanted ? hsp_alloc(n * K, sizeof *scores) : NULL;
    int status = wanted && (!spare || !scores) ? hsp_fail_memory(err) : HSP_OK;
    hsp_loo loo = {0};
    if (!status && wanted) status = hsp_squares_spare(p, a, spare, err);
    if (!status && wanted) loo = sum_left_out(p, a, spare, scores);
    if (!status) {
        bool listed = wanted && hsp_options_is(f->job.options, "loo", "yes");
        status = hsp_squares_details(f, p, a, wanted ? &loo : NULL, listed ? scores : NULL,
                                     search->count > 0 ? search : NULL, err);
        hsp_squares_log(f, p, a, search);
        if (!status) status = hsp_squares_moments(f, p, a, err);
    }
    HSP_FREE(spare, scores);
    return status;
}

int hsp_fit_squares(hsp_fit *f, bool ridge, hsp_error **err) {
    int64_t n = f->job.design->n, d = f->job.design->d, K = f->out.outputs;
    f->form.loss = &hsp_loss_squared;
    f->form.penalty = hsp_penalty_find(ridge ? "l2" : "none");
    double *Y = hsp_alloc(n * K, sizeof *Y);
    hsp_squares p = {.design = f->job.design,
                     .K = K,
                     .Y = Y,
                     .c = f->rows.c,
                     .intercept = (hsp_intercept)hsp_options_choice(f->job.options, "intercept"),
                     .C = NAN,
                     .regression = f->rows.target != NULL,
                     .unscored = !wants_loo(f),
                     .schema = &f->job.prepare->schema,
                     .group = f->rows.y,
                     .groups = f->job.prepare->classes.count};
    hsp_squares_answer a = {0};
    hsp_squares_search search = {0};
    int status = Y ? HSP_OK : hsp_fail_memory(err);
    if (!status) fill_targets(f, Y);
    if (!status && !ridge && p.intercept == HSP_INTERCEPT_PENALISED)
        status = hsp_fail(err, HSP_EUSAGE,
                          "least-squares has no penalty: use --intercept free or --intercept none, or -a ridge");
    if (!status && ridge) status = choose_penalty(f, &p, &search, err);
    if (!status) status = hsp_squares_solve(&p, HSP_SQUARES_AUTO, f->form.rules.tol, &a, err);
    if (!status) {
        memcpy(f->out.w, a.w, (size_t)(K * d) * sizeof *f->out.w);
        memcpy(f->out.b, a.b, (size_t)K * sizeof *f->out.b);
        status = fill_results(f, &p, &a, err);
    }
    if (!status) status = finish_squares(f, &p, &a, &search, err);
    hsp_squares_answer_clear(&a);
    hsp_squares_search_clear(&search);
    hsp_free(Y);
    return status;
}
