/* Powers of ten as 128-bit significands, for parsing and formatting numbers. pow10_gen.c writes the table during the build. */
#ifndef HSP_BASE_POW10_H
#define HSP_BASE_POW10_H

#include <stdint.h>

/* 19 digits times 10^-342 are below the least double; formatting that one needs 10^324. */
#define HSP_POW10_MIN (-342)
#define HSP_POW10_MAX 324
/* 10^q is exact in 128 bits for q from 0 to this. */
#define HSP_POW10_EXACT 55

/* {high, low}: g = floor(10^q / 2^(f - 127)) with f = floor(log2 10^q), so that 2^127 <= g < 2^128; q from the least. */
extern const uint64_t hsp_pow10[HSP_POW10_MAX - HSP_POW10_MIN + 1][2];

/* floor(log2 10^q), exact for |q| < 1233. */
static inline int hsp_pow10_log2(int q) {
    return (q * 1741647) >> 19;
}

#endif
