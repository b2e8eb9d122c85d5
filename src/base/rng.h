/* Counter-based random numbers: the i-th draw of a stream is a function of (seed, stream, i), so the whole state is two
 * words, a run can be resumed bit for bit, and no order of threads can change a draw. */
#ifndef HSP_BASE_RNG_H
#define HSP_BASE_RNG_H

#include <stdint.h>

typedef struct hsp_rng {
    uint64_t key;
    uint64_t counter;
} hsp_rng;

/* Streams keep uses apart: the same seed with another stream is an unrelated sequence. */
hsp_rng hsp_rng_new(uint64_t seed, uint64_t stream);
uint64_t hsp_rng_next(hsp_rng *r);
double hsp_rng_uniform(hsp_rng *r);           /* [0, 1), 53 bits */
double hsp_rng_normal(hsp_rng *r);            /* mean 0, variance 1 */
int64_t hsp_rng_below(hsp_rng *r, int64_t n); /* 0 .. n-1 without bias; n >= 1 */
void hsp_rng_shuffle(hsp_rng *r, int64_t *v, int64_t n);

#endif
