/* Rounds a rational plane to doubles that still separate the rows. */
#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "separate/rational.h"
#include "verify/proof/exact.h"
#include "verify/proof/padic.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <string.h>

/* The power of two that brings the largest weight near 1, or above if the smallest would lose digits. False: doubles do not
 * have the range. */
static bool find_shift(const hsp_rational *l, int64_t *shift) {
    int64_t high = INT64_MIN, low = INT64_MAX;
    for (int64_t j = 0; j < l->p; j++) {
        if (l->column[j] < 0 || hsp_integer_sign(l->price[j]) == 0) continue;
        int64_t e = hsp_integer_bits(l->price[j]) - l->low[j];
        high = e > high ? e : high;
        low = e < low ? e : low;
    }
    if (high == INT64_MIN || high - low > 2000) return false;
    *shift = 1 - high;
    if (low + *shift < -960) *shift = -960 - low < 960 - high ? -960 - low : 960 - high;
    return true;
}

/* Weight j in the given scale: a factor from 1 to 2. */
static double weight_of(hsp_rational *l, int64_t j, int64_t shift, int scale) {
    hsp_integer_mul_unsigned(l->part, l->price[j], ((uint64_t)1 << 32) + (uint64_t)scale * 2654435769u % ((uint64_t)1 << 32));
    hsp_integer rest;
    hsp_integer_init(rest, &l->memory);
    double v = -hsp_integers_quotient(l->part, NULL, shift - 32 - l->low[j], l->other, rest);
    hsp_integer_free(rest);
    return v;
}

/* Divides the prices of the coordinates by their greatest common divisor: small numbers are then not rounded. */
static void divide_by_gcd(hsp_rational *l) {
    hsp_integer_set_unsigned(l->part, 0);
    for (int64_t k = 0; k < l->p; k++) hsp_integer_gcd(l->part, l->part, l->price[k]);
    if (hsp_integer_sign(l->part) == 0 || hsp_integer_is_one(l->part)) return;
    for (int64_t k = 0; k < l->p; k++) hsp_integer_divide_exactly(l->price[k], l->price[k], l->part);
}

bool hsp_rational_round(hsp_rational *l, int scale, double *w, int64_t d) {
    int64_t shift;
    memset(w, 0, (size_t)d * sizeof *w);
    if (scale == 0) divide_by_gcd(l);
    if (!find_shift(l, &shift)) return false;
    for (int64_t j = 0; j < l->p; j++) {
        if (l->column[j] < 0) continue;
        w[l->column[j]] = weight_of(l, j, shift, scale);
        if (!isfinite(w[l->column[j]])) return false;
    }
    return true;
}

/* ---- the intercept ---- */

/* The gap between the scores w.x of the classes, in units of 2^unit. */
typedef struct gap {
    hsp_integer below, above, sum, part;
    bool any[2];
} gap;

static void add_row(gap *p, const hsp_rows_by_side *q, int64_t i, const double *w, int64_t unit) {
    hsp_row r = hsp_matrix_row(q->x, i);
    bool plus = q->y[i] > 0;
    hsp_integer_set_unsigned(p->sum, 0);
    for (int64_t t = 0; t < r.count; t++) {
        int e, f;
        int64_t a = hsp_exact_split(hsp_row_value(r, t), &e), b = hsp_exact_split(w[hsp_row_id(r, t)], &f);
        if (a == 0 || b == 0) continue;
        hsp_integer_set_int(p->part, a);
        hsp_integer_mul_int(p->part, p->part, b);
        hsp_integer_shift_up(p->part, p->part, (e + f - unit));
        hsp_integer_add(p->sum, p->sum, p->part);
    }
    if (plus && (!p->any[1] || hsp_integer_compare(p->sum, p->above) < 0)) hsp_integer_set(p->above, p->sum);
    if (!plus && (!p->any[0] || hsp_integer_compare(p->sum, p->below) > 0)) hsp_integer_set(p->below, p->sum);
    p->any[plus] = true;
}

bool hsp_rational_place(hsp_rational *l, const hsp_rows_by_side *q, const double *w, double *b) {
    int64_t unit = INT64_MAX;
    int e;
    *b = 0;
    if (q->origin) return true;
    for (int64_t j = 0; j < l->p; j++)
        if (l->column[j] >= 0 && hsp_exact_split(w[l->column[j]], &e) != 0 && e + l->low[j] < unit) unit = e + l->low[j];
    if (unit == INT64_MAX) return false;
    gap p = {.any = {false, false}};
    HSP_INTEGERS_INIT(&l->memory, p.below, p.above, p.sum, p.part);
    for (int64_t i = 0; i < q->x->n; i++)
        if (q->y[i]) add_row(&p, q, i, w, unit);
    bool fits = p.any[0] && p.any[1] && hsp_integer_compare(p.below, p.above) < 0;
    hsp_integer_add(p.sum, p.below, p.above);
    if (fits) *b = -hsp_integers_quotient(p.sum, NULL, unit - 1, p.part, p.below);
    HSP_INTEGERS_FREE(p.below, p.above, p.sum, p.part);
    return fits && isfinite(*b);
}

/* ---- one weight after the other ---- */

/* The fixed coordinates are merged into one, `h`: their sum is 2^unit times its column. */
typedef struct turn {
    hsp_rational l;
    int64_t h, unit;
    double *v;     /* p, owned: the fixed weights */
    bool *fixed;   /* p, owned */
    hsp_integer *had[2]; /* n each, owned: columns h and j before the last step */
    hsp_integer part, rest;
    bool ready; /* part and rest are initialised */
} turn;

static int begin_turn(turn *t, const hsp_rows_by_side *q, double most, hsp_error **err) {
    *t = (turn){.h = -1};
    int status = hsp_rational_new(&t->l, q, most, err);
    if (status) return status;
    for (int k = 0; k < 2; k++) t->had[k] = hsp_integers_new(&t->l.memory, t->l.n);
    if (!t->had[0] || !t->had[1] || !HSP_ALLOC_ZERO(t->v, t->l.p + 1) || !HSP_ALLOC_ZERO(t->fixed, t->l.p + 1))
        return hsp_fail_memory(err);
    HSP_INTEGERS_INIT(&t->l.memory, t->part, t->rest);
    t->ready = true;
    return HSP_OK;
}

/* The coordinate that adds most to the scores among those that are not fixed; -1: all are. */
static int64_t next_coordinate(turn *t) {
    int64_t best = -1;
    hsp_integer_set_unsigned(t->rest, 0);
    for (int64_t j = 0; j < t->l.p; j++) {
        if (t->fixed[j]) continue;
        hsp_integer_abs(t->part, t->l.price[j]);
        hsp_integer_shift_up(t->part, t->part, t->l.top[j]);
        if (best >= 0 && hsp_integer_compare(t->part, t->rest) <= 0) continue;
        best = j;
        hsp_integer_set(t->rest, t->part);
    }
    return best;
}

/* Recomputes c_j after column j has changed. */
static void update_top(hsp_rational *l, int64_t j) {
    l->top[j] = 1;
    for (int64_t i = 0; i < l->n; i++) {
        int64_t bits = hsp_integer_bits(l->A[i * l->p + j]);
        if (bits > l->top[j]) l->top[j] = bits;
    }
    l->bits = fmax(l->bits, (double)l->top[j]);
}

/* Fixes the weight of coordinate j at v: adds its column to column h. */
static void fix(turn *t, int64_t j, double v) {
    hsp_rational *l = &t->l;
    int e;
    int64_t m = hsp_exact_split(v, &e), unit = m == 0 ? t->unit : e + l->low[j];
    int64_t least = t->h >= 0 && t->unit < unit ? t->unit : unit;
    if (t->h < 0) t->h = j;
    for (int64_t i = 0; i < l->n; i++) {
        hsp_integer *mine = &l->A[i * l->p + j], *sum = &l->A[i * l->p + t->h];
        hsp_integer_set(t->had[0][i], *sum);
        hsp_integer_set(t->had[1][i], *mine);
        hsp_integer_mul_int(t->part, *mine, m);
        hsp_integer_shift_up(t->part, t->part, (unit - least));
        if (t->h == j) {
            hsp_integer_set(*sum, t->part);
            continue;
        }
        hsp_integer_shift_up(*sum, *sum, (t->unit - least));
        hsp_integer_add(*sum, *sum, t->part);
        hsp_integer_set_unsigned(*mine, 0);
    }
    t->unit = least;
    t->v[j] = v;
    t->fixed[j] = true;
    update_top(l, t->h);
    if (t->h != j) update_top(l, j);
}

static void undo_fix(turn *t, int64_t j, int64_t unit) {
    hsp_rational *l = &t->l;
    for (int64_t i = 0; i < l->n; i++) {
        hsp_integer_set(l->A[i * l->p + t->h], t->had[0][i]);
        hsp_integer_set(l->A[i * l->p + j], t->had[1][i]);
    }
    t->unit = unit;
    update_top(l, t->h);
    update_top(l, j);
}

/* Whether a plane with the fixed weights still exists. */
static bool has_plane(turn *t, bool (*stop)(const void *ctx), const void *ctx) {
    return hsp_rational_solve(&t->l, stop, ctx) == HSP_RATIONAL_PLANE && hsp_integer_sign(t->l.price[t->h]) < 0;
}

/* Fixes coordinate j at the nearest double or one of its neighbours. */
static bool fix_nearest(turn *t, int64_t j, bool (*stop)(const void *ctx), const void *ctx) {
    hsp_rational *l = &t->l;
    double v = hsp_integers_quotient(l->price[j], l->price[t->h], t->unit - l->low[j], t->part, t->rest);
    const double tries[] = {v, nextafter(v, INFINITY), nextafter(v, -INFINITY)};
    int64_t unit = t->unit;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(tries[k])) return false;
        fix(t, j, tries[k]);
        if (has_plane(t, stop, ctx)) return true;
        undo_fix(t, j, unit);
    }
    return false;
}

int hsp_rational_round_in_turn(const hsp_rows_by_side *q, double *left, int scale, bool (*stop)(const void *ctx),
                               const void *ctx, double *w, double *b, bool *fits, hsp_error **err) {
    turn t;
    int64_t shift, j;
    *fits = false;
    int status = begin_turn(&t, q, *left, err);
    if (!status && hsp_rational_solve(&t.l, stop, ctx) == HSP_RATIONAL_PLANE && find_shift(&t.l, &shift)) {
        double v = weight_of(&t.l, j = next_coordinate(&t), shift, scale);
        if (isfinite(v) && v != 0) {
            fix(&t, j, v);
            *fits = has_plane(&t, stop, ctx);
        }
        while (*fits && (j = next_coordinate(&t)) >= 0) *fits = fix_nearest(&t, j, stop, ctx);
        memset(w, 0, (size_t)q->x->d * sizeof *w);
        *b = 0;
        for (int64_t k = 0; *fits && k < t.l.p; k++) {
            if (t.l.column[k] >= 0)
                w[t.l.column[k]] = t.v[k];
            else
                *b = t.v[k];
        }
    }
    if (!status && t.l.memory.failed) {
        *fits = false;
        status = hsp_fail_memory(err);
    }
    *left -= t.l.seconds;
    hsp_integers_free(t.had[0], t.l.n);
    hsp_integers_free(t.had[1], t.l.n);
    if (t.ready) HSP_INTEGERS_FREE(t.part, t.rest);
    HSP_FREE(t.v, t.fixed);
    hsp_rational_free(&t.l);
    return status;
}
