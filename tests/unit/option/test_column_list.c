/* Lists of columns: entries, quotes, two parts, and what is wrong with the quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "halfspace_internal.h"
#include "option/column_list.h"

#include <string.h>

/* All entries of a list, each part in brackets: [a][b=1] */
static void expect(const char *list, char between, const char *parts) {
    hsp_options *o;
    hsp_text t = {0};
    hsp_column_entry e;
    assert_int_equal(hsp_options_new(&o, NULL), HSP_OK);
    assert_int_equal(hsp_options_set(o, "ignore", list, NULL), HSP_OK);
    hsp_column_list l = hsp_column_list_of(o, "ignore", between);
    int status;
    while ((status = hsp_column_list_next(&l, &e, NULL)) > 0) {
        hsp_text_char(&t, '[');
        hsp_text_add_n(&t, e.name, e.name_length);
        if (e.value) hsp_text_char(&t, '|');
        if (e.value) hsp_text_add_n(&t, e.value, e.value_length);
        hsp_text_char(&t, ']');
    }
    assert_int_equal(status, 0);
    hsp_text_add(&t, "");
    assert_string_equal(t.s, parts);
    hsp_text_free(&t);
    hsp_column_list_free(&l);
    hsp_options_free(o);
}

static void refuse(const char *list, char between, const char *message) {
    hsp_options *o;
    hsp_error *e = NULL;
    hsp_column_entry entry;
    assert_int_equal(hsp_options_new(&o, NULL), HSP_OK);
    assert_int_equal(hsp_options_set(o, "ignore", list, NULL), HSP_OK);
    hsp_column_list l = hsp_column_list_of(o, "ignore", between);
    int status;
    while ((status = hsp_column_list_next(&l, &entry, &e)) > 0) continue;
    assert_int_equal(status, HSP_EUSAGE);
    assert_string_equal(hsp_error_message(e), message);
    hsp_error_free(e);
    hsp_column_list_free(&l);
    hsp_options_free(o);
}

static void lists(void **state) {
    (void)state;
    expect("a", 0, "[a]");
    expect("a,b, c ,,d", 0, "[a][b][c][d]");
    expect("\"a,b\",c", 0, "[a,b][c]");
    expect("c, \"a,b\" ", 0, "[c][a,b]");
    expect("\"say \"\"hi\"\"\",x", 0, "[say \"hi\"][x]");
    expect("\" a \"", 0, "[ a ]");
    expect("\"\"", 0, "[]");
    expect("a=1,b:2", 0, "[a=1][b:2]");
    expect(" , ,", 0, "");
    expect("5\" pipe,x", 0, "[5\" pipe][x]"); /* quotes inside a name are plain */
}

static void pairs(void **state) {
    (void)state;
    expect("a=1,b", '=', "[a|1][b]");
    expect("a=b=c", '=', "[a|b=c]");
    expect("\"a=b\"=c,d= e ", '=', "[a=b|c][d|e]");
    expect("\"a,b\"=\"1,5\",c=clip:0:1", '=', "[a,b|1,5][c|clip:0:1]");
    expect("a=,=b", '=', "[a|][|b]");
    expect("\"a,b\":c,d:\"e:f\"", ':', "[a,b|c][d|e:f]");
}

static void faults(void **state) {
    (void)state;
    refuse("\"a,b", 0, "--ignore: the quote before a,b has no end: close it, or write a quote in a name twice");
    refuse("x,\"", 0, "--ignore: the quote before  has no end: close it, or write a quote in a name twice");
    refuse("\"a\"\"", 0, "--ignore: the quote before a\"\" has no end: close it, or write a quote in a name twice");
    refuse("\"a\"b,c", 0, "--ignore: text follows the closing quote in \"a\"b,c: write a quote in a name twice");
    refuse("\"a\"=1", 0, "--ignore: text follows the closing quote in \"a\"=1: write a quote in a name twice");
    refuse("a=\"b\"c", '=', "--ignore: text follows the closing quote in \"b\"c: write a quote in a name twice");
    refuse("a=\"b", '=', "--ignore: the quote before b has no end: close it, or write a quote in a name twice");
}

static void expect_typed(const char *name, const char *typed) {
    hsp_text t = {0};
    hsp_column_list_quote(&t, name, (int64_t)strlen(name));
    assert_string_equal(t.s, typed);
    hsp_text_free(&t);
}

static void typed(void **state) {
    (void)state;
    expect_typed("a b", "a b");
    expect_typed("a,b", "\"a,b\"");
    expect_typed("\"a\"", "\"\"\"a\"\"\"");
    expect_typed("a=b", "\"a=b\"");
    expect_typed(" a", "\" a\"");
    expect_typed("", "\"\"");
}

static void singles(void **state) {
    (void)state;
    hsp_text t = {0};
    assert_true(hsp_column_unquote("\"a,b\"", &t));
    assert_string_equal(t.s, "a,b");
    assert_false(hsp_column_unquote("a,b", &t));
    assert_false(hsp_column_unquote("\"a\"b", &t));
    assert_false(hsp_column_unquote("\"a", &t));
    hsp_text_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists), cmocka_unit_test(pairs),   cmocka_unit_test(faults),
        cmocka_unit_test(typed), cmocka_unit_test(singles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
