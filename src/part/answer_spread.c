/* Mean, squared deviations, least and greatest value of each column, from which the scaling of the columns is learnt. */
#include "base/error.h"
#include "data/matrix.h"
#include "part/answer.h"
#include "part/spread_sums.h"

#include <math.h>

enum { AT_ONCE = 256 };

static hsp_sum_shape shape_of(const hsp_request *q) {
    return (hsp_sum_shape){.rule = HSP_SUM_SPREAD,
                           .length = hsp_spread_length(q->rows.features),
                           .columns = q->rows.features};
}

/* Visits the stored values of all rows. */
static void visit_values(const hsp_matrix *x, void (*add)(void *ctx, int64_t j, double v), void *ctx) {
    uint32_t id[AT_ONCE];
    double v[AT_ONCE];
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t from = 0; from < r.count; from += AT_ONCE) {
            int64_t count = hsp_row_decode(r, from, AT_ONCE, r.id ? id : NULL, v);
            for (int64_t t = 0; t < count; t++) add(ctx, r.id ? (int64_t)id[t] : from + t, v[t]);
        }
    }
}

/* Of each column. */
typedef struct spread {
    double *mean, *squares, *least, *greatest;
    double *stored; /* values that are stored; the others are 0 */
} spread;

static void add_value(void *ctx, int64_t j, double v) {
    spread *s = ctx;
    s->mean[j] += v;
    s->stored[j] += 1;
    if (v < s->least[j]) s->least[j] = v;
    if (v > s->greatest[j]) s->greatest[j] = v;
}

static void add_square(void *ctx, int64_t j, double v) {
    spread *s = ctx;
    s->squares[j] += (v - s->mean[j]) * (v - s->mean[j]);
}

static int answer_spread(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_matrix *x = &b->x;
    int64_t d = x->d, n = x->n;
    spread s = {sums + hsp_spread_mean(d), sums + hsp_spread_squares(d), sums + hsp_spread_least(d),
                sums + hsp_spread_greatest(d), hsp_answer_scratch(a, d)};
    if (!s.stored) return hsp_fail_memory(err);
    sums[HSP_SPREAD_ROWS] = (double)n;
    for (int64_t j = 0; j < d; j++) {
        s.stored[j] = 0;
        s.least[j] = INFINITY;
        s.greatest[j] = -INFINITY;
    }
    visit_values(x, add_value, &s);
    for (int64_t j = 0; j < d; j++) {
        s.mean[j] /= (double)n;
        if (s.stored[j] == (double)n) continue;
        s.least[j] = fmin(s.least[j], 0);
        s.greatest[j] = fmax(s.greatest[j], 0);
    }
    visit_values(x, add_square, &s);
    for (int64_t j = 0; j < d; j++) s.squares[j] += ((double)n - s.stored[j]) * s.mean[j] * s.mean[j];
    return HSP_OK;
}

const hsp_answer_kind hsp_answer_spread = {shape_of, answer_spread};
