/* The linear program of rational.h and its faces, for few rows that floating point did not decide. Each witness is joined
 * to the previous ones, their span is projected out, and the program is solved for the rows that are left, until these are
 * separated or there are none. The result is exact, but doubles may not be able to express it: it is rounded at several
 * scales. */
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
    mpq_t *mu;      /* n: multipliers of the held rows; 0: not held */
    bool ready;     /* mu, part and rest are initialised */
    int64_t count;  /* held rows */
    mpz_t *span;    /* p x p: a basis of their span, in echelon form */
    int64_t *pivot; /* p */
    int64_t rank;
    mpz_t *one; /* p: scratch */
    mpz_t part, rest;
    int64_t *row; /* n */
    double *m;    /* n */
    double *w;    /* d */
} ground;         /* owns its arrays */

static bool stopped(const void *search) {
    return hsp_search_stop(search);
}

static int begin_ground(ground *g, hsp_search *s, hsp_error **err) {
    *g = (ground){.s = s};
    int64_t n = s->q->x->n;
    int status = hsp_rational_new(&g->l, s->q, MOST_SECONDS, err);
    if (status) return status;
    g->span = hsp_integers_new(g->l.p * g->l.p);
    g->one = hsp_integers_new(g->l.p);
    if (!g->span || !g->one || !HSP_ALLOC(g->mu, n + 1) || !HSP_ALLOC(g->pivot, g->l.p + 1) || !HSP_ALLOC(g->row, n + 1) ||
        !HSP_ALLOC(g->m, n + 1) || !HSP_ALLOC(g->w, s->q->x->d + 1))
        return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) mpq_init(g->mu[i]);
    mpz_inits(g->part, g->rest, NULL);
    g->ready = true;
    return HSP_OK;
}

/* ---- witnesses ---- */

/* one = a multiple of row i reduced by the basis of the span; its first place that is not 0, or -1. */
static int64_t reduce_by_span(ground *g, int64_t i) {
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

/* Adds row i of a witness to the basis, unless it is in the span already. */
static void extend_span(ground *g, int64_t i) {
    int64_t p = g->l.p, at = reduce_by_span(g, i);
    g->l.role[i] = (int8_t)(at < 0 ? HSP_ROLE_OUT : HSP_ROLE_FREE_SIGN);
    if (at < 0) return;
    mpz_set_ui(g->part, 0);
    for (int64_t j = 0; j < p; j++) mpz_gcd(g->part, g->part, g->one[j]);
    for (int64_t j = 0; j < p; j++) mpz_divexact(g->span[g->rank * p + j], g->one[j], g->part);
    g->pivot[g->rank++] = at;
}

/* Joins the multipliers of the last solution, after scaling the held ones by a power of two with which they stay positive.
 */
static void join_witness(ground *g) {
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
        if (!held) extend_span(g, i);
        g->count += !held;
    }
    mpq_clear(v);
    for (int64_t i = 0; i < l->n; i++)
        if (l->role[i] == HSP_ROLE_COUNTS && reduce_by_span(g, i) < 0) l->role[i] = HSP_ROLE_OUT;
    l->seconds += (double)l->n * (double)(g->rank * l->p) * (5e-8 + 2e-9 * l->bits / 64 * (double)g->rank);
}

/* Writes the held rows and their multipliers, as doubles, to row and m. */
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
        if (end != HSP_RATIONAL_WITNESS) break;
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
    if (hsp_rational_estimate(s->q) > (soon ? SOON : MOST_SECONDS)) return HSP_OK;
    int status = begin_ground(&g, s, err);
    if (!status) status = solve_in_integers(&g, err);
    for (int64_t i = 0; g.ready && i < g.l.n; i++) mpq_clear(g.mu[i]);
    if (g.ready) mpz_clears(g.part, g.rest, NULL);
    hsp_free(g.mu);
    hsp_integers_free(g.span, g.l.p * g.l.p);
    hsp_integers_free(g.one, g.l.p);
    HSP_FREE(g.pivot, g.row, g.m, g.w);
    hsp_rational_free(&g.l);
    return status;
}
