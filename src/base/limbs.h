/* Arithmetic on the limbs of natural numbers, 64 bits each, the least first. Nothing here allocates. */
#ifndef HSP_BASE_LIMBS_H
#define HSP_BASE_LIMBS_H

#include <stdint.h>

typedef unsigned __int128 hsp_double_limb;

static inline int64_t hsp_limbs_trim(const uint64_t *a, int64_t n) {
    while (n > 0 && a[n - 1] == 0) n--;
    return n;
}
int hsp_limbs_compare(const uint64_t *a, int64_t n, const uint64_t *b, int64_t m); /* trimmed; -1, 0, 1 */
/* out = a + b, n >= m limbs; returns the carry. out may be a or b in these. */
uint64_t hsp_limbs_add(uint64_t *out, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m);
/* out = a - b, n >= m limbs; returns the borrow. */
uint64_t hsp_limbs_sub(uint64_t *out, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m);
uint64_t hsp_limbs_mul_one(uint64_t *out, const uint64_t *a, int64_t n, uint64_t b);     /* out = a b; the limb above */
uint64_t hsp_limbs_add_mul_one(uint64_t *out, const uint64_t *a, int64_t n, uint64_t b); /* out += a b; the carry */
uint64_t hsp_limbs_sub_mul_one(uint64_t *out, const uint64_t *a, int64_t n, uint64_t b); /* out -= a b; the borrow */
/* out = a b, n + m limbs; out is neither. n, m > 0. */
void hsp_limbs_mul(uint64_t *out, const uint64_t *a, int64_t n, const uint64_t *b, int64_t m);
/* out = a 2^bits, bits from 0 to 63; returns the limb above. */
uint64_t hsp_limbs_up(uint64_t *out, const uint64_t *a, int64_t n, int bits);
/* out = a / 2^bits, bits from 0 to 63. */
void hsp_limbs_down(uint64_t *out, const uint64_t *a, int64_t n, int bits);
/* quotient = a / b, n - m + 1 limbs, and a becomes the rest; a has n + 1 limbs and is below b 2^(64 (n - m + 1)). m > 0, and
 * the top bit of b is set. quotient may be NULL. */
void hsp_limbs_divide(uint64_t *quotient, uint64_t *a, int64_t n, const uint64_t *b, int64_t m);
/* out = a / b modulo 2^(64 n), which is a / b if b divides a and the quotient has n limbs; a, of which n limbs count, is
 * overwritten. b is odd and has m limbs. */
void hsp_limbs_divide_exactly(uint64_t *out, uint64_t *a, int64_t n, const uint64_t *b, int64_t m);
uint64_t hsp_limbs_mod_one(const uint64_t *a, int64_t n, uint64_t p);

#endif
