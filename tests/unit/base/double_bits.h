/* A double and the bits that it is made of. */
#ifndef DOUBLE_BITS_H
#define DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
