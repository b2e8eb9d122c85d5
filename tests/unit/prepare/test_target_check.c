/* Targets that are not classes, and labels that differ only in case. */
#include "option/option_text.h"
#include "prepare/prepare_memory.h"

#include "data/data.h"
#include "prepare/label_case.h"
#include "prepare/target_check.h"

#include <stdio.h>

enum { MOST_ROWS = 400 };

/* n rows whose labels are `format` with i % values. */
static hsp_data *labelled(const char *format, int values, int64_t n) {
    static char text[MOST_ROWS][24];
    static const char *label[MOST_ROWS];
    static double x[MOST_ROWS];
    for (int64_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], format, (int)(i % values));
        label[i] = text[i];
        x[i] = (double)(i * i % 17);
    }
    return handmade_data(x, n, 1, label, NULL);
}

static bool refused(const char *format, int values, int64_t n, const char *spec) {
    hsp_data *data = labelled(format, values, n);
    hsp_options *o = options_from(spec, ';');
    hsp_error *err = NULL;
    int status = hsp_target_check(data, o, true, &err);
    assert_int_equal(status != 0, err != NULL);
    assert_int_equal(status != 0, hsp_target_unlike_classes(data, o));
    if (err) assert_non_null(strstr(hsp_error_message(err), "--task classification"));
    hsp_error_free(err);
    hsp_options_free(o);
    hsp_data_free(data);
    return status != 0;
}

static void rule(void **state) {
    (void)state;
    assert_true(refused("%d.5", 21, 400, ""));
    assert_false(refused("%d.5", 20, 400, ""));
    assert_false(refused("%d.0", 21, 400, "")); /* whole numbers */
    assert_true(refused("%d", 21, 209, ""));
    assert_false(refused("%d", 21, 210, ""));
    assert_true(refused("w%d", 21, 209, ""));
    assert_false(refused("w%d", 21, 210, ""));
    assert_false(refused("%d.5w", 21, 400, ""));
    assert_false(refused("%d", 20, 20, ""));
    assert_false(refused("w%d", 26, 260, ""));
}

static void options(void **state) {
    (void)state;
    assert_false(refused("%d.5", 21, 400, "task=classification"));
    assert_false(refused("w%d", 40, 100, "positive=w1,w2"));
}

static void parts(void **state) {
    (void)state;
    hsp_data *data = labelled("w%d", 26, 260), *part, *half;
    int64_t rows[130];
    for (int64_t i = 0; i < 130; i++) rows[i] = i;
    assert_int_equal(hsp_data_take(data, rows, 130, &part, NULL), 0);
    assert_int_equal(hsp_data_take(part, rows, 65, &half, NULL), 0);
    hsp_options *o = options_from("", ';');
    assert_int_equal(part->whole_rows, 260);
    assert_int_equal(half->whole_rows, 260);
    assert_false(hsp_target_unlike_classes(half, o));
    hsp_options_free(o);
    hsp_data_free(data);
    hsp_data_free(part);
    hsp_data_free(half);
}

static void expect_case(const char *const *labels, int64_t n, const char *wrong, const char *remedy) {
    static const double x[8];
    hsp_data *data = handmade_data(x, n, 1, labels, NULL);
    hsp_text w = {0}, r = {0};
    assert_int_equal(hsp_label_case_describe(data, &w, &r), wrong != NULL);
    if (wrong) assert_string_equal(w.s, wrong);
    if (wrong) assert_string_equal(r.s, remedy);
    hsp_text_free(&w);
    hsp_text_free(&r);
    hsp_data_free(data);
}

static void case_of_labels(void **state) {
    (void)state;
    const char *const none[] = {"yes", "no", "yes", "1"};
    const char *const two[] = {"yes", "YES", "yes", "no"};
    const char *const many[] = {"a", "A", "b", "B", "c", "C", "d", "D"};
    const char *const untyped[] = {"it's", "It's", "it's"};
    const char *const equals[] = {"a=b", "A=b", "c"};
    expect_case(none, 4, NULL, NULL);
    expect_case(two, 4, "labels 'YES' (1 row) and 'yes' (2) differ only in case",
                "use --map-label 'YES=yes' if they are the same");
    expect_case(
        many, 8,
        "labels 'a' (1 row) and 'A' (1), 'b' (1 row) and 'B' (1), 'c' (1 row) and 'C' (1) and 1 more differ only in "
        "case",
        "use --map-label 'a=A,b=B,c=C,d=D' if they are the same");
    expect_case(untyped, 3, "labels 'It's' (1 row) and 'it's' (2) differ only in case",
                "give them one spelling if they are the same");
    expect_case(equals, 3, "labels 'a=b' (1 row) and 'A=b' (1) differ only in case",
                "give them one spelling if they are the same");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule),
        cmocka_unit_test(options),
        cmocka_unit_test(parts),
        cmocka_unit_test(case_of_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
