/* Exact sums of products of doubles: a fixed-point number wide enough for every product of two finite doubles, and for 2^60
 * of them. Nothing is rounded, nothing is allocated. */
#ifndef HSP_VERIFY_PROOF_EXACT_H
#define HSP_VERIFY_PROOF_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* The sum is cell[0] 2^-HSP_EXACT_BELOW + cell[1] 2^(32 - HSP_EXACT_BELOW) + ...; cells may be negative and larger than 32
 * bits until their carries are handed on. */
enum { HSP_EXACT_BELOW = 2176, HSP_EXACT_CELLS = 136 };

typedef struct hsp_exact {
    int64_t cell[HSP_EXACT_CELLS];
    int64_t added; /* since the carries were handed on */
    int low, high; /* the cells from low to high - 1 may differ from 0 */
} hsp_exact;

/* A number as m 2^e, with 2^52 <= |m| < 2^53 or m = 0: doubles without under- and overflow. */
typedef struct hsp_scaled {
    double m;
    int64_t e;
} hsp_scaled;

/* v = mantissa 2^exponent, exactly; v must be finite. The mantissa is odd, or 0. */
int64_t hsp_exact_split(double v, int *exponent);

void hsp_exact_clear(hsp_exact *s); /* to 0; also the first thing to do */
/* s += a b, s += a; numbers must be finite. */
void hsp_exact_add_product(hsp_exact *s, double a, double b);
void hsp_exact_add(hsp_exact *s, double a);
/* -1, 0 or 1. */
int hsp_exact_sign(hsp_exact *s);
/* |s| rounded towards 0, or away from it. */
hsp_scaled hsp_exact_size(hsp_exact *s, bool up);
/* A double at most (up: at least) |s| that is near it; 0 below the normal ones (up: the least normal one), DBL_MAX
 * (up: infinity) beyond. */
double hsp_exact_round(hsp_exact *s, bool up);
double hsp_exact_nearest(hsp_exact *s); /* |s| correctly rounded, but twice below the normal numbers */

/* Order of two numbers that are not negative: < 0, 0, > 0. */
int hsp_scaled_compare(hsp_scaled a, hsp_scaled b);
/* The largest double that is not above a / sqrt(b), for a >= 0 and b > 0. */
double hsp_scaled_over_root(hsp_scaled a, hsp_scaled b);
hsp_scaled hsp_scaled_of(double v); /* exactly; v finite, not negative */

/* Whether this thread computes as IEEE 754 has it: rounds to nearest and does not flush small numbers to 0. Error bounds
 * hold only then. */
bool hsp_exact_ieee(void);

#endif
