/* Products of blocks of dense rows with several vectors, compiled for each level (of_level.h): floats or doubles as they are
 * stored, transformed on the way, without a copy. A number of a row is loaded once for several vectors. A tile of sums stays
 * in the registers; each sum is a chain of fused multiply-adds, or eight chains side by side, whatever the level. */
#include "kernel/moved_lanes.h"

/* SUMS: chains of a dot product. The tile of scores has ROWS x OUTPUTS of them, that of sums of rows OUTPUTS x STRIP
 * vectors. */
enum { SUMS = 8, VECTORS = SUMS / WIDTH, OUTPUTS = 5 };
#if defined(__AVX512F__)
enum { ROWS = 4, STRIP = 4 };
#elif defined(__AVX2__)
enum { ROWS = 1, STRIP = 2 };
#else
enum { ROWS = 1, STRIP = 1 };
#endif
enum { NEAR = 64 }; /* rows that are summed at a time, which stay in the cache */

/* Outputs first .. first + count - 1 of K, in groups of about the same size. */
static int group_size(int64_t K, int64_t first) {
    int64_t groups = (K - first + OUTPUTS - 1) / OUTPUTS;
    return (int)((K - first + groups - 1) / groups);
}

INLINE double sum_of(const lanes *s) {
    double v[SUMS];
    memcpy(v, s, sizeof v);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* ---- scores ---- */

#define SCORES(type, name)                                                                                               \
    INLINE void score_tile_##name(const bool moved, const int rows, const int outputs, const hsp_moved_rows *q,          \
                                  const type *x, const double *w, double *out, int64_t K) {                              \
        lanes s[ROWS][OUTPUTS][VECTORS];                                                                                 \
        int64_t n = q->d, step = q->step, t = 0;                                                                         \
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++)                                                           \
            _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++)                                                    \
                _Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++) s[i][k][v] = (lanes){0};                       \
        for (; t + SUMS <= n; t += SUMS)                                                                                 \
            _Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++) {                                                  \
                int64_t at = t + v * WIDTH;                                                                              \
                lanes a = moved ? load_f64(q->shift + at) : (lanes){0}, b = moved ? load_f64(q->factor + at) : (lanes){0}; \
                lanes c[ROWS];                                                                                           \
                _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) {                                                 \
                    __builtin_prefetch(x + (i + 2 * rows) * step + at); /* the processor does not foresee these rows */  \
                    c[i] = MOVED(moved, load_##name(x + i * step + at), a, b);                                           \
                }                                                                                                        \
                _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++) {                                              \
                    lanes wk = load_f64(w + k * n + at);                                                                 \
                    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) s[i][k][v] = fused(c[i], wk, s[i][k][v]);     \
                }                                                                                                        \
            }                                                                                                            \
        _Pragma("GCC unroll 4") for (int v = 0; v < VECTORS; v++) {                                                      \
            int64_t at = t + v * WIDTH, some = n - at < WIDTH ? n - at : WIDTH;                                          \
            if (some <= 0) break;                                                                                        \
            lanes a = moved ? load_some_f64(q->shift + at, some) : (lanes){0};                                           \
            lanes b = moved ? load_some_f64(q->factor + at, some) : (lanes){0};                                          \
            _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) {                                                     \
                lanes c = MOVED(moved, load_some_##name(x + i * step + at, some), a, b);                                 \
                _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++) s[i][k][v] =                                   \
                    fused(c, load_some_f64(w + k * n + at, some), s[i][k][v]);                                           \
            }                                                                                                            \
        }                                                                                                                \
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++)                                                           \
            _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++) out[i * K + k] += sum_of(s[i][k]);                 \
    }                                                                                                                    \
    INLINE void score_rows_##name(const bool moved, const int outputs, const hsp_moved_rows *q, const type *x,           \
                                  int64_t count, const double *w, double *out, int64_t K) {                              \
        int64_t i = 0;                                                                                                   \
        for (; i + ROWS <= count; i += ROWS)                                                                             \
            score_tile_##name(moved, ROWS, outputs, q, x + i * q->step, w, out + i * K, K);                              \
        for (; i < count; i++) score_tile_##name(moved, 1, outputs, q, x + i * q->step, w, out + i * K, K);              \
    }                                                                                                                    \
    INLINE void scores_##name(const bool moved, const hsp_moved_rows *q, const type *x, int64_t count, const double *w,  \
                              int64_t K, double *out) {                                                                  \
        for (int64_t k = 0, size; k < K; k += size) {                                                                    \
            size = group_size(K, k);                                                                                     \
            switch (size) {                                                                                              \
            case 1: score_rows_##name(moved, 1, q, x, count, w + k * q->d, out + k, K); break;                           \
            case 2: score_rows_##name(moved, 2, q, x, count, w + k * q->d, out + k, K); break;                           \
            case 3: score_rows_##name(moved, 3, q, x, count, w + k * q->d, out + k, K); break;                           \
            case 4: score_rows_##name(moved, 4, q, x, count, w + k * q->d, out + k, K); break;                           \
            default: score_rows_##name(moved, 5, q, x, count, w + k * q->d, out + k, K);                                 \
            }                                                                                                            \
        }                                                                                                                \
    }
_Static_assert(OUTPUTS == 5, "each size has its case");
SCORES(float, f32)
SCORES(double, f64)

/* ---- sums of rows ---- */

/* `columns` from j on, in `vectors` vectors; all of them if `whole`. */
#define PULLS(type, name)                                                                                                \
    INLINE void pull_tile_##name(const bool moved, const bool whole, const int vectors, const int outputs,               \
                                 const hsp_moved_rows *q, int64_t j, int64_t columns, const type *x, int64_t rows,       \
                                 const double *r, int64_t K, double *out) {                                              \
        lanes s[OUTPUTS][STRIP], a[STRIP], b[STRIP];                                                                     \
        int64_t some[STRIP];                                                                                             \
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) {                                                      \
            int64_t left = columns - v * WIDTH, at = j + v * WIDTH;                                                      \
            some[v] = whole || left > WIDTH ? WIDTH : left > 0 ? left : 0;                                               \
            a[v] = !moved ? (lanes){0} : whole ? load_f64(q->shift + at) : load_some_f64(q->shift + at, some[v]);        \
            b[v] = !moved ? (lanes){0} : whole ? load_f64(q->factor + at) : load_some_f64(q->factor + at, some[v]);      \
            _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++) s[k][v] =                                          \
                whole ? load_f64(out + k * q->d + at) : load_some_f64(out + k * q->d + at, some[v]);                     \
        }                                                                                                                \
        for (int64_t i = 0; i < rows; i++) {                                                                             \
            const type *xi = x + i * q->step + j;                                                                        \
            lanes c[STRIP];                                                                                              \
            _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) c[v] =                                             \
                MOVED(moved, whole ? load_##name(xi + v * WIDTH) : load_some_##name(xi + v * WIDTH, some[v]), a[v], b[v]); \
            _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++) {                                                  \
                lanes rk = all(r[i * K + k]);                                                                            \
                _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) s[k][v] = fused(rk, c[v], s[k][v]);            \
            }                                                                                                            \
        }                                                                                                                \
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)                                                        \
            _Pragma("GCC unroll 8") for (int k = 0; k < outputs; k++) {                                                  \
                double *to = out + k * q->d + j + v * WIDTH;                                                             \
                if (whole)                                                                                               \
                    store(to, s[k][v]);                                                                                  \
                else                                                                                                     \
                    store_some(to, s[k][v], some[v]);                                                                    \
            }                                                                                                            \
    }                                                                                                                    \
    INLINE void pull_rows_##name(const bool moved, const int outputs, const hsp_moved_rows *q, const type *x,            \
                                 int64_t count, const double *r, int64_t K, double *out) {                               \
        enum { HALF = STRIP > 1 ? STRIP / 2 : 1 };                                                                       \
        int64_t j = 0, d = q->d;                                                                                         \
        for (; j + STRIP * WIDTH <= d; j += STRIP * WIDTH)                                                               \
            pull_tile_##name(moved, true, STRIP, outputs, q, j, STRIP *WIDTH, x, count, r, K, out);                      \
        if (d - j > HALF * WIDTH)                                                                                        \
            pull_tile_##name(moved, false, STRIP, outputs, q, j, d - j, x, count, r, K, out);                            \
        else if (d > j)                                                                                                  \
            pull_tile_##name(moved, false, HALF, outputs, q, j, d - j, x, count, r, K, out);                             \
    }                                                                                                                    \
    INLINE void pulls_##name(const bool moved, const hsp_moved_rows *q, const type *x, int64_t count, const double *r,   \
                             int64_t K, double *out) {                                                                   \
        for (int64_t k = 0, size; k < K; k += size) {                                                                    \
            double *to = out + k * q->d;                                                                                 \
            size = group_size(K, k);                                                                                     \
            switch (size) {                                                                                              \
            case 1: pull_rows_##name(moved, 1, q, x, count, r + k, K, to); break;                                        \
            case 2: pull_rows_##name(moved, 2, q, x, count, r + k, K, to); break;                                        \
            case 3: pull_rows_##name(moved, 3, q, x, count, r + k, K, to); break;                                        \
            case 4: pull_rows_##name(moved, 4, q, x, count, r + k, K, to); break;                                        \
            default: pull_rows_##name(moved, 5, q, x, count, r + k, K, to);                                              \
            }                                                                                                            \
        }                                                                                                                \
    }
PULLS(float, f32)
PULLS(double, f64)

/* ---- both ---- */

/* By the type of the numbers, and whether they are transformed. */
#define BY_KIND(what, x, count, in, out)                     \
    do {                                                     \
        if (q->single && q->factor)                          \
            what##_f32(true, q, x, count, in, K, out);       \
        else if (q->single)                                  \
            what##_f32(false, q, x, count, in, K, out);      \
        else if (q->factor)                                  \
            what##_f64(true, q, x, count, in, K, out);       \
        else                                                 \
            what##_f64(false, q, x, count, in, K, out);      \
    } while (0)

void HSP_OF_LEVEL(hsp_many_scores_)(const hsp_moved_rows *q, const void *x, int64_t count, const double *W, int64_t K,
                                    double *out) {
    int64_t size = q->single ? sizeof(float) : sizeof(double);
    for (int64_t i = 0; i < count; i += NEAR) {
        const void *at = (const char *)x + i * q->step * size;
        int64_t rows = count - i < NEAR ? count - i : NEAR;
        BY_KIND(scores, at, rows, W, out + i * K);
    }
}

void HSP_OF_LEVEL(hsp_many_pulls_)(const hsp_moved_rows *q, const void *x, int64_t count, const double *R, int64_t K,
                                   double *out) {
    int64_t size = q->single ? sizeof(float) : sizeof(double);
    for (int64_t i = 0; i < count; i += NEAR) {
        const void *at = (const char *)x + i * q->step * size;
        int64_t rows = count - i < NEAR ? count - i : NEAR;
        BY_KIND(pulls, at, rows, R + i * K, out);
    }
}
