/* Softmax: the properties of test_loss.c for a loss of K scores; and the second derivatives of all losses. */
#include "base/rng.h"
#include "loss/loss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { K = 4, TURNS = 200 };

static double value_at(double y, const double *g) {
    double v;
    hsp_loss_softmax.batch(&hsp_loss_softmax, &y, g, 1, K, HSP_KINK_OPEN, &v, NULL);
    return v;
}

static void random_scores(hsp_rng *r, double size, double *g) {
    for (int k = 0; k < K; k++) g[k] = size * hsp_rng_normal(r);
}

static void the_value_is_the_formula(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(1, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], sum = 0;
        int y = turn % K;
        random_scores(&r, 3, g);
        for (int k = 0; k < K; k++) sum += exp(g[k]);
        assert_true(fabs(value_at(y, g) - (log(sum) - g[y])) < 1e-12);
    }
}

/* log(1 + 3 exp(-800)) is below the last digit of 1, but not 0; nothing overflows; a constant added to all scores
 * changes nothing. */
static void extreme_scores_lose_no_digits(void **unused) {
    (void)unused;
    double sure[K] = {700, 0, 0, 0}, wrong[K] = {0, 1e300, 0, 0}, moved[K] = {1e6 + 1, 1e6, 1e6, 1e6};
    double plain[K] = {1, 0, 0, 0}, slope[K], y = 0;
    assert_true(fabs(value_at(0, sure) / (3 * exp(-700)) - 1) < 1e-12);
    assert_true(value_at(0, wrong) == 1e300);
    assert_true(fabs(value_at(0, moved) - value_at(0, plain)) < 1e-9);
    hsp_loss_softmax.batch(&hsp_loss_softmax, &y, sure, 1, K, HSP_KINK_OPEN, NULL, slope);
    assert_true(fabs(slope[0] / (-3 * exp(-700)) - 1) < 1e-12);
}

static void the_slope_is_that_of_finite_differences(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(2, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], slope[K], y = turn % K, h = 1e-6, sum = 0;
        random_scores(&r, 2, g);
        hsp_loss_softmax.batch(&hsp_loss_softmax, &y, g, 1, K, HSP_KINK_OPEN, NULL, slope);
        for (int k = 0; k < K; k++) {
            double old = g[k];
            g[k] = old + h;
            double up = value_at(y, g);
            g[k] = old - h;
            double down = value_at(y, g);
            g[k] = old;
            assert_true(fabs((up - down) / (2 * h) - slope[k]) < 1e-8);
            sum += slope[k];
        }
        assert_true(fabs(sum) < 1e-15);
    }
}

static void a_batch_is_its_rows(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(3, 0);
    double g[8 * K], y[8], value[8], slope[8 * K], v, s[K];
    for (int i = 0; i < 8; i++) {
        y[i] = i % K;
        random_scores(&r, 5, g + i * K);
    }
    hsp_loss_softmax.batch(&hsp_loss_softmax, y, g, 8, K, HSP_KINK_OPEN, value, slope);
    for (int i = 0; i < 8; i++) {
        hsp_loss_softmax.batch(&hsp_loss_softmax, y + i, g + i * K, 1, K, HSP_KINK_CLOSED, &v, s);
        assert_true(v == value[i]);
        for (int k = 0; k < K; k++) assert_true(s[k] == slope[i * K + k]);
    }
}

/* Against the formula in long double; also with more scores than one piece takes. */
static void values_and_slopes_are_good_for_any_number_of_scores(void **unused) {
    (void)unused;
    static const int64_t counts[] = {2, 3, 10, 100, 1023, 1024, 1025, 3000};
    static double g[2 * 3000], slope[2 * 3000];
    hsp_rng r = hsp_rng_new(5, 0);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int turn = 0; turn < 6; turn++) {
            int64_t outputs = counts[c];
            double y[2] = {0, (double)(outputs - 1)}, value[2], alone[2];
            for (int64_t k = 0; k < 2 * outputs; k++) g[k] = (turn < 3 ? 3 : 200) * hsp_rng_normal(&r);
            hsp_loss_softmax.batch(&hsp_loss_softmax, y, g, 2, outputs, HSP_KINK_OPEN, value, slope);
            hsp_loss_softmax.batch(&hsp_loss_softmax, y, g, 2, outputs, HSP_KINK_OPEN, alone, NULL);
            for (int i = 0; i < 2; i++) {
                const double *row = g + i * outputs;
                long double sum = 0, own = row[(int64_t)y[i]];
                for (int64_t k = 0; k < outputs; k++) sum += expl(row[k] - own);
                assert_true(alone[i] == value[i]);
                assert_true(fabsl(value[i] - logl(sum)) <= 1e-14L * (1 + fabsl(logl(sum))));
                for (int64_t k = 0; k < outputs; k++) {
                    long double p = expl(row[k] - own) / sum, s = slope[i * outputs + k];
                    if (k != (int64_t)y[i]) assert_true(fabsl(s - p) <= 1e-13L * p + 1e-320L);
                }
            }
        }
}

/* dual(r) = -f*(-r) <= f(g) + r.g for every r of the domain, with equality at r = -slope. */
static void the_dual_obeys_fenchel_and_young(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(4, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], q[K], slope[K], m[K], y = turn % K, sum = 0, dot = 0;
        random_scores(&r, 2, g);
        for (int k = 0; k < K; k++) sum += q[k] = turn % 3 == 0 && k == 1 ? 0 : hsp_rng_uniform(&r);
        for (int k = 0; k < K; k++) {
            m[k] = (k == (int)y) - q[k] / sum;
            dot += m[k] * g[k];
        }
        assert_true(hsp_loss_softmax.dual_many(y, m, K) <= value_at(y, g) + dot + 1e-12);
        hsp_loss_softmax.batch(&hsp_loss_softmax, &y, g, 1, K, HSP_KINK_OPEN, NULL, slope);
        dot = 0;
        for (int k = 0; k < K; k++) {
            m[k] = -slope[k];
            dot += m[k] * g[k];
        }
        assert_true(fabs(hsp_loss_softmax.dual_many(y, m, K) - value_at(y, g) - dot) < 1e-12);
    }
}

static void two_scores_are_the_logistic_loss(void **unused) {
    (void)unused;
    for (double m = -30; m <= 30; m += 1.7) {
        double g[2] = {0, m}, y = 1, v;
        hsp_loss_softmax.batch(&hsp_loss_softmax, &y, g, 1, 2, HSP_KINK_OPEN, &v, NULL);
        double expected = hsp_loss_logistic.at(&hsp_loss_logistic, 1, m, HSP_KINK_OPEN).value;
        assert_true(fabs(v - expected) <= 1e-15 * (1 + expected));
    }
}

static void curvatures_are_those_of_finite_differences(void **unused) {
    (void)unused;
    const double h = 1e-5;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        bool curved = loss->curvature || (loss->dual_many && !loss->smoothed);
        assert_true(curved == ((loss->traits & HSP_LOSS_CURVED) != 0));
        if (!loss->curvature) continue;
        for (int s = -1; s <= 1; s += 2)
            for (double g = -4.06; g < 4; g += 0.1) { /* never within h of a jump of the curvature */
                double up = loss->at(loss, s, g + h, HSP_KINK_OPEN).slope,
                       down = loss->at(loss, s, g - h, HSP_KINK_OPEN).slope;
                assert_true(fabs((up - down) / (2 * h) - loss->curvature(loss, s, g)) < 1e-8);
                assert_true(loss->curvature(loss, s, g) >= 0 && loss->curvature(loss, s, g) <= loss->lipschitz);
            }
        assert_true(isfinite(loss->curvature(loss, 1, 1e300)) && isfinite(loss->curvature(loss, 1, -1e300)));
    }
}

/* The squared loss is for any target: its dual is r y - r^2/2. */
static void the_squared_dual_knows_any_target(void **unused) {
    (void)unused;
    for (double y = -7; y < 7; y += 1.3)
        for (double g = -5; g < 5; g += 0.9) {
            double r = y - g, f = hsp_loss_squared.at(&hsp_loss_squared, y, g, HSP_KINK_OPEN).value;
            assert_true(fabs(hsp_loss_squared.dual(&hsp_loss_squared, y, r) - f - r * g) < 1e-12);
            for (double other = -6; other < 6; other += 1.1)
                assert_true(hsp_loss_squared.dual(&hsp_loss_squared, y, other) <= f + other * g + 1e-12);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_is_the_formula),
        cmocka_unit_test(extreme_scores_lose_no_digits),
        cmocka_unit_test(the_slope_is_that_of_finite_differences),
        cmocka_unit_test(a_batch_is_its_rows),
        cmocka_unit_test(values_and_slopes_are_good_for_any_number_of_scores),
        cmocka_unit_test(the_dual_obeys_fenchel_and_young),
        cmocka_unit_test(two_scores_are_the_logistic_loss),
        cmocka_unit_test(curvatures_are_those_of_finite_differences),
        cmocka_unit_test(the_squared_dual_knows_any_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
