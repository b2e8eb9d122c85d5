/* The factorisations against those of LAPACK, which the library does not use: on matrices of several conditions our errors
 * are at most a few times larger. Skipped where LAPACKE is not installed. */
#include "base/memory.h"
#include "base/rng.h"
#include "factor/factor.h"
#include "halfspace.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef HSP_HAVE_LAPACKE
#include <lapacke.h>

static const int64_t SIZES[] = {1, 2, 5, 24, 33, 65, 97, 150, 300};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

/* d x d with singular values from 1 down to 10^-digits: reflections of a diagonal. */
static double *conditioned(int64_t d, double digits, uint64_t seed) {
    double *A = hsp_alloc_zero(d * d, sizeof *A), *v = hsp_alloc(d, sizeof *v);
    assert_true(A && v);
    hsp_rng r = hsp_rng_new(seed, 3);
    for (int64_t i = 0; i < d; i++) A[i * d + i] = pow(10, -digits * (double)i / (double)(d > 1 ? d - 1 : 1));
    for (int side = 0; side < 4; side++) {
        double square = 0;
        for (int64_t i = 0; i < d; i++) v[i] = hsp_rng_normal(&r), square += v[i] * v[i];
        for (int64_t i = 0; i < d; i++) { /* rows, then columns */
            int64_t at = side % 2 ? 1 : d, step = side % 2 ? d : 1;
            double dot = 0;
            for (int64_t j = 0; j < d; j++) dot += A[i * step + j * at] * v[j];
            for (int64_t j = 0; j < d; j++) A[i * step + j * at] -= 2 * dot / square * v[j];
        }
    }
    hsp_free(v);
    return A;
}

static double *copy_of(const double *A, int64_t count) {
    double *B = hsp_alloc(count, sizeof *B);
    assert_non_null(B);
    memcpy(B, A, (size_t)count * sizeof *B);
    return B;
}

static double *square_of(const double *B, int64_t d, double shift) {
    double *A = hsp_alloc(d * d, sizeof *A);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            A[i * d + j] = i == j ? shift : 0;
            for (int64_t t = 0; t < d; t++) A[i * d + j] += B[i * d + t] * B[j * d + t];
        }
    return A;
}

static double far(int64_t d) {
    return 4 * DBL_EPSILON * (double)(d + 10);
}

static void eigenvalues_agree(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++)
        for (double digits = 0; digits < 17; digits += 5) {
            int64_t d = SIZES[s];
            double *B = conditioned(d, digits, (uint64_t)d), *A = copy_of(B, d * d), *e = hsp_alloc(2 * d, sizeof *e);
            for (int64_t i = 0; i < d; i++)
                for (int64_t j = 0; j < d; j++) A[i * d + j] = B[i * d + j] + B[j * d + i];
            double *C = copy_of(A, d * d);
            assert_int_equal(hsp_eigen(A, d, e), HSP_OK);
            assert_int_equal(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)d, C, (lapack_int)d, e + d), 0);
            for (int64_t k = 0; k < d; k++) assert_true(fabs(e[k] - e[d + k]) <= far(d) * 2);
            HSP_FREE(A, B, C, e);
        }
}

static void singular_values_agree(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++)
        for (double digits = 0; digits < 17; digits += 5) {
            int64_t d = SIZES[s];
            double *A = conditioned(d, digits, (uint64_t)d + 7), *B = copy_of(A, d * d),
                   *values = hsp_alloc(2 * d, sizeof *values);
            double *U = hsp_alloc(d * d, sizeof *U), *V = hsp_alloc(d * d, sizeof *V);
            assert_int_equal(hsp_svd(A, d, d, values, NULL, V), HSP_OK);
            lapack_int N = (lapack_int)d;
            assert_int_equal(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', N, N, B, N, values + d, U, N, V, N), 0);
            for (int64_t k = 0; k < d; k++) {
                assert_true(fabs(values[k] - values[d + k]) <= far(d));
                double known = pow(10, -digits * (double)k / (double)(d > 1 ? d - 1 : 1));
                assert_true(fabs(values[k] - known) <= far(d));
            }
            HSP_FREE(A, B, values, U, V);
        }
}

/* The largest number of |L L' - A|, in units of the largest of A. */
static double residual(const double *L, const double *A, int64_t d) {
    double worst = 0, top = 0;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            double r = -A[i * d + j];
            for (int64_t t = 0; t <= j; t++) r += L[i * d + t] * L[j * d + t];
            worst = fmax(worst, fabs(r));
            top = fmax(top, fabs(A[i * d + j]));
        }
    return worst / top;
}

static void cholesky_is_as_accurate(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++)
        for (double digits = 0; digits < 7; digits += 2) {
            int64_t d = SIZES[s];
            lapack_int N = (lapack_int)d;
            double *B = conditioned(d, digits, (uint64_t)d + 3), *A = square_of(B, d, 0), *L = copy_of(A, d * d);
            double *M = copy_of(A, d * d), norm = hsp_matrix_norm1(A, d), work[3 * 300], rcond;
            lapack_int integers[300];
            assert_int_equal(hsp_cholesky(L, d), 0);
            assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', N, M, N), 0);
            assert_true(residual(L, A, d) <= 4 * residual(M, A, d) + 4 * DBL_EPSILON);
            assert_int_equal(LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'U', N, M, N, norm, &rcond, work, integers), 0);
            double own = hsp_cholesky_rcond(L, d, norm);
            assert_true(own < 3 * rcond && own > rcond / 3);
            HSP_FREE(A, B, L, M);
        }
}

/* The same minor fails in both, but for those that are zero up to rounding. */
static void failures_agree(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++) {
        int64_t d = SIZES[s];
        lapack_int N = (lapack_int)d;
        double *B = conditioned(d, 1, 5), *A = square_of(B, d, 0);
        A[d * d - 1] = A[d / 2 * d + d / 2] = -0.5;
        double *C = copy_of(A, d * d);
        int64_t bad = hsp_cholesky(A, d);
        assert_true(bad > 0);
        assert_int_equal(bad, LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', N, C, N));
        HSP_FREE(A, B, C);
    }
}

static void pivots_agree(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++) {
        int64_t d = SIZES[s], order[300];
        lapack_int N = (lapack_int)d, pivot[300] = {0};
        double *A = conditioned(d, 3, 9), *B = copy_of(A, d * d), diagonal[300], tau[300];
        assert_int_equal(hsp_pivoted_qr(A, d, d, order, diagonal), HSP_OK);
        assert_int_equal(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, N, N, B, N, pivot, tau), 0);
        for (int64_t j = 0; j < d; j++) {
            assert_true(fabs(diagonal[j] - fabs(B[j * d + j])) <= 1e-9);
            assert_int_equal(order[j], pivot[j] - 1);
        }
        HSP_FREE(A, B);
    }
}

static void appended_rows_agree(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++) {
        int64_t d = SIZES[s];
        lapack_int N = (lapack_int)d, panel = d < 32 ? N : 32;
        double *A = conditioned(d, 3, 9), *B = copy_of(A, d * d), *R = hsp_alloc_zero(d * d, sizeof *R),
               *T = hsp_alloc(32 * d, sizeof *T);
        for (int64_t j = 0; j < d; j++) R[j * d + j] = 1 + (double)j;
        double *S = copy_of(R, d * d);
        assert_int_equal(hsp_qr_append(R, d, A, d), HSP_OK);
        assert_int_equal(LAPACKE_dtpqrt(LAPACK_COL_MAJOR, N, N, 0, panel, S, N, B, N, T, panel), 0);
        for (int64_t j = 0; j < d; j++)
            for (int64_t i = 0; i <= j; i++)
                assert_true(fabs(fabs(R[j * d + i]) - fabs(S[j * d + i])) <= 1e-12 * (double)d);
        HSP_FREE(A, B, R, S, T);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_agree),
        cmocka_unit_test(singular_values_agree),
        cmocka_unit_test(cholesky_is_as_accurate),
        cmocka_unit_test(failures_agree),
        cmocka_unit_test(pivots_agree),
        cmocka_unit_test(appended_rows_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void lapack_is_not_installed(void **state) {
    (void)state;
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lapack_is_not_installed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
