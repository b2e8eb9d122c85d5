/* Objective, gradient and curvature. */
#include "problem/problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kernel/kernel.h"

#include <math.h>

static void set_weights(hsp_problem *p, const hsp_problem_spec *spec) {
    int64_t n = p->design->n;
    p->sum_c = p->c ? hsp_sum_f64(p->c, n) : (double)n;
    p->rho = spec->penalty->mixed ? spec->l1_ratio : spec->penalty->l1;
    p->C = 1;
    p->lambda = 0;
    if (spec->penalty->penalises) {
        if (!isnan(spec->lambda))
            p->C = 1 / (spec->lambda * p->sum_c);
        else if (!isnan(spec->C))
            p->C = spec->C;
        p->lambda = isnan(spec->lambda) ? 1 / (p->C * p->sum_c) : spec->lambda;
    }
    p->scale = p->C * p->sum_c;
}

void hsp_problem_strengthen(hsp_problem *p, double C) {
    if (!p->penalty->penalises) return;
    p->C = C;
    p->lambda = 1 / (C * p->sum_c);
    p->scale = C * p->sum_c;
}

static bool allocate_scratch(hsp_problem *p) {
    int64_t n = p->design->n, d = p->design->d, K = p->outputs;
    bool centred = !p->penalty->penalises && p->intercept != HSP_INTERCEPT_NONE && (p->loss->traits & HSP_LOSS_DUAL);
    if (!HSP_ALLOC_DOUBLES(n, &p->y, &p->values) || !HSP_ALLOC_DOUBLES(n * K, &p->scores, &p->slopes) ||
        !HSP_ALLOC_DOUBLES(K * d, &p->v) || !HSP_ALLOC_DOUBLES(K, &p->tilt) ||
        !HSP_ALLOC_DOUBLES(centred ? d : -1, &p->centre))
        return false;
    if (K == 1) return true;
    return !hsp_scores_plan_new(p->design, K, &p->score, NULL) && !hsp_adjoint_plan_new(p->design, K, &p->adjoin, NULL);
}

int hsp_problem_new(const hsp_design *design, const hsp_problem_spec *spec, hsp_problem **out, hsp_error **err) {
    *out = NULL;
    hsp_problem *p = hsp_alloc_zero(1, sizeof *p);
    if (!p) return hsp_fail_memory(err);
    *p = (hsp_problem){.design = design,
                       .loss = spec->loss,
                       .penalty = spec->penalty,
                       .intercept = spec->intercept,
                       .kink = spec->kink,
                       .c = spec->c,
                       .outputs = spec->outputs > 0 ? spec->outputs : 1,
                       .regression = spec->regression,
                       .width = HSP_PROBLEM_WIDTH};
    set_weights(p, spec);
    if (!allocate_scratch(p)) {
        hsp_problem_free(p);
        return hsp_fail_memory(err);
    }
    if (p->centre) {
        for (int64_t i = 0; i < design->n; i++) p->values[i] = 1 / (double)design->n;
        hsp_design_adjoint(design, p->values, p->centre);
    }
    *out = p;
    return HSP_OK;
}

void hsp_problem_free(hsp_problem *p) {
    if (!p) return;
    HSP_FREE(p->y, p->scores, p->values, p->slopes, p->v, p->tilt);
    hsp_scores_plan_free(p->score);
    hsp_adjoint_plan_free(p->adjoin);
    HSP_FREE(p->centre, p);
}

/* ---- passes ---- */

bool hsp_all_zero(const double *v, int64_t size) {
    for (int64_t j = 0; j < size; j++)
        if (v[j] != 0) return false;
    return true;
}

void hsp_problem_scores(hsp_problem *p, const double *w, const double *b, double *out) {
    const hsp_design *D = p->design;
    int64_t K = p->outputs;
    if (hsp_all_zero(w, K * D->d)) /* as at the start of most runs: no pass over the data */
        for (int64_t e = 0; e < D->n * K; e++) out[e] = b[e % K];
    else if (K == 1)
        hsp_design_scores(D, w, b[0], out);
    else
        hsp_scores_plan_run(p->score, w, b, out);
}

void hsp_problem_adjoint(hsp_problem *p, const double *r, double *out) {
    if (p->outputs == 1)
        hsp_design_adjoint(p->design, r, out);
    else
        hsp_adjoint_plan_run(p->adjoin, r, out);
}

typedef struct loss_rows {
    const hsp_problem *p;
    double *slopes;
} loss_rows;

static void losses_of_block(void *ctx, int64_t block) {
    const loss_rows *t = ctx;
    const hsp_problem *p = t->p;
    int64_t i, count = hsp_block_rows(p->design->n, block, &i), K = p->outputs;
    p->loss->batch(p->loss, p->y + i, p->scores + i * K, count, K, p->kink, p->values + i,
                   t->slopes ? t->slopes + i * K : NULL);
}

/* Losses of all rows into p->values and, unless NULL, their slopes. Returns the weighted sum of the losses. */
static double sum_losses(hsp_problem *p, double *slopes) {
    int64_t n = p->design->n;
    hsp_pool_run(hsp_block_count(n), p->design->threads, losses_of_block, &(loss_rows){p, slopes});
    return p->c ? hsp_dot_f64(p->c, p->values, n) : hsp_sum_f64(p->values, n);
}

static bool is_wrong(const hsp_problem *p, int64_t i) {
    int64_t K = p->outputs, high = 0;
    const double *g = p->scores + i * K;
    if (K == 1) return (g[0] > 0) != (p->y[i] > 0);
    for (int64_t k = 1; k < K; k++)
        if (g[k] > g[high]) high = k;
    return high != (int64_t)p->y[i];
}

static double error_rate(const hsp_problem *p) {
    double wrong = 0;
    if (p->regression) return NAN;
    for (int64_t i = 0; i < p->design->n; i++)
        if (is_wrong(p, i)) wrong += p->c ? p->c[i] : 1;
    return wrong / p->sum_c;
}

static hsp_evaluation measure_scores(hsp_problem *p, const double *w, int64_t count, const double *b, double *slopes) {
    double sum = sum_losses(p, slopes), R = p->penalty->penalises ? hsp_penalty_value(w, count, p->rho) : 0;
    if (p->penalty->penalises && p->intercept == HSP_INTERCEPT_PENALISED) R += hsp_dot_f64(b, b, p->outputs) / 2;
    return (hsp_evaluation){.objective = R + p->C * sum,
                            .mean_loss = sum / p->sum_c,
                            .error = error_rate(p),
                            .norm = sqrt(hsp_dot_f64(w, w, count))};
}

hsp_evaluation hsp_problem_evaluate_scores(hsp_problem *p, const double *w, int64_t count, const double *b) {
    return measure_scores(p, w, count, b, NULL);
}

hsp_evaluation hsp_problem_evaluate(hsp_problem *p, const double *w, const double *b) {
    hsp_problem_scores(p, w, b, p->scores);
    return hsp_problem_evaluate_scores(p, w, p->outputs * p->design->d, b);
}

hsp_evaluation hsp_problem_slopes_scores(hsp_problem *p, const double *w, const double *b, double *gb) {
    int64_t n = p->design->n, K = p->outputs;
    hsp_evaluation e = measure_scores(p, w, K * p->design->d, b, p->slopes);
    for (int64_t k = 0; k < K; k++) gb[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        double c = (p->c ? p->c[i] : 1) / p->sum_c, *s = p->slopes + i * K;
        for (int64_t k = 0; k < K; k++) {
            s[k] *= c;
            gb[k] += s[k];
        }
    }
    if (K == 1) gb[0] = hsp_sum_f64(p->slopes, n);
    for (int64_t k = 0; k < K; k++) {
        if (p->intercept == HSP_INTERCEPT_NONE) gb[k] = 0;
        if (p->intercept == HSP_INTERCEPT_PENALISED) gb[k] += p->lambda * b[k];
    }
    return e;
}

hsp_evaluation hsp_problem_gradient_scores(hsp_problem *p, const double *w, const double *b, double *gw, double *gb) {
    hsp_evaluation e = hsp_problem_slopes_scores(p, w, b, gb);
    hsp_problem_adjoint(p, p->slopes, gw);
    hsp_axpy_f64(p->lambda * (1 - p->rho), w, gw, p->outputs * p->design->d);
    return e;
}

hsp_evaluation hsp_problem_gradient(hsp_problem *p, const double *w, const double *b, double *gw, double *gb) {
    hsp_problem_scores(p, w, b, p->scores);
    return hsp_problem_gradient_scores(p, w, b, gw, gb);
}

double hsp_problem_line(hsp_problem *p, const double *base, const double *step, double t, double *derivative) {
    int64_t n = p->design->n, K = p->outputs;
    for (int64_t e = 0; e < n * K; e++) p->scores[e] = base[e] + t * step[e];
    double loss = sum_losses(p, p->slopes);
    for (int64_t i = 0; p->c && i < n; i++)
        for (int64_t k = 0; k < K; k++) p->slopes[i * K + k] *= p->c[i];
    *derivative = hsp_dot_f64(p->slopes, step, n * K) / p->sum_c;
    return loss / p->sum_c;
}

void hsp_problem_curvature(const hsp_problem *p, double *h) {
    for (int64_t i = 0; i < p->design->n; i++)
        h[i] = (p->c ? p->c[i] : 1) / p->sum_c * p->loss->curvature(p->loss, p->y[i], p->scores[i]);
}

double hsp_relative_gap(double objective, double dual_bound) {
    double size = fabs(objective) > 1e-300 ? fabs(objective) : 1e-300;
    return (objective - dual_bound) / size;
}

double hsp_majorant(double m) {
    return m > 1e-4 ? tanh(m / 2) / (2 * m) : 0.25;
}
