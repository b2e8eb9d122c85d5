/* Rows with sides for the tests of proofs: plain arrays as a matrix, dense or CSR, double or float. */
#ifndef HSP_TESTS_PROOF_H
#define HSP_TESTS_PROOF_H

#include "base/memory.h"
#include "base/rng.h"
#include "verify/proof/proof.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct sided {
    hsp_matrix x;
    hsp_rows_by_side q;
} sided;

/* Borrows x and y. */
__attribute__((unused)) static sided *dense_rows(double *x, const int8_t *y, int64_t n, int64_t d) {
    sided *s = calloc(1, sizeof *s);
    s->x = (hsp_matrix){.n = n, .d = d, .dense = true, .dtype = HSP_FLOAT64, .stored = n * d, .value = x};
    s->q = (hsp_rows_by_side){.x = &s->x, .y = y, .threads = 1};
    return s;
}

/* The same as CSR, in floats if asked (values must fit); sparse_free. */
__attribute__((unused)) static sided *sparse_rows(const double *x, const int8_t *y, int64_t n, int64_t d, bool single) {
    sided *s = dense_rows(NULL, y, n, d);
    size_t size = (size_t)(n * d + 1);
    s->x.dense = false;
    s->x.dtype = single ? HSP_FLOAT32 : HSP_FLOAT64;
    s->x.row = calloc((size_t)n + 1, sizeof *s->x.row);
    s->x.id = calloc(size, sizeof *s->x.id);
    s->x.value = calloc(size, sizeof(double));
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            double v = x[i * d + j];
            if (v == 0) continue;
            s->x.id[at] = (uint32_t)j;
            if (single)
                ((float *)s->x.value)[at++] = (float)v;
            else
                ((double *)s->x.value)[at++] = v;
        }
        s->x.row[i + 1] = at;
    }
    s->x.stored = s->x.nonzeros = at;
    return s;
}

__attribute__((unused)) static void sparse_free(sided *s) {
    free(s->x.row);
    free(s->x.id);
    free(s->x.value);
    free(s);
}

__attribute__((unused)) static hsp_proof_kind plane_kind(const sided *s, const double *w, double b, double *margin) {
    double m;
    hsp_proof_kind kind = hsp_proof_check_plane(&s->q, w, b, &m);
    if (margin) *margin = m;
    return kind;
}

__attribute__((unused)) static hsp_proof_kind witness_kind(const sided *s, const int64_t *row, const double *m, int64_t k) {
    hsp_proof_kind kind;
    assert_int_equal(hsp_proof_check_witness(&s->q, row, m, k, NULL, &kind, NULL), HSP_OK);
    return kind;
}

__attribute__((unused)) static hsp_proof_kind touching_kind(const sided *s, const double *w, const int64_t *row, int64_t k,
                                                            int64_t *strict) {
    hsp_proof_kind kind;
    assert_int_equal(hsp_proof_check_touching(&s->q, w, row, k, &kind, strict, NULL, NULL, NULL), HSP_OK);
    return kind;
}

#endif
