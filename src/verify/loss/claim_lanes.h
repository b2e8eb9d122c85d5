/* Vectors of doubles, of eight with AVX-512, of four with AVX2, else of two; and double-doubles of them. For files that are
 * compiled once for each level: all widths give the same bits. */
#ifndef HSP_VERIFY_LOSS_CLAIM_LANES_H
#define HSP_VERIFY_LOSS_CLAIM_LANES_H

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
typedef int64_t flags __attribute__((vector_size(8 * WIDTH))); /* of comparisons: 0 or -1 */

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

INLINE lanes choose(flags which, lanes a, lanes b) {
    return (lanes)(((flags)a & which) | ((flags)b & ~which));
}

/* The nearest integer; even in the middle. */
INLINE lanes rounded(lanes v) {
#if defined(__AVX512F__)
    return (lanes)_mm512_roundscale_pd((__m512d)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
    return (lanes)_mm256_round_pd((__m256d)v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    for (int l = 0; l < WIDTH; l++) v[l] = rint(v[l]);
    return v;
#endif
}

/* Small integers, in a vector of doubles and in one of integers: added to 1.5 * 2^52, they are in the low bits. */
INLINE flags integers(lanes v) {
    return (flags)(v + 0x1.8p52) - (flags)all(0x1.8p52);
}

INLINE lanes of_integers(flags v) {
    return (lanes)(v + (flags)all(0x1.8p52)) - 0x1.8p52;
}

INLINE lanes gather(const double *table, flags index) {
#if defined(__AVX512F__)
    return (lanes)_mm512_i64gather_pd((__m512i)index, table, 8);
#elif defined(__AVX2__)
    return (lanes)_mm256_i64gather_pd(table, (__m256i)index, 8);
#else
    lanes v;
    for (int l = 0; l < WIDTH; l++) v[l] = table[index[l]];
    return v;
#endif
}

/* ---- double_double.h for vectors ---- */

typedef struct hsp_dd_lanes {
    lanes hi, lo;
} hsp_dd_lanes;

INLINE hsp_dd_lanes lanes_two_sum(lanes a, lanes b) {
    lanes s = a + b, t = s - a;
    return (hsp_dd_lanes){s, (a - (s - t)) + (b - t)};
}

INLINE hsp_dd_lanes lanes_quick_sum(lanes a, lanes b) {
    lanes s = a + b;
    return (hsp_dd_lanes){s, b - (s - a)};
}

INLINE hsp_dd_lanes lanes_two_product(lanes a, lanes b) {
    lanes p = a * b;
    return (hsp_dd_lanes){p, fused(a, b, -p)};
}

INLINE hsp_dd_lanes lanes_negative(hsp_dd_lanes a) {
    return (hsp_dd_lanes){-a.hi, -a.lo};
}

INLINE hsp_dd_lanes lanes_add(hsp_dd_lanes a, hsp_dd_lanes b) {
    hsp_dd_lanes s = lanes_two_sum(a.hi, b.hi), t = lanes_two_sum(a.lo, b.lo);
    s = lanes_quick_sum(s.hi, s.lo + t.hi);
    return lanes_quick_sum(s.hi, s.lo + t.lo);
}

INLINE hsp_dd_lanes lanes_subtract(hsp_dd_lanes a, hsp_dd_lanes b) {
    return lanes_add(a, lanes_negative(b));
}

INLINE hsp_dd_lanes lanes_add_double(hsp_dd_lanes a, lanes b) {
    hsp_dd_lanes s = lanes_two_sum(a.hi, b);
    return lanes_quick_sum(s.hi, s.lo + a.lo);
}

INLINE hsp_dd_lanes lanes_multiply(hsp_dd_lanes a, hsp_dd_lanes b) {
    hsp_dd_lanes p = lanes_two_product(a.hi, b.hi);
    return lanes_quick_sum(p.hi, p.lo + fused(a.hi, b.lo, a.lo * b.hi));
}

INLINE hsp_dd_lanes lanes_scale(hsp_dd_lanes a, lanes b) {
    hsp_dd_lanes p = lanes_two_product(a.hi, b);
    return lanes_quick_sum(p.hi, fused(a.lo, b, p.lo));
}

INLINE hsp_dd_lanes lanes_choose(flags which, hsp_dd_lanes a, hsp_dd_lanes b) {
    return (hsp_dd_lanes){choose(which, a.hi, b.hi), choose(which, a.lo, b.lo)};
}

#endif
