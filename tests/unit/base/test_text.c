/* The text buffer, UTF-8 and the distance between words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static void appends(hsp_text *t) {
    hsp_text_add(t, "a");
    hsp_text_add_n(t, "bcd", 2);
    hsp_text_char(t, ' ');
    hsp_text_number(t, 0.1);
    hsp_text_char(t, ' ');
    hsp_text_int(t, INT64_MIN);
    hsp_text_format(t, " %s=%d", "k", 5);
    for (int i = 0; i < 100; i++) hsp_text_add(t, "0123456789");
}

static void all_kinds(void **state) {
    (void)state;
    hsp_text t = {0};
    appends(&t);
    assert_false(t.failed);
    assert_int_equal(t.length, strlen(t.s));
    assert_int_equal(strncmp(t.s, "abc 0.1 -9223372036854775808 k=50123", 36), 0);
    char *s;
    hsp_error *e = NULL;
    assert_int_equal(hsp_text_take(&t, &s, &e), HSP_OK);
    assert_null(t.s);
    assert_int_equal(t.length, 0);
    assert_int_equal(strlen(s), 32 + 1000);
    hsp_free(s);
}

static void empty(void **state) {
    (void)state;
    hsp_text t = {0};
    char *s;
    assert_int_equal(hsp_text_take(&t, &s, NULL), HSP_OK);
    assert_string_equal(s, "");
    hsp_free(s);
    hsp_text_add(&t, "");
    assert_string_equal(t.s, "");
    hsp_text_add_n(&t, NULL, 0);
    hsp_text_number(&t, NAN);
    assert_string_equal(t.s, "nan");
    int64_t capacity = t.capacity;
    hsp_text_clear(&t);
    assert_string_equal(t.s, "");
    assert_int_equal(t.capacity, capacity);
    hsp_text_free(&t);
    hsp_text_free(&t);
    hsp_text_clear(&t);
}

static void broken_lengths(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_text_add(&t, "x");
    hsp_text_add_n(&t, "y", -1);
    assert_true(t.failed);
    assert_string_equal(t.s, "x");
    hsp_text_free(&t);
    hsp_text_add_n(&t, "y", INT64_MAX);
    assert_true(t.failed);
    hsp_text_free(&t);
    hsp_text_add(&t, "x");
    hsp_text_add_n(&t, "y", INT64_MAX);
    assert_true(t.failed);
    hsp_text_free(&t);
}

static void failing_allocator(void **state) {
    (void)state;
    for (int64_t allowed = 0;; allowed++) {
        hsp_text t = {0};
        char *s = (char *)1;
        hsp_error *e = NULL;
        hsp_memory_fail_after(allowed);
        appends(&t);
        int status = hsp_text_take(&t, &s, &e);
        hsp_memory_fail_after(-1);
        if (status == HSP_OK) {
            hsp_free(s);
            assert_in_range(allowed, 3, 50);
            return;
        }
        assert_int_equal(status, HSP_EMEMORY);
        assert_int_equal(hsp_error_code(e), HSP_EMEMORY);
        assert_null(s);
        hsp_error_free(e);
    }
}

static void utf8(void **state) {
    (void)state;
    static const struct {
        const char *s;
        int length;
    } cases[] = {{"a", 1},
                 {"\x7f", 1},
                 {"\xc3\xa9", 2},
                 {"\xe2\x82\xac", 3},
                 {"\xf0\x9f\x99\x82", 4},
                 {"\xf4\x8f\xbf\xbf", 4},
                 {"\x80", 0},
                 {"\xc3", 0},
                 {"\xc3(", 0},
                 {"\xc0\x80", 0},
                 {"\xc1\xbf", 0},
                 {"\xe0\x80\x80", 0},
                 {"\xe0\x9f\xbf", 0},
                 {"\xe0\xa0\x80", 3},
                 {"\xed\xa0\x80", 0},
                 {"\xed\x9f\xbf", 3},
                 {"\xe2\x82", 0},
                 {"\xf0\x8f\xbf\xbf", 0},
                 {"\xf0\x90\x80\x80", 4},
                 {"\xf4\x90\x80\x80", 0},
                 {"\xf5\x80\x80\x80", 0},
                 {"\xff", 0},
                 {"\xf0\x9f\x99", 0},
                 {"\xf0\x9f\x99(", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(hsp_text_utf8(cases[i].s, (int64_t)strlen(cases[i].s)), cases[i].length);
}

static void distances(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int distance;
    } cases[] = {{"", "", 0},
                 {"", "abc", 3},
                 {"lambda", "lambda", 0},
                 {"lamda", "lambda", 1},
                 {"lambdaa", "lambda", 1},
                 {"lambad", "lambda", 1},
                 {"kitten", "sitting", 3},
                 {"ab", "ba", 1},
                 {"abcd", "badc", 2},
                 {"a", "b", 1},
                 {"seed", "deeds", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(hsp_text_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(hsp_text_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
    char forty[42] = {0};
    memset(forty, 'x', 40);
    assert_int_equal(hsp_text_distance(forty, ""), 40);
    forty[40] = 'x';
    assert_int_equal(hsp_text_distance(forty, forty), INT32_MAX);
}

static void same_letters(void **state) {
    (void)state;
    assert_true(hsp_text_same_letters("Label", "lABEL", INT64_MAX));
    assert_true(hsp_text_same_letters("", "", INT64_MAX));
    assert_true(hsp_text_same_letters("inFinity", "INF", 3));
    assert_true(hsp_text_same_letters("a", "b", 0));
    assert_false(hsp_text_same_letters("label", "labels", INT64_MAX));
    assert_false(hsp_text_same_letters("labels", "label", INT64_MAX));
    assert_false(hsp_text_same_letters("in", "inf", 3));
    assert_false(hsp_text_same_letters("[", "{", 1)); /* 32 apart, as letters are */
    assert_false(hsp_text_same_letters("\xc3\x89", "\xc3\xa9", 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),         cmocka_unit_test(empty), cmocka_unit_test(broken_lengths),
        cmocka_unit_test(failing_allocator), cmocka_unit_test(utf8),  cmocka_unit_test(distances),
        cmocka_unit_test(same_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
