#include "verify/proof/padic.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Entries are cut into pieces of 54 bits: the upper half of a sum of 2^12 products of a piece and 59 bits has 64 bits. */
enum { PIECE = 54, MOST = 4096, SLACK = 64, TERMS = 1000 };

_Static_assert(sizeof(unsigned long) >= sizeof(uint64_t), "remainders are taken by the unsigned long functions of GMP");

const uint64_t hsp_padic_prime[HSP_PADIC_PRIMES] = {((uint64_t)1 << 59) - 55, ((uint64_t)1 << 59) - 99,
                                                    ((uint64_t)1 << 59) - 225};

hsp_factor_mod hsp_factor_mod_of(uint64_t c, uint64_t p) {
    return (hsp_factor_mod){c, (uint64_t)(((unsigned __int128)c << 64) / p), p};
}

uint64_t hsp_inverse_mod(uint64_t v, uint64_t p) {
    uint64_t power = v, result = 1;
    for (uint64_t e = p - 2; e > 0; e >>= 1) {
        if (e & 1) result = (uint64_t)((unsigned __int128)result * power % p);
        power = (uint64_t)((unsigned __int128)power * power % p);
    }
    return result;
}

mpz_t *hsp_integers_new(int64_t count) {
    mpz_t *v = hsp_alloc(count > 0 ? count : 1, sizeof *v);
    for (int64_t i = 0; v && i < count; i++) mpz_init(v[i]);
    return v;
}

void hsp_integers_free(mpz_t *v, int64_t count) {
    for (int64_t i = 0; v && i < count; i++) mpz_clear(v[i]);
    hsp_free(v);
}

double hsp_integers_quotient(mpz_srcptr n, mpz_srcptr d, int64_t exponent, mpz_t part, mpz_t rest) {
    if (mpz_sgn(n) == 0) return 0;
    int64_t shift = 63 - (int64_t)mpz_sizeinbase(n, 2) + (d ? (int64_t)mpz_sizeinbase(d, 2) : 1); /* 63 or 64 bits */
    bool negative = (mpz_sgn(n) < 0) != (d && mpz_sgn(d) < 0);
    mpz_abs(part, n);
    mpz_set_ui(rest, 1);
    if (d) mpz_abs(rest, d);
    if (shift >= 0) mpz_mul_2exp(part, part, (mp_bitcnt_t)shift);
    if (shift < 0) mpz_mul_2exp(rest, rest, (mp_bitcnt_t)-shift);
    mpz_tdiv_qr(part, rest, part, rest);
    uint64_t m = mpz_get_ui(part) | (mpz_sgn(rest) != 0);
    int64_t e = exponent - shift;
    double size = e > 2000 ? INFINITY : e < -2000 ? 0 : ldexp((double)m, (int)e);
    return negative ? -size : size;
}

double hsp_padic_seconds(int64_t r, double bits, double nonzeros) {
    double k = (double)r, steps = 2 * bits / 59 + 4;
    double pieces = nonzeros * (1 + bits / (k * PIECE + 1));
    double lifting = steps * (k * k * 1.5e-9 + pieces * 3e-9 + k * 2e-7);
    double joining = k * steps * steps * 0.5e-9 + bits * steps * 4e-9;
    double checking = nonzeros * (bits / 64 * 1.5e-9 + 3e-8);
    return k * k * k * 2.5e-9 + lifting + joining + checking;
}

void hsp_subtract_mod(uint64_t *row, const uint64_t *other, int64_t n, uint64_t factor, uint64_t p) {
    if (factor == 0) return;
    hsp_factor_mod f = hsp_factor_mod_of(p - factor, p);
    for (int64_t j = 0; j < n; j++) {
        uint64_t v = row[j] + hsp_factor_mod_times(f, other[j]);
        row[j] = v >= p ? v - p : v;
    }
}

/* One non-zero piece of an entry: digit 2^(PIECE plane) in column `column`. */
typedef struct piece {
    int32_t column, plane;
    int64_t digit;
} piece;

typedef struct lifting {
    int64_t r;
    uint64_t p;
    uint64_t *inverse; /* of A modulo p, r x r */
    int64_t *begin;    /* r + 1: the pieces of each row, by plane */
    piece *pieces;
    uint64_t *residual_mod; /* r: the residual modulo p */
    uint64_t *digit;        /* steps x r: the solution's digits to the base p */
    int64_t steps;          /* at most */
    mpz_t *residual;        /* r: b - A x for the digits so far, divided by the powers of p */
    mpz_t part;             /* initialised if `residual` is not NULL */
} lifting;                  /* owns its arrays */

static void swap(uint64_t *a, uint64_t *b) {
    uint64_t t = *a;
    *a = *b;
    *b = t;
}

/* Gauss-Jordan elimination in place; row k was swapped with row swapped[k]. False: A is singular modulo p. */
static bool invert(const lifting *s, int64_t *swapped) {
    uint64_t *C = s->inverse;
    int64_t r = s->r;
    for (int64_t k = 0; k < r; k++) {
        int64_t at = k;
        while (at < r && C[at * r + k] == 0) at++;
        if (at == r) return false;
        swapped[k] = at;
        for (int64_t j = 0; at != k && j < r; j++) swap(&C[at * r + j], &C[k * r + j]);
        uint64_t *row = C + k * r;
        hsp_factor_mod f = hsp_factor_mod_of(hsp_inverse_mod(row[k], s->p), s->p);
        row[k] = 1;
        for (int64_t j = 0; j < r; j++) row[j] = hsp_factor_mod_times(f, row[j]);
        for (int64_t i = 0; i < r; i++) {
            uint64_t factor = C[i * r + k];
            if (i == k) continue;
            C[i * r + k] = 0;
            hsp_subtract_mod(C + i * r, row, r, factor, s->p);
        }
    }
    for (int64_t k = r - 1; k >= 0; k--)
        for (int64_t i = 0; swapped[k] != k && i < r; i++) swap(&C[i * r + k], &C[i * r + swapped[k]]);
    return true;
}

static int64_t count_pieces(const mpz_t v) {
    return mpz_sgn(v) == 0 ? 0 : (int64_t)((mpz_sizeinbase(v, 2) + PIECE - 1) / PIECE);
}

/* log2 of Hadamard's bound on the determinant, also with b in place of a column (Cramer's rule). */
static double hadamard_bits(int64_t r, mpz_t *A, mpz_t *b) {
    double bits = 0;
    for (int64_t i = 0; i < r; i++) {
        size_t most = mpz_sizeinbase(b[i], 2);
        int64_t count = 1;
        for (int64_t j = 0; j < r; j++) {
            if (mpz_sgn(A[i * r + j]) == 0) continue;
            size_t size = mpz_sizeinbase(A[i * r + j], 2);
            most = size > most ? size : most;
            count++;
        }
        bits += (double)most + 0.5 * log2((double)count);
    }
    return bits;
}

/* Cuts row i of A into pieces, the lowest plane first. */
static void cut_row(lifting *s, mpz_t *row, int64_t i) {
    int64_t at = s->begin[i], planes = 0;
    for (int64_t j = 0; j < s->r; j++) planes = count_pieces(row[j]) > planes ? count_pieces(row[j]) : planes;
    for (int64_t l = 0; l < planes; l++)
        for (int64_t j = 0; j < s->r; j++) {
            if (count_pieces(row[j]) <= l) continue;
            mpz_tdiv_q_2exp(s->part, row[j], (mp_bitcnt_t)(l * PIECE));
            mpz_tdiv_r_2exp(s->part, s->part, PIECE);
            int64_t digit = mpz_get_si(s->part); /* has the sign of the entry */
            if (digit != 0) s->pieces[at++] = (piece){(int32_t)j, (int32_t)l, digit};
        }
    s->begin[i + 1] = at;
}

static int lifting_new(lifting *s, int64_t r, mpz_t *A, mpz_t *b, uint64_t p) {
    int64_t pieces = 0;
    for (int64_t i = 0; i < r * r; i++) pieces += count_pieces(A[i]);
    *s = (lifting){.r = r, .p = p, .steps = (int64_t)((2 * hadamard_bits(r, A, b) + 2 + SLACK) / 58.9) + 2};
    s->residual = hsp_integers_new(r);
    if (s->residual) mpz_init(s->part);
    if (!s->residual || !HSP_ALLOC(s->inverse, r * r) || !HSP_ALLOC(s->begin, r + 1) || !HSP_ALLOC(s->pieces, pieces + 1) ||
        !HSP_ALLOC(s->residual_mod, r) || !HSP_ALLOC(s->digit, r * s->steps))
        return HSP_EMEMORY;
    s->begin[0] = 0;
    for (int64_t i = 0; i < r; i++) cut_row(s, A + i * r, i);
    for (int64_t i = 0; i < r * r; i++) s->inverse[i] = mpz_fdiv_ui(A[i], p);
    for (int64_t i = 0; i < r; i++) mpz_set(s->residual[i], b[i]);
    return HSP_OK;
}

/* residual_i -= row i of A times x. */
static void subtract_product(lifting *s, int64_t i, const uint64_t *x) {
    for (int64_t t = s->begin[i], end = s->begin[i + 1]; t < end;) {
        int32_t plane = s->pieces[t].plane;
        unsigned __int128 low = 0;
        int64_t high = 0;
        for (; t < end && s->pieces[t].plane == plane; t++) {
            __int128 v = (__int128)s->pieces[t].digit * (int64_t)x[s->pieces[t].column];
            low += (uint64_t)v;
            high += (int64_t)(v >> 64);
        }
        high += (int64_t)(low >> 64);
        mpz_set_si(s->part, high);
        mpz_mul_2exp(s->part, s->part, 64);
        mpz_add_ui(s->part, s->part, (uint64_t)low);
        mpz_mul_2exp(s->part, s->part, (mp_bitcnt_t)plane * PIECE);
        mpz_sub(s->residual[i], s->residual[i], s->part);
    }
}

/* Finds the next digit of each unknown. */
static void lift(lifting *s, int64_t step) {
    uint64_t *x = s->digit + step * s->r;
    for (int64_t i = 0; i < s->r; i++) s->residual_mod[i] = mpz_fdiv_ui(s->residual[i], s->p);
    for (int64_t i = 0; i < s->r; i++) {
        const uint64_t *C = s->inverse + i * s->r;
        unsigned __int128 sum = 0;
        for (int64_t j = 0; j < s->r;) {
            int64_t end = j + TERMS < s->r ? j + TERMS : s->r;
            for (; j < end; j++) sum += (unsigned __int128)C[j] * s->residual_mod[j];
            sum %= s->p;
        }
        x[i] = (uint64_t)sum;
    }
    for (int64_t i = 0; i < s->r; i++) {
        subtract_product(s, i, x);
        mpz_divexact_ui(s->residual[i], s->residual[i], s->p);
    }
}

/* Scratch for the reconstruction of fractions. */
typedef struct fractions {
    mpz_t modulus, half, u, a0, a1, t0, t1, q;
} fractions;

/* Whether n / d is so much smaller than the modulus that a coincidence is unlikely. */
static bool is_plausible(const fractions *f, const mpz_t n, const mpz_t d) {
    return mpz_sizeinbase(n, 2) + mpz_sizeinbase(d, 2) + SLACK / 2 < mpz_sizeinbase(f->modulus, 2);
}

/* Rational reconstruction of u: Euclid's algorithm stopped half way gives n in a1 and d > 0 in t1. */
static bool find_fraction(fractions *f) {
    size_t half = mpz_sizeinbase(f->modulus, 2) / 2;
    mpz_set(f->a0, f->modulus);
    mpz_mod(f->a1, f->u, f->modulus);
    mpz_set_ui(f->t0, 0);
    mpz_set_ui(f->t1, 1);
    while (mpz_sgn(f->a1) != 0 && mpz_sizeinbase(f->a1, 2) >= half) {
        mpz_tdiv_qr(f->q, f->a0, f->a0, f->a1);
        mpz_swap(f->a0, f->a1);
        mpz_submul(f->t0, f->q, f->t1);
        mpz_swap(f->t0, f->t1);
    }
    if (mpz_sgn(f->t1) < 0) {
        mpz_neg(f->t1, f->t1);
        mpz_neg(f->a1, f->a1);
    }
    return is_plausible(f, f->a1, f->t1);
}

/* The solution N / D from the first `steps` digits. False: more digits are needed. */
static bool reconstruct(const lifting *s, int64_t steps, fractions *f, mpz_t *N, mpz_t D) {
    mpz_ui_pow_ui(f->modulus, s->p, (unsigned long)steps);
    mpz_tdiv_q_2exp(f->half, f->modulus, 1);
    mpz_set_ui(D, 1);
    for (int64_t i = 0; i < s->r; i++) {
        mpz_set_ui(f->u, 0);
        for (int64_t t = steps - 1; t >= 0; t--) {
            mpz_mul_ui(f->u, f->u, s->p);
            mpz_add_ui(f->u, f->u, s->digit[t * s->r + i]);
        }
        mpz_mul(f->u, f->u, D);
        mpz_mod(f->u, f->u, f->modulus);
        mpz_set(N[i], f->u);
        if (mpz_cmp(N[i], f->half) > 0) mpz_sub(N[i], N[i], f->modulus);
        if (is_plausible(f, N[i], D)) continue;
        if (!find_fraction(f)) return false;
        mpz_set(N[i], f->a1);
        mpz_mul(D, D, f->t1);
        for (int64_t j = 0; j < i; j++) mpz_mul(N[j], N[j], f->t1);
        if (!is_plausible(f, N[i], D)) return false;
    }
    return true;
}

static bool lift_solution(lifting *s, bool early, mpz_t *N, mpz_t D) {
    fractions f;
    bool found = false;
    mpz_inits(f.modulus, f.half, f.u, f.a0, f.a1, f.t0, f.t1, f.q, NULL);
    for (int64_t step = 0, next = 4; step < s->steps && !found && !hsp_cancel_pending(); step++) {
        lift(s, step);
        bool last = step + 1 == s->steps;
        if (!last && (!early || step + 1 < next)) continue;
        next = next + next / 3 + 1;
        found = reconstruct(s, step + 1, &f, N, D);
    }
    mpz_clears(f.modulus, f.half, f.u, f.a0, f.a1, f.t0, f.t1, f.q, NULL);
    return found;
}

int hsp_padic_solve(int64_t r, mpz_t *A, mpz_t *b, int prime, bool early, mpz_t *N, mpz_t D, bool *found, hsp_error **err) {
    lifting s = {0};
    *found = r == 0;
    mpz_set_ui(D, 1);
    if (r == 0 || r > MOST) return HSP_OK;
    int64_t *swapped = hsp_alloc(r, sizeof *swapped);
    int status = swapped ? lifting_new(&s, r, A, b, hsp_padic_prime[prime]) : HSP_EMEMORY;
    if (!status && invert(&s, swapped)) *found = lift_solution(&s, early, N, D);
    if (s.residual) mpz_clear(s.part);
    hsp_integers_free(s.residual, s.r);
    HSP_FREE(s.inverse, s.begin, s.pieces, s.residual_mod, s.digit, swapped);
    return status ? hsp_fail_memory(err) : HSP_OK;
}
