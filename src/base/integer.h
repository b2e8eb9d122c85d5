/* Integers of any size, for proofs. Memory is that of hsp_alloc; when it runs out, the computation goes on with zeros and
 * its hsp_integer_memory is marked: whoever decides anything by these numbers asks hsp_integers_failed first. Loops whose
 * end depends on the numbers ask too.
 *
 * hsp_integer is an array of one, so that `hsp_integer x;` and the elements of `hsp_integer *v` are passed alike, by
 * address. The same integer may be result and operand. */
#ifndef HSP_BASE_INTEGER_H
#define HSP_BASE_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the integers of one computation share; of one thread at a time. {0} is ready; free the integers first. */
typedef struct hsp_integer_memory {
    bool failed;       /* memory ran out: the numbers are wrong */
    uint64_t *scratch; /* owned */
    int64_t capacity;
} hsp_integer_memory;
void hsp_integer_memory_free(hsp_integer_memory *m);

typedef struct hsp_integer_parts {
    uint64_t *limb; /* the magnitude, least first; owned; NULL: none needed yet */
    int32_t size;   /* limbs, the last of which is not 0; negative for a negative number */
    int32_t capacity;
    hsp_integer_memory *memory; /* borrowed */
} hsp_integer[1];
typedef const struct hsp_integer_parts *hsp_integer_const;

/* 0; allocates nothing. */
static inline void hsp_integer_init(hsp_integer v, hsp_integer_memory *m) {
    v->limb = NULL;
    v->size = v->capacity = 0;
    v->memory = m;
}
void hsp_integer_free(hsp_integer v);
/* Several at once: HSP_INTEGERS_INIT(&memory, a, b, c), HSP_INTEGERS_FREE(a, b, c). */
#define HSP_INTEGERS_INIT(m, ...) \
    hsp_integers_init((m), (struct hsp_integer_parts *[]){__VA_ARGS__}, HSP_INTEGERS_COUNT(__VA_ARGS__))
#define HSP_INTEGERS_FREE(...) \
    hsp_integers_free_each((struct hsp_integer_parts *[]){__VA_ARGS__}, HSP_INTEGERS_COUNT(__VA_ARGS__))
#define HSP_INTEGERS_COUNT(...) (sizeof((struct hsp_integer_parts *[]){__VA_ARGS__}) / sizeof(struct hsp_integer_parts *))
void hsp_integers_init(hsp_integer_memory *m, struct hsp_integer_parts *const *v, size_t count);
void hsp_integers_free_each(struct hsp_integer_parts *const *v, size_t count);
/* An array of zeros; NULL if there is no memory for it, which also marks m. */
hsp_integer *hsp_integers_new(hsp_integer_memory *m, int64_t count);
void hsp_integers_free(hsp_integer *v, int64_t count); /* v may be NULL */

/* ---- values ---- */

void hsp_integer_set(hsp_integer out, hsp_integer_const a);
void hsp_integer_set_int(hsp_integer out, int64_t a);
void hsp_integer_set_unsigned(hsp_integer out, uint64_t a);
void hsp_integer_swap(hsp_integer a, hsp_integer b);
static inline int hsp_integer_sign(hsp_integer_const a) {
    return (a->size > 0) - (a->size < 0);
}
static inline void hsp_integer_negate(hsp_integer a) {
    a->size = -a->size;
}
static inline bool hsp_integer_is_one(hsp_integer_const a) {
    return a->size == 1 && a->limb[0] == 1;
}
void hsp_integer_abs(hsp_integer out, hsp_integer_const a);
int hsp_integer_compare(hsp_integer_const a, hsp_integer_const b); /* -1, 0, 1 */
int hsp_integer_compare_magnitudes(hsp_integer_const a, hsp_integer_const b);
int64_t hsp_integer_bits(hsp_integer_const a); /* of the magnitude; 1 for 0 */
uint64_t hsp_integer_low(hsp_integer_const a); /* the last 64 bits of the magnitude */
/* a = m 2^*exponent with |m| from 1/2 to 1, rounded towards 0; 0 gives 0 and 0. */
double hsp_integer_split(hsp_integer_const a, int64_t *exponent);
/* |n| 2^shift / |d| rounded towards 0, which must have less than 65 bits. d: NULL is 1, else not 0. *more: it was rounded.
 * part and rest are scratch, and may be n and d. */
uint64_t hsp_integer_quotient(hsp_integer_const n, hsp_integer_const d, int64_t shift, hsp_integer part, hsp_integer rest,
                              bool *more);

/* ---- arithmetic ---- */

void hsp_integer_add(hsp_integer out, hsp_integer_const a, hsp_integer_const b);
void hsp_integer_sub(hsp_integer out, hsp_integer_const a, hsp_integer_const b);
void hsp_integer_add_unsigned(hsp_integer out, hsp_integer_const a, uint64_t b);
void hsp_integer_mul(hsp_integer out, hsp_integer_const a, hsp_integer_const b);
void hsp_integer_mul_int(hsp_integer out, hsp_integer_const a, int64_t b);
void hsp_integer_mul_unsigned(hsp_integer out, hsp_integer_const a, uint64_t b);
void hsp_integer_add_product(hsp_integer out, hsp_integer_const a, hsp_integer_const b);
void hsp_integer_sub_product(hsp_integer out, hsp_integer_const a, hsp_integer_const b);
void hsp_integer_shift_up(hsp_integer out, hsp_integer_const a, int64_t bits);   /* a 2^bits, bits >= 0 */
void hsp_integer_shift_down(hsp_integer out, hsp_integer_const a, int64_t bits); /* a / 2^bits, towards 0 */
void hsp_integer_low_bits(hsp_integer out, hsp_integer_const a, int64_t bits);   /* a modulo 2^bits, with the sign of a */
/* n = quotient d + rest, rounded towards 0. Either result may be NULL; d is not 0. */
void hsp_integer_divide(struct hsp_integer_parts *quotient, struct hsp_integer_parts *rest, hsp_integer_const n,
                        hsp_integer_const d);
void hsp_integer_mod(hsp_integer out, hsp_integer_const a, hsp_integer_const d);            /* from 0 to d - 1; d > 0 */
void hsp_integer_divide_exactly(hsp_integer out, hsp_integer_const a, hsp_integer_const d); /* d divides a */
void hsp_integer_divide_exactly_by(hsp_integer out, hsp_integer_const a, uint64_t d);       /* d is odd and divides a */
uint64_t hsp_integer_mod_of(hsp_integer_const a, uint64_t p);                               /* from 0 to p - 1 */
void hsp_integer_gcd(hsp_integer out, hsp_integer_const a, hsp_integer_const b);            /* >= 0 */
void hsp_integer_power(hsp_integer out, uint64_t a, int64_t exponent);

#endif
