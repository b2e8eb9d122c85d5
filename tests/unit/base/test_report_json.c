/* Reports as JSON, there and back: numbers, texts, random trees, broken JSON, and no memory. */
#include "some_reports.h"

#include "base/memory.h"
#include "base/rng.h"
#include "report_json.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- numbers and texts ---- */

static void numbers_that_are_not_finite_are_null(void **state) {
    (void)state;
    const double v[] = {INFINITY, 1, -INFINITY};
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_number(&j, "nan", NAN);
    hsp_json_number(&j, "inf", -INFINITY);
    hsp_json_numbers(&j, "v", v, 3);
    hsp_json_object_end(&j);
    hsp_report *r = taken(&j);
    assert_int_equal(hsp_report_kind(r, "nan"), HSP_REPORT_NULL);
    assert_int_equal(hsp_report_kind(r, "inf"), HSP_REPORT_NULL);
    check_json(r, "{\"nan\":null,\"inf\":null,\"v\":[null,1,null]}");
    hsp_report_free(r);
    assert_int_equal(hsp_report_of_number(INFINITY).kind, HSP_REPORT_NULL);
    assert_int_equal(hsp_report_of_text(NULL).kind, HSP_REPORT_NULL);
}

static void whole_numbers_have_all_their_digits(void **state) {
    (void)state;
    static const int64_t cases[] = {0,
                                    -1,
                                    999999999999999,
                                    1000000000000000,
                                    1234567890123456,
                                    -1000000000000001,
                                    INT64_C(9007199254740991),
                                    INT64_C(9007199254740992),
                                    -INT64_C(9007199254740992)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[80], shortest[HSP_NUMBER_SIZE]; /* in a list it is one of an array's numbers */
        hsp_format_number((double)cases[i], shortest);
        hsp_json j = {0};
        hsp_json_object(&j, NULL);
        hsp_json_int(&j, "n", cases[i]);
        hsp_json_array(&j, "list");
        hsp_json_int(&j, NULL, cases[i]);
        hsp_json_array_end(&j);
        hsp_json_object_end(&j);
        hsp_report *r = taken(&j), *again;
        snprintf(expected, sizeof expected, "{\"n\":%lld,\"list\":[%s]}", (long long)cases[i], shortest);
        check_json(r, expected);
        assert_true(hsp_report_number(r, "n") == (double)cases[i] &&
                    hsp_report_number_at(r, "list", 0) == (double)cases[i]);
        again = parsed(expected); /* the same numbers, however they are kept */
        assert_true(hsp_report_number(again, "n") == (double)cases[i]);
        assert_true(hsp_report_number_at(again, "list", 0) == (double)cases[i]);
        hsp_report_free(r);
        hsp_report_free(again);
    }
}

static void numbers_keep_their_bits(void **state) {
    (void)state;
    const double cases[] = {-0.0, 5e-324, 1.7976931348623157e308, 1e15, 1.0 / 3, 12345678901234567000.0, 1e22, 0x1p-1022};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_json j = {0};
        hsp_json_object(&j, NULL);
        hsp_json_number(&j, "n", cases[i]);
        hsp_json_object_end(&j);
        char *json = take_json(taken(&j));
        hsp_report *r = parsed(json);
        double found = hsp_report_number(r, "n");
        assert_memory_equal(&found, &cases[i], sizeof found);
        check_json(r, json);
        hsp_free(json);
        hsp_report_free(r);
    }
}

static void text_is_utf8(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"plain", "plain"},
                                           {"", ""},
                                           {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
                                           {"a\xff"
                                            "b",
                                            "a\xef\xbf\xbd"
                                            "b"},
                                           {"\xc3", "\xef\xbf\xbd"},
                                           {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},
                                           {"\xf0\x9f\x98\x80\xfe", "\xf0\x9f\x98\x80\xef\xbf\xbd"},
                                           {"tab\t\"quote\" \\ \x01\x7f", "tab\t\"quote\" \\ \x01\x7f"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_json j = {0};
        hsp_json_object(&j, NULL);
        hsp_json_string(&j, cases[i][0], cases[i][0]);
        hsp_json_object_end(&j);
        hsp_report *r = taken(&j);
        assert_string_equal(hsp_report_text(r, cases[i][1]), cases[i][1]);
        char *json = NULL;
        assert_int_equal(hsp_report_json(r, &json, NULL), HSP_OK);
        hsp_report *again = parsed(json);
        assert_true(hsp_report_equal(r, again));
        hsp_free(json);
        hsp_report_free(r);
        hsp_report_free(again);
    }
}

/* ---- there and back ---- */

static void add_random_text(hsp_json *j, const char *key, hsp_rng *rng) {
    char s[12];
    int n = (int)hsp_rng_below(rng, 11);
    for (int i = 0; i < n; i++) s[i] = (char)(1 + hsp_rng_below(rng, i % 3 ? 126 : 255));
    s[n] = '\0';
    hsp_json_string(j, key, s);
}

static double random_number(hsp_rng *rng) {
    uint64_t bits = hsp_rng_next(rng);
    double v;
    if (hsp_rng_below(rng, 2)) return (double)hsp_rng_below(rng, 100) - 50;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void add_random(hsp_json *j, const char *key, hsp_rng *rng, int depth) {
    double v[6];
    int64_t n = hsp_rng_below(rng, 5);
    switch (hsp_rng_below(rng, depth > 0 ? 9 : 6)) {
    case 0:
        hsp_json_null(j, key);
        break;
    case 1:
        hsp_json_bool(j, key, hsp_rng_below(rng, 2));
        break;
    case 2:
        hsp_json_number(j, key, random_number(rng));
        break;
    case 3:
        hsp_json_int(j, key, hsp_rng_below(rng, INT64_C(1999999999999998)) - INT64_C(999999999999999));
        break;
    case 4:
        add_random_text(j, key, rng);
        break;
    case 5:
        for (int i = 0; i < 6; i++) v[i] = i % 4 == 3 ? (double)NAN : hsp_rng_uniform(rng);
        hsp_report_add_values(j, key, v, n ? 2 : 0, n % 2 ? 3 : 0);
        break;
    case 6:
    case 7:
        hsp_json_object(j, key);
        for (int64_t i = 0; i < n; i++) add_random(j, (char[]){(char)('a' + i), '\0'}, rng, depth - 1);
        hsp_json_object_end(j);
        break;
    default:
        hsp_json_array(j, key);
        for (int64_t i = 0; i < n; i++) add_random(j, NULL, rng, depth - 1);
        hsp_json_array_end(j);
    }
}

static void random_trees_read_back(void **state) {
    (void)state;
    hsp_rng rng = hsp_rng_new(12, 0);
    for (int round = 0; round < 3000; round++) {
        hsp_json j = {0};
        hsp_json_object(&j, NULL);
        add_random(&j, "tree", &rng, 5);
        add_random(&j, "other", &rng, 3);
        hsp_json_object_end(&j);
        hsp_report *r = taken(&j);
        char *json = NULL, *twice = NULL;
        assert_int_equal(hsp_report_json(r, &json, NULL), HSP_OK);
        hsp_report *again = parsed(json);
        if (!hsp_report_equal(r, again) || !hsp_report_equal(again, r)) fail_msg("%s", json);
        assert_int_equal(hsp_report_json(again, &twice, NULL), HSP_OK);
        assert_string_equal(json, twice);
        hsp_report_free(r);
        hsp_report_free(again);
        hsp_free(json);
        hsp_free(twice);
    }
}

/* The writer gives the same text by both its ends. */
static void both_ends_agree(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        hsp_rng one = hsp_rng_new(seed, 3), two = hsp_rng_new(seed, 3);
        hsp_text t = {0};
        hsp_json text = {.out = &t}, tree = {0};
        hsp_json_array(&text, NULL);
        hsp_json_array(&tree, NULL);
        for (int i = 0; i < 4; i++) {
            double v[] = {random_number(&one), random_number(&one)}, u[] = {random_number(&two), random_number(&two)};
            hsp_json_numbers(&text, NULL, v, i % 3);
            hsp_json_numbers(&tree, NULL, u, i % 3);
            add_random_text(&text, NULL, &one);
            add_random_text(&tree, NULL, &two);
            hsp_json_int(&text, NULL, i);
            hsp_json_int(&tree, NULL, i);
        }
        hsp_json_array_end(&text);
        hsp_json_array_end(&tree);
        hsp_report *r = taken(&tree);
        check_json(r, t.s);
        hsp_report_free(r);
        hsp_text_free(&t);
    }
}

/* ---- broken JSON ---- */

static void broken_json_is_refused(void **state) {
    (void)state;
    static const char *const cases[] = {"",
                                        "{",
                                        "}",
                                        "7",
                                        "\"text\"",
                                        "null",
                                        "{\"a\":1,}",
                                        "{\"a\":1}x",
                                        "{\"a\" 1}",
                                        "{a:1}",
                                        "[1,2",
                                        "[nan]",
                                        "[1e400]",
                                        "{\"a\":1,\"a\":1}",
                                        "{\"a\":{\"b\":1,\"b\":2}}",
                                        "[\"\xff\"]",
                                        "[\"\\u0000\"]",
                                        "{\"\\u0000\":1}",
                                        "\x01",
                                        "[\"\n\"]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_report *r = (hsp_report *)&i;
        hsp_error *err = NULL;
        if (hsp_report_parse(cases[i], strlen(cases[i]), &r, &err) != HSP_EINPUT) fail_msg("taken: %s", cases[i]);
        assert_null(r);
        assert_non_null(strstr(hsp_error_message(err), "not JSON"));
        hsp_error_free(err);
    }
    hsp_report *r = NULL;
    assert_int_equal(hsp_report_parse("[1]]", 3, &r, NULL), HSP_OK); /* as many bytes as are given */
    hsp_report_free(r);
    assert_int_equal(hsp_report_parse("[1]", 2, &r, NULL), HSP_EINPUT);
    assert_int_equal(hsp_report_parse("[1]\0", 4, &r, NULL), HSP_EINPUT);
}

static void deep_nesting_is_read_or_refused(void **state) {
    (void)state;
    for (size_t depth = 1; depth < 2000000; depth = depth * 10 + 7) {
        char *json = malloc(2 * depth);
        hsp_report *r = NULL;
        hsp_error *err = NULL;
        assert_non_null(json);
        memset(json, '[', depth);
        memset(json + depth, ']', depth);
        int status = hsp_report_parse(json, 2 * depth, &r, &err);
        assert_int_equal(status, depth < 2000 ? HSP_OK : HSP_EINPUT);
        assert_true((status == 0) == (r != NULL) && (status == 0) == (err == NULL));
        if (r) {
            char *again = take_json(r);
            assert_memory_equal(again, json, 2 * depth);
            hsp_free(again);
        }
        hsp_error_free(err);
        free(json);
    }
}

/* ---- no memory ---- */

static int build(hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    add_all_kinds(&j);
    return hsp_json_take(&j, out, err);
}

/* Lists that are packed, texts that are put right, members that are hidden. */
static int build_lists(hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_array(&j, NULL);
    for (int i = 0; i < 3; i++) {
        hsp_json_array(&j, NULL);
        for (int k = 0; k < 4; k++) hsp_json_int(&j, NULL, k);
        hsp_json_array_end(&j);
    }
    hsp_json_array_end(&j);
    hsp_report *matrix = NULL;
    int status = hsp_json_take(&j, &matrix, err);
    hsp_json_object(&j, NULL);
    hsp_json_report(&j, "matrix", matrix);
    hsp_report_hide(&j);
    hsp_json_string(&j, "\xff", "broken \xc3 text");
    hsp_json_object_end(&j);
    if (!status)
        status = hsp_json_take(&j, out, err);
    else
        hsp_json_drop(&j);
    hsp_report_free(matrix);
    return status;
}

static int parse(hsp_report **out, hsp_error **err) {
    static const char json[] = "{\"a\":[[1,2],[3,4]],\"b\":[1,null],\"c\":[\"x\",{\"d\":true}],\"e\":\"text\"}";
    return hsp_report_parse(json, strlen(json), out, err);
}

/* Each allocation fails once, the others do not: an error and nothing else. Leaks are the sanitizer's to find. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    static int (*const jobs[])(hsp_report **, hsp_error **) = {build, build_lists, parse};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        hsp_report *right = NULL;
        assert_int_equal(jobs[i](&right, NULL), HSP_OK);
        int failed = 0, status = HSP_EMEMORY;
        for (int64_t call = 0; call < 1000; call++) {
            hsp_report *r = NULL;
            hsp_error *err = NULL;
            hsp_memory_fail_once(call);
            status = jobs[i](&r, &err);
            bool reached = hsp_memory_calls() > call;
            hsp_memory_fail_once(-1);
            assert_true((status == 0) == (r != NULL) && (status == 0) == (err == NULL));
            if (status) assert_int_equal(status, HSP_EMEMORY);
            if (r) assert_true(hsp_report_equal(r, right));
            failed += status != 0;
            hsp_report_free(r);
            hsp_error_free(err);
            if (!reached) break;
        }
        assert_true(status == HSP_OK && failed >= 8);
        char *json = NULL;
        hsp_memory_fail_once(0);
        assert_int_equal(hsp_report_json(right, &json, NULL), HSP_EMEMORY);
        hsp_memory_fail_once(-1);
        assert_null(json);
        hsp_report_free(right);
    }
}

static void a_failure_is_kept(void **state) {
    (void)state;
    hsp_json j = {0};
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    hsp_json_object(&j, NULL);
    hsp_json_fail(&j);
    hsp_json_int(&j, "a", 1);
    hsp_json_object_end(&j);
    assert_int_equal(hsp_json_take(&j, &r, &err), HSP_EMEMORY);
    assert_null(r);
    assert_int_equal(hsp_error_code(err), HSP_EMEMORY);
    hsp_error_free(err);
    add_all_kinds(&j); /* the writer is as new */
    hsp_report_free(taken(&j));
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "a", "half done");
    hsp_json_drop(&j);
    assert_null(j.node);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_not_finite_are_null),
        cmocka_unit_test(whole_numbers_have_all_their_digits),
        cmocka_unit_test(numbers_keep_their_bits),
        cmocka_unit_test(text_is_utf8),
        cmocka_unit_test(random_trees_read_back),
        cmocka_unit_test(both_ends_agree),
        cmocka_unit_test(broken_json_is_refused),
        cmocka_unit_test(deep_nesting_is_read_or_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_failure_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
