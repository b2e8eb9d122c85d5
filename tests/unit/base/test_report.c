/* Reports: every getter on every kind of value, lists that become arrays, copies and comparison. */
#include "some_reports.h"

/* ---- getters ---- */

static void each_getter_on_each_kind(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int kind, flag;
        double number;
        const char *text;
        int64_t count;
        bool array;
    } cases[] = {
        {"null", HSP_REPORT_NULL, -1, NAN, NULL, 0, false},      {"flag", HSP_REPORT_FLAG, 1, NAN, NULL, 0, false},
        {"number", HSP_REPORT_NUMBER, -1, 0.25, NULL, 0, false}, {"text", HSP_REPORT_TEXT, -1, NAN, "words", 0, false},
        {"vector", HSP_REPORT_ARRAY, -1, NAN, NULL, 3, true},    {"matrix", HSP_REPORT_ARRAY, -1, NAN, NULL, 2, true},
        {"list", HSP_REPORT_LIST, -1, NAN, NULL, 3, false},      {"object", HSP_REPORT_OBJECT, -1, NAN, NULL, 2, false},
        {"nothing", HSP_REPORT_ABSENT, -1, NAN, NULL, 0, false}};
    hsp_report *r = all_kinds();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].name;
        const hsp_report *own = hsp_report_member(r, name);
        assert_true((own == NULL) == (cases[i].kind == HSP_REPORT_ABSENT));
        for (int by_name = 0; by_name < 2; by_name++) { /* from the object, and from the value itself */
            const hsp_report *at = by_name ? r : own;
            const char *key = by_name ? name : NULL;
            hsp_array a = {.size = sizeof a};
            hsp_error *err = NULL;
            assert_int_equal(hsp_report_kind(at, key), cases[i].kind);
            assert_int_equal(hsp_report_flag(at, key), cases[i].flag);
            double number = hsp_report_number(at, key);
            assert_true(isnan(cases[i].number) ? isnan(number) : number == cases[i].number);
            if (cases[i].text)
                assert_string_equal(hsp_report_text(at, key), cases[i].text);
            else
                assert_null(hsp_report_text(at, key));
            assert_int_equal(hsp_report_count(at, key), cases[i].count);
            assert_int_equal(hsp_report_array(at, key, &a, &err), cases[i].array ? HSP_OK : HSP_EUSAGE);
            assert_true(cases[i].array == (err == NULL) && cases[i].array == (a.data != NULL));
            if (err && by_name) assert_non_null(strstr(hsp_error_message(err), name));
            hsp_error_free(err);
        }
        if (own) assert_string_equal(hsp_report_name(own), name);
    }
    assert_null(hsp_report_name(r));
    assert_int_equal(hsp_report_count(r, NULL), 8);
    check_json(r, ALL_KINDS);
    hsp_report_free(r);
}

static void nothing_has_nothing(void **state) {
    (void)state;
    static const char *const names[] = {NULL, "", "x"};
    for (int i = 0; i < 3; i++) {
        hsp_array a = {.size = sizeof a};
        assert_int_equal(hsp_report_kind(NULL, names[i]), HSP_REPORT_ABSENT);
        assert_true(isnan(hsp_report_number(NULL, names[i])) && isnan(hsp_report_number_at(NULL, names[i], 0)));
        assert_int_equal(hsp_report_flag(NULL, names[i]), -1);
        assert_null(hsp_report_text(NULL, names[i]));
        assert_null(hsp_report_text_at(NULL, names[i], 0));
        assert_null(hsp_report_member(NULL, names[i]));
        assert_null(hsp_report_item(NULL, names[i], 0));
        assert_int_equal(hsp_report_count(NULL, names[i]), 0);
        assert_int_equal(hsp_report_array(NULL, names[i], &a, NULL), HSP_EUSAGE);
    }
    assert_null(hsp_report_next(NULL, NULL));
    assert_null(hsp_report_name(NULL));
    check_json(NULL, "null");
    hsp_report_free(NULL);
}

static void items_are_found_by_place(void **state) {
    (void)state;
    static const char *const order[] = {"null", "flag", "number", "text", "vector", "matrix", "list", "object"};
    hsp_report *r = all_kinds();
    const hsp_report *item = NULL;
    for (int i = 0; i < 8; i++) {
        item = hsp_report_next(r, item);
        assert_ptr_equal(item, hsp_report_item(r, NULL, i));
        assert_string_equal(hsp_report_name(item), order[i]);
    }
    assert_null(hsp_report_next(r, item));
    assert_null(hsp_report_item(r, NULL, 8));
    assert_null(hsp_report_item(r, NULL, -1));
    assert_string_equal(hsp_report_text_at(r, "list", 0), "first");
    assert_null(hsp_report_text_at(r, "list", 1));
    assert_null(hsp_report_text_at(r, "list", 3));
    assert_true(hsp_report_number_at(r, "list", 1) == 7 && isnan(hsp_report_number_at(r, "list", 0)));
    assert_null(hsp_report_name(hsp_report_item(r, "list", 0)));
    assert_int_equal(hsp_report_flag(hsp_report_item(r, "list", 2), NULL), 0);
    assert_true(hsp_report_number_at(r, "vector", 1) == -0.5 && isnan(hsp_report_number_at(r, "vector", 2)));
    assert_true(isnan(hsp_report_number_at(r, "vector", 3)) && isnan(hsp_report_number_at(r, "vector", -1)));
    assert_true(isnan(hsp_report_number_at(r, "matrix", 0))); /* which column? */
    assert_null(hsp_report_item(r, "vector", 0));
    assert_null(hsp_report_next(hsp_report_member(r, "text"), NULL));
    assert_string_equal(hsp_report_text(hsp_report_item(r, "object", 1), NULL), "two");
    assert_string_equal(hsp_report_text(hsp_report_member(r, "object"), "b"), "two");
    hsp_report_free(r);
}

static void arrays_are_views(void **state) {
    (void)state;
    hsp_report *r = all_kinds();
    hsp_array a = {.size = sizeof a}, old;
    assert_int_equal(hsp_report_array(r, "matrix", &a, NULL), HSP_OK);
    assert_true(a.size == sizeof a && a.dtype == HSP_FLOAT64 && a.ndim == 2 && a.shape[0] == 2 && a.shape[1] == 3);
    assert_true(a.strides[0] == 24 && a.strides[1] == 8 && ((const double *)a.data)[5] == 6);
    assert_int_equal(hsp_report_array(r, "vector", &a, NULL), HSP_OK);
    assert_true(a.ndim == 1 && a.shape[0] == 3 && a.shape[1] == 1 && a.strides[0] == 8);
    memset(&old, 0x55, sizeof old); /* of a caller who knows no strides */
    old.size = offsetof(hsp_array, strides);
    assert_int_equal(hsp_report_array(r, "matrix", &old, NULL), HSP_OK);
    assert_true(old.shape[1] == 3 && old.strides[0] == 0x5555555555555555 && old.size == offsetof(hsp_array, strides));
    hsp_report_free(r);
}

/* ---- lists and arrays ---- */

static void lists_of_numbers_are_arrays(void **state) {
    (void)state;
    static const struct {
        const char *json;
        int kind;
        int64_t rows, columns;
    } cases[] = {{"{\"a\":[1,2,3]}", HSP_REPORT_ARRAY, 3, 1},
                 {"{\"a\":[1,null]}", HSP_REPORT_ARRAY, 2, 1},
                 {"{\"a\":[null]}", HSP_REPORT_ARRAY, 1, 1},
                 {"{\"a\":[[1,2],[3,null]]}", HSP_REPORT_ARRAY, 2, 2},
                 {"{\"a\":[[1]]}", HSP_REPORT_ARRAY, 1, 1},
                 {"{\"a\":[]}", HSP_REPORT_LIST, 0, 1},
                 {"{\"a\":[[1,2],[3]]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[[1,2],null]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[[1,2],3]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[1,\"2\"]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[1,true]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[[],[]]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[[[1,2]],[[3,4]]]}", HSP_REPORT_LIST, -1, 0},
                 {"{\"a\":[{\"b\":1}]}", HSP_REPORT_LIST, -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_report *r = parsed(cases[i].json);
        hsp_array a = {.size = sizeof a};
        assert_int_equal(hsp_report_kind(r, "a"), cases[i].kind);
        int status = hsp_report_array(r, "a", &a, NULL);
        assert_int_equal(status, cases[i].rows < 0 ? HSP_EUSAGE : HSP_OK);
        if (!status) assert_true(a.shape[0] == cases[i].rows && a.shape[1] == cases[i].columns);
        check_json(r, cases[i].json);
        hsp_report_free(r);
    }
}

static void null_in_an_array_is_nan(void **state) {
    (void)state;
    hsp_report *r = parsed("[[1,null,3],[null,5,6]]");
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(r, NULL, &a, NULL), HSP_OK);
    for (int i = 0; i < 6; i++) {
        double v = ((const double *)a.data)[i];
        assert_true(i == 1 || i == 3 ? isnan(v) : v == i + 1);
    }
    hsp_report_free(r);
}

/* ---- copies, quiet members, comparison ---- */

static void copies_are_equal(void **state) {
    (void)state;
    hsp_report *r = all_kinds();
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_report(&j, "all", r);
    hsp_json_report(&j, "nothing", NULL);
    hsp_json_members(&j, r);
    hsp_json_object_end(&j);
    hsp_report *copy = taken(&j);
    assert_int_equal(hsp_report_count(copy, NULL), 10);
    assert_true(hsp_report_equal(hsp_report_member(copy, "all"), r));
    assert_int_equal(hsp_report_kind(copy, "nothing"), HSP_REPORT_NULL);
    HSP_REPORT_EACH(item, r) assert_true(hsp_report_equal(item, hsp_report_member(copy, hsp_report_name(item))));
    hsp_report_free(r);
    check_json(hsp_report_member(copy, "all"), ALL_KINDS); /* a part, after its source is gone */
    hsp_report_free(copy);
}

static void quiet_members_are_not_written(void **state) {
    (void)state;
    const double v[] = {1, 2};
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "a", 1);
    hsp_report_add_values(&j, "many", v, 2, 0);
    hsp_report_hide(&j);
    hsp_report_add_values(&j, "none", NULL, 0, 0);
    hsp_report_hide(&j);
    hsp_json_int(&j, "z", 2);
    hsp_json_object_end(&j);
    hsp_report *r = taken(&j);
    check_json(r, "{\"a\":1,\"z\":2}");
    assert_int_equal(hsp_report_count(r, "many"), 2);
    assert_true(hsp_report_number_at(r, "many", 1) == 2);
    assert_int_equal(hsp_report_kind(r, "none"), HSP_REPORT_LIST);
    hsp_report_free(r);
}

static void equal_means_the_same_values(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {{"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
                 {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
                 {"{\"a\":1,\"b\":null}", "{\"a\":1,\"c\":null}", false},
                 {"{\"a\":0}", "{\"a\":-0.0}", false},
                 {"{\"a\":0}", "{\"a\":false}", false},
                 {"{\"a\":true}", "{\"a\":false}", false},
                 {"{\"a\":1}", "{\"a\":1.0000000000000002}", false},
                 {"{\"a\":\"x\"}", "{\"a\":\"y\"}", false},
                 {"[1,null]", "[1,null]", true},
                 {"[1,null]", "[1,2]", false},
                 {"[1,2]", "[2,1]", false},
                 {"[1,2]", "[1,2,3]", false},
                 {"[[1,2],[3,4]]", "[[1,2],[3,4]]", true},
                 {"[[1,2],[3,4]]", "[1,2,3,4]", false},
                 {"[\"a\",[\"b\"]]", "[\"a\",[\"b\"]]", true},
                 {"[\"a\",\"b\"]", "[\"b\",\"a\"]", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_report *a = parsed(cases[i].a), *b = parsed(cases[i].b);
        if (hsp_report_equal(a, b) != cases[i].equal || hsp_report_equal(b, a) != cases[i].equal)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
        assert_true(hsp_report_equal(a, a) && !hsp_report_equal(a, NULL));
        hsp_report_free(a);
        hsp_report_free(b);
    }
    hsp_report null = hsp_report_of_text(NULL);
    assert_true(hsp_report_equal(NULL, NULL) && hsp_report_equal(&null, NULL) && hsp_report_equal(NULL, &null));
}

static void members_are_renamed_anywhere(void **state) {
    (void)state;
    hsp_report *r = parsed("{\"a\":{\"old\":1,\"b\":\"old\"},\"c\":[{\"old\":null}]}");
    assert_int_equal(hsp_report_rename(r, "old", "longer name"), HSP_OK);
    check_json(r, "{\"a\":{\"longer name\":1,\"b\":\"old\"},\"c\":[{\"longer name\":null}]}");
    hsp_report_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_getter_on_each_kind),
        cmocka_unit_test(nothing_has_nothing),
        cmocka_unit_test(items_are_found_by_place),
        cmocka_unit_test(arrays_are_views),
        cmocka_unit_test(lists_of_numbers_are_arrays),
        cmocka_unit_test(null_in_an_array_is_nan),
        cmocka_unit_test(copies_are_equal),
        cmocka_unit_test(quiet_members_are_not_written),
        cmocka_unit_test(equal_means_the_same_values),
        cmocka_unit_test(members_are_renamed_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
