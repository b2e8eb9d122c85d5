/* The Hessian of the losses times a direction. Curvatures are computed again from the scores: a part keeps no vector as long as
 * its rows. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "design/sweep.h"
#include "loss/loss.h"
#include "part/answer.h"

#include <string.h>

/* For each output d numbers, and that of the intercept. */
static hsp_sum_shape shape_of(const hsp_request *q) {
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN, .length = q->problem.outputs * (q->rows.features + 1)};
}

static int product_one(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    const hsp_loss *loss = q->problem.loss;
    int64_t n = b->n, d = q->rows.features;
    double *m = hsp_answer_scratch(a, 4 * n + 1), *y = m, *scores = m + n, *h = m + 2 * n, *t = m + 3 * n;
    hsp_sweep *sweep = NULL;
    if (!m) return hsp_fail_memory(err);
    int status = hsp_sweep_new(b->design, false, &sweep, err);
    if (status) return status;
    hsp_part_targets(b, &q->problem, 0, y);
    hsp_design_scores(b->design, q->at.w, q->at.b[0], scores);
    loss->second(loss, y, scores, n, NULL, NULL, h);
    for (int64_t i = 0; b->c && i < n; i++) h[i] *= b->c[i];
    sums[d] = hsp_sweep_product(sweep, h, q->at.v, q->at.v0[0], t, sums);
    hsp_sweep_free(sweep);
    return HSP_OK;
}

/* T becomes the curvature times T, row by row. */
static void curve_each(const hsp_part_block *b, const hsp_request_problem *p, const double *scores, double *T, double *m) {
    int64_t n = b->n, K = p->outputs;
    double *y = m, *g = m + n, *h = m + 2 * n;
    for (int64_t k = 0; k < K; k++) {
        hsp_part_targets(b, p, k, y);
        for (int64_t i = 0; i < n; i++) g[i] = scores[i * K + k];
        p->loss->second(p->loss, y, g, n, NULL, NULL, h);
        for (int64_t i = 0; i < n; i++) T[i * K + k] *= b->c ? b->c[i] * h[i] : h[i];
    }
}

/* With p = P(.|x) the Hessian of a row is diag(p) - p p'. The slopes are p less 1 for the row's own class. */
static void curve_joint(const hsp_part_block *b, const hsp_request_problem *p, double *scores, double *T, double *y) {
    int64_t n = b->n, K = p->outputs;
    hsp_part_targets(b, p, 0, y);
    p->loss->batch(p->loss, y, scores, n, K, HSP_KINK_OPEN, NULL, scores);
    for (int64_t i = 0; i < n; i++) {
        double *share = scores + i * K, *t = T + i * K, mean = 0, c = b->c ? b->c[i] : 1;
        share[b->class[i]] += 1;
        for (int64_t k = 0; k < K; k++) mean += share[k] * t[k];
        for (int64_t k = 0; k < K; k++) t[k] = c * share[k] * (t[k] - mean);
    }
}

static int product_many(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    const hsp_request_problem *p = &q->problem;
    int64_t n = b->n, d = q->rows.features, K = p->outputs;
    double *scores = hsp_answer_scratch(a, 2 * n * K + 3 * n + 1), *T = scores + n * K, *m = scores + 2 * n * K;
    double *out = hsp_alloc(K * d, sizeof *out);
    int status = scores && out ? hsp_design_scores_many(b->design, q->at.w, q->at.b, K, scores, err) : hsp_fail_memory(err);
    if (!status) status = hsp_design_scores_many(b->design, q->at.v, q->at.v0, K, T, err);
    if (!status && p->joint) curve_joint(b, p, scores, T, m);
    if (!status && !p->joint) curve_each(b, p, scores, T, m);
    if (!status) status = hsp_design_adjoint_many(b->design, T, K, out, err);
    for (int64_t k = 0; !status && k < K; k++) {
        double *of = sums + k * (d + 1);
        memcpy(of, out + k * d, (size_t)d * sizeof *of);
        for (int64_t i = 0; i < n; i++) of[d] += T[i * K + k];
    }
    hsp_free(out);
    return status;
}

static int answer_product(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    return a->q->problem.outputs > 1 ? product_many(a, b, sums, err) : product_one(a, b, sums, err);
}

const hsp_answer_kind hsp_answer_product = {shape_of, answer_product};
