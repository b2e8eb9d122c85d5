#include "verify/proof/padic.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Entries are cut into pieces of 54 bits: the upper half of a sum of 2^12 products of a piece and 59 bits has 64 bits. */
enum { PIECE = 54, MOST = 4096, SLACK = 64, TERMS = 1000 };

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

double hsp_integers_quotient(hsp_integer_const n, hsp_integer_const d, int64_t exponent, hsp_integer part,
                             hsp_integer rest) {
    if (hsp_integer_sign(n) == 0) return 0;
    int64_t shift = 63 - hsp_integer_bits(n) + (d ? hsp_integer_bits(d) : 1); /* 63 or 64 bits */
    bool negative = (hsp_integer_sign(n) < 0) != (d && hsp_integer_sign(d) < 0), more;
    uint64_t m = hsp_integer_quotient(n, d, shift, part, rest, &more) | more;
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
    hsp_integer *residual;        /* r: b - A x for the digits so far, divided by the powers of p */
    hsp_integer part;
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

static int64_t count_pieces(hsp_integer_const v) {
    return hsp_integer_sign(v) == 0 ? 0 : (int64_t)((hsp_integer_bits(v) + PIECE - 1) / PIECE);
}

/* log2 of Hadamard's bound on the determinant, also with b in place of a column (Cramer's rule). */
static double hadamard_bits(int64_t r, hsp_integer *A, hsp_integer *b) {
    double bits = 0;
    for (int64_t i = 0; i < r; i++) {
        int64_t most = hsp_integer_bits(b[i]);
        int64_t count = 1;
        for (int64_t j = 0; j < r; j++) {
            if (hsp_integer_sign(A[i * r + j]) == 0) continue;
            int64_t size = hsp_integer_bits(A[i * r + j]);
            most = size > most ? size : most;
            count++;
        }
        bits += (double)most + 0.5 * log2((double)count);
    }
    return bits;
}

/* Cuts row i of A into pieces, the lowest plane first. */
static void cut_row(lifting *s, hsp_integer *row, int64_t i) {
    int64_t at = s->begin[i], planes = 0;
    for (int64_t j = 0; j < s->r; j++) planes = count_pieces(row[j]) > planes ? count_pieces(row[j]) : planes;
    for (int64_t l = 0; l < planes; l++)
        for (int64_t j = 0; j < s->r; j++) {
            if (count_pieces(row[j]) <= l) continue;
            hsp_integer_shift_down(s->part, row[j], (l * PIECE));
            hsp_integer_low_bits(s->part, s->part, PIECE);
            int64_t digit = hsp_integer_sign(s->part) * (int64_t)hsp_integer_low(s->part);
            if (digit != 0) s->pieces[at++] = (piece){(int32_t)j, (int32_t)l, digit};
        }
    s->begin[i + 1] = at;
}

static int lifting_new(lifting *s, hsp_integer_memory *m, int64_t r, hsp_integer *A, hsp_integer *b, uint64_t p) {
    int64_t pieces = 0;
    for (int64_t i = 0; i < r * r; i++) pieces += count_pieces(A[i]);
    *s = (lifting){.r = r, .p = p, .steps = (int64_t)((2 * hadamard_bits(r, A, b) + 2 + SLACK) / 58.9) + 2};
    hsp_integer_init(s->part, m);
    s->residual = hsp_integers_new(m, r);
    if (!s->residual || !HSP_ALLOC(s->inverse, r * r) || !HSP_ALLOC(s->begin, r + 1) || !HSP_ALLOC(s->pieces, pieces + 1) ||
        !HSP_ALLOC(s->residual_mod, r) || !HSP_ALLOC(s->digit, r * s->steps))
        return HSP_EMEMORY;
    s->begin[0] = 0;
    for (int64_t i = 0; i < r; i++) cut_row(s, A + i * r, i);
    for (int64_t i = 0; i < r * r; i++) s->inverse[i] = hsp_integer_mod_of(A[i], p);
    for (int64_t i = 0; i < r; i++) hsp_integer_set(s->residual[i], b[i]);
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
        hsp_integer_set_int(s->part, high);
        hsp_integer_shift_up(s->part, s->part, 64);
        hsp_integer_add_unsigned(s->part, s->part, (uint64_t)low);
        hsp_integer_shift_up(s->part, s->part, plane * PIECE);
        hsp_integer_sub(s->residual[i], s->residual[i], s->part);
    }
}

/* Finds the next digit of each unknown. */
static void lift(lifting *s, int64_t step) {
    uint64_t *x = s->digit + step * s->r;
    for (int64_t i = 0; i < s->r; i++) s->residual_mod[i] = hsp_integer_mod_of(s->residual[i], s->p);
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
        hsp_integer_divide_exactly_by(s->residual[i], s->residual[i], s->p);
    }
}

/* Scratch for the reconstruction of fractions. */
typedef struct fractions {
    hsp_integer modulus, half, u, a0, a1, t0, t1, q;
} fractions;

/* Whether n / d is so much smaller than the modulus that a coincidence is unlikely. */
static bool is_plausible(const fractions *f, hsp_integer_const n, hsp_integer_const d) {
    return hsp_integer_bits(n) + hsp_integer_bits(d) + SLACK / 2 < hsp_integer_bits(f->modulus);
}

/* Rational reconstruction of u: Euclid's algorithm stopped half way gives n in a1 and d > 0 in t1. */
static bool find_fraction(fractions *f) {
    int64_t half = hsp_integer_bits(f->modulus) / 2;
    hsp_integer_set(f->a0, f->modulus);
    hsp_integer_mod(f->a1, f->u, f->modulus);
    hsp_integer_set_unsigned(f->t0, 0);
    hsp_integer_set_unsigned(f->t1, 1);
    while (hsp_integer_sign(f->a1) != 0 && hsp_integer_bits(f->a1) >= half) {
        hsp_integer_divide(f->q, f->a0, f->a0, f->a1);
        hsp_integer_swap(f->a0, f->a1);
        hsp_integer_sub_product(f->t0, f->q, f->t1);
        hsp_integer_swap(f->t0, f->t1);
    }
    if (hsp_integer_sign(f->t1) < 0) {
        hsp_integer_negate(f->t1);
        hsp_integer_negate(f->a1);
    }
    return is_plausible(f, f->a1, f->t1);
}

/* The solution N / D from the first `steps` digits. False: more digits are needed. */
static bool reconstruct(const lifting *s, int64_t steps, fractions *f, hsp_integer *N, hsp_integer D) {
    hsp_integer_power(f->modulus, s->p, steps);
    hsp_integer_shift_down(f->half, f->modulus, 1);
    hsp_integer_set_unsigned(D, 1);
    for (int64_t i = 0; i < s->r; i++) {
        hsp_integer_set_unsigned(f->u, 0);
        for (int64_t t = steps - 1; t >= 0; t--) {
            hsp_integer_mul_unsigned(f->u, f->u, s->p);
            hsp_integer_add_unsigned(f->u, f->u, s->digit[t * s->r + i]);
        }
        hsp_integer_mul(f->u, f->u, D);
        hsp_integer_mod(f->u, f->u, f->modulus);
        hsp_integer_set(N[i], f->u);
        if (hsp_integer_compare(N[i], f->half) > 0) hsp_integer_sub(N[i], N[i], f->modulus);
        if (is_plausible(f, N[i], D)) continue;
        if (!find_fraction(f)) return false;
        hsp_integer_set(N[i], f->a1);
        hsp_integer_mul(D, D, f->t1);
        for (int64_t j = 0; j < i; j++) hsp_integer_mul(N[j], N[j], f->t1);
        if (!is_plausible(f, N[i], D)) return false;
    }
    return true;
}

static bool lift_solution(lifting *s, bool early, hsp_integer *N, hsp_integer D) {
    fractions f;
    bool found = false;
    HSP_INTEGERS_INIT(D->memory, f.modulus, f.half, f.u, f.a0, f.a1, f.t0, f.t1, f.q);
    for (int64_t step = 0, next = 4; step < s->steps && !found && !D->memory->failed && !hsp_cancel_pending(); step++) {
        lift(s, step);
        bool last = step + 1 == s->steps;
        if (!last && (!early || step + 1 < next)) continue;
        next = next + next / 3 + 1;
        found = reconstruct(s, step + 1, &f, N, D);
    }
    HSP_INTEGERS_FREE(f.modulus, f.half, f.u, f.a0, f.a1, f.t0, f.t1, f.q);
    return found;
}

int hsp_padic_solve(int64_t r, hsp_integer *A, hsp_integer *b, int prime, bool early, hsp_integer *N,
                    hsp_integer D, bool *found, hsp_error **err) {
    lifting s = {0};
    *found = r == 0;
    hsp_integer_set_unsigned(D, 1);
    if (r == 0 || r > MOST) return HSP_OK;
    int64_t *swapped = hsp_alloc(r, sizeof *swapped);
    int status = swapped ? lifting_new(&s, D->memory, r, A, b, hsp_padic_prime[prime]) : HSP_EMEMORY;
    if (!status && invert(&s, swapped)) *found = lift_solution(&s, early, N, D);
    if (swapped) hsp_integer_free(s.part);
    hsp_integers_free(s.residual, s.r);
    if (!status && D->memory->failed) status = HSP_EMEMORY;
    if (status) *found = false;
    HSP_FREE(s.inverse, s.begin, s.pieces, s.residual_mod, s.digit, swapped);
    return status ? hsp_fail_memory(err) : HSP_OK;
}
