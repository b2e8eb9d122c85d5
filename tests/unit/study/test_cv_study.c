/* The study `cv`: folds, one row left out at a time against the closed form, the choice of lambda, what is refused. */
#include "studied.h"

/* Every row once, folds of a size. */
static void test_folds(void **state) {
    (void)state;
    static const struct {
        const char *rows, *folds;
        double least, most;
    } cases[] = {{"100", "5", 20, 20}, {"103", "5", 20, 21}, {"7", "7", 1, 1}, {"50", "8", 6, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hsp_data *data = generated("blobs", PAIRS("rows", cases[c].rows, "noise", "3"));
        studied t = study_well("cv", data, PAIRS("algorithm", "nearest-mean", "folds", cases[c].folds));
        int64_t n;
        const double *rows = numbers(&t, "fold_rows", &n, NULL);
        double sum = 0;
        for (int64_t k = 0; k < n; k++) {
            assert_true(rows[k] >= cases[c].least && rows[k] <= cases[c].most);
            sum += rows[k];
        }
        assert_true(sum == (double)hsp_data_rows(data) && sum == number(&t, "rows") && number(&t, "folds") == (double)n);
        studied_free(&t);
        hsp_data_free(data);
    }
}

/* A class of as many rows as there are folds has one in each: recall is defined everywhere, and so is the AUC. */
static void test_strata(void **state) {
    (void)state;
    double x[44];
    int class[44];
    for (int i = 0; i < 44; i++) x[i] = (i * 29) % 44, class[i] = i % 11 == 0;
    hsp_data *data = table_of(x, 44, 1, class);
    studied t = study_well("cv", data, PAIRS("folds", "4"));
    for (int k = 0; k < 4; k++) assert_true(isfinite(numbers(&t, "auc", NULL, NULL)[k]));
    studied_free(&t);
    hsp_data_free(data);
}

/* The exact leave-one-out error of a fit to numbers, as its report has it. */
static double exact_error(const hsp_data *data, const char *algorithm) {
    hsp_options *o = options_of(PAIRS("algorithm", algorithm, "task", "regression"));
    hsp_model *m = NULL;
    hsp_report *report = NULL;
    assert_int_equal(hsp_train(data, o, NULL, &m, &report, NULL), HSP_OK);
    const char *details = strcmp(algorithm, "ridge") == 0 ? "ridge" : "least_squares";
    double error = hsp_report_number(hsp_report_member(report, details), "loo_rmse");
    assert_true(isfinite(error));
    hsp_report_free(report);
    hsp_model_free(m);
    hsp_options_free(o);
    return error;
}

/* One row left out at a time: the closed form has the same errors from one factorisation. Ridge too, as C stays the same
 * when a row goes. */
static void test_leave_one_out(void **state) {
    (void)state;
    static const char *const names[] = {"least-squares", "ridge"};
    hsp_data *data = generated("linear", PAIRS("rows", "30", "features", "4", "noise", "5"));
    for (int i = 0; i < 2; i++) {
        studied t = study_well("cv", data, PAIRS("algorithm", names[i], "folds", "30"));
        double sum = 0, exact = exact_error(data, names[i]);
        for (int k = 0; k < 30; k++) sum += pow(numbers(&t, "rmse", NULL, NULL)[k], 2);
        assert_true(fabs(sqrt(sum / 30) - exact) < 1e-9 * exact);
        studied_free(&t);
    }
    hsp_data_free(data);
}

/* Mean, deviation and choice are those of the folds; of equal means the greatest lambda. */
static void test_choice(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "features", "12", "noise", "8"));
    studied t = study_well("cv", data, PAIRS("lambdas", "1e-4:1e3:8", "folds", "6"));
    int64_t n;
    const double *mean = numbers(&t, "mean", &n, NULL), *accuracy = numbers(&t, "accuracy", NULL, NULL);
    int64_t best = (int64_t)number(&t, "best");
    double sum = 0, square = 0;
    assert_int_equal(n, 8);
    for (int64_t i = 0; i < n; i++) assert_true(i > best ? mean[i] < mean[best] : mean[i] <= mean[best]);
    for (int k = 0; k < 6; k++) sum += accuracy[k];
    for (int k = 0; k < 6; k++) square += pow(accuracy[k] - sum / 6, 2);
    assert_true(fabs(mean[best] - sum / 6) < 1e-15);
    assert_true(numbers(&t, "figure_mean", &n, NULL)[0] == mean[best] && n == 6); /* of all figures; of these the first */
    for (int k = 0; k < 6; k++) assert_true(isfinite(numbers(&t, "figure_sd", NULL, NULL)[k]));
    assert_true(fabs(numbers(&t, "sd", NULL, NULL)[best] - sqrt(square / 5)) < 1e-15);
    /* One lambda alone has the same folds, so the same figures. */
    char lambda[40];
    lambda[hsp_format_number(numbers(&t, "lambda", NULL, NULL)[2], lambda)] = 0;
    studied one = study_well("cv", data, PAIRS("lambda", lambda, "folds", "6"));
    assert_true(numbers(&one, "mean", NULL, NULL)[0] == mean[2] && isnan(numbers(&one, "lambda", NULL, NULL)[0]));
    studied_free(&one);
    studied_free(&t);
    hsp_data_free(data);
}

static void test_algorithms(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "2"));
    for (const char *const *name = all_algorithms; *name; name++) {
        studied t = study_well("cv", data, PAIRS("algorithm", *name));
        assert_true(numbers(&t, "mean", NULL, NULL)[0] > 0.7);
        assert_string_equal(hsp_report_text_at(t.s, "figures", 0), "accuracy");
        studied_free(&t);
    }
    hsp_data_free(data);
}

static void test_threads(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "noise", "2", "classes", "3"));
    same_for_any_threads("cv", data, PAIRS("lambdas", "0.01,1", "folds", "7"));
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {0, 1, 2, 3};
    hsp_data *data = table_of(x, 4, 1, (const int[]){0, 0, 1, 1});
    study_fails("cv", data, HSP_EINPUT, "too few for 5 folds", PAIRS("seed", "1"));
    study_fails("cv", data, HSP_EUSAGE, "algorithm", PAIRS("algorithm", "tree", "folds", "2"));
    study_fails("cv", data, HSP_EUSAGE, "no lambda", PAIRS("algorithm", "lda", "lambdas", "1,2", "folds", "2"));
    study_fails("cv", data, HSP_EUSAGE, "leave them out", PAIRS("C", "1", "lambdas", "1,2", "folds", "2"));
    study_fails("cv", data, HSP_EUSAGE, "--lambdas", PAIRS("lambdas", "2:1", "folds", "2"));
    hsp_data_free(data);
    study_needs_classes("cv", PAIRS("folds", "2"));
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "12"));
    study_short_of_memory("cv", data, PAIRS("folds", "2", "threads", "1", "algorithm", "nearest-mean"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds),   cmocka_unit_test(test_strata),     cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_choice),  cmocka_unit_test(test_algorithms), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
