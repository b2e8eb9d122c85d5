/* How a model fits its training rows: the weight of rows whose class is right, and the losses of two classes; or the squares of
 * a regression. Weights are those of the rows, without those of the classes. */
#include "base/error.h"
#include "design/design.h"
#include "design/gram.h"
#include "loss/loss_sums.h"
#include "part/answer.h"
#include "part/metric_sums.h"

static hsp_sum_shape shape_of(const hsp_request *q) {
    (void)q;
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN, .length = HSP_METRICS};
}

static void add_numbers(const hsp_part_block *b, const double *g, double *sums) {
    const double *y = b->rows.target;
    for (int64_t i = 0; i < b->n; i++) {
        double weight = b->rows.weight ? b->rows.weight[i] : 1;
        sums[HSP_METRIC_MASS] += weight;
        sums[HSP_METRIC_SQUARES] += weight * (y[i] - g[i]) * (y[i] - g[i]);
    }
}

static void add_two(const hsp_part_block *b, const double *g, const double *y, double *sums) {
    hsp_loss_sums losses = {{0}};
    hsp_loss_sums_add_rows(&losses, b->rows.weight, y, g, b->n);
    for (int k = 0; k < HSP_LOSS_SUMS; k++) sums[HSP_METRIC_LOSSES + k] += losses.sum[k];
}

/* Of equal scores the first class wins, as in a model. */
static bool is_right(const hsp_part_block *b, const hsp_request_problem *p, const double *g, int64_t i) {
    int64_t K = p->outputs, high = 0;
    if (K == 1) return (g[i] > 0) == (b->class[i] == p->positive[0]);
    for (int64_t k = 1; k < K; k++)
        if (g[i * K + k] > g[i * K + high]) high = k;
    return high == b->class[i];
}

static int answer_metrics(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    int64_t n = b->n, K = q->problem.outputs;
    double *g = hsp_answer_scratch(a, n * K + n + 1), *y = g + n * K;
    int status = HSP_OK;
    if (!g) return hsp_fail_memory(err);
    if (K > 1)
        status = hsp_design_scores_many(b->design, q->at.w, q->at.b, K, g, err);
    else
        hsp_design_scores(b->design, q->at.w, q->at.b[0], g);
    if (status) return status;
    if (!b->class) {
        add_numbers(b, g, sums);
        return HSP_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        double weight = b->rows.weight ? b->rows.weight[i] : 1;
        sums[HSP_METRIC_MASS] += weight;
        if (is_right(b, &q->problem, g, i)) sums[HSP_METRIC_RIGHT] += weight;
    }
    if (K > 1) return HSP_OK;
    hsp_part_targets(b, &q->problem, 0, y);
    add_two(b, g, y, sums);
    return HSP_OK;
}

const hsp_answer_kind hsp_answer_metrics = {shape_of, answer_metrics};
