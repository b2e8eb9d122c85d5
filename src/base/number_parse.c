/* Parsing: the digits, as a 64-bit integer, are multiplied by a 128-bit power of ten. The product is known up to a narrow
 * interval, which decides the rounding unless it contains a midpoint of two doubles (D. Lemire, "Number parsing at a gigabyte
 * per second", 2021, here with an interval). Otherwise number_exact.c compares with the midpoint. */
#include "base/number.h"
#include "base/number_exact.h"
#include "base/pow10.h"

#include <string.h>

typedef unsigned __int128 uint128;

/* The text of a number, without its sign. */
typedef struct decimal {
    const char *first; /* the first digit */
    const char *end;   /* after the last digit; a point may be among them */
    int64_t last;      /* the last digit has the weight 10^last */
} decimal;

static const uint64_t whole_ten[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* ---- digits ----
 * Inlined twice, with an end and for padded text (end NULL). */

static inline __attribute__((always_inline)) bool inside(const char *p, const char *end) {
    return !end || p < end;
}

/* Appends a run of digits to sum. With more than 19 digits it wraps; nearest_of_many then starts over. */
static inline __attribute__((always_inline)) const char *read_run(const char *p, const char *end, uint64_t *sum) {
    while (!end || end - p >= 8) {
        uint64_t lanes = hsp_digits_load(p), stop = hsp_digits_stop(lanes);
        if (stop != 0) {
            unsigned n = hsp_digits_count(stop);
            *sum = *sum * whole_ten[n] + hsp_digits_value(hsp_digits_before(lanes, stop));
            return p + n;
        }
        *sum = *sum * 100000000 + hsp_digits_value(lanes);
        p += 8;
    }
    for (; p < end && is_digit(*p); p++) *sum = *sum * 10 + (uint64_t)(*p - '0');
    return p;
}

/* Parses the exponent at s, an 'e'. Returns what follows, or s when it is not an exponent. Saturates far beyond any length
 * of text. */
static inline __attribute__((always_inline)) const char *read_exponent(const char *s, const char *end, int64_t *exponent) {
    const char *p = s + 1;
    bool negative = inside(p, end) && *p == '-';
    int64_t e = 0;
    if (inside(p, end) && (*p == '-' || *p == '+')) p++;
    if (!inside(p, end) || !is_digit(*p)) return s;
    for (; inside(p, end) && is_digit(*p); p++)
        if (e < INT64_C(100000000000000000)) e = e * 10 + (*p - '0');
    *exponent = negative ? -e : e;
    return p;
}

/* ---- rounding ---- */

/* The bits of m 2^k; m has 53 bits, or fewer when k = -1074. m = 2^53 works too. */
static uint64_t pack(uint64_t m, int k) {
    return k == -1074 ? m : ((uint64_t)(k + 1074) << 52) + m;
}

/* Where the interval does not decide: exact comparison with the midpoint, ties to even. */
static uint64_t round_exactly(const decimal *d, uint64_t m, int k) {
    int order = hsp_number_compare_half(d->first, d->end, d->last, m, k);
    return pack(order > 0 ? m + 1 : order < 0 ? m : m + (m & 1), k);
}

/* The bits of the double nearest to digits 10^exponent, digits > 0. truncated: to the number d, which lies between that and
 * (digits + 1) 10^exponent. */
static __attribute__((noinline)) uint64_t nearest(uint64_t digits, int64_t exponent, bool truncated, const decimal *d) {
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    if (exponent > 308) return infinity;
    if (exponent < HSP_POW10_MIN) return 0;
    int q = (int)exponent, shift = __builtin_clzll(digits);
    const uint64_t *g = hsp_pow10[q - HSP_POW10_MIN], w = digits << shift;
    uint128 low = (uint128)w * g[1], h = (uint128)w * g[0] + (low >> 64);
    /* The number is in [h, h + width), where 2^127 <= h < 2^128 represents 2^top <= number < 2^(top+1). */
    uint128 width = truncated ? ((uint128)1 << (65 + shift)) + 4 : 4;
    int raised = (int)(h >> 127) ^ 1, top = 64 + hsp_pow10_log2(q) - shift - raised;
    h = h << raised | (uint64_t)low >> 63 >> (raised ^ 1);
    if (top > 1023) return infinity;
    int bits = top >= -1022 ? 53 : 1075 + top, k = top >= -1022 ? top - 52 : -1074;
    if (bits <= 0) return round_exactly(d, 0, k);
    uint64_t m = (uint64_t)(h >> (128 - bits));
    uint128 half = (uint128)1 << (127 - bits), rest = h & (2 * half - 1);
    /* The rounding direction is unpredictable: added without a branch. */
    bool up = rest > half;
    return (up ? rest - half : half - rest) > width ? pack(m + up, k) : round_exactly(d, m, k);
}

/* More than 19 digits: skips leading zeros, takes 19, and checks whether the rest is zeros. */
static __attribute__((noinline)) uint64_t nearest_of_many(decimal d) {
    const char *p = d.first;
    uint64_t digits = 0;
    int64_t exponent = d.last;
    bool truncated = false;
    while (p < d.end && (*p == '0' || *p == '.')) p++;
    d.first = p;
    for (int taken = 0; p < d.end && taken < 19; p++) {
        if (*p == '.') continue;
        digits = digits * 10 + (uint64_t)(*p - '0');
        taken++;
    }
    for (; p < d.end; p++) {
        if (*p == '.') continue;
        exponent++;
        if (*p != '0') truncated = true;
    }
    return digits == 0 ? 0 : nearest(digits, exponent, truncated, &d);
}

/* nearest with only the upper half of the power. False when that does not decide (two in a thousand), or near the ends of
 * the range of doubles. */
static inline bool nearest_quickly(uint64_t digits, int64_t exponent, uint64_t *bits) {
    if (exponent < -307 || exponent > 288 || digits == 0) return false;
    int q = (int)exponent, shift = __builtin_clzll(digits);
    uint64_t h = (uint64_t)((uint128)(digits << shift) * hsp_pow10[q - HSP_POW10_MIN][0] >> 64);
    int raised = (int)(h >> 63) ^ 1, top = 64 + hsp_pow10_log2(q) - shift - raised;
    h <<= raised;
    /* The number is in [h, h + 4), where h = 2^63 represents 2^top. */
    uint64_t m = h >> 11, rest = h & 0x7ff, up = rest > 0x400;
    if (rest + 4 > 0x400 && !up) return false;
    *bits = ((uint64_t)(top + 1022) << 52) + m + up;
    return true;
}

/* When digits and the power of ten are exact doubles, one operation rounds once (W. Clinger, 1990). Most numbers in files. */
static inline bool round_once(uint64_t digits, int64_t exponent, uint64_t *bits) {
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits >> 53 != 0 || exponent > 22 || exponent < -22) return false;
    double v = (double)(int64_t)digits;
    v = exponent < 0 ? v / ten[-exponent] : v * ten[exponent];
    memcpy(bits, &v, sizeof v);
    return true;
}

/* The number of digits without leading zeros. */
static int64_t count_without_zeros(const decimal *d, int64_t count) {
    for (const char *p = d->first; p < d->end && (*p == '0' || *p == '.'); p++) count -= *p == '0';
    return count;
}

static inline __attribute__((always_inline)) const char *parse(const char *s, const char *end, double *v) {
    const char *p = s;
    bool negative = inside(p, end) && *p == '-';
    p += negative || (inside(p, end) && *p == '+');
    decimal d = {.first = p};
    uint64_t digits = 0, bits;
    p = read_run(p, end, &digits);
    int64_t count = p - d.first;
    if (inside(p, end) && *p == '.') {
        const char *fraction = ++p;
        p = read_run(p, end, &digits);
        count += p - fraction;
        d.last = fraction - p;
    }
    if (count == 0) return NULL;
    d.end = p;
    if (inside(p, end) && (*p | 0x20) == 'e') {
        int64_t e = 0;
        p = read_exponent(p, end, &e);
        d.last += e;
    }
    if (count > 19 && count_without_zeros(&d, count) > 19)
        bits = nearest_of_many(d);
    else if (!round_once(digits, d.last, &bits) && !nearest_quickly(digits, d.last, &bits))
        bits = digits == 0 ? 0 : nearest(digits, d.last, false, &d);
    bits |= (uint64_t)negative << 63;
    memcpy(v, &bits, sizeof bits);
    return p;
}

const char *hsp_number_parse(const char *s, const char *end, double *v) {
    return parse(s, end, v);
}

const char *hsp_number_parse_more(const char *s, double *v) {
    return parse(s, NULL, v);
}

/* Below limit_B[n], n more digits fit in B bits. */
static const uint64_t limit_64[8] = {UINT64_C(10000000000000000000), UINT64_C(1000000000000000000),
                                     UINT64_C(100000000000000000),   UINT64_C(10000000000000000),
                                     UINT64_C(1000000000000000),     UINT64_C(100000000000000),
                                     UINT64_C(10000000000000),       UINT64_C(1000000000000)};
static const uint64_t limit_53[8] = {UINT64_C(9007199254740992), UINT64_C(900719925474099), UINT64_C(90071992547409),
                                     UINT64_C(9007199254740),    UINT64_C(900719925474),    UINT64_C(90071992547),
                                     UINT64_C(9007199254),       UINT64_C(900719925)};

/* Called for two kinds of fractions: about six significant digits after some zeros, which are divided once, and 16 or 17
 * significant digits of doubles in full. */
const char *hsp_number_parse_fraction(const char *s, const char *fraction, uint64_t digits, double *v) {
    static const double ten[2][8] = {{1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
                                     {-1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14, -1e15}};
    const char *p = fraction + 8;
    digits = digits * 100000000 + hsp_digits_value(hsp_digits_load(fraction));
    uint64_t lanes = hsp_digits_load(p), stop = hsp_digits_stop(lanes), bits;
    unsigned n;
    if (stop != 0) {
        n = hsp_digits_count(stop);
        if (digits < limit_53[n] && (p[n] | 0x20) != 'e') {
            digits = digits * whole_ten[n] + hsp_digits_value(hsp_digits_before(lanes, stop));
            *v = (double)(int64_t)digits / ten[*s == '-'][n];
            return p + n;
        }
    } else {
        if (digits >= 100000000000) return hsp_number_parse_more(s, v);
        digits = digits * 100000000 + hsp_digits_value(lanes);
        p += 8;
        lanes = hsp_digits_load(p);
        stop = hsp_digits_stop(lanes);
        if (stop == 0) return hsp_number_parse_more(s, v);
        n = hsp_digits_count(stop);
    }
    if (digits >= limit_64[n]) return hsp_number_parse_more(s, v);
    digits = digits * whole_ten[n] + hsp_digits_value(hsp_digits_before(lanes, stop));
    p += n;
    int64_t exponent = fraction - p, e = 0;
    if ((*p | 0x20) == 'e') p = read_exponent(p, NULL, &e);
    exponent += e;
    if (!nearest_quickly(digits, exponent, &bits)) return hsp_number_parse_more(s, v);
    bits |= (uint64_t)(*s == '-') << 63;
    memcpy(v, &bits, sizeof bits);
    return p;
}

const char *hsp_number_parse_int(const char *s, const char *end, int64_t *v) {
    int64_t sum = 0;
    const char *p = s;
    for (; p < end && is_digit(*p); p++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *p - '0', &sum)) return NULL;
    if (p == s) return NULL;
    *v = sum;
    return p;
}
