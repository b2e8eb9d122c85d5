/* Both sides are multiplied by powers of 2 and 5 until they are integers, then compared. A midpoint of two doubles has at
 * most 768 digits, so digits past DIGITS can only make the number a little larger: a single digit 1 replaces them unless all
 * are 0. The last digit then has a weight of at least 10^-1105. As the sides differ by less than a factor of 4, both stay
 * below 2^2700, about 2^54 5^1105. */
#include "base/number_exact.h"

#include <stdbool.h>

#define DIGITS 780
#define LIMBS 64 /* of 64 bits: 4096 */

typedef struct exact_natural {
    int used; /* limbs; the highest is not 0 */
    uint64_t limb[LIMBS];
} exact_natural;

/* x = x factor + term. By the bounds above it fits. */
static void multiply_add(exact_natural *x, uint64_t factor, uint64_t term) {
    for (int i = 0; i < x->used; i++) {
        unsigned __int128 product = (unsigned __int128)x->limb[i] * factor + term;
        x->limb[i] = (uint64_t)product;
        term = (uint64_t)(product >> 64);
    }
    if (term > 0 && x->used < LIMBS) x->limb[x->used++] = term;
}

static void multiply_by_five_to(exact_natural *x, int64_t n) {
    const uint64_t most = UINT64_C(7450580596923828125); /* 5^27 */
    for (; n >= 27; n -= 27) multiply_add(x, most, 0);
    uint64_t rest = 1;
    for (; n > 0; n--) rest *= 5;
    multiply_add(x, rest, 0);
}

static void multiply_by_two_to(exact_natural *x, int64_t n) {
    for (; n >= 63; n -= 63) multiply_add(x, UINT64_C(1) << 63, 0);
    multiply_add(x, UINT64_C(1) << n, 0);
}

/* Reads the digits into x, 18 at a time; adds the number of those left out to *q. */
static void read_digits(const char *s, const char *end, exact_natural *x, int64_t *q) {
    int taken = 0;
    uint64_t part = 0, scale = 1;
    x->used = 0;
    while (s < end && (*s == '0' || *s == '.')) s++; /* leading zeros */
    for (; s < end && taken < DIGITS; s++) {
        if (*s == '.') continue;
        part = part * 10 + (uint64_t)(*s - '0');
        scale *= 10;
        if (++taken % 18 == 0) {
            multiply_add(x, scale, part);
            part = 0;
            scale = 1;
        }
    }
    multiply_add(x, scale, part);
    bool more = false;
    int64_t left_out = 0;
    for (; s < end; s++) {
        if (*s == '.') continue;
        left_out++;
        more = more || *s != '0';
    }
    *q += left_out;
    if (more) {
        multiply_add(x, 10, 1);
        *q -= 1;
    }
}

int hsp_number_compare_half(const char *s, const char *end, int64_t q, uint64_t m, int k) {
    exact_natural number, half = {.used = 1, .limb = {2 * m + 1}};
    read_digits(s, end, &number, &q);
    multiply_by_five_to(q >= 0 ? &number : &half, q >= 0 ? q : -q);
    /* number 2^q against half 2^(k-1) */
    int64_t twos = q - (k - 1);
    multiply_by_two_to(twos >= 0 ? &number : &half, twos >= 0 ? twos : -twos);
    if (number.used != half.used) return number.used < half.used ? -1 : 1;
    for (int i = number.used - 1; i >= 0; i--)
        if (number.limb[i] != half.limb[i]) return number.limb[i] < half.limb[i] ? -1 : 1;
    return 0;
}
