/* Exact sums of products of doubles: a fixed-point number wide enough for the sum of 2^60 products of finite doubles.
 * Nothing is rounded or allocated. */
#ifndef HSP_VERIFY_PROOF_EXACT_H
#define HSP_VERIFY_PROOF_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* The sum is
 *     cell[0] 2^-HSP_EXACT_BELOW + cell[1] 2^(32 - HSP_EXACT_BELOW) + ...
 * Cells may be negative or exceed 32 bits until carries are propagated. */
enum { HSP_EXACT_BELOW = 2176, HSP_EXACT_CELLS = 136 };

typedef struct hsp_exact {
    int64_t cell[HSP_EXACT_CELLS];
    int64_t added; /* products since carries were propagated */
    int low, high; /* all other cells than low to high - 1 are 0 */
} hsp_exact;

/* A number m 2^e with 2^52 <= |m| < 2^53, or m = 0: a double that cannot under- or overflow. */
typedef struct hsp_scaled {
    double m;
    int64_t e;
} hsp_scaled;

/* Splits a finite v into mantissa 2^exponent, exactly; returns the mantissa, which is odd or 0. */
int64_t hsp_exact_split(double v, int *exponent);

void hsp_exact_clear(hsp_exact *s); /* sets s to 0; initialises it, too */
/* s += a b and s += a, for finite numbers. */
void hsp_exact_add_product(hsp_exact *s, double a, double b);
void hsp_exact_add(hsp_exact *s, double a);
int hsp_exact_sign(hsp_exact *s); /* -1, 0 or 1 */
/* |s| rounded towards 0, or away from it. */
hsp_scaled hsp_exact_size(hsp_exact *s, bool up);
/* The same as a double: at most DBL_MAX (up: infinity); 0 (up: DBL_MIN) for subnormals. */
double hsp_exact_round(hsp_exact *s, bool up);
double hsp_exact_nearest(hsp_exact *s); /* |s| to nearest; subnormals are rounded twice */

/* Order of two numbers >= 0: negative, 0 or positive. */
int hsp_scaled_compare(hsp_scaled a, hsp_scaled b);
/* The largest double that is at most a / sqrt(b), for a >= 0 and b > 0. */
double hsp_scaled_over_root(hsp_scaled a, hsp_scaled b);
hsp_scaled hsp_scaled_of(double v); /* exact; v is finite and >= 0 */

/* Whether this thread rounds to nearest and keeps subnormals, as IEEE 754 says. Error bounds hold only then. */
bool hsp_exact_ieee(void);

#endif
