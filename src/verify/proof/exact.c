/* Kulisch's long accumulator, with 32-bit digits in 64-bit cells, so that carries can be deferred. */
#include "verify/proof/exact.h"

#include "base/limbs.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { DIGIT = 32, PATIENCE = 1 << 30 };
static const int64_t digit_mask = 0xffffffff;

/* v = (-1)^negative m 2^e with m < 2^53, not reduced. */
static uint64_t raw_split(double v, int *e, bool *negative) {
    uint64_t bits, fraction;
    memcpy(&bits, &v, sizeof bits);
    int field = (int)(bits >> 52) & 0x7ff;
    fraction = bits & 0xfffffffffffffULL;
    *negative = bits >> 63;
    *e = (field > 0 ? field : 1) - 1075;
    return field > 0 ? fraction | 1ULL << 52 : fraction;
}

int64_t hsp_exact_split(double v, int *exponent) {
    bool negative;
    uint64_t m = raw_split(v, exponent, &negative);
    if (m == 0) {
        *exponent = 0;
        return 0;
    }
    int zeros = __builtin_ctzll(m);
    *exponent += zeros;
    int64_t odd = (int64_t)(m >> zeros);
    return negative ? -odd : odd;
}

void hsp_exact_clear(hsp_exact *s) {
    memset(s->cell, 0, sizeof s->cell);
    s->added = 0;
    s->low = HSP_EXACT_CELLS;
    s->high = 0;
}

/* Propagates the carries. Afterwards the cells from low to high - 2 are digits, and that at high - 1 has the sign. */
static void carry(hsp_exact *s) {
    int64_t c = 0;
    int k = s->low;
    for (; k < s->high || (c != 0 && c != -1 && k < HSP_EXACT_CELLS); k++) {
        int64_t v = s->cell[k] + c;
        c = v >> DIGIT;
        s->cell[k] = v & digit_mask;
    }
    if (k > s->low && c == -1) {
        /* The last digit takes the sign: its cell has 64 bits. */
        s->cell[k - 1] -= (int64_t)1 << DIGIT;
    }
    s->high = k > s->low ? k : s->high;
    s->added = 0;
}

void hsp_exact_add_product(hsp_exact *s, double a, double b) {
    int ea, eb;
    bool na, nb;
    uint64_t ma = raw_split(a, &ea, &na), mb = raw_split(b, &eb, &nb);
    if (ma == 0 || mb == 0) return;
    int at = ea + eb + HSP_EXACT_BELOW, k = at / DIGIT, r = at % DIGIT;
    unsigned __int128 p = (unsigned __int128)ma * mb, low = p << r; /* p has 106 bits: up to 138 when shifted */
    int64_t digit[5] = {(int64_t)(low & 0xffffffff), (int64_t)(low >> 32 & 0xffffffff), (int64_t)(low >> 64 & 0xffffffff),
                        (int64_t)(low >> 96), (int64_t)(r > 0 ? p >> (128 - r) : 0)};
    int64_t sign = na != nb ? -1 : 1;
    for (int t = 0; t < 5; t++) s->cell[k + t] += sign * digit[t];
    if (k < s->low) s->low = k;
    if (k + 5 > s->high) s->high = k + 5;
    if (++s->added >= PATIENCE) carry(s);
}

void hsp_exact_add(hsp_exact *s, double a) {
    hsp_exact_add_product(s, a, 1);
}

int hsp_exact_sign(hsp_exact *s) {
    carry(s);
    for (int k = s->high - 1; k >= s->low; k--)
        if (s->cell[k] != 0) return s->cell[k] < 0 ? -1 : 1;
    return 0;
}

static void negate(hsp_exact *s) {
    for (int k = s->low; k < s->high; k++) s->cell[k] = -s->cell[k];
    carry(s);
}

/* The `bits` upper bits m of |s|, which is m 2^exponent, or more than that if `more`; 0 if s is 0. bits: at most 63. */
static uint64_t upper_bits(hsp_exact *s, int bits, bool *more, int64_t *exponent) {
    int sign = hsp_exact_sign(s);
    *more = false;
    *exponent = 0;
    if (sign == 0) return 0;
    if (sign < 0) negate(s);
    int top = s->high - 1;
    while (s->cell[top] == 0) top--;
    unsigned __int128 v = 0; /* the four digits from the top: at least 97 significant bits */
    for (int t = 0; t < 4; t++) v = v << DIGIT | (unsigned __int128)(top - t >= s->low ? s->cell[top - t] : 0);
    for (int k = top - 4; k >= s->low && !*more; k--) *more = s->cell[k] != 0;
    if (sign < 0) negate(s);
    int drop = 128 - __builtin_clzll((uint64_t)(v >> 64)) - bits;
    *more |= (v & (((unsigned __int128)1 << drop) - 1)) != 0;
    *exponent = (int64_t)DIGIT * (top - 3) - HSP_EXACT_BELOW + drop;
    return (uint64_t)(v >> drop);
}

double hsp_exact_nearest(hsp_exact *s) {
    bool more;
    int64_t e;
    uint64_t m = upper_bits(s, 63, &more, &e);
    return ldexp((double)(m | more), (int)e);
}

hsp_scaled hsp_exact_size(hsp_exact *s, bool up) {
    bool more;
    int64_t e;
    uint64_t m = upper_bits(s, 53, &more, &e);
    if (up && more) m++;
    if (m >> 53) m >>= 1, e++;
    return (hsp_scaled){(double)m, e};
}

double hsp_exact_round(hsp_exact *s, bool up) {
    hsp_scaled v = hsp_exact_size(s, up);
    if (v.m == 0) return 0;
    if (v.e > 971) return up ? INFINITY : DBL_MAX;
    if (v.e < -1074) return up ? DBL_MIN : 0;
    return ldexp(v.m, (int)v.e);
}

int hsp_scaled_compare(hsp_scaled a, hsp_scaled b) {
    if (a.m == 0 || b.m == 0) return (a.m > 0) - (b.m > 0);
    if (a.e != b.e) return a.e < b.e ? -1 : 1;
    return (a.m > b.m) - (a.m < b.m);
}

hsp_scaled hsp_scaled_of(double v) {
    int e;
    if (v == 0) return (hsp_scaled){0, 0};
    double m = frexp(v, &e);
    return (hsp_scaled){ldexp(m, 53), e - 53};
}

enum { LIMBS = 6 };

static int64_t bits_of(const uint64_t *v) {
    int64_t n = hsp_limbs_trim(v, LIMBS);
    return n == 0 ? 0 : 64 * n - __builtin_clzll(v[n - 1]);
}

/* v = v 2^bits, which has at most LIMBS limbs. */
static void shift_up(uint64_t *v, int64_t bits) {
    int64_t k = bits / 64;
    memmove(v + k, v, (size_t)(LIMBS - k) * sizeof *v);
    memset(v, 0, (size_t)k * sizeof *v);
    hsp_limbs_up(v, v, LIMBS, (int)(bits % 64));
}

/* (m 2^e)^2 b <= a^2, exactly. */
static bool is_below(int64_t m, int64_t e, hsp_scaled a, hsp_scaled b) {
    uint64_t left[LIMBS] = {0}, right[LIMBS] = {0}, square[2], one = (uint64_t)m, size = (uint64_t)a.m, by = (uint64_t)b.m;
    hsp_limbs_mul(square, &one, 1, &one, 1);
    hsp_limbs_mul(left, square, 2, &by, 1); /* 159 bits */
    hsp_limbs_mul(right, &size, 1, &size, 1);
    int64_t shift = 2 * e + b.e - 2 * a.e, longer = bits_of(left) + shift - bits_of(right);
    if (hsp_limbs_trim(left, LIMBS) == 0 || longer != 0) return hsp_limbs_trim(left, LIMBS) == 0 || longer < 0;
    shift_up(shift > 0 ? left : right, shift > 0 ? shift : -shift);
    return hsp_limbs_compare(left, hsp_limbs_trim(left, LIMBS), right, hsp_limbs_trim(right, LIMBS)) <= 0;
}

double hsp_scaled_over_root(hsp_scaled a, hsp_scaled b) {
    if (a.m == 0) return 0;
    bool odd = b.e & 1;
    int k;
    double q = frexp(a.m / sqrt(odd ? 2 * b.m : b.m), &k);
    int64_t e = a.e - (b.e - odd) / 2 + k - 53, m = (int64_t)ldexp(q, 53) + 2;
    if (e > 1000) return DBL_MAX;
    if (e < -1200) return 0;
    if (e < -1074) { /* multiples of the smallest subnormal */
        m = (-1074 - e < 60 ? m >> (-1074 - e) : 0) + 1;
        e = -1074;
    }
    if (m > (int64_t)1 << 53) m = (int64_t)1 << 53;
    while (m > 0 && !is_below(m, e, a, b)) m--; /* the quotient was rounded: a few steps */
    double v = ldexp((double)m, (int)e);
    return v > DBL_MAX ? DBL_MAX : v;
}

bool hsp_exact_ieee(void) {
    volatile double least = DBL_TRUE_MIN, small = DBL_MIN;
    return fegetround() == FE_TONEAREST && least * 1.0 > 0 && small / 2 > 0;
}
