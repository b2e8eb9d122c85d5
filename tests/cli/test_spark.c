/* Small pictures in text: heights, bars, shades, and when they are drawn at all. */
#include "course.h"
#include "spark.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_heights(void **state) {
    (void)state;
    char out[HSP_CLI_SPARK_BYTES];
    const double up[] = {0, 1, 2, 3, 4, 5, 6, 7}, same[] = {3, 3, 3}, holes[] = {1, NAN, 2, INFINITY, -INFINITY};
    const double powers[] = {1, 10, 100, 0, -5, 1e7}, huge[] = {-1.7e308, 1.7e308, 0};
    assert_string_equal(hsp_cli_spark(up, 8, 8, false, out), "▁▂▃▄▅▆▇█");
    assert_string_equal(hsp_cli_spark(same, 3, 40, false, out), "▁▁▁");
    assert_string_equal(hsp_cli_spark(holes, 5, 40, false, out), "▁ █  ");
    assert_string_equal(hsp_cli_spark(powers, 6, 40, true, out), "▁▂▃  █");
    assert_string_equal(hsp_cli_spark(huge, 3, 40, false, out), "▁█▅");
    assert_string_equal(hsp_cli_spark(up, 0, 40, false, out), "");
    assert_string_equal(hsp_cli_spark(up, 8, 4, false, out), "▁▃▆█"); /* means of pairs */
    assert_string_equal(hsp_cli_spark(up, 8, -3, false, out), "▁");
}

/* Any number of values fits, and never more characters than asked for. */
static void test_widths(void **state) {
    (void)state;
    static double v[5000];
    char out[HSP_CLI_SPARK_BYTES];
    for (int i = 0; i < 5000; i++) v[i] = i;
    for (int n = 1; n < 5000; n += 37)
        for (int width = 1; width < 60; width++) {
            size_t most = (size_t)(width < HSP_CLI_SPARK ? width : HSP_CLI_SPARK),
                   bytes = strlen(hsp_cli_spark(v, n, width, false, out));
            assert_int_equal(bytes, 3 * ((size_t)n < most ? (size_t)n : most));
        }
}

static void test_bars(void **state) {
    (void)state;
    char out[HSP_CLI_SPARK_BYTES];
    assert_string_equal(hsp_cli_share_bar(0, 4, out), "");
    assert_string_equal(hsp_cli_share_bar(1e-9, 4, out), "▏");
    assert_string_equal(hsp_cli_share_bar(0.5, 4, out), "██");
    assert_string_equal(hsp_cli_share_bar(0.625, 4, out), "██▌");
    assert_string_equal(hsp_cli_share_bar(1 - 1e-9, 4, out), "███▉");
    assert_string_equal(hsp_cli_share_bar(1, 4, out), "████");
    const double none[] = {-0.1, 1.1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) assert_string_equal(hsp_cli_share_bar(none[i], 4, out), "");
    assert_string_equal(hsp_cli_share_bar(0.5, 0, out), "");
    assert_string_equal(hsp_cli_share_bar(0.5, 1000, out), "");
}

static void test_signed_bars(void **state) {
    (void)state;
    char out[HSP_CLI_SPARK_BYTES];
    assert_string_equal(hsp_cli_signed_bar(1, 3, out), "   │███");
    assert_string_equal(hsp_cli_signed_bar(-1, 3, out), "███│");
    assert_string_equal(hsp_cli_signed_bar(-0.5, 3, out), " ▐█│");
    assert_string_equal(hsp_cli_signed_bar(0.5, 3, out), "   │█▌");
    assert_string_equal(hsp_cli_signed_bar(1e-9, 3, out), "   │▌");
    assert_string_equal(hsp_cli_signed_bar(0, 3, out), "   │");
    assert_string_equal(hsp_cli_signed_bar(NAN, 3, out), "   │");
    assert_string_equal(hsp_cli_signed_bar(-99, 3, out), "███│");
    for (int half = -2; half < 200; half++) assert_true(strlen(hsp_cli_signed_bar(-1, half, out)) < HSP_CLI_SPARK_BYTES);
}

static void test_shades(void **state) {
    (void)state;
    assert_string_equal(hsp_cli_shade(0), " ");
    assert_string_equal(hsp_cli_shade(NAN), " ");
    assert_string_equal(hsp_cli_shade(1e-9), "░");
    assert_string_equal(hsp_cli_shade(0.3), "▒");
    assert_string_equal(hsp_cli_shade(0.5), "▓");
    assert_string_equal(hsp_cli_shade(1), "█");
}

static void test_names_of_locales(void **state) {
    (void)state;
    static const char *const yes[] = {"C.UTF-8", "en_US.utf8", "de_DE.UTF-8@euro", "fr_FR.Utf-8"};
    static const char *const no[] = {"C", "POSIX", "en_US.ISO-8859-1", "UTF-8", "de_DE@euro", "x.UTF-16"};
    for (int i = 0; i < 4; i++) {
        assert_true(hsp_cli_is_utf8(yes[i], "C", "C"));
        assert_true(hsp_cli_is_utf8(NULL, yes[i], "C"));
        assert_true(hsp_cli_is_utf8("", "", yes[i]));
    }
    for (int i = 0; i < 6; i++) {
        assert_false(hsp_cli_is_utf8(no[i], "C.UTF-8", "C.UTF-8"));
        assert_false(hsp_cli_is_utf8(NULL, NULL, no[i]));
    }
    assert_false(hsp_cli_is_utf8(NULL, NULL, NULL));
}

static void test_not_in_a_file(void **state) {
    (void)state;
    FILE *f = tmpfile();
    assert_non_null(f);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "xterm", 1);
    assert_false(hsp_cli_draws(f));
    fclose(f);
    char *text;
    size_t n;
    f = open_memstream(&text, &n); /* has no file behind it */
    assert_false(hsp_cli_draws(f));
    fclose(f);
    free(text);
}

/* However long the run, what is kept spans all of it and stays in order. */
static void test_a_course_of_any_length(void **state) {
    (void)state;
    for (int64_t epochs = 1; epochs < 100000; epochs = epochs * 3 + 1) {
        static hsp_cli_course c;
        c = (hsp_cli_course){0};
        for (int64_t e = 0; e <= epochs; e++) {
            hsp_progress p = {.problems = 1, .epoch = e, .objective = (double)e, .error = 0.5, .relative_gap = NAN};
            hsp_cli_course_add(&c, &p);
        }
        assert_true(c.count > 0 && c.count <= HSP_CLI_COURSE_ROOM && c.last.epoch == epochs);
        assert_true(c.objective[0] == 0 && c.objective[c.count - 1] >= (double)epochs - 2 * (double)c.every);
        for (int i = 1; i < c.count; i++) assert_true(c.objective[i] - c.objective[i - 1] == (double)c.every);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heights),       cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_bars),          cmocka_unit_test(test_signed_bars),
                                       cmocka_unit_test(test_shades),        cmocka_unit_test(test_names_of_locales),
                                       cmocka_unit_test(test_not_in_a_file), cmocka_unit_test(test_a_course_of_any_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
