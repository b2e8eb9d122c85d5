/* Linear systems in integers, solved by lifting modulo powers of a prime (Dixon 1982). What comes out is a proposal:
 * whoever uses it puts it back into the system in integers, so nothing here needs to be trusted. */
#ifndef HSP_VERIFY_PROOF_PADIC_H
#define HSP_VERIFY_PROOF_PADIC_H

#include "halfspace.h"

#include <gmp.h>
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

/* Numbers that start at 0; NULL when out of memory (ours: the library's own allocations end the process). */
mpz_t *hsp_integers_new(int64_t count);
void hsp_integers_free(mpz_t *v, int64_t count);

/* An estimate of the seconds that a system of r equations takes whose rows have so many bits in all (the logarithm of
 * Hadamard's bound), and so many non-zeros. */
double hsp_padic_seconds(int64_t r, double bits, double nonzeros);
/* x = N / D with D > 0 and A x = b, for a regular r x r matrix (row-major). *found is false when it is singular modulo the
 * prime, or work was cancelled. early: a solution that looks settled will do; else one that must be right if A is regular.
 * HSP_OK or HSP_EMEMORY. */
int hsp_padic_solve(int64_t r, mpz_t *A, mpz_t *b, int prime, bool early, mpz_t *N, mpz_t D, bool *found, hsp_error **err);

#endif
