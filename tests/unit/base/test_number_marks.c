/* Numbers with a decimal comma, separators of thousands, and signs of currencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number_marks.h"
#include "base/number_sign.h"

#include <string.h>

static void expect(const char *s, char decimal, char thousands, double v) {
    double x = 77;
    assert_true(hsp_number_marks_read(s, (int64_t)strlen(s), (hsp_number_marks){decimal, thousands}, &x));
    assert_true(x == v);
}

static void refuse(const char *s, char decimal, char thousands) {
    double x;
    assert_false(hsp_number_marks_read(s, (int64_t)strlen(s), (hsp_number_marks){decimal, thousands}, &x));
}

static void good(void **state) {
    (void)state;
    expect("1,5", ',', 0, 1.5);
    expect(" -0,25 ", ',', 0, -0.25);
    expect("+1.234.567,5e2", ',', '.', 123456750);
    expect("1.234", ',', '.', 1234);
    expect("1234,5", ',', '.', 1234.5);
    expect("1,234.5", '.', ',', 1234.5);
    expect("1 234", 0, ' ', 1234);
    expect("1\xc2\xa0"
           "234,5",
           ',', ' ', 1234.5);
    expect("1'000'000", 0, '\'', 1e6);
    expect("1_000", 0, '_', 1000);
    expect(",5", ',', 0, 0.5);
    expect("1.5", 0, 0, 1.5);
}

static void bad(void **state) {
    (void)state;
    refuse("1.5", ',', 0);
    refuse("1,5", '.', 0);
    refuse("1.23", ',', '.');
    refuse("1.2345", ',', '.');
    refuse("1234.567", ',', '.');
    refuse(".123", ',', '.');
    refuse("1..234", ',', '.');
    refuse("1.234.", ',', '.');
    refuse("1,5,5", ',', 0);
    refuse("1,234.5.6", '.', ',');
    refuse("1,5.000", ',', '.');
    refuse("", ',', 0);
    refuse("-", ',', '.');
    refuse("x", ',', '.');
    refuse("1 23", 0, ' ');
    refuse("0.123", ',', '.');
    refuse("030 123", 0, ' ');
    refuse("00000000000000000000000000000000000000000000000000000000000000001", ',', 0);
}

static void signs(void **state) {
    (void)state;
    const struct {
        const char *text;
        int sign;
        double v;
    } list[] = {{"$12.00", 1, 12},
                {"-$5", 1, -5},
                {"$-5", 1, -5},
                {"12 $", 1, 12},
                {"5%", 2, 5},
                {"5 %", 2, 5},
                {"7", 1, 7},
                {"\xe2\x82\xac"
                 "7",
                 3, 7},
                {"12\xc2\xa0\xe2\x82\xac", 3, 12},
                {"($1.50)", 1, -1.5},
                {"$(1.50)", 1, -1.5},
                {"( $1.50 )", 1, -1.5},
                {"(1.50 $)", 1, -1.5},
                {"(2.5%)", 2, -2.5},
                {"(3)", HSP_SIGN_PARENTHESES, -3}};
    double v;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int64_t n = (int64_t)strlen(list[i].text);
        if (list[i].text[0] != '7') assert_int_equal(hsp_number_sign_find(list[i].text, n), list[i].sign);
        assert_true(hsp_number_sign_read(list[i].text, n, list[i].sign, (hsp_number_marks){0}, &v));
        assert_true(v == list[i].v);
    }
    const char *const wrong[] = {"$", "%", "$$5", "%5", "5%%", "$x", "$5%", "--$5", "",
                                 "(-5)", "()", "($)", "(-$5)", "((5))", "$(-5)", "(5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(hsp_number_sign_read(wrong[i], (int64_t)strlen(wrong[i]), wrong[i][0] == '$' ? 1 : 2,
                                          (hsp_number_marks){0}, &v));
    const char *const longest[] = {"US$5", "5 US$", "USD 5", "5USD", "R$5", "12 kr"};
    const char *const sign[] = {"US$", "US$", "USD", "USD", "R$", "kr"};
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++)
        assert_string_equal(hsp_number_sign[hsp_number_sign_find(longest[i], (int64_t)strlen(longest[i]))], sign[i]);
    assert_int_equal(hsp_number_sign_find("12", 2), 0);
    assert_int_equal(hsp_number_sign_find("$", 1), 0);
    assert_int_equal(hsp_number_sign_find("", 0), 0);
}

static const char *proposed(const char *a, const char *b) {
    return hsp_number_marks_options(hsp_number_marks_suit(a, (int64_t)strlen(a)) &
                                    hsp_number_marks_suit(b, (int64_t)strlen(b)));
}

static void proposals(void **state) {
    (void)state;
    assert_string_equal(proposed("1,5", "2,5"), "--decimal ,");
    assert_string_equal(proposed("1,234", "2,500"), "--decimal , or --thousands ,");
    assert_string_equal(proposed("1,234", "2,500.5"), "--thousands ,");
    assert_string_equal(proposed("1.234,5", "2,5"), "--decimal , --thousands .");
    assert_string_equal(proposed("$1,234.5", "$2,500"), "--thousands ,");
    assert_string_equal(proposed("1'234.5", "2'500"), "--thousands \"'\"");
    assert_string_equal(proposed("1\xe2\x80\x99"
                                 "234.5",
                                 "2'500"),
                        "--thousands \"'\"");
    assert_string_equal(proposed("1_234", "2_500.5"), "--thousands _");
    assert_string_equal(proposed("1 234", "12 500"), "--thousands space");
    assert_string_equal(proposed("1 234", "12 500,5"), "--decimal , --thousands space");
    assert_string_equal(proposed("1'234,5", "2'500"), "--decimal , --thousands \"'\"");
    assert_string_equal(proposed("($1,234.5)", "$2,500"), "--thousands ,");
    assert_null(proposed("030 123", "030 123"));
    assert_null(proposed("12 34", "12 34"));
    assert_null(proposed("1,5", "2,500.5"));
    assert_null(proposed("1.5", "1.5"));
    assert_null(proposed("$5", "$5"));
    assert_null(proposed("a,b", "a,b"));
    assert_null(proposed("1,2,3", "1,2,3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),
        cmocka_unit_test(bad),
        cmocka_unit_test(signs),
        cmocka_unit_test(proposals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
