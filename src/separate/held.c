#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "separate/vertex.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hsp_held_clear(hsp_held *h) {
    HSP_FREE(h->row, h->mu);
    *h = (hsp_held){0};
}

/* Singular value decomposition A = U diag(s) Vt of the held rows (count x p). Owns its arrays. */
typedef struct rows_svd {
    double *A, *U, *s, *Vt;
    int64_t few; /* min(count, p) */
} rows_svd;

static void clear_svd(rows_svd *g) {
    HSP_FREE(g->A, g->U, g->s, g->Vt);
}

static int decompose_rows(const hsp_held *h, const hsp_cone *c, rows_svd *g) {
    int64_t k = h->count, p = c->p, few = k < p ? k : p;
    *g = (rows_svd){.few = few};
    if (!HSP_ALLOC(g->A, k * p + 1) || !HSP_ALLOC(g->U, k * few + 1) || !HSP_ALLOC(g->s, few + 1) ||
        !HSP_ALLOC(g->Vt, few * p + 1))
        return HSP_EMEMORY;
    for (int64_t i = 0; i < k; i++) hsp_cone_row(c, h->row[i], g->A + i * p);
    return hsp_svd(g->A, k, p, g->s, g->U, g->Vt);
}

/* x (count): the least-norm least-squares solution of  sum x_i a_i = r  (p). */
static void find_least_norm(const rows_svd *g, const hsp_held *h, int64_t p, const double *r, double *x) {
    memset(x, 0, (size_t)h->count * sizeof *x);
    for (int64_t a = 0; a < h->rank && a < g->few; a++) {
        double f = hsp_dot_f64(g->Vt + a * p, r, p) / g->s[a];
        for (int64_t i = 0; i < h->count; i++) x[i] += f * g->U[i * g->few + a];
    }
}

int hsp_held_span(const hsp_held *h, const hsp_cone *c, double *Q, hsp_error **err) {
    rows_svd g;
    int status = decompose_rows(h, c, &g);
    if (!status) memcpy(Q, g.Vt, (size_t)((h->rank < g.few ? h->rank : g.few) * c->p) * sizeof *Q);
    clear_svd(&g);
    return status == HSP_EMEMORY ? hsp_fail_memory(err) : status;
}

/* Changes the multipliers of the held rows so that they cancel the sum of the new ones and stay positive. */
static int compensate_sum(hsp_held *h, const hsp_cone *c, const int64_t *row, const double *mu, int64_t count) {
    rows_svd g;
    double *sum = hsp_alloc_zero(c->p + 1, sizeof *sum), *one = hsp_alloc(c->p + 1, sizeof *one);
    double *x = hsp_alloc(h->count + 1, sizeof *x);
    int status = decompose_rows(h, c, &g);
    if (!sum || !one || !x) status = HSP_EMEMORY;
    if (!status) {
        for (int64_t i = 0; i < count; i++) {
            hsp_cone_row(c, row[i], one);
            hsp_axpy_f64(-mu[i], one, sum, c->p);
        }
        find_least_norm(&g, h, c->p, sum, x);
        double times = 1;
        for (int64_t i = 0; i < h->count; i++) times = fmax(times, 1 - x[i] / h->mu[i]);
        for (int64_t i = 0; i < h->count; i++) h->mu[i] = x[i] + times * h->mu[i];
    }
    clear_svd(&g);
    HSP_FREE(sum, one, x);
    return status;
}

int hsp_held_join(hsp_held *h, const hsp_cone *c, const int64_t *row, const double *mu, int64_t count, int64_t more,
                  hsp_error **err) {
    int status = h->count > 0 ? compensate_sum(h, c, row, mu, count) : HSP_OK;
    int64_t *rows = status ? NULL : hsp_resize(h->row, h->count + count, sizeof *rows);
    if (rows) h->row = rows;
    double *values = rows ? hsp_resize(h->mu, h->count + count, sizeof *values) : NULL;
    if (values) h->mu = values;
    if (!status && (!rows || !values)) status = HSP_EMEMORY;
    if (status) return status == HSP_EMEMORY ? hsp_fail_memory(err) : status;
    memcpy(h->row + h->count, row, (size_t)count * sizeof *row);
    memcpy(h->mu + h->count, mu, (size_t)count * sizeof *mu);
    h->count += count;
    h->rank += more;
    return HSP_OK;
}

/* ---- refinement ---- */

/* The residuals of both equations, from the rows as read: r (base->d) and *sides. */
static void residual_of_rows(const hsp_held *h, const hsp_rows_by_side *q, const hsp_cone *c, long double *sum, double *r,
                             double *sides) {
    long double total = 0;
    memset(sum, 0, (size_t)q->x->d * sizeof *sum);
    for (int64_t k = 0; k < h->count; k++) {
        hsp_row row = hsp_matrix_row(q->x, hsp_cone_source(c, h->row[k]));
        long double m = (long double)h->mu[k] * c->rho[h->row[k]];
        total += m;
        for (int64_t t = 0; t < row.count; t++) sum[hsp_row_id(row, t)] += m * hsp_row_value(row, t);
    }
    for (int64_t j = 0; j < q->x->d; j++) r[j] = (double)sum[j];
    *sides = (double)total;
}

/* Iterative refinement of the multipliers. */
static int refine_solution(hsp_held *h, const hsp_rows_by_side *q, const hsp_cone *c) {
    rows_svd g;
    long double *sum = hsp_alloc(q->x->d + 1, sizeof *sum);
    double *r = hsp_alloc(q->x->d + 1, sizeof *r), *pass = hsp_alloc(c->base->n + 1, sizeof *pass);
    double *left = hsp_alloc(c->p + 1, sizeof *left), *x = hsp_alloc(h->count + 1, sizeof *x), sides;
    int status = decompose_rows(h, c, &g);
    if (!sum || !r || !pass || !left || !x) status = HSP_EMEMORY;
    for (int round = 0; !status && round < 5; round++) {
        residual_of_rows(h, q, c, sum, r, &sides);
        hsp_cone_pull(c, r, sides, pass, left);
        find_least_norm(&g, h, c->p, left, x);
        for (int64_t i = 0; i < h->count; i++) h->mu[i] -= x[i];
    }
    clear_svd(&g);
    HSP_FREE(sum, r, pass, left, x);
    return status;
}

typedef struct entry {
    int64_t row;
    double m;
} entry;

static int by_row(const void *a, const void *b) {
    int64_t i = ((const entry *)a)->row, j = ((const entry *)b)->row;
    return (i > j) - (i < j);
}

int hsp_held_finish(hsp_held *h, const hsp_rows_by_side *q, const hsp_cone *c, int64_t *row, double *multiplier, bool *good,
                    hsp_error **err) {
    int status = refine_solution(h, q, c);
    entry *e = hsp_alloc(h->count + 1, sizeof *e);
    if (!e) status = HSP_EMEMORY;
    *good = !status;
    double sum = 0;
    for (int64_t k = 0; !status && k < h->count; k++) {
        e[k] = (entry){hsp_cone_source(c, h->row[k]), h->mu[k] * fabs(c->rho[h->row[k]])};
        if (!(e[k].m > 0) || !isfinite(e[k].m)) *good = false;
        if (q->origin || q->y[e[k].row] > 0) sum += e[k].m;
    }
    if (!status) qsort(e, (size_t)h->count, sizeof *e, by_row);
    for (int64_t k = 0; !status && k < h->count; k++) {
        row[k] = e[k].row;
        multiplier[k] = e[k].m / sum;
    }
    hsp_free(e);
    return status == HSP_EMEMORY ? hsp_fail_memory(err) : HSP_OK;
}
