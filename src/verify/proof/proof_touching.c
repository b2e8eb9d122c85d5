/* The plane of `touching`. Its weights w' are the given w minus the projection onto the span of the witness, exactly. With
 * D the differences of rows that span it:
 *     (D D') c = D w,   w' = w - D'c
 * over a common denominator. The proof is only the last pass: w', however it was found, has every row on its side or on the
 * plane, the witness on it, and some row off it. */
#include "base/clock.h"
#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "verify/proof/equations.h"
#include "verify/proof/padic.h"
#include "verify/proof/proof_rows.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double projection_seconds = 20; /* most that the projection may take, as estimated */
static const double exact_seconds = 0.25;    /* up to this estimate the signs of all rows are exact */

typedef struct touching {
    const hsp_rows_by_side *q;
    const double *w;
    const int64_t *row;
    int64_t k;
    hsp_equations e;
    int64_t rank, *equation, *unknown, *order; /* arrays owned */
    int64_t base;                              /* a row of the witness, whose score must be 0; -1: through the origin */
    int64_t *place;                            /* d, owned: where column j is in W, or -1; NULL: w needs no projection */
    int64_t wide;                              /* columns in W */
    hsp_integer_memory memory; /* of the integers below */
    hsp_integer *W;          /* owned: w'_j = W_j 2^exponent / denominator for these columns, w_j for the others */
    hsp_integer denominator; /* > 0 */
    int exponent;
    hsp_integer zero; /* w'.x of the base row: zero 2^zero_exponent / denominator */
    int64_t zero_exponent;
    double *near; /* d, owned: w' within 5 roundings; NaN if out of range */
    double b;     /* likewise */
    bool exact;   /* no error bounds */
    atomic_bool refuted, starved; /* starved: memory ran out for a score */
    int64_t strict[HSP_ROWS_BLOCKS];
    bool bounded[HSP_ROWS_BLOCKS];
} touching;

/* Scratch of one thread. */
typedef struct score_scratch {
    hsp_integer_memory memory;
    hsp_integer total, plain, part;
} score_scratch;

static void scratch_begin(score_scratch *s) {
    *s = (score_scratch){.memory = {.failed = false}};
    HSP_INTEGERS_INIT(&s->memory, s->total, s->plain, s->part);
}

/* Returns whether the scores were computed: false, memory ran out. */
static bool scratch_end(score_scratch *s) {
    HSP_INTEGERS_FREE(s->total, s->plain, s->part);
    hsp_integer_memory_free(&s->memory);
    return !s->memory.failed;
}

/* Sets s->total so that the denominator times w'.x is total 2^exponent. */
static void score_in_integers(const touching *c, hsp_row x, score_scratch *s, int64_t *exponent) {
    int least = INT32_MAX, e, ew;
    hsp_integer_set_unsigned(s->total, 0);
    hsp_integer_set_unsigned(s->plain, 0);
    for (int64_t t = 0; t < x.count; t++)
        if (hsp_exact_split(hsp_row_value(x, t), &e) != 0 && e < least) least = e;
    for (int64_t t = 0; t < x.count; t++) {
        int64_t j = hsp_row_id(x, t), m = hsp_exact_split(hsp_row_value(x, t), &e);
        if (m == 0) continue;
        if (c->place[j] >= 0) {
            hsp_integer_mul_int(s->part, c->W[c->place[j]], m);
            hsp_integer_shift_up(s->part, s->part, (e - least));
            hsp_integer_add(s->total, s->total, s->part);
        } else if (c->w[j] != 0) {
            hsp_integer_set_int(s->part, hsp_exact_split(c->w[j], &ew));
            hsp_integer_mul_int(s->part, s->part, m);
            hsp_integer_shift_up(s->part, s->part, (e - least + ew - c->exponent));
            hsp_integer_add(s->plain, s->plain, s->part);
        }
    }
    hsp_integer_add_product(s->total, s->plain, c->denominator);
    *exponent = least == INT32_MAX ? 0 : (int64_t)least + c->exponent;
}

/* The exact sign of row i's score. */
static int sign_of_score(const touching *c, int64_t i, score_scratch *s) {
    int64_t e;
    hsp_row x = hsp_matrix_row(c->q->x, i);
    if (!c->place) {
        hsp_exact sum;
        hsp_exact_clear(&sum);
        hsp_rows_exact(&sum, x, c->w, 1);
        if (c->base >= 0) hsp_rows_exact(&sum, hsp_matrix_row(c->q->x, c->base), c->w, -1);
        return hsp_exact_sign(&sum);
    }
    score_in_integers(c, x, s, &e);
    if (c->base >= 0) {
        hsp_integer_set(s->part, c->zero);
        if (e > c->zero_exponent) hsp_integer_shift_up(s->total, s->total, (e - c->zero_exponent));
        if (e < c->zero_exponent) hsp_integer_shift_up(s->part, s->part, (c->zero_exponent - e));
        hsp_integer_sub(s->total, s->total, s->part);
    }
    return hsp_integer_sign(s->total);
}

/* Whether the rows of the witness lie on the plane. */
static bool contains_witness(touching *c) {
    score_scratch s;
    bool contains = true;
    scratch_begin(&s);
    for (int64_t t = 0; t < c->k && contains; t++) contains = sign_of_score(c, c->row[t], &s) == 0;
    if (!scratch_end(&s)) atomic_store(&c->starved, true);
    return contains && !atomic_load(&c->starved);
}

static void check_block(void *ctx, int64_t index) {
    touching *c = ctx;
    score_scratch s;
    bool exact = c->exact || !hsp_exact_ieee();
    int64_t end = hsp_rows_begin(c->q->x, index + 1);
    scratch_begin(&s);
    for (int64_t i = hsp_rows_begin(c->q->x, index); i < end && !atomic_load_explicit(&c->refuted, memory_order_relaxed);
         i++) {
        int y = c->q->y[i], sign = 0;
        if (y == 0) continue;
        double error = INFINITY, g = exact ? 0 : hsp_rows_score(hsp_matrix_row(c->q->x, i), c->near, c->b, &error);
        if (fabs(g) > error) {
            sign = g > 0 ? 1 : -1;
            c->bounded[index] = true;
        } else {
            sign = sign_of_score(c, i, &s);
        }
        if (sign == -y || hsp_cancel_pending()) atomic_store(&c->refuted, true);
        c->strict[index] += sign != 0;
    }
    if (!scratch_end(&s)) atomic_store(&c->starved, true);
}

/* D: the differences of the other rows of the basis and the first (through the origin: all rows themselves), dense, in
 * integers in units of 2^least. Columns are those of W. */
static void fill_differences(const touching *c, const int64_t *equation_of, int least, hsp_integer *D, hsp_integer part,
                             hsp_integer *base) {
    int64_t first = c->base >= 0 ? 1 : 0, dim = c->rank - first;
    int e;
    for (int64_t a = 0; a < c->wide; a++) {
        int64_t eq = equation_of[a];
        hsp_integer_set_unsigned(base[a], 0);
        for (int64_t t = c->e.begin[eq]; t < c->e.begin[eq + 1]; t++) {
            int64_t at = c->order[c->e.unknown[t]];
            if (at < 0) continue;
            hsp_integer_set_int(part, hsp_exact_split(c->e.value[t], &e));
            hsp_integer_shift_up(part, part, (e - least));
            if (at < first)
                hsp_integer_set(base[a], part);
            else
                hsp_integer_set(D[(at - first) * c->wide + a], part);
        }
        for (int64_t i = 0; i < dim; i++) hsp_integer_sub(D[i * c->wide + a], D[i * c->wide + a], base[a]);
    }
}

static int least_exponent(const double *v, int64_t n) {
    int least = INT32_MAX, e;
    for (int64_t t = 0; t < n; t++)
        if (v[t] != 0 && hsp_exact_split(v[t], &e) != 0 && e < least) least = e;
    return least == INT32_MAX ? 0 : least;
}

/* W = denominator w - D'N, with N / denominator the solution c of (D D') c = D w. */
static int project(touching *c, hsp_integer *D, const int64_t *equation_of, bool *found, hsp_error **err) {
    int64_t dim = c->rank - (c->base >= 0), wide = c->wide;
    hsp_integer *G = hsp_integers_new(&c->memory, dim * dim), *b = hsp_integers_new(&c->memory, dim),
                *N = hsp_integers_new(&c->memory, dim);
    int status = G && b && N ? HSP_OK : hsp_fail_memory(err), e;
    for (int64_t a = 0; !status && a < wide; a++) { /* W = w, at first */
        hsp_integer_set_int(c->W[a], hsp_exact_split(c->w[c->e.column[equation_of[a]]], &e));
        if (hsp_integer_sign(c->W[a]) != 0) hsp_integer_shift_up(c->W[a], c->W[a], (e - c->exponent));
    }
    for (int64_t i = 0; !status && i < dim; i++) {
        const hsp_integer *Di = (const hsp_integer *)D + i * wide;
        for (int64_t a = 0; a < wide; a++) hsp_integer_add_product(b[i], Di[a], c->W[a]);
        for (int64_t j = 0; j <= i; j++) {
            for (int64_t a = 0; a < wide; a++) hsp_integer_add_product(G[i * dim + j], Di[a], D[j * wide + a]);
            if (j < i) hsp_integer_set(G[j * dim + i], G[i * dim + j]);
        }
    }
    if (!status) status = hsp_padic_solve(dim, G, b, 1, true, N, c->denominator, found, err);
    for (int64_t a = 0; !status && *found && a < wide; a++) {
        hsp_integer_mul(c->W[a], c->W[a], c->denominator);
        for (int64_t i = 0; i < dim; i++) hsp_integer_sub_product(c->W[a], D[i * wide + a], N[i]);
    }
    hsp_integers_free(G, dim * dim);
    hsp_integers_free(b, dim);
    hsp_integers_free(N, dim);
    return status;
}

/* Gives the columns in which the rows of the witness differ a place in W; equation_of: the equation of each place. */
static void place_columns(touching *c, int64_t *equation_of) {
    for (int64_t j = 0; j < c->q->x->d; j++) c->place[j] = -1;
    for (int64_t i = 0; i < c->e.count; i++) {
        int64_t begin = c->e.begin[i], end = c->e.begin[i + 1];
        bool varies = c->base < 0 || end - begin < c->k;
        for (int64_t t = begin + 1; t < end && !varies; t++) varies = c->e.value[t] != c->e.value[begin];
        if (!varies || c->e.column[i] < 0) continue;
        c->place[c->e.column[i]] = c->wide;
        equation_of[c->wide++] = i;
    }
}

static double estimate_seconds(const touching *c) {
    double dim = (double)c->rank, bits = 0, most = 0;
    for (int64_t i = 0; i < c->e.count; i++) most = fmax(most, hsp_equations_bits(&c->e, i));
    int low = least_exponent(c->e.value, c->e.begin[c->e.count]), high = -2000, e;
    for (int64_t t = 0; t < c->e.begin[c->e.count]; t++) {
        frexp(c->e.value[t], &e);
        high = e > high ? e : high;
    }
    bits = fmax(most, high - low) * 2 + 64 + log2((double)c->wide + 1);
    return hsp_padic_seconds(c->rank, bits * dim, dim * dim) +
           dim * (double)c->wide * (dim * (2e-8 + bits / 64 * 1e-9) + bits * dim / 64 * 1e-9);
}

/* n 2^exponent / d within 3 roundings; NaN far from 1; d > 0. */
static double approximate_quotient(hsp_integer n, hsp_integer d, int64_t exponent) {
    int64_t en, ed;
    if (hsp_integer_sign(n) == 0) return 0;
    double m = hsp_integer_split(n, &en), v = m / hsp_integer_split(d, &ed);
    int64_t e = en - ed + exponent;
    if (e < -1000 || e > 1000) return NAN;
    return ldexp(v, (int)e);
}

/* Rounds the plane for the error bounds, and computes w'.x of the base row. */
static void approximate_plane(touching *c) {
    for (int64_t j = 0; j < c->q->x->d; j++)
        c->near[j] = c->place[j] < 0 ? c->w[j] : approximate_quotient(c->W[c->place[j]], c->denominator, c->exponent);
    double bits = (double)hsp_integer_bits(c->denominator);
    c->exact = (double)c->q->x->stored * (bits / 64 * 2e-9 + 5e-8) < exact_seconds;
    if (c->base < 0) return;
    score_scratch s;
    scratch_begin(&s);
    score_in_integers(c, hsp_matrix_row(c->q->x, c->base), &s, &c->zero_exponent);
    hsp_integer_set(c->zero, s.total);
    c->b = -approximate_quotient(c->zero, c->denominator, c->zero_exponent);
    if (!scratch_end(&s)) c->memory.failed = true;
}

static int make_projection(touching *c, bool *found, hsp_error **err) {
    int64_t d = c->q->x->d, *equation_of = hsp_alloc(c->e.count + 1, sizeof *equation_of);
    hsp_integer *D = NULL, *base = NULL;
    int64_t cells = 0, wide = 0;
    if (!equation_of || !HSP_ALLOC(c->place, d + 1)) {
        hsp_free(equation_of);
        return hsp_fail_memory(err);
    }
    place_columns(c, equation_of);
    int status = HSP_OK;
    if (estimate_seconds(c) <= projection_seconds) {
        wide = c->wide;
        cells = c->rank * wide;
        D = hsp_integers_new(&c->memory, cells);
        base = hsp_integers_new(&c->memory, wide);
        c->W = hsp_integers_new(&c->memory, wide);
        status = D && base && c->W ? HSP_OK : hsp_fail_memory(err);
        if (!status) {
            c->exponent = least_exponent(c->w, d);
            fill_differences(c, equation_of, least_exponent(c->e.value, c->e.begin[c->e.count]), D, c->zero, base);
            status = project(c, D, equation_of, found, err);
        }
    }
    if (!c->W) c->wide = 0;
    hsp_integers_free(D, cells);
    hsp_integers_free(base, wide);
    hsp_free(equation_of);
    return status;
}

/* Finds a basis of the span by pivots: order[s] becomes the place of witness row s among them, or -1. */
static int find_basis(touching *c, hsp_error **err) {
    int status = hsp_equations_new(c->q, c->row, c->k, &c->e, err);
    if (status) return status;
    if (!HSP_ALLOC(c->equation, c->k) || !HSP_ALLOC(c->unknown, c->k) || !HSP_ALLOC(c->order, c->k))
        return hsp_fail_memory(err);
    for (int64_t s = 0; s < c->k; s++) c->order[s] = s;
    status = hsp_equations_pivots(&c->e, c->order, 0, projection_seconds, c->equation, c->unknown, &c->rank, err);
    for (int64_t s = 0; s < c->k; s++) c->order[s] = -1;
    for (int64_t i = 0; i < c->rank; i++) c->order[c->unknown[i]] = i;
    if (c->base >= 0 && c->rank > 0) c->base = c->row[c->unknown[0]];
    return status;
}

/* Uses w itself if it is orthogonal to the span of the witness, else its projection; *found is false if that takes too
 * long. */
static int prepare_plane(touching *c, bool *found, hsp_error **err) {
    int64_t d = c->q->x->d;
    *found = true;
    if (!HSP_ALLOC(c->near, d + 1)) return hsp_fail_memory(err);
    if (contains_witness(c)) {
        memcpy(c->near, c->w, (size_t)d * sizeof *c->near);
        c->exact = c->q->x->stored <= HSP_ROWS_ALL_EXACT;
        hsp_exact sum;
        hsp_exact_clear(&sum);
        if (c->base >= 0) hsp_rows_exact(&sum, hsp_matrix_row(c->q->x, c->base), c->w, 1);
        double size = hsp_exact_round(&sum, true);
        c->b = hsp_exact_sign(&sum) > 0 ? -size : size;
        return HSP_OK;
    }
    *found = false;
    if (c->k > HSP_EQUATIONS_MOST) return HSP_OK;
    HSP_INTEGERS_INIT(&c->memory, c->denominator, c->zero);
    int status = find_basis(c, err);
    if (status || c->rank < 1) return status;
    status = make_projection(c, found, err);
    if (!status && *found) approximate_plane(c);
    return status;
}

static bool is_well_formed(const touching *c) {
    if (c->k < 1 || !hsp_rows_finite(c->w, c->q->x->d)) return false;
    for (int64_t s = 0; s < c->k; s++)
        if (c->row[s] < 0 || c->row[s] >= c->q->x->n || (s > 0 && c->row[s] <= c->row[s - 1])) return false;
    return true;
}

/* out = the denominator times w'_j, in units of 2^exponent. */
static void set_numerator(const touching *c, int64_t j, hsp_integer out) {
    int e = 0;
    if (c->place[j] >= 0) {
        hsp_integer_set(out, c->W[c->place[j]]);
        return;
    }
    int64_t m = hsp_exact_split(c->w[j], &e);
    hsp_integer_mul_int(out, c->denominator, m);
    if (m != 0) hsp_integer_shift_up(out, out, (e - c->exponent));
}

/* Divides the numerators of w' by their greatest common divisor; false: the quotients are not all doubles. one: scratch. */
static bool find_whole_plane(const touching *c, hsp_integer one, hsp_integer common, double *plane) {
    int64_t d = c->q->x->d;
    hsp_integer_set_unsigned(common, 0);
    for (int64_t j = 0; j < d && !hsp_integer_is_one(common); j++) {
        set_numerator(c, j, one);
        hsp_integer_gcd(common, common, one);
    }
    for (int64_t j = 0; j < d; j++) {
        set_numerator(c, j, one);
        hsp_integer_divide_exactly(one, one, common);
        if (hsp_integer_bits(one) > DBL_MANT_DIG) return false;
        plane[j] = hsp_integer_sign(one) * (double)hsp_integer_low(one);
    }
    return true;
}

static void export_plane(touching *c, double *plane, double *b) {
    hsp_exact sum;
    hsp_integer one, common, rest;
    *b = 0;
    if (!c->place) {
        memcpy(plane, c->w, (size_t)c->q->x->d * sizeof *plane);
        hsp_exact_clear(&sum);
        if (c->base >= 0) hsp_rows_exact(&sum, hsp_matrix_row(c->q->x, c->base), c->w, -1);
        *b = hsp_exact_sign(&sum) * hsp_exact_nearest(&sum);
        return;
    }
    HSP_INTEGERS_INIT(&c->memory, one, common, rest);
    bool whole = find_whole_plane(c, one, common, plane);
    if (!whole) hsp_integer_set(common, c->denominator);
    for (int64_t j = 0; !whole && j < c->q->x->d; j++)
        plane[j] = c->place[j] < 0 ? c->w[j] : hsp_integers_quotient(c->W[c->place[j]], common, c->exponent, one, rest);
    if (c->base >= 0) *b = -hsp_integers_quotient(c->zero, common, c->zero_exponent - (whole ? c->exponent : 0), one, rest);
    HSP_INTEGERS_FREE(one, common, rest);
}

int hsp_proof_check_touching(const hsp_rows_by_side *q, const double *w, const int64_t *row, int64_t count,
                             hsp_proof_kind *kind, int64_t *strict, double *plane, double *b, hsp_error **err) {
    touching *c = hsp_alloc_zero(1, sizeof *c);
    bool found = false, bounded = false;
    *kind = HSP_PROOF_NONE;
    *strict = 0;
    if (!c) return hsp_fail_memory(err);
    *c = (touching){.q = q, .w = w, .row = row, .k = count, .base = q->origin || count < 1 ? -1 : row[0]};
    int status = is_well_formed(c) ? prepare_plane(c, &found, err) : HSP_OK;
    if (!status && found && contains_witness(c)) {
        hsp_pool_run(hsp_rows_blocks(q->x), q->threads, check_block, c);
        for (int64_t k = 0; k < HSP_ROWS_BLOCKS; k++) *strict += c->strict[k], bounded |= c->bounded[k];
        if (atomic_load(&c->refuted)) *strict = 0;
        if (*strict > 0) *kind = bounded ? HSP_PROOF_BOUNDED : HSP_PROOF_EXACT;
        if (*strict > 0 && plane) export_plane(c, plane, b);
    }
    if (!status && (c->memory.failed || atomic_load(&c->starved))) {
        *kind = HSP_PROOF_NONE;
        *strict = 0;
        status = hsp_fail_memory(err);
    }
    hsp_equations_clear(&c->e);
    HSP_FREE(c->equation, c->unknown, c->order, c->place, c->near);
    hsp_integers_free(c->W, c->wide);
    HSP_INTEGERS_FREE(c->denominator, c->zero);
    hsp_integer_memory_free(&c->memory);
    hsp_free(c);
    return status;
}
