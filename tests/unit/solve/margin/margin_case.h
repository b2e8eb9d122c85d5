/* Small programs of margin.h for the tests, and naive sums in long double to check a point with: a gap of 0 between
 * both objectives proves it optimal. */
#ifndef HSP_TESTS_MARGIN_CASE_H
#define HSP_TESTS_MARGIN_CASE_H

#include "base/rng.h"
#include "data/data.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <stdlib.h>

typedef enum kind { KIND_HINGE, KIND_SQUARED, KIND_HARD, KIND_BOTH } kind; /* both: a bound and a ridge */

typedef struct margin_case {
    int64_t n, d;
    double *x, *y, *c; /* n x d, n, n weights */
    hsp_data *data;
    hsp_design *design;
    double *upper, *ridge;
    hsp_margin m;
    hsp_margin_point point;
} margin_case;

/* Copies x and y. c NULL: all 1. */
static inline margin_case margin_case_of(int64_t n, int64_t d, const double *x, const double *y, const double *c, double C,
                                         kind k, hsp_intercept intercept, int threads) {
    margin_case s = {.n = n, .d = d};
    s.x = malloc((size_t)(n * d + 1) * sizeof *s.x);
    for (int64_t t = 0; t < n * d; t++) s.x[t] = x[t];
    double **rows[] = {&s.y, &s.c, &s.upper, &s.ridge, &s.point.alpha};
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) *rows[t] = calloc((size_t)n, sizeof(double));
    s.point.w = calloc((size_t)d, sizeof *s.point.w);
    for (int64_t i = 0; i < n; i++) {
        s.y[i] = y[i];
        s.c[i] = c ? c[i] : 1;
        double K = C * s.c[i];
        s.upper[i] = K == 0 ? 0 : k == KIND_HINGE || k == KIND_BOTH ? K : INFINITY;
        s.ridge[i] = K == 0 || k == KIND_HINGE || k == KIND_HARD ? 0 : 1 / (2 * K);
    }
    if (hsp_data_from_dense(s.x, n, d, d, NULL, NULL, &s.data, NULL)) abort();
    if (hsp_design_new(&s.data->x, NULL, NULL, threads, &s.design, NULL)) abort();
    s.m = (hsp_margin){.design = s.design,
                       .y = s.y,
                       .upper = s.upper,
                       .ridge = k == KIND_HINGE || k == KIND_HARD ? NULL : s.ridge,
                       .intercept = intercept};
    return s;
}

static inline void margin_case_free(margin_case *s) {
    hsp_design_free(s->design);
    hsp_data_free(s->data);
    double *all[] = {s->x, s->y, s->c, s->upper, s->ridge, s->point.alpha, s->point.w};
    for (size_t t = 0; t < sizeof all / sizeof *all; t++) free(all[t]);
}

/* Two overlapping classes; about every seventh row has weight 0 when `weighted`. `apart` moves the classes apart. */
static inline margin_case margin_case_random(int64_t n, int64_t d, double density, bool weighted, double apart, double C,
                                             kind k, hsp_intercept intercept, int threads, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 9);
    double *x = calloc((size_t)(n * d + 1), sizeof *x), *y = calloc((size_t)n, sizeof *y),
           *c = calloc((size_t)n, sizeof *c);
    for (int64_t i = 0; i < n; i++) {
        y[i] = i == 0 ? 1 : i == 1 ? -1 : hsp_rng_below(&r, 3) == 0 ? 1 : -1;
        c[i] = weighted && i > 1 ? (double)hsp_rng_below(&r, 7) : 1;
        for (int64_t j = 0; j < d; j++)
            if (hsp_rng_uniform(&r) < density) x[i * d + j] = hsp_rng_normal(&r) + (j % 2 ? 1 : -1) * y[i] * apart;
    }
    margin_case s = margin_case_of(n, d, x, y, weighted ? c : NULL, C, k, intercept, threads);
    free(x);
    free(y);
    free(c);
    return s;
}

/* The primal at a point. A hard margin may lack `slack` of its 1. */
static inline double margin_case_primal(const margin_case *s, const hsp_margin_point *p, double slack) {
    long double P = 0, b = p->b;
    for (int64_t j = 0; j < s->d; j++) P += (long double)p->w[j] * p->w[j] / 2;
    if (s->m.intercept == HSP_INTERCEPT_PENALISED) P += b * b / 2;
    for (int64_t i = 0; i < s->n; i++) {
        long double g = b, u = s->upper[i], q = s->m.ridge ? s->m.ridge[i] : 0;
        if (u == 0) continue;
        for (int64_t j = 0; j < s->d; j++) g += (long double)p->w[j] * s->x[i * s->d + j];
        long double e = 1 - s->y[i] * g;
        if (e <= 0) continue;
        if (u == INFINITY && q == 0) {
            if (e > slack) return INFINITY;
            continue;
        }
        long double a = q > 0 && e / q < u ? e / q : u;
        P += a * e - q * a * a / 2;
    }
    return (double)P;
}

/* The dual at alpha, or -INFINITY when alpha is not feasible up to rounding. */
static inline double margin_case_dual(const margin_case *s, const hsp_margin_point *p) {
    long double D = 0, t = 0, all = 0;
    for (int64_t i = 0; i < s->n; i++) {
        long double a = p->alpha[i], q = s->m.ridge ? s->m.ridge[i] : 0;
        if (!(a >= 0 && a <= s->upper[i])) return -INFINITY;
        if (a == 0) continue;
        D += a - q * a * a / 2;
        t += a * s->y[i];
        all += a;
    }
    if (s->m.intercept == HSP_INTERCEPT_FREE && fabsl(t) > 1e-12L * all) return -INFINITY;
    if (s->m.intercept == HSP_INTERCEPT_PENALISED) D -= t * t / 2;
    for (int64_t j = 0; j < s->d; j++) {
        long double v = 0;
        for (int64_t i = 0; i < s->n; i++) v += (long double)p->alpha[i] * s->y[i] * s->x[i * s->d + j];
        D -= v * v / 2;
    }
    return (double)D;
}

static inline double margin_case_gap(const margin_case *s, const hsp_margin_point *p, double slack) {
    double P = margin_case_primal(s, p, slack), D = margin_case_dual(s, p);
    return P == D ? 0 : (P - D) / fabs(P);
}

#endif
