#include "solve/prox/column_screen.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/columns.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* Above this share of the stored numbers a pass over all rows costs less, and is a new record. */
static const double MOST = 0.35;
enum { BLOCKS = 32 };

struct hsp_column_screen_of {
    hsp_columns *columns; /* owned, as all arrays but c */
    const double *c;
    double *size;      /* d: sqrt(sum_i c_i x_ij^2), from above */
    double *recorded;  /* d */
    double *reference; /* n: r of the record */
    bool ready;        /* there is a record */
};

int hsp_column_screen_new(const hsp_problem *p, const double *c, hsp_column_screen_of **out, hsp_error **err) {
    int64_t d = p->design->d;
    hsp_column_screen_of *s = *out = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    s->c = c;
    int status = hsp_columns_new(p->design, false, &s->columns, err);
    if (status) return status;
    if (!HSP_ALLOC_DOUBLES(d, &s->size, &s->recorded) || !HSP_ALLOC_DOUBLES(p->design->n, &s->reference))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        double first, second, shift = hsp_column_p(s->columns, j);
        hsp_column_moments(s->columns, j, c, &first, &second);
        s->size[j] = sqrt(fmax(second - 2 * shift * first + shift * shift, 0) + 1e-12 * (second + shift * shift));
    }
    return HSP_OK;
}

void hsp_column_screen_free(hsp_column_screen_of *s) {
    if (!s) return;
    hsp_columns_free(s->columns);
    HSP_FREE(s->size, s->recorded, s->reference, s);
}

/* |r - reference|, each row in units of sqrt(c_i). A row of weight 0 has r = 0. */
static double distance(const hsp_column_screen_of *s, const double *r) {
    double sum = 0;
    for (int64_t i = 0; i < s->columns->n; i++) {
        double by = r[i] - s->reference[i];
        if (s->c[i] > 0) sum += by * by / s->c[i];
    }
    return sqrt(sum) * (1 + 1e-9);
}

static bool inside(const hsp_column_screen_of *s, int64_t j, double moved, double threshold) {
    return fabs(s->recorded[j]) + moved * s->size[j] < threshold * (1 - 1e-9);
}

typedef struct screen_pass {
    const hsp_column_screen_of *s;
    const double *r;
    double moved, threshold, sum;
    const int32_t *place;
    double *out;
} screen_pass;

static void visit_block(void *ctx, int64_t block) {
    const screen_pass *t = ctx;
    const hsp_columns *columns = t->s->columns;
    for (int64_t j = columns->d * block / BLOCKS, end = columns->d * (block + 1) / BLOCKS; j < end; j++) {
        if (t->place && t->place[j] >= 0) continue;
        t->out[j] = inside(t->s, j, t->moved, t->threshold)
                        ? t->s->recorded[j]
                        : hsp_column_dot(columns, j, t->r) - hsp_column_p(columns, j) * t->sum;
    }
}

void hsp_column_screen_adjoint(hsp_column_screen_of *s, hsp_problem *p, const double *r, double threshold,
                               const int32_t *place, double *out) {
    int64_t d = s->columns->d, n = s->columns->n;
    screen_pass t = {.s = s, .r = r, .threshold = threshold, .place = place, .out = out};
    double seen = 0;
    if (s->ready) {
        t.moved = distance(s, r);
        for (int64_t j = 0; j < d; j++)
            if (!(place && place[j] >= 0) && !inside(s, j, t.moved, threshold))
                seen += (double)hsp_column_count(s->columns, j) + 4;
    }
    if (s->ready && seen <= MOST * (double)s->columns->stored) {
        t.sum = s->columns->p ? hsp_sum_f64(r, n) : 0;
        hsp_pool_run(BLOCKS, p->design->threads, visit_block, &t);
        return;
    }
    hsp_problem_adjoint(p, r, out);
    memcpy(s->recorded, out, (size_t)d * sizeof *out);
    memcpy(s->reference, r, (size_t)n * sizeof *r);
    s->ready = true;
}
