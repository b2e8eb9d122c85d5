/* The Hessian of a model in the weights that were not zero once, factorised: it makes conjugate gradients fast where
 * columns all but depend on each other, for as long as neither the curvatures nor those weights have changed much. In units
 * of the columns, so that unlike ones do no harm. Formed row by row from the packed entries. */
#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/prox/active_set.h"

#include <math.h>
#include <string.h>

enum { MOST_RIDGES = 6 };

double hsp_active_factor_cost(const hsp_active *s, int64_t count) {
    double stored = 0, size = (double)count;
    if (count > HSP_ACTIVE_MOST_FACTOR) return INFINITY;
    for (int64_t b = 0; b < count; b++) stored += (double)s->length[s->order[b]];
    return stored * (4 + stored / (double)s->n) + size * size * (size / 60 + 4);
}

void hsp_active_factor_free(hsp_active_factor *f) {
    hsp_free(f->L);
    hsp_free(f->place);
    hsp_free(f->start);
    hsp_free(f->cursor);
    hsp_free(f->spot);
    hsp_free(f->value);
    hsp_free(f->x);
    *f = (hsp_active_factor){0};
}

/* All that is needed for `count` weights with `stored` entries; once in a while, not in every model. */
static bool reserve(hsp_active *s, int64_t count, int64_t stored) {
    hsp_active_factor *f = &s->factor;
    if (!f->place) f->place = hsp_alloc(s->m, sizeof *f->place);
    if (!f->start) f->start = hsp_alloc(s->n + 2, sizeof *f->start);
    if (!f->cursor) f->cursor = hsp_alloc(s->n, sizeof *f->cursor);
    if (count > f->capacity) {
        hsp_free(f->L);
        hsp_free(f->x);
        f->capacity = count + count / 4 < s->m ? count + count / 4 : s->m;
        f->L = hsp_alloc(f->capacity * f->capacity, sizeof *f->L);
        f->x = hsp_alloc(f->capacity, sizeof *f->x);
    }
    if (stored > f->room) {
        hsp_free(f->spot);
        hsp_free(f->value);
        f->room = stored + stored / 4;
        f->spot = hsp_alloc(f->room, sizeof *f->spot);
        f->value = hsp_alloc(f->room, sizeof *f->value);
    }
    if (f->place && f->start && f->cursor && f->L && f->x && f->spot && f->value) return true;
    hsp_active_factor_free(f);
    return false;
}

/* The packed entries of the members in the order, by rows: start[i] .. start[i+1]. */
static void turn(hsp_active *s, int64_t count) {
    hsp_active_factor *f = &s->factor;
    int64_t *next = f->start + 1;
    memset(f->start, 0, (size_t)(s->n + 2) * sizeof *f->start);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b];
        for (int64_t t = 0; t < s->length[a]; t++) next[s->id[s->from[a] + t] + 1]++;
    }
    for (int64_t i = 0; i < s->n; i++) next[i + 1] += next[i];
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b];
        for (int64_t t = s->from[a]; t < s->from[a] + s->length[a]; t++) {
            int64_t to = next[s->id[t]]++;
            f->spot[to] = (uint32_t)b;
            f->value[to] = s->value[t];
        }
    }
}

/* The lower triangle of what the rows give, some rows of it at a time: as many as the second cache holds. */
static void add_rows(hsp_active *s, int64_t count) {
    enum { NUMBERS = 1 << 15 };
    hsp_active_factor *f = &s->factor;
    int64_t at_once = NUMBERS / count + 1;
    memset(f->L, 0, (size_t)(count * count) * sizeof *f->L);
    memcpy(f->cursor, f->start, (size_t)s->n * sizeof *f->cursor);
    for (int64_t end = at_once; end < count + at_once; end += at_once)
        for (int64_t i = 0; i < s->n; i++) {
            int64_t a = f->cursor[i], begin = f->start[i];
            for (; a < f->start[i + 1] && (int64_t)f->spot[a] < end; a++) {
                double v = (double)f->value[a], *row = f->L + (int64_t)f->spot[a] * count;
                for (int64_t b = begin; b <= a; b++) row[f->spot[b]] += v * (double)f->value[b];
            }
            f->cursor[i] = a;
        }
}

/* What centring and the intercept take away; the diagonal is raised by a share of itself. */
static void adjust(hsp_active *s, int64_t count, double share) {
    bool shifts = s->columns->p && s->p->intercept != HSP_INTERCEPT_FREE;
    for (int64_t a = 0; a < count; a++) {
        int64_t x = s->order[a], j = s->set[x];
        double p = shifts ? s->columns->p[j] : 0, V = s->V[x], U = V - p * s->S, unit = s->unit[j];
        double *row = s->factor.L + a * count;
        for (int64_t b = 0; b <= a; b++) {
            int64_t y = s->order[b];
            double q = shifts ? s->columns->p[s->set[y]] : 0, W = s->V[y];
            row[b] += unit * s->unit[s->set[y]] * (p * q * s->S - p * W - q * V - s->M * U * (W - q * s->S));
        }
        row[a] += (s->ridge + share * s->curvature[x]) * unit * unit;
    }
}

/* L L' x = x; one vector at a time LAPACK is no faster. */
static void substitute(const hsp_active_factor *f) {
    int64_t count = f->count;
    double *restrict x = f->x;
    for (int64_t a = 0; a < count; a++) {
        const double *row = f->L + a * count;
        x[a] = (x[a] - hsp_dot_f64(row, x, a)) / row[a];
    }
    for (int64_t a = count - 1; a >= 0; a--) {
        const double *row = f->L + a * count;
        x[a] /= row[a];
        hsp_axpy_f64(-x[a], row, x, a);
    }
}

bool hsp_active_factorise(hsp_active *s, int64_t count) {
    hsp_active_factor *f = &s->factor;
    int64_t stored = 0;
    double share = HSP_ACTIVE_STIFFNESS;
    for (int64_t b = 0; b < count; b++) stored += s->length[s->order[b]];
    s->visited += hsp_active_factor_cost(s, count);
    f->count = 0;
    if (!reserve(s, count, stored)) return false;
    turn(s, count);
    for (int tries = 0; tries < MOST_RIDGES; tries++, share *= 100) {
        add_rows(s, count);
        adjust(s, count, share);
        if (hsp_cholesky(f->L, count) != 0) continue;
        for (int64_t j = 0; j < s->m; j++) f->place[j] = -1;
        for (int64_t b = 0; b < count; b++) f->place[s->set[s->order[b]]] = b;
        f->count = count;
        return true;
    }
    return false;
}

void hsp_active_precondition(hsp_active *s, int64_t count, const double *rest, double *out) {
    hsp_active_factor *f = &s->factor;
    memset(f->x, 0, (size_t)f->count * sizeof *f->x);
    for (int64_t b = 0; b < count; b++) {
        int64_t j = s->set[s->order[b]], at = f->place[j];
        if (at >= 0) f->x[at] = rest[b] * s->unit[j];
    }
    substitute(f);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b], j = s->set[a], at = f->place[j];
        out[b] = at >= 0 ? f->x[at] * s->unit[j] : rest[b] / s->curvature[a];
    }
    s->visited += (double)f->count * (double)f->count;
}
