/* Planes of rationals as planes of doubles. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "separate/rational.h"
#include "verify/proof/exact.h"
#include "verify/proof/padic.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <string.h>

/* n 2^e / d (NULL: 1), rounded to the nearest, but twice below the normal numbers; d is not 0. */
static double nearest(const mpz_t n, const mpz_t *d, int64_t e, mpz_t part, mpz_t rest) {
    if (mpz_sgn(n) == 0) return 0;
    int64_t shift = 63 - (int64_t)mpz_sizeinbase(n, 2) + (d ? (int64_t)mpz_sizeinbase(*d, 2) : 1);
    bool negative = (mpz_sgn(n) < 0) != (d && mpz_sgn(*d) < 0);
    mpz_abs(part, n);
    mpz_set_ui(rest, 1);
    if (d) mpz_abs(rest, *d);
    if (shift >= 0) mpz_mul_2exp(part, part, (mp_bitcnt_t)shift);
    if (shift < 0) mpz_mul_2exp(rest, rest, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(part, rest, part, rest);
    uint64_t m = mpz_get_ui(part) | (mpz_sgn(rest) != 0);
    double size = e - shift > 2000 ? INFINITY : e - shift < -2000 ? 0 : ldexp((double)m, (int)(e - shift));
    return negative ? -size : size;
}

/* The power of two that brings the largest weight near 1, or more when the smallest would lose digits. */
static bool find_shift(const hsp_rational *l, int64_t *shift) {
    int64_t high = INT64_MIN, low = INT64_MAX;
    for (int64_t j = 0; j < l->p; j++) {
        if (l->column[j] < 0 || mpz_sgn(l->price[j]) == 0) continue;
        int64_t e = (int64_t)mpz_sizeinbase(l->price[j], 2) - l->low[j];
        high = e > high ? e : high;
        low = e < low ? e : low;
    }
    if (high == INT64_MIN || high - low > 2000) return false;
    *shift = 1 - high;
    if (low + *shift < -960) *shift = -960 - low < 960 - high ? -960 - low : 960 - high;
    return true;
}

static double weight_of(hsp_rational *l, int64_t j, int64_t shift, int go) {
    /* Numbers from 2^32 to 2^33. */
    mpz_mul_ui(l->part, l->price[j], ((uint64_t)1 << 32) + (uint64_t)go * 2654435769u % ((uint64_t)1 << 32));
    mpz_t rest;
    mpz_init(rest);
    double v = -nearest(l->part, NULL, shift - 32 - l->low[j], l->other, rest);
    mpz_clear(rest);
    return v;
}

/* The prices of the coordinates without what they have in common: then small numbers are not rounded at all. */
static void shorten(hsp_rational *l) {
    mpz_set_ui(l->part, 0);
    for (int64_t k = 0; k < l->p; k++) mpz_gcd(l->part, l->part, l->price[k]);
    if (mpz_cmp_ui(l->part, 1) <= 0) return;
    for (int64_t k = 0; k < l->p; k++) mpz_divexact(l->price[k], l->price[k], l->part);
}

bool hsp_rational_round(hsp_rational *l, int go, double *w, int64_t d) {
    int64_t shift;
    memset(w, 0, (size_t)d * sizeof *w);
    if (go == 0) shorten(l);
    if (!find_shift(l, &shift)) return false;
    for (int64_t j = 0; j < l->p; j++) {
        if (l->column[j] < 0) continue;
        w[l->column[j]] = weight_of(l, j, shift, go);
        if (!isfinite(w[l->column[j]])) return false;
    }
    return true;
}

/* ---- the intercept ---- */

/* The gap between the classes: sums are in units of 2^unit. */
typedef struct gap {
    mpz_t below, above, sum, part;
    bool any[2];
} gap;

static void add_row(gap *p, const hsp_rows_by_side *q, int64_t i, const double *w, int64_t unit) {
    hsp_row r = hsp_matrix_row(q->x, i);
    bool plus = q->y[i] > 0;
    mpz_set_ui(p->sum, 0);
    for (int64_t t = 0; t < r.count; t++) {
        int e, f;
        int64_t a = hsp_exact_split(hsp_row_value(r, t), &e), b = hsp_exact_split(w[hsp_row_id(r, t)], &f);
        if (a == 0 || b == 0) continue;
        mpz_set_si(p->part, a);
        mpz_mul_si(p->part, p->part, b);
        mpz_mul_2exp(p->part, p->part, (mp_bitcnt_t)(e + f - unit));
        mpz_add(p->sum, p->sum, p->part);
    }
    if (plus && (!p->any[1] || mpz_cmp(p->sum, p->above) < 0)) mpz_set(p->above, p->sum);
    if (!plus && (!p->any[0] || mpz_cmp(p->sum, p->below) > 0)) mpz_set(p->below, p->sum);
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
    mpz_inits(p.below, p.above, p.sum, p.part, NULL);
    for (int64_t i = 0; i < q->x->n; i++)
        if (q->y[i]) add_row(&p, q, i, w, unit);
    bool fits = p.any[0] && p.any[1] && mpz_cmp(p.below, p.above) < 0;
    mpz_add(p.sum, p.below, p.above);
    if (fits) *b = -nearest(p.sum, NULL, unit - 1, p.part, p.below);
    mpz_clears(p.below, p.above, p.sum, p.part, NULL);
    return fits && isfinite(*b);
}

/* ---- in turn ---- */

/* The coordinates that are fixed are one coordinate, `h`: what they add up to is 2^unit times its column. */
typedef struct turn {
    hsp_rational l;
    int64_t h, unit;
    double *v;     /* p: what was fixed */
    bool *fixed;   /* p */
    mpz_t *had[2]; /* n each: columns h and j before the last step */
    mpz_t part, rest;
    bool ready;
} turn;

static int begin_turn(turn *t, const hsp_rows_by_side *q, double most, hsp_error **err) {
    *t = (turn){.h = -1};
    int status = hsp_rational_new(&t->l, q, most, err);
    if (status) return status;
    for (int k = 0; k < 2; k++) t->had[k] = hsp_integers_new(t->l.n);
    if (!t->had[0] || !t->had[1] || !HSP_ALLOC_ZERO(t->v, t->l.p + 1) || !HSP_ALLOC_ZERO(t->fixed, t->l.p + 1))
        return hsp_fail_memory(err);
    mpz_inits(t->part, t->rest, NULL);
    t->ready = true;
    return HSP_OK;
}

/* The coordinate, of those that are not fixed, that adds most to the scores; -1: there is none. */
static int64_t next_coordinate(turn *t) {
    int64_t best = -1;
    mpz_set_ui(t->rest, 0);
    for (int64_t j = 0; j < t->l.p; j++) {
        if (t->fixed[j]) continue;
        mpz_abs(t->part, t->l.price[j]);
        mpz_mul_2exp(t->part, t->part, (mp_bitcnt_t)t->l.top[j]);
        if (best >= 0 && mpz_cmp(t->part, t->rest) <= 0) continue;
        best = j;
        mpz_set(t->rest, t->part);
    }
    return best;
}

/* c_j anew, after column j has changed. */
static void find_top(hsp_rational *l, int64_t j) {
    l->top[j] = 1;
    for (int64_t i = 0; i < l->n; i++) {
        int64_t bits = (int64_t)mpz_sizeinbase(l->A[i * l->p + j], 2);
        if (bits > l->top[j]) l->top[j] = bits;
    }
    l->bits = fmax(l->bits, (double)l->top[j]);
}

/* Column j with the weight v joins column h. */
static void fix(turn *t, int64_t j, double v) {
    hsp_rational *l = &t->l;
    int e;
    int64_t m = hsp_exact_split(v, &e), unit = m == 0 ? t->unit : e + l->low[j];
    int64_t least = t->h >= 0 && t->unit < unit ? t->unit : unit;
    if (t->h < 0) t->h = j;
    for (int64_t i = 0; i < l->n; i++) {
        mpz_t *mine = &l->A[i * l->p + j], *sum = &l->A[i * l->p + t->h];
        mpz_set(t->had[0][i], *sum);
        mpz_set(t->had[1][i], *mine);
        mpz_mul_si(t->part, *mine, m);
        mpz_mul_2exp(t->part, t->part, (mp_bitcnt_t)(unit - least));
        if (t->h == j) {
            mpz_set(*sum, t->part);
            continue;
        }
        mpz_mul_2exp(*sum, *sum, (mp_bitcnt_t)(t->unit - least));
        mpz_add(*sum, *sum, t->part);
        mpz_set_ui(*mine, 0);
    }
    t->unit = least;
    t->v[j] = v;
    t->fixed[j] = true;
    find_top(l, t->h);
    if (t->h != j) find_top(l, j);
}

static void loosen(turn *t, int64_t j, int64_t unit) {
    hsp_rational *l = &t->l;
    for (int64_t i = 0; i < l->n; i++) {
        mpz_set(l->A[i * l->p + t->h], t->had[0][i]);
        mpz_set(l->A[i * l->p + j], t->had[1][i]);
    }
    t->unit = unit;
    find_top(l, t->h);
    find_top(l, j);
}

/* Whether there is a plane still, with h as it is. */
static bool is_open(turn *t, bool (*stop)(const void *ctx), const void *ctx) {
    return hsp_rational_solve(&t->l, stop, ctx) == HSP_RATIONAL_PLANE && mpz_sgn(t->l.price[t->h]) < 0;
}

/* Coordinate j: the nearest double, or one of its neighbours. */
static bool fix_one(turn *t, int64_t j, bool (*stop)(const void *ctx), const void *ctx) {
    hsp_rational *l = &t->l;
    const mpz_t *h = (const mpz_t *)&l->price[t->h];
    double v = nearest(l->price[j], h, t->unit - l->low[j], t->part, t->rest);
    const double tries[] = {v, nextafter(v, INFINITY), nextafter(v, -INFINITY)};
    int64_t unit = t->unit;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(tries[k])) return false;
        fix(t, j, tries[k]);
        if (is_open(t, stop, ctx)) return true;
        loosen(t, j, unit);
    }
    return false;
}

int hsp_rational_round_in_turn(const hsp_rows_by_side *q, double *left, int go, bool (*stop)(const void *ctx),
                               const void *ctx, double *w, double *b, bool *fits, hsp_error **err) {
    turn t;
    int64_t shift, j;
    *fits = false;
    int status = begin_turn(&t, q, *left, err);
    if (!status && hsp_rational_solve(&t.l, stop, ctx) == HSP_RATIONAL_PLANE && find_shift(&t.l, &shift)) {
        double v = weight_of(&t.l, j = next_coordinate(&t), shift, go);
        if (isfinite(v) && v != 0) {
            fix(&t, j, v);
            *fits = is_open(&t, stop, ctx);
        }
        while (*fits && (j = next_coordinate(&t)) >= 0) *fits = fix_one(&t, j, stop, ctx);
        memset(w, 0, (size_t)q->x->d * sizeof *w);
        *b = 0;
        for (int64_t k = 0; *fits && k < t.l.p; k++) {
            if (t.l.column[k] >= 0)
                w[t.l.column[k]] = t.v[k];
            else
                *b = t.v[k];
        }
    }
    *left -= t.l.seconds;
    hsp_integers_free(t.had[0], t.l.n);
    hsp_integers_free(t.had[1], t.l.n);
    if (t.ready) mpz_clears(t.part, t.rest, NULL);
    HSP_FREE(t.v, t.fixed);
    hsp_rational_free(&t.l);
    return status;
}
