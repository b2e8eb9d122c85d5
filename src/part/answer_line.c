/* Losses and their derivatives along a line: the scores are base + t step, so one pass serves several t. */
#include "base/error.h"
#include "design/design.h"
#include "design/gram.h"
#include "loss/loss.h"
#include "part/answer.h"
#include "part/evaluated.h"

static hsp_sum_shape shape_of(const hsp_request *q) {
    int64_t figures = hsp_evaluated_figures(&q->problem), steps = q->at.step_count;
    return (hsp_sum_shape){
        .rule = HSP_SUM_PLAIN, .length = hsp_line_slope(figures, steps, figures, 0), .pairs = steps * figures};
}

/* Scores of all outputs (n x outputs). */
static int scores_of(const hsp_part_block *b, const hsp_request_problem *p, const double *w, const double *w0, double *out,
                     hsp_error **err) {
    if (p->outputs > 1) return hsp_design_scores_many(b->design, w, w0, p->outputs, out, err);
    hsp_design_scores(b->design, w, w0[0], out);
    return HSP_OK;
}

/* The arrays of a line: of all outputs (n x outputs), then of one problem (n, or n x outputs when joint). */
typedef struct line_rows {
    const hsp_request *q;
    const hsp_part_block *b;
    double *base, *step, *y, *value, *at, *slope;
} line_rows;

static double slope_along(const line_rows *l, int64_t figure, int64_t width) {
    int64_t n = l->b->n, outputs = l->q->problem.outputs;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double part = 0;
        for (int64_t k = 0; k < width; k++) part += l->slope[i * width + k] * l->step[i * outputs + figure + k];
        sum += l->b->c ? l->b->c[i] * part : part;
    }
    return sum;
}

static void add_step(const line_rows *l, int64_t figure, int64_t step, double *sums) {
    const hsp_request_problem *p = &l->q->problem;
    int64_t n = l->b->n, outputs = p->outputs, width = p->joint ? outputs : 1, steps = l->q->at.step_count;
    double t = l->q->at.steps[step];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < width; k++)
            l->at[i * width + k] = l->base[i * outputs + figure + k] + t * l->step[i * outputs + figure + k];
    p->loss->batch(p->loss, l->y, l->at, n, width, HSP_KINK_OPEN, l->value, l->slope);
    hsp_part_sum(l->b, l->value, sums + hsp_line_pair(steps, figure, step));
    sums[hsp_line_slope(hsp_evaluated_figures(p), steps, figure, step)] = slope_along(l, figure, width);
}

static int answer_line(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    const hsp_request_problem *p = &q->problem;
    int64_t n = b->n, all = n * p->outputs, one = p->joint ? all : n;
    double *m = hsp_answer_scratch(a, 2 * all + 2 * n + 2 * one + 1);
    if (!m) return hsp_fail_memory(err);
    line_rows l = {q, b, m, m + all, m + 2 * all, m + 2 * all + n, m + 2 * all + 2 * n, m + 2 * all + 2 * n + one};
    int status = scores_of(b, p, q->at.w, q->at.b, l.base, err);
    if (!status) status = scores_of(b, p, q->at.v, q->at.v0, l.step, err);
    for (int64_t f = 0; !status && f < hsp_evaluated_figures(p); f++) {
        hsp_part_targets(b, p, f, l.y);
        for (int64_t s = 0; s < q->at.step_count; s++) add_step(&l, f, s, sums);
    }
    return status;
}

const hsp_answer_kind hsp_answer_line = {shape_of, answer_line};
