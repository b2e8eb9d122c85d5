/* Backward errors of the factorisations at sizes around the edges of their blocks, of matrices that are graded, nearly
 * singular, of low rank, or with numbers from 1e-300 to 1e300; and the same bits at every level. */
#include "base/memory.h"
#include "base/rng.h"
#include "factor/factor.h"
#include "halfspace.h"
#include "kernel/level.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int64_t SIZES[] = {1, 2, 3, 7, 8, 9, 23, 24, 25, 31, 32, 33, 63, 64, 65, 95, 96, 97, 120, 192, 193, 201, 301};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

typedef enum kind {
    RANDOM,
    GRADED_DOWN,
    GRADED_UP,
    HILBERT,
    LOW_RANK,
    TINY_AND_HUGE,
    DIAGONAL,
    ZERO,
    CLUSTERED,
    KINDS
} kind;

/* n x d, row-major. */
static double *matrix(int64_t n, int64_t d, kind k, uint64_t seed) {
    double *A = hsp_alloc(n * d, sizeof *A), *u = hsp_alloc(n + d, sizeof *u), *v = u + n;
    assert_non_null(A);
    assert_non_null(u);
    hsp_rng r = hsp_rng_new(seed, 7);
    for (int64_t i = 0; i < n * d; i++) A[i] = hsp_rng_normal(&r);
    for (int64_t i = 0; i < n + d; i++) u[i] = hsp_rng_normal(&r);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double *a = A + i * d + j;
            if (k == GRADED_DOWN) *a *= pow(10, -14 * (double)(i + j) / (double)(n + d));
            if (k == GRADED_UP) *a *= pow(10, -14 * (1 - (double)(i + j) / (double)(n + d)));
            if (k == HILBERT) *a = 1 / (double)(i + j + 1);
            if (k == LOW_RANK) *a = u[i] * v[j] + (i % 3 == 0 ? v[(j + 1) % d] : 0);
            if (k == TINY_AND_HUGE) *a *= j % 3 == 0 ? 1e-300 : j % 3 == 1 ? 1e290 : 1;
            if (k == DIAGONAL) *a = i == j ? (double)(i % 5) - 2 : 0;
            if (k == ZERO) *a = 0;
            if (k == CLUSTERED) *a = (i == j ? 1 : 0) + 1e-13 * *a;
        }
    hsp_free(u);
    return A;
}

static double largest(const double *A, int64_t count) {
    double top = 0;
    for (int64_t i = 0; i < count; i++) top = fmax(top, fabs(A[i]));
    return top;
}

/* |V V' - 1|, the largest number; V: rows x d. */
static double not_orthonormal(const double *V, int64_t rows, int64_t d) {
    double worst = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j <= i; j++) {
            double dot = i == j ? -1 : 0;
            for (int64_t t = 0; t < d; t++) dot += V[i * d + t] * V[j * d + t];
            worst = fmax(worst, fabs(dot));
        }
    return worst;
}

static double allowed(int64_t d) {
    return 20 * DBL_EPSILON * (double)(d + 4);
}

static void symmetrise(double *A, int64_t d) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++) A[i * d + j] = A[j * d + i];
}

/* ---- eigenvectors ---- */

static void check_eigen(int64_t d, kind k) {
    double *A = matrix(d, d, k, (uint64_t)(d * KINDS) + k), *V = hsp_alloc(d * d, sizeof *V), *e = hsp_alloc(d, sizeof *e);
    assert_true(V && e);
    symmetrise(A, d);
    memcpy(V, A, (size_t)(d * d) * sizeof *V);
    assert_int_equal(hsp_eigen(V, d, e), HSP_OK);
    double top = largest(A, d * d), worst = 0;
    for (int64_t i = 0; i < d; i++) {
        assert_true(isfinite(e[i]) && (i == 0 || e[i] >= e[i - 1]));
        for (int64_t j = 0; j < d; j++) {
            double r = -e[i] / (top > 0 ? top : 1) * V[i * d + j];
            for (int64_t t = 0; t < d; t++) r += A[j * d + t] / (top > 0 ? top : 1) * V[i * d + t];
            worst = fmax(worst, fabs(r));
        }
    }
    if (!(worst <= allowed(d) && not_orthonormal(V, d, d) <= allowed(d)))
        fail_msg("d %d kind %d: residual %g, orthogonality %g", (int)d, k, worst, not_orthonormal(V, d, d));
    HSP_FREE(A, V, e);
}

static void eigenvectors_of_every_kind(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++)
        for (kind k = RANDOM; k < KINDS; k++)
            if (SIZES[s] < 130 || k % 3 == 0) check_eigen(SIZES[s], k);
}

/* The eigenvalues of the second difference are known. */
static void known_eigenvalues_are_found(void **state) {
    (void)state;
    for (int64_t d = 2; d < 140; d += 23) {
        double *A = hsp_alloc_zero(d * d, sizeof *A), *e = hsp_alloc(d, sizeof *e);
        for (int64_t i = 0; i < d; i++) {
            A[i * d + i] = 2;
            if (i > 0) A[i * d + i - 1] = A[(i - 1) * d + i] = -1;
        }
        assert_int_equal(hsp_eigen(A, d, e), HSP_OK);
        for (int64_t k = 0; k < d; k++) {
            double s = sin(acos(-1) * (double)(k + 1) / (double)(2 * (d + 1)));
            assert_true(fabs(e[k] - 4 * s * s) < allowed(d));
        }
        HSP_FREE(A, e);
    }
}

/* ---- singular values ---- */

static void check_svd(int64_t n, int64_t d, kind k) {
    int64_t few = n < d ? n : d;
    double *A = matrix(n, d, k, (uint64_t)(n * 1000 + d)), *B = hsp_alloc(n * d, sizeof *B),
           *U = hsp_alloc(n * few, sizeof *U);
    double *V = hsp_alloc(few * d, sizeof *V), *s = hsp_alloc(few, sizeof *s), *Ut = hsp_alloc(n * few, sizeof *Ut);
    assert_true(B && U && V && s && Ut);
    memcpy(B, A, (size_t)(n * d) * sizeof *B);
    assert_int_equal(hsp_svd(B, n, d, s, U, V), HSP_OK);
    double top = s[0] > 0 ? s[0] : 1, worst = 0;
    for (int64_t i = 0; i < few; i++) assert_true(isfinite(s[i]) && s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) {
            double r = -A[i * d + j] / top;
            for (int64_t t = 0; t < few; t++) r += U[i * few + t] * (s[t] / top) * V[t * d + j];
            worst = fmax(worst, fabs(r));
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < few; t++) Ut[t * n + i] = U[i * few + t];
    double left = not_orthonormal(Ut, few, n), right = not_orthonormal(V, few, d), most = allowed(n + d);
    if (!(worst <= most && left <= most && right <= most))
        fail_msg("%d x %d kind %d: residual %g, left %g, right %g", (int)n, (int)d, k, worst, left, right);
    HSP_FREE(A, B, U, V, s, Ut);
}

static void singular_vectors_of_every_kind(void **state) {
    (void)state;
    for (kind k = RANDOM; k < KINDS; k++) {
        for (int s = 0; s < SIZE_COUNT; s++)
            if (SIZES[s] < 100) check_svd(SIZES[s], SIZES[s], k);
        check_svd(1, 40, k);
        check_svd(40, 1, k);
        check_svd(70, 26, k);
        check_svd(26, 70, k);
        check_svd(130, 65, k);
        check_svd(33, 200, k);
    }
    check_svd(201, 201, RANDOM);
    check_svd(201, 201, LOW_RANK);
}

/* ---- Cholesky ---- */

/* B'B + shift I. */
static double *positive(int64_t d, kind k, double shift) {
    double *B = matrix(d, d, k, (uint64_t)(d + 13)), *A = hsp_alloc(d * d, sizeof *A);
    assert_non_null(A);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double v = i == j ? shift : 0;
            for (int64_t t = 0; t < d; t++) v += B[t * d + i] * B[t * d + j];
            A[i * d + j] = v;
        }
    hsp_free(B);
    return A;
}

static void check_cholesky(int64_t d, kind k, int64_t sides) {
    double *A = positive(d, k, k == RANDOM ? 0.1 : 1e-9), *L = hsp_alloc(d * d, sizeof *L);
    double *X = matrix(sides, d, RANDOM, 3), *B = hsp_alloc(sides * d, sizeof *B);
    double top = largest(A, d * d), worst = 0;
    memcpy(L, A, (size_t)(d * d) * sizeof *L);
    assert_int_equal(hsp_cholesky(L, d), 0);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) {
            double r = -A[i * d + j];
            for (int64_t t = 0; t <= (i < j ? i : j); t++) r += L[i * d + t] * L[j * d + t];
            worst = fmax(worst, fabs(r));
            if (j > i) assert_true(L[i * d + j] == A[i * d + j]);
        }
    if (!(worst <= allowed(d) * top)) fail_msg("d %d kind %d: residual %g", (int)d, k, worst / top);
    memcpy(B, X, (size_t)(sides * d) * sizeof *B);
    hsp_cholesky_solve(L, d, B, sides);
    for (int64_t q = 0; q < sides; q++) {
        double size = largest(B + q * d, d) * top + largest(X + q * d, d);
        for (int64_t i = 0; i < d; i++) {
            double r = -X[q * d + i];
            for (int64_t t = 0; t < d; t++) r += A[i * d + t] * B[q * d + t];
            assert_true(fabs(r) <= allowed(d) * (double)(d + 1) * size);
        }
    }
    memcpy(B, X, (size_t)(sides * d) * sizeof *B);
    hsp_cholesky_forward(L, d, B, sides);
    for (int64_t q = 0; q < sides; q++)
        for (int64_t i = 0; i < d; i++) {
            double r = -X[q * d + i], size = fabs(r);
            for (int64_t t = 0; t <= i; t++) r += L[i * d + t] * B[q * d + t], size += fabs(L[i * d + t] * B[q * d + t]);
            assert_true(fabs(r) <= allowed(d) * size);
        }
    HSP_FREE(A, L, X, B);
}

static void cholesky_at_every_size(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++) {
        static const int64_t sides[] = {1, 3, 4, 24, 25, 50};
        check_cholesky(SIZES[s], RANDOM, sides[s % 6]);
        if (SIZES[s] < 130) check_cholesky(SIZES[s], GRADED_DOWN, sides[(s + 1) % 6]);
        if (SIZES[s] < 130) check_cholesky(SIZES[s], HILBERT, sides[(s + 2) % 6]);
    }
}

/* The order of the first minor that is not positive, wherever it is. */
static void failures_name_the_minor(void **state) {
    (void)state;
    for (int64_t d = 1; d < 230; d += 19)
        for (int64_t bad = 0; bad < d; bad += d / 5 + 1) {
            double *A = positive(d, RANDOM, 1), *N = hsp_alloc(d * d, sizeof *N);
            memcpy(N, A, (size_t)(d * d) * sizeof *A);
            A[bad * d + bad] = -1;
            assert_int_equal(hsp_cholesky(A, d), bad + 1);
            N[bad * d] = NAN;
            assert_int_equal(hsp_cholesky(N, d), bad + 1);
            HSP_FREE(A, N);
        }
    double zeros[4] = {0}, huge[4] = {1e300, 0, 1e305, 1e300};
    assert_int_equal(hsp_cholesky(zeros, 2), 1);
    assert_int_equal(hsp_cholesky(huge, 2), 2); /* its second pivot overflows */
}

/* ---- the inverse ---- */

static void inverses_multiply_to_one(void **state) {
    (void)state;
    for (int s = 0; s < SIZE_COUNT; s++) {
        int64_t d = SIZES[s];
        double *A = matrix(d, d, RANDOM, (uint64_t)d), *X = hsp_alloc(d * d, sizeof *X);
        memcpy(X, A, (size_t)(d * d) * sizeof *X);
        assert_int_equal(hsp_invert(X, d), 0);
        double size = largest(A, d * d) * largest(X, d * d);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = 0; j < d; j++) {
                double r = i == j ? -1 : 0;
                for (int64_t t = 0; t < d; t++) r += X[i * d + t] * A[t * d + j];
                assert_true(fabs(r) <= allowed(d) * (double)d * (1 + size));
            }
        HSP_FREE(A, X);
    }
    double swapped[4] = {0, 2, 4, 0}, zeros[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1}, bad[4] = {1, NAN, 2, 1};
    assert_int_equal(hsp_invert(swapped, 2), 0);
    assert_true(swapped[0] == 0 && swapped[1] == 0.25 && swapped[2] == 0.5 && swapped[3] == 0);
    assert_int_equal(hsp_invert(zeros, 3), 2); /* two columns are parallel */
    assert_true(hsp_invert(bad, 2) > 0);
    hsp_memory_fail_after(0);
    assert_int_equal(hsp_invert(swapped, 2), HSP_EMEMORY);
    hsp_memory_fail_after(-1);
}

/* ---- QR ---- */

static void check_pivoted(int64_t n, int64_t d, kind k) {
    int64_t rank = n < d ? n : d, *order = hsp_alloc(d, sizeof *order);
    double *A = matrix(d, n, k, 5), *R = hsp_alloc(n * d, sizeof *R), *diagonal = hsp_alloc(rank, sizeof *diagonal);
    double top = largest(A, n * d), unit = top > 0 ? top : 1;
    memcpy(R, A, (size_t)(n * d) * sizeof *R); /* column-major: column j at j n */
    assert_int_equal(hsp_pivoted_qr(R, n, d, order, diagonal), HSP_OK);
    for (int64_t j = 1; j < rank; j++) assert_true(diagonal[j] <= diagonal[j - 1] * (1 + 1e-6) + allowed(n) * diagonal[0]);
    for (int64_t a = 0; a < d; a++) /* R'R = A'A in the new order */
        for (int64_t b = 0; b <= a; b++) {
            double r = 0;
            for (int64_t i = 0; i < n; i++) r -= A[order[a] * n + i] / unit * (A[order[b] * n + i] / unit);
            for (int64_t i = 0; i < rank && i <= b; i++) r += R[a * n + i] / unit * (R[b * n + i] / unit);
            if (!(fabs(r) <= allowed(n) * (double)n)) fail_msg("%d x %d kind %d: %g", (int)n, (int)d, k, r);
        }
    HSP_FREE(order, A, R, diagonal);
}

static void pivoted_qr_of_every_kind(void **state) {
    (void)state;
    for (kind k = RANDOM; k < KINDS; k++) {
        check_pivoted(1, 1, k);
        check_pivoted(5, 17, k);
        check_pivoted(60, 60, k);
        check_pivoted(90, 33, k);
    }
}

/* ---- the same bits ---- */

/* All results of a size, one after the other; 8 d^2 numbers. */
static void compute_all(int64_t d, double *out) {
    size_t bytes = (size_t)(d * d) * sizeof *out;
    double *A = positive(d, RANDOM, 0.5), *B = matrix(d, d, RANDOM, 9), *e = hsp_alloc(2 * d, sizeof *e);
    int64_t *order = hsp_alloc(d, sizeof *order);
    memset(out, 0, 8 * bytes);
    memcpy(out, A, bytes);
    assert_int_equal(hsp_cholesky(out, d), 0);
    memcpy(out + d * d, B, bytes);
    hsp_cholesky_solve(out, d, out + d * d, d);
    memcpy(out + 2 * d * d, A, bytes);
    assert_int_equal(hsp_eigen(out + 2 * d * d, d, e), HSP_OK);
    memcpy(out + 3 * d * d, B, bytes);
    assert_int_equal(hsp_svd(out + 3 * d * d, d, d, e, out + 4 * d * d, out + 5 * d * d), HSP_OK);
    memcpy(out + 3 * d * d, B, bytes); /* svd leaves rubbish */
    assert_int_equal(hsp_pivoted_qr(out + 3 * d * d, d, d, order, e), HSP_OK);
    memcpy(out + 6 * d * d, B, bytes);
    assert_int_equal(hsp_invert(out + 6 * d * d, d), 0);
    double *rows = hsp_alloc(d * d, sizeof *rows);
    memcpy(rows, B, bytes);
    assert_int_equal(hsp_qr_append(out + 7 * d * d, d, rows, d), HSP_OK);
    HSP_FREE(A, B, e, order, rows);
}

static void levels_give_the_same_bits(void **state) {
    (void)state;
    static const char *const names[] = {"v3", "v4"};
    for (int64_t d = 5; d < 330; d = d * 2 + 3) {
        double *want = hsp_alloc(8 * d * d, sizeof *want), *got = hsp_alloc(8 * d * d, sizeof *got);
        assert_true(want && got && hsp_level_choose("plain"));
        compute_all(d, want);
        for (int k = 0; k < 2; k++) {
            if (!hsp_level_choose(names[k])) continue;
            compute_all(d, got);
            assert_memory_equal(got, want, (size_t)(8 * d * d) * sizeof *got);
        }
        assert_true(hsp_level_choose(NULL));
        HSP_FREE(want, got);
    }
}

/* Without memory for large buffers the same bits. */
static void little_memory_gives_the_same_bits(void **state) {
    (void)state;
    enum { D = 250 };
    double *A = positive(D, RANDOM, 0.5), *one = hsp_alloc(D * D, sizeof *one), *other = hsp_alloc(D * D, sizeof *other);
    memcpy(one, A, D * D * sizeof *A);
    memcpy(other, A, D * D * sizeof *A);
    assert_int_equal(hsp_cholesky(one, D), 0);
    hsp_memory_fail_after(0);
    assert_int_equal(hsp_cholesky(other, D), 0);
    assert_memory_equal(one, other, D * D * sizeof *one);
    memcpy(A, one, D * D * sizeof *A);
    hsp_cholesky_solve(one, D, A, 30);
    hsp_memory_fail_after(-1);
    memcpy(other, one, D * D * sizeof *other);
    hsp_cholesky_solve(one, D, other, 30);
    assert_memory_equal(A, other, D * D * sizeof *A);
    HSP_FREE(A, one, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvectors_of_every_kind),        cmocka_unit_test(known_eigenvalues_are_found),
        cmocka_unit_test(singular_vectors_of_every_kind),    cmocka_unit_test(cholesky_at_every_size),
        cmocka_unit_test(failures_name_the_minor),           cmocka_unit_test(inverses_multiply_to_one),
        cmocka_unit_test(pivoted_qr_of_every_kind),          cmocka_unit_test(levels_give_the_same_bits),
        cmocka_unit_test(little_memory_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
