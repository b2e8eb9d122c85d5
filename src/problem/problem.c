/* Objective and gradient. */
#include "problem/problem.h"

#include "base/memory.h"
#include "kernel/kernel.h"

#include <math.h>

int hsp_point_new(int64_t outputs, int64_t d, hsp_point **out, hsp_error **err) {
    *out = NULL;
    hsp_point *p = hsp_alloc_zero(1, sizeof *p);
    if (!p) return hsp_fail_memory(err);
    *p = (hsp_point){.outputs = outputs, .d = d};
    p->w = hsp_alloc_zero(outputs * d, sizeof *p->w);
    p->b = hsp_alloc_zero(outputs, sizeof *p->b);
    if (!p->w || !p->b) {
        hsp_point_free(p);
        return hsp_fail_memory(err);
    }
    *out = p;
    return HSP_OK;
}

void hsp_point_copy(hsp_point *to, const hsp_point *from) {
    for (int64_t j = 0; j < from->outputs * from->d; j++) to->w[j] = from->w[j];
    for (int64_t k = 0; k < from->outputs; k++) to->b[k] = from->b[k];
}

void hsp_point_free(hsp_point *p) {
    if (!p) return;
    hsp_free(p->w);
    hsp_free(p->b);
    hsp_free(p->alpha);
    hsp_free(p);
}

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
                       .width = 0.25};
    set_weights(p, spec);
    p->y = hsp_alloc_zero(design->n, sizeof *p->y);
    p->scores = hsp_alloc_zero(design->n, sizeof *p->scores);
    p->values = hsp_alloc_zero(design->n, sizeof *p->values);
    p->slopes = hsp_alloc_zero(design->n, sizeof *p->slopes);
    bool bounded = hsp_problem_has_dual(p);
    if (bounded) p->v = hsp_alloc_zero(design->d, sizeof *p->v);
    if (!p->y || !p->scores || !p->values || !p->slopes || (bounded && !p->v)) {
        hsp_problem_free(p);
        return hsp_fail_memory(err);
    }
    *out = p;
    return HSP_OK;
}

void hsp_problem_free(hsp_problem *p) {
    if (!p) return;
    hsp_free(p->y);
    hsp_free(p->scores);
    hsp_free(p->values);
    hsp_free(p->slopes);
    hsp_free(p->v);
    hsp_free(p);
}

/* Scores, then values (and slopes when wanted) of all rows; the figures that follow from them. */
static hsp_evaluation measure(hsp_problem *p, const double *w, double b, double *slopes) {
    const hsp_design *D = p->design;
    hsp_design_scores(D, w, b, p->scores);
    p->loss->batch(p->y, p->scores, D->n, p->kink, p->values, slopes);
    int64_t wrong = 0;
    for (int64_t i = 0; i < D->n; i++) wrong += (p->scores[i] > 0) != (p->y[i] > 0);
    double sum = p->c ? hsp_dot_f64(p->c, p->values, D->n) : hsp_sum_f64(p->values, D->n);
    double R = p->penalty->penalises ? hsp_penalty_value(w, D->d, p->rho) : 0;
    if (p->penalty->penalises && p->intercept == HSP_INTERCEPT_PENALISED) R += b * b / 2;
    return (hsp_evaluation){.objective = R + p->C * sum,
                            .mean_loss = sum / p->sum_c,
                            .error = (double)wrong / (double)D->n,
                            .norm = sqrt(hsp_dot_f64(w, w, D->d))};
}

hsp_evaluation hsp_problem_evaluate(hsp_problem *p, const double *w, double b) {
    return measure(p, w, b, NULL);
}

hsp_evaluation hsp_problem_gradient(hsp_problem *p, const double *w, double b, double *gw, double *gb) {
    const hsp_design *D = p->design;
    hsp_evaluation e = measure(p, w, b, p->slopes);
    for (int64_t i = 0; i < D->n; i++) p->slopes[i] *= (p->c ? p->c[i] : 1) / p->sum_c;
    hsp_design_adjoint(D, p->slopes, gw);
    hsp_axpy_f64(p->lambda * (1 - p->rho), w, gw, D->d);
    *gb = p->intercept == HSP_INTERCEPT_NONE ? 0 : hsp_sum_f64(p->slopes, D->n);
    if (p->intercept == HSP_INTERCEPT_PENALISED) *gb += p->lambda * b;
    return e;
}

double hsp_relative_gap(double objective, double dual_bound) {
    double size = fabs(objective) > 1e-300 ? fabs(objective) : 1e-300;
    return (objective - dual_bound) / size;
}
