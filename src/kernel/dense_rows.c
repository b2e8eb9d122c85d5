/* Dense rows with vectors of four: the kernels of plain.c, in the same order and with the same bits, for levels from v3 on. A
 * dot product has four vectors of four sums where plain.c has eight pairs, added in the same tree. Speed against plain.c,
 * data in the L2 cache: dot products 1.4x (doubles), 1.6x to 2.4x (floats), 1.1x (codes); axpy 2.5x (doubles), 1.4x (floats),
 * 1.5x (codes). From memory 1.1x to 1.3x, limited by bandwidth, so wider vectors would not help.
 *
 * Sparse rows have plain kernels at every level, because nothing else was faster (Zen 3): loads of ids and weights are the
 * limit. Vectors of four and fewer sums (4 or 8) made no difference; gather instructions were 1.4x to 1.7x slower. Prefetching
 * the weights 64 entries ahead gains 1.1x (dot) or 1.2x (axpy) on rows of 400 entries over 1.7 million columns, but costs up
 * to 1.6x where the weights are in the cache, as those of frequent columns are. */
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

#define DOT_ENTRY(coding, ...) dot_##coding,
#define NORM2_ENTRY(coding, ...) norm2_##coding,
#define AXPY_ENTRY(coding, ...) axpy_##coding,

const hsp_dense_rows hsp_dense_rows_v3 = {
    .dot = {EACH_CODING(DOT_ENTRY)}, .axpy = {EACH_CODING(AXPY_ENTRY)}, .norm2 = {EACH_CODING(NORM2_ENTRY)}};
