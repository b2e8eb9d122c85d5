/* The reader of JSON: what it takes and refuses, by name; where it says the fault is; and by chance: what the writer writes is
 * read back, no prefix of a document is one, and a changed byte gives another tree or an error, never anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_tree.h"

/* Parses a copy without a byte behind it, which a sanitizer guards. */
static int parse(const char *text, size_t n, hsp_json_value **out, hsp_json_fault *fault) {
    char *exact = malloc(n > 0 ? n : 1);
    assert_non_null(exact);
    if (n > 0) memcpy(exact, text, n);
    int status = hsp_json_parse(exact, (int64_t)n, out, fault);
    free(exact);
    assert_true((status == HSP_OK) == (*out != NULL));
    return status;
}

/* ---- by name ---- */

static void taken(void **state) {
    (void)state;
    static const char *const cases[] = {
        /* values of every type, alone */
        "null", "true", "false", "0", "-0", "7", "-1.5", "\"\"", "\"a\"", "[]", "{}",
        /* numbers */
        "[0.0]", "[1e1]", "[1E+2]", "[1e-2]", "[0e0]", "[-0.0e-0]", "[123456789012345678901234567890]", "[1e-400]",
        "[1.7976931348623157e308]", "[0.1234567890123456789012345678901234567890]", "[-9223372036854775808]",
        /* strings */
        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\u0041\\u00e9\\u20AC\\uFFFF\"]", "[\"\\uD834\\uDd1e\"]", "[\"\x7f\"]",
        "[\"\xc2\x80\xe2\x82\xac\xef\xbf\xbf\xf0\x9d\x84\x9e\xf4\x8f\xbf\xbf\"]", "[\"\xee\x80\x80\"]", "[\"//\"]",
        /* arrays and objects */
        " [ 1 , 2 ] ", "\t\n\r [\n] \n", "[[],[[]],{}]", "[null,1,\"a\",{},[]]", "{\"\":0}", "{\"a\":{\"a\":{\"a\":1}}}",
        "{\"a\":1,\"A\":1,\"b\":1,\" a\":1}", "[{\"a\":1},{\"a\":1}]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_json_value *tree;
        hsp_json_fault fault = {0};
        if (parse(cases[i], strlen(cases[i]), &tree, &fault)) fail_msg("refused (%s): %s", fault.what, cases[i]);
        hsp_free(tree);
    }
}

static const struct {
    const char *text;
    int64_t offset;
    const char *what;
} wrong[] = {
    {"", 0, "ends too early"},
    {" ", 1, "ends too early"},
    {"[", 1, "ends too early"},
    {"{", 1, "ends too early"},
    {"[1", 2, "ends too early"},
    {"[1,", 3, "ends too early"},
    {"{\"a\"", 4, "ends too early"},
    {"{\"a\":", 5, "ends too early"},
    {"{\"a\":1,", 7, "ends too early"},
    {"]", 0, "no value"},
    {"}", 0, "no value"},
    {",", 0, "no value"},
    {"[,1]", 1, "no value"},
    {"[1,]", 3, "no value"},
    {"[1,,2]", 3, "no value"},
    {"[1 2]", 3, "no comma or ]"},
    {"[1}", 2, "no comma or ]"},
    {"[1:2]", 2, "no comma or ]"},
    {"{\"a\":1]", 6, "no comma or }"},
    {"{\"a\":1 \"b\":2}", 7, "no comma or }"},
    {"{\"a\":1,}", 7, "no name"},
    {"{,\"a\":1}", 1, "no name"},
    {"{a:1}", 1, "no name"},
    {"{'a':1}", 1, "no name"},
    {"{1:1}", 1, "no name"},
    {"{[]:1}", 1, "no name"},
    {"{\"a\" 1}", 5, "no colon"},
    {"{\"a\",1}", 4, "no colon"},
    {"{\"a\"}", 4, "no colon"},
    {"{\"a\"::1}", 5, "no value"},
    {"[1]x", 3, "text after"},
    {"[1]]", 3, "text after"},
    {"1 2", 2, "text after"},
    {"{}{}", 2, "text after"},
    {"[] // no", 3, "text after"},
    {"/* no */ []", 0, "no value"},
    {"\xef\xbb\xbf[]", 0, "no value"},
    {"[\x0c]", 1, "no value"},
    {"[\xc2\xa0]", 1, "no value"},
    {"nul", 0, "no value"},
    {"nulL", 0, "no value"},
    {"True", 0, "no value"},
    {"truee", 4, "text after"},
    {"[tru]", 1, "no value"},
    {"[NaN]", 1, "no value"},
    {"[nan]", 1, "no value"},
    {"[Infinity]", 1, "no value"},
    {"[-Infinity]", 1, "invalid number"},
    {"[+1]", 1, "no value"},
    {"[.5]", 1, "no value"},
    {"[1.]", 1, "invalid number"},
    {"[1.e5]", 1, "invalid number"},
    {"[-]", 1, "invalid number"},
    {"[-.5]", 1, "invalid number"},
    {"[--1]", 1, "invalid number"},
    {"[01]", 1, "invalid number"},
    {"[-01]", 1, "invalid number"},
    {"[00]", 1, "invalid number"},
    {"[1e]", 1, "invalid number"},
    {"[1e+]", 1, "invalid number"},
    {"[1e1.5]", 4, "no comma or ]"},
    {"[0x1]", 2, "no comma or ]"},
    {"[1_000]", 2, "no comma or ]"},
    {"[1,000.5,1e999]", 3, "invalid number"},
    {"[1e309]", 1, "out of range"},
    {"[-1e400]", 1, "out of range"},
    {"[\"a]", 1, "unclosed string"},
    {"[\"a\\\"]", 1, "unclosed string"},
    {"\"", 0, "unclosed string"},
    {"[\"\n\"]", 2, "control character"},
    {"[\"\x01\"]", 2, "control character"},
    {"[\"\t\"]", 2, "control character"},
    {"[\"\\a\"]", 2, "unknown escape"},
    {"[\"\\'\"]", 2, "unknown escape"},
    {"[\"\\\n\"]", 2, "unknown escape"},
    {"[\"\\U0041\"]", 2, "unknown escape"},
    {"[\"\\x41\"]", 2, "unknown escape"},
    {"[\"\\u\"]", 2, "four hexadecimal"},
    {"[\"\\u12\"]", 2, "four hexadecimal"},
    {"[\"\\u12g4\"]", 2, "four hexadecimal"},
    {"[\"\\u 123\"]", 2, "four hexadecimal"},
    {"[\"\\u0000\"]", 2, "NUL"},
    {"{\"\\u0000\":1}", 2, "NUL"},
    {"[\"\\uD834\"]", 2, "surrogate"},
    {"[\"\\uDD1E\"]", 2, "surrogate"},
    {"[\"\\uD834\\uD834\"]", 2, "surrogate"},
    {"[\"\\uD834x\\uDD1E\"]", 2, "surrogate"},
    {"[\"\\uD834\\u0041\"]", 2, "surrogate"},
    {"[\"\\uDD1E\\uD834\"]", 2, "surrogate"},
    {"[\"\xff\"]", 2, "not UTF-8"},
    {"[\"\x80\"]", 2, "not UTF-8"},
    {"[\"a\xc3\"]", 3, "not UTF-8"},
    {"[\"\xc0\xaf\"]", 2, "not UTF-8"},
    {"[\"\xe0\x80\x80\"]", 2, "not UTF-8"},
    {"[\"\xed\xa0\x80\"]", 2, "not UTF-8"},
    {"[\"\xf4\x90\x80\x80\"]", 2, "not UTF-8"},
    {"[\"\xf5\x80\x80\x80\"]", 2, "not UTF-8"},
    {"{\"a\":1,\"a\":2}", 12, "two members are called 'a'"},
    {"[{\"b\":{\"c\":1,\"c\":1}}]", 18, "two members are called 'c'"},
    {"{\"a\":1,\"\\u0061\":2}", 17, "two members are called 'a'"},
    {"{\"\":1,\"\":2}", 10, "two members are called ''"},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsp_json_value *tree;
        hsp_json_fault fault = {0};
        hsp_memory_fail_after(-1);
        if (parse(wrong[i].text, strlen(wrong[i].text), &tree, &fault) != HSP_EINPUT) fail_msg("taken: %s", wrong[i].text);
        assert_true(hsp_memory_calls() <= 1);
        if (fault.offset != wrong[i].offset || !strstr(fault.what, wrong[i].what))
            fail_msg("%s: %s at %lld", wrong[i].text, fault.what, (long long)fault.offset);
        assert_int_equal(parse(wrong[i].text, strlen(wrong[i].text), &tree, NULL), HSP_EINPUT);
    }
    hsp_json_value *tree;
    assert_int_equal(parse("[1]\0", 4, &tree, NULL), HSP_EINPUT);
    assert_int_equal(parse("[\"\0\"]", 5, &tree, NULL), HSP_EINPUT);
}

static void places(void **state) {
    (void)state;
    hsp_json_value *tree;
    hsp_json_fault fault;
    static const char text[] = "{\n  \"a\": 1,\r\n  \"\xc3\xa9\": x\n}";
    assert_int_equal(parse(text, strlen(text), &tree, &fault), HSP_EINPUT);
    assert_true(fault.line == 3 && fault.column == 9 && fault.offset == (int64_t)(strchr(text, 'x') - text));
    assert_int_equal(parse("", 0, &tree, &fault), HSP_EINPUT);
    assert_true(fault.line == 1 && fault.column == 1 && fault.offset == 0);
    assert_int_equal(parse("[\n\n", 3, &tree, &fault), HSP_EINPUT);
    assert_true(fault.line == 3 && fault.column == 1);
    static const char twice[] = "{\"\\u001b[31m\":1,\"\\u001b[31m\":1}"; /* names are masked */
    assert_int_equal(parse(twice, strlen(twice), &tree, &fault), HSP_EINPUT);
    assert_string_equal(fault.what, "two members are called '?[31m'");
}

/* ---- values ---- */

static void values(void **state) {
    (void)state;
    hsp_json_value *tree = json_tree(
        "{\"s\":\"\\ud834\\udd1e\\n\",\"n\":-2.5,\"t\":true,\"f\":false,\"z\":null,\"l\":[1,[],{}],\"o\":{\"k\":7}}");
    int64_t whole;
    assert_string_equal(hsp_json_text(hsp_json_get(tree, "s")), "\xf0\x9d\x84\x9e\n");
    assert_true(hsp_json_double(hsp_json_get(tree, "n")) == -2.5);
    assert_false(hsp_json_integer(hsp_json_get(tree, "n"), &whole));
    assert_true(hsp_json_is(hsp_json_get(tree, "t"), HSP_JSON_TRUE) &&
                hsp_json_is(hsp_json_get(tree, "f"), HSP_JSON_FALSE));
    assert_true(hsp_json_is_flag(hsp_json_get(tree, "t")) && hsp_json_is_flag(hsp_json_get(tree, "f")));
    assert_true(hsp_json_is(hsp_json_get(tree, "z"), HSP_JSON_NULL) && !hsp_json_is_flag(hsp_json_get(tree, "z")));
    const hsp_json_value *list = hsp_json_get(tree, "l");
    assert_int_equal(hsp_json_count(list), 3);
    assert_true(hsp_json_integer(hsp_json_item(list, 0), &whole) && whole == 1);
    assert_true(hsp_json_is(hsp_json_item(list, 1), HSP_JSON_ARRAY) &&
                hsp_json_is(hsp_json_item(list, 2), HSP_JSON_OBJECT));
    assert_true(!hsp_json_item(list, -1) && !hsp_json_item(list, 3) && !hsp_json_item(tree, 0) && !hsp_json_get(list, "k"));
    assert_true(!hsp_json_get(tree, "k") && !hsp_json_get(NULL, "k") && hsp_json_count(tree) == 0 && !hsp_json_text(list));
    assert_true(isnan(hsp_json_double(list)) && isnan(hsp_json_double(NULL)) && !hsp_json_is(NULL, HSP_JSON_NULL));
    const char *expected[] = {"s", "n", "t", "f", "z", "l", "o"};
    int64_t i = 0;
    HSP_JSON_EACH(member, tree) assert_string_equal(member->key, expected[i++]);
    assert_int_equal(i, 7);
    hsp_free(tree);
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool exact;
        int64_t whole;
        double number;
    } cases[] = {{"0", true, 0, 0},
                 {"-0", true, 0, -0.0},
                 {"9007199254740993", true, 9007199254740993, 9007199254740992.0},
                 {"9223372036854775807", true, INT64_MAX, 0x1p63},
                 {"9223372036854775808", false, 0, 0x1p63},
                 {"-9223372036854775807", true, -INT64_MAX, -0x1p63},
                 {"-9223372036854775808", true, INT64_MIN, -0x1p63},
                 {"-9223372036854775809", false, 0, -0x1p63},
                 {"1.0", false, 0, 1},
                 {"1e3", false, 0, 1000},
                 {"2.2250738585072011e-308", false, 0, 2.2250738585072011e-308},
                 {"4.9e-324", false, 0, 4.9e-324},
                 {"1e-400", false, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_json_value *tree = json_tree(cases[i].text);
        int64_t whole = 0;
        double number = hsp_json_double(tree);
        assert_int_equal(hsp_json_integer(tree, &whole), cases[i].exact);
        assert_true(whole == cases[i].whole);
        assert_memory_equal(&number, &cases[i].number, sizeof number);
        hsp_free(tree);
    }
}

/* Many members: order kept, equal names found wherever they are. */
static void many_members(void **state) {
    (void)state;
    enum { MOST = 2000 };
    hsp_rng r = hsp_rng_new(3, 0);
    for (int64_t n = 2; n <= MOST; n = n * 2 + 1)
        for (int way = 0; way < 4; way++) {
            int64_t first = hsp_rng_below(&r, n), second = hsp_rng_below(&r, n);
            hsp_text t = {0};
            for (int64_t i = 0; i < n; i++) {
                int64_t name = way > 0 && i == second ? first : i;
                hsp_text_format(&t, "%c\"%lld\":%lld", i ? ',' : '{', (long long)(name * 7919 % 100003), (long long)i);
            }
            hsp_text_char(&t, '}');
            hsp_json_value *tree;
            hsp_json_fault fault;
            int status = parse(t.s, (size_t)t.length, &tree, &fault);
            assert_int_equal(status, way > 0 && first != second ? HSP_EINPUT : HSP_OK);
            if (status) assert_non_null(strstr(fault.what, "two members"));
            int64_t i = 0, whole;
            if (tree) HSP_JSON_EACH(member, tree) assert_true(hsp_json_integer(member, &whole) && whole == i++);
            hsp_free(tree);
            hsp_text_free(&t);
        }
}

static void depth(void **state) {
    (void)state;
    static char text[4 * HSP_JSON_DEPTH + 8];
    for (int n = HSP_JSON_DEPTH - 1; n <= HSP_JSON_DEPTH + 1; n++) {
        hsp_json_value *tree;
        hsp_json_fault fault;
        memset(text, '[', (size_t)n);
        memset(text + n, ']', (size_t)n);
        int status = parse(text, 2 * (size_t)n, &tree, &fault);
        assert_int_equal(status, n <= HSP_JSON_DEPTH ? HSP_OK : HSP_EINPUT);
        if (status) assert_true(strstr(fault.what, "too deep") && fault.offset == HSP_JSON_DEPTH);
        hsp_free(tree);
    }
}

/* ---- by chance ---- */

/* A random document, of at most `left` values. */
static void write_any(hsp_rng *r, hsp_json *j, const char *key, int *left, int deep) {
    static const char *const texts[] = {"", "a", "\xc3\xa9", "\xf0\x9d\x84\x9e", "\"\\/\b\f\n\r\t", "\x7f\x01", "longer"};
    --*left;
    switch (hsp_rng_below(r, deep > 5 ? 5 : 7)) {
    case 0:
        hsp_json_null(j, key);
        break;
    case 1:
        hsp_json_bool(j, key, hsp_rng_below(r, 2));
        break;
    case 2:
        hsp_json_int(j, key, hsp_rng_below(r, INT64_MAX) >> hsp_rng_below(r, 64));
        break;
    case 3:
        hsp_json_number(j, key, ldexp((double)hsp_rng_below(r, (int64_t)1 << 53), (int)hsp_rng_below(r, 2000) - 1100));
        break;
    case 4:
        hsp_json_string(j, key, texts[hsp_rng_below(r, 7)]);
        break;
    case 5:
        hsp_json_array(j, key);
        while (*left > 0 && hsp_rng_below(r, 4)) write_any(r, j, NULL, left, deep + 1);
        hsp_json_array_end(j);
        break;
    default:
        hsp_json_object(j, key);
        for (int i = 0; *left > 0 && hsp_rng_below(r, 5); i++) {
            char name[40];
            snprintf(name, sizeof name, "%d%s", i, texts[hsp_rng_below(r, 7)]);
            write_any(r, j, name, left, deep + 1);
        }
        hsp_json_object_end(j);
    }
}

static char *any_document(hsp_rng *r, int values) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text = NULL;
    write_any(r, &j, NULL, &values, 0);
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    return text;
}

static void round_trips(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 0);
    for (int i = 0; i < 3000; i++) {
        char *text = any_document(&r, 1 + i % 60);
        hsp_json_value *tree = json_tree(text);
        char *again = json_text(tree, NULL);
        assert_string_equal(again, text);
        hsp_free(again);
        hsp_free(tree);
        hsp_free(text);
    }
}

/* No proper prefix of a container or string is a document; every one of its bytes changed gives a document or a fault inside
 * the text. */
static void prefixes_and_changes(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(2, 0);
    int good = 0, bad = 0;
    for (int i = 0; i < 60; i++) {
        char *text = any_document(&r, 2 + i % 12);
        size_t n = strlen(text);
        hsp_json_value *tree;
        hsp_json_fault fault;
        for (size_t k = 0; k < n && strchr("[{\"", text[0]); k++) {
            assert_int_equal(parse(text, k, &tree, &fault), HSP_EINPUT);
            assert_true(fault.offset >= 0 && fault.offset <= (int64_t)k);
        }
        for (size_t k = 0; k < n && n < 200; k++)
            for (int byte = 0; byte < 256; byte++) {
                char old = text[k];
                text[k] = (char)byte;
                int status = parse(text, n, &tree, &fault);
                assert_true(status == HSP_OK || status == HSP_EINPUT);
                if (status) assert_true(fault.offset >= 0 && fault.offset <= (int64_t)n && fault.what[0]);
                if (!status) { /* and the tree is one that is written and read */
                    char *again = json_text(tree, NULL);
                    hsp_free(json_tree(again));
                    hsp_free(again);
                }
                *(status ? &bad : &good) += 1;
                hsp_free(tree);
                text[k] = old;
            }
        hsp_free(text);
    }
    assert_true(good > 1000 && bad > 10000);
}

/* One allocation, whatever the document: without it HSP_EMEMORY; and none for text that is not JSON. */
static void no_memory(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 0);
    for (int i = 0; i < 200; i++) {
        char *text = any_document(&r, 1 + i);
        hsp_json_value *tree;
        hsp_memory_fail_after(0);
        assert_int_equal(parse(text, strlen(text), &tree, NULL), HSP_EMEMORY);
        assert_int_equal(hsp_memory_calls(), 1);
        text[strlen(text) / 2] = '\x01';
        hsp_memory_fail_after(0);
        int status = parse(text, strlen(text), &tree, NULL);
        assert_true(hsp_memory_calls() == 0 && status == HSP_EINPUT);
        hsp_memory_fail_after(-1);
        hsp_free(text);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(taken),     cmocka_unit_test(refused),     cmocka_unit_test(places),
        cmocka_unit_test(values),    cmocka_unit_test(numbers),     cmocka_unit_test(many_members),
        cmocka_unit_test(depth),     cmocka_unit_test(round_trips), cmocka_unit_test(prefixes_and_changes),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
