#include "base/limbs.h"

#include <stddef.h>
#include <string.h>

int hsp_limbs_compare(const uint64_t *a, int64_t n, const uint64_t *b, int64_t m) {
    if (n != m) return n < m ? -1 : 1;
    while (n-- > 0)
        if (a[n] != b[n]) return a[n] < b[n] ? -1 : 1;
    return 0;
}

uint64_t hsp_limbs_add(uint64_t *out, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m) {
    hsp_double_limb sum = 0;
    int64_t i = 0;
    for (; i < m; i++) {
        sum += (hsp_double_limb)a[i] + b[i];
        out[i] = (uint64_t)sum;
        sum >>= 64;
    }
    for (; i < n; i++) {
        sum += a[i];
        out[i] = (uint64_t)sum;
        sum >>= 64;
    }
    return (uint64_t)sum;
}

uint64_t hsp_limbs_sub(uint64_t *out, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m) {
    uint64_t borrow = 0;
    for (int64_t i = 0; i < n; i++) {
        hsp_double_limb less = (hsp_double_limb)(i < m ? b[i] : 0) + borrow;
        hsp_double_limb v = (hsp_double_limb)a[i] - less;
        out[i] = (uint64_t)v;
        borrow = (uint64_t)(v >> 64) & 1;
    }
    return borrow;
}

uint64_t hsp_limbs_mul_one(uint64_t *out, const uint64_t *a, int64_t n, uint64_t b) {
    uint64_t carry = 0;
    for (int64_t i = 0; i < n; i++) {
        hsp_double_limb v = (hsp_double_limb)a[i] * b + carry;
        out[i] = (uint64_t)v;
        carry = (uint64_t)(v >> 64);
    }
    return carry;
}

uint64_t hsp_limbs_add_mul_one(uint64_t *out, const uint64_t *a, int64_t n, uint64_t b) {
    uint64_t carry = 0;
    for (int64_t i = 0; i < n; i++) {
        hsp_double_limb v = (hsp_double_limb)a[i] * b + out[i] + carry;
        out[i] = (uint64_t)v;
        carry = (uint64_t)(v >> 64);
    }
    return carry;
}

uint64_t hsp_limbs_sub_mul_one(uint64_t *out, const uint64_t *a, int64_t n, uint64_t b) {
    uint64_t carry = 0;
    for (int64_t i = 0; i < n; i++) {
        hsp_double_limb v = (hsp_double_limb)a[i] * b + carry;
        uint64_t low = (uint64_t)v, old = out[i];
        out[i] = old - low;
        carry = (uint64_t)(v >> 64) + (old < low);
    }
    return carry;
}

void hsp_limbs_mul(uint64_t *out, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m) {
    out[n] = hsp_limbs_mul_one(out, a, n, b[0]);
    for (int64_t i = 1; i < m; i++) out[n + i] = hsp_limbs_add_mul_one(out + i, a, n, b[i]);
}

uint64_t hsp_limbs_up(uint64_t *out, const uint64_t *a, int64_t n, int bits) {
    if (bits == 0) {
        if (n > 0) memmove(out, a, (size_t)n * sizeof *out);
        return 0;
    }
    uint64_t above = n > 0 ? a[n - 1] >> (64 - bits) : 0;
    for (int64_t i = n - 1; i > 0; i--) out[i] = a[i] << bits | a[i - 1] >> (64 - bits);
    if (n > 0) out[0] = a[0] << bits;
    return above;
}

void hsp_limbs_down(uint64_t *out, const uint64_t *a, int64_t n, int bits) {
    if (bits == 0) {
        if (n > 0) memmove(out, a, (size_t)n * sizeof *out);
        return;
    }
    for (int64_t i = 0; i + 1 < n; i++) out[i] = a[i] >> bits | a[i + 1] << (64 - bits);
    if (n > 0) out[n - 1] = a[n - 1] >> bits;
}

/* ---- division ---- */

/* floor((2^128 - 1) / d) - 2^64 for d with its top bit set. Divisions by it replace the machine's, which are slow, and of
 * 128 bits a call (Moeller and Granlund 2011). */
static uint64_t reciprocal(uint64_t d) {
    return (uint64_t)((((hsp_double_limb)~d << 64) | UINT64_MAX) / d);
}

/* (high 2^64 + low) / d for high < d; *rest. */
static uint64_t divide_two(uint64_t high, uint64_t low, uint64_t d, uint64_t inverse, uint64_t *rest) {
    hsp_double_limb q = (hsp_double_limb)inverse * high + ((hsp_double_limb)high << 64 | low);
    uint64_t quotient = (uint64_t)(q >> 64) + 1, r = low - quotient * d;
    if (r > (uint64_t)q) {
        quotient--;
        r += d;
    }
    if (r >= d) {
        quotient++;
        r -= d;
    }
    *rest = r;
    return quotient;
}

/* The quotient of the three upper limbs of a by the two of b: right, or one too large (Knuth 1981, 4.3.1). */
static uint64_t estimate(const uint64_t *a, const uint64_t *b, int64_t m, uint64_t inverse) {
    uint64_t top = b[m - 1], rest, q;
    if (a[m] >= top) {
        q = UINT64_MAX;
        rest = a[m - 1] + top;
        if (rest < top) return q;
    } else {
        q = divide_two(a[m], a[m - 1], top, inverse, &rest);
    }
    while (m > 1 && (hsp_double_limb)q * b[m - 2] > ((hsp_double_limb)rest << 64 | a[m - 2])) {
        q--;
        rest += top;
        if (rest < top) break;
    }
    return q;
}

void hsp_limbs_divide(uint64_t *quotient, uint64_t *a, int64_t n, const uint64_t *b, int64_t m) {
    uint64_t inverse = reciprocal(b[m - 1]);
    for (int64_t k = n - m; k >= 0; k--) {
        uint64_t *u = a + k, q = estimate(u, b, m, inverse), borrow = hsp_limbs_sub_mul_one(u, b, m, q);
        int less = u[m] < borrow;
        u[m] -= borrow;
        if (less) {
            q--;
            u[m] += hsp_limbs_add(u, u, m, b, m);
        }
        if (quotient) quotient[k] = q;
    }
}

void hsp_limbs_divide_exactly(uint64_t *out, uint64_t *a, int64_t n, const uint64_t *b, int64_t m) {
    uint64_t inverse = b[0]; /* Newton: each step doubles the bits that are right, 3 at first */
    for (int k = 0; k < 5; k++) inverse *= 2 - b[0] * inverse;
    for (int64_t i = 0; i < n; i++) {
        uint64_t q = a[i] * inverse;
        int64_t left = n - i, some = m < left ? m : left;
        uint64_t borrow = hsp_limbs_sub_mul_one(a + i, b, some, q);
        for (int64_t k = i + some; k < n && borrow; k++) {
            uint64_t old = a[k];
            a[k] -= borrow;
            borrow = old < borrow;
        }
        out[i] = q;
    }
}

uint64_t hsp_limbs_mod_one(const uint64_t *a, int64_t n, uint64_t p) {
    int shift = __builtin_clzll(p);
    uint64_t d = p << shift, inverse, rest = 0, above;
    if (n == 0) return 0;
    inverse = reciprocal(d);
    /* The number times 2^shift modulo d, limb by limb. */
    above = shift > 0 ? a[n - 1] >> (64 - shift) : 0;
    rest = above; /* below 2^shift <= d */
    for (int64_t i = n - 1; i >= 0; i--) {
        uint64_t limb = shift > 0 ? a[i] << shift | (i > 0 ? a[i - 1] >> (64 - shift) : 0) : a[i];
        (void)divide_two(rest, limb, d, inverse, &rest);
    }
    return rest >> shift;
}
