/* hsp_separability: verdicts of small data, for two classes and more; what counts as a row; and that each verdict is one
 * that the checker takes. */
#include "inspect/inspected.h"

#include "data/data.h"

static hsp_report *verified_verdict(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_error *err = NULL;
    hsp_report *report = NULL, *verdict = NULL;
    handmade_ok(hsp_separability(data, o, NULL, &report, &err), err);
    handmade_ok(hsp_verify_separability(report, data, o, &verdict, &err), err);
    if (hsp_report_flag(verdict, "verified") != 1) fail_msg("%s", hsp_report_text(verdict, "first_false"));
    hsp_report_free(verdict);
    hsp_options_free(o);
    return report;
}

static void check_verdict(const double *x, int64_t n, int64_t d, const char *const *labels, const char *const *pairs,
                          const char *expected) {
    hsp_data *data = handmade_data(x, n, d, labels, NULL);
    hsp_report *report = verified_verdict(data, pairs);
    assert_string_equal(text_of(report, "verdict"), expected);
    assert_int_equal(strlen(text_of(report, "data_hash")), 16);
    hsp_report_free(report);
    hsp_data_free(data);
}

static const double square[] = {0, 0, 1, 1, 0, 1, 1, 0};
static const char *const xor_labels[] = {"a", "a", "b", "b"}, *const halves[] = {"a", "b", "a", "b"};

static void test_two_classes(void **state) {
    (void)state;
    check_verdict(square, 4, 2, halves, NULL, "separable");
    check_verdict(square, 4, 2, xor_labels, NULL, "not-separable");
    const double line[] = {0, 1, 1, 2};
    check_verdict(line, 4, 1, (const char *const[]){"a", "a", "b", "b"}, NULL, "touching");
    const double equal[] = {3, 3};
    check_verdict(equal, 2, 1, (const char *const[]){"a", "b"}, NULL, "not-separable");
}

/* 1 and 2 against 3: a threshold splits them, a plane through the origin does not. */
static void test_origin(void **state) {
    (void)state;
    const double line[] = {1, 2, 3};
    static const char *const labels[] = {"a", "a", "b"};
    check_verdict(line, 3, 1, labels, NULL, "separable");
    check_verdict(line, 3, 1, labels, PAIRS("intercept", "none"), "not-separable");
    const double signs[] = {-1, -2, 3};
    check_verdict(signs, 3, 1, labels, PAIRS("intercept", "none"), "separable");
}

static void test_positive(void **state) {
    (void)state;
    const double line[] = {1, 2, 3};
    static const char *const labels[] = {"a", "b", "c"};
    hsp_data *data = handmade_data(line, 3, 1, labels, NULL);
    hsp_report *report = verified_verdict(data, NULL); /* the middle one is not separable from the others */
    const hsp_report *problems = hsp_report_member(report, "problems");
    assert_string_equal(text_of(report, "verdict"), "not-separable");
    assert_int_equal(hsp_report_count(problems, NULL), 3);
    static const char *const verdicts[] = {"separable", "not-separable", "separable"};
    for (int64_t k = 0; k < 3; k++) {
        assert_string_equal(text_of(hsp_report_item(problems, NULL, k), "class"), labels[k]);
        assert_string_equal(text_of(hsp_report_item(problems, NULL, k), "verdict"), verdicts[k]);
    }
    hsp_report_free(report);
    report = verified_verdict(data, PAIRS("positive", "a,b"));
    assert_string_equal(text_of(report, "verdict"), "separable");
    assert_string_equal(text_of(report, "positive"), "a,b");
    hsp_report_free(report);
    report = verified_verdict(data, PAIRS("positive", "b"));
    assert_string_equal(text_of(report, "verdict"), "not-separable");
    assert_string_equal(text_of(report, "positive"), "b");
    hsp_report_free(report);
    hsp_data_free(data);
}

/* Weights say which rows count, and nothing else. */
static void test_weights(void **state) {
    (void)state;
    hsp_data *data = handmade_data(square, 4, 2, xor_labels, NULL);
    const double weights[] = {1, 0.001, 5, 0};
    hsp_error *err = NULL;
    handmade_ok(hsp_data_set_weights(data, weights, &err), err);
    hsp_report *report = verified_verdict(data, NULL);
    assert_string_equal(text_of(report, "verdict"), "separable");
    hsp_report_free(report);
    const double one_class[] = {1, 1, 0, 0};
    handmade_ok(hsp_data_set_weights(data, one_class, &err), err);
    report = verified_verdict(data, NULL);
    assert_string_equal(text_of(report, "verdict"), "separable");
    assert_string_equal(text_of(report, "note"), "one class only");
    hsp_report_free(report);
    hsp_data_free(data);
}

static void test_one_class(void **state) {
    (void)state;
    hsp_data *data = handmade_data(square, 4, 2, (const char *const[]){"a", "a", "a", "a"}, NULL);
    hsp_report *report = verified_verdict(data, NULL);
    assert_string_equal(text_of(report, "verdict"), "separable");
    assert_string_equal(text_of(report, "note"), "one class only");
    assert_string_equal(text_of(report, "positive"), "a");
    hsp_report_free(report);
    /* through the origin it is a question all the same, and the origin itself is a row */
    report = verified_verdict(data, PAIRS("intercept", "none"));
    assert_true(strcmp(text_of(report, "verdict"), "separable") != 0);
    hsp_report_free(report);
    hsp_data_free(data);
}

static void check_refused(const hsp_data *data, const char *const *pairs, int code, const char *words) {
    hsp_options *o = options_of(pairs);
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    handmade_fails(hsp_separability(data, o, NULL, &report, &err), code, &err, words);
    assert_null(report);
    hsp_options_free(o);
}

static void test_refused(void **state) {
    (void)state;
    hsp_data *data = handmade_data(square, 4, 2, halves, NULL), *bare = handmade_data(square, 4, 2, NULL, NULL);
    hsp_error *err = NULL;
    check_refused(data, PAIRS("intercept", "penalised"), HSP_EUSAGE, "none for hyperplanes through the origin");
    check_refused(data, PAIRS("positive", "z"), HSP_EUSAGE, "is not a class");
    check_refused(data, PAIRS("positive", "a,b"), HSP_EUSAGE, "names both classes");
    check_refused(bare, NULL, HSP_EINPUT, "no labelled rows");
    handmade_ok(hsp_data_set_targets(bare, square, &err), err);
    check_refused(bare, NULL, HSP_EUSAGE, "numeric");
    hsp_data_free(data);
    hsp_data_free(bare);
}

/* A request to stop is answered, taken, and leaves the question open; the next question is answered. */
static void test_cancel(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "features", "8", "noise", "5"));
    assert_non_null(data);
    hsp_cancel();
    hsp_options *o = options_of(NULL);
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    handmade_ok(hsp_separability(data, o, NULL, &report, &err), err);
    bool open = strcmp(text_of(report, "verdict"), "undecided") == 0;
    assert_true(open == (hsp_report_flag(report, "interrupted") == 1));
    hsp_report_free(report);
    hsp_options_free(o);
    report = verified_verdict(data, NULL);
    assert_null(hsp_report_member(report, "interrupted"));
    hsp_report_free(report);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_classes), cmocka_unit_test(test_origin),    cmocka_unit_test(test_positive),
        cmocka_unit_test(test_weights),     cmocka_unit_test(test_one_class), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
