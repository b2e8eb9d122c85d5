/* A factor of the Hessian of an earlier model in the weights that were not zero. As a preconditioner it makes conjugate
 * gradients fast where columns are nearly dependent, as long as the curvatures and those weights have changed little. In
 * units of the columns, so that their scales have no effect. Formed row by row from the packed entries. */
#include "base/memory.h"
#include "factor/factor.h"
#include "problem/problem.h"
#include "solve/prox/column_model.h"
#include "solve/prox/prox_newton.h"

#include <math.h>
#include <string.h>

enum { MOST_RIDGES = 6 };

double hsp_member_factor_cost(const hsp_prox *s, int64_t count) {
    double stored = 0, size = (double)count;
    if (count > HSP_COLUMN_MOST_FACTOR) return INFINITY;
    for (int64_t b = 0; b < count; b++) stored += (double)s->columns->set.length[s->columns->set.order[b]];
    return stored * (4 + stored / (double)s->n) + size * size * (size / 60 + 4);
}

void hsp_member_factor_free(hsp_member_factor *f) {
    HSP_FREE(f->L, f->place, f->start, f->cursor, f->spot, f->value, f->x, f->output);
    *f = (hsp_member_factor){0};
}

/* Memory for `count` weights with `stored` entries; grows seldom, not in every model. */
static bool reserve(hsp_prox *s, int64_t count, int64_t stored) {
    hsp_member_factor *f = &s->columns->factor;
    if (!f->place) f->place = hsp_alloc(s->K * s->d, sizeof *f->place);
    if (!f->start) f->start = hsp_alloc(s->n + 2, sizeof *f->start);
    if (!f->cursor) f->cursor = hsp_alloc(s->n, sizeof *f->cursor);
    if (count > f->capacity) {
        HSP_FREE(f->L, f->x, f->output);
        f->capacity = count + count / 4;
        f->L = hsp_alloc(f->capacity * f->capacity, sizeof *f->L);
        f->x = hsp_alloc(f->capacity, sizeof *f->x);
        f->output = hsp_alloc(f->capacity, sizeof *f->output);
    }
    if (stored > f->entries) {
        HSP_FREE(f->spot, f->value);
        f->entries = stored + stored / 4;
        f->spot = hsp_alloc(f->entries, sizeof *f->spot);
        f->value = hsp_alloc(f->entries, sizeof *f->value);
    }
    if (f->place && f->start && f->cursor && f->L && f->x && f->output && f->spot && f->value) return true;
    hsp_member_factor_free(f);
    return false;
}

/* The packed entries of the members in the order, by rows: start[i] .. start[i+1]. */
static void transpose_entries(const hsp_prox *s, int64_t count) {
    const hsp_working_set *set = &s->columns->set;
    const hsp_member_factor *f = &s->columns->factor;
    int64_t *next = f->start + 1;
    memset(f->start, 0, (size_t)(s->n + 2) * sizeof *f->start);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = set->order[b];
        for (int64_t t = 0; t < set->length[a]; t++) next[set->id[set->from[a] + t] + 1]++;
    }
    for (int64_t i = 0; i < s->n; i++) next[i + 1] += next[i];
    for (int64_t b = 0; b < count; b++) {
        int64_t a = set->order[b];
        f->output[b] = hsp_member_output(s, a);
        for (int64_t t = set->from[a]; t < set->from[a] + set->length[a]; t++) {
            int64_t to = next[set->id[t]]++;
            f->spot[to] = (uint32_t)b;
            f->value[to] = set->value[t];
        }
    }
}

/* Adds the products of entry a of row i with the entries from `begin` to row spot[a] of the lower triangle. */
static void add_entry(const hsp_prox *s, int64_t count, int64_t i, int64_t begin, int64_t a) {
    const hsp_member_factor *f = &s->columns->factor;
    double v = (double)f->value[a], *row = f->L + (int64_t)f->spot[a] * count;
    int64_t k = f->output[f->spot[a]];
    if (s->K == 1) /* the roots are in the values */
        hsp_entries_add(v, f->spot + begin, f->value + begin, a + 1 - begin, row);
    else
        for (int64_t b = begin; b <= a; b++)
            row[f->spot[b]] += v * (double)f->value[b] * hsp_prox_hessian(s, i, k, f->output[f->spot[b]]);
}

/* The lower triangle of the sum over the rows, some rows of the triangle at a time: as many as the second cache holds. */
static void add_rows(const hsp_prox *s, int64_t count) {
    enum { NUMBERS = 1 << 15 };
    const hsp_member_factor *f = &s->columns->factor;
    int64_t at_once = NUMBERS / count + 1;
    memset(f->L, 0, (size_t)(count * count) * sizeof *f->L);
    memcpy(f->cursor, f->start, (size_t)s->n * sizeof *f->cursor);
    for (int64_t end = at_once; end < count + at_once; end += at_once)
        for (int64_t i = 0; i < s->n; i++) {
            int64_t a = f->cursor[i];
            for (; a < f->start[i + 1] && (int64_t)f->spot[a] < end; a++) add_entry(s, count, i, f->start[i], a);
            f->cursor[i] = a;
        }
}

/* The part of entry (a, b) from centring and the intercepts, where offset = -M V' of a. */
static double correction(const hsp_prox *s, int64_t a, int64_t b, const double *offset) {
    const hsp_column_model *C = s->columns;
    int64_t K = s->K, k = hsp_member_output(s, a), l = hsp_member_output(s, b);
    double entry = 0;
    if (C->columns->p && s->p->intercept != HSP_INTERCEPT_FREE) {
        double p = C->columns->p[C->set.column[a]], q = C->columns->p[C->set.column[b]];
        entry = p * q * s->rows.S[k * K + l] - p * C->set.V[b * K + k] - q * C->set.V[a * K + l];
    }
    for (int64_t o = 0; o < K; o++) entry += offset[o] * hsp_member_centred(s, b, o);
    return entry;
}

/* Completes the triangle, and raises the diagonal by a share of the curvature. */
static void complete_triangle(const hsp_prox *s, int64_t count, double share) {
    const hsp_column_model *C = s->columns;
    int64_t K = s->K;
    for (int64_t a = 0; a < count; a++) {
        int64_t x = C->set.order[a];
        double unit = C->unit[C->set.column[x]], *row = C->factor.L + a * count, *offset = C->follow;
        for (int64_t l = 0; l < K; l++) {
            offset[l] = 0;
            for (int64_t o = 0; o < K; o++) offset[l] -= s->rows.M[l * K + o] * hsp_member_centred(s, x, o);
        }
        for (int64_t b = 0; b <= a; b++) {
            int64_t y = C->set.order[b];
            row[b] += unit * C->unit[C->set.column[y]] * correction(s, x, y, offset);
        }
        row[a] += (s->ridge + share * C->set.curvature[x]) * unit * unit;
    }
}

bool hsp_member_factorise(hsp_prox *s, int64_t count) {
    hsp_member_factor *f = &s->columns->factor;
    int64_t stored = 0;
    double share = HSP_COLUMN_STIFFNESS;
    for (int64_t b = 0; b < count; b++) stored += s->columns->set.length[s->columns->set.order[b]];
    s->columns->work += hsp_member_factor_cost(s, count);
    f->count = 0;
    if (!reserve(s, count, stored)) return false;
    transpose_entries(s, count);
    for (int tries = 0; tries < MOST_RIDGES; tries++, share *= 100) {
        add_rows(s, count);
        complete_triangle(s, count, share);
        if (hsp_cholesky(f->L, count) != 0) continue;
        for (int64_t x = 0; x < s->K * s->d; x++) f->place[x] = -1;
        for (int64_t b = 0; b < count; b++) f->place[s->columns->set.weight[s->columns->set.order[b]]] = b;
        f->count = count;
        return true;
    }
    return false;
}

void hsp_member_precondition(hsp_prox *s, int64_t count, const double *rest, double *out) {
    hsp_member_factor *f = &s->columns->factor;
    memset(f->x, 0, (size_t)f->count * sizeof *f->x);
    for (int64_t b = 0; b < count; b++) {
        int64_t j = s->columns->set.column[s->columns->set.order[b]],
                at = f->place[s->columns->set.weight[s->columns->set.order[b]]];
        if (at >= 0) f->x[at] = rest[b] * s->columns->unit[j];
    }
    hsp_cholesky_solve(f->L, f->count, f->x, 1);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->columns->set.order[b], j = s->columns->set.column[a],
                at = f->place[s->columns->set.weight[s->columns->set.order[b]]];
        out[b] = at >= 0 ? f->x[at] * s->columns->unit[j] : rest[b] / s->columns->set.curvature[a];
    }
    s->columns->work += (double)f->count * (double)f->count;
}
