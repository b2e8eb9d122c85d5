#include "plot/draw/numeral.h"
#include "plot/part/axis.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_labels(double lo, double hi, int wish, int n, const char *const *labels, const char *note) {
    hsp_axis a;
    char text[3 * HSP_NUMERAL];
    hsp_axis_fit(&a, lo, hi, wish);
    assert_int_equal(a.count, n);
    for (int i = 0; i < n; i++) {
        hsp_axis_label(&a, i, text);
        assert_string_equal(text, labels[i]);
    }
    hsp_axis_note(&a, text);
    assert_string_equal(text, note);
}

static void test_labels(void **state) {
    (void)state;
    expect_labels(0, 0.5, 6, 6, (const char *[]){"0.0", "0.1", "0.2", "0.3", "0.4", "0.5"}, "");
    expect_labels(0, 100, 6, 6, (const char *[]){"0", "20", "40", "60", "80", "100"}, "");
    expect_labels(-1, 1, 5, 5,
                  (const char *[]){"\xE2\x88\x92"
                                   "1.0",
                                   "\xE2\x88\x92"
                                   "0.5",
                                   "0.0", "0.5", "1.0"},
                  "");
    /* a shared power of ten and shared leading digits move to the axis's name */
    expect_labels(0, 4e9, 5, 5, (const char *[]){"0", "1", "2", "3", "4"},
                  " (\xC3\x97\xE2\x80\xAF"
                  "10\xE2\x81\xB9)");
    expect_labels(1e12, 1e12 + 4, 5, 5, (const char *[]){"0", "1", "2", "3", "4"}, " \xE2\x88\x92 10\xC2\xB9\xC2\xB2");
}

static int steps_are_125(const hsp_axis *a) {
    int64_t step = a->tick[1] - a->tick[0];
    for (int i = 1; i < a->count; i++)
        if (a->tick[i] - a->tick[i - 1] != step) return 0;
    while (step % 10 == 0 && step > 0) step /= 10;
    return step == 1 || step == 2 || step == 5;
}

static void check_range(double lo, double hi) {
    for (int wish = 4; wish <= 12; wish++) {
        hsp_axis a;
        char text[3 * HSP_NUMERAL], next[HSP_NUMERAL];
        hsp_axis_fit(&a, lo, hi, wish);
        assert_true(a.lo < a.hi && a.lo <= (long double)lo && (long double)hi <= a.hi);
        assert_in_range(a.count, 2, wish);
        assert_true(steps_are_125(&a));
        for (int i = 0; i < a.count; i++) {
            assert_true(hsp_axis_tick_place(&a, i) > -1e-6 && hsp_axis_tick_place(&a, i) < 1 + 1e-6);
            hsp_axis_label(&a, i, text);
            assert_true(strlen(text) < 24); /* short enough to fit beside its neighbour */
            if (i + 1 == a.count) continue;
            hsp_axis_label(&a, i + 1, next);
            assert_string_not_equal(text, next);
        }
        assert_true(hsp_axis_place(&a, lo) >= 0 && hsp_axis_place(&a, hi) <= 1);
        hsp_axis_note(&a, text);
        assert_true(strlen(text) < sizeof text - 1);
    }
}

static void test_any_range(void **state) {
    (void)state;
    check_range(0, 0);
    check_range(5, 5);
    check_range(-1e300, -1e300);
    check_range(DBL_TRUE_MIN, DBL_TRUE_MIN);
    check_range(0, DBL_TRUE_MIN);
    check_range(-DBL_MAX, DBL_MAX);
    check_range(DBL_MAX, DBL_MAX);
    check_range(1, nextafter(1, 2));
    check_range(-1e12, nextafter(-1e12, 0));
    check_range(1e-12, 3e-12);
    check_range(-123456789, 987654321);
    for (int e = -300; e <= 300; e += 7)
        for (double m = 1; m < 10; m += 1.37) {
            check_range(-m * pow(10, e), 0.3 * pow(10, e));
            check_range(m * pow(10, e), m * pow(10, e) * (1 + 1e-9));
        }
}

static void test_place(void **state) {
    (void)state;
    hsp_axis a;
    hsp_axis_fit(&a, 10, 20, 6);
    assert_true(fabs(hsp_axis_place(&a, 15) - 0.5) < 1e-12);
    assert_true(hsp_axis_place(&a, 10) > 0.02 && hsp_axis_place(&a, 10) < 0.1);
    hsp_axis_fit(&a, 3, 3, 6);
    assert_true(fabs(hsp_axis_place(&a, 3) - 0.5) < 1e-12);
}

static void expect_ticks(const hsp_axis *a, int n, const char *const *labels) {
    char text[HSP_NUMERAL];
    assert_int_equal(a->count, n);
    for (int i = 0; i < n; i++) {
        hsp_axis_label(a, i, text);
        assert_string_equal(text, labels[i]);
    }
}

/* Half an epoch and half a row are never ticks. */
static void test_whole(void **state) {
    (void)state;
    hsp_axis a;
    hsp_axis_fit_exact(&a, -0.015, 1.015, 4);
    hsp_axis_keep_whole(&a);
    expect_ticks(&a, 2, (const char *[]){"0", "1"});
    hsp_axis_fit_exact(&a, 0, 3.2, 8);
    hsp_axis_keep_whole(&a);
    expect_ticks(&a, 4, (const char *[]){"0", "1", "2", "3"});
    hsp_axis_fit_exact(&a, 0, 40, 5); /* whole as it is */
    hsp_axis_keep_whole(&a);
    expect_ticks(&a, 5, (const char *[]){"0", "10", "20", "30", "40"});
    hsp_axis_fit(&a, 7, 7, 6);
    hsp_axis_keep_whole(&a);
    expect_ticks(&a, 1, (const char *[]){"7"});
    hsp_axis_fit_exact(&a, 0.2, 0.8, 4); /* none in view */
    hsp_axis_keep_whole(&a);
    assert_true(a.count >= 2);
}

static void test_thin(void **state) {
    (void)state;
    hsp_axis a;
    hsp_axis_fit_exact(&a, 0, 40, 5);
    hsp_axis_thin(&a, 400, 20); /* there is room */
    assert_int_equal(a.count, 5);
    hsp_axis_thin(&a, 50, 20);
    expect_ticks(&a, 3, (const char *[]){"0", "20", "40"});
    hsp_axis_fit_exact(&a, -10, 40, 6); /* 0 is one of those that stay */
    hsp_axis_thin(&a, 60, 20);
    expect_ticks(&a, 3, (const char *[]){"0", "20", "40"});
    hsp_axis_fit_exact(&a, 0, 40, 5);
    hsp_axis_thin(&a, 1, 20);
    expect_ticks(&a, 2, (const char *[]){"0", "40"});
    hsp_axis_fit_log(&a, 1, 60, 4); /* 1, 2, 5, 10, 20, 50 */
    assert_int_equal(a.count, 6);
    hsp_axis_thin(&a, 60, 20);
    expect_ticks(&a, 2, (const char *[]){"1", "10"});
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_labels), cmocka_unit_test(test_any_range), cmocka_unit_test(test_place),
        cmocka_unit_test(test_whole),  cmocka_unit_test(test_thin),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
