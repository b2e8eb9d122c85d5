/* Newton systems by rows, when fewer of them are inside their boxes than there are columns: with X the rows of F, centred,
 *
 *     (I + X' D X)^-1 = I - X' (D^-1 + X X')^-1 X.
 *
 * A penalised intercept is one more column of ones. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/margin/polish.h"

#include <math.h>
#include <string.h>

int hsp_polish_rows_init(hsp_polish_system *y, int64_t capacity, hsp_error **err) {
    hsp_polish_pool *pool = &y->pool;
    int64_t n = y->m->design->n, d = y->m->design->d;
    bool centred = y->m->design->x->dense && y->m->intercept == HSP_INTERCEPT_FREE;
    pool->capacity = capacity;
    if (!HSP_ALLOC(pool->member, capacity) || !HSP_ALLOC(pool->slot, n) || !HSP_ALLOC(pool->place, capacity) ||
        !HSP_ALLOC(pool->rows, capacity) || !HSP_ALLOC(pool->K, capacity * capacity) ||
        !HSP_ALLOC(pool->M, capacity * capacity) || !HSP_ALLOC_DOUBLES(capacity, &pool->scale, &pool->mean_product) ||
        !HSP_ALLOC_DOUBLES(d, &pool->dense_row) || !HSP_ALLOC_DOUBLES(centred ? d : -1, &pool->origin))
        return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) pool->slot[i] = -1;
    if (!centred) return HSP_OK;
    for (int64_t i = 0; i < n; i++) y->t[i] = 1 / (double)n;
    hsp_design_adjoint(y->m->design, y->t, y->pool.origin);
    return HSP_OK;
}

void hsp_polish_rows_free(hsp_polish_system *y) {
    HSP_FREE(y->pool.member, y->pool.slot, y->pool.place, y->pool.rows, y->pool.K, y->pool.M, y->pool.scale,
             y->pool.mean_product, y->pool.dense_row, y->pool.origin);
}

/* ---- the pool of products ---- */

/* Keeps only F. The order of the slots does not change, so products move only to slots that are free. */
static void keep_active_rows(hsp_polish_system *y) {
    int64_t kept = 0;
    for (int64_t s = 0; s < y->pool.count; s++) {
        int64_t i = y->pool.member[s];
        bool stays = y->curve[i] > 0;
        y->pool.slot[i] = stays ? kept : -1;
        if (!stays) continue;
        y->pool.member[kept] = i;
        y->pool.place[kept++] = s;
    }
    for (int64_t a = 0; a < kept; a++)
        for (int64_t b = 0; b < kept; b++)
            y->pool.K[a * y->pool.capacity + b] = y->pool.K[y->pool.place[a] * y->pool.capacity + y->pool.place[b]];
    y->pool.count = kept;
}

/* Adds row i and its inner products with all the others. */
static void pool_row(hsp_polish_system *y, int64_t i) {
    const hsp_design *D = y->m->design;
    int64_t own = y->pool.count++;
    y->pool.member[own] = i;
    y->pool.slot[i] = own;
    hsp_row row = hsp_design_row(D, i, y->tile);
    for (int64_t t = 0; t < row.count; t++) { /* dense_row <- x'_i - origin (sparse rows: z_i) */
        int64_t j = hsp_row_id(row, t);
        y->pool.dense_row[j] = hsp_row_value(row, t) - (y->pool.origin ? y->pool.origin[j] : 0);
    }
    double shift = y->pool.origin ? hsp_dot_f64(y->pool.origin, y->pool.dense_row, D->d) : 0;
    for (int64_t s = 0; s <= own; s++) {
        double k = hsp_row_dot(hsp_design_row(D, y->pool.member[s], y->tile), y->pool.dense_row) - shift;
        if (D->p) k += D->pp - D->pz[i] - D->pz[y->pool.member[s]];
        y->pool.K[own * y->pool.capacity + s] = y->pool.K[s * y->pool.capacity + own] = k;
    }
    hsp_row r = hsp_matrix_row(D->x, i);
    for (int64_t t = 0; r.id && t < r.count; t++) y->pool.dense_row[hsp_row_id(r, t)] = 0;
}

/* The rows of the pool by columns: column j has entries begin[j] to begin[j + 1], in the order of the slots. */
typedef struct by_columns {
    int64_t *begin;
    int32_t *slot;
    double *value;
} by_columns;

static int index_pool(const hsp_polish_system *y, by_columns *x) {
    const hsp_design *D = y->m->design;
    int64_t d = D->d, stored = 0;
    for (int64_t s = 0; s < y->pool.count; s++) stored += hsp_matrix_row(D->x, y->pool.member[s]).count;
    if (!HSP_ALLOC_ZERO(x->begin, d + 2) || !HSP_ALLOC(x->slot, stored) || !HSP_ALLOC(x->value, stored)) return HSP_EMEMORY;
    int64_t *next = x->begin + 1; /* where the next entry of a column goes; finally the end of the column */
    for (int64_t s = 0; s < y->pool.count; s++) {
        hsp_row r = hsp_matrix_row(D->x, y->pool.member[s]);
        for (int64_t t = 0; t < r.count; t++) next[hsp_row_id(r, t) + 1]++;
    }
    for (int64_t j = 0; j < d; j++) next[j + 1] += next[j];
    for (int64_t s = 0; s < y->pool.count; s++) {
        hsp_row r = hsp_design_row(D, y->pool.member[s], y->tile);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t to = next[hsp_row_id(r, t)]++;
            x->slot[to] = (int32_t)s;
            x->value[to] = hsp_row_value(r, t);
        }
    }
    return HSP_OK;
}

/* The products of one row with those in the slots up to its own. */
static void multiply_row(hsp_polish_system *y, const by_columns *x, int64_t own) {
    const hsp_design *D = y->m->design;
    int64_t i = y->pool.member[own];
    hsp_row r = hsp_design_row(D, i, y->tile);
    double *K = y->pool.K + own * y->pool.capacity;
    memset(K, 0, (size_t)(own + 1) * sizeof *K);
    for (int64_t t = 0; t < r.count; t++) {
        double v = hsp_row_value(r, t);
        for (int64_t e = x->begin[hsp_row_id(r, t)]; x->slot[e] < own; e++) K[x->slot[e]] += v * x->value[e];
    }
    K[own] = hsp_row_norm2(r);
    for (int64_t s = 0; s <= own; s++) {
        if (D->p) K[s] += D->pp - D->pz[i] - D->pz[y->pool.member[s]];
        y->pool.K[s * y->pool.capacity + own] = K[s];
    }
}

/* Many sparse rows at once, by columns: only the columns that rows share contribute. */
static int pool_many(hsp_polish_system *y) {
    int64_t before = y->pool.count;
    by_columns x = {0};
    for (int64_t k = 0; k < y->f; k++) {
        int64_t i = y->rows[k];
        if (y->pool.slot[i] >= 0) continue;
        y->pool.slot[i] = y->pool.count;
        y->pool.member[y->pool.count++] = i;
    }
    int status = index_pool(y, &x);
    for (int64_t own = before; !status && own < y->pool.count; own++) multiply_row(y, &x, own);
    HSP_FREE(x.begin, x.slot, x.value);
    return status;
}

enum { MANY = 16 };

static int take_products(hsp_polish_system *y) {
    int64_t missing = 0;
    for (int64_t k = 0; k < y->f; k++) missing += y->pool.slot[y->rows[k]] < 0;
    if (y->pool.count + missing > y->pool.capacity) keep_active_rows(y);
    if (missing >= MANY && !y->m->design->x->dense) {
        int status = pool_many(y);
        if (status) return status;
    }
    for (int64_t k = 0; k < y->f; k++) {
        int64_t i = y->rows[k];
        if (y->pool.slot[i] < 0) pool_row(y, i);
        y->pool.place[k] = y->pool.slot[i];
    }
    return HSP_OK;
}

/* ---- the factor ---- */

/* mean_product <- x_i.m for F, m its mean weighted by D. Returns m.m. */
static double centre_products(hsp_polish_system *y) {
    double mm = 0;
    for (int64_t a = 0; a < y->pool.f; a++) {
        const double *K = y->pool.K + y->pool.place[a] * y->pool.capacity;
        double sum = 0;
        for (int64_t b = 0; b < y->pool.f; b++) sum += y->curve[y->pool.rows[b]] * K[y->pool.place[b]];
        y->pool.mean_product[a] = sum / y->pool.S;
        mm += y->curve[y->pool.rows[a]] / y->pool.S * y->pool.mean_product[a];
    }
    return mm;
}

/* M <- D^-1 + X X' (upper triangle), f x f, scaled to a diagonal of ones. */
static void take_matrix(hsp_polish_system *y) {
    int64_t f = y->pool.f;
    bool free = y->m->intercept == HSP_INTERCEPT_FREE;
    double mm = free && f > 0 ? centre_products(y) : 0, one = y->m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    for (int64_t a = 0; a < f; a++) {
        const double *K = y->pool.K + y->pool.place[a] * y->pool.capacity;
        double k = K[y->pool.place[a]] + one + mm - (free ? 2 * y->pool.mean_product[a] : 0);
        y->pool.scale[a] = 1 / sqrt(fmax(k, 0) + 1 / y->curve[y->pool.rows[a]]);
    }
    for (int64_t a = 0; a < f; a++) {
        const double *K = y->pool.K + y->pool.place[a] * y->pool.capacity;
        double *M = y->pool.M + a * f;
        for (int64_t b = a + 1; b < f; b++) {
            double k = K[y->pool.place[b]] + one;
            if (free) k += mm - y->pool.mean_product[a] - y->pool.mean_product[b];
            M[b] = k * y->pool.scale[a] * y->pool.scale[b];
        }
    }
}

int hsp_polish_rows_set(hsp_polish_system *y, bool *regular) {
    int status = take_products(y);
    if (status) return status;
    y->pool.f = y->f;
    y->pool.S = y->S;
    memcpy(y->pool.rows, y->rows, (size_t)y->f * sizeof *y->rows);
    take_matrix(y);
    *regular = hsp_cholesky_shifted(y->pool.M, y->f, 0, 1e-15) <= 1;
    return HSP_OK;
}

void hsp_polish_rows_precondition(hsp_polish_system *y, const double *r, double *z) {
    int64_t f = y->pool.f;
    double *t = y->t, sum = 0;
    bool free = y->m->intercept == HSP_INTERCEPT_FREE;
    hsp_polish_scores(y, y->pool.rows, f, r, t);
    for (int64_t k = 0; k < f; k++) sum += y->factor.curve[y->pool.rows[k]] * t[k];
    double mean = free && y->pool.S > 0 ? sum / y->pool.S : 0;
    for (int64_t k = 0; k < f; k++) t[k] = (t[k] - mean) * y->pool.scale[k];
    if (f > 0) hsp_cholesky_solve(y->pool.M, f, t, 1);
    sum = 0;
    for (int64_t k = 0; k < f; k++) sum += t[k] *= -y->pool.scale[k];
    memcpy(z, r, (size_t)y->m->design->d * sizeof *z);
    hsp_polish_adjoint(y, y->pool.rows, f, t, z);
    if (free) hsp_axpy_f64(-sum, y->factor.mean, z, y->m->design->d);
}
