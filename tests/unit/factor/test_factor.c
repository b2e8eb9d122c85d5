/* The factorisations against their definitions, and what they do with matrices that have none. */
#include "base/memory.h"
#include "base/rng.h"
#include "factor/factor.h"
#include "halfspace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40 };

static void fill(double *a, int64_t count, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 1);
    for (int64_t i = 0; i < count; i++) a[i] = hsp_rng_normal(&r);
}

/* A = B'B + shift I with B 2d x d. */
static void positive(double *A, int64_t d, double shift, uint64_t seed) {
    static double B[2 * MOST * MOST];
    fill(B, 2 * d * d, seed);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double v = i == j ? shift : 0;
            for (int64_t k = 0; k < 2 * d; k++) v += B[k * d + i] * B[k * d + j];
            A[i * d + j] = v;
        }
}

static void cholesky_multiplies_back(void **state) {
    (void)state;
    static double A[MOST * MOST], L[MOST * MOST];
    for (int64_t d = 1; d <= MOST; d += 13) {
        positive(A, d, 0.1, (uint64_t)d);
        memcpy(L, A, (size_t)(d * d) * sizeof *A);
        assert_int_equal(hsp_cholesky(L, d), 0);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j <= i; j++) {
                double v = 0;
                for (int64_t k = 0; k <= j; k++) v += L[i * d + k] * L[j * d + k];
                assert_true(fabs(v - A[i * d + j]) < 1e-12 * (double)d * 10);
                if (j < i) assert_true(L[j * d + i] == A[j * d + i]); /* the upper triangle is not changed */
            }
    }
}

static void cholesky_solves(void **state) {
    (void)state;
    enum { D = 17, COUNT = 3 };
    double A[D * D], L[D * D], B[COUNT * D], X[COUNT * D], F[COUNT * D];
    positive(A, D, 0.1, 5);
    memcpy(L, A, sizeof A);
    assert_int_equal(hsp_cholesky(L, D), 0);
    fill(B, COUNT * D, 6);
    memcpy(X, B, sizeof B);
    memcpy(F, B, sizeof B);
    hsp_cholesky_solve(L, D, X, COUNT);
    hsp_cholesky_forward(L, D, F, COUNT);
    for (int64_t k = 0; k < COUNT; k++) {
        double direct = 0, forward = 0;
        for (int64_t i = 0; i < D; i++) {
            double v = 0;
            for (int64_t j = 0; j < D; j++) v += A[i * D + j] * X[k * D + j];
            assert_true(fabs(v - B[k * D + i]) < 1e-10);
            direct += B[k * D + i] * X[k * D + i];
            forward += F[k * D + i] * F[k * D + i];
        }
        assert_true(fabs(direct - forward) < 1e-10 * fabs(direct)); /* |L^-1 b|^2 = b' A^-1 b */
    }
}

static void cholesky_refuses(void **state) {
    (void)state;
    double A[9] = {4, 0, 0, 0, -1, 0, 0, 0, 2};
    assert_int_equal(hsp_cholesky(A, 3), 2);
    double zero[1] = {0};
    assert_int_equal(hsp_cholesky(zero, 1), 1);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int t = 0; t < 3; t++)
        for (int at = 0; at < 9; at++) {
            if (at == 1 || at == 2 || at == 5) continue; /* above the diagonal: not read */
            double M[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4};
            M[at] = bad[t];
            assert_true(hsp_cholesky(M, 3) > 0);
        }
    assert_int_equal(hsp_cholesky(NULL, 0), 0);
}

/* D A D is factorised for a diagonal of ones; then A x = b is solved by its factor. */
static void scaled_cholesky_solves(void **state) {
    (void)state;
    enum { D = 7, COUNT = 3 };
    double A[D * D], M[D * D], X[COUNT * D], B[COUNT * D] = {0}, scale[D];
    positive(A, D, 1, 5);
    fill(X, COUNT * D, 6);
    for (int64_t k = 0; k < COUNT; k++)
        for (int64_t i = 0; i < D; i++)
            for (int64_t j = 0; j < D; j++) B[k * D + i] += A[i * D + j] * X[k * D + j];
    for (int64_t i = 0; i < D * D; i++) M[i] = A[i];
    for (int64_t i = 0; i < D; i++) scale[i] = 1 / sqrt(A[i * D + i]);
    hsp_matrix_scale_upper(M, D, scale);
    assert_true(fabs(M[1] - A[1] * scale[0] * scale[1]) < 1e-15);
    assert_true(hsp_cholesky_shifted(M, D, 0, 1e-15) == 0);
    hsp_cholesky_solve_scaled(M, D, scale, B, COUNT);
    for (int64_t t = 0; t < COUNT * D; t++) assert_true(fabs(B[t] - X[t]) < 1e-10);
}

static void shift_grows_until_positive(void **state) {
    (void)state;
    double near[4] = {0, 1 + 1e-6, 0, 0}, far[4] = {0, 5, 0, 0}, bad[4] = {0, NAN, 0, 0};
    double shift = hsp_cholesky_shifted(near, 2, 0, 1e-9); /* 1e-9, 1e-7, then 1e-5 */
    assert_true(fabs(shift - 1e-5) < 1e-12);
    assert_true(near[1] == 1 + 1e-6 && fabs(near[0] * near[0] - 1 - shift) < 1e-12);
    assert_true(hsp_cholesky_shifted(far, 2, 0, 1e-9) == INFINITY);
    assert_true(hsp_cholesky_shifted(bad, 2, 0, 1e-9) == INFINITY);
    hsp_cholesky_identity(bad, 2);
    assert_true(bad[0] == 1 && bad[2] == 0 && bad[3] == 1);
}

static void condition_is_estimated(void **state) {
    (void)state;
    double A[16] = {1, 0, 0, 0, 0, 1e-3, 0, 0, 0, 0, 1e-6, 0, 0, 0, 0, 10};
    double norm = hsp_matrix_norm1(A, 4);
    assert_true(norm == 10);
    assert_int_equal(hsp_cholesky(A, 4), 0);
    assert_true(fabs(hsp_cholesky_rcond(A, 4, norm) / 1e-7 - 1) < 1e-10);
    assert_true(hsp_cholesky_rcond(A, 4, NAN) == 0);
    assert_true(hsp_cholesky_rcond(A, 4, 0) == 0);
    hsp_memory_fail_after(0);
    assert_true(isnan(hsp_cholesky_rcond(A, 4, norm)));
    hsp_memory_fail_after(-1);
    double with_nan[4] = {1, NAN, NAN, 1};
    assert_true(isnan(hsp_matrix_norm1(with_nan, 2)));
}

static void eigenvectors_diagonalise(void **state) {
    (void)state;
    static double A[MOST * MOST], V[MOST * MOST], e[MOST];
    for (int64_t d = 1; d <= MOST; d += 13) {
        positive(A, d, -3, (uint64_t)d + 50); /* some of them negative */
        memcpy(V, A, (size_t)(d * d) * sizeof *A);
        assert_int_equal(hsp_eigen(V, d, e), HSP_OK);
        for (int64_t k = 0; k < d; k++) {
            assert_true(k == 0 || e[k] >= e[k - 1]);
            double length = 0;
            for (int64_t i = 0; i < d; i++) {
                double v = 0;
                for (int64_t j = 0; j < d; j++) v += A[i * d + j] * V[k * d + j];
                assert_true(fabs(v - e[k] * V[k * d + i]) < 1e-10 * (1 + fabs(e[d - 1])));
                length += V[k * d + i] * V[k * d + i];
            }
            assert_true(fabs(length - 1) < 1e-12);
        }
    }
}

static void check_svd(int64_t n, int64_t d) {
    static double A[MOST * MOST], B[MOST * MOST], U[MOST * MOST], Vt[MOST * MOST], s[MOST], t[MOST], Wt[MOST * MOST];
    int64_t few = n < d ? n : d;
    fill(A, n * d, (uint64_t)(100 * n + d));
    memcpy(B, A, (size_t)(n * d) * sizeof *A);
    assert_int_equal(hsp_svd(B, n, d, s, U, Vt), HSP_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double v = 0;
            for (int64_t k = 0; k < few; k++) v += U[i * few + k] * s[k] * Vt[k * d + j];
            assert_true(fabs(v - A[i * d + j]) < 1e-12);
        }
    for (int64_t k = 1; k < few; k++) assert_true(s[k] <= s[k - 1] && s[k] >= 0);
    memcpy(B, A, (size_t)(n * d) * sizeof *A);
    assert_int_equal(hsp_svd(B, n, d, t, NULL, Wt), HSP_OK);
    assert_memory_equal(s, t, (size_t)few * sizeof *s);
    assert_memory_equal(Vt, Wt, (size_t)(few * d) * sizeof *Vt);
}

static void svd_multiplies_back(void **state) {
    (void)state;
    check_svd(1, 1);
    check_svd(1, 7);
    check_svd(7, 1);
    check_svd(5, 12);
    check_svd(12, 5);
    check_svd(20, 20);
}

/* Column 2 is a copy of column 0 and column 3 is zero: they come last, and the diagonal says so. */
static void pivoting_finds_dependent_columns(void **state) {
    (void)state;
    enum { N = 9, D = 5 };
    double A[N * D], diagonal[D];
    int64_t order[D];
    fill(A, N * D, 8);
    memcpy(A + 2 * N, A, N * sizeof *A);
    memset(A + 3 * N, 0, N * sizeof *A);
    assert_int_equal(hsp_pivoted_qr(A, N, D, order, diagonal), HSP_OK);
    assert_int_equal(order[4], 3);
    assert_true(order[3] == 0 || order[3] == 2);
    assert_true(diagonal[2] > 1e-3 && diagonal[3] < 1e-14 && diagonal[4] < 1e-14);
    bool seen[D] = {0};
    for (int j = 0; j < D; j++) seen[order[j]] = true;
    for (int j = 0; j < D; j++) assert_true(seen[j]);
}

/* In blocks of any size: R'R = sum of the rows' products. */
static void rows_go_into_a_triangle(void **state) {
    (void)state;
    enum { N = 53, D = 7 };
    double X[N * D], R[D * D];
    fill(X, N * D, 9);
    for (int64_t block = 1; block < 60; block += 11) {
        memset(R, 0, sizeof R);
        for (int64_t first = 0; first < N; first += block) {
            int64_t count = N - first < block ? N - first : block;
            double B[N * D];
            for (int64_t i = 0; i < count; i++)
                for (int64_t j = 0; j < D; j++) B[j * count + i] = X[(first + i) * D + j];
            assert_int_equal(hsp_qr_append(R, D, B, count), HSP_OK);
        }
        for (int64_t i = 0; i < D; i++)
            for (int64_t j = 0; j < D; j++) {
                double products = 0, triangle = 0;
                for (int64_t k = 0; k < N; k++) products += X[k * D + i] * X[k * D + j];
                for (int64_t k = 0; k <= i && k <= j; k++) triangle += R[i * D + k] * R[j * D + k];
                assert_true(fabs(products - triangle) < 1e-11);
            }
    }
}

static void nothing_not_finite_goes_in(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY};
    for (int t = 0; t < 2; t++) {
        double A[4] = {1, bad[t], bad[t], 1}, e[2], U[4], Vt[4];
        int64_t order[2];
        assert_int_equal(hsp_eigen(A, 2, e), HSP_EINTERNAL);
        assert_int_equal(hsp_svd(A, 2, 2, e, U, Vt), HSP_EINTERNAL);
        assert_int_equal(hsp_pivoted_qr(A, 2, 2, order, e), HSP_EINTERNAL);
    }
}

static void memory_may_fail(void **state) {
    (void)state;
    for (int64_t calls = 0; calls < 4; calls++) {
        double A[4] = {2, 1, 1, 2}, e[2], Vt[4], B[4] = {1, 2, 3, 4}, R[4] = {0};
        int64_t order[2];
        hsp_memory_fail_after(calls);
        int eigen = hsp_eigen(A, 2, e), svd = hsp_svd(B, 2, 2, e, NULL, Vt);
        int pivoted = hsp_pivoted_qr(B, 2, 2, order, e), append = hsp_qr_append(R, 2, B, 2);
        hsp_memory_fail_after(-1);
        if (calls == 0) assert_int_equal(eigen, HSP_EMEMORY);
        if (calls < 2) assert_true(svd == HSP_EMEMORY && pivoted == HSP_EMEMORY && append == HSP_EMEMORY);
    }
}

/* A pending request ends large factorisations, and leaves small ones alone. */
static void requests_end_large_ones(void **state) {
    (void)state;
    enum { D = HSP_FACTOR_POLLED };
    double *A = hsp_alloc_zero(D * D, sizeof *A), *B = hsp_alloc_zero(D * D, sizeof *B), *e = hsp_alloc(D, sizeof *e);
    int64_t *order = hsp_alloc(D, sizeof *order);
    hsp_error *err = NULL;
    assert_true(A && B && e && order);
    for (int64_t i = 0; i < D; i++) A[i * D + i] = 1;
    hsp_cancel();
    assert_int_equal(hsp_cholesky(A, D), HSP_ECANCELLED);
    assert_int_equal(hsp_invert(A, D), HSP_ECANCELLED);
    assert_int_equal(hsp_eigen(A, D, e), HSP_ECANCELLED);
    assert_int_equal(hsp_svd(A, D, D, e, NULL, B), HSP_ECANCELLED);
    assert_int_equal(hsp_pivoted_qr(A, D, D, order, e), HSP_ECANCELLED);
    assert_int_equal(hsp_qr_append(B, D, A, D), HSP_ECANCELLED);
    double small[4] = {2, 1, 1, 2};
    assert_int_equal(hsp_eigen(small, 2, e), HSP_OK);
    assert_int_equal(hsp_factor_fail(HSP_ECANCELLED, "", &err), HSP_ECANCELLED); /* takes the request */
    assert_int_equal(hsp_error_code(err), HSP_ECANCELLED);
    hsp_error_free(err);
    for (int64_t i = 0; i < D * D; i++) A[i] = i % (D + 1) == 0 ? 4 : 0;
    assert_int_equal(hsp_cholesky(A, D), 0);
    assert_true(A[D * D - 1] == 2);
    HSP_FREE(A, B, e, order);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_multiplies_back),
        cmocka_unit_test(cholesky_solves),
        cmocka_unit_test(cholesky_refuses),
        cmocka_unit_test(scaled_cholesky_solves),
        cmocka_unit_test(shift_grows_until_positive),
        cmocka_unit_test(condition_is_estimated),
        cmocka_unit_test(eigenvectors_diagonalise),
        cmocka_unit_test(svd_multiplies_back),
        cmocka_unit_test(pivoting_finds_dependent_columns),
        cmocka_unit_test(rows_go_into_a_triangle),
        cmocka_unit_test(nothing_not_finite_goes_in),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(requests_end_large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
