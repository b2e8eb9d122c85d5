/* Exact sums against sums that are known, and against each other in other orders and groups. */
#include "base/exact_sum.h"
#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static double sum_of(const double *v, int64_t n) {
    hsp_exact_sum s = {0};
    for (int64_t i = 0; i < n; i++) hsp_exact_sum_add(&s, v[i]);
    return hsp_exact_sum_value(&s);
}

static void assert_same(double a, double b) {
    assert_memory_equal(&a, &b, sizeof a);
}

static void known_sums(void **state) {
    (void)state;
    const struct {
        double v[6], sum;
    } cases[] = {
        {{0}, 0},
        {{-0.0}, 0},
        {{0.1}, 0.1},
        {{-0.1}, -0.1},
        {{0.1, 0.2, 0.3, 0.4, -0.5, -0.5}, 2.7755575615628914e-17},
        {{1e308, 1e308, -1e308, -1e308, 1}, 1},
        {{1, 1e100, 1, -1e100}, 2},
        {{0x1p53, 1, 0x1p-60}, 0x1p53 + 2}, /* above the half: up */
        {{0x1p53, 1}, 0x1p53},              /* the half: to even */
        {{0x1p53, 3}, 0x1p53 + 4},
        {{-0x1p53, -1, -0x1p-1074}, -0x1p53 - 2},
        {{0x1p-1074, 0x1p-1074}, 0x1p-1073},
        {{0x1.fffffffffffffp1023, 0x1p969}, 0x1.fffffffffffffp1023},
        {{0x1.fffffffffffffp1023, 0x1p970}, INFINITY},
        {{0x1p-1022, -0x1p-1074}, 0x0.fffffffffffffp-1022},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) assert_same(sum_of(cases[k].v, 6), cases[k].sum);
}

static void means_are_finite(void **state) {
    (void)state;
    hsp_exact_sum s = {0};
    for (int i = 0; i < 3; i++) hsp_exact_sum_add(&s, 1e308);
    assert_true(isinf(hsp_exact_sum_value(&s)));
    assert_true(fabs(hsp_exact_sum_mean(&s, 3) - 1e308) <= 1e293);
    hsp_exact_sum one = {0};
    hsp_exact_sum_add(&one, -7);
    assert_same(hsp_exact_sum_mean(&one, 2), -3.5);
}

static double draw(hsp_rng *r) {
    int exponent = (int)(hsp_rng_next(r) % 600) - 300;
    return ldexp(hsp_rng_uniform(r) - 0.5, exponent);
}

/* The order and the groups are drawn; whatever they are, the sum has the same bits. */
static void order_does_not_matter(void **state) {
    (void)state;
    enum { N = 500 };
    double v[N];
    hsp_rng r = hsp_rng_new(3, 0);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i++) v[i] = draw(&r);
        double expected = sum_of(v, N);
        for (int i = N - 1; i > 0; i--) {
            int k = (int)(hsp_rng_next(&r) % (uint64_t)(i + 1));
            double swap = v[i];
            v[i] = v[k];
            v[k] = swap;
        }
        hsp_exact_sum part[4] = {{{0}, 0}};
        for (int i = 0; i < N; i++) hsp_exact_sum_add(&part[hsp_rng_next(&r) % 4], v[i]);
        for (int k = 1; k < 4; k++) hsp_exact_sum_join(&part[0], &part[k]);
        assert_same(hsp_exact_sum_value(&part[0]), expected);
        for (int i = 0; i < N; i++) hsp_exact_sum_add(&part[0], -v[i]);
        assert_same(hsp_exact_sum_value(&part[0]), 0);
    }
}

/* Carries are propagated long before digits could overflow: shown with digits as large as they get. */
static void many_numbers(void **state) {
    (void)state;
    hsp_exact_sum s = {0};
    const double most = 0x1.fffffffffffffp31;
    for (int i = 0; i < 1000; i++) hsp_exact_sum_add(&s, most);
    for (int k = 0; k < 20; k++) { /* 1000 x 2^20 numbers */
        hsp_exact_sum copy = s;
        hsp_exact_sum_join(&s, &copy);
    }
    assert_same(hsp_exact_sum_value(&s), ldexp(most * 1000, 20));
    for (int k = 0; k < 20; k++) {
        hsp_exact_sum copy = s;
        hsp_exact_sum_join(&s, &copy);
    }
    assert_same(hsp_exact_sum_value(&s), ldexp(most * 1000, 40));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums),
        cmocka_unit_test(means_are_finite),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(many_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
