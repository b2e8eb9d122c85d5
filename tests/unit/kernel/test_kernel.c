/* The kernels against one-line loops, for every length around the 16 lanes. */
#include "base/rng.h"
#include "kernel/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 100 };

static void every_layout_agrees_with_the_plain_sum(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(7, 0);
    for (int64_t n = 0; n <= MOST; n++) {
        double x[MOST + 1], w[3 * MOST + 1];
        float xf[MOST + 1];
        uint32_t id[MOST + 1];
        for (int64_t t = 0; t < 3 * MOST; t++) w[t] = hsp_rng_uniform(&r) - 0.5;
        double dense = 0, dense_f = 0, sparse = 0, sparse_f = 0;
        for (int64_t t = 0; t < n; t++) {
            x[t] = hsp_rng_uniform(&r) - 0.5;
            xf[t] = (float)x[t];
            id[t] = (uint32_t)(3 * t + hsp_rng_below(&r, 3));
            dense += x[t] * w[t];
            dense_f += (double)xf[t] * w[t];
            sparse += x[t] * w[id[t]];
            sparse_f += (double)xf[t] * w[id[t]];
        }
        assert_true(fabs(hsp_dot_f64(x, w, n) - dense) < 1e-13);
        assert_true(fabs(hsp_dot_f32(xf, w, n) - dense_f) < 1e-13);
        assert_true(fabs(hsp_sparse_dot_f64(id, x, w, n) - sparse) < 1e-13);
        assert_true(fabs(hsp_sparse_dot_f32(id, xf, w, n) - sparse_f) < 1e-13);
    }
}

static void a_sparse_row_without_gaps_has_the_bits_of_a_dense_one(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(8, 0);
    double x[MOST], w[MOST];
    uint32_t id[MOST];
    for (int64_t n = 0; n < MOST; n++) {
        for (int64_t t = 0; t < n; t++) {
            x[t] = hsp_rng_normal(&r);
            w[t] = hsp_rng_normal(&r);
            id[t] = (uint32_t)t;
        }
        assert_true(hsp_dot_f64(x, w, n) == hsp_sparse_dot_f64(id, x, w, n));
    }
}

static void axpy_adds_to_the_right_places(void **unused) {
    (void)unused;
    double w[6] = {1, 1, 1, 1, 1, 1}, x[2] = {2, 3};
    float xf[2] = {2, 3};
    uint32_t id[2] = {1, 4};
    hsp_sparse_axpy_f64(10, id, x, w, 2);
    hsp_sparse_axpy_f32(10, id, xf, w, 2);
    hsp_axpy_f64(1, x, w, 2);
    hsp_axpy_f32(1, xf, w, 2);
    hsp_scale_f64(2, w, 6);
    const double expected[6] = {10, 94, 2, 2, 122, 2};
    for (int j = 0; j < 6; j++) assert_true(w[j] == expected[j]);
    assert_true(hsp_sum_f64(w, 6) == 232);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_agrees_with_the_plain_sum),
        cmocka_unit_test(a_sparse_row_without_gaps_has_the_bits_of_a_dense_one),
        cmocka_unit_test(axpy_adds_to_the_right_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
