/* The study `learning-curve`: sizes, the end that can be had by hand, parts that cannot be trained on. */
#include "studied.h"

static void test_sizes(void **state) {
    (void)state;
    static const struct {
        const char *rows, *classes;
        double first, last;
    } cases[] = {{"100", "2", 10, 70}, {"1000", "2", 10, 700}, {"200", "9", 18, 140}, {"10", "2", 7, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hsp_data *data = generated("blobs", PAIRS("rows", cases[c].rows, "classes", cases[c].classes));
        studied t = study_well("learning-curve", data, PAIRS("algorithm", "nearest-mean", "repeats", "2"));
        int64_t n;
        const double *rows = numbers(&t, "rows", &n, NULL);
        assert_true(n <= 12 && rows[0] == cases[c].first && rows[n - 1] == cases[c].last);
        for (int64_t i = 1; i < n; i++) assert_true(rows[i] > rows[i - 1]);
        assert_true(number(&t, "failed") == 0 && number(&t, "repeats") == 2);
        studied_free(&t);
        hsp_data_free(data);
    }
}

/* With all rows each repeat is a split of its own seed. */
static void test_end(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "120", "noise", "3", "classes", "3"));
    studied t = study_well("learning-curve", data, PAIRS("algorithm", "nearest-mean", "repeats", "3", "seed", "5"));
    static const char *const seeds[] = {"5", "6", "7"};
    double train[3], test[3], mean = 0, square = 0, seen = 0;
    for (int r = 0; r < 3; r++) {
        hsp_data *a = NULL, *b = NULL;
        split_for_study(data, seeds[r], &a, &b);
        trained m = {0};
        hsp_options *o = options_of(PAIRS("algorithm", "nearest-mean"));
        assert_int_equal(hsp_train(a, o, NULL, &m.model, NULL, NULL), HSP_OK);
        train[r] = error_by_hand(m.model, a);
        test[r] = error_by_hand(m.model, b);
        mean += test[r] / 3;
        seen += train[r] / 3;
        hsp_options_free(o);
        trained_free(&m);
        hsp_data_free(a);
        hsp_data_free(b);
    }
    for (int r = 0; r < 3; r++) square += (test[r] - mean) * (test[r] - mean);
    int64_t n;
    numbers(&t, "rows", &n, NULL);
    assert_true(fabs(numbers(&t, "test_mean", NULL, NULL)[n - 1] - mean) < 1e-12);
    assert_true(fabs(numbers(&t, "test_sd", NULL, NULL)[n - 1] - sqrt(square / 2)) < 1e-12);
    assert_true(fabs(numbers(&t, "train_mean", NULL, NULL)[n - 1] - seen) < 1e-12);
    studied_free(&t);
    hsp_data_free(data);
}

static void test_one_repeat(void **state) {
    (void)state;
    hsp_data *data = generated("linear", PAIRS("rows", "60"));
    studied t = study_well("learning-curve", data, PAIRS("repeats", "1"));
    int64_t n;
    const double *sd = numbers(&t, "test_sd", &n, NULL), *test = numbers(&t, "test_mean", NULL, NULL);
    for (int64_t i = 0; i < n; i++) assert_true(sd[i] == 0 && test[i] >= 0);
    assert_true(number(&t, "squared") == 1);
    studied_free(&t);
    hsp_data_free(data);
}

/* Every algorithm has a curve. */
static void test_algorithms(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "2"));
    for (const char *const *name = all_algorithms; *name; name++) {
        studied t = study_well("learning-curve", data, PAIRS("algorithm", *name, "repeats", "2"));
        assert_string_equal(hsp_report_text_at(t.s, "algorithm", 0), *name);
        studied_free(&t);
    }
    hsp_data_free(data);
}

/* Rows of one class far out, in a few places only: a hard margin may be there for small parts and not for large ones. */
static void test_failures(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "80", "noise", "3"));
    studied t = study_well("learning-curve", data, PAIRS("algorithm", "hard-svm", "repeats", "4"));
    int64_t n;
    const double *test = numbers(&t, "test_mean", &n, NULL);
    assert_true(number(&t, "failed") > 0 && number(&t, "failed") < 4 * (double)n);
    assert_true(isnan(test[n - 1]) && !isnan(test[0]));
    studied_free(&t);
    hsp_data_free(data);
    const double same[] = {1, 1, 1, 1, 1, 1, 1, 1};
    data = table_of(same, 8, 1, (const int[]){0, 1, 0, 1, 0, 1, 0, 1});
    study_fails("learning-curve", data, HSP_EINPUT, "separable", PAIRS("algorithm", "hard-svm"));
    hsp_data_free(data);
}

static void test_threads(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "noise", "2", "classes", "3"));
    same_for_any_threads("learning-curve", data, PAIRS("repeats", "5"));
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {0, 1, 2, 3};
    hsp_data *data = table_of(x, 4, 1, (const int[]){0, 0, 1, 1});
    study_fails("learning-curve", data, HSP_EUSAGE, "algorithm", PAIRS("algorithm", "tree"));
    hsp_data_free(data);
    data = table_of(x, 2, 1, (const int[]){0, 1});
    study_fails("learning-curve", data, HSP_EINPUT, "--test", PAIRS("seed", "1"));
    hsp_data_free(data);
    study_needs_classes("learning-curve", PAIRS("seed", "1"));
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "16"));
    study_short_of_memory("learning-curve", data, PAIRS("repeats", "1", "threads", "1", "algorithm", "nearest-mean"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_end),     cmocka_unit_test(test_one_repeat),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_refused), cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_failures), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
