/* Products with blocks of dense rows that are transformed on the way, compiled for each level (of_level.h): floats or doubles
 * as they are stored, without a copy of the transformed numbers. Sums have the order of kernel.h: the same bits as from rows
 * that were transformed before. */
#include "kernel/moved_lanes.h"

enum { SUMS = 16, VECTORS = SUMS / WIDTH, NEAR = 16, ABREAST = 4 }; /* NEAR: rows at a time, which stay in the L1 cache */

INLINE double sum_of(const lanes *s) {
    double v[SUMS], q[4];
    memcpy(v, s, sizeof v);
    for (int l = 0; l < 4; l++) q[l] = (v[l] + v[l + 8]) + (v[l + 4] + v[l + 12]);
    return (q[0] + q[2]) + (q[1] + q[3]);
}

#if defined(__AVX512F__)
/* Those of four rows at once. */
INLINE void sums_of_four(const lanes (*s)[VECTORS], double *out) {
    __m256d q[4];
    for (int i = 0; i < 4; i++) {
        __m512d t = (__m512d)(s[i][0] + s[i][1]);
        q[i] = _mm256_add_pd(_mm512_castpd512_pd256(t), _mm512_extractf64x4_pd(t, 1));
    }
    __m256d even = _mm256_unpacklo_pd(q[0], q[1]), odd = _mm256_unpackhi_pd(q[0], q[1]);
    __m256d even2 = _mm256_unpacklo_pd(q[2], q[3]), odd2 = _mm256_unpackhi_pd(q[2], q[3]);
    __m256d q0 = _mm256_permute2f128_pd(even, even2, 0x20), q1 = _mm256_permute2f128_pd(odd, odd2, 0x20);
    __m256d q2 = _mm256_permute2f128_pd(even, even2, 0x31), q3 = _mm256_permute2f128_pd(odd, odd2, 0x31);
    _mm256_storeu_pd(out, _mm256_add_pd(_mm256_add_pd(q0, q2), _mm256_add_pd(q1, q3)));
}
#else
INLINE void sums_of_four(const lanes (*s)[VECTORS], double *out) {
    for (int i = 0; i < 4; i++) out[i] = sum_of(s[i]);
}
#endif

/* ---- scores ---- */

#define DOTS(type, name)                                                                                                 \
    INLINE void dots_##name(const bool moved, const int rows, int64_t n, const type *x, int64_t x_step,                  \
                            const double *shift, const double *factor, const double *w, double *out) {                   \
        lanes s[4][VECTORS];                                                                                             \
        memset(s, 0, sizeof s);                                                                                          \
        int64_t t = 0;                                                                                                   \
        for (; t + SUMS <= n; t += SUMS)                                                                                 \
            _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) {                                                  \
                int64_t at = t + v * WIDTH;                                                                              \
                lanes a = moved ? load_f64(shift + at) : (lanes){0}, b = moved ? load_f64(factor + at) : (lanes){0};     \
                lanes c = load_f64(w + at);                                                                              \
                _Pragma("GCC unroll 4") for (int i = 0; i < rows; i++) {                                                 \
                    __builtin_prefetch(x + (i + rows) * x_step + at); /* the processor does not foresee the next rows */ \
                    s[i][v] += MOVED(moved, load_##name(x + i * x_step + at), a, b) * c;                                 \
                }                                                                                                        \
            }                                                                                                            \
        for (int v = 0; v < VECTORS && t < n; v++, t += WIDTH) {                                                         \
            int64_t some = n - t < WIDTH ? n - t : 0;                                                                    \
            lanes a = {0}, b = {0}, c = some ? load_some_f64(w + t, some) : load_f64(w + t);                             \
            if (moved) a = some ? load_some_f64(shift + t, some) : load_f64(shift + t);                                  \
            if (moved) b = some ? load_some_f64(factor + t, some) : load_f64(factor + t);                                \
            for (int i = 0; i < rows; i++) {                                                                             \
                const type *xi = x + i * x_step + t;                                                                     \
                lanes value = some ? load_some_##name(xi, some) : load_##name(xi);                                       \
                s[i][v] += MOVED(moved, value, a, b) * c;                                                                \
            }                                                                                                            \
        }                                                                                                                \
        if (rows == 4)                                                                                                   \
            sums_of_four((const lanes(*)[VECTORS])s, out);                                                               \
        else                                                                                                             \
            for (int i = 0; i < rows; i++) out[i] = sum_of(s[i]);                                                        \
    }                                                                                                                    \
    INLINE void scores_##name(const bool moved, int64_t rows, int64_t n, const type *x, int64_t x_step,                  \
                              const double *shift, const double *factor, const double *w, double *out) {                 \
        int64_t i = 0;                                                                                                   \
        for (; i + 4 <= rows; i += 4) dots_##name(moved, 4, n, x + i * x_step, x_step, shift, factor, w, out + i);       \
        for (; i < rows; i++) dots_##name(moved, 1, n, x + i * x_step, x_step, shift, factor, w, out + i);               \
    }
DOTS(float, f32)
DOTS(double, f64)

/* ---- sums ---- */

/* `vectors` of columns side by side: each sum waits for the one before. */
#define PULLS(type, name)                                                                                                \
    INLINE void pull_abreast_##name(const bool moved, const int vectors, int64_t rows, const type *x, int64_t x_step,    \
                                    const double *shift, const double *factor, const double *r, double *out) {           \
        lanes a[ABREAST], b[ABREAST], s[ABREAST];                                                                        \
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) {                                                      \
            a[v] = moved ? load_f64(shift + v * WIDTH) : (lanes){0};                                                     \
            b[v] = moved ? load_f64(factor + v * WIDTH) : (lanes){0};                                                    \
            s[v] = load_f64(out + v * WIDTH);                                                                            \
        }                                                                                                                \
        for (int64_t i = 0; i < rows; i++)                                                                               \
            _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) s[v] +=                                            \
                all(r[i]) * MOVED(moved, load_##name(x + i * x_step + v * WIDTH), a[v], b[v]);                           \
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) store(out + v * WIDTH, s[v]);                          \
    }                                                                                                                    \
    INLINE void pull_##name(const bool moved, int64_t rows, int64_t n, const type *x, int64_t x_step,                    \
                            const double *shift, const double *factor, const double *r, double *out) {                   \
        int64_t t = 0;                                                                                                   \
        for (; t + ABREAST * WIDTH <= n; t += ABREAST * WIDTH)                                                           \
            pull_abreast_##name(moved, ABREAST, rows, x + t, x_step, moved ? shift + t : NULL, moved ? factor + t : NULL, r, \
                                out + t);                                                                                \
        for (; t + 2 * WIDTH <= n; t += 2 * WIDTH)                                                                       \
            pull_abreast_##name(moved, 2, rows, x + t, x_step, moved ? shift + t : NULL, moved ? factor + t : NULL, r,   \
                                out + t);                                                                                \
        for (int64_t some; t < n; t += some) {                                                                           \
            some = n - t < WIDTH ? n - t : WIDTH;                                                                        \
            lanes a = {0}, b = {0}, s = load_some_f64(out + t, some);                                                    \
            if (moved) a = load_some_f64(shift + t, some), b = load_some_f64(factor + t, some);                          \
            for (int64_t i = 0; i < rows; i++)                                                                           \
                s += all(r[i]) * MOVED(moved, load_some_##name(x + i * x_step + t, some), a, b);                         \
            store_some(out + t, s, some);                                                                                \
        }                                                                                                                \
    }                                                                                                                    \
    INLINE void pulls_##name(const bool moved, int64_t rows, int64_t n, const type *x, int64_t x_step,                   \
                             const double *shift, const double *factor, const double *r, double *out) {                  \
        for (int64_t i = 0; i < rows; i += NEAR)                                                                         \
            pull_##name(moved, rows - i < NEAR ? rows - i : NEAR, n, x + i * x_step, x_step, shift, factor, r + i, out); \
    }
PULLS(float, f32)
PULLS(double, f64)

/* ---- into panels ---- */

/* One panel: its columns from j on, `width` of them with zeros behind the last. */
#define PACK(type, name)                                                                                                 \
    INLINE void pack_panel_##name(const bool moved, const hsp_moved_rows *q, const type *x, int64_t count, int64_t j,    \
                                  int64_t width, const double *centre, double *out, const double *weight,                \
                                  double *weighted) {                                                                    \
        for (int64_t v = 0; v < width; v += WIDTH) {                                                                     \
            int64_t at = j + v, some = q->d - at < 0 ? 0 : q->d - at < WIDTH ? q->d - at : WIDTH;                        \
            lanes a = {0}, b = {0}, c = centre && some ? load_some_f64(centre + at, some) : (lanes){0};                  \
            if (moved && some) a = load_some_f64(q->shift + at, some), b = load_some_f64(q->factor + at, some);          \
            for (int64_t i = 0; i < count; i++) {                                                                        \
                const type *from = x + i * q->step + at;                                                                 \
                lanes value = {0};                                                                                       \
                if (some == WIDTH)                                                                                       \
                    value = load_##name(from);                                                                           \
                else if (some > 0)                                                                                       \
                    value = load_some_##name(from, some);                                                                \
                value = MOVED(moved, value, a, b);                                                                       \
                if (centre) value -= c;                                                                                  \
                store(out + i * width + v, value);                                                                       \
                if (weighted) store(weighted + i * width + v, all(weight[i]) * value);                                   \
            }                                                                                                            \
        }                                                                                                                \
    }
PACK(float, f32)
PACK(double, f64)

void HSP_OF_LEVEL(hsp_moved_pack_)(const hsp_moved_rows *q, const void *x, int64_t count, const double *centre, int64_t width,
                                   int64_t step, double *out, const double *weight, double *weighted) {
    for (int64_t j = 0; j < q->d; j += width, out += step) {
        if (q->single && q->factor)
            pack_panel_f32(true, q, x, count, j, width, centre, out, weight, weighted);
        else if (q->single)
            pack_panel_f32(false, q, x, count, j, width, centre, out, weight, weighted);
        else if (q->factor)
            pack_panel_f64(true, q, x, count, j, width, centre, out, weight, weighted);
        else
            pack_panel_f64(false, q, x, count, j, width, centre, out, weight, weighted);
        if (weighted) weighted += step;
    }
}

/* ---- by kind ---- */

#define BY_KIND(what, rows, x, step, last, out)                                                                          \
    do {                                                                                                                 \
        if (rows->single && rows->factor)                                                                                \
            what##_f32(true, count, rows->d, x, step, rows->shift, rows->factor, last, out);                             \
        else if (rows->single)                                                                                           \
            what##_f32(false, count, rows->d, x, step, NULL, NULL, last, out);                                           \
        else if (rows->factor)                                                                                           \
            what##_f64(true, count, rows->d, x, step, rows->shift, rows->factor, last, out);                             \
        else                                                                                                             \
            what##_f64(false, count, rows->d, x, step, NULL, NULL, last, out);                                           \
    } while (0)

void HSP_OF_LEVEL(hsp_moved_scores_)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *w, double *out) {
    BY_KIND(scores, rows, x, rows->step, w, out);
}

void HSP_OF_LEVEL(hsp_moved_pulls_)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *r, double *out) {
    BY_KIND(pulls, rows, x, rows->step, r, out);
}
