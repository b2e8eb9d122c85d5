/* The corrected interval of a difference: against hand computations, and its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/difference.h"

#include <math.h>

/* 0.975-quantiles of Student's distribution with 4 and 9 degrees of freedom. */
#define T4 2.7764451051977987
#define T9 2.2621571627409915

/* Five folds of 100 rows: d = 0.01, 0.03, -0.01, 0.02, 0.05, so mean 0.02 and s^2 = 0.0005. */
static void test_five_folds(void **state) {
    (void)state;
    const double a[] = {0.91, 0.93, 0.89, 0.92, 0.95}, b[] = {0.9, 0.9, 0.9, 0.9, 0.9};
    hsp_difference d;
    assert_int_equal(hsp_difference_estimate(a, b, 5, 20, 80, &d), 0);
    double half = T4 * sqrt(0.0005 * (1.0 / 5 + 1.0 / 4));
    assert_true(fabs(d.mean - 0.02) < 1e-15);
    assert_true(fabs(d.lo - (0.02 - half)) < 1e-14 && fabs(d.hi - (0.02 + half)) < 1e-14);
    assert_true(hsp_difference_is_open(&d));
    /* Without the correction the interval would be smaller by this factor. */
    double naive = T4 * sqrt(0.0005 / 5);
    assert_true(fabs((d.hi - d.mean) / naive - 1.5) < 1e-12);
}

/* Ten folds: what all folds share does not count, as they are paired. */
static void test_pairs(void **state) {
    (void)state;
    double a[10], b[10], sum = 0, square = 0;
    for (int j = 0; j < 10; j++) b[j] = 0.5 + 0.04 * j, a[j] = b[j] - 0.1 + 0.001 * (j % 3);
    for (int j = 0; j < 10; j++) sum += a[j] - b[j];
    for (int j = 0; j < 10; j++) square += pow(a[j] - b[j] - sum / 10, 2);
    hsp_difference d;
    assert_int_equal(hsp_difference_estimate(a, b, 10, 11, 99, &d), 0);
    double half = T9 * sqrt(square / 9 * (0.1 + 1.0 / 9));
    assert_true(fabs(d.mean - sum / 10) < 1e-13 && fabs(d.hi - d.mean - half) < 1e-13);
    assert_false(hsp_difference_is_open(&d));
    hsp_difference back;
    assert_int_equal(hsp_difference_estimate(b, a, 10, 11, 99, &back), 0);
    assert_true(fabs(back.mean + d.mean) < 1e-13 && fabs(back.lo + d.hi) < 1e-13);
}

static void test_limits(void **state) {
    (void)state;
    const double a[] = {0.5, 0.7}, nan[] = {0.5, NAN};
    hsp_difference d;
    assert_int_equal(hsp_difference_estimate(a, a, 2, 1, 1, &d), 0);
    assert_true(d.mean == 0 && d.lo == 0 && d.hi == 0 && hsp_difference_is_open(&d));
    assert_int_equal(hsp_difference_estimate(a, nan, 2, 1, 1, &d), 0);
    assert_true(isnan(d.mean) && isnan(d.lo) && !hsp_difference_is_open(&d));
    assert_int_equal(hsp_difference_estimate(a, a, 1, 1, 1, &d), 0);
    assert_true(d.mean == 0 && isnan(d.lo) && isnan(d.hi) && !hsp_difference_is_open(&d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_five_folds),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
