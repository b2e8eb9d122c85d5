/* Writing numbers: the text reads back to the same bits, no shorter text does, it is the nearest of the shortest, and
 * has the stated style. */
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
#include <stdbool.h>

/* The significant digits, without zeros at either end. */
static int digits_of(const char *text, char *digits) {
    int n = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0')) digits[n++] = *text;
    while (n > 0 && digits[n - 1] == '0') n--;
    digits[n] = '\0';
    return n;
}

static void check_reads_back(double v, char *text) {
    int n = hsp_format_number(v, text);
    double ours;
    if (n < 1 || n > 25 || (size_t)n != strlen(text) || hsp_number_parse(text, text + n, &ours) != text + n ||
        bits_of(ours) != bits_of(v))
        fail_msg("%a written as '%s' (%d)", v, text, n);
}

/* Against the C library: fewest digits of %.*e that read back. Below a power of two the interval is asymmetric, and a
 * text with fewer digits, or with other digits than the nearest, may be right. */
static void check_shortest(double v) {
    char text[64], other[64], ours[32], theirs[32];
    check_reads_back(v, text);
    if (v == 0) return;
    if (strtod(text, NULL) != v) fail_msg("%a written as '%s'", v, text);
    int digits = 1;
    do snprintf(other, sizeof other, "%.*e", digits - 1, v);
    while (strtod(other, NULL) != v && ++digits <= 17);
    int n = digits_of(text, ours), m = digits_of(other, theirs);
    bool lopsided = (bits_of(v) & ((UINT64_C(1) << 52) - 1)) == 0;
    if (n > m || (!lopsided && (n != m || strcmp(ours, theirs) != 0)))
        fail_msg("%a: '%s', the C library '%s'", v, text, other);
}

static void random_bits(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 1);
    char text[32];
    for (int i = 0; i < 1000000; i++) {
        double v = from_bits(hsp_rng_next(&r));
        if (!isfinite(v)) continue;
        if (i % 25 == 0)
            check_shortest(v);
        else
            check_reads_back(v, text);
    }
}

static void random_short(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(6, 1);
    for (int i = 0; i < 30000; i++) {
        int64_t size = 10;
        for (int64_t k = hsp_rng_below(&r, 17); k > 0; k--) size *= 10;
        double v = (double)hsp_rng_below(&r, size) / pow(10, (double)hsp_rng_below(&r, 20));
        check_shortest(v);
        check_shortest(-v * 1e10);
    }
}

static void powers_and_ends(void **state) {
    (void)state;
    for (int k = -1074; k <= 1023; k++) {
        uint64_t bits = bits_of(ldexp(1, k));
        for (uint64_t step = 0; step < 3; step++) check_shortest(from_bits(bits + step));
        check_shortest(from_bits(bits - 1));
    }
    char text[16];
    for (int k = -323; k <= 308; k++) {
        snprintf(text, sizeof text, "1e%d", k);
        double v = strtod(text, NULL);
        check_shortest(v);
        check_shortest(from_bits(bits_of(v) + 1));
        check_shortest(from_bits(bits_of(v) - 1));
    }
    for (uint64_t i = 0; i < 2000; i++) check_shortest(from_bits(i));
    for (uint64_t i = 1; i < 2000; i++) check_shortest(from_bits(UINT64_C(0x7ff0000000000000) - i));
}

/* Where the ends of the interval are round decimals: halves that are multiples of 10^t. */
static void round_ends(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(7, 1);
    int64_t five = 1;
    for (int t = 1; t <= 22; t++) {
        five *= 5;
        for (int i = 0; i < 200; i++) {
            int64_t least = (INT64_C(1) << 53) / five + 1, m = five * ((least + hsp_rng_below(&r, least)) | 1);
            if (m >= INT64_C(1) << 54) continue;
            int shift = t + (int)hsp_rng_below(&r, 30);
            check_shortest(ldexp((double)(m - 1), shift));
            check_shortest(ldexp((double)(m + 1), shift));
        }
    }
}

static void check_text(double v, const char *want) {
    char text[32];
    assert_int_equal(hsp_format_number(v, text), strlen(want));
    assert_string_equal(text, want);
}

static void style(void **state) {
    (void)state;
    check_text(0, "0");
    check_text(-0.0, "-0");
    check_text(1, "1");
    check_text(-20, "-20");
    check_text(1e5, "100000");
    check_text(999999999999999, "999999999999999");
    check_text(1e15, "1e15");
    check_text(1e22, "1e22");
    check_text(1e23, "1e23");
    check_text(1234567890123456, "1234567890123456");
    check_text(123456789012345680, "123456789012345680");
    check_text(0.1, "0.1");
    check_text(0.01, "0.01");
    check_text(0.001, "1e-3");
    check_text(1e-5, "1e-5");
    check_text(0.0015, "0.0015");
    check_text(0.00015, "1.5e-4");
    check_text(123.456, "123.456");
    check_text(-0.5, "-0.5");
    check_text(0.30000000000000004, "0.30000000000000004");
    check_text(1.5e300, "1.5e300");
    check_text(1.7976931348623157e308, "1.7976931348623157e308");
    check_text(2.2250738585072014e-308, "2.2250738585072014e-308");
    check_text(-2.2250738585072014e-308, "-2.2250738585072014e-308");
    check_text(4.9e-324, "5e-324");
    check_text(9007199254740992.0 + 1, "9007199254740992");
    check_text(NAN, "nan");
    check_text(INFINITY, "inf");
    check_text(-INFINITY, "-inf");
}

static void whole_numbers(void **state) {
    (void)state;
    static const int64_t v[] = {0, 1, -1, 9, 10, -10, 99, 100, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        char got[20], want[32];
        int n = hsp_number_format_int(v[i], got), m = snprintf(want, sizeof want, "%lld", (long long)v[i]);
        assert_int_equal(n, m);
        assert_memory_equal(got, want, (size_t)n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits), cmocka_unit_test(random_short), cmocka_unit_test(powers_and_ends),
        cmocka_unit_test(round_ends),  cmocka_unit_test(style),        cmocka_unit_test(whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
