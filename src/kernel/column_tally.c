/* Statistics of columns over blocks of rows, compiled for each level (of_level.h). Lanes are different columns, each summed
 * in the order of the rows: the same bits for any width. */
#include "kernel/of_level.h"

#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
enum { SPREAD_VECTORS = 4 };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t flags __attribute__((vector_size(8 * LANES))); /* comparisons: each 0 or -1 */

INLINE lanes load(const double *p) {
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE flags load_flags(const int64_t *p) {
    flags v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE lanes choose(flags which, lanes a, lanes b) {
    return (lanes)(((flags)a & which) | ((flags)b & ~which));
}

/* A number is an integer when adding and subtracting 1.5 * 2^52, which rounds it, does not change it. Numbers from 2^51 on
 * count as integers, as all but some halves are. */
INLINE int64_t tally_columns(int64_t rows, int64_t columns, const double *x, const hsp_tally *t, int64_t j) {
    const double shift = 0x1.8p52, most = 0x1p51;
    lanes least = load(t->least + j), greatest = load(t->greatest + j), sum = load(t->sum + j), last = load(t->last + j);
    flags numbers = {0}, part = load_flags(t->part + j), back = load_flags(t->back + j);
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        lanes v = load(x + i * columns + j), rounded = (v + shift) - shift;
        flags is = v == v;
        least = choose(v < least, v, least);
        greatest = choose(v > greatest, v, greatest);
        sum += (lanes)((flags)v & is);
        numbers -= is;
        part |= (rounded != v) & (v < most) & (v > -most);
        back |= v <= last;
        last = choose(is, v, last);
    }
    memcpy(t->least + j, &least, sizeof least);
    memcpy(t->greatest + j, &greatest, sizeof greatest);
    memcpy(t->sum + j, &sum, sizeof sum);
    memcpy(t->last + j, &last, sizeof last);
    memcpy(t->part + j, &part, sizeof part);
    memcpy(t->back + j, &back, sizeof back);
    for (int k = 0; k < LANES; k++) {
        t->numbers[j + k] += numbers[k];
        count += numbers[k];
    }
    return count;
}

int64_t HSP_OF_LEVEL(hsp_tally_)(int64_t rows, int64_t columns, const double *x, const hsp_tally *t) {
    int64_t count = 0;
    for (int64_t j = 0; j < columns; j += LANES) count += tally_columns(rows, columns, x, t, j);
    return count;
}

/* ---- sums of deviations and of their squares ---- */

INLINE lanes load_single(const float *p) {
#if defined(__AVX512F__)
    return (lanes)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX2__)
    return (lanes)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return (lanes){(double)p[0], (double)p[1]};
#endif
}

/* The first n < LANES numbers, and zeros; nothing behind them is read. */
INLINE lanes load_some(const double *p, int64_t n) {
#if defined(__AVX512F__)
    return (lanes)_mm512_maskz_loadu_pd((__mmask8)((1 << n) - 1), p);
#else
    lanes v = {0};
    for (int l = 0; l < LANES - 1; l++)
        if (l < n) v[l] = p[l];
    return v;
#endif
}

INLINE lanes load_some_single(const float *p, int64_t n) {
#if defined(__AVX512F__)
    static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return (lanes)_mm512_cvtps_pd(_mm256_maskload_ps(p, _mm256_loadu_si256((const __m256i *)(mask + 8 - n))));
#else
    lanes v = {0};
    for (int l = 0; l < LANES - 1; l++)
        if (l < n) v[l] = (double)p[l];
    return v;
#endif
}

/* Of `vectors` times LANES columns from j on: enough independent sums to hide the latency of an addition. The rows `ahead`
 * numbers further are prefetched. */
#define SPREAD(type, name, LOAD, LOAD_SOME)                                                                               \
    INLINE void spread_columns_##name(int vectors, int64_t rows, const type *x, int64_t x_step, int64_t ahead,            \
                                      const double *pivot, double *s, double *q) {                                        \
        lanes p[SPREAD_VECTORS], sum[SPREAD_VECTORS], squares[SPREAD_VECTORS];                                            \
        for (int v = 0; v < vectors; v++) {                                                                               \
            p[v] = load(pivot + v * LANES);                                                                               \
            sum[v] = load(s + v * LANES);                                                                                 \
            squares[v] = load(q + v * LANES);                                                                             \
        }                                                                                                                 \
        for (int64_t i = 0; i < rows; i++, x += x_step) {                                                                 \
            __builtin_prefetch(x + ahead);                                                                                \
            for (int v = 0; v < vectors; v++) {                                                                           \
                lanes t = LOAD(x + v * LANES) - p[v];                                                                     \
                sum[v] += t;                                                                                              \
                squares[v] += t * t;                                                                                      \
            }                                                                                                             \
        }                                                                                                                 \
        memcpy(s, sum, (size_t)vectors * sizeof *sum);                                                                    \
        memcpy(q, squares, (size_t)vectors * sizeof *squares);                                                            \
    }                                                                                                                     \
    INLINE void spread_##name(int64_t rows, int64_t d, const type *x, int64_t x_step, const double *pivot, double *s,     \
                              double *q) {                                                                                \
        int64_t j = 0, ahead = rows * x_step;                                                                             \
        for (; j + SPREAD_VECTORS * LANES <= d; j += SPREAD_VECTORS * LANES)                                              \
            spread_columns_##name(SPREAD_VECTORS, rows, x + j, x_step, ahead, pivot + j, s + j, q + j);                   \
        for (; j + LANES <= d; j += LANES)                                                                                \
            spread_columns_##name(1, rows, x + j, x_step, ahead, pivot + j, s + j, q + j);                                \
        if (j == d) return;                                                                                               \
        int64_t n = d - j;                                                                                                \
        lanes p = load_some(pivot + j, n), sum = load_some(s + j, n), squares = load_some(q + j, n);                      \
        for (int64_t i = 0; i < rows; i++) {                                                                              \
            lanes t = LOAD_SOME(x + i * x_step + j, n) - p;                                                               \
            sum += t;                                                                                                     \
            squares += t * t;                                                                                             \
        }                                                                                                                 \
        for (int64_t l = 0; l < n; l++) s[j + l] = sum[l], q[j + l] = squares[l];                                         \
    }
SPREAD(double, double, load, load_some)
SPREAD(float, single, load_single, load_some_single)

void HSP_OF_LEVEL(hsp_spread_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *pivot, double *s,
                               double *q) {
    spread_double(rows, d, x, x_step, pivot, s, q);
}

void HSP_OF_LEVEL(hsp_spread_single_)(int64_t rows, int64_t d, const float *x, int64_t x_step, const double *pivot,
                                      double *s, double *q) {
    spread_single(rows, d, x, x_step, pivot, s, q);
}

/* ---- cells that are not 0 ---- */

/* The bits of LANES cells from p on. */
INLINE uint64_t present_lanes(const double *p) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask(_mm512_loadu_si512(p), _mm512_loadu_si512(p));
#elif defined(__AVX2__)
    __m256i zero = _mm256_cmpeq_epi64(_mm256_loadu_si256((const __m256i *)p), _mm256_setzero_si256());
    return (uint64_t)(15 ^ _mm256_movemask_pd(_mm256_castsi256_pd(zero)));
#else
    uint64_t bits[LANES], found = 0;
    memcpy(bits, p, sizeof bits);
    for (int k = 0; k < LANES; k++) found |= (uint64_t)(bits[k] != 0) << k;
    return found;
#endif
}

uint64_t HSP_OF_LEVEL(hsp_present_)(const double *x, int64_t n) {
    uint64_t found = 0;
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) found |= present_lanes(x + j) << j;
    for (; j < n; j++) {
        uint64_t bits;
        memcpy(&bits, x + j, sizeof bits);
        found |= (uint64_t)(bits != 0) << j;
    }
    return found;
}
