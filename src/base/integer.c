#include "base/integer.h"

#include "base/limbs.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Longer numbers are refused as if there were no memory: 2^32 bits. */
enum { MOST_LIMBS = 1 << 26 };

static int64_t limbs_of(hsp_integer_const a) {
    return a->size < 0 ? -(int64_t)a->size : a->size;
}

/* ---- memory ---- */

void hsp_integer_memory_free(hsp_integer_memory *m) {
    hsp_free(m->scratch);
    *m = (hsp_integer_memory){.failed = m->failed};
}

void hsp_integer_free(hsp_integer v) {
    hsp_free(v->limb);
    hsp_integer_init(v, v->memory);
}

void hsp_integers_init(hsp_integer_memory *m, struct hsp_integer_parts *const *v, size_t count) {
    for (size_t i = 0; i < count; i++) hsp_integer_init(v[i], m);
}

void hsp_integers_free_each(struct hsp_integer_parts *const *v, size_t count) {
    for (size_t i = 0; i < count; i++) hsp_integer_free(v[i]);
}

hsp_integer *hsp_integers_new(hsp_integer_memory *m, int64_t count) {
    hsp_integer *v = hsp_alloc(count > 0 ? count : 1, sizeof *v);
    if (!v) m->failed = true;
    for (int64_t i = 0; v && i < count; i++) hsp_integer_init(v[i], m);
    return v;
}

void hsp_integers_free(hsp_integer *v, int64_t count) {
    for (int64_t i = 0; v && i < count; i++) hsp_free(v[i]->limb);
    hsp_free(v);
}

/* Sets v to 0, marked. */
static bool fail(struct hsp_integer_parts *v) {
    v->memory->failed = true;
    v->size = 0;
    return false;
}

/* Makes room for n limbs, keeping those that are there. After a failure nothing is allocated any more, so that the
 * computation ends soon. */
static bool reserve(struct hsp_integer_parts *v, int64_t n) {
    if (n <= v->capacity) return true;
    int64_t grown = (n + n / 8 + 4) & ~(int64_t)3;
    uint64_t *limb = v->memory->failed || n > MOST_LIMBS ? NULL : hsp_resize(v->limb, grown, sizeof *limb);
    if (!limb) return fail(v);
    v->limb = limb;
    v->capacity = (int32_t)grown;
    return true;
}

/* Scratch of n limbs, valid until the next call; NULL marks v. */
static uint64_t *scratch(struct hsp_integer_parts *v, int64_t n) {
    hsp_integer_memory *m = v->memory;
    if (m->failed || n > 4 * (int64_t)MOST_LIMBS || HSP_RESERVE(m->scratch, m->capacity, n)) {
        fail(v);
        return NULL;
    }
    return m->scratch;
}

/* Takes the magnitude that is in v->limb, n limbs at most. */
static void finish(struct hsp_integer_parts *v, int64_t n, bool negative) {
    n = hsp_limbs_trim(v->limb, n);
    v->size = (int32_t)(negative ? -n : n);
}

/* ---- values ---- */

void hsp_integer_set(hsp_integer out, hsp_integer_const a) {
    int64_t n = limbs_of(a);
    if (out == a || !reserve(out, n)) return;
    if (n > 0) memcpy(out->limb, a->limb, (size_t)n * sizeof *a->limb);
    out->size = a->size;
}

void hsp_integer_set_unsigned(hsp_integer out, uint64_t a) {
    if (a == 0 || !reserve(out, 1)) {
        out->size = 0;
        return;
    }
    out->limb[0] = a;
    out->size = 1;
}

static uint64_t magnitude(int64_t a) {
    return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

void hsp_integer_set_int(hsp_integer out, int64_t a) {
    hsp_integer_set_unsigned(out, magnitude(a));
    if (a < 0) hsp_integer_negate(out);
}

void hsp_integer_abs(hsp_integer out, hsp_integer_const a) {
    hsp_integer_set(out, a);
    if (out->size < 0) hsp_integer_negate(out);
}

void hsp_integer_swap(hsp_integer a, hsp_integer b) {
    struct hsp_integer_parts t = *a;
    *a = *b;
    *b = t;
}

int hsp_integer_compare_magnitudes(hsp_integer_const a, hsp_integer_const b) {
    return hsp_limbs_compare(a->limb, limbs_of(a), b->limb, limbs_of(b));
}

int hsp_integer_compare(hsp_integer_const a, hsp_integer_const b) {
    int sign = hsp_integer_sign(a), other = hsp_integer_sign(b);
    if (sign != other) return sign < other ? -1 : 1;
    return sign < 0 ? -hsp_integer_compare_magnitudes(a, b) : hsp_integer_compare_magnitudes(a, b);
}

int64_t hsp_integer_bits(hsp_integer_const a) {
    int64_t n = limbs_of(a);
    return n == 0 ? 1 : 64 * n - __builtin_clzll(a->limb[n - 1]);
}

uint64_t hsp_integer_low(hsp_integer_const a) {
    return a->size ? a->limb[0] : 0;
}

/* The 64 bits of the magnitude from bit `at` on; at may be negative. */
static uint64_t bits_from(hsp_integer_const a, int64_t at) {
    int64_t n = limbs_of(a), k = at >= 0 ? at / 64 : -((63 - at) / 64);
    int shift = (int)(at - 64 * k);
    uint64_t low = k >= 0 && k < n ? a->limb[k] : 0, high = k + 1 >= 0 && k + 1 < n ? a->limb[k + 1] : 0;
    return shift ? low >> shift | high << (64 - shift) : low;
}

double hsp_integer_split(hsp_integer_const a, int64_t *exponent) {
    *exponent = 0;
    if (a->size == 0) return 0;
    *exponent = hsp_integer_bits(a);
    double m = ldexp((double)(bits_from(a, *exponent - 64) >> 11), -53);
    return a->size < 0 ? -m : m;
}

uint64_t hsp_integer_quotient(hsp_integer_const n, hsp_integer_const d, int64_t shift, hsp_integer part, hsp_integer rest,
                              bool *more) {
    hsp_integer up;
    hsp_integer_init(up, part->memory);
    hsp_integer_set_unsigned(up, 1);
    hsp_integer_shift_up(up, d ? d : up, shift < 0 ? -shift : 0);
    hsp_integer_shift_up(part, n, shift > 0 ? shift : 0);
    hsp_integer_divide(part, rest, part, up);
    hsp_integer_free(up);
    *more = rest->size != 0;
    return hsp_integer_low(part);
}

/* ---- sums ---- */

/* out = |a| + |b|, negative or not. */
static void add_magnitudes(struct hsp_integer_parts *out, hsp_integer_const a, hsp_integer_const b, bool negative) {
    if (limbs_of(a) < limbs_of(b)) {
        hsp_integer_const t = a;
        a = b;
        b = t;
    }
    int64_t n = limbs_of(a), m = limbs_of(b);
    if (!reserve(out, n + 1)) return;
    out->limb[n] = hsp_limbs_add(out->limb, a->limb, n, b->limb, m);
    finish(out, n + 1, negative);
}

/* out = |a| - |b|, or its negative. */
static void sub_magnitudes(struct hsp_integer_parts *out, hsp_integer_const a, hsp_integer_const b, bool negative) {
    if (hsp_integer_compare_magnitudes(a, b) < 0) {
        hsp_integer_const t = a;
        a = b;
        b = t;
        negative = !negative;
    }
    int64_t n = limbs_of(a), m = limbs_of(b);
    if (!reserve(out, n)) return;
    hsp_limbs_sub(out->limb, a->limb, n, b->limb, m);
    finish(out, n, negative);
}

void hsp_integer_add(hsp_integer out, hsp_integer_const a, hsp_integer_const b) {
    if ((a->size < 0) == (b->size < 0))
        add_magnitudes(out, a, b, a->size < 0);
    else
        sub_magnitudes(out, a, b, a->size < 0);
}

void hsp_integer_sub(hsp_integer out, hsp_integer_const a, hsp_integer_const b) {
    if ((a->size < 0) != (b->size < 0))
        add_magnitudes(out, a, b, a->size < 0);
    else
        sub_magnitudes(out, a, b, a->size < 0);
}

void hsp_integer_add_unsigned(hsp_integer out, hsp_integer_const a, uint64_t b) {
    const struct hsp_integer_parts one = {.limb = &b, .size = b != 0};
    hsp_integer_add(out, a, &one);
}

/* ---- products ---- */

void hsp_integer_mul_unsigned(hsp_integer out, hsp_integer_const a, uint64_t b) {
    int64_t n = limbs_of(a);
    bool negative = a->size < 0;
    if (!reserve(out, n + 1)) return;
    out->limb[n] = hsp_limbs_mul_one(out->limb, a->limb, n, b);
    finish(out, n + 1, negative);
}

void hsp_integer_mul_int(hsp_integer out, hsp_integer_const a, int64_t b) {
    hsp_integer_mul_unsigned(out, a, magnitude(b));
    if (b < 0) hsp_integer_negate(out);
}

void hsp_integer_mul(hsp_integer out, hsp_integer_const a, hsp_integer_const b) {
    if (limbs_of(a) < limbs_of(b)) {
        hsp_integer_const t = a;
        a = b;
        b = t;
    }
    int64_t n = limbs_of(a), m = limbs_of(b);
    bool negative = (a->size < 0) != (b->size < 0), apart = out != a && out != b;
    if (m == 0) {
        out->size = 0;
        return;
    }
    if (!reserve(out, n + m)) return;
    uint64_t *to = apart ? out->limb : scratch(out, n + m);
    if (!to) return;
    hsp_limbs_mul(to, a->limb, n, b->limb, m);
    if (!apart) memcpy(out->limb, to, (size_t)(n + m) * sizeof *to);
    finish(out, n + m, negative);
}

/* The magnitude of the n limbs, minus 2^(64 n), negated. */
static void complement(uint64_t *a, int64_t n) {
    uint64_t carry = 1;
    for (int64_t i = 0; i < n; i++) {
        a[i] = ~a[i] + carry;
        carry &= a[i] == 0;
    }
}

/* out += a b, or -= for `minus`, for one limb b. */
static void add_short_product(struct hsp_integer_parts *out, hsp_integer_const a, uint64_t b, bool minus) {
    int64_t n = limbs_of(a), m = limbs_of(out), top = n > m ? n : m;
    if (!reserve(out, top + 1)) return;
    uint64_t *limb = out->limb;
    bool negative = m == 0 ? (a->size < 0) != minus : out->size < 0;
    memset(limb + m, 0, (size_t)(top + 1 - m) * sizeof *limb);
    if (((a->size < 0) != minus) == negative) {
        uint64_t carry = hsp_limbs_add_mul_one(limb, a->limb, n, b);
        hsp_limbs_add(limb + n, limb + n, top + 1 - n, &carry, 1);
    } else {
        uint64_t borrow = hsp_limbs_sub_mul_one(limb, a->limb, n, b);
        if (hsp_limbs_sub(limb + n, limb + n, top + 1 - n, &borrow, 1)) {
            complement(limb, top + 1);
            negative = !negative;
        }
    }
    finish(out, top + 1, negative);
}

static void add_product(struct hsp_integer_parts *out, hsp_integer_const a, hsp_integer_const b, bool minus) {
    if (limbs_of(a) < limbs_of(b)) {
        hsp_integer_const t = a;
        a = b;
        b = t;
    }
    int64_t n = limbs_of(a), m = limbs_of(b);
    if (m == 0) return;
    if (m == 1 && out != a) {
        add_short_product(out, a, b->limb[0], minus != (b->size < 0));
        return;
    }
    uint64_t *to = scratch(out, n + m);
    if (!to) return;
    hsp_limbs_mul(to, a->limb, n, b->limb, m);
    n = hsp_limbs_trim(to, n + m);
    const struct hsp_integer_parts product = {.limb = to, .size = (int32_t)((a->size < 0) != (b->size < 0) ? -n : n)};
    if (minus)
        hsp_integer_sub(out, out, &product);
    else
        hsp_integer_add(out, out, &product);
}

void hsp_integer_add_product(hsp_integer out, hsp_integer_const a, hsp_integer_const b) {
    add_product(out, a, b, false);
}

void hsp_integer_sub_product(hsp_integer out, hsp_integer_const a, hsp_integer_const b) {
    add_product(out, a, b, true);
}

void hsp_integer_power(hsp_integer out, uint64_t a, int64_t exponent) {
    hsp_integer square;
    hsp_integer_init(square, out->memory);
    hsp_integer_set_unsigned(square, a);
    hsp_integer_set_unsigned(out, 1);
    for (int64_t e = exponent; e > 0 && !out->memory->failed; e >>= 1) {
        if (e & 1) hsp_integer_mul(out, out, square);
        if (e > 1) hsp_integer_mul(square, square, square);
    }
    hsp_integer_free(square);
}

/* ---- shifts ---- */

void hsp_integer_shift_up(hsp_integer out, hsp_integer_const a, int64_t bits) {
    int64_t n = limbs_of(a), k = bits / 64;
    bool negative = a->size < 0;
    if (n == 0) {
        out->size = 0;
        return;
    }
    if (k > MOST_LIMBS) {
        fail(out);
        return;
    }
    if (!reserve(out, n + k + 1)) return;
    out->limb[n + k] = hsp_limbs_up(out->limb + k, a->limb, n, (int)(bits % 64));
    memset(out->limb, 0, (size_t)k * sizeof *out->limb);
    finish(out, n + k + 1, negative);
}

void hsp_integer_shift_down(hsp_integer out, hsp_integer_const a, int64_t bits) {
    int64_t n = limbs_of(a), k = bits / 64;
    bool negative = a->size < 0;
    if (k >= n) {
        out->size = 0;
        return;
    }
    if (!reserve(out, n - k)) return;
    hsp_limbs_down(out->limb, a->limb + k, n - k, (int)(bits % 64));
    finish(out, n - k, negative);
}

void hsp_integer_low_bits(hsp_integer out, hsp_integer_const a, int64_t bits) {
    hsp_integer_set(out, a);
    int64_t n = limbs_of(out), k = bits / 64;
    if (k >= n) return;
    out->limb[k] &= ((uint64_t)1 << bits % 64) - 1;
    finish(out, k + 1, out->size < 0);
}

/* ---- division ---- */

void hsp_integer_divide(struct hsp_integer_parts *quotient, struct hsp_integer_parts *rest, hsp_integer_const n,
                        hsp_integer_const d) {
    struct hsp_integer_parts *any = quotient ? quotient : rest;
    int64_t k = limbs_of(n), m = limbs_of(d);
    bool negative = n->size < 0, other = d->size < 0;
    if (m == 0) { /* only after a failure */
        fail(any);
        return;
    }
    if (hsp_integer_compare_magnitudes(n, d) < 0) {
        if (rest) hsp_integer_set(rest, n);
        if (quotient) quotient->size = 0;
        return;
    }
    uint64_t *a = scratch(any, k + 1 + m);
    if (!a) {
        if (quotient && rest) quotient->size = rest->size = 0;
        return;
    }
    uint64_t *b = a + k + 1;
    int shift = __builtin_clzll(d->limb[m - 1]);
    a[k] = hsp_limbs_up(a, n->limb, k, shift);
    (void)hsp_limbs_up(b, d->limb, m, shift);
    if (quotient && !reserve(quotient, k - m + 1)) return;
    hsp_limbs_divide(quotient ? quotient->limb : NULL, a, k, b, m);
    if (quotient) finish(quotient, k - m + 1, negative != other);
    if (!rest || !reserve(rest, m)) return;
    hsp_limbs_down(rest->limb, a, m, shift);
    finish(rest, m, negative);
}

void hsp_integer_mod(hsp_integer out, hsp_integer_const a, hsp_integer_const d) {
    hsp_integer_divide(NULL, out, a, d);
    if (out->size < 0) hsp_integer_add(out, out, d);
}

void hsp_integer_divide_exactly(hsp_integer out, hsp_integer_const a, hsp_integer_const d) {
    int64_t n = limbs_of(a), m = limbs_of(d), zeros = 0;
    bool negative = (a->size < 0) != (d->size < 0);
    if (n == 0 || m == 0 || n < m) {
        if (n > 0) fail(out); /* only after a failure */
        out->size = 0;
        return;
    }
    while (d->limb[zeros] == 0) zeros++;
    int shift = __builtin_ctzll(d->limb[zeros]);
    n -= zeros;
    m -= zeros;
    uint64_t *left = scratch(out, n + m), *b = left + n;
    if (!left) return;
    hsp_limbs_down(left, a->limb + zeros, n, shift);
    hsp_limbs_down(b, d->limb + zeros, m, shift);
    m = hsp_limbs_trim(b, m);
    int64_t count = n - m + 1;
    if (!reserve(out, count)) return;
    hsp_limbs_divide_exactly(out->limb, left, count, b, m);
    finish(out, count, negative);
}

void hsp_integer_divide_exactly_by(hsp_integer out, hsp_integer_const a, uint64_t d) {
    const struct hsp_integer_parts divisor = {.limb = &d, .size = 1};
    hsp_integer_divide_exactly(out, a, &divisor);
}

uint64_t hsp_integer_mod_of(hsp_integer_const a, uint64_t p) {
    uint64_t rest = hsp_limbs_mod_one(a->limb, limbs_of(a), p);
    return a->size < 0 && rest > 0 ? p - rest : rest;
}

/* ---- the greatest common divisor ---- */

/* Several steps of Euclid's algorithm at once, by the upper 62 bits of u and v (Lehmer; Knuth 1981, 4.5.2 L): u, v become
 * c[0] u + c[1] v, c[2] u + c[3] v. False: not a single step is certain. */
static bool find_steps(uint64_t u, uint64_t v, int64_t c[4]) {
    int64_t x = (int64_t)u, y = (int64_t)v;
    c[0] = c[3] = 1;
    c[1] = c[2] = 0;
    while (y + c[2] > 0 && y + c[3] > 0) {
        int64_t q = (x + c[0]) / (y + c[2]), t;
        if (q != (x + c[1]) / (y + c[3])) break;
        t = c[0] - q * c[2];
        c[0] = c[2];
        c[2] = t;
        t = c[1] - q * c[3];
        c[1] = c[3];
        c[3] = t;
        t = x - q * y;
        x = y;
        y = t;
    }
    return c[1] != 0;
}

/* out = a u + b v, which is not negative and has n limbs at most; a and b have opposite signs, or one is 0. */
static void combine(uint64_t *out, int64_t a, const uint64_t *u, int64_t b, const uint64_t *v, int64_t n) {
    uint64_t x = magnitude(a), y = magnitude(b), up = 0, down = 0, borrow = 0;
    if (a < 0 || b > 0) { /* the positive part first */
        const uint64_t *t = u;
        u = v;
        v = t;
        uint64_t s = x;
        x = y;
        y = s;
    }
    for (int64_t i = 0; i < n; i++) {
        hsp_double_limb plus = (hsp_double_limb)u[i] * x + up, minus = (hsp_double_limb)v[i] * y + down;
        uint64_t p = (uint64_t)plus, m = (uint64_t)minus, difference = p - m;
        up = (uint64_t)(plus >> 64);
        down = (uint64_t)(minus >> 64);
        out[i] = difference - borrow;
        borrow = (uint64_t)(p < m) + (difference < borrow);
    }
}

void hsp_integer_gcd(hsp_integer out, hsp_integer_const a, hsp_integer_const b) {
    hsp_integer_memory *memory = out->memory;
    hsp_integer u, v, t;
    HSP_INTEGERS_INIT(memory, u, v, t);
    bool less = hsp_integer_compare_magnitudes(a, b) < 0;
    hsp_integer_set(u, less ? b : a);
    hsp_integer_set(v, less ? a : b);
    u->size = (int32_t)limbs_of(u);
    v->size = (int32_t)limbs_of(v);
    while (v->size > 1 && !memory->failed) {
        int64_t c[4], n = u->size, at = hsp_integer_bits(u) - 62;
        if (!find_steps(bits_from(u, at) & (UINT64_MAX >> 2), bits_from(v, at) & (UINT64_MAX >> 2), c)) {
            hsp_integer_divide(NULL, u, u, v);
            hsp_integer_swap(u, v);
            continue;
        }
        if (!reserve(t, n) || !reserve(u, n) || !reserve(v, n)) break;
        memset(v->limb + v->size, 0, (size_t)(n - v->size) * sizeof *v->limb);
        combine(t->limb, c[0], u->limb, c[1], v->limb, n);
        uint64_t *w = scratch(out, n);
        if (!w) break;
        combine(w, c[2], u->limb, c[3], v->limb, n);
        memcpy(v->limb, w, (size_t)n * sizeof *w);
        finish(t, n, false);
        finish(v, n, false);
        hsp_integer_swap(u, t);
    }
    if (v->size == 1) {
        uint64_t y = v->limb[0], x = hsp_limbs_mod_one(u->limb, u->size, y);
        while (x != 0) {
            uint64_t r = y % x;
            y = x;
            x = r;
        }
        hsp_integer_set_unsigned(u, y);
    }
    hsp_integer_swap(out, u);
    HSP_INTEGERS_FREE(u, v, t);
}
