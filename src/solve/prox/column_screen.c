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
static const double FARTHEST = 8; /* times the distance of two records: how far a centre may be beyond them */
enum { BLOCKS = 32 };

struct hsp_column_screen_of {
    hsp_columns *columns; /* owned, as all arrays but c */
    const double *c;
    double *size;      /* d: sqrt(sum_i c_i x_ij^2), from above */
    double *recorded[2];  /* d: of the last two passes over all rows, the latest first */
    double *reference[2]; /* n: their r */
    int records;
};

int hsp_column_screen_new(const hsp_problem *p, const double *c, hsp_column_screen_of **out, hsp_error **err) {
    int64_t d = p->design->d;
    hsp_column_screen_of *s = *out = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    s->c = c;
    int status = hsp_columns_new(p->design, false, &s->columns, err);
    if (status) return status;
    if (!HSP_ALLOC_DOUBLES(d, &s->size, &s->recorded[0], &s->recorded[1]) ||
        !HSP_ALLOC_DOUBLES(p->design->n, &s->reference[0], &s->reference[1]))
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
    HSP_FREE(s->size, s->recorded[0], s->recorded[1], s->reference[0], s->reference[1], s);
}

const hsp_columns *hsp_column_screen_columns(const hsp_column_screen_of *s) {
    return s->columns;
}

typedef struct screen_pass {
    const hsp_column_screen_of *s;
    const double *r;
    double moved, threshold, sum;
    double follows; /* the centre is the last record plus so many times its distance from the one before */
    const int32_t *place;
    double *out;
} screen_pass;

/* Sets the centre to the point nearest to r on the line through the records, as paths are smooth, and `moved` to |r - centre|,
 * each row in units of sqrt(c_i). A row of weight 0 has r = 0. */
static void find_centre(screen_pass *t) {
    const hsp_column_screen_of *s = t->s;
    const double *last = s->reference[0], *before = s->reference[1], *c = s->c, *r = t->r;
    double along = 0, square = 0, sum = 0;
    for (int64_t i = 0; s->records > 1 && i < s->columns->n; i++) {
        double by = last[i] - before[i];
        if (c[i] > 0) along += by * (r[i] - last[i]) / c[i], square += by * by / c[i];
    }
    t->follows = square > 0 && fabs(along) <= FARTHEST * square ? along / square : 0;
    for (int64_t i = 0; i < s->columns->n; i++) {
        double by = r[i] - (last[i] + t->follows * (last[i] - before[i]));
        if (c[i] > 0) sum += by * by / c[i];
    }
    t->moved = sqrt(sum) * (1 + 1e-9);
}

static double at_centre(const screen_pass *t, int64_t j) {
    const hsp_column_screen_of *s = t->s;
    return s->recorded[0][j] + t->follows * (s->recorded[0][j] - s->recorded[1][j]);
}

static bool inside(const screen_pass *t, int64_t j) {
    return fabs(at_centre(t, j)) + t->moved * t->s->size[j] < t->threshold * (1 - 1e-9);
}

static void visit_block(void *ctx, int64_t block) {
    const screen_pass *t = ctx;
    const hsp_columns *columns = t->s->columns;
    for (int64_t j = columns->d * block / BLOCKS, end = columns->d * (block + 1) / BLOCKS; j < end; j++) {
        if (t->place && t->place[j] >= 0) continue;
        t->out[j] = inside(t, j) ? at_centre(t, j) : hsp_column_dot(columns, j, t->r) - hsp_column_p(columns, j) * t->sum;
    }
}

void hsp_column_screen_adjoint(hsp_column_screen_of *s, hsp_problem *p, const double *r, double threshold,
                               const int32_t *place, double *out) {
    int64_t d = s->columns->d, n = s->columns->n;
    screen_pass t = {.s = s, .r = r, .threshold = threshold, .place = place, .out = out};
    double seen = 0;
    if (s->records > 0) {
        find_centre(&t);
        for (int64_t j = 0; j < d; j++)
            if (!(place && place[j] >= 0) && !inside(&t, j))
                seen += (double)hsp_column_count(s->columns, j) + 4;
    }
    if (s->records > 0 && seen <= MOST * (double)s->columns->stored) {
        t.sum = s->columns->p ? hsp_sum_f64(r, n) : 0;
        hsp_pool_run(BLOCKS, p->design->threads, visit_block, &t);
        return;
    }
    hsp_problem_adjoint(p, r, out);
    double *recorded = s->recorded[1], *reference = s->reference[1];
    s->recorded[1] = s->recorded[0], s->reference[1] = s->reference[0];
    s->recorded[0] = recorded, s->reference[0] = reference;
    memcpy(recorded, out, (size_t)d * sizeof *out);
    memcpy(reference, r, (size_t)n * sizeof *r);
    if (s->records < 2) s->records++;
}
