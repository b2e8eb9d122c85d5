/* Rounds of the solvers. */
#include "drive/drive_problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "drive/bound.h"
#include "fit/fit.h"
#include "kernel/kernel.h"
#include "option/options.h"
#include "part/evaluated.h"
#include "part/pair_sum.h"
#include "part/request.h"
#include "penalty/penalty.h"

#include <math.h>
#include <string.h>

/* ---- posing ---- */

/* C and lambda = 1/(C sum c), of which one may be given. */
static int set_strength(hsp_drive_problem *p, hsp_error **err) {
    hsp_formulation *form = &p->drive->fit.form;
    const hsp_options *o = p->drive->fit.job.options;
    double C = hsp_options_real(o, "C", NAN), lambda = hsp_options_real(o, "lambda", NAN);
    p->plain = !form->penalty->penalises;
    p->C = 1;
    if (p->plain) return HSP_OK;
    p->C = isnan(lambda) ? (isnan(C) ? 1 : C) : 1 / (lambda * p->sum_c);
    p->lambda = isnan(lambda) ? 1 / (p->C * p->sum_c) : lambda;
    p->rho = form->penalty->mixed ? hsp_options_real(o, "l1-ratio", 0.5) : form->penalty->l1;
    form->C = p->C;
    form->lambda = p->lambda;
    if (isfinite(p->C) && p->C > 0 && isfinite(p->lambda) && p->lambda > 0) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "-C or --lambda is out of range for %lld rows: choose a value nearer to 1",
                    (long long)p->drive->agreed.count);
}

/* The weighted sums of the rows of each class. */
static int sum_classes(hsp_drive_problem *p, hsp_error **err) {
    int64_t K = p->drive->agreed.groups, d = p->d;
    hsp_request q = {.ask = HSP_ASK_MOMENTS};
    p->class_sums = hsp_alloc(K * d, sizeof *p->class_sums);
    if (!p->class_sums) return hsp_fail_memory(err);
    int status = hsp_drive_ask(p->drive, &q, err);
    if (status) return status;
    const double *sums = p->drive->sums, *mean = sums + 2 * K;
    if (p->drive->rows.targets) p->target_sum = sums[0] * mean[d];
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < d; j++) p->class_sums[k * d + j] = sums[2 * k] * mean[k * d + j];
    return HSP_OK;
}

static int allocate(hsp_drive_problem *p, hsp_error **err) {
    int64_t groups = p->drive->agreed.groups, all;
    if (__builtin_mul_overflow(p->figures, p->size, &all) || all > INT64_MAX / 64)
        return hsp_fail(err, HSP_EMEMORY, "the weights of %lld columns are too many: check the feature ids", (long long)p->d);
    if (!HSP_ALLOC(p->mass, groups) || !HSP_ALLOC(p->positive, p->figures) || !HSP_ALLOC_ZERO(p->theta, all) ||
        !HSP_ALLOC(p->packed, 2 * all) || !HSP_ALLOC(p->conjugate, p->size))
        return hsp_fail_memory(err);
    return HSP_OK;
}

/* Sizes, masses and the classes of the outputs. */
static int lay_out_problem(hsp_drive_problem *p, int64_t outputs, hsp_error **err) {
    hsp_drive *d = p->drive;
    p->figures = p->joint ? 1 : outputs;
    p->width = p->joint ? outputs : 1;
    p->d = d->rows.features;
    p->size = p->width * (p->d + 1);
    int status = allocate(p, err);
    if (status) return status;
    for (int64_t k = 0; k < d->agreed.groups; k++) {
        p->mass[k] = d->agreed.mass[k] * (d->rows.class_weight ? d->rows.class_weight[k] : 1);
        p->sum_c += p->mass[k];
    }
    for (int64_t k = 0; k < p->figures; k++) p->positive[k] = outputs == 1 ? d->prepare.positive : k;
    if (d->prepare.regression) {
        hsp_free(p->positive);
        p->positive = NULL;
    }
    return HSP_OK;
}

int hsp_drive_pose(hsp_drive *d, bool joint, hsp_drive_problem *p, hsp_error **err) {
    const hsp_fit *f = &d->fit;
    *p = (hsp_drive_problem){.drive = d,
                             .loss = f->form.loss,
                             .stated = f->form.loss,
                             .joint = joint,
                             .intercept = (hsp_intercept)hsp_options_choice(f->job.options, "intercept")};
    int status = lay_out_problem(p, f->out.outputs, err);
    if (!status) status = set_strength(p, err);
    return status || p->intercept != HSP_INTERCEPT_FREE ? status : sum_classes(p, err);
}

int hsp_drive_pose_as(hsp_drive *d, const hsp_loss *loss, double C, hsp_intercept intercept, int64_t outputs,
                      hsp_drive_problem *p, hsp_error **err) {
    *p = (hsp_drive_problem){.drive = d, .loss = loss, .stated = loss, .intercept = intercept, .C = C};
    int status = lay_out_problem(p, outputs, err);
    return status || intercept != HSP_INTERCEPT_FREE ? status : sum_classes(p, err);
}

void hsp_drive_problem_clear(hsp_drive_problem *p) {
    HSP_FREE(p->positive, p->mass, p->class_sums, p->theta, p->packed, p->conjugate);
}

/* ---- points as a request has them ---- */

static void pack(const hsp_drive_problem *p, int64_t count, double *const *theta, double *w, double *b) {
    int64_t d = p->d;
    for (int64_t f = 0; f < count; f++)
        for (int64_t k = 0; k < p->width; k++) {
            memcpy(w + (f * p->width + k) * d, theta[f] + k * (d + 1), (size_t)d * sizeof *w);
            b[f * p->width + k] = theta[f][k * (d + 1) + d];
        }
}

/* A request about some of the problems, at points and along directions (NULL: none). positive: count, to be filled. */
static hsp_request request_of(const hsp_drive_problem *p, hsp_ask ask, const int64_t *which, int64_t count,
                              double *const *theta, double *const *v, int64_t *positive) {
    int64_t outputs = count * p->width;
    double *w = p->packed, *b = w + outputs * p->d, *way = b + outputs, *way0 = way + outputs * p->d;
    if (theta) pack(p, count, theta, w, b);
    if (v) pack(p, count, v, way, way0);
    for (int64_t k = 0; p->positive && k < count; k++) positive[k] = p->positive[which[k]];
    return (hsp_request){.ask = ask,
                         .problem = {.loss = p->loss,
                                     .outputs = outputs,
                                     .joint = p->joint,
                                     .positive = p->positive ? positive : NULL},
                         .at = {.w = w, .b = b, .v = v ? way : NULL, .v0 = v ? way0 : NULL}};
}

static int ask_about(hsp_drive_problem *p, hsp_request *q, hsp_error **err) {
    if (q->problem.joint) q->problem.positive = NULL;
    return hsp_drive_ask(p->drive, q, err);
}

/* ---- figures ---- */

double hsp_drive_penalty(const hsp_drive_problem *p, const double *theta) {
    double R = 0;
    for (int64_t k = 0; !p->plain && k < p->width; k++) {
        const double *w = theta + k * (p->d + 1), b = w[p->d];
        R += hsp_penalty_value(w, p->d, p->rho);
        if (p->intercept == HSP_INTERCEPT_PENALISED) R += b * b / 2;
    }
    return R;
}

void hsp_drive_add_penalty(const hsp_drive_problem *p, const double *theta, double *g) {
    for (int64_t j = 0; j < p->size; j++)
        if (hsp_drive_ridge(p, j) > 0) g[j] += theta[j];
}

/* Problem f of the round's; stepped: its bound is by predicted multipliers. */
static hsp_measure measure_one(hsp_drive_problem *p, int64_t f, int64_t figure, int64_t count, const double *theta, bool gram,
                               bool stepped) {
    const double *sums = p->drive->sums;
    int64_t figures = p->joint ? 1 : count, outputs = count * p->width, d = p->d;
    int64_t gradients = stepped ? 2 * outputs : outputs, working = p->columns ? p->column_count : d;
    double R = hsp_drive_penalty(p, theta), loss = hsp_pair_value(sums + hsp_evaluated_pair(f, HSP_SUM_TRUE)), square = 0;
    hsp_measure m = {.objective = R + p->C * loss,
                     .smooth = R + p->C * hsp_pair_value(sums + hsp_evaluated_pair(f, HSP_SUM_LOSS)),
                     .mean_loss = loss / p->sum_c,
                     .error = p->positive ? sums[hsp_evaluated_wrong(figures, f)] / p->sum_c : NAN,
                     .gradient = sums + hsp_evaluated_gradient(figures, d, f * p->width),
                     .hessian = gram ? sums + hsp_evaluated_hessian(figures, gradients, d, working, f) : NULL};
    for (int64_t k = 0; k < p->width; k++) square += hsp_dot_f64(theta + k * (d + 1), theta + k * (d + 1), d);
    m.norm = sqrt(square);
    const double *pull = stepped ? sums + hsp_evaluated_gradient(figures, d, outputs + f) : m.gradient;
    m.dual = hsp_drive_bound(p, figure, pull, hsp_pair_value(sums + hsp_evaluated_pair(f, HSP_SUM_DUAL)));
    return m;
}

int hsp_drive_measure(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, bool gram,
                      hsp_measure *out, hsp_error **err) {
    return hsp_drive_measure_step(p, which, count, theta, NULL, 0, gram, out, err);
}

int hsp_drive_measure_step(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta,
                           double *const *way, double before, bool gram, hsp_measure *out, hsp_error **err) {
    int64_t *positive = hsp_alloc(count, sizeof *positive);
    if (!positive) return hsp_fail_memory(err);
    hsp_request q = request_of(p, HSP_ASK_EVALUATE, which, count, theta, way, positive);
    q.at.gram = gram;
    q.at.steps = way ? &before : NULL;
    q.at.step_count = way != NULL;
    q.at.majorant = p->majorant;
    q.at.columns = gram ? p->columns : NULL;
    q.at.column_count = gram && p->columns ? p->column_count : 0;
    int status = ask_about(p, &q, err);
    hsp_free(positive);
    for (int64_t f = 0; !status && f < count; f++) out[f] = measure_one(p, f, which[f], count, theta[f], gram, way != NULL);
    return status;
}

int hsp_drive_line(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, double *const *step,
                   const double *t, int64_t steps, double *loss, double *slope, hsp_error **err) {
    int64_t *positive = hsp_alloc(count, sizeof *positive);
    if (!positive) return hsp_fail_memory(err);
    hsp_request q = request_of(p, HSP_ASK_LINE, which, count, theta, step, positive);
    q.at.steps = t;
    q.at.step_count = steps;
    int status = ask_about(p, &q, err);
    hsp_free(positive);
    for (int64_t f = 0; !status && f < count; f++)
        for (int64_t s = 0; s < steps; s++) {
            loss[f * steps + s] = hsp_pair_value(p->drive->sums + hsp_line_pair(steps, f, s));
            slope[f * steps + s] = p->drive->sums[hsp_line_slope(p->joint ? 1 : count, steps, f, s)];
        }
    return status;
}

int hsp_drive_product(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, double *const *v,
                      double *const *out, hsp_error **err) {
    int64_t *positive = hsp_alloc(count, sizeof *positive);
    if (!positive) return hsp_fail_memory(err);
    hsp_request q = request_of(p, HSP_ASK_PRODUCT, which, count, theta, v, positive);
    int status = ask_about(p, &q, err);
    hsp_free(positive);
    for (int64_t f = 0; !status && f < count; f++)
        memcpy(out[f], p->drive->sums + f * p->size, (size_t)p->size * sizeof **out);
    return status;
}

int hsp_drive_curvature(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, double share,
                        const double **sums, hsp_error **err) {
    int64_t *positive = hsp_alloc(count, sizeof *positive);
    if (!positive) return hsp_fail_memory(err);
    hsp_request q = request_of(p, HSP_ASK_CURVATURE, which, count, theta, NULL, positive);
    if (!theta) q.at.w = q.at.b = NULL;
    q.at.gram = share > 0;
    q.at.steps = q.at.gram ? &share : NULL;
    q.at.step_count = q.at.gram;
    int status = ask_about(p, &q, err);
    hsp_free(positive);
    *sums = p->drive->sums;
    return status;
}

bool hsp_drive_by_hessians(const hsp_drive_problem *p) {
    enum { COLUMNS = 2000, NUMBERS = 1 << 24 }; /* of one Hessian; of all together */
    double d = (double)p->d, outputs = (double)p->figures, each = 0.5 * (d + 1) * (d + 2);
    /* Hessians that take longer than the products and samples of a step, and longer than rounds of any engine. */
    static const double PRODUCTS = 2e11, ROWS_A_COLUMN = 20;
    double n = (double)p->drive->agreed.count;
    if (n > ROWS_A_COLUMN * d && n * d * d * outputs > PRODUCTS) return false;
    return !p->joint && p->d <= COLUMNS && each * outputs <= NUMBERS;
}
