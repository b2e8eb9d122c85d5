/* How the sums of the answers to evaluate, line and product lie in a vector. `figures` problems (one, if they are joint) of
 * `outputs` scores over `d` columns. The driver reads them by these functions too. */
#ifndef HSP_PART_EVALUATED_H
#define HSP_PART_EVALUATED_H

#include "part/request.h"
#include "part/tree.h"

/* Pairs, for each problem: the loss that was asked for, the loss of the objective (another one only with a barrier), and the
 * dual of the multipliers r = -slope. */
enum { HSP_SUM_LOSS, HSP_SUM_TRUE, HSP_SUM_DUAL, HSP_SUM_PAIRS };

static inline int64_t hsp_evaluated_figures(const hsp_request_problem *p) {
    return p->joint ? 1 : p->outputs;
}
static inline int64_t hsp_evaluated_pair(int64_t figure, int64_t which) {
    return 2 * (HSP_SUM_PAIRS * figure + which);
}
/* The weight of the rows on the wrong side, for each problem; then the gradient of each output: d numbers and that of its
 * intercept. */
static inline int64_t hsp_evaluated_wrong(int64_t figures, int64_t figure) {
    return 2 * HSP_SUM_PAIRS * figures + figure;
}
static inline int64_t hsp_evaluated_gradient(int64_t figures, int64_t d, int64_t output) {
    return 2 * HSP_SUM_PAIRS * figures + figures + output * (d + 1);
}
/* With predicted multipliers r their sums -sum c r (x, 1) follow, as further gradients. Then the Hessian of each output over
 * `m` columns and the intercept: the lower triangle, row after row, the last row is the intercept's. */
static inline int64_t hsp_evaluated_hessian(int64_t figures, int64_t gradients, int64_t d, int64_t m, int64_t output) {
    return hsp_evaluated_gradient(figures, d, gradients) + output * ((m + 1) * (m + 2) / 2);
}
/* Line: for each problem and step a pair of the loss; then for each problem and step its derivative. */
static inline int64_t hsp_line_pair(int64_t steps, int64_t figure, int64_t step) {
    return 2 * (steps * figure + step);
}
static inline int64_t hsp_line_slope(int64_t figures, int64_t steps, int64_t figure, int64_t step) {
    return 2 * steps * figures + steps * figure + step;
}

/* Curvature: for each output the diagonal of the Hessian (d numbers), the row of its intercept (d) and that of both (1). Then
 * the Hessian of each output by a sample of the rows, packed as above; one for all outputs at the point 0, where they are
 * alike. */
static inline int64_t hsp_curvature_diagonal(int64_t d, int64_t output) {
    return output * (2 * d + 1);
}
static inline int64_t hsp_curvature_blocks(const hsp_request *q) {
    return !q->at.gram ? 0 : q->at.w ? q->problem.outputs : 1;
}
static inline int64_t hsp_curvature_block(int64_t outputs, int64_t d, int64_t block) {
    return hsp_curvature_diagonal(d, outputs) + block * ((d + 1) * (d + 2) / 2);
}

#endif
