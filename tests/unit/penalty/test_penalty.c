/* Values, conjugates and the soft threshold. */
#include "base/rng.h"
#include "penalty/penalty.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void values_follow_the_formulas(void **unused) {
    (void)unused;
    const double w[3] = {3, -4, 0};
    assert_true(hsp_penalty_value(w, 3, 0) == 12.5);
    assert_true(hsp_penalty_value(w, 3, 1) == 7);
    assert_true(hsp_penalty_value(w, 3, 0.25) == 0.25 * 7 + 0.75 * 12.5);
    assert_true(hsp_penalty_value(w, 0, 0.5) == 0);
}

/* R(w) + R*(v) >= w.v, with equality somewhere: tried at v = a subgradient of R at w. */
static void conjugates_obey_fenchel_and_young(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(3, 0);
    const double shares[] = {0, 0.1, 0.5, 0.9, 1};
    for (int s = 0; s < 5; s++)
        for (int turn = 0; turn < 200; turn++) {
            double rho = shares[s], w[4], v[4], any[4], dot = 0, cross = 0;
            for (int j = 0; j < 4; j++) {
                w[j] = hsp_rng_normal(&r);
                v[j] = rho * (w[j] > 0 ? 1 : -1) + (1 - rho) * w[j];
                any[j] = rho == 1 ? 2 * hsp_rng_uniform(&r) - 1 : hsp_rng_normal(&r);
                dot += w[j] * v[j];
                cross += w[j] * any[j];
            }
            double value = hsp_penalty_value(w, 4, rho);
            assert_true(fabs(value + hsp_penalty_conjugate(v, 4, rho) - dot) < 1e-12 * (1 + value));
            assert_true(value + hsp_penalty_conjugate(any, 4, rho) >= cross - 1e-12);
        }
    const double outside[2] = {0.5, 1.0001};
    assert_true(isinf(hsp_penalty_conjugate(outside, 2, 1)));
}

static void soft_thresholds_compose(void **unused) {
    (void)unused;
    assert_true(hsp_soft(3, 1) == 2 && hsp_soft(-3, 1) == -2 && hsp_soft(0.5, 1) == 0 && hsp_soft(-0.5, 1) == 0);
    for (double v = -3; v <= 3; v += 0.25) assert_true(hsp_soft(hsp_soft(v, 0.5), 0.75) == hsp_soft(v, 1.25));
}

static void the_table_finds_its_own(void **unused) {
    (void)unused;
    int64_t count = 0;
    for (; hsp_penalty_table[count]; count++)
        assert_ptr_equal(hsp_penalty_find(hsp_penalty_table[count]->name), hsp_penalty_table[count]);
    assert_int_equal(count, 4);
    assert_null(hsp_penalty_find("l3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_the_formulas),
        cmocka_unit_test(conjugates_obey_fenchel_and_young),
        cmocka_unit_test(soft_thresholds_compose),
        cmocka_unit_test(the_table_finds_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
