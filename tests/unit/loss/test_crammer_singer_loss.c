/* crammer-singer: the formula, subgradients, the conjugate, and the smoothed loss, for ties and extreme scores too. */
#include "base/rng.h"
#include "loss/loss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { K = 5, TURNS = 500 };

static const hsp_loss *const loss = &hsp_loss_crammer_singer;

static double value_at(double y, const double *g, hsp_kink kink, double *slope) {
    double v;
    loss->batch(loss, &y, g, 1, K, kink, &v, slope);
    return v;
}

/* With ties: multiples of a half. */
static void random_scores(hsp_rng *r, double *g) {
    for (int k = 0; k < K; k++) g[k] = (double)hsp_rng_below(r, 9) / 2 - 2;
}

static void the_value_is_the_formula(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(1, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], most = -INFINITY;
        int y = turn % K;
        random_scores(&r, g);
        for (int k = 0; k < K; k++) most = fmax(most, g[k] + (k != y) - g[y]);
        assert_true(value_at(y, g, HSP_KINK_OPEN, NULL) == most);
    }
    double wide[K] = {1e300, -1e300, 0, 0, 0}, lost[K] = {NAN, 0, 0, 0, 0}, alone = 7, zero = 0, v;
    assert_true(value_at(0, wide, HSP_KINK_OPEN, NULL) == 0 && value_at(1, wide, HSP_KINK_OPEN, NULL) == 2e300);
    assert_true(isnan(value_at(0, lost, HSP_KINK_OPEN, NULL)));
    loss->batch(loss, &zero, &alone, 1, 1, HSP_KINK_OPEN, &v, NULL);
    assert_true(v == 0); /* one class has nothing to lose to */
}

/* f(h) >= f(g) + slope.(h - g), whichever side of the kink is taken; slopes sum to 0. */
static void slopes_are_subgradients(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(2, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], h[K], slope[K], sum = 0, line;
        hsp_kink kink = turn % 2 ? HSP_KINK_OPEN : HSP_KINK_CLOSED;
        int y = turn % K;
        random_scores(&r, g);
        random_scores(&r, h);
        line = value_at(y, g, kink, slope);
        for (int k = 0; k < K; k++) sum += slope[k], line += slope[k] * (h[k] - g[k]);
        assert_true(sum == 0 && value_at(y, h, kink, NULL) >= line - 1e-12);
    }
    double tie[K] = {1, 0, 0, 0, 0}, open[K], closed[K];
    value_at(0, tie, HSP_KINK_OPEN, open);
    value_at(0, tie, HSP_KINK_CLOSED, closed);
    assert_true(open[0] == 0 && closed[0] == -1 && closed[1] == 1); /* exactly at the kink; the first of the others */
}

/* Where the slope is unique, finite differences find it. */
static void slopes_are_those_of_finite_differences(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(3, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], slope[K], h = 1e-7;
        int y = turn % K;
        for (int k = 0; k < K; k++) g[k] = hsp_rng_normal(&r);
        value_at(y, g, HSP_KINK_OPEN, slope);
        for (int k = 0; k < K; k++) {
            double old = g[k];
            g[k] = old + h;
            double up = value_at(y, g, HSP_KINK_OPEN, NULL);
            g[k] = old - h;
            double down = value_at(y, g, HSP_KINK_OPEN, NULL);
            g[k] = old;
            assert_true(fabs((up - down) / (2 * h) - slope[k]) < 1e-6);
        }
    }
}

/* dual(r) <= f(g) + r.g for every g and every r in the domain; equal where r is minus a slope. */
static void the_conjugate_is_a_bound(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(4, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], m[K], q[K], total = 0, sum;
        int y = turn % K;
        random_scores(&r, g);
        for (int k = 0; k < K; k++) total += q[k] = hsp_rng_uniform(&r) * (double)hsp_rng_below(&r, 2) + (k == y) * 1e-3;
        sum = value_at(y, g, HSP_KINK_OPEN, NULL);
        for (int k = 0; k < K; k++) m[k] = (k == y) - q[k] / total, sum += m[k] * g[k];
        assert_true(loss->dual_many(y, m, K) <= sum + 1e-12);
        sum = value_at(y, g, HSP_KINK_OPEN, m);
        for (int k = 0; k < K; k++) m[k] = -m[k], sum += m[k] * g[k];
        assert_true(fabs(loss->dual_many(y, m, K) - sum) < 1e-12);
    }
}

/* The smoothed loss has multipliers in the domain, which tend to minus the slope. */
static void smoothed_multipliers_are_feasible(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(5, 0);
    for (int turn = 0; turn < TURNS; turn++) {
        double g[K], m[K], slope[K], sum = 0;
        int y = turn % K;
        for (int k = 0; k < K; k++) g[k] = 30 * hsp_rng_normal(&r);
        loss->smoothed(y, g, K, turn % 2 ? 1 : 1e-3, m);
        for (int k = 0; k < K; k++) sum += m[k], assert_true(k == y ? m[k] >= 0 && m[k] <= 1 : m[k] <= 0 && m[k] >= -1);
        assert_true(fabs(sum) < 1e-14);
        value_at(y, g, HSP_KINK_OPEN, slope);
        loss->smoothed(y, g, K, 1e-9, m);
        for (int k = 0; k < K; k++) assert_true(fabs(m[k] + slope[k]) < 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_is_the_formula),
        cmocka_unit_test(slopes_are_subgradients),
        cmocka_unit_test(slopes_are_those_of_finite_differences),
        cmocka_unit_test(the_conjugate_is_a_bound),
        cmocka_unit_test(smoothed_multipliers_are_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
