/* One table of numbers as a matrix of every layout, coding and width of ids. */
#ifndef TESTS_CODED_MATRIX_H
#define TESTS_CODED_MATRIX_H

#include "data/matrix.h"
#include "kernel/in_form.h"

/* A random table with numbers that the coding can hold, `density` of them not zero. A code holds 0 as well. */
static double *table_for(int coding, int64_t n, int64_t d, double density) {
    hsp_rng r = hsp_rng_new(31, 0);
    double *x = values_for(coding, n * d, 32);
    for (int64_t t = 0; t < n * d; t++)
        if (hsp_rng_uniform(&r) >= density) x[t] = 0;
    return x;
}

__attribute__((unused)) static hsp_matrix dense_as(const double *x, int64_t n, int64_t d, int coding, int64_t stride) {
    hsp_matrix m = {.n = n, .d = d, .dense = true, .coding = (hsp_coding)coding, .stored = n * d, .stride = stride};
    double *padded = hsp_alloc(n * stride, sizeof *padded);
    for (int64_t t = 0; t < n * stride; t++) padded[t] = t % stride < d ? x[t / stride * d + t % stride] : 77;
    m.value = coded(coding, n * stride, padded, &m.table);
    m.stride = stride * step_in(coding);
    hsp_free(padded);
    return m;
}

static hsp_matrix sparse_as(const double *x, int64_t n, int64_t d, int coding, hsp_ids ids) {
    hsp_matrix m = {.n = n, .d = d, .coding = (hsp_coding)coding, .ids = ids};
    uint32_t *id = hsp_alloc(n * d, sizeof *id);
    double *value = hsp_alloc(n * d, sizeof *value);
    m.row = hsp_alloc_zero(n + 1, sizeof *m.row);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            if (x[i * d + j] != 0) {
                id[m.stored] = (uint32_t)j;
                value[m.stored++] = x[i * d + j];
            }
        m.row[i + 1] = m.stored;
    }
    m.id = listed(ids, m.stored, id);
    m.value = coded(coding, m.stored, value, &m.table);
    hsp_free(id);
    hsp_free(value);
    return m;
}

#endif
