/* Student's quantile against a table, and the corrected interval by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/interval.h"

#include <math.h>

/* scipy.stats.t.ppf */
static void test_quantile(void **state) {
    (void)state;
    static const struct {
        double p;
        int64_t df;
        double t;
    } known[] = {{0.975, 1, 12.706204736174694},    {0.975, 2, 4.302652729749462},   {0.975, 3, 3.1824463052837078},
                 {0.975, 4, 2.7764451051977934},    {0.975, 5, 2.5705818356363146},  {0.975, 49, 2.0095752371292392},
                 {0.975, 1000, 1.9623390808264083}, {0.025, 9, -2.2621571627982053}, {0.9, 7, 1.4149239276505086}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(fabs(hsp_student_quantile(known[i].p, known[i].df) - known[i].t) < 1e-11 * fabs(known[i].t));
    assert_true(hsp_student_quantile(0.5, 4) < 1e-12);
}

static void test_summary(void **state) {
    (void)state;
    const double v[] = {0.9, -1, 0.8, -1, 0.85, -1, 0.95, -1, 0.9, -1};
    hsp_fold_summary s = hsp_summarise_folds(v, NULL, 5, 2, 5, 20, 80);
    double sd = sqrt((2 * 0.02 * 0.02 + 0.08 * 0.08 + 0.03 * 0.03 + 0.07 * 0.07) / 4);
    double half = 2.7764451051977934 * sd * sqrt(1.0 / 5 + 20.0 / 80);
    assert_true(fabs(s.mean - 0.88) < 1e-15 && fabs(s.sd - sd) < 1e-15 && fabs(s.standard_error - sd / sqrt(5)) < 1e-15);
    assert_true(fabs(s.lower - (0.88 - half)) < 1e-13 && fabs(s.upper - (0.88 + half)) < 1e-13);
    /* Two repeats of five folds: the standard error is not halved. */
    const double twice[] = {0.9, 0.8, 0.85, 0.95, 0.9, 0.9, 0.8, 0.85, 0.95, 0.9};
    hsp_fold_summary t = hsp_summarise_folds(twice, NULL, 10, 1, 5, 40, 160);
    assert_true(fabs(t.standard_error - t.sd / sqrt(5)) < 1e-15 && t.upper - t.lower < s.upper - s.lower);
}

static void test_undefined(void **state) {
    (void)state;
    const double v[] = {0.5, NAN, 0.25};
    const bool used[] = {true, false, true};
    hsp_fold_summary one = hsp_summarise_folds(v, NULL, 1, 1, 5, 1, 4), none = hsp_summarise_folds(v, NULL, 0, 1, 5, 1, 4),
                     with_nan = hsp_summarise_folds(v, NULL, 3, 1, 3, 1, 2),
                     without = hsp_summarise_folds(v, used, 3, 1, 3, 1, 2);
    assert_true(one.mean == 0.5 && isnan(one.sd) && isnan(one.lower) && isnan(one.standard_error));
    assert_true(isnan(none.mean) && isnan(with_nan.mean) && isnan(with_nan.upper));
    assert_true(without.mean == 0.375 && isfinite(without.upper));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantile),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
