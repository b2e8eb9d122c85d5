/* Small Gaussian data for the tests of fisher and lda, and plain arithmetic to check them with. */
#ifndef HSP_TESTS_GAUSS_H
#define HSP_TESTS_GAUSS_H

#include "base/rng.h"
#include "factor/elimination.h"
#include "trained.h"

#include <math.h>
#include <stdlib.h>

typedef struct gauss {
    int64_t n, d, K;
    double *x;       /* n x d */
    int *k;          /* class of each row, 0 .. K-1; its label is "a" + k */
    double *c;       /* weight of each row, or NULL */
    hsp_data **data; /* what gauss_data made; owned, as is each of the `made` */
    int64_t made;
} gauss;

/* Correlated columns, means apart by about `apart`, every class with at least two rows. */
__attribute__((unused)) static gauss gauss_new(int64_t n, int64_t d, int64_t K, double apart, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 3);
    gauss g = {n, d, K, calloc((size_t)(n * d), sizeof *g.x), calloc((size_t)n, sizeof *g.k), NULL, NULL, 0};
    double *mix = calloc((size_t)(d * d + K * d), sizeof *mix), *mean = mix + d * d;
    for (int64_t i = 0; i < d * d; i++) mix[i] = hsp_rng_normal(&r) + (i % (d + 1) == 0 ? 2 : 0);
    for (int64_t i = 0; i < K * d; i++) mean[i] = apart * hsp_rng_normal(&r) + 3;
    for (int64_t i = 0; i < n; i++) {
        g.k[i] = (int)(i < 2 * K ? i % K : hsp_rng_below(&r, K));
        for (int64_t j = 0; j < d; j++) g.x[i * d + j] = mean[g.k[i] * d + j];
        for (int64_t l = 0; l < d; l++) {
            double z = hsp_rng_normal(&r);
            for (int64_t j = 0; j < d; j++) g.x[i * d + j] += mix[j * d + l] * z;
        }
    }
    free(mix);
    return g;
}

/* Most numbers are 0; the classes differ in how often they are not. */
__attribute__((unused)) static gauss gauss_sparse(int64_t n, int64_t d, int64_t K, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 4);
    gauss g = {n, d, K, calloc((size_t)(n * d), sizeof *g.x), calloc((size_t)n, sizeof *g.k), NULL, NULL, 0};
    for (int64_t i = 0; i < n; i++) {
        g.k[i] = (int)(i % K);
        for (int64_t j = 0; j < d; j++)
            if (hsp_rng_uniform(&r) < (j % K == g.k[i] ? 0.3 : 0.1)) g.x[i * d + j] = 1 + hsp_rng_uniform(&r);
    }
    return g;
}

__attribute__((unused)) static void gauss_free(gauss *g) {
    free(g->x);
    free(g->k);
    free(g->c);
    for (int64_t i = 0; i < g->made; i++) hsp_data_free(g->data[i]);
    free(g->data);
}

/* The rows as they are now; gauss_free frees them. */
__attribute__((unused)) static hsp_data *gauss_data(gauss *g) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    const char **labels = calloc((size_t)g->n, sizeof *labels);
    for (int64_t i = 0; i < g->n; i++) labels[i] = names[g->k[i]];
    hsp_data *data = NULL;
    if (hsp_data_from_dense(g->x, g->n, g->d, g->d, labels, NULL, &data, NULL)) data = NULL;
    if (data && g->c && hsp_data_set_weights(data, g->c, NULL)) {
        hsp_data_free(data);
        data = NULL;
    }
    free(labels);
    g->data = realloc(g->data, (size_t)(g->made + 1) * sizeof *g->data);
    return g->data[g->made++] = data;
}

/* Multiples of 1/8, which stay exact beside an offset of 1e12. */
__attribute__((unused)) static void gauss_eighths(gauss *g) {
    for (int64_t i = 0; i < g->n * g->d; i++) g->x[i] = round(8 * g->x[i]) / 8;
}

/* Row i repeated times[i] times. */
__attribute__((unused)) static gauss gauss_repeat(const gauss *g, const int *times) {
    gauss r = {0, g->d, g->K, NULL, NULL, NULL, NULL, 0};
    for (int64_t i = 0; i < g->n; i++) r.n += times[i];
    r.x = calloc((size_t)(r.n * r.d), sizeof *r.x);
    r.k = calloc((size_t)r.n, sizeof *r.k);
    for (int64_t i = 0, at = 0; i < g->n; i++)
        for (int t = 0; t < times[i]; t++, at++) {
            r.k[at] = g->k[i];
            memcpy(r.x + at * r.d, g->x + i * g->d, (size_t)g->d * sizeof *r.x);
        }
    return r;
}

/* Mean of class k into mu, its covariance into S; k < 0: the pooled one. */
__attribute__((unused)) static void gauss_covariance(const gauss *g, int64_t k, double *mu, double *S) {
    int64_t d = g->d, first = k < 0 ? 0 : k, last = k < 0 ? g->K - 1 : k;
    double rows = 0;
    for (int64_t i = 0; i < d * d; i++) S[i] = 0;
    for (int64_t l = first; l <= last; l++) {
        double count = 0;
        for (int64_t j = 0; j < d; j++) mu[j] = 0;
        for (int64_t i = 0; i < g->n; i++)
            if (g->k[i] == l) {
                count++;
                for (int64_t j = 0; j < d; j++) mu[j] += g->x[i * d + j];
            }
        for (int64_t j = 0; j < d; j++) mu[j] /= count;
        for (int64_t i = 0; i < g->n; i++)
            for (int64_t j = 0; j < d && g->k[i] == l; j++)
                for (int64_t m = 0; m < d; m++) S[j * d + m] += (g->x[i * d + j] - mu[j]) * (g->x[i * d + m] - mu[m]);
        rows += count;
    }
    double divisor = k < 0 ? rows - (double)g->K : rows - 1;
    for (int64_t i = 0; i < d * d; i++) S[i] /= divisor;
}

__attribute__((unused)) static const char *first_warning(const trained *t) {
    const char *s = hsp_report_text_at(t->report, "warnings", 0);
    return s ? s : "";
}

/* In double: cmocka's own compares as float. */
#define assert_near(a, b, epsilon)                                                                         \
    do {                                                                                                   \
        double near_a = (a), near_b = (b);                                                                 \
        if (!(fabs(near_a - near_b) <= (epsilon))) fail_msg("%s is %.17g, not %.17g", #a, near_a, near_b); \
    } while (0)

/* Largest difference relative to the largest number. */
__attribute__((unused)) static double apart(const double *a, const double *b, int64_t n) {
    double most = 0, size = 1e-300;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

#endif
