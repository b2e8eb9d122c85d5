/* Loss, dual, mistakes and gradient at a point, and the Hessian. One output: everything in one pass over the block. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "design/sweep.h"
#include "loss/loss.h"
#include "part/answer.h"
#include "part/column_gram.h"
#include "part/evaluated.h"
#include "part/row_losses.h"

#include <string.h>

static int64_t gradients_of(const hsp_request *q) {
    return q->at.v ? 2 * q->problem.outputs : q->problem.outputs;
}

static hsp_sum_shape shape_of(const hsp_request *q) {
    const hsp_request_problem *p = &q->problem;
    int64_t figures = hsp_evaluated_figures(p), d = q->rows.features;
    int64_t gradients = gradients_of(q), hessians = q->at.gram ? p->outputs : 0, m = q->at.columns ? q->at.column_count : d;
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN,
                           .length = hsp_evaluated_hessian(figures, gradients, d, m, hessians),
                           .pairs = HSP_SUM_PAIRS * figures};
}

/* ---- one pass ---- */

/* Arrays over the rows of a block. */
typedef struct arrays {
    hsp_answer *a;
    const hsp_part_block *b;
    const hsp_loss *loss;
    double *y, *scores, *value, *exact, *dual, *r, *h;
    double *step, *predicted; /* scores of the step that led here, and minus the multipliers that it predicts */
    hsp_loss before;          /* the loss where it began */
} arrays;

static bool make_arrays(arrays *s) {
    enum { COUNT = 9 };
    int64_t n = s->b->n;
    double *m = hsp_answer_scratch(s->a, COUNT * n + 1);
    if (!m) return false;
    double **each[COUNT] = {&s->y, &s->scores, &s->value, &s->exact, &s->dual, &s->r, &s->h, &s->step, &s->predicted};
    for (int k = 0; k < COUNT; k++) *each[k] = m + k * n;
    return true;
}

static void weigh(void *ctx, int64_t block, int64_t from, int64_t to) {
    const arrays *s = ctx;
    (void)block;
    bool curved = s->a->q->at.gram;
    hsp_row_losses(s->loss, s->y + from, s->scores + from, to - from, s->value + from, s->exact + from, s->dual + from,
                   s->r + from, curved ? s->h + from : NULL);
    if (s->a->q->at.v)
        hsp_row_predicted(&s->before, s->y + from, s->scores + from, s->step + from, to - from, s->dual + from,
                          s->predicted + from);
    for (int64_t i = from; s->a->q->at.v && s->b->c && i < to; i++) s->predicted[i] *= s->b->c[i];
    if (curved && s->a->q->at.majorant)
        hsp_row_majorants(s->y + from, s->scores + from, s->r + from, to - from, s->h + from);
    for (int64_t i = from; s->b->c && i < to; i++) s->r[i] *= s->b->c[i];
    for (int64_t i = from; s->b->c && curved && i < to; i++) s->h[i] *= s->b->c[i];
}

/* The sums over the rows of one problem. */
static void add_figures(const arrays *s, const hsp_request_problem *p, int64_t figure, const double *scores, double *sums) {
    hsp_part_sum(s->b, s->value, sums + hsp_evaluated_pair(figure, HSP_SUM_LOSS));
    hsp_part_sum(s->b, s->exact, sums + hsp_evaluated_pair(figure, HSP_SUM_TRUE));
    hsp_part_sum(s->b, s->dual, sums + hsp_evaluated_pair(figure, HSP_SUM_DUAL));
    sums[hsp_evaluated_wrong(hsp_evaluated_figures(p), figure)] = hsp_part_wrong(s->b, p, figure, s->y, scores);
}

/* Lower triangle of G and of the intercept's row. */
static void pack_hessian(int64_t d, const double *G, const double *sums, double mass, double *out) {
    for (int64_t j = 0; j < d; j++, out += j) memcpy(out, G + j * d, (size_t)(j + 1) * sizeof *out);
    memcpy(out, sums, (size_t)d * sizeof *out);
    out[d] = mass;
}

/* Output k by one sweep; its scores are given if `scored`, and then its gradient is another's business. */
static int sweep_output(arrays *s, hsp_sweep *sweep, int64_t k, bool scored, double *G, double *sums, hsp_error **err) {
    const hsp_request *q = s->a->q;
    int64_t d = q->rows.features, figures = hsp_evaluated_figures(&q->problem);
    double *gradient = sums + hsp_evaluated_gradient(figures, d, k);
    hsp_pass pass = {.w = q->at.w + k * d, .b = q->at.b[k], .scored = scored, .scores = s->scores, .ctx = s, .weigh = weigh};
    if (!scored) {
        pass.r = s->r;
        pass.pull_r = gradient;
        if (q->at.v) {
            pass.s = s->predicted;
            pass.pull_s = sums + hsp_evaluated_gradient(figures, d, q->problem.outputs + k);
        }
    }
    bool whole = q->at.gram && !q->at.columns;
    if (whole) {
        pass.h = s->h;
        pass.sums = G + d * d;
        pass.G = G;
    }
    int status = hsp_sweep_run(sweep, &pass, err);
    if (status) return status;
    int64_t m = whole ? d : q->at.column_count, gradients = gradients_of(q);
    if (whole) pack_hessian(d, G, pass.sums, pass.mass, sums + hsp_evaluated_hessian(figures, gradients, d, m, k));
    if (q->at.gram && !whole)
        status = hsp_part_column_gram(s->a, s->b, s->h, sums + hsp_evaluated_hessian(figures, gradients, d, m, k), err);
    if (status) return status;
    double *predicted = sums + hsp_evaluated_gradient(figures, d, q->problem.outputs + k);
    for (int64_t i = 0; i < s->b->n; i++) gradient[d] += s->r[i];
    for (int64_t i = 0; q->at.v && i < s->b->n; i++) predicted[d] += s->predicted[i];
    return HSP_OK;
}

/* ---- several outputs ---- */

/* Joint: a row has one loss of all scores. */
static void weigh_joint(const arrays *s, int64_t K, const double *scores, double *R) {
    s->loss->batch(s->loss, s->y, scores, s->b->n, K, HSP_KINK_OPEN, s->value, R);
    memcpy(s->exact, s->value, (size_t)s->b->n * sizeof *s->exact);
    for (int64_t i = 0; i < s->b->n; i++) {
        double *r = R + i * K;
        for (int64_t k = 0; k < K; k++) r[k] = -r[k];
        s->dual[i] = s->loss->dual_many(s->y[i], r, K);
        for (int64_t k = 0; k < K; k++) r[k] *= s->b->c ? -s->b->c[i] : -1;
    }
}

/* scores, steps: n x outputs; R: the slopes, and P (NULL: not wanted) minus the multipliers that are predicted. */
static int add_each(arrays *s, hsp_sweep *sweep, const double *scores, const double *steps, double *R, double *P, double *G,
                    double *sums, hsp_error **err) {
    const hsp_request_problem *p = &s->a->q->problem;
    int64_t K = p->outputs, n = s->b->n;
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < K; k++) {
        hsp_part_targets(s->b, p, k, s->y);
        for (int64_t i = 0; i < n; i++) s->scores[i] = scores[i * K + k];
        for (int64_t i = 0; P && i < n; i++) s->step[i] = steps[i * K + k];
        status = sweep_output(s, sweep, k, true, G, sums, err);
        for (int64_t i = 0; i < n; i++) R[i * K + k] = s->r[i];
        for (int64_t i = 0; P && i < n; i++) P[i * K + k] = s->predicted[i];
        add_figures(s, p, k, scores, sums);
    }
    return status;
}

static void add_joint(arrays *s, const double *scores, double *R, double *sums) {
    const hsp_request *q = s->a->q;
    int64_t K = q->problem.outputs, d = q->rows.features;
    hsp_part_targets(s->b, &q->problem, 0, s->y);
    weigh_joint(s, K, scores, R);
    add_figures(s, &q->problem, 0, scores, sums);
    for (int64_t i = 0; i < s->b->n; i++)
        for (int64_t k = 0; k < K; k++) sums[hsp_evaluated_gradient(1, d, k) + d] += R[i * K + k];
}

/* The gradients of all outputs side by side, from number `first` on. */
static int add_gradients(const arrays *s, const double *R, int64_t first, double *G, double *sums, hsp_error **err) {
    const hsp_request *q = s->a->q;
    int64_t K = q->problem.outputs, d = q->rows.features;
    int64_t figures = hsp_evaluated_figures(&q->problem);
    int status = hsp_design_adjoint_many(s->b->design, R, K, G, err);
    for (int64_t k = 0; !status && k < K; k++)
        memcpy(sums + hsp_evaluated_gradient(figures, d, first + k), G + k * d, (size_t)d * sizeof *G);
    return status;
}

static int evaluate_many(arrays *s, hsp_sweep *sweep, double *sums, hsp_error **err) {
    const hsp_request *q = s->a->q;
    int64_t K = q->problem.outputs, d = q->rows.features, n = s->b->n, room = K * d > d * (d + 1) ? K * d : d * (d + 1);
    double *scores = hsp_alloc((q->at.v ? 4 : 2) * n * K, sizeof *scores), *R = scores ? scores + n * K : NULL;
    double *steps = scores && q->at.v ? R + n * K : NULL, *P = steps ? steps + n * K : NULL;
    double *G = hsp_alloc(q->at.gram && !q->at.columns ? room : K * d, sizeof *G);
    int status = scores && G ? hsp_design_scores_many(s->b->design, q->at.w, q->at.b, K, scores, err) : hsp_fail_memory(err);
    if (!status && P) status = hsp_design_scores_many(s->b->design, q->at.v, q->at.v0, K, steps, err);
    if (!status && q->problem.joint) add_joint(s, scores, R, sums);
    if (!status && !q->problem.joint) status = add_each(s, sweep, scores, steps, R, P, G, sums, err);
    if (!status) status = add_gradients(s, R, 0, G, sums, err);
    if (!status && P) status = add_gradients(s, P, K, G, sums, err);
    HSP_FREE(scores, G);
    return status;
}

static int evaluate_one(arrays *s, hsp_sweep *sweep, double *sums, hsp_error **err) {
    const hsp_request *q = s->a->q;
    int64_t d = q->rows.features;
    bool whole = q->at.gram && !q->at.columns;
    double *G = hsp_alloc(whole ? d * (d + 1) : 0, sizeof *G);
    if (!G) return hsp_fail_memory(err);
    hsp_part_targets(s->b, &q->problem, 0, s->y);
    if (q->at.v) hsp_design_scores(s->b->design, q->at.v, q->at.v0[0], s->step);
    int status = sweep_output(s, sweep, 0, false, G, sums, err);
    add_figures(s, &q->problem, 0, s->scores, sums);
    hsp_free(G);
    return status;
}

static int answer_evaluate(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    arrays s = {.a = a, .b = b, .loss = q->problem.loss};
    hsp_sweep *sweep = NULL;
    if (q->at.v) s.before = q->problem.loss->with(q->at.steps[0]);
    int status = make_arrays(&s) ? HSP_OK : hsp_fail_memory(err);
    bool whole = q->at.gram && !q->at.columns;
    if (!status && !q->problem.joint) status = hsp_sweep_new(b->design, whole, &sweep, err);
    if (!status) status = q->problem.outputs > 1 ? evaluate_many(&s, sweep, sums, err) : evaluate_one(&s, sweep, sums, err);
    hsp_sweep_free(sweep);
    return status;
}

const hsp_answer_kind hsp_answer_evaluate = {shape_of, answer_evaluate};
