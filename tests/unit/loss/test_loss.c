/* Properties that every loss of the table must have. */
#include "loss/loss.h"
#include "verify/claim/verify.h"
#include "verify/loss_value.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const double SCORES[] = {-40, -3.7, -1.25, -1, -0.3, 0, 0.4, 0.999, 1, 1.5, 2.25, 30, 800, -800};
enum { COUNT = sizeof SCORES / sizeof *SCORES };

static void values_are_those_of_the_independent_formulas(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++)
        for (int s = -1; hsp_loss_table[l]->at && s <= 1; s += 2)
            for (int i = 0; i < COUNT; i++) {
                double v = hsp_loss_table[l]->at(hsp_loss_table[l], s, SCORES[i], HSP_KINK_OPEN).value;
                double expected = verified_loss(hsp_loss_table[l]->name, hsp_loss_table[l]->parameter, s, SCORES[i]);
                assert_true(isfinite(v) && v >= 0);
                assert_true(fabs(v - expected) <= 1e-14 * (1 + fabs(expected)));
            }
}

static void slopes_are_those_of_finite_differences(void **unused) {
    (void)unused;
    const double h = 1e-6;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        if (!(loss->traits & HSP_LOSS_SLOPE) || !loss->at) continue;
        for (int s = -1; s <= 1; s += 2)
            for (double g = -3.05; g < 3; g += 0.1) { /* never within h of a kink */
                double up = loss->at(loss, s, g + h, HSP_KINK_OPEN).value,
                       down = loss->at(loss, s, g - h, HSP_KINK_OPEN).value;
                assert_true(fabs((up - down) / (2 * h) - loss->at(loss, s, g, HSP_KINK_OPEN).slope) < 1e-6);
            }
    }
}

static void slopes_are_subgradients_everywhere(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        if (!(loss->traits & HSP_LOSS_SLOPE) || !loss->at) continue;
        for (int kink = 0; kink < 2; kink++)
            for (int s = -1; s <= 1; s += 2)
                for (int i = 0; i < COUNT; i++)
                    for (int k = 0; k < COUNT; k++) { /* f(h) >= f(g) + f'(g) (h - g): convexity */
                        hsp_loss_at at = loss->at(loss, s, SCORES[i], (hsp_kink)kink);
                        double there = loss->at(loss, s, SCORES[k], (hsp_kink)kink).value;
                        double line = at.value + at.slope * (SCORES[k] - SCORES[i]);
                        assert_true(there >= line - 1e-9 * (1 + fabs(line)));
                    }
    }
}

static void the_kinks_are_as_documented(void **unused) {
    (void)unused;
    assert_true(hsp_loss_hinge.at(&hsp_loss_hinge, 1, 1, HSP_KINK_OPEN).slope == 0);
    assert_true(hsp_loss_hinge.at(&hsp_loss_hinge, 1, 1, HSP_KINK_CLOSED).slope == -1);
    assert_true(hsp_loss_hinge.at(&hsp_loss_hinge, -1, -1, HSP_KINK_CLOSED).slope == 1);
    assert_true(hsp_loss_perceptron.at(&hsp_loss_perceptron, 1, 0, HSP_KINK_OPEN).slope == -1);
    assert_true(hsp_loss_perceptron.at(&hsp_loss_perceptron, -1, 0, HSP_KINK_OPEN).slope == 1);
    assert_true(hsp_loss_zero_one.at(&hsp_loss_zero_one, 1, 0, HSP_KINK_OPEN).value ==
                1); /* a score of 0 is the negative class */
    assert_true(hsp_loss_zero_one.at(&hsp_loss_zero_one, -1, 0, HSP_KINK_OPEN).value == 0);
}

/* Blocks of the logistic loss have kernels of their own, which may differ in the last bits (test_curves.c has the
 * bounds). */
static void assert_alike(const hsp_loss *loss, double a, double b) {
    double room = loss == &hsp_loss_logistic ? 6 * 0x1p-52 * fabs(b) + 0x1p-1073 : 0;
    assert_true(a == b || fabs(a - b) <= room);
}

static void blocks_are_rows_one_by_one(void **unused) {
    (void)unused;
    double y[COUNT], value[COUNT], slope[COUNT], curve[COUNT];
    for (int i = 0; i < COUNT; i++) y[i] = i % 3 ? 1 : -1;
    for (int64_t l = 0; hsp_loss_table[l]; l++)
        for (int kink = 0; kink < 2; kink++) {
            const hsp_loss *loss = hsp_loss_table[l];
            if (!loss->at) continue;
            loss->batch(loss, y, SCORES, COUNT, 1, (hsp_kink)kink, value, slope);
            for (int i = 0; i < COUNT; i++) {
                hsp_loss_at at = loss->at(loss, y[i], SCORES[i], (hsp_kink)kink);
                assert_alike(loss, value[i], at.value);
                assert_alike(loss, slope[i], at.slope);
            }
            loss->batch(loss, y, SCORES, COUNT, 1, (hsp_kink)kink, NULL, slope);
            loss->batch(loss, y, SCORES, COUNT, 1, (hsp_kink)kink, value, NULL);
            assert_true(!loss->second == !loss->curvature);
            if (!loss->second) continue;
            loss->second(loss, y, SCORES, COUNT, value, slope, curve);
            for (int i = 0; i < COUNT; i++) {
                hsp_loss_at at = loss->at(loss, y[i], SCORES[i], HSP_KINK_OPEN);
                assert_alike(loss, value[i], at.value);
                assert_alike(loss, slope[i], at.slope);
                assert_alike(loss, curve[i], loss->curvature(loss, y[i], SCORES[i]));
            }
            loss->second(loss, y, SCORES, COUNT, NULL, NULL, curve);
            loss->second(loss, y, SCORES, COUNT, NULL, NULL, NULL);
        }
}

static void blocks_of_duals_are_rows_one_by_one(void **unused) {
    (void)unused;
    enum { MANY = 600 };
    double y[MANY], r[MANY], out[MANY];
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        assert_true(!loss->duals == !loss->dual);
        if (!loss->dual) continue;
        double low = fmax(loss->dual_low, -5), high = fmin(loss->dual_high, 5);
        for (int i = 0; i < MANY; i++) {
            y[i] = i % 3 ? 1 : -1;
            r[i] = y[i] * (i < 2 ? (i ? high : low) : low + (high - low) * i / MANY);
        }
        loss->duals(loss, y, r, MANY, out);
        for (int i = 0; i < MANY; i++) assert_alike(loss, out[i], loss->dual(loss, y[i], r[i]));
        loss->duals(loss, y, r, MANY, r); /* in place */
        assert_memory_equal(r, out, sizeof out);
    }
}

/* A score of NaN does not count as correct. */
static void nan_is_seen(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        if (!(loss->traits & HSP_LOSS_DUAL) || !loss->at) continue;
        double y = 1, g = NAN, value = 0;
        loss->batch(loss, &y, &g, 1, 1, HSP_KINK_OPEN, &value, NULL);
        assert_true(isnan(value) && isnan(loss->at(loss, y, g, HSP_KINK_OPEN).value));
    }
}

/* Fenchel-Young: dual(a) = -f*(-a) <= f(m) + a m, with equality at a = -f'(m). */
static void the_dual_obeys_fenchel_and_young(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        assert_true((loss->dual || loss->dual_many) == ((loss->traits & HSP_LOSS_DUAL) != 0));
        if (!loss->dual) continue;
        for (double m = -4; m < 4; m += 0.17) {
            double low = fmax(loss->dual_low, -5), high = fmin(loss->dual_high, 5);
            for (double a = low; a <= high; a += (high - low) / 64)
                assert_true(loss->dual(loss, 1, a) <= loss->at(loss, 1, m, HSP_KINK_OPEN).value + a * m + 1e-12);
            double a = -loss->at(loss, 1, m, HSP_KINK_OPEN).slope;
            assert_true(a >= loss->dual_low && a <= loss->dual_high);
            assert_true(fabs(loss->dual(loss, 1, a) - loss->at(loss, 1, m, HSP_KINK_OPEN).value - a * m) < 1e-12);
        }
    }
}

static void smooth_losses_keep_their_lipschitz_bound(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        assert_true((loss->lipschitz > 0) == ((loss->traits & HSP_LOSS_SMOOTH) != 0));
        if (!(loss->traits & HSP_LOSS_SMOOTH) || !loss->at) continue;
        for (double g = -5; g < 5; g += 0.01) {
            double rise = loss->at(loss, 1, g + 0.01, HSP_KINK_OPEN).slope - loss->at(loss, 1, g, HSP_KINK_OPEN).slope;
            assert_true(rise >= -1e-12 && rise <= loss->lipschitz * 0.01 + 1e-12);
        }
    }
}

static void names_are_found_and_unknown_ones_are_not(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++) assert_ptr_equal(hsp_loss_find(hsp_loss_table[l]->name), hsp_loss_table[l]);
    assert_null(hsp_loss_find(""));
    assert_null(hsp_loss_find("Hinge"));
    assert_null(hsp_loss_find("hinge "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_independent_formulas),
        cmocka_unit_test(slopes_are_those_of_finite_differences),
        cmocka_unit_test(slopes_are_subgradients_everywhere),
        cmocka_unit_test(the_kinks_are_as_documented),
        cmocka_unit_test(blocks_are_rows_one_by_one),
        cmocka_unit_test(blocks_of_duals_are_rows_one_by_one),
        cmocka_unit_test(nan_is_seen),
        cmocka_unit_test(the_dual_obeys_fenchel_and_young),
        cmocka_unit_test(smooth_losses_keep_their_lipschitz_bound),
        cmocka_unit_test(names_are_found_and_unknown_ones_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
