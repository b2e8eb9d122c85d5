/* Blocks of dense rows of doubles, compiled for each level (of_level.h). Vectors of four at every level: the rows come from
 * the L2 cache, whose bandwidth is the limit. Products are rounded before they are added, row by row, as in hsp_axpy_f64:
 * the same bits. */
#include "kernel/of_level.h"

#if defined(__AVX2__) && !defined(__AVX512F__)
enum { WIDTH = 12 }; /* of a panel, as in tile.c */
#else
enum { WIDTH = 24 };
#endif
enum { NEAR = 64 }; /* rows at a time, which stay in the L1 cache for all columns */

#ifdef __AVX2__
#include <immintrin.h>

typedef double quad __attribute__((vector_size(32)));
typedef double quad_at __attribute__((vector_size(32), aligned(8), may_alias));

INLINE quad load(const double *p) {
    return *(const quad_at *)p;
}

INLINE void store(double *p, quad v) {
    *(quad_at *)p = v;
}

/* The first n of four numbers, and zeros. */
INLINE quad load_some(const double *p, int64_t n) {
    static const int64_t mask[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return (quad)_mm256_maskload_pd(p, _mm256_loadu_si256((const __m256i *)(mask + 4 - n)));
}

/* ---- sums ---- */

/* Columns j to j + 4 quads of up to three sums. The first `skip` lanes belong to columns already done. */
INLINE void pull_columns(const int count, const int quads, int64_t rows, const double *x, int64_t x_step,
                         const double *const *weight, double *const *out, int64_t j, int skip) {
    quad s[3][3];
#pragma GCC unroll 3
    for (int q = 0; q < count; q++)
#pragma GCC unroll 3
        for (int v = 0; v < quads; v++) s[q][v] = load(out[q] + j + 4 * v);
    for (int64_t i = 0; i < rows; i++) {
        const double *xi = x + i * x_step + j;
        quad row[3];
#pragma GCC unroll 3
        for (int v = 0; v < quads; v++) row[v] = load(xi + 4 * v);
#pragma GCC unroll 3
        for (int q = 0; q < count; q++) {
            quad a = {weight[q][i], weight[q][i], weight[q][i], weight[q][i]};
#pragma GCC unroll 3
            for (int v = 0; v < quads; v++) s[q][v] += a * row[v];
        }
    }
#pragma GCC unroll 3
    for (int q = 0; q < count; q++)
        if (skip > 0)
            for (int l = skip; l < 4; l++) out[q][j + l] = s[q][0][l];
        else
#pragma GCC unroll 3
            for (int v = 0; v < quads; v++) store(out[q] + j + 4 * v, s[q][v]);
}

INLINE void pull_rows(const int count, int64_t rows, int64_t d, const double *x, int64_t x_step,
                      const double *const *weight, double *const *out) {
    int64_t j = 0;
    for (; j + 12 <= d; j += 12) pull_columns(count, 3, rows, x, x_step, weight, out, j, 0);
    for (; j + 4 <= d; j += 4) pull_columns(count, 1, rows, x, x_step, weight, out, j, 0);
    if (j < d && d >= 4) {
        pull_columns(count, 1, rows, x, x_step, weight, out, d - 4, (int)(j - (d - 4)));
        return;
    }
    for (; j < d; j++)
        for (int q = 0; q < count; q++)
            for (int64_t i = 0; i < rows; i++) out[q][j] += weight[q][i] * x[i * x_step + j];
}

void HSP_OF_LEVEL(hsp_pulls_)(int64_t rows, int64_t d, const double *x, int64_t x_step, int count,
                              const double *const *weight, double *const *out) {
    for (int64_t from = 0; from < rows; from += NEAR) {
        int64_t some = rows - from < NEAR ? rows - from : NEAR;
        const double *at[3] = {0}, *first = x + from * x_step;
        for (int q = 0; q < count; q++) at[q] = weight[q] + from;
        if (count == 3)
            pull_rows(3, some, d, first, x_step, at, out);
        else if (count == 2)
            pull_rows(2, some, d, first, x_step, at, out);
        else if (count == 1)
            pull_rows(1, some, d, first, x_step, at, out);
    }
}

/* ---- panels ---- */

/* One panel of n columns; whole: n is the width. */
INLINE void pack_panel(const bool whole, int64_t n, int64_t rows, const double *x, int64_t x_step, const double *centre,
                       double *out, const double *weight, double *weighted) {
    quad c[WIDTH / 4];
#pragma GCC unroll 6
    for (int v = 0; v < WIDTH / 4; v++) {
        int64_t left = n - 4 * v < 0 ? 0 : n - 4 * v > 4 ? 4 : n - 4 * v;
        c[v] = centre ? load_some(centre + 4 * v, left) : (quad){0};
    }
    for (int64_t i = 0; i < rows; i++, x += x_step, out += WIDTH) {
#pragma GCC unroll 6
        for (int v = 0; v < WIDTH / 4; v++) {
            int64_t left = n - 4 * v < 0 ? 0 : n - 4 * v > 4 ? 4 : n - 4 * v;
            quad value = whole ? load(x + 4 * v) : load_some(x + 4 * v, left);
            if (centre) value -= c[v];
            store(out + 4 * v, value);
            if (weighted) store(weighted + i * WIDTH + 4 * v, weight[i] * value);
        }
    }
}

void HSP_OF_LEVEL(hsp_pack_rows_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre,
                                  int64_t step, double *out, const double *weight, double *weighted) {
    for (int64_t j = 0; j < d; j += WIDTH, out += step) {
        const double *at = centre ? centre + j : NULL;
        if (j + WIDTH <= d)
            pack_panel(true, WIDTH, rows, x + j, x_step, at, out, weight, weighted);
        else
            pack_panel(false, d - j, rows, x + j, x_step, at, out, weight, weighted);
        if (weighted) weighted += step;
    }
}
#else
void HSP_OF_LEVEL(hsp_pulls_)(int64_t rows, int64_t d, const double *x, int64_t x_step, int count,
                              const double *const *weight, double *const *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int q = 0; q < count; q++)
            for (int64_t j = 0; j < d; j++) out[q][j] += weight[q][i] * x[i * x_step + j];
}

void HSP_OF_LEVEL(hsp_pack_rows_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre,
                                  int64_t step, double *out, const double *weight, double *weighted) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < (d + WIDTH - 1) / WIDTH * WIDTH; j++) {
            int64_t at = j / WIDTH * step + i * WIDTH + j % WIDTH;
            double value = j < d ? x[i * x_step + j] - (centre ? centre[j] : 0) : 0;
            out[at] = value;
            if (weighted) weighted[at] = weight[i] * value;
        }
}
#endif
