/* A tile of a matrix product, for the sources that are compiled for each level (of_level.h). A tile of outputs stays in
 * registers over the inner index; each step multiplies HEIGHT broadcast numbers of A by WIDTH of B. 4 x 12 fills the 16
 * registers of AVX2 (12 sums, 3 of B, 1 of A), 8 x 24 the 32 of AVX-512; the plain level also has 8 x 24, so that its code
 * paths are tested on every machine. K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS
 * 34 (2008). */
#ifndef HSP_KERNEL_REGISTER_TILE_H
#define HSP_KERNEL_REGISTER_TILE_H

#include "kernel/of_level.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
enum { LANES = 4, HEIGHT = 4 };
#else
enum { LANES = 8, HEIGHT = 8 };
#endif
enum { VECTORS = 3, WIDTH = VECTORS * LANES, CHUNK = HSP_BLOCK_DEPTH };

#if defined(__AVX2__)
typedef double vec __attribute__((vector_size(8 * LANES)));
typedef double vec_at __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

INLINE vec load(const double *p) {
    return *(const vec_at *)p;
}

INLINE void store(double *p, vec v) {
    *(vec_at *)p = v;
}

INLINE vec add(vec a, vec b) {
    return a + b;
}

/* c + a b, rounded once */
INLINE vec fma_of(double a, vec b, vec c) {
#ifdef __AVX512F__
    return (vec)_mm512_fmadd_pd(_mm512_set1_pd(a), (__m512d)b, (__m512d)c);
#else
    return (vec)_mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)b, (__m256d)c);
#endif
}
#else
typedef struct vec {
    double lane[LANES];
} vec;

INLINE vec load(const double *p) {
    vec v;
    for (int l = 0; l < LANES; l++) v.lane[l] = p[l];
    return v;
}

INLINE void store(double *p, vec v) {
    for (int l = 0; l < LANES; l++) p[l] = v.lane[l];
}

INLINE vec add(vec a, vec b) {
    for (int l = 0; l < LANES; l++) a.lane[l] += b.lane[l];
    return a;
}

INLINE vec fma_of(double a, vec b, vec c) {
    for (int l = 0; l < LANES; l++) c.lane[l] = __builtin_fma(a, b.lane[l], c.lane[l]);
    return c;
}
#endif

/* C += A B for a tile of C of `height` rows and `vectors` vectors, of which m x n numbers are inside C.
 * A(i, k) = a[i * a_row + k * a_col]; B's rows are WIDTH apart. */
INLINE void tile(const int height, const int vectors, int64_t depth, const double *a, int64_t a_row, int64_t a_col,
                 const double *b, double *c, int64_t c_step, int64_t m, int64_t n) {
    vec s[8][VECTORS];
#pragma GCC unroll 8
    for (int i = 0; i < height; i++)
#pragma GCC unroll 3
        for (int v = 0; v < vectors; v++) s[i][v] = (vec){0};
    for (int64_t k = 0; k < depth; k++, a += a_col, b += WIDTH) {
        vec bk[VECTORS];
#pragma GCC unroll 3
        for (int v = 0; v < vectors; v++) bk[v] = load(b + v * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < height; i++)
#pragma GCC unroll 3
            for (int v = 0; v < vectors; v++) s[i][v] = fma_of(a[i * a_row], bk[v], s[i][v]);
    }
    if (m == height && n == vectors * LANES) {
#pragma GCC unroll 8
        for (int i = 0; i < height; i++)
#pragma GCC unroll 3
            for (int v = 0; v < vectors; v++) {
                double *at = c + i * c_step + v * LANES;
                store(at, add(load(at), s[i][v]));
            }
        return;
    }
    double edge[8][WIDTH];
#pragma GCC unroll 8
    for (int i = 0; i < height; i++)
#pragma GCC unroll 3
        for (int v = 0; v < vectors; v++) store(&edge[i][v * LANES], s[i][v]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) c[i * c_step + j] += edge[i][j];
}

#endif
