/* Sums of losses: by rows and by blocks of rows, with weights, and where losses are no numbers or too large. */
#include "base/rng.h"
#include "loss/loss_sums.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 700, ZERO_ONE = 0, PERCEPTRON, HINGE, SQUARED_HINGE, LOGISTIC, SQUARED };

static hsp_loss_sums one_by_one(const double *weight, const double *y, const double *g, int64_t count) {
    hsp_loss_sums s = {{0}};
    for (int64_t i = 0; i < count; i++) hsp_loss_sums_add(&s, weight ? weight[i] : 1, y[i], g[i]);
    return s;
}

static void known_values(void **state) {
    (void)state;
    const double y[] = {1, -1, 1}, g[] = {0.5, 2, 0}, weight[] = {1, 2, 4};
    hsp_loss_sums s = {{0}};
    hsp_loss_sums_add_rows(&s, weight, y, g, 3);
    assert_true(s.sum[ZERO_ONE] == 2 + 4); /* a score of 0 is an error */
    assert_true(s.sum[PERCEPTRON] == 2 * 2);
    assert_true(s.sum[HINGE] == 0.5 + 2 * 3 + 4);
    assert_true(s.sum[SQUARED_HINGE] == 0.25 + 2 * 9 + 4);
    assert_true(s.sum[SQUARED] == 0.125 + 2 * 4.5 + 4 * 0.5);
    double logistic = log1p(exp(-0.5)) + 2 * log1p(exp(2)) + 4 * log(2);
    assert_true(fabs(s.sum[LOGISTIC] - logistic) <= 1e-14 * logistic);
}

/* Whatever the number of rows: full blocks, a rest, none. */
static void blocks_are_rows_one_by_one(void **state) {
    (void)state;
    const int64_t counts[] = {0, 1, 3, 255, 256, 257, 512, MOST};
    double y[MOST], g[MOST], weight[MOST];
    hsp_rng r = hsp_rng_new(5, 0);
    for (int i = 0; i < MOST; i++) {
        y[i] = hsp_rng_uniform(&r) < 0.4 ? -1 : 1;
        g[i] = 3 * hsp_rng_normal(&r);
        weight[i] = hsp_rng_uniform(&r) < 0.2 ? 0 : hsp_rng_uniform(&r);
    }
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int weighted = 0; weighted < 2; weighted++) {
            hsp_loss_sums expected = one_by_one(weighted ? weight : NULL, y, g, counts[c]), s = {{0}};
            hsp_loss_sums_add_rows(&s, weighted ? weight : NULL, y, g, counts[c]);
            for (int i = 0; i < HSP_LOSS_SUMS; i++)
                assert_true(fabs(s.sum[i] - expected.sum[i]) <= (i == LOGISTIC ? 1e-13 * expected.sum[i] : 0));
        }
}

/* Rows of weight 0 add nothing, not even what is not a number. */
static void nothing_of_weight_zero(void **state) {
    (void)state;
    const double y[] = {1, 1, -1}, g[] = {NAN, INFINITY, 1e200}, weight[] = {0, 0, 0};
    hsp_loss_sums s = {{0}}, one = one_by_one(weight, y, g, 3);
    hsp_loss_sums_add_rows(&s, weight, y, g, 3);
    for (int i = 0; i < HSP_LOSS_SUMS; i++) assert_true(s.sum[i] == 0 && one.sum[i] == 0);
}

/* Sums stay at the largest double, by rows, by blocks and merged. */
static void too_large(void **state) {
    (void)state;
    const double y[] = {1, 1, 1}, g[] = {-1e308, -1e308, 2}, none[] = {1, NAN, 2};
    hsp_loss_sums s = {{0}}, one = one_by_one(NULL, y, g, 3), lost = {{0}}, also = one_by_one(NULL, y, none, 3);
    hsp_loss_sums_add_rows(&s, NULL, y, g, 3);
    hsp_loss_sums_add_rows(&lost, NULL, y, none, 3);
    for (int i = PERCEPTRON; i < HSP_LOSS_SUMS; i++) assert_true(s.sum[i] == DBL_MAX && one.sum[i] == DBL_MAX);
    assert_true(s.sum[ZERO_ONE] == 2);
    for (int i = HINGE; i < HSP_LOSS_SUMS; i++) assert_true(lost.sum[i] == DBL_MAX && also.sum[i] == DBL_MAX);
    hsp_loss_sums_merge(&s, &one);
    for (int i = PERCEPTRON; i < HSP_LOSS_SUMS; i++) assert_true(s.sum[i] == DBL_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(blocks_are_rows_one_by_one),
        cmocka_unit_test(nothing_of_weight_zero),
        cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
