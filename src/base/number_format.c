/* Formatting: R. Giulietti, "The Schubfach way to render doubles" (2020). Of the decimals in the interval that rounds to v,
 * the one with the fewest digits, and of those the nearest to v. */
#include "base/number.h"
#include "base/pow10.h"
#include "halfspace.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* digits 10^exponent */
typedef struct shortest_decimal {
    uint64_t digits;
    int exponent;
} shortest_decimal;

/* floor(x g / 2^128), with the lowest bit set when the quotient is not exact (round to odd): enough for comparing with
 * multiples of 2. g is the power rounded up, so a remainder of 1 may be its error and does not count. */
static uint64_t scale(uint128 g, uint64_t x) {
    uint128 low = (uint128)(uint64_t)g * x, high = (uint128)(uint64_t)(g >> 64) * x + (low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* v = c 2^q. The rounding interval in quarters is 4c - 2 (4c - 1 at a power of two, where the doubles below are twice as
 * close) to 4c + 2, multiplied by 10^-k to be 1 to 10 wide. */
static shortest_decimal shortest(uint64_t c, int q, bool closer_below) {
    int k = (q * 1262611 - (closer_below ? 524031 : 0)) >> 22; /* floor(log10(2^q)) or of 3/4 2^q */
    int h = q + hsp_pow10_log2(-k) + 1;
    const uint64_t *power = hsp_pow10[-k - HSP_POW10_MIN];
    uint128 g = ((uint128)power[0] << 64 | power[1]) + (-k < 0 || -k > HSP_POW10_EXACT);
    uint64_t out = c & 1; /* the ends round to v only when c is even */
    uint64_t lower = scale(g, (4 * c - 2 + closer_below) << h) + out;
    uint64_t middle = scale(g, (4 * c) << h), upper = scale(g, (4 * c + 2) << h) - out;
    uint64_t s = middle / 4, tens = s / 10;
    if (s >= 10) {
        bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) return (shortest_decimal){tens + above, k + 1};
    }
    bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return (shortest_decimal){s + above, k};
    bool up = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1) != 0);
    return (shortest_decimal){s + up, k};
}

/* At most 17 digits, so at most 16 trailing zeros. */
static void drop_zeros(shortest_decimal *d) {
    enum { STEPS = 5 };
    static const int zeros[STEPS] = {8, 8, 4, 2, 1};
    static const uint64_t power[STEPS] = {100000000, 100000000, 10000, 100, 10};
#pragma GCC unroll 5
    for (int i = 0; i < STEPS; i++) {
        if (d->digits % power[i] != 0) continue;
        d->digits /= power[i];
        d->exponent += zeros[i];
    }
}

static shortest_decimal from_bits(uint64_t bits) {
    const uint64_t hidden = UINT64_C(1) << 52;
    uint64_t fraction = bits & (hidden - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    shortest_decimal d = exponent == 0 ? shortest(fraction, -1074, false)
                                       : shortest(hidden | fraction, exponent - 1075, fraction == 0 && exponent > 1);
    if (d.digits % 10 == 0) drop_zeros(&d);
    return d;
}

/* ---- digits ---- */

static const char pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Eight digits at once: two lanes of four digits, four of two, then a digit in each byte. The factors divide by 100 and by
 * 10, exactly for every value of a lane. */
static void put_eight(uint32_t v, char *out) {
    uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32;
    uint64_t hundreds = (x * 10486 >> 20) & 0x0000007f0000007f;
    x = hundreds | (x - 100 * hundreds) << 16;
    uint64_t tens = (x * 103 >> 10) & 0x000f000f000f000f;
    x = (tens | (x - 10 * tens) << 8) + 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    memcpy(out, &x, sizeof x);
}

/* The number of digits of v: the binary logarithm gives it up to 1. */
static int count_digits(uint64_t v) {
    static const uint64_t power[20] = {0,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                       1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    int less = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;
    return less + (v >= power[less]);
}

/* Writes the n digits of v, no byte more. */
static void put_digits(uint64_t v, int n, char *out) {
    for (; n > 8; n -= 8, v /= 100000000) put_eight((uint32_t)(v % 100000000), out + n - 8);
    uint32_t rest = (uint32_t)v;
    for (; n >= 2; n -= 2, rest /= 100) memcpy(out + n - 2, pairs + 2 * (rest % 100), 2);
    if (n > 0) out[0] = (char)('0' + rest % 10);
}

static int put_whole(uint64_t v, char *out) {
    int n = count_digits(v);
    put_digits(v, n, out);
    return n;
}

/* Writes n digits, the first of which has the weight 10^e. */
static int put_plain(uint64_t digits, int n, int e, char *out) {
    if (e < 0) { /* 0.00ddd */
        *out++ = '0';
        *out++ = '.';
        for (int i = -1; i > e; i--) *out++ = '0';
        put_digits(digits, n, out);
        return n + 1 - e;
    }
    if (e >= n - 1) { /* ddd00 */
        put_digits(digits, n, out);
        for (int i = n; i <= e; i++) out[i] = '0';
        return e + 1;
    }
    put_digits(digits, n, out + 1); /* dd.ddd: the digits before the point move up */
    for (int i = 0; i <= e; i++) out[i] = out[i + 1];
    out[e + 1] = '.';
    return n + 1;
}

static int put_scientific(uint64_t digits, int n, int e, char *out) {
    char *p = out;
    if (n == 1) {
        *p++ = (char)('0' + digits);
    } else {
        put_digits(digits, n, p + 1);
        p[0] = p[1];
        p[1] = '.';
        p += n + 1;
    }
    *p++ = 'e';
    if (e < 0) *p++ = '-';
    return (int)(p - out) + put_whole((uint64_t)(e < 0 ? -e : e), p);
}

int hsp_number_format(double v, char *out) {
    int sign = signbit(v) ? 1 : 0;
    if (sign) out[0] = '-';
    out += sign;
    double size = fabs(v);
    if (size < 1e15 && size == (double)(int64_t)size) return sign + put_whole((uint64_t)size, out);
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    shortest_decimal d = from_bits(bits);
    int n = count_digits(d.digits), e = d.exponent + n - 1, magnitude = e < 0 ? -e : e;
    int plain = e < 0 ? n + 1 - e : e < n - 1 ? n + 1 : e + 1;
    int scientific = n + (n > 1) + 1 + (e < 0) + (magnitude >= 100 ? 3 : magnitude >= 10 ? 2 : 1);
    return sign + (plain <= scientific ? put_plain(d.digits, n, e, out) : put_scientific(d.digits, n, e, out));
}

int hsp_number_format_int(int64_t v, char *out) {
    if (v >= 0) return put_whole((uint64_t)v, out);
    out[0] = '-';
    return 1 + put_whole(0 - (uint64_t)v, out + 1);
}

int hsp_format_number(double v, char *buf) {
    if (isfinite(v)) {
        int n = hsp_number_format(v, buf);
        buf[n] = '\0';
        return n;
    }
    const char *word = isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
    size_t n = strlen(word);
    memcpy(buf, word, n + 1);
    return (int)n;
}

int hsp_parse_number(const char *text, size_t n, double *v) {
    double x;
    if (n == 0 || n > PTRDIFF_MAX || hsp_number_parse(text, text + n, &x) != text + n || isinf(x)) return HSP_EINPUT;
    *v = x;
    return HSP_OK;
}
