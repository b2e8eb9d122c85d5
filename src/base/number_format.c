/* Writing: Giulietti, "The Schubfach way to render doubles" (2020). Of the decimals inside the interval that rounds to v,
 * the one with the fewest digits; among several, the nearest to v. */
#include "base/number.h"
#include "base/pow10.h"

#include "halfspace.h"

#include <math.h>
#include <string.h>

typedef unsigned __int128 uint128;

/* digits 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* floor(x g / 2^128), with the lowest bit set when anything was cut off: enough for comparing with multiples of 2. g is the
 * power rounded up, so a rest of 1 may be its error and does not count. */
static uint64_t scale(uint128 g, uint64_t x) {
    uint128 low = (uint128)(uint64_t)g * x, high = (uint128)(uint64_t)(g >> 64) * x + (low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* v = c 2^q. The ends of the interval are in quarters: 4c - 2 (or -1 below a power of two, where the doubles below are
 * twice as close) to 4c + 2, multiplied by 10^-k so that it is 1 to 10 wide. */
static decimal shortest(uint64_t c, int q, bool closer_below) {
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
        if (below != above) return (decimal){tens + above, k + 1};
    }
    bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return (decimal){s + above, k};
    bool up = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1) != 0);
    return (decimal){s + up, k};
}

static decimal from_bits(uint64_t bits) {
    const uint64_t hidden = UINT64_C(1) << 52;
    uint64_t fraction = bits & (hidden - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    decimal d = exponent == 0 ? shortest(fraction, -1074, false)
                              : shortest(hidden | fraction, exponent - 1075, fraction == 0 && exponent > 1);
    if (d.digits % 100000000 == 0) {
        d.digits /= 100000000;
        d.exponent += 8;
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* The digits of v, as many as there are; at most 20. */
static int put_digits(uint64_t v, char *out) {
    char reversed[20];
    int n = 0;
    do reversed[n++] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    for (int i = 0; i < n; i++) out[i] = reversed[n - 1 - i];
    return n;
}

/* n digits, the first of which counts 10^e. */
static int put_plain(const char *digits, int n, int e, char *out) {
    int zeros = e < 0 ? -e : 0, whole = e < 0 ? 0 : e + 1 < n ? e + 1 : n, at = 0;
    if (zeros > 0) {
        memset(out, '0', (size_t)zeros + 1);
        out[1] = '.';
        at = zeros + 1;
    }
    memcpy(out + at, digits, (size_t)whole);
    at += whole;
    if (whole > 0 && whole < n) out[at++] = '.';
    memcpy(out + at, digits + whole, (size_t)(n - whole));
    at += n - whole;
    for (int i = n; i <= e; i++) out[at++] = '0';
    return at;
}

static int put_scientific(const char *digits, int n, int e, char *out) {
    int at = 0;
    out[at++] = digits[0];
    if (n > 1) out[at++] = '.';
    memcpy(out + at, digits + 1, (size_t)(n - 1));
    at += n - 1;
    out[at++] = 'e';
    if (e < 0) out[at++] = '-';
    return at + put_digits((uint64_t)(e < 0 ? -e : e), out + at);
}

int hsp_number_format(double v, char *out) {
    int sign = signbit(v) ? 1 : 0;
    if (sign) out[0] = '-';
    out += sign;
    double size = fabs(v);
    if (size < 1e15 && size == floor(size)) return sign + put_digits((uint64_t)size, out);
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    decimal d = from_bits(bits);
    char digits[20];
    int n = put_digits(d.digits, digits), e = d.exponent + n - 1, magnitude = e < 0 ? -e : e;
    int plain = e < 0 ? n + 1 - e : e < n - 1 ? n + 1 : e + 1;
    int scientific = n + (n > 1) + 1 + (e < 0) + (magnitude >= 100 ? 3 : magnitude >= 10 ? 2 : 1);
    return sign + (plain <= scientific ? put_plain(digits, n, e, out) : put_scientific(digits, n, e, out));
}

int hsp_number_format_int(int64_t v, char *out) {
    if (v >= 0) return put_digits((uint64_t)v, out);
    out[0] = '-';
    return 1 + put_digits(0 - (uint64_t)v, out + 1);
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
