/* The linear program of rational.h and its faces, for few rows that floating point did not decide. Each witness is joined
 * to the previous ones, their span is projected out, and the program is solved for the rows that are left, until these are
 * separated or there are none. The result is exact, but doubles may not be able to express it: it is rounded at several
 * scales. */
#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "separate/rational.h"
#include "separate/search.h"
#include "verify/proof/proof.h"

#include <math.h>

static const double MOST_SECONDS = 3, SOON = 0.2;
enum { ROUNDS = 4, SCALES = 50, WEAK_SCALES = 4, TURNS = 64 };

/* n / d in lowest terms, d > 0. */
typedef struct fraction {
    hsp_integer n, d;
} fraction;

typedef struct ground {
    hsp_search *s;
    hsp_rational l;
    fraction *mu;   /* n: multipliers of the held rows; 0: not held */
    fraction sum;   /* scratch, with part and rest */
    bool ready;     /* mu and the scratch are initialised */
    int64_t count;  /* held rows */
    hsp_integer *span;    /* p x p: a basis of their span, in echelon form */
    int64_t *pivot; /* p */
    int64_t rank;
    hsp_integer *one; /* p: scratch */
    hsp_integer part, rest;
    int64_t *row; /* n */
    double *m;    /* n */
    double *w;    /* d */
} ground;         /* owns its arrays */

static bool stopped(const void *search) {
    return hsp_search_stop(search);
}

/* ---- fractions ---- */

static void fraction_init(fraction *f, hsp_integer_memory *m) {
    HSP_INTEGERS_INIT(m, f->n, f->d);
}

static void fraction_free(fraction *f) {
    HSP_INTEGERS_FREE(f->n, f->d);
}

/* f = n / d, d not 0; both may be of f. */
static void fraction_set(fraction *f, hsp_integer_const n, hsp_integer_const d) {
    hsp_integer common;
    hsp_integer_init(common, f->n->memory);
    hsp_integer_gcd(common, n, d);
    if (hsp_integer_sign(d) < 0) hsp_integer_negate(common);
    hsp_integer_divide_exactly(f->n, n, common);
    hsp_integer_divide_exactly(f->d, d, common);
    hsp_integer_free(common);
}

/* f += n / d; f may be 0 with no denominator yet. */
static void fraction_add(fraction *f, hsp_integer_const n, hsp_integer_const d, hsp_integer part) {
    if (hsp_integer_sign(f->n) == 0) {
        fraction_set(f, n, d);
        return;
    }
    hsp_integer_mul(part, n, f->d);
    hsp_integer_mul(f->n, f->n, d);
    hsp_integer_add(f->n, f->n, part);
    hsp_integer_mul(f->d, f->d, d);
    fraction_set(f, f->n, f->d);
}

/* (a / 2^shift) / b rounded towards 0. */
static double fraction_quotient(const fraction *a, int64_t shift, const fraction *b, hsp_integer part, hsp_integer rest) {
    bool more;
    hsp_integer_mul(part, a->n, b->d);
    hsp_integer_mul(rest, a->d, b->n);
    if (hsp_integer_sign(part) == 0 || hsp_integer_sign(rest) == 0) return 0;
    bool negative = hsp_integer_sign(part) != hsp_integer_sign(rest);
    int64_t up = 63 - hsp_integer_bits(part) + hsp_integer_bits(rest), e = -up - shift;
    uint64_t m = hsp_integer_quotient(part, rest, up, part, rest, &more);
    int64_t drop = 64 - __builtin_clzll(m | 1) - 53; /* 53 bits, or fewer of a subnormal */
    if (drop < -1074 - e) drop = -1074 - e;
    if (drop > 0) m = drop > 63 ? 0 : m >> drop << drop;
    double v = e < -1200 ? 0 : ldexp((double)m, (int)e);
    return negative ? -v : v;
}

static int begin_ground(ground *g, hsp_search *s, hsp_error **err) {
    *g = (ground){.s = s};
    int64_t n = s->q->x->n;
    int status = hsp_rational_new(&g->l, s->q, MOST_SECONDS, err);
    if (status) return status;
    g->span = hsp_integers_new(&g->l.memory, g->l.p * g->l.p);
    g->one = hsp_integers_new(&g->l.memory, g->l.p);
    if (!g->span || !g->one || !HSP_ALLOC(g->mu, n + 1) || !HSP_ALLOC(g->pivot, g->l.p + 1) || !HSP_ALLOC(g->row, n + 1) ||
        !HSP_ALLOC(g->m, n + 1) || !HSP_ALLOC(g->w, s->q->x->d + 1))
        return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) fraction_init(&g->mu[i], &g->l.memory);
    fraction_init(&g->sum, &g->l.memory);
    HSP_INTEGERS_INIT(&g->l.memory, g->part, g->rest);
    g->ready = true;
    return HSP_OK;
}

/* ---- witnesses ---- */

/* one = a multiple of row i reduced by the basis of the span; its first place that is not 0, or -1. */
static int64_t reduce_by_span(ground *g, int64_t i) {
    int64_t p = g->l.p;
    for (int64_t j = 0; j < p; j++) hsp_integer_set(g->one[j], g->l.A[i * p + j]);
    for (int64_t k = 0; k < g->rank; k++) {
        const hsp_integer *base = (const hsp_integer *)g->span + k * p;
        if (hsp_integer_sign(g->one[g->pivot[k]]) == 0) continue;
        hsp_integer_set(g->part, g->one[g->pivot[k]]);
        for (int64_t j = 0; j < p; j++) {
            hsp_integer_mul(g->one[j], g->one[j], base[g->pivot[k]]);
            hsp_integer_sub_product(g->one[j], g->part, base[j]);
        }
    }
    for (int64_t j = 0; j < p; j++)
        if (hsp_integer_sign(g->one[j]) != 0) return j;
    return -1;
}

/* Adds row i of a witness to the basis, unless it is in the span already. */
static void extend_span(ground *g, int64_t i) {
    int64_t p = g->l.p, at = reduce_by_span(g, i);
    g->l.role[i] = (int8_t)(at < 0 ? HSP_ROLE_OUT : HSP_ROLE_FREE_SIGN);
    if (at < 0 || g->l.memory.failed) return;
    hsp_integer_set_unsigned(g->part, 0);
    for (int64_t j = 0; j < p; j++) hsp_integer_gcd(g->part, g->part, g->one[j]);
    for (int64_t j = 0; j < p; j++) hsp_integer_divide_exactly(g->span[g->rank * p + j], g->one[j], g->part);
    g->pivot[g->rank++] = at;
}

/* Joins the multipliers of the last solution, after scaling the held ones by a power of two with which they stay positive.
 */
static void join_witness(ground *g) {
    hsp_rational *l = &g->l;
    int64_t more = 0;
    for (int64_t i = 0; i < l->n; i++) {
        if (hsp_integer_sign(g->mu[i].n) == 0 || hsp_integer_sign(l->m[i]) >= 0) continue;
        hsp_integer_mul(g->part, l->m[i], g->mu[i].d); /* -m / (determinant mu) */
        hsp_integer_mul(g->rest, l->determinant, g->mu[i].n);
        int64_t bits = hsp_integer_bits(g->part) - hsp_integer_bits(g->rest) + 2;
        if (bits > more) more = bits;
    }
    for (int64_t i = 0; i < l->n; i++) {
        fraction *mu = &g->mu[i];
        bool held = hsp_integer_sign(mu->n) != 0;
        if (held && more > 0) {
            hsp_integer_shift_up(mu->n, mu->n, more);
            fraction_set(mu, mu->n, mu->d);
        }
        if (hsp_integer_sign(l->m[i]) == 0) continue;
        fraction_add(mu, l->m[i], l->determinant, g->part);
        if (!held) extend_span(g, i);
        g->count += !held;
    }
    for (int64_t i = 0; i < l->n; i++)
        if (l->role[i] == HSP_ROLE_COUNTS && reduce_by_span(g, i) < 0) l->role[i] = HSP_ROLE_OUT;
    l->seconds += (double)l->n * (double)(g->rank * l->p) * (5e-8 + 2e-9 * l->bits / 64 * (double)g->rank);
}

/* Writes the held rows and their multipliers, as doubles, to row and m. */
static void write_witness(ground *g) {
    const hsp_rows_by_side *q = g->s->q;
    int64_t k = 0;
    hsp_integer_set_int(g->sum.n, 0);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < g->l.n; i++) {
            const fraction *mu = &g->mu[i];
            if (hsp_integer_sign(mu->n) == 0) continue;
            if (pass == 0 && (q->origin || q->y[i] > 0)) {
                hsp_integer_shift_up(g->rest, mu->d, g->l.scale[i] > 0 ? g->l.scale[i] : 0);
                fraction_add(&g->sum, mu->n, g->rest, g->part);
            }
            if (pass == 0) continue;
            g->row[k] = i;
            g->m[k++] = fraction_quotient(mu, g->l.scale[i] > 0 ? g->l.scale[i] : 0, &g->sum, g->part, g->rest);
        }
}

/* ---- planes ---- */

/* Solves for the same rows with other weights; false: time is up. */
static bool solve_again(ground *g) {
    if (hsp_search_stop(g->s)) return false;
    hsp_rational_reweigh(&g->l);
    return hsp_rational_solve(&g->l, stopped, g->s) == HSP_RATIONAL_PLANE;
}

/* Rounds the plane at several scales; *left: seconds. */
static int try_scales(ground *g, double *left, bool *accepted, hsp_error **err) {
    hsp_search *s = g->s;
    int status = HSP_OK;
    for (int scale = 0; !status && !*accepted && *left > 0 && scale < SCALES && !hsp_search_stop(s); scale++) {
        double b;
        *left -= (double)s->q->x->stored * (2e-7 + 1e-9 * g->l.bits);
        if (!hsp_rational_round(&g->l, scale, g->w, s->q->x->d)) break;
        if (hsp_rational_place(&g->l, s->q, g->w, &b)) status = hsp_search_enter(s, g->w, b, "rational", accepted, err);
    }
    return status;
}

static int round_plane(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    bool accepted = false, fits;
    int status = HSP_OK;
    double b, left = MOST_SECONDS;
    for (int round = 0; !status && !accepted && round < ROUNDS; round++) {
        if (round > 0 && !solve_again(g)) break;
        status = try_scales(g, &left, &accepted, err);
    }
    for (int scale = 0; !status && !accepted && left > 0 && scale < TURNS && !hsp_search_stop(s); scale++) {
        status = hsp_rational_round_in_turn(s->q, &left, scale, stopped, s, g->w, &b, &fits, err);
        if (!status && fits) status = hsp_search_enter(s, g->w, b, "rational", &accepted, err);
    }
    if (!accepted && !hsp_search_stop(s))
        s->open_reason = "the classes are separable, but no hyperplane in double precision was found";
    return status;
}

static int round_weak_plane(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    int64_t expected = 0;
    bool accepted, whole = false;
    int status = HSP_OK;
    for (int64_t i = 0; i < g->l.n; i++) expected += g->l.role[i] == HSP_ROLE_COUNTS;
    write_witness(g);
    for (int round = 0; !status && !whole && round < ROUNDS; round++) {
        if (round > 0 && !solve_again(g)) break;
        for (int scale = 0; !status && !whole && scale < WEAK_SCALES && !hsp_search_stop(s); scale++) {
            hsp_weak k = {g->w, false, expected, g->row, g->m, g->count, "rational"};
            if (!hsp_rational_round(&g->l, scale, g->w, s->q->x->d)) break;
            status = hsp_search_weak(s, &k, &accepted, err);
            whole = s->out->verdict == HSP_TOUCHING && s->strict >= expected;
        }
    }
    if (s->out->verdict != HSP_TOUCHING && !hsp_search_stop(s))
        s->open_reason = "they do, but no hyperplane in double precision was found";
    return status;
}

/* The first witness is a vertex, so it is small. */
static int enter_first_witness(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    bool accepted;
    write_witness(g);
    if (s->out->count > 0 && s->out->count <= g->count) return HSP_OK;
    return hsp_search_witness(s, g->row, g->m, g->count, "rational", &accepted, err);
}

static bool any_counts(const ground *g) {
    for (int64_t i = 0; i < g->l.n; i++)
        if (g->l.role[i] == HSP_ROLE_COUNTS) return true;
    return false;
}

static int solve_in_integers(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    int status = HSP_OK;
    hsp_rational_end end = HSP_RATIONAL_WITNESS;
    while (!status && end == HSP_RATIONAL_WITNESS) {
        end = hsp_rational_solve(&g->l, stopped, s);
        if (end == HSP_RATIONAL_PLANE) status = g->count == 0 ? round_plane(g, err) : round_weak_plane(g, err);
        if (end != HSP_RATIONAL_WITNESS || g->l.memory.failed) break;
        bool first = g->count == 0;
        join_witness(g);
        if (first) status = enter_first_witness(g, err);
        if (any_counts(g)) continue;
        s->decided = s->out->count > 0; /* all rows are held */
        break;
    }
    static const char *const words[] = {"a witness", "a hyperplane", "not finished"};
    hsp_search_log(s, "in integers: %s, %lld rows in the witness", words[end], (long long)g->count);
    return status;
}

int hsp_search_rational(hsp_search *s, bool soon, hsp_error **err) {
    ground g;
    double seconds;
    int status = hsp_rational_estimate(s->q, &seconds, err);
    if (status || seconds > (soon ? SOON : MOST_SECONDS)) return status;
    status = begin_ground(&g, s, err);
    if (!status) status = solve_in_integers(&g, err);
    if (!status && g.l.memory.failed) status = hsp_fail_memory(err);
    for (int64_t i = 0; g.ready && i < g.l.n; i++) fraction_free(&g.mu[i]);
    if (g.ready) {
        fraction_free(&g.sum);
        HSP_INTEGERS_FREE(g.part, g.rest);
    }
    hsp_free(g.mu);
    hsp_integers_free(g.span, g.l.p * g.l.p);
    hsp_integers_free(g.one, g.l.p);
    HSP_FREE(g.pivot, g.row, g.m, g.w);
    hsp_rational_free(&g.l);
    return status;
}
