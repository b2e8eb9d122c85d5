/* Linear systems in integers, solved by p-adic lifting (Dixon 1982). The solution is a proposal: callers check it against
 * the system in integers, so no proof relies on this file. */
#ifndef HSP_VERIFY_PROOF_PADIC_H
#define HSP_VERIFY_PROOF_PADIC_H

#include "base/integer.h"
#include "halfspace.h"

#include <stdbool.h>

enum { HSP_PADIC_PRIMES = 3 };
extern const uint64_t hsp_padic_prime[HSP_PADIC_PRIMES]; /* below 2^59 */

/* c v mod p for many v: `inverse` is c 2^64 / p, rounded down. */
typedef struct hsp_factor_mod {
    uint64_t c, inverse, p;
} hsp_factor_mod;
hsp_factor_mod hsp_factor_mod_of(uint64_t c, uint64_t p);
static inline uint64_t hsp_factor_mod_times(hsp_factor_mod f, uint64_t v) {
    uint64_t q = (uint64_t)(((unsigned __int128)f.inverse * v) >> 64), r = f.c * v - q * f.p;
    return r >= f.p ? r - f.p : r;
}
uint64_t hsp_inverse_mod(uint64_t v, uint64_t p); /* of v != 0 */
/* row -= factor x other, n numbers modulo p. */
void hsp_subtract_mod(uint64_t *row, const uint64_t *other, int64_t n, uint64_t factor, uint64_t p);

/* n 2^exponent / d (d NULL: 1) to nearest; subnormals are rounded twice. d is not 0; part and rest are scratch. */
double hsp_integers_quotient(hsp_integer_const n, hsp_integer_const d, int64_t exponent, hsp_integer part,
                             hsp_integer rest);

/* Estimated seconds for a system of r equations; bits is log2 of Hadamard's bound. */
double hsp_padic_seconds(int64_t r, double bits, double nonzeros);
/* Solves A x = b for a regular r x r matrix (row-major): x = N / D with D > 0. *found is false when A is singular modulo
 * the prime, or work was cancelled. early: stop at the first plausible solution; else lift until the solution is certain
 * for a regular A. HSP_OK or HSP_EMEMORY, also when an integer found no memory. */
int hsp_padic_solve(int64_t r, hsp_integer *A, hsp_integer *b, int prime, bool early, hsp_integer *N, hsp_integer D,
                    bool *found, hsp_error **err);

#endif
