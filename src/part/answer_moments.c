/* Weights, means and scatter of the classes. A regression is one group whose last column is the target. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "part/answer.h"
#include "part/moment_sums.h"

#include <string.h>

static int64_t groups_of(const hsp_request *q) {
    return q->rows.targets ? 1 : q->rows.classes;
}

static int64_t columns_of(const hsp_request *q) {
    return q->rows.features + q->rows.targets;
}

static hsp_sum_shape shape_of(const hsp_request *q) {
    return (hsp_sum_shape){.rule = HSP_SUM_MOMENTS,
                           .length = hsp_moment_sums_length(groups_of(q), columns_of(q), q->scatter),
                           .pairs = q->scatter,
                           .groups = groups_of(q),
                           .columns = columns_of(q)};
}

static void count_rows(const hsp_part_block *b, double *sums) {
    for (int64_t i = 0; i < b->n; i++) {
        double c = b->c ? b->c[i] : 1, *of = sums + (b->class ? 2 * b->class[i] : 0);
        of[0] += c;
        of[1] += c > 0;
    }
}

/* The mean of the targets, and the row of the scatter that is theirs: sum_i c_i (y_i - mean) (x_i - m), then their own. */
static int add_targets(hsp_answer *a, const hsp_part_block *b, double mass, double *mean, double *row, hsp_error **err) {
    int64_t d = b->x.d, n = b->n;
    const double *y = b->rows.target;
    double sum = 0, rest = 0, square = 0, *r = hsp_answer_scratch(a, n + 1);
    if (!r) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) sum += (b->c ? b->c[i] : 1) * y[i];
    mean[d] = mass > 0 ? sum / mass : 0;
    if (!row) return HSP_OK;
    for (int64_t i = 0; i < n; i++) {
        r[i] = (b->c ? b->c[i] : 1) * (y[i] - mean[d]);
        rest += r[i];
        square += r[i] * (y[i] - mean[d]);
    }
    hsp_design_adjoint(b->design, r, row);
    for (int64_t j = 0; j < d; j++) row[j] -= rest * mean[j];
    row[d] = square;
    return HSP_OK;
}

static int add_scatter(const hsp_part_block *b, const hsp_request *q, const double *mean, double *out, hsp_error **err) {
    int64_t d = b->x.d, columns = columns_of(q), groups = groups_of(q);
    double *G = hsp_alloc(d * d, sizeof *G), *centres = hsp_alloc(groups * d, sizeof *centres);
    int status = G && centres ? HSP_OK : hsp_fail_memory(err);
    for (int64_t g = 0; !status && g < groups; g++)
        memcpy(centres + g * d, mean + g * columns, (size_t)d * sizeof *centres);
    if (!status) status = hsp_design_gram(b->design, b->c, centres, b->class, groups, G, err);
    for (int64_t j = 0; !status && j < d; j++, out += j) memcpy(out, G + j * d, (size_t)(j + 1) * sizeof *out);
    HSP_FREE(G, centres);
    return status;
}

static int answer_moments(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    int64_t d = b->x.d, groups = groups_of(q), columns = columns_of(q);
    double *mean = sums + 2 * groups, *scatter = mean + groups * columns;
    double *row = q->scatter ? scatter + d * (d + 1) / 2 : NULL;
    double *mass = hsp_alloc_zero(groups, sizeof *mass), *total = hsp_alloc_zero(groups * d, sizeof *total);
    int status = mass && total ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_design_group_sums(b->design, b->c, b->class, groups, mass, total, err);
    count_rows(b, sums);
    for (int64_t g = 0; !status && g < groups; g++)
        for (int64_t j = 0; j < d; j++) mean[g * columns + j] = mass[g] > 0 ? total[g * d + j] / mass[g] : 0;
    if (!status && q->rows.targets) status = add_targets(a, b, sums[0], mean, row, err);
    if (!status && q->scatter) status = add_scatter(b, q, mean, scatter, err);
    HSP_FREE(mass, total);
    return status;
}

const hsp_answer_kind hsp_answer_moments = {shape_of, answer_moments};
