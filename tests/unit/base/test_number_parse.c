/* Reading numbers, against the C library in the C locale: its strtod rounds correctly in glibc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/rng.h"
#include "halfspace.h"
#include "base/double_bits.h"

#include <math.h>

/* The same with readable bytes after it, at every alignment and before every byte that ends a number. */
static void check_padded(const char *text, size_t n, uint64_t want) {
    if (n > 900) return;
    char buffer[1000];
    double got;
    for (int follows = 0; follows < 256; follows++) {
        char *s = buffer + follows % 16;
        if (strchr("0123456789.eE+-", follows) && follows) continue;
        memcpy(s, text, n);
        memset(s + n, '7', 32);
        s[n] = (char)follows;
        if (hsp_number_parse_padded(s, &got) != s + n || bits_of(got) != want)
            fail_msg("'%s' before byte %d: %a", text, follows, got);
    }
}

/* The whole text must be read, and to the bits of strtod. */
static void check_text(const char *text) {
    size_t n = strlen(text);
    double got = 0, want = strtod(text, NULL);
    const char *end = hsp_number_parse(text, text + n, &got);
    if (end != text + n || bits_of(got) != bits_of(want))
        fail_msg("'%.100s': %a, expected %a, read %ld of %zu", text, got, want, end == NULL ? -1L : (long)(end - text), n);
}

static double finite_pattern(hsp_rng *r) {
    double v;
    do v = from_bits(hsp_rng_next(r));
    while (!isfinite(v));
    return v;
}

static void random_bits(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 1);
    char text[64];
    for (int i = 0; i < 300000; i++) {
        double v = finite_pattern(&r), got;
        int digits = i % 3 == 0 ? 17 : 1 + (int)hsp_rng_below(&r, 20);
        int n = snprintf(text, sizeof text, "%.*e", digits - 1, v);
        assert_ptr_equal(hsp_number_parse(text, text + n, &got), text + n);
        if (digits >= 17)
            assert_int_equal(bits_of(got), bits_of(v));
        else
            check_text(text);
    }
}

static void random_decimals(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(2, 1);
    char text[80];
    for (int i = 0; i < 300000; i++) {
        int digits = 1 + (int)hsp_rng_below(&r, 40), point = (int)hsp_rng_below(&r, digits + 1), n = 0;
        if (hsp_rng_below(&r, 4) == 0) text[n++] = '-';
        for (int k = 0; k < digits; k++) {
            if (k == point) text[n++] = '.';
            text[n++] = (char)('0' + hsp_rng_below(&r, 10));
        }
        int range = i % 4 == 0 ? 400 : i % 4 == 1 ? 30 : 0;
        if (range > 0) n += snprintf(text + n, 10, "e%d", (int)hsp_rng_below(&r, 2 * range) - range);
        text[n] = '\0';
        check_text(text);
    }
}

/* The exact midpoint of v and the next double up, as digits and a power of ten: sum the binary digits by hand. */
static int midpoint_text(double v, char *text, size_t size) {
    uint64_t bits = bits_of(v);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    int e = (int)(bits >> 52), k = e == 0 ? -1074 : e - 1075;
    if (e > 0) m |= UINT64_C(1) << 52;
    long double half = ldexpl((long double)(2 * m + 1), k - 1); /* 54 bits: exact in the 64 of x87 */
    return snprintf(text, size, "%.800Le", half);
}

static void check_around(char *text) {
    check_text(text);
    char *e = strchr(text, 'e'), *last = e - 1;
    while (*last == '0') last--;
    char kept = *last;
    if (kept != '.') {
        *last = (char)(kept - 1); /* a digit from 1 on */
        check_text(text);
        if (kept < '9') {
            *last = (char)(kept + 1);
            check_text(text);
        }
        *last = kept;
    }
    /* A 1 after 799 zeros must make a difference. */
    kept = e[-1];
    e[-1] = '1';
    check_text(text);
    e[-1] = kept;
}

/* Leading zeros are not significant, however many; below half the least double the result is 0. */
static void zeros_in_front(void **state) {
    (void)state;
    static const char *const ends[] = {"2e-334", "2.4e-324", "2.5e-324", "17e-330", "1e-5", "9007199254740993", "1e-1100"};
    char text[2048];
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (size_t zeros = 0; zeros < 1500; zeros += zeros < 760 ? 97 : 7) {
            memset(text, '0', zeros);
            memcpy(text + zeros, ends[k], strlen(ends[k]) + 1);
            check_text(text);
            if (zeros > 1 && !strchr(ends[k], '.')) {
                text[1] = '.';
                check_text(text);
            }
        }
}

static void midpoints(void **state) {
    (void)state;
#if __LDBL_MANT_DIG__ < 64
    skip();
#endif
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       3,
                                       0xfffffffffffff,
                                       0x10000000000000,
                                       0x10000000000001,
                                       0x1fffffffffffff,
                                       0x7fefffffffffffff,
                                       0x7feffffffffffffe,
                                       0x3ff0000000000000};
    char text[1000];
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        midpoint_text(from_bits(special[i]), text, sizeof text);
        check_around(text);
    }
    hsp_rng r = hsp_rng_new(3, 1);
    for (int i = 0; i < 1500; i++) {
        double v = fabs(finite_pattern(&r));
        if (i % 8 == 0) v = from_bits(hsp_rng_next(&r) >> 12 >> hsp_rng_below(&r, 52)); /* denormal */
        if (i % 8 == 1) v = (double)hsp_rng_below(&r, INT64_C(1) << 62);
        if (i % 8 == 2) v = ldexp(1 + hsp_rng_uniform(&r), (int)hsp_rng_below(&r, 60) - 40); /* short midpoints */
        midpoint_text(v, text, sizeof text);
        check_around(text);
    }
}

static void powers(void **state) {
    (void)state;
    char text[400];
    for (int k = -1080; k <= 1023; k++) {
        double v = ldexp(1, k);
        for (int step = -1; step <= 1; step++) {
            uint64_t bits = bits_of(v);
            if (step < 0 && bits == 0) continue;
            snprintf(text, sizeof text, "%.17g", from_bits(bits + (uint64_t)step));
            check_text(text);
        }
    }
    for (int k = -400; k <= 400; k++) {
        snprintf(text, sizeof text, "1e%d", k);
        check_text(text);
        snprintf(text, sizeof text, "9999999999999999999e%d", k);
        check_text(text);
        snprintf(text, sizeof text, "10000000000000000000000001e%d", k);
        check_text(text);
    }
}

static void hard_cases(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+0",
                                        "0.0",
                                        "0e5",
                                        "-0e-999999999999999999999",
                                        "0e999999999999999999999",
                                        "00000000000000000000000.0",
                                        "9007199254740991",
                                        "9007199254740992",
                                        "9007199254740993",
                                        "9007199254740994",
                                        "9007199254740995",
                                        "9007199254740993.00000000000000000000000000000000000001",
                                        "45035996273704965e-1",
                                        "450359962737049650e-2",
                                        "1.7976931348623157e308",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "1.797693134862315807e308",
                                        "17976931348623158079e289",
                                        "1e308",
                                        "1e309",
                                        "-1e309",
                                        "1e400",
                                        "1e999999999999",
                                        "1e18446744073709551617",
                                        "1e-18446744073709551615",
                                        "-1e999999999999",
                                        "1e-999999999999",
                                        "1e99999999999999999999999999999",
                                        "1e-99999999999999999999999999999",
                                        "4.9e-324",
                                        "5e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "2.47e-324",
                                        "2.48e-324",
                                        "1e-324",
                                        "3e-324",
                                        "1e-323",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072012e-308",
                                        "2.2250738585072014e-308",
                                        "2.225073858507201136e-308",
                                        "8.988465674311582e307",
                                        "6.929001713869936e236",
                                        "7.8459735791271921e65",
                                        "3.08984926168550152811e-32",
                                        "1234567890123456789",
                                        "12345678901234567890",
                                        "123456789012345678901234567890",
                                        "0.1",
                                        ".1",
                                        "1.",
                                        "-.5e1",
                                        "1E5",
                                        "1e+5",
                                        "1e-5",
                                        "1e+00000000000000000000000000000000005",
                                        "0.00000000000000000000000000000000000000000000000001",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "1e22",
                                        "1e23",
                                        "1e37",
                                        "9007199254740991e22",
                                        "123456789.123456789"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_text(texts[i]);
        check_padded(texts[i], strlen(texts[i]), bits_of(strtod(texts[i], NULL)));
    }
}

/* Texts of tens of thousands of digits. */
static void long_texts(void **state) {
    (void)state;
    enum { N = 40000 };
    char *text = malloc(N + 100);
    assert_non_null(text);
    memset(text, '0', N);
    memcpy(text, "0.", 2);
    memcpy(text + N, "1e39990", sizeof "1e39990");
    check_text(text);
    memset(text, '0', N);
    text[0] = '1';
    memcpy(text + N, "e-39990", sizeof "e-39990");
    check_text(text);
    memset(text, '9', N);
    memcpy(text + N, "e-40000", sizeof "e-40000");
    check_text(text);
    /* Halfway between 1 and the next double, except for the very last digit. */
    const char *half = "1.00000000000000011102230246251565404236316680908203125";
    memset(text, '0', N);
    memcpy(text, half, strlen(half));
    text[N] = '\0';
    check_text(text);
    text[N - 1] = '1';
    check_text(text);
    hsp_rng r = hsp_rng_new(4, 1);
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < N; k++) text[k] = (char)('0' + hsp_rng_below(&r, 10));
        text[1 + hsp_rng_below(&r, N - 2)] = '.';
        snprintf(text + N, 20, "e-%d", (int)hsp_rng_below(&r, N));
        check_text(text);
    }
    free(text);
}

static void check_end(const char *text, long want) {
    double v = -7;
    char *copy = malloc(strlen(text) + 1); /* no NUL: a sanitizer sees a read past the end */
    memcpy(copy, text, strlen(text));
    copy = realloc(copy, strlen(text) > 0 ? strlen(text) : 1);
    const char *end = hsp_number_parse(copy, copy + strlen(text), &v);
    long got = end == NULL ? -1 : (long)(end - copy);
    double padded = -7;
    free(copy);
    char buffer[200] = {0};
    snprintf(buffer, sizeof buffer, "%s\n1", text);
    assert_ptr_equal(hsp_number_parse_padded(buffer, &padded), end == NULL ? NULL : buffer + got);
    assert_int_equal(bits_of(padded), bits_of(v));
    if (got != want) fail_msg("'%s': read %ld, expected %ld", text, got, want);
    if (want < 0) assert_true(v == -7);
}

static void where_numbers_end(void **state) {
    (void)state;
    check_end("1,2", 1);
    check_end("1.5.2", 3);
    check_end("1e", 1);
    check_end("1e+", 1);
    check_end("1e-x", 1);
    check_end("1.e5", 4);
    check_end("1.5e3e4", 5);
    check_end("12345678x", 8);
    check_end("1234567x", 7);
    check_end("0x10", 1);
    check_end("1 ", 1);
    check_end("1:2", 1);
    check_end("12345678/", 8);
    check_end("123456789,", 9);
    check_end("1234567890,", 10);
    check_end("123456789.5,", 11);
    check_end("1234567:", 7);
    check_end("1234567/", 7);
    check_end("123\xb0\xb0\xb0\xb0\xb0", 3);
}

static void not_numbers(void **state) {
    (void)state;
    static const char *const texts[] = {"",    " 1",  "+",    "-",        ".",   "-.", "+.e5", "e5",
                                        "nan", "inf", "-inf", "Infinity", "NaN", "x",  ",",    "--1",
                                        "+-1", "-+1", "\xb1", "/",        ":",   "$1", "NULL"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) check_end(texts[i], -1);
    double v = -7;
    const char *whole[] = {"", "1x", "1 ", " 1", "1e", "nan", "inf", "1e999", "-1e999", "0x1", "1,5", "."};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        assert_int_equal(hsp_parse_number(whole[i], strlen(whole[i]), &v), HSP_EINPUT);
    assert_true(v == -7);
    assert_int_equal(hsp_parse_number("1.5", 3, &v), HSP_OK);
    assert_true(v == 1.5);
}

static void whole_numbers(void **state) {
    (void)state;
    int64_t v = -7;
    const char *text = "9223372036854775807";
    assert_ptr_equal(hsp_number_parse_int(text, text + 19, &v), text + 19);
    assert_true(v == INT64_MAX);
    assert_ptr_equal(hsp_number_parse_int(text, text + 3, &v), text + 3);
    assert_int_equal(v, 922);
    text = "00000000000000000000000000012:5";
    assert_ptr_equal(hsp_number_parse_int(text, text + 31, &v), text + 29);
    assert_int_equal(v, 12);
    const char *bad[] = {"", "-1", "+1", "x", " 1", "9223372036854775808", "99999999999999999999", "184467440737095516160"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(hsp_number_parse_int(bad[i], bad[i] + strlen(bad[i]), &v));
    assert_int_equal(v, 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits),    cmocka_unit_test(random_decimals), cmocka_unit_test(midpoints),
        cmocka_unit_test(zeros_in_front), cmocka_unit_test(powers),          cmocka_unit_test(hard_cases),
        cmocka_unit_test(long_texts),     cmocka_unit_test(not_numbers),     cmocka_unit_test(where_numbers_end),
        cmocka_unit_test(whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
