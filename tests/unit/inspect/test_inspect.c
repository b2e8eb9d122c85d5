/* hsp_inspect: the numbers of small data computed by hand, its members, and what it refuses. */
#include "inspect/inspected.h"

#include "data/data.h"

#include <stdio.h>

/* A list of names, or of lists of names, as "a b | c d". */
static void check_names(const hsp_report *list, const char *expected) {
    char text[256] = "";
    size_t used = 0;
    for (int64_t i = 0; i < hsp_report_count(list, NULL); i++) {
        const hsp_report *item = hsp_report_item(list, NULL, i);
        bool nested = hsp_report_kind(item, NULL) == HSP_REPORT_LIST;
        for (int64_t k = 0; k < (nested ? hsp_report_count(item, NULL) : 1); k++) {
            const char *name = hsp_report_text(nested ? hsp_report_item(item, NULL, k) : item, NULL);
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
    hsp_report *report = inspect(data, NULL);
    assert_int_equal(number_of(report, "rows"), 5);
    assert_int_equal(number_of(report, "features"), 7);
    assert_int_equal(number_of(report, "nonzeros"), 26);
    assert_int_equal(number_of(report, "missing"), 0);
    assert_int_equal(number_of(hsp_report_member(report, "classes"), "no"), 3);
    assert_int_equal(number_of(hsp_report_member(report, "classes"), "yes"), 2);
    check_names(hsp_report_member(report, "constant_columns"), "b f");
    check_names(hsp_report_member(report, "duplicate_columns"), "a d | c e |");
    assert_int_equal(number_of(report, "duplicate_rows"), 2);
    assert_int_equal(number_of(report, "conflicting_rows"), 2);
    /* spreads: a {0,1,0,1,7} has variance 6.96, g {2,9,2,9,9} 11.76, c {1,2,1,2,3} 0.56 */
    assert_true(fabs(number_of(report, "scale_ratio") - sqrt(11.76 / 0.56)) < 1e-12);
    assert_true(hsp_report_kind(report, "separable") == HSP_REPORT_OBJECT);
    assert_true(hsp_report_kind(report, "seconds") == HSP_REPORT_OBJECT);
    hsp_report_free(report);
    hsp_data_free(data);
}

/* A group that comes later but whose first column comes earlier, and one of three. */
static void test_groups(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 2, 1, 3, 3, /* */
                        2, 4, 5, 4, 2, 5, 5};
    hsp_data *data = handmade_data(x, 2, 7, (const char *const[]){"p", "q"}, names);
    hsp_report *report = inspect(data, NULL);
    check_names(hsp_report_member(report, "duplicate_columns"), "a e | b d | c f g |");
    hsp_report_free(report);
    hsp_data_free(data);
}

static void test_regression(void **state) {
    (void)state;
    const double x[] = {1, 2, 1}, t[] = {0.5, 1.5, 2.5};
    hsp_data *data = handmade_data(x, 3, 1, NULL, NULL);
    hsp_error *err = NULL;
    handmade_ok(hsp_data_set_targets(data, t, &err), err);
    hsp_report *report = inspect(data, NULL);
    static const char *const absent[] = {"classes", "conflicting_rows", "separable"};
    for (int i = 0; i < 3; i++) assert_true(hsp_report_kind(report, absent[i]) == HSP_REPORT_NULL);
    assert_int_equal(number_of(report, "duplicate_rows"), 1);
    hsp_report_free(report);
    hsp_report *none = NULL;
    hsp_options *o = options_of(PAIRS("positive", "1"));
    handmade_fails(hsp_inspect(data, o, NULL, &none, &err), HSP_EUSAGE, &err, "--positive is for classification");
    assert_null(none);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void test_without_labels(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    hsp_data *data = handmade_data(x, 3, 1, NULL, NULL);
    hsp_report *report = inspect(data, NULL);
    assert_true(hsp_report_kind(report, "classes") == HSP_REPORT_NULL &&
                hsp_report_kind(report, "separable") == HSP_REPORT_NULL);
    hsp_report_free(report);
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {1, 2};
    hsp_data *data = handmade_data(x, 2, 1, (const char *const[]){"a", "b"}, NULL);
    static const struct {
        const char *option, *value, *words;
    } bad[] = {{"intercept", "penalised", "has no meaning for separability"}, {"positive", "c", "is not a class"}};
    for (int i = 0; i < 2; i++) {
        hsp_options *o = options_of(PAIRS(bad[i].option, bad[i].value));
        hsp_error *err = NULL;
        hsp_report *report = NULL;
        handmade_fails(hsp_inspect(data, o, NULL, &report, &err), HSP_EUSAGE, &err, bad[i].words);
        assert_null(report);
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
