#include "data_fixture.h"

static hsp_schema sample(void) {
    hsp_schema s = {.d = 2, .header = true, .delimiter = ';', .file_columns = 4, .target_column = 2};
    s.format = hsp_strdup("csv");
    s.target = hsp_strdup("class");
    s.name = hsp_alloc_zero(2, sizeof *s.name);
    s.name[0] = hsp_strdup("width");
    s.name[1] = hsp_strdup("height");
    s.column = hsp_alloc(2, sizeof *s.column);
    s.column[0] = 1;
    s.column[1] = 4;
    return s;
}

static void a_copy_is_whole_and_apart(void **state) {
    (void)state;
    hsp_schema s = sample(), t;
    hsp_error *err = NULL;
    assert_int_equal(hsp_schema_copy(&s, &t, &err), 0);
    hsp_schema_clear(&s);
    assert_null(s.format);
    assert_int_equal(s.d, 0);
    hsp_schema_clear(&s);
    assert_string_equal(t.format, "csv");
    assert_string_equal(t.target, "class");
    assert_string_equal(t.name[1], "height");
    assert_int_equal(t.column[1], 4);
    assert_int_equal(t.d, 2);
    assert_true(t.header);
    assert_int_equal(t.delimiter, ';');
    assert_int_equal(t.file_columns, 4);
    assert_int_equal(t.target_column, 2);
    hsp_schema_clear(&t);
}

/* A copy is equal; with any change it is not. */
static void sameness(void **state) {
    (void)state;
    for (int change = 0; change < 16; change++) {
        hsp_schema s = sample(), t;
        hsp_error *err = NULL;
        assert_int_equal(hsp_schema_copy(&s, &t, &err), 0);
        char **text[] = {&t.format, &t.target, &t.weight, &t.missing, &t.name[1]};
        if (change >= 1 && change <= 5) {
            hsp_free(*text[change - 1]);
            *text[change - 1] = hsp_strdup("other");
        }
        if (change == 6) t.header = false;
        if (change == 7) t.delimiter = ',';
        if (change == 8) t.file_columns++;
        if (change == 9) t.target_column++;
        if (change == 10) t.weight_column++;
        if (change == 11) t.column[1]++;
        if (change == 12) t.unquoted = true;
        if (change == 13) t.table = true;
        if (change == 14) t.base = 1;
        if (change == 15) t.unused = hsp_alloc_zero(2, sizeof *t.unused);
        assert_true(hsp_schema_same(&s, &t) == (change == 0) && hsp_schema_same(&t, &s) == (change == 0));
        hsp_schema_clear(&s);
        hsp_schema_clear(&t);
    }
    hsp_schema s = sample(), none = {0}, empty = {0};
    assert_true(!hsp_schema_same(&s, &none) && hsp_schema_same(&none, &empty));
    hsp_schema_clear(&s);
}

static int copy(void *user, hsp_error **err) {
    hsp_schema t;
    int status = hsp_schema_copy(user, &t, err);
    if (status) assert_null(t.format);
    hsp_schema_clear(&t);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_schema s = sample();
    sweep_memory(copy, &s);
    hsp_schema_clear(&s);
}

static void features_have_a_name_for_people(void **state) {
    (void)state;
    char buf[32], svmlight[] = "svmlight", csv[] = "csv", memory[] = "memory";
    int64_t column[] = {1, 3};
    hsp_schema named = sample();
    assert_string_equal(hsp_schema_feature(&named, 1, buf), "height");
    hsp_schema_clear(&named);
    hsp_schema s = {.format = svmlight, .d = 5, .base = 1};
    assert_string_equal(hsp_schema_feature(&s, 0, buf), "1");
    s.base = 0;
    assert_string_equal(hsp_schema_feature(&s, 2147483646, buf), "2147483646");
    s = (hsp_schema){.format = csv, .d = 2, .column = column};
    assert_string_equal(hsp_schema_feature(&s, 1, buf), "x3");
    s = (hsp_schema){.format = memory, .d = 2};
    assert_string_equal(hsp_schema_feature(&s, 0, buf), "x1");
    s = (hsp_schema){.d = 2};
    assert_string_equal(hsp_schema_feature(&s, 1, buf), "x2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_whole_and_apart),
        cmocka_unit_test(sameness),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(features_have_a_name_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
