#include "base/exact_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BITS = 32, LEAST = -1074, MANTISSA = 52 };
static const int64_t MASK = ((int64_t)1 << BITS) - 1, MOST_ADDED = (int64_t)1 << 30;

/* Digits become 0 .. 2^32 - 1, but for the highest, which has the sign. */
static void carry(hsp_exact_sum *s) {
    int64_t over = 0;
    for (int k = 0; k < HSP_SUM_DIGITS; k++) {
        int64_t digit = s->digit[k] + over;
        over = digit >> BITS; /* rounds down */
        s->digit[k] = k + 1 < HSP_SUM_DIGITS ? digit & MASK : digit;
    }
    s->added = 1;
}

void hsp_exact_sum_add(hsp_exact_sum *s, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint64_t exponent = bits >> MANTISSA & 0x7ff, m = bits & ((UINT64_C(1) << MANTISSA) - 1);
    if (exponent > 0) m |= UINT64_C(1) << MANTISSA;
    uint64_t place = exponent > 0 ? exponent - 1 : 0, shift = place % BITS;
    int64_t *to = s->digit + place / BITS;
    const int64_t part[3] = {(int64_t)(m << shift) & MASK, (int64_t)(m >> (BITS - shift)) & MASK,
                             shift > 0 ? (int64_t)(m >> (2 * BITS - shift)) : 0};
    for (int k = 0; k < 3; k++) to[k] += bits >> 63 ? -part[k] : part[k];
    if (++s->added >= MOST_ADDED) carry(s);
}

void hsp_exact_sum_join(hsp_exact_sum *s, const hsp_exact_sum *other) {
    for (int k = 0; k < HSP_SUM_DIGITS; k++) s->digit[k] += other->digit[k];
    s->added += other->added;
    if (s->added >= MOST_ADDED) carry(s);
}

/* The sum times 2^scale. */
static double scaled_value(const hsp_exact_sum *of, int scale) {
    hsp_exact_sum s = *of;
    carry(&s);
    bool negative = s.digit[HSP_SUM_DIGITS - 1] < 0;
    if (negative) {
        for (int k = 0; k < HSP_SUM_DIGITS; k++) s.digit[k] = -s.digit[k];
        carry(&s);
    }
    int top = HSP_SUM_DIGITS - 1;
    while (top > 0 && s.digit[top] == 0) top--;
    /* 64 bits from the highest that is set, the last of which stands for all lower ones: their conversion rounds once. */
    uint64_t high = (uint64_t)s.digit[top] << BITS | (uint64_t)(top > 0 ? s.digit[top - 1] : 0);
    uint64_t low = top > 1 ? (uint64_t)s.digit[top - 2] : 0;
    if (high == 0) return 0;
    int zeros = __builtin_clzll(high);
    high = high << zeros | low >> (BITS - zeros);
    bool rest = (low & ((UINT64_C(1) << (BITS - zeros)) - 1)) != 0;
    for (int k = 0; k < top - 2; k++) rest = rest || s.digit[k] != 0;
    double v = ldexp((double)(high | rest), BITS * (top - 1) - zeros + LEAST + scale);
    return negative ? -v : v;
}

double hsp_exact_sum_value(const hsp_exact_sum *s) {
    return scaled_value(s, 0);
}

double hsp_exact_sum_mean(const hsp_exact_sum *s, int64_t n) {
    enum { DOWN = 128 };
    double sum = hsp_exact_sum_value(s);
    return isfinite(sum) ? sum / (double)n : ldexp(scaled_value(s, -DOWN) / (double)n, DOWN);
}
