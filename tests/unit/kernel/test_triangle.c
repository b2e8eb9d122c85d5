/* The kernels of the factorisations, at every level, against plain loops; arrays have exactly the documented size. */
#include "base/memory.h"
#include "base/rng.h"
#include "halfspace.h"
#include "kernel/level.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const NAMES[] = {"plain", "v3", "v4"};
static const int64_t SIZES[] = {1, 2, 7, 8, 9, 12, 16, 23, 24, 25, 40, 96, 127, 128};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

static double *numbers(int64_t count, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 0);
    double *x = hsp_alloc(count > 0 ? count : 1, sizeof *x);
    assert_non_null(x);
    for (int64_t t = 0; t < count; t++) x[t] = hsp_rng_normal(&r);
    return x;
}

static void each_level(void (*check)(const hsp_level *)) {
    for (int k = 0; k < 3; k++)
        if (hsp_level_choose(NAMES[k])) check(hsp_level_now());
    assert_true(hsp_level_choose(NULL));
}

/* L x of one vector, or L'x: what the right-hand side was. */
static double product(const double *L, int64_t d, const double *x, int64_t i, bool across, double *size) {
    double sum = 0;
    *size = 0;
    for (int64_t j = across ? i : 0; across ? j < d : j <= i; j++) {
        double term = (across ? L[j * d + i] : L[i * d + j]) * x[j];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static void check_triangles(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int back = 0; back < 2; back++) {
            int64_t d = SIZES[s], count = SIZES[(s + 5) % SIZE_COUNT], step = d + s % 3;
            double *L = numbers(d * d, 1), *X = numbers((count - 1) * step + d, 2), *B = numbers((count - 1) * step + d, 2);
            for (int64_t i = 0; i < d; i++) L[i * d + i] += L[i * d + i] > 0 ? 3 : -3;
            hsp_triangle t = {.d = d, .l_step = d, .l = L, .count = count, .x_step = step, .x = X};
            (back ? level->triangle.backward : level->triangle.forward)(&t);
            for (int64_t q = 0; q < count; q++) {
                for (int64_t i = 0; i < d; i++) {
                    double size, b = product(L, d, X + q * step, i, back, &size);
                    assert_true(fabs(b - B[q * step + i]) <= 4 * DBL_EPSILON * (double)(d + 4) * (size + fabs(b)));
                }
                for (int64_t i = d; q + 1 < count && i < step; i++) assert_true(X[q * step + i] == B[q * step + i]);
            }
            HSP_FREE(L, X, B);
        }
}

static void triangles_are_solved(void **state) {
    (void)state;
    each_level(check_triangles);
}

static void check_packing(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++) {
        int64_t outputs = SIZES[s], d = SIZES[(s + 3) % SIZE_COUNT], width = level->width, step = d * width;
        int64_t padded = (outputs + width - 1) / width * width;
        double *X = numbers(outputs * d, 4), *along = hsp_alloc(padded * d, sizeof *along),
               *across = hsp_alloc(padded * d, sizeof *across);
        assert_true(along && across);
        level->triangle.pack_across(outputs, d, X, d, -1, step, across);    /* X: outputs x d */
        level->triangle.pack_along(outputs, d, X, outputs, 1, step, along); /* X: d x outputs */
        for (int64_t i = 0; i < padded; i++)
            for (int64_t k = 0; k < d; k++) {
                int64_t at = i / width * step + k * width + i % width;
                assert_true(across[at] == (i < outputs ? -X[i * d + k] : 0));
                assert_true(along[at] == (i < outputs ? X[k * outputs + i] : 0));
            }
        HSP_FREE(X, along, across);
    }
}

static void panels_are_packed(void **state) {
    (void)state;
    each_level(check_packing);
}

static void check_rotations(const hsp_level *level) {
    for (int64_t count = 0; count < 12; count++)
        for (int down = 0; down < 2; down++) {
            int64_t n = (count + 1) * HSP_ROTATED;
            double *x = numbers(n, 5), *y = numbers(n, 5), *angle = numbers(2 * count, 6);
            for (int64_t k = 0; k < count; k++) {
                double a = angle[k];
                angle[k] = cos(a);
                angle[count + k] = sin(a);
            }
            hsp_rotations r = {count, down, angle, angle + count, x};
            level->triangle.rotate(&r);
            for (int64_t t = 0; t < count; t++) {
                int64_t k = down ? count - 1 - t : t;
                double *a = y + k * HSP_ROTATED, *b = a + HSP_ROTATED, c = angle[k], s = angle[count + k];
                for (int64_t j = 0; j < HSP_ROTATED; j++) {
                    double u = a[j], v = b[j];
                    a[j] = c * u + s * v;
                    b[j] = c * v - s * u;
                }
            }
            for (int64_t j = 0; j < n; j++) assert_true(x[j] == y[j]);
            HSP_FREE(x, y, angle);
        }
    for (int s = 0; s < SIZE_COUNT; s++) {
        int64_t n = SIZES[s];
        double *a = numbers(n, 8), *b = numbers(n, 9), *u = numbers(n, 8), *v = numbers(n, 9);
        level->triangle.rotate_pair(n, 0.8, 0.6, a, b);
        for (int64_t j = 0; j < n; j++) {
            assert_true(a[j] == 0.8 * u[j] + 0.6 * v[j]);
            assert_true(b[j] == 0.8 * v[j] - 0.6 * u[j]);
        }
        HSP_FREE(a, b, u, v);
    }
}

static void rows_are_rotated(void **state) {
    (void)state;
    each_level(check_rotations);
}

static void check_symmetric(const hsp_level *level) {
    for (int64_t d = 1; d < 60; d++) {
        double *A = numbers(d * d, 10), *v = numbers(d, 11), *y = numbers(d, 12), *plain = numbers(d, 12);
        for (int64_t i = 0; i < d; i++)
            for (int64_t j = i + 1; j < d; j++) A[i * d + j] = NAN; /* not read */
        level->triangle.symmetric(d, A, d, v, y);
        for (int64_t i = 0; i < d; i++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < d; j++) {
                double term = (j <= i ? A[i * d + j] : A[j * d + i]) * v[j];
                sum += term;
                size += fabs(term);
            }
            assert_true(fabs(y[i] - sum) <= 4 * DBL_EPSILON * (double)d * size);
        }
        assert_true(hsp_level_choose("plain"));
        hsp_level_now()->triangle.symmetric(d, A, d, v, plain);
        assert_memory_equal(y, plain, (size_t)d * sizeof *y);
        HSP_FREE(A, v, y, plain);
    }
    assert_true(hsp_level_choose(level->name));
}

static void symmetric_matrices_multiply(void **state) {
    (void)state;
    each_level(check_symmetric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_solved),
        cmocka_unit_test(panels_are_packed),
        cmocka_unit_test(rows_are_rotated),
        cmocka_unit_test(symmetric_matrices_multiply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
