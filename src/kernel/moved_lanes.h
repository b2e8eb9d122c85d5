/* Vectors of doubles from dense rows of floats or doubles, and the transform of these; for sources that are compiled for each
 * level (of_level.h). */
#ifndef HSP_KERNEL_MOVED_LANES_H
#define HSP_KERNEL_MOVED_LANES_H

#include "kernel/of_level.h"

#include <stddef.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#elif defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif

typedef double lanes __attribute__((vector_size(8 * WIDTH)));

INLINE lanes load_f64(const double *p) {
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(double *p, lanes v) {
    memcpy(p, &v, sizeof v);
}

INLINE lanes load_f32(const float *p) {
#if defined(__AVX512F__)
    return (lanes)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX2__)
    return (lanes)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return (lanes){(double)p[0], (double)p[1]};
#endif
}

/* The first n <= WIDTH numbers, and zeros. */
INLINE lanes load_some_f64(const double *p, int64_t n) {
#if defined(__AVX512F__)
    return (lanes)_mm512_maskz_loadu_pd((__mmask8)((1 << n) - 1), p);
#elif defined(__AVX2__)
    static const int64_t mask[8] = {-1, -1, -1, -1};
    return (lanes)_mm256_maskload_pd(p, _mm256_loadu_si256((const __m256i *)(mask + 4 - n)));
#else
    return (lanes){n > 0 ? p[0] : 0, n > 1 ? p[1] : 0};
#endif
}

INLINE lanes load_some_f32(const float *p, int64_t n) {
#if defined(__AVX512F__)
    static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return (lanes)_mm512_cvtps_pd(_mm256_maskload_ps(p, _mm256_loadu_si256((const __m256i *)(mask + 8 - n))));
#elif defined(__AVX2__)
    static const int32_t mask[8] = {-1, -1, -1, -1};
    return (lanes)_mm256_cvtps_pd(_mm_maskload_ps(p, _mm_loadu_si128((const __m128i *)(mask + 4 - n))));
#else
    return (lanes){n > 0 ? (double)p[0] : 0, n > 1 ? (double)p[1] : 0};
#endif
}

/* Writes the first n <= WIDTH numbers. */
INLINE void store_some(double *p, lanes v, int64_t n) {
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(p, (__mmask8)((1 << n) - 1), (__m512d)v);
#else
    for (int l = 0; l < WIDTH; l++)
        if (l < n) p[l] = v[l];
#endif
}

/* a b + c, rounded once. */
INLINE lanes fused(lanes a, lanes b, lanes c) {
#if defined(__AVX512F__)
    return (lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__)
    return (lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    for (int l = 0; l < WIDTH; l++) c[l] = __builtin_fma(a[l], b[l], c[l]);
    return c;
#endif
}

INLINE lanes all(double v) {
    return v - (lanes){0};
}

/* The numbers of a vector: as stored, or transformed. */
#define MOVED(moved, v, shift, factor) ((moved) ? ((v) - (shift)) * (factor) : (v))

#endif
