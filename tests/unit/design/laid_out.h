/* Matrices of every layout from one random table, with the transformed table in long double beside them. */
#ifndef TESTS_LAID_OUT_H
#define TESTS_LAID_OUT_H

#include "base/memory.h"
#include "base/rng.h"
#include "design/design.h"

#include <math.h>
#include <stdlib.h>

/* Dense, dense float, both with a gap between the rows (as columns of a mapped file that are not features), sparse,
 * sparse float; scales: none, factor alone, shift and factor. */
enum { DENSE_LAYOUTS = 4, LAYOUTS = 6, SCALES = 3, BETWEEN = 3 };

typedef struct laid_out {
    hsp_matrix x;
    double *shift, *factor; /* NULL when there are none */
    hsp_design *D;
    long double *t;    /* n x d: x' */
    double *magnitude; /* n x d: |x'| plus what cancels in it */
} laid_out;

static void store_rows(laid_out *m, const double *table, bool sparse) {
    int64_t n = m->x.n, d = m->x.d, count = 0;
    bool single = m->x.dtype == HSP_FLOAT32;
    /* of exact size, so that a sanitizer sees reads beyond */
    int64_t stored = 0, between = sparse ? 0 : hsp_matrix_stride(&m->x) - d;
    for (int64_t t = 0; t < n * d; t++) stored += !sparse || table[t] != 0;
    m->x.stored = stored;
    m->x.value = hsp_alloc(stored + (n - 1) * between, single ? sizeof(float) : sizeof(double));
    if (sparse) {
        m->x.row = hsp_alloc(n + 1, sizeof *m->x.row);
        m->x.id = hsp_alloc(stored, sizeof *m->x.id);
        m->x.row[0] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d + (i + 1 < n ? between : 0); j++) {
            double v = j < d ? table[i * d + j] : 1e30;
            if (sparse && v == 0) continue;
            if (sparse) m->x.id[count] = (uint32_t)j;
            if (single)
                ((float *)m->x.value)[count] = (float)v;
            else
                ((double *)m->x.value)[count] = v;
            count++;
        }
        if (sparse) m->x.row[i + 1] = count;
    }
}

/* The first `count` pairs of a uniform and a normal number. One stream for all tables, made once: drawing would take half of
 * the time of the tests. */
static const double *drawn_pairs(int64_t count) {
    static hsp_rng r;
    static double *pairs;
    static int64_t made;
    if (!made) r = hsp_rng_new(21, 0);
    if (count > made && !(pairs = realloc(pairs, (size_t)(2 * count) * sizeof *pairs))) abort();
    for (; made < count; made++) {
        pairs[2 * made] = hsp_rng_uniform(&r);
        pairs[2 * made + 1] = hsp_rng_normal(&r);
    }
    return pairs;
}

/* `density` of the entries are not zero. Columns are far from centred and of different scales. */
static void lay_out(laid_out *out, int64_t n, int64_t d, double density, int layout, int scale, int threads) {
    laid_out m = {.x = {.n = n, .d = d, .dense = layout < DENSE_LAYOUTS, .dtype = layout % 2 ? HSP_FLOAT32 : HSP_FLOAT64}};
    if (m.x.dense && layout >= 2) m.x.stride = d + BETWEEN;
    const double *pairs = drawn_pairs(n * d);
    double *table = hsp_alloc(n * d, sizeof *table);
    for (int64_t t = 0; t < n * d; t++) {
        bool zero = pairs[2 * t] >= density;
        double v = (pairs[2 * t + 1] + 1.5) * (double)(1 + t % d % 7);
        table[t] = zero ? 0 : (double)(float)v;
    }
    store_rows(&m, table, layout >= DENSE_LAYOUTS);
    if (scale >= 1) {
        m.factor = hsp_alloc(d, sizeof *m.factor);
        for (int64_t j = 0; j < d; j++) m.factor[j] = 1 / (1.0 + (double)(j % 7)) + 0.01 * (double)(j % 3);
    }
    if (scale == 2) {
        m.shift = hsp_alloc(d, sizeof *m.shift);
        for (int64_t j = 0; j < d; j++) m.shift[j] = 1.3 * (double)(1 + j % 7);
    }
    m.t = malloc((size_t)(n * d) * sizeof *m.t);
    m.magnitude = hsp_alloc(n * d, sizeof *m.magnitude);
    for (int64_t t = 0; t < n * d; t++) {
        long double v = table[t], a = fabsl(v), s = m.shift ? m.shift[t % d] : 0, f = m.factor ? m.factor[t % d] : 1;
        m.t[t] = (v - s) * f;
        m.magnitude[t] = (double)((a + fabsl(s)) * f);
    }
    hsp_free(table);
    *out = m;
    if (hsp_design_new(&out->x, out->shift, out->factor, threads, &out->D, NULL)) abort();
}

static void put_away(laid_out *m) {
    hsp_design_free(m->D);
    hsp_matrix_clear(&m->x);
    hsp_free(m->shift);
    hsp_free(m->factor);
    hsp_free(m->magnitude);
    free(m->t);
}

static double *random_numbers(int64_t count, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 0);
    double *x = hsp_alloc(count, sizeof *x);
    for (int64_t t = 0; t < count; t++) x[t] = hsp_rng_normal(&r);
    return x;
}

#endif
