/* What floating point left open, for few rows: the linear program of rational.h, and its faces. Each witness is joined to
 * those before, their span is taken out, and the rows that are left are asked again, until they are separated or there is
 * none. What comes out is exact; that doubles can say it is not certain: then it is rounded at several scales. */
#include "base/error.h"
#include "base/memory.h"
#include "separate/rational.h"
#include "separate/search.h"
#include "verify/proof/padic.h"
#include "verify/proof/proof.h"

#include <math.h>

static const double MOST_SECONDS = 3, SOON = 0.2;
enum { ROUNDS = 4, SCALES = 50, WEAK_SCALES = 4, TURNS = 64 };

typedef struct ground {
    hsp_search *s;
    hsp_rational l;
    mpq_t *mu;      /* n: multipliers of the rows held; 0: not held */
    bool ready;     /* they are initialised */
    int64_t count;  /* rows held */
    mpz_t *span;    /* p x p: of their span, in echelon form */
    int64_t *pivot; /* p */
    int64_t rank;
    mpz_t *one; /* p: scratch */
    mpz_t part, rest;
    int64_t *row; /* n */
    double *m;    /* n */
    double *w;    /* d */
} ground;

static bool stopped(const void *search) {
    return hsp_search_stop(search);
}

static int begin_ground(ground *g, hsp_search *s, hsp_error **err) {
    *g = (ground){.s = s};
    int64_t n = s->q->x->n;
    int status = hsp_rational_new(&g->l, s->q, MOST_SECONDS, err);
    if (status) return status;
    g->mu = hsp_alloc(n + 1, sizeof *g->mu);
    g->span = hsp_integers_new(g->l.p * g->l.p);
    g->one = hsp_integers_new(g->l.p);
    if (!g->mu || !g->span || !g->one || !HSP_ALLOC(g->pivot, g->l.p + 1) || !HSP_ALLOC(g->row, n + 1) ||
        !HSP_ALLOC(g->m, n + 1) || !HSP_ALLOC(g->w, s->q->x->d + 1))
        return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) mpq_init(g->mu[i]);
    mpz_inits(g->part, g->rest, NULL);
    g->ready = true;
    return HSP_OK;
}

/* ---- witnesses ---- */

/* one = row i less its part in the span, times something; the first place that is not 0, or -1. */
static int64_t reduce(ground *g, int64_t i) {
    int64_t p = g->l.p;
    for (int64_t j = 0; j < p; j++) mpz_set(g->one[j], g->l.A[i * p + j]);
    for (int64_t k = 0; k < g->rank; k++) {
        const mpz_t *base = (const mpz_t *)g->span + k * p;
        if (mpz_sgn(g->one[g->pivot[k]]) == 0) continue;
        mpz_set(g->part, g->one[g->pivot[k]]);
        for (int64_t j = 0; j < p; j++) {
            mpz_mul(g->one[j], g->one[j], base[g->pivot[k]]);
            mpz_submul(g->one[j], g->part, base[j]);
        }
    }
    for (int64_t j = 0; j < p; j++)
        if (mpz_sgn(g->one[j]) != 0) return j;
    return -1;
}

/* A row that was joined: a part of the basis, or in the span already. */
static void take_in(ground *g, int64_t i) {
    int64_t p = g->l.p, at = reduce(g, i);
    g->l.role[i] = (int8_t)(at < 0 ? HSP_ROLE_OUT : HSP_ROLE_FREE_SIGN);
    if (at < 0) return;
    mpz_set_ui(g->part, 0);
    for (int64_t j = 0; j < p; j++) mpz_gcd(g->part, g->part, g->one[j]);
    for (int64_t j = 0; j < p; j++) mpz_divexact(g->span[g->rank * p + j], g->one[j], g->part);
    g->pivot[g->rank++] = at;
}

/* The multipliers held before become so large that they stay above 0 with what the new ones ask of them. */
static void join(ground *g) {
    hsp_rational *l = &g->l;
    int64_t more = 0;
    mpq_t v;
    mpq_init(v);
    for (int64_t i = 0; i < l->n; i++) {
        if (mpq_sgn(g->mu[i]) == 0 || mpz_sgn(l->m[i]) >= 0) continue;
        mpz_mul(g->part, l->m[i], mpq_denref(g->mu[i])); /* -m / (determinant mu) */
        mpz_mul(g->rest, l->determinant, mpq_numref(g->mu[i]));
        int64_t bits = (int64_t)mpz_sizeinbase(g->part, 2) - (int64_t)mpz_sizeinbase(g->rest, 2) + 2;
        if (bits > more) more = bits;
    }
    for (int64_t i = 0; i < l->n; i++) {
        bool held = mpq_sgn(g->mu[i]) != 0;
        if (held) mpq_mul_2exp(g->mu[i], g->mu[i], (mp_bitcnt_t)more);
        if (mpz_sgn(l->m[i]) == 0) continue;
        mpz_set(mpq_numref(v), l->m[i]);
        mpz_set(mpq_denref(v), l->determinant);
        mpq_canonicalize(v);
        mpq_add(g->mu[i], g->mu[i], v);
        if (!held) take_in(g, i);
        g->count += !held;
    }
    mpq_clear(v);
    for (int64_t i = 0; i < l->n; i++)
        if (l->role[i] == HSP_ROLE_COUNTS && reduce(g, i) < 0) l->role[i] = HSP_ROLE_OUT;
    l->seconds += (double)l->n * (double)(g->rank * l->p) * (5e-8 + 2e-9 * l->bits / 64 * (double)g->rank);
}

/* The rows held and their multipliers in doubles. */
static void write_witness(ground *g) {
    const hsp_rows_by_side *q = g->s->q;
    int64_t k = 0;
    mpq_t sum, one;
    mpq_inits(sum, one, NULL);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < g->l.n; i++) {
            if (mpq_sgn(g->mu[i]) == 0) continue;
            mpq_set(one, g->mu[i]);
            if (g->l.scale[i] > 0) mpq_div_2exp(one, one, (mp_bitcnt_t)g->l.scale[i]);
            if (pass == 0 && (q->origin || q->y[i] > 0)) mpq_add(sum, sum, one);
            if (pass == 0) continue;
            mpq_div(one, one, sum);
            g->row[k] = i;
            g->m[k++] = mpq_get_d(one);
        }
    mpq_clears(sum, one, NULL);
}

/* ---- planes ---- */

/* Another solution for the same rows; false when there is no time for it. */
static bool again(ground *g) {
    if (hsp_search_stop(g->s)) return false;
    hsp_rational_reweigh(&g->l);
    return hsp_rational_solve(&g->l, stopped, g->s) == HSP_RATIONAL_PLANE;
}

/* Rounded at several scales; *left: seconds. */
static int try_scales(ground *g, double *left, bool *taken, hsp_error **err) {
    hsp_search *s = g->s;
    int status = HSP_OK;
    for (int go = 0; !status && !*taken && *left > 0 && go < SCALES && !hsp_search_stop(s); go++) {
        double b;
        *left -= (double)s->q->x->stored * (2e-7 + 1e-9 * g->l.bits);
        if (!hsp_rational_round(&g->l, go, g->w, s->q->x->d)) break;
        if (hsp_rational_place(&g->l, s->q, g->w, &b)) status = hsp_search_enter(s, g->w, b, "rational", taken, err);
    }
    return status;
}

static int say_plane(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    bool taken = false, fits;
    int status = HSP_OK;
    double b, left = MOST_SECONDS;
    for (int round = 0; !status && !taken && round < ROUNDS; round++) {
        if (round > 0 && !again(g)) break;
        status = try_scales(g, &left, &taken, err);
    }
    for (int go = 0; !status && !taken && left > 0 && go < TURNS && !hsp_search_stop(s); go++) {
        status = hsp_rational_round_in_turn(s->q, &left, go, stopped, s, g->w, &b, &fits, err);
        if (!status && fits) status = hsp_search_enter(s, g->w, b, "rational", &taken, err);
    }
    if (!taken && !hsp_search_stop(s)) s->open = "the classes are separable, but no plane in double precision was found";
    return status;
}

static int say_weak(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    int64_t expected = 0;
    bool taken, whole = false;
    int status = HSP_OK;
    for (int64_t i = 0; i < g->l.n; i++) expected += g->l.role[i] == HSP_ROLE_COUNTS;
    write_witness(g);
    for (int round = 0; !status && !whole && round < ROUNDS; round++) {
        if (round > 0 && !again(g)) break;
        for (int go = 0; !status && !whole && go < WEAK_SCALES && !hsp_search_stop(s); go++) {
            hsp_weak k = {g->w, false, expected, g->row, g->m, g->count, "rational"};
            if (!hsp_rational_round(&g->l, go, g->w, s->q->x->d)) break;
            status = hsp_search_weak(s, &k, &taken, err);
            whole = s->out->verdict == HSP_TOUCHING && s->strict >= expected;
        }
    }
    if (s->out->verdict != HSP_TOUCHING && !hsp_search_stop(s))
        s->open = "they do, but no plane in double precision was found";
    return status;
}

/* The first witness, which is as small as can be. */
static int say_witness(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    bool taken;
    write_witness(g);
    if (s->out->count > 0 && s->out->count <= g->count) return HSP_OK;
    return hsp_search_witness(s, g->row, g->m, g->count, "rational", &taken, err);
}

static bool any_counts(const ground *g) {
    for (int64_t i = 0; i < g->l.n; i++)
        if (g->l.role[i] == HSP_ROLE_COUNTS) return true;
    return false;
}

static int climb_rationally(ground *g, hsp_error **err) {
    hsp_search *s = g->s;
    int status = HSP_OK;
    hsp_rational_end end = HSP_RATIONAL_WITNESS;
    while (!status && end == HSP_RATIONAL_WITNESS) {
        end = hsp_rational_solve(&g->l, stopped, s);
        if (end == HSP_RATIONAL_PLANE) status = g->count == 0 ? say_plane(g, err) : say_weak(g, err);
        if (end != HSP_RATIONAL_WITNESS) break;
        bool first = g->count == 0;
        join(g);
        if (first) status = say_witness(g, err);
        if (any_counts(g)) continue;
        s->settled = s->out->count > 0; /* all rows are held */
        break;
    }
    static const char *const words[] = {"a witness", "a plane", "not to the end"};
    hsp_search_log(s, "in integers: %s, %lld rows held", words[end], (long long)g->count);
    return status;
}

int hsp_search_rational(hsp_search *s, bool soon, hsp_error **err) {
    ground g;
    if (hsp_rational_estimate(s->q) > (soon ? SOON : MOST_SECONDS)) return HSP_OK;
    int status = begin_ground(&g, s, err);
    if (!status) status = climb_rationally(&g, err);
    for (int64_t i = 0; g.ready && i < g.l.n; i++) mpq_clear(g.mu[i]);
    if (g.ready) mpz_clears(g.part, g.rest, NULL);
    hsp_free(g.mu);
    hsp_integers_free(g.span, g.l.p * g.l.p);
    hsp_integers_free(g.one, g.l.p);
    HSP_FREE(g.pivot, g.row, g.m, g.w);
    hsp_rational_free(&g.l);
    return status;
}
