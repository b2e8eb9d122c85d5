/* hsp_inspect: the numbers of small data computed by hand, its members, and what it refuses. */
#include "inspect/inspected.h"

#include "data/data.h"

/* A list of names, or of lists of names, as "a b | c d". */
static void check_names(const json_t *list, const char *expected) {
    char text[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        bool nested = json_is_array(item);
        for (size_t k = 0; k < (nested ? json_array_size(item) : 1); k++) {
            const char *name = json_string_value(nested ? json_array_get(item, k) : item);
            assert_non_null(name);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", name);
        }
        if (nested) used += (size_t)snprintf(text + used, sizeof text - used, " |");
    }
    assert_string_equal(text, expected);
}

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};

static void test_figures(void **state) {
    (void)state;
    const double x[] = {0, 5, 1, 0, 1, 0, 2,  /* a = d, c = e, b and f are constant */
                        1, 5, 2, 1, 2, 0, 9,  /* */
                        0, 5, 1, 0, 1, 0, 2,  /* equal to the first */
                        1, 5, 2, 1, 2, 0, 9,  /* equal to the second, with another label */
                        7, 5, 3, 7, 3, 0, 9}; /* */
    hsp_data *data = handmade_data(x, 5, 7, (const char *const[]){"no", "no", "no", "yes", "yes"}, names);
    json_t *report = inspect(data, NULL);
    assert_int_equal(number_of(report, "rows"), 5);
    assert_int_equal(number_of(report, "features"), 7);
    assert_int_equal(number_of(report, "nonzeros"), 26);
    assert_int_equal(number_of(report, "missing"), 0);
    assert_int_equal(number_of(json_object_get(report, "classes"), "no"), 3);
    assert_int_equal(number_of(json_object_get(report, "classes"), "yes"), 2);
    check_names(json_object_get(report, "constant_columns"), "b f");
    check_names(json_object_get(report, "duplicate_columns"), "a d | c e |");
    assert_int_equal(number_of(report, "duplicate_rows"), 2);
    assert_int_equal(number_of(report, "conflicting_rows"), 2);
    /* spreads: a {0,1,0,1,7} has variance 6.96, g {2,9,2,9,9} 11.76, c {1,2,1,2,3} 0.56 */
    assert_true(fabs(number_of(report, "scale_ratio") - sqrt(11.76 / 0.56)) < 1e-12);
    assert_true(json_is_object(json_object_get(report, "separable")));
    assert_true(json_is_object(json_object_get(report, "seconds")));
    json_decref(report);
    hsp_data_free(data);
}

/* A group that comes later but whose first column comes earlier, and one of three. */
static void test_groups(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 2, 1, 3, 3, /* */
                        2, 4, 5, 4, 2, 5, 5};
    hsp_data *data = handmade_data(x, 2, 7, (const char *const[]){"p", "q"}, names);
    json_t *report = inspect(data, NULL);
    check_names(json_object_get(report, "duplicate_columns"), "a e | b d | c f g |");
    json_decref(report);
    hsp_data_free(data);
}

static void test_regression(void **state) {
    (void)state;
    const double x[] = {1, 2, 1}, t[] = {0.5, 1.5, 2.5};
    hsp_data *data = handmade_data(x, 3, 1, NULL, NULL);
    hsp_error *err = NULL;
    handmade_ok(hsp_data_set_targets(data, t, &err), err);
    json_t *report = inspect(data, NULL);
    static const char *const absent[] = {"classes", "conflicting_rows", "separable"};
    for (int i = 0; i < 3; i++) assert_true(json_is_null(json_object_get(report, absent[i])));
    assert_int_equal(number_of(report, "duplicate_rows"), 1);
    json_decref(report);
    char *text = NULL;
    hsp_options *o = options_of(PAIRS("positive", "1"));
    handmade_fails(hsp_inspect(data, o, NULL, &text, &err), HSP_EUSAGE, &err, "--positive is for classes");
    assert_null(text);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void test_without_labels(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    hsp_data *data = handmade_data(x, 3, 1, NULL, NULL);
    json_t *report = inspect(data, NULL);
    assert_true(json_is_null(json_object_get(report, "classes")) && json_is_null(json_object_get(report, "separable")));
    json_decref(report);
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {1, 2};
    hsp_data *data = handmade_data(x, 2, 1, (const char *const[]){"a", "b"}, NULL);
    static const struct {
        const char *option, *value, *words;
    } bad[] = {{"intercept", "penalised", "asks nothing of separability"}, {"positive", "c", "is not a class"}};
    for (int i = 0; i < 2; i++) {
        hsp_options *o = options_of(PAIRS(bad[i].option, bad[i].value));
        hsp_error *err = NULL;
        char *text = NULL;
        handmade_fails(hsp_inspect(data, o, NULL, &text, &err), HSP_EUSAGE, &err, bad[i].words);
        assert_null(text);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static void test_no_memory(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 1, 2, 2, 3, 4};
    hsp_data *data = handmade_data(x, 4, 2, (const char *const[]){"a", "a", "b", "b"}, NULL);
    assert_true(inspect_short_of_memory(data, NULL) > 8);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),        cmocka_unit_test(test_groups),  cmocka_unit_test(test_regression),
        cmocka_unit_test(test_without_labels), cmocka_unit_test(test_refused), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
