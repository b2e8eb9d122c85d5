/* Dense rows with vectors of four: the kernels of plain.c, in the same order and with the same bits, for levels from v3 on. A
 * dot product has four vectors of four sums where plain.c has eight pairs, added in the same tree. Speed against plain.c,
 * data in the L2 cache: dot products 1.4x (doubles), 1.6x to 2.4x (floats), 1.1x (codes); axpy 2.5x (doubles), 1.4x (floats),
 * 1.5x (codes). From memory 1.1x to 1.3x, limited by bandwidth, so wider vectors would not help.
 *
 * Sparse rows have plain kernels at every level, because nothing else was faster (Zen 3): loads of ids and weights are the
 * limit. Vectors of four and fewer sums (4 or 8) made no difference; gather instructions were 1.4x to 1.7x slower. Prefetching
 * the weights 64 entries ahead gains 1.1x (dot) or 1.2x (axpy) on rows of 400 entries over 1.7 million columns, but costs up
 * to 1.6x where the weights are in the cache, as those of frequent columns are. */
#include "kernel/decode_rows.h"
#include "kernel/of_level.h"

#include <immintrin.h>

typedef double quad __attribute__((vector_size(32)));
typedef double quad_at __attribute__((vector_size(32), aligned(8), may_alias));

/* ---- four values and one, by coding ---- */

INLINE quad four_f64(const double *x, const double *table, int64_t t) {
    (void)table;
    return *(const quad_at *)(x + t);
}

INLINE quad four_f32(const float *x, const double *table, int64_t t) {
    (void)table;
    return (quad)_mm256_cvtps_pd(_mm_loadu_ps(x + t));
}

INLINE quad four_code(const uint8_t *x, const double *table, int64_t t) {
    return (quad){table[x[t]], table[x[t + 1]], table[x[t + 2]], table[x[t + 3]]};
}

INLINE quad four_one(const uint8_t *x, const double *table, int64_t t) {
    (void)x, (void)t;
    return (quad){table[0], table[0], table[0], table[0]};
}

/* The codings of callers' memory, which the compiler loads as it can. */
#define EACH_LENT_CODING(X)                 \
    X(i16, int16_t, HSP_VALUE_AT)           \
    X(i32, int32_t, HSP_VALUE_AT)           \
    X(i64, int64_t, HSP_VALUE_AT)           \
    X(step_f64, double, HSP_STEP_VALUE_AT)  \
    X(step_f32, float, HSP_STEP_VALUE_AT)   \
    X(step_code, uint8_t, HSP_STEP_CODE_AT) \
    X(step_i16, int16_t, HSP_STEP_VALUE_AT) \
    X(step_i32, int32_t, HSP_STEP_VALUE_AT) \
    X(step_i64, int64_t, HSP_STEP_VALUE_AT)

#define FOUR(coding, type, VALUE)                                                                                  \
    INLINE quad four_##coding(const type *x, const double *table, int64_t t) {                                     \
        (void)table;                                                                                               \
        return (quad){VALUE(x, table, t), VALUE(x, table, t + 1), VALUE(x, table, t + 2), VALUE(x, table, t + 3)}; \
    }
EACH_LENT_CODING(FOUR)

#define EACH_CODING(X)            \
    X(f64, double, HSP_VALUE_AT)  \
    X(f32, float, HSP_VALUE_AT)   \
    X(code, uint8_t, HSP_CODE_AT) \
    X(one, uint8_t, HSP_ONE_AT)   \
    EACH_LENT_CODING(X)

/* ---- sums ---- */

/* FOUR(t, ...) is the terms t to t + 3, ONE(t, ...) the term t. */
#define SUM(FOUR, ONE, ...)                                                  \
    do {                                                                     \
        quad s0 = {0}, s1 = s0, s2 = s0, s3 = s0;                            \
        int64_t i = 0;                                                       \
        for (; i + 16 <= n; i += 16) {                                       \
            s0 += FOUR(i, __VA_ARGS__), s1 += FOUR(i + 4, __VA_ARGS__);      \
            s2 += FOUR(i + 8, __VA_ARGS__), s3 += FOUR(i + 12, __VA_ARGS__); \
        }                                                                    \
        do {                                                                 \
            TAIL(s0, 0, FOUR, ONE, __VA_ARGS__)                              \
            TAIL(s1, 4, FOUR, ONE, __VA_ARGS__)                              \
            TAIL(s2, 8, FOUR, ONE, __VA_ARGS__)                              \
            TAIL(s3, 12, FOUR, ONE, __VA_ARGS__)                             \
        } while (0);                                                         \
        s0 = (s0 + s2) + (s1 + s3);                                          \
        return (s0[0] + s0[2]) + (s0[1] + s0[3]);                            \
    } while (0)

/* Four terms of the tail from k on, or its end. */
#define TAIL(s, k, FOUR, ONE, ...)                                                                      \
    if (n - i < (k) + 4) {                                                                              \
        if (n - i > (k))                                                                                \
            s += (quad){ONE(i + (k), __VA_ARGS__), n - i > (k) + 1 ? ONE(i + (k) + 1, __VA_ARGS__) : 0, \
                        n - i > (k) + 2 ? ONE(i + (k) + 2, __VA_ARGS__) : 0, 0};                        \
        break;                                                                                          \
    }                                                                                                   \
    s += FOUR(i + (k), __VA_ARGS__);

#define DOT_ONE(t, four, VALUE) (VALUE(x, table, t) * w[t])
#define DOT_FOUR(t, four, VALUE) (four(x, table, t) * *(const quad_at *)(w + (t)))
#define SQUARE_ONE(t, four, VALUE) (VALUE(x, table, t) * VALUE(x, table, t))
#define SQUARE_FOUR(t, four, VALUE) (four(x, table, t) * four(x, table, t))

#define ROW_DOT(coding, type, VALUE)                                                                                   \
    static double dot_##coding(const void *ids, const void *values, const double *table, int64_t n, const double *w) { \
        const type *x = values;                                                                                        \
        (void)ids, (void)x, (void)table;                                                                               \
        SUM(DOT_FOUR, DOT_ONE, four_##coding, VALUE);                                                                  \
    }

#define ROW_NORM2(coding, type, VALUE)                                                 \
    static double norm2_##coding(const void *values, const double *table, int64_t n) { \
        const type *x = values;                                                        \
        (void)x, (void)table;                                                          \
        SUM(SQUARE_FOUR, SQUARE_ONE, four_##coding, VALUE);                            \
    }

#define ROW_AXPY(coding, type, VALUE)                                                                        \
    static void axpy_##coding(double a, const void *ids, const void *values, const double *table, int64_t n, \
                              double *restrict w) {                                                          \
        const type *x = values;                                                                              \
        (void)ids, (void)x, (void)table;                                                                     \
        for (int64_t t = 0; t < n; t++) w[t] += a * VALUE(x, table, t);                                      \
    }

ROW_AXPY(f64, double, HSP_VALUE_AT)
ROW_AXPY(f32, float, HSP_VALUE_AT)
ROW_AXPY(one, uint8_t, HSP_ONE_AT)
EACH_LENT_CODING(ROW_AXPY)

/* By hand: the compiler would use a gather instruction. */
static void axpy_code(double a, const void *ids, const void *values, const double *table, int64_t n, double *w) {
    const uint8_t *x = values;
    int64_t t = 0;
    (void)ids;
    for (; t + 4 <= n; t += 4) *(quad_at *)(w + t) += a * four_code(x, table, t);
    for (; t < n; t++) w[t] += a * table[x[t]];
}

EACH_CODING(ROW_DOT)
EACH_CODING(ROW_NORM2)

/* ---- chains: a lane is a row ---- */

/* Four columns of four rows: a vector for each column. */
INLINE void turn_f32(const float *const *x, int64_t t, quad *c) {
    __m128 p = _mm_loadu_ps(x[0] + t), q = _mm_loadu_ps(x[1] + t), r = _mm_loadu_ps(x[2] + t), s = _mm_loadu_ps(x[3] + t);
    _MM_TRANSPOSE4_PS(p, q, r, s);
    c[0] = (quad)_mm256_cvtps_pd(p), c[1] = (quad)_mm256_cvtps_pd(q);
    c[2] = (quad)_mm256_cvtps_pd(r), c[3] = (quad)_mm256_cvtps_pd(s);
}

INLINE void turn_f64(const double *const *x, int64_t t, quad *c) {
    __m256d p = _mm256_loadu_pd(x[0] + t), q = _mm256_loadu_pd(x[1] + t);
    __m256d r = _mm256_loadu_pd(x[2] + t), s = _mm256_loadu_pd(x[3] + t);
    __m256d even = _mm256_unpacklo_pd(p, q), odd = _mm256_unpackhi_pd(p, q);
    __m256d even2 = _mm256_unpacklo_pd(r, s), odd2 = _mm256_unpackhi_pd(r, s);
    c[0] = (quad)_mm256_permute2f128_pd(even, even2, 0x20), c[1] = (quad)_mm256_permute2f128_pd(odd, odd2, 0x20);
    c[2] = (quad)_mm256_permute2f128_pd(even, even2, 0x31), c[3] = (quad)_mm256_permute2f128_pd(odd, odd2, 0x31);
}

INLINE quad all(double v) {
    return (quad){v, v, v, v};
}

/* The chains of GROUPS * 4 rows for K outputs. */
#define CHAIN(coding, type)                                                                                             \
    INLINE void chain_##coding(const int groups, const int K, const type *const *x, int64_t n, const double *w,         \
                               int64_t w_step, double *out, int64_t step) {                                             \
        quad s[2][HSP_CHAINS];                                                                                          \
        int64_t t = 0;                                                                                                  \
        _Pragma("GCC unroll 2") for (int g = 0; g < groups; g++)                                                        \
            _Pragma("GCC unroll 8") for (int k = 0; k < K; k++) {                                                       \
            const double *from = out + 4 * g * step + k;                                                                \
            s[g][k] = (quad){from[0], from[step], from[2 * step], from[3 * step]};                                      \
        }                                                                                                               \
        for (; t + 4 <= n; t += 4)                                                                                      \
            _Pragma("GCC unroll 2") for (int g = 0; g < groups; g++) {                                                  \
                quad c[4];                                                                                              \
                turn_##coding(x + 4 * g, t, c);                                                                         \
                _Pragma("GCC unroll 4") for (int j = 0; j < 4; j++)                                                     \
                    _Pragma("GCC unroll 8") for (int k = 0; k < K; k++) s[g][k] += all(w[k * w_step + t + j]) * c[j];   \
            }                                                                                                           \
        for (; t < n; t++)                                                                                              \
            _Pragma("GCC unroll 2") for (int g = 0; g < groups; g++) {                                                  \
                const type *const *y = x + 4 * g;                                                                       \
                quad c = {(double)y[0][t], (double)y[1][t], (double)y[2][t], (double)y[3][t]};                          \
                _Pragma("GCC unroll 8") for (int k = 0; k < K; k++) s[g][k] += all(w[k * w_step + t]) * c;              \
            }                                                                                                           \
        _Pragma("GCC unroll 2") for (int g = 0; g < groups; g++)                                                        \
            _Pragma("GCC unroll 8") for (int k = 0; k < K; k++)                                                         \
                for (int l = 0; l < 4; l++) out[(4 * g + l) * step + k] = s[g][k][l];                                   \
    }

#define CHAIN_CASE(coding, K)                                      \
    case K:                                                        \
        chain_##coding(1, K, x, n, w, w_step, out, step);          \
        chain_##coding(1, K, x + 4, n, w, w_step, out + 4 * step, step); \
        break;
#define ROW_CHAINS(coding, type)                                                                                      \
    CHAIN(coding, type)                                                                                               \
    static void chains_##coding(const void *const *rows, int64_t n, const double *w, int64_t w_step, int64_t outputs, \
                                double *out, int64_t step) {                                                          \
        const type *const *x = (const type *const *)rows;                                                             \
        switch (outputs) {                                                                                            \
        case 1:                                                                                                       \
            chain_##coding(2, 1, x, n, w, w_step, out, step);                                                         \
            break;                                                                                                    \
            CHAIN_CASE(coding, 2)                                                                                     \
            CHAIN_CASE(coding, 3)                                                                                     \
            CHAIN_CASE(coding, 4)                                                                                     \
            CHAIN_CASE(coding, 5)                                                                                     \
            CHAIN_CASE(coding, 6)                                                                                     \
            CHAIN_CASE(coding, 7)                                                                                     \
            CHAIN_CASE(coding, 8)                                                                                     \
        }                                                                                                             \
    }

ROW_CHAINS(f64, double)
ROW_CHAINS(f32, float)

HSP_EACH_DENSE_FORM(HSP_ROW_DECODE)
HSP_EACH_DENSE_FORM(HSP_ROW_TRANSFORM)

#define DECODE_ENTRY(form, ...) decode_##form,
#define TRANSFORM_ENTRY(form, ...) transform_##form,
#define DOT_ENTRY(coding, ...) dot_##coding,
#define NORM2_ENTRY(coding, ...) norm2_##coding,
#define AXPY_ENTRY(coding, ...) axpy_##coding,

const hsp_dense_rows hsp_dense_rows_v3 = {
    .dot = {EACH_CODING(DOT_ENTRY)},
    .axpy = {EACH_CODING(AXPY_ENTRY)},
    .norm2 = {EACH_CODING(NORM2_ENTRY)},
    .decode = {HSP_EACH_DENSE_FORM(DECODE_ENTRY)},
    .transform = {HSP_EACH_DENSE_FORM(TRANSFORM_ENTRY)},
    .chains = {chains_f64, chains_f32}};
