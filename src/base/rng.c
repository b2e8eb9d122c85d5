/* A draw is a keyed permutation of the counter: add the key, mix, add the rotated key, mix again. The mix is SplitMix64's
 * (Steele, Lea, Flood 2014, with Stafford's constants "Mix13"). A single mix would make all streams parts of one sequence;
 * the key between two gives each stream its own permutation. */
#include "base/rng.h"

#include <math.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio, odd */

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

hsp_rng hsp_rng_new(uint64_t seed, uint64_t stream) {
    return (hsp_rng){.key = mix(mix(seed + GOLDEN) + GOLDEN * (stream + 1)), .counter = 0};
}

uint64_t hsp_rng_next(hsp_rng *r) {
    uint64_t z = mix(r->counter++ * GOLDEN + r->key);
    return mix(z + (r->key << 32 | r->key >> 32));
}

double hsp_rng_uniform(hsp_rng *r) {
    return (double)(hsp_rng_next(r) >> 11) * 0x1p-53;
}

/* The natural logarithm from correctly rounded operations only: the C library's may differ in the last bit between machines,
 * and the same seed must give the same bits. With m in [sqrt(1/2), sqrt(2)):
 *     ln m = 2 artanh((m - 1) / (m + 1)) */
static double logarithm(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double t = (m - 1) / (m + 1), t2 = t * t, sum = 0;
    for (int k = 23; k >= 1; k -= 2) sum = sum * t2 + 1.0 / k;
    return 2 * t * sum + e * 0.69314718055994531;
}

/* Marsaglia's polar method. The second number of each pair is dropped, because the counter is the only state. */
double hsp_rng_normal(hsp_rng *r) {
    double u, v, s;
    do {
        u = 2 * hsp_rng_uniform(r) - 1;
        v = 2 * hsp_rng_uniform(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * logarithm(s) / s);
}

/* D. Lemire, "Fast random integer generation in an interval" (2019): the high word of draw * n; the few draws that would
 * bias the result are rejected. */
int64_t hsp_rng_below(hsp_rng *r, int64_t n) {
    uint64_t range = n < 1 ? 1 : (uint64_t)n;
    unsigned __int128 product = (unsigned __int128)hsp_rng_next(r) * range;
    if ((uint64_t)product < range) {
        uint64_t least = (0 - range) % range;
        while ((uint64_t)product < least) product = (unsigned __int128)hsp_rng_next(r) * range;
    }
    return (int64_t)(product >> 64);
}

void hsp_rng_shuffle(hsp_rng *r, int64_t *v, int64_t n) {
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = hsp_rng_below(r, i + 1), swap = v[i];
        v[i] = v[j];
        v[j] = swap;
    }
}
