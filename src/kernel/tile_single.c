/* Products in single precision, compiled for each level (of_level.h): for matrices that only precondition, at twice the speed.
 * As in tile.c, but a tile is added to outputs in double precision after each block. */
#include "kernel/of_level.h"

#include <stddef.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
enum { LANES = 8, HEIGHT = 4 };
#else
enum { LANES = 16, HEIGHT = 8 };
#endif
enum { VECTORS = 3, WIDTH = VECTORS * LANES };
_Static_assert(WIDTH == 2 * (LANES == 8 ? 12 : 24), "twice that of tile.c");

typedef struct floats {
#if defined(__AVX512F__)
    __m512 v;
#elif defined(__AVX2__)
    __m256 v;
#else
    float v[LANES];
#endif
} floats;

INLINE floats zero(void) {
#if defined(__AVX512F__)
    return (floats){_mm512_setzero_ps()};
#elif defined(__AVX2__)
    return (floats){_mm256_setzero_ps()};
#else
    return (floats){{0}};
#endif
}

INLINE floats load(const float *p) {
#if defined(__AVX512F__)
    return (floats){_mm512_loadu_ps(p)};
#elif defined(__AVX2__)
    return (floats){_mm256_loadu_ps(p)};
#else
    floats v;
    for (int l = 0; l < LANES; l++) v.v[l] = p[l];
    return v;
#endif
}

INLINE void store(float *p, floats a) {
#if defined(__AVX512F__)
    _mm512_storeu_ps(p, a.v);
#elif defined(__AVX2__)
    _mm256_storeu_ps(p, a.v);
#else
    for (int l = 0; l < LANES; l++) p[l] = a.v[l];
#endif
}

INLINE floats fma_of(float a, floats b, floats c) {
#if defined(__AVX512F__)
    return (floats){_mm512_fmadd_ps(_mm512_set1_ps(a), b.v, c.v)};
#elif defined(__AVX2__)
    return (floats){_mm256_fmadd_ps(_mm256_set1_ps(a), b.v, c.v)};
#else
    for (int l = 0; l < LANES; l++) c.v[l] = __builtin_fmaf(a, b.v[l], c.v[l]);
    return c;
#endif
}

/* C += A B for a tile of C of HEIGHT rows and VECTORS vectors, of which m x n numbers are inside C. */
INLINE void tile(int64_t depth, const float *a, const float *b, double *c, int64_t c_step, int64_t m, int64_t n) {
    floats s[HEIGHT][VECTORS];
#pragma GCC unroll 8
    for (int i = 0; i < HEIGHT; i++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) s[i][v] = zero();
    for (int64_t k = 0; k < depth; k++, a += WIDTH, b += WIDTH) {
        floats bk[VECTORS];
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) bk[v] = load(b + v * LANES);
#pragma GCC unroll 8
        for (int i = 0; i < HEIGHT; i++)
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++) s[i][v] = fma_of(a[i], bk[v], s[i][v]);
    }
    float whole[HEIGHT][WIDTH];
#pragma GCC unroll 8
    for (int i = 0; i < HEIGHT; i++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) store(&whole[i][v * LANES], s[i][v]);
    if (n == WIDTH) /* a constant count, so that the loop is vectorised */
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < WIDTH; j++) c[i * c_step + j] += (double)whole[i][j];
    else
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) c[i * c_step + j] += (double)whole[i][j];
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void HSP_OF_LEVEL(hsp_multiply_single_)(const hsp_product_single *p) {
    for (int64_t j = p->j0; j < p->j1; j += WIDTH) {
        const float *b = p->b + (j / WIDTH) * p->b_step;
        for (int64_t i = p->i0; i < p->i1; i += HEIGHT) {
            if (p->lower && i + HEIGHT <= j) continue;
            const float *a = p->a + (i / WIDTH) * p->a_step + i % WIDTH;
            tile(p->depth, a, b, p->c + i * p->c_step + j, p->c_step, least(HEIGHT, p->i1 - i), least(WIDTH, p->j1 - j));
        }
    }
}

/* One panel of n columns. */
INLINE void pack_panel(int64_t n, int64_t rows, const double *x, int64_t x_step, const double *centre, const double *scale,
                       const double *weight, float *restrict out) {
    double shift[WIDTH] = {0}, factor[WIDTH] = {0};
    for (int64_t l = 0; l < n; l++) {
        shift[l] = centre ? centre[l] : 0;
        factor[l] = scale[l];
    }
    for (int64_t i = 0; i < rows; i++, x += x_step, out += WIDTH) {
        double v[WIDTH] = {0};
        for (int64_t l = 0; l < n; l++) v[l] = weight[i] * ((x[l] - shift[l]) * factor[l]);
        for (int l = 0; l < WIDTH; l++) out[l] = (float)v[l];
    }
}

void HSP_OF_LEVEL(hsp_pack_single_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre,
                                    const double *scale, const double *weight, int64_t step, float *out) {
    for (int64_t j = 0; j < d; j += WIDTH, out += step) {
        const double *at = centre ? centre + j : NULL;
        if (j + WIDTH <= d)
            pack_panel(WIDTH, rows, x + j, x_step, at, scale + j, weight, out);
        else
            pack_panel(d - j, rows, x + j, x_step, at, scale + j, weight, out);
    }
}
