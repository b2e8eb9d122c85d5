#include "plot/draw/numeral.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MINUS "\xE2\x88\x92"
#define NARROW "\xE2\x80\xAF"

static void expect_decimal(int64_t n, int exponent, const char *text) {
    char out[HSP_NUMERAL];
    hsp_numeral_decimal(n, exponent, out);
    assert_string_equal(out, text);
}

static void expect_round(double v, int digits, const char *text) {
    char out[HSP_NUMERAL];
    hsp_numeral_round(v, digits, out);
    assert_string_equal(out, text);
}

static void expect_share(int64_t part, int64_t whole, const char *text) {
    char out[HSP_NUMERAL];
    hsp_numeral_share(part, whole, out);
    assert_string_equal(out, text);
}

static void test_decimal(void **state) {
    (void)state;
    expect_decimal(0, 0, "0");
    expect_decimal(0, -2, "0.00");
    expect_decimal(0, 3, "0");
    expect_decimal(3, -1, "0.3");
    expect_decimal(-30, -1, MINUS "3.0");
    expect_decimal(-5, -4, MINUS "0.0005");
    expect_decimal(12, 2, "1200");
    expect_decimal(12, 3, "12" NARROW "000");
    expect_decimal(1234567, 0, "1" NARROW "234" NARROW "567");
    expect_decimal(123456789, -2, "1" NARROW "234" NARROW "567.89");
    expect_decimal(INT64_MIN, 0, MINUS "9" NARROW "223" NARROW "372" NARROW "036" NARROW "854" NARROW "775" NARROW "808");
}

static void test_longest_fits(void **state) {
    (void)state;
    char out[HSP_NUMERAL];
    hsp_numeral_decimal(INT64_MIN, 6, out);
    assert_true(strlen(out) < HSP_NUMERAL);
    hsp_numeral_decimal(INT64_MIN, -40, out);
    assert_true(strlen(out) < HSP_NUMERAL);
}

static void test_round(void **state) {
    (void)state;
    expect_round(0, 3, "0");
    expect_round(-0.0, 3, "0");
    expect_round(0.1 + 0.2, 3, "0.3");
    expect_round(0.09999, 3, "0.1");
    expect_round(999.6, 3, "1000");
    expect_round(-12.345, 3, MINUS "12.3");
    expect_round(123456, 3, "123" NARROW "000");
    expect_round(1e6, 3, "10\xE2\x81\xB6");
    expect_round(-1.2e-7, 3, MINUS "1.2" NARROW "\xC3\x97" NARROW "10\xE2\x81\xBB\xE2\x81\xB7");
    expect_round(1e-4, 3, "0.0001");
    expect_round(9.9996e-5, 3, "0.0001");
    expect_round(5e-324, 2, "4.9" NARROW "\xC3\x97" NARROW "10\xE2\x81\xBB\xC2\xB3\xC2\xB2\xE2\x81\xB4");
    expect_round(1.7976931348623157e308, 1, "2" NARROW "\xC3\x97" NARROW "10\xC2\xB3\xE2\x81\xB0\xE2\x81\xB8");
}

/* All correct and almost all correct must not look the same. */
static void test_share(void **state) {
    (void)state;
    expect_share(97, 100, "97" NARROW "%");
    expect_share(100, 100, "100" NARROW "%");
    expect_share(199, 200, "99" NARROW "%");
    expect_share(999999, 1000000, "99.9" NARROW "%");
    expect_share(1000000, 1000000, "100" NARROW "%");
    expect_share(914, 1000, "91.4" NARROW "%");
    expect_share(910, 1000, "91" NARROW "%");
    expect_share(0, 7, "0" NARROW "%");
    expect_share(1, 1000000, "0.1" NARROW "%");
    expect_share(INT64_MAX, INT64_MAX, "100" NARROW "%");
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_decimal), cmocka_unit_test(test_longest_fits),
                                   cmocka_unit_test(test_round), cmocka_unit_test(test_share)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
