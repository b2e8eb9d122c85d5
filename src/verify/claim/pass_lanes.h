/* Vectors of doubles for row_passes.c: of eight with AVX-512, of four with AVX2, else of two. */
#ifndef HSP_VERIFY_CLAIM_PASS_LANES_H
#define HSP_VERIFY_CLAIM_PASS_LANES_H

#include <math.h>
#include <stdint.h>
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
#define INLINE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(8 * WIDTH)));

/* a b + c, rounded once. */
INLINE lanes fused(lanes a, lanes b, lanes c) {
#if defined(__AVX512F__)
    return (lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__)
    return (lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    for (int l = 0; l < WIDTH; l++) c[l] = fma(a[l], b[l], c[l]);
    return c;
#endif
}

INLINE lanes all(double v) {
    return v - (lanes){0};
}

INLINE lanes absolute(lanes v) {
#if defined(__AVX512F__)
    return (lanes)_mm512_abs_pd((__m512d)v);
#elif defined(__AVX2__)
    return (lanes)_mm256_andnot_pd(_mm256_set1_pd(-0.0), (__m256d)v);
#else
    for (int l = 0; l < WIDTH; l++) v[l] = fabs(v[l]);
    return v;
#endif
}

INLINE lanes load(const double *p) {
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(double *p, lanes v) {
    memcpy(p, &v, sizeof v);
}

INLINE lanes load_single(const float *p) {
#if defined(__AVX512F__)
    return (lanes)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX2__)
    return (lanes)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return (lanes){(double)p[0], (double)p[1]};
#endif
}

/* The first n < WIDTH numbers, and zeros; nothing behind them is read or written. */
INLINE lanes load_some(const double *p, int64_t n) {
#if defined(__AVX512F__)
    return (lanes)_mm512_maskz_loadu_pd((__mmask8)((1 << n) - 1), p);
#else
    lanes v = {0};
    for (int l = 0; l < WIDTH - 1; l++)
        if (l < n) v[l] = p[l];
    return v;
#endif
}

INLINE lanes load_some_single(const float *p, int64_t n) {
#if defined(__AVX512F__)
    static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    __m256i which = _mm256_loadu_si256((const __m256i *)(mask + 8 - n));
    return (lanes)_mm512_cvtps_pd(_mm256_maskload_ps(p, which));
#else
    lanes v = {0};
    for (int l = 0; l < WIDTH - 1; l++)
        if (l < n) v[l] = (double)p[l];
    return v;
#endif
}

INLINE void store_some(double *p, lanes v, int64_t n) {
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(p, (__mmask8)((1 << n) - 1), (__m512d)v);
#else
    for (int l = 0; l < WIDTH - 1; l++)
        if (l < n) p[l] = v[l];
#endif
}

#endif
