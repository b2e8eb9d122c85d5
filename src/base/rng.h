/* Counter-based random numbers: draw i of a stream is a function of (seed, stream, i). The state is two words, so a run can be
 * resumed bit for bit, and draws do not depend on the order of threads. */
#ifndef HSP_BASE_RNG_H
#define HSP_BASE_RNG_H

#include <stdint.h>

typedef struct hsp_rng {
    uint64_t key;
    uint64_t counter;
} hsp_rng;

/* Different uses take different streams, which are independent sequences of the same seed. */
hsp_rng hsp_rng_new(uint64_t seed, uint64_t stream);
uint64_t hsp_rng_next(hsp_rng *r);
double hsp_rng_uniform(hsp_rng *r);           /* [0, 1), 53 bits */
double hsp_rng_normal(hsp_rng *r);            /* mean 0, variance 1 */
int64_t hsp_rng_below(hsp_rng *r, int64_t n); /* 0 .. n-1 without bias; n >= 1 */
void hsp_rng_shuffle(hsp_rng *r, int64_t *v, int64_t n);

#endif
