/* Finds exact linear relations between columns. A relation that holds in all rows holds in a subset. So a few rows propose
 * relations, a pass over all rows tests them, and the row that violates a relation most joins the few rows. Each such row
 * makes more columns independent on the few rows, so this ends.
 *
 * The few rows: some taken at even intervals, and for each column one with its minimum and one with its maximum. Their
 * standardised columns are orthogonalised one after the other by modified Gram-Schmidt, again for columns of which little
 * is left (Daniel, Gragg, Kaufman, Stewart, Mathematics of Computation 30, 1976). The first column is the intercept. The
 * Gram matrix alone would not do: there 1e-10 of a standard deviation becomes 1e-20, below the rounding error. */
#include "inspect/relations.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/design.h"
#include "design/pieces.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12, STRIP = 16, PIECE = 8192 };
static const double follows = 1e-9;  /* largest residual relative to a column's norm, on the few rows */
static const double exact = 1e-10;   /* the same, on all rows */
static const double nothing = 1e-10; /* a coefficient below this, in standardised units, is reported as 0 */
static const double most_work = 4e9;

typedef struct relation_search {
    const hsp_matrix *x;
    const hsp_column_stats *s;
    const int64_t *use;
    const bool *wanted;
    int64_t p;
    int threads;
    int64_t *place; /* index of each feature of x among the p; -1: none */
    double *zero;   /* p: the standardised value of 0 in the column */
    int64_t *row, m, row_capacity;
    bool *few;   /* n: whether the row is one of the few */
    double *A;   /* m x (p + 1), column-major: becomes orthonormal */
    double *R;   /* (p + 1) x (p + 1), row-major */
    bool *basis; /* p + 1 */
    int64_t now; /* the column that the others are being made orthogonal to */
    /* the proposed relations, and their residuals on all rows */
    int64_t count;
    int64_t *of;    /* count */
    double *c;      /* count x (p + 1), in standardised units */
    int64_t *begin; /* count + 1: where the terms of each relation begin in `term` */
    int64_t *term;
    hsp_slots slots;
    double *squares, *worst; /* pieces x count: sum and maximum of the squared residuals */
    int64_t *worst_row;
} relation_search;

/* ---- the few rows ---- */

/* Writes row i of x, standardised, to z (p). */
static void standardise(const relation_search *g, int64_t i, double *z) {
    hsp_row r = hsp_matrix_row(g->x, i);
    if (!r.id) {
        for (int64_t k = 0; k < g->p; k++) {
            int64_t j = g->use[k];
            z[k] = (hsp_row_value(r, j) - g->s->mean[j]) / g->s->sd[j];
        }
        return;
    }
    memcpy(z, g->zero, (size_t)g->p * sizeof *z);
    for (int64_t t = 0; t < r.count; t++) {
        int64_t j = hsp_row_id(r, t), k = g->place[j];
        if (k >= 0) z[k] = (hsp_row_value(r, t) - g->s->mean[j]) / g->s->sd[j];
    }
}

static int take_row(relation_search *g, int64_t i) {
    if (g->few[i]) return 0;
    if (hsp_reserve((void **)&g->row, &g->row_capacity, g->m + 1, sizeof *g->row)) return HSP_EMEMORY;
    g->few[i] = true;
    g->row[g->m++] = i;
    return 0;
}

/* seen: 2 p flags, whether the minimum and the maximum already have a row. The implicit zeros of sparse rows need no row of
 * their own, because most rows have them. */
static int take_extremes(relation_search *g, bool *seen) {
    for (int64_t i = 0; i < g->x->n; i++) {
        hsp_row r = hsp_matrix_row(g->x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t), k = g->place[j];
            if (k < 0) continue;
            double v = hsp_row_value(r, t);
            bool least = v <= g->s->min[j] && !seen[2 * k], greatest = v >= g->s->max[j] && !seen[2 * k + 1];
            if (!least && !greatest) continue;
            seen[2 * k] |= least;
            seen[2 * k + 1] |= greatest;
            if (take_row(g, i)) return HSP_EMEMORY;
        }
    }
    return 0;
}

/* ---- orthogonalisation ---- */

static double *column(const relation_search *g, int64_t k) {
    return g->A + k * g->m;
}

static double length(const double *v, int64_t m) {
    return sqrt(hsp_row_norm2(hsp_row_dense(m, v)));
}

/* Subtracts from column k its projection on column q, which has norm 1. */
static void project(relation_search *g, int64_t q, int64_t k) {
    hsp_row unit = hsp_row_dense(g->m, column(g, q));
    double r = hsp_row_dot(unit, column(g, k));
    hsp_row_axpy(-r, unit, column(g, k));
    g->R[q * (g->p + 1) + k] += r;
}

static void project_strip(void *ctx, int64_t strip) {
    relation_search *g = ctx;
    int64_t begin = g->now + 1 + strip * STRIP, end = begin + STRIP;
    for (int64_t k = begin; k < end && k <= g->p; k++) project(g, g->now, k);
}

/* Whether column k is independent of the basis so far; if so, normalises what is left of it. */
static bool take_column(relation_search *g, int64_t k, double whole) {
    double left = length(column(g, k), g->m);
    for (int again = 0; again < 2 && left > 0 && left < 0.1 * whole; again++) {
        for (int64_t q = 0; q < k; q++)
            if (g->basis[q]) project(g, q, k);
        left = length(column(g, k), g->m);
    }
    if (!(left > follows * whole)) return false;
    for (int64_t i = 0; i < g->m; i++) column(g, k)[i] /= left;
    g->R[k * (g->p + 1) + k] = left;
    return true;
}

/* scratch: p + 1 numbers. */
static void orthogonalise(relation_search *g, double *scratch) {
    int64_t width = g->p + 1;
    for (int64_t i = 0; i < g->m; i++) {
        standardise(g, g->row[i], scratch);
        column(g, 0)[i] = 1;
        for (int64_t k = 0; k < g->p; k++) column(g, k + 1)[i] = scratch[k];
    }
    for (int64_t k = 0; k < width; k++) scratch[k] = length(column(g, k), g->m);
    memset(g->R, 0, (size_t)(width * width) * sizeof *g->R);
    for (int64_t k = 0; k < width; k++) {
        g->basis[k] = take_column(g, k, scratch[k]);
        g->now = k;
        if (g->basis[k]) hsp_pool_run((g->p - k + STRIP - 1) / STRIP, g->threads, project_strip, g);
    }
}

/* ---- proposing ---- */

/* The coefficients of column k (from 1) in terms of the basis columns before it, by back substitution. */
static void solve(const relation_search *g, int64_t k, double *c) {
    int64_t width = g->p + 1;
    for (int64_t q = 0; q < width; q++) c[q] = q < k && g->basis[q] ? g->R[q * width + k] : 0;
    for (int64_t q = k - 1; q >= 0; q--) {
        if (!g->basis[q]) continue;
        c[q] /= g->R[q * width + q];
        for (int64_t i = 0; i < q; i++)
            if (g->basis[i]) c[i] -= c[q] * g->R[i * width + q];
    }
    for (int64_t q = 0; q < width; q++)
        if (fabs(c[q]) < 1e-12) c[q] = 0;
}

/* Allocates `count` relations in place of the previous ones. */
static int make_room(relation_search *g) {
    int64_t width = g->p + 1;
    HSP_FREE(g->of, g->c, g->begin, g->term);
    g->of = hsp_alloc(g->count + 1, sizeof *g->of);
    g->c = hsp_alloc((g->count + 1) * width, sizeof *g->c);
    g->begin = hsp_alloc_zero(g->count + 1, sizeof *g->begin);
    g->term = hsp_alloc((g->count + 1) * width, sizeof *g->term);
    return g->of && g->c && g->begin && g->term ? 0 : HSP_EMEMORY;
}

static int propose(relation_search *g) {
    int64_t width = g->p + 1;
    g->count = 0;
    for (int64_t k = 1; k < width; k++) g->count += !g->basis[k] && g->wanted[k - 1];
    if (make_room(g)) return HSP_EMEMORY;
    for (int64_t k = 1, t = 0; k < width; k++) {
        if (g->basis[k] || !g->wanted[k - 1]) continue;
        double *c = g->c + t * width;
        int64_t end = g->begin[t];
        solve(g, k, c);
        for (int64_t q = 1; q < k; q++)
            if (c[q] != 0) g->term[end++] = q - 1;
        g->of[t] = k - 1;
        g->begin[++t] = end;
    }
    return 0;
}

/* ---- testing on all rows ---- */

static void ask_piece(void *ctx, int64_t piece) {
    relation_search *g = ctx;
    int64_t width = g->p + 1, end = (piece + 1) * PIECE < g->x->n ? (piece + 1) * PIECE : g->x->n;
    double *z = hsp_slots_take(&g->slots), *squares = g->squares + piece * g->count;
    for (int64_t t = 0; t < g->count; t++) squares[t] = g->worst[piece * g->count + t] = 0;
    for (int64_t i = piece * PIECE; i < end; i++) {
        standardise(g, i, z);
        for (int64_t t = 0; t < g->count; t++) {
            const double *c = g->c + t * width;
            double left = z[g->of[t]] - c[0];
            for (int64_t e = g->begin[t]; e < g->begin[t + 1]; e++) left -= c[g->term[e] + 1] * z[g->term[e]];
            left *= left;
            squares[t] += left;
            if (!(left <= g->worst[piece * g->count + t])) { /* also if it is NaN */
                g->worst[piece * g->count + t] = left;
                g->worst_row[piece * g->count + t] = i;
            }
        }
    }
    hsp_slots_give(&g->slots, z);
}

/* Keeps the relations that hold, and adds the worst row of each other one to the few rows. *denied: the number of rejected
 * relations. */
static int keep_confirmed(relation_search *g, int64_t pieces, int64_t *denied) {
    int64_t width = g->p + 1, kept = 0;
    *denied = 0;
    for (int64_t t = 0; t < g->count; t++) {
        double sum = 0, worst = -1, size = 1;
        int64_t row = 0;
        for (int64_t piece = 0; piece < pieces; piece++) {
            sum += g->squares[piece * g->count + t];
            if (!(g->worst[piece * g->count + t] <= worst)) {
                worst = g->worst[piece * g->count + t];
                row = g->worst_row[piece * g->count + t];
            }
        }
        for (int64_t k = 0; k < width; k++) size += g->c[t * width + k] * g->c[t * width + k];
        if (sum <= exact * exact * size * (double)g->x->n) {
            g->of[kept] = g->of[t];
            memmove(g->c + kept++ * width, g->c + t * width, (size_t)width * sizeof *g->c);
        } else {
            ++*denied;
            if (take_row(g, row)) return HSP_EMEMORY;
        }
    }
    g->count = kept;
    return 0;
}

static int ask_all(relation_search *g, int64_t *denied) {
    int64_t pieces = (g->x->n + PIECE - 1) / PIECE, room = pieces * g->count;
    *denied = 0;
    if (g->count == 0) return 0;
    g->squares = hsp_alloc(room, sizeof *g->squares);
    g->worst = hsp_alloc(room, sizeof *g->worst);
    g->worst_row = hsp_alloc_zero(room, sizeof *g->worst_row);
    int status = g->squares && g->worst && g->worst_row ? 0 : HSP_EMEMORY;
    if (!status) status = hsp_slots_new(pieces, g->threads, g->p, &g->slots);
    if (!status) {
        hsp_pool_run(pieces, g->threads, ask_piece, g);
        status = keep_confirmed(g, pieces, denied);
    }
    hsp_slots_free(&g->slots);
    HSP_FREE(g->squares, g->worst, g->worst_row);
    g->squares = g->worst = NULL;
    g->worst_row = NULL;
    return status;
}

/* ---- the search ---- */

/* *work: multiplications so far. */
static int one_round(relation_search *g, double *scratch, int64_t *denied, double *work) {
    int64_t width = g->p + 1;
    hsp_free(g->A);
    g->A = hsp_alloc(g->m * width, sizeof *g->A);
    if (!g->A) return HSP_EMEMORY;
    *work += (double)g->m * (double)width * (double)width;
    orthogonalise(g, scratch);
    if (propose(g)) return HSP_EMEMORY;
    *work += (double)g->x->n * (double)(g->count > 0 ? g->begin[g->count] + g->p : 0);
    if (*work <= 2 * most_work) return ask_all(g, denied);
    g->count = 0;
    *denied = 1;
    return 0;
}

static int prepare_search(relation_search *g) {
    int64_t width = g->p + 1;
    g->place = hsp_alloc(g->x->d, sizeof *g->place);
    g->zero = hsp_alloc(width, sizeof *g->zero);
    g->few = hsp_alloc_zero(g->x->n, sizeof *g->few);
    g->R = hsp_alloc(width * width, sizeof *g->R);
    g->basis = hsp_alloc_zero(width, sizeof *g->basis);
    if (!g->place || !g->zero || !g->few || !g->R || !g->basis) return HSP_EMEMORY;
    for (int64_t j = 0; j < g->x->d; j++) g->place[j] = -1;
    for (int64_t k = 0; k < g->p; k++) {
        g->place[g->use[k]] = k;
        g->zero[k] = -g->s->mean[g->use[k]] / g->s->sd[g->use[k]];
    }
    int64_t n = g->x->n, even = g->p + 200 < n ? g->p + 200 : n;
    for (int64_t i = 0; i < even; i++)
        if (take_row(g, (int64_t)((double)i / (double)even * (double)n))) return HSP_EMEMORY;
    bool *seen = hsp_alloc_zero(2 * g->p, sizeof *seen);
    int status = seen ? take_extremes(g, seen) : HSP_EMEMORY;
    hsp_free(seen);
    return status;
}

/* Converts the coefficients from standardised units to those of the columns. */
static int export_relations(const relation_search *g, hsp_relations *out) {
    int64_t width = g->p + 1;
    out->p = g->p;
    out->count = g->count;
    out->of = hsp_alloc(g->count + 1, sizeof *out->of);
    out->a = hsp_alloc_zero((g->count + 1) * width, sizeof *out->a);
    if (!out->of || !out->a) return HSP_EMEMORY;
    for (int64_t t = 0; t < g->count; t++) {
        const double *c = g->c + t * width;
        int64_t of = g->use[out->of[t] = g->of[t]];
        double *a = out->a + t * width, size = fabs(g->s->mean[of]);
        a[0] = g->s->mean[of] + c[0] * g->s->sd[of];
        for (int64_t k = 0; k < g->p; k++) {
            int64_t j = g->use[k];
            if (fabs(c[k + 1]) < nothing) continue;
            a[k + 1] = c[k + 1] * g->s->sd[of] / g->s->sd[j];
            a[0] -= a[k + 1] * g->s->mean[j];
            size += fabs(a[k + 1] * g->s->mean[j]);
        }
        if (fabs(a[0]) <= 1e-9 * (size + g->s->sd[of])) a[0] = 0;
    }
    return 0;
}

int hsp_relations_find(const hsp_matrix *x, const hsp_column_stats *s, const int64_t *use, const bool *wanted, int64_t p,
                       int threads, hsp_relations *out, hsp_error **err) {
    relation_search g = {.x = x, .s = s, .use = use, .wanted = wanted, .p = p, .threads = threads};
    *out = (hsp_relations){.p = p};
    double *scratch = hsp_alloc(p + 1, sizeof *scratch), work = 0;
    int64_t denied = 1;
    int status = scratch ? prepare_search(&g) : HSP_EMEMORY;
    for (int round = 0; !status && denied > 0; round++) {
        out->open = round == ROUNDS || work > most_work;
        if (out->open) break;
        status = one_round(&g, scratch, &denied, &work);
    }
    if (!status) status = export_relations(&g, out);
    HSP_FREE(scratch, g.place, g.zero, g.row, g.few, g.A, g.R, g.basis, g.of, g.c, g.begin, g.term);
    if (!status) return HSP_OK;
    hsp_relations_clear(out);
    return hsp_fail_memory(err);
}

void hsp_relations_clear(hsp_relations *r) {
    HSP_FREE(r->of, r->a);
    *r = (hsp_relations){0};
}
