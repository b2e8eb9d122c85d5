/* Small problems of least squares for the tests, and a naive solver in long double to check the others with. */
#ifndef HSP_TESTS_SQUARES_SAMPLE_H
#define HSP_TESTS_SQUARES_SAMPLE_H

#include "base/rng.h"
#include "data/data.h"
#include "squares/squares_solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample {
    hsp_data *data;
    hsp_design *design;
    double *x, *Y, *c; /* n x d, n x K, n */
    hsp_squares p;
} sample;

/* Takes x over (allocated by malloc). */
static inline sample sample_of(double *x, int64_t n, int64_t d, int64_t K, uint64_t seed) {
    sample s = {.x = x};
    hsp_rng r = hsp_rng_new(seed, 77);
    if (hsp_data_from_dense(x, n, d, d, NULL, NULL, &s.data, NULL)) abort();
    if (hsp_design_new(&s.data->x, NULL, NULL, 1, &s.design, NULL)) abort();
    s.Y = malloc((size_t)(n * K) * sizeof *s.Y);
    s.c = malloc((size_t)n * sizeof *s.c);
    for (int64_t t = 0; t < n * K; t++) s.Y[t] = hsp_rng_normal(&r) + 0.5 * (double)(t % K) + x[t / K * d];
    for (int64_t i = 0; i < n; i++) s.c[i] = (double)hsp_rng_below(&r, 4); /* zeros too */
    s.c[0] = 2;
    s.p = (hsp_squares){.design = s.design, .K = K, .Y = s.Y, .C = NAN, .regression = true};
    return s;
}

/* Normal numbers about `mean`; below density 0.5 the layout is sparse. */
static inline sample sample_new(int64_t n, int64_t d, int64_t K, double density, double mean, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 3);
    double *x = calloc((size_t)(n * d), sizeof *x);
    for (int64_t t = 0; t < n * d; t++)
        if (hsp_rng_uniform(&r) < density) x[t] = hsp_rng_normal(&r) + mean;
    return sample_of(x, n, d, K, seed);
}

static inline void sample_free(sample *s) {
    hsp_design_free(s->design);
    hsp_data_free(s->data);
    free(s->x);
    free(s->Y);
    free(s->c);
}

/* Gaussian elimination with pivoting on the normal equations of (x, 1), all in long double; the system must not be
 * singular. */
static inline void naive(const sample *s, int64_t k, double *w, double *b) {
    const hsp_squares *p = &s->p;
    int64_t n = p->design->n, d = p->design->d, size = d + (p->intercept != HSP_INTERCEPT_NONE);
    long double *A = calloc((size_t)(size * (size + 1)), sizeof *A), *x = calloc((size_t)size, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        long double c = p->c ? p->c[i] : 1;
        for (int64_t j = 0; j < size; j++) x[j] = j < d ? s->x[i * d + j] : 1;
        for (int64_t j = 0; j < size; j++) {
            for (int64_t l = 0; l < size; l++) A[j * (size + 1) + l] += c * x[j] * x[l];
            A[j * (size + 1) + size] += c * x[j] * p->Y[i * p->K + k];
        }
    }
    for (int64_t j = 0; j < size; j++)
        if (j < d || p->intercept == HSP_INTERCEPT_PENALISED)
            A[j * (size + 1) + j] += hsp_squares_penalised(p) ? 1 / (long double)p->C : 0;
    for (int64_t j = 0; j < size; j++) {
        int64_t top = j;
        for (int64_t i = j; i < size; i++)
            if (fabsl(A[i * (size + 1) + j]) > fabsl(A[top * (size + 1) + j])) top = i;
        for (int64_t l = 0; l <= size; l++) {
            long double v = A[j * (size + 1) + l];
            A[j * (size + 1) + l] = A[top * (size + 1) + l];
            A[top * (size + 1) + l] = v;
        }
        for (int64_t i = 0; i < size; i++) {
            long double f = i == j ? 0 : A[i * (size + 1) + j] / A[j * (size + 1) + j];
            for (int64_t l = j; f != 0 && l <= size; l++) A[i * (size + 1) + l] -= f * A[j * (size + 1) + l];
        }
    }
    for (int64_t j = 0; j < size; j++) x[j] = A[j * (size + 1) + size] / A[j * (size + 1) + j];
    for (int64_t j = 0; j < d; j++) w[j] = (double)x[j];
    *b = size > d ? (double)x[d] : 0;
    free(A);
    free(x);
}

static inline double largest_difference(const double *a, const double *b, int64_t n) {
    double top = 0;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= top)) top = fabs(a[i] - b[i]);
    return top;
}

#endif
