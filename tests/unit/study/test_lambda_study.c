/* The study `lambda`, against fits made one by one. */
#include "studied.h"

#include <stdio.h>
#include <unistd.h>

static void test_against_hand(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "120", "classes", "3", "noise", "2")), *train = NULL, *test = NULL;
    studied t = study_well("lambda", data, PAIRS("lambdas", "0.001:1:4", "seed", "7", "scale", "standard"));
    int64_t L, columns, outputs;
    const double *lambda = numbers(&t, "lambda", &L, NULL), *w = numbers(&t, "weights", NULL, &columns);
    const double *b = numbers(&t, "intercepts", NULL, &outputs), *gap = numbers(&t, "relative_gap", NULL, NULL);
    const double *train_error = numbers(&t, "train_error", NULL, NULL), *test_error = numbers(&t, "test_error", NULL, NULL);
    const double *norm = numbers(&t, "norm", NULL, NULL), *scale = numbers(&t, "scale", NULL, NULL);
    assert_true(L == 4 && outputs == 3 && columns == 6 && number(&t, "all_features") == 2);
    assert_true(number(&t, "train_rows") == 84 && number(&t, "test_rows") == 36 && number(&t, "squared") == 0);
    assert_string_equal(hsp_report_text_at(t.s, "classes", 2), hsp_data_class_name(data, 2));
    assert_null(hsp_report_text_at(t.s, "classes", 3));
    split_for_study(data, "7", &train, &test);
    int64_t best = 0;
    for (int64_t i = 0; i < L; i++) {
        char text[32];
        hsp_format_number(lambda[i], text);
        trained m = {0};
        hsp_options *o = options_of(PAIRS("lambda", text, "scale", "standard", "tol", "1e-6", "seed", "7"));
        assert_int_equal(hsp_train(train, o, NULL, &m.model, NULL, NULL), HSP_OK);
        assert_true(train_error[i] == error_by_hand(m.model, train) && test_error[i] == error_by_hand(m.model, test));
        double square = 0;
        for (int e = 0; e < 6; e++) {
            assert_true(w[i * 6 + e] == m.model->w[e]);
            square += w[i * 6 + e] * w[i * 6 + e] * scale[e % 2] * scale[e % 2];
        }
        for (int k = 0; k < 3; k++) assert_true(b[i * 3 + k] == m.model->b[k]);
        assert_true(fabs(norm[i] - sqrt(square)) < 1e-12 && gap[i] <= 1e-6);
        if (test_error[i] <= test_error[best]) best = i; /* of equals the greater lambda */
        hsp_options_free(o);
        trained_free(&m);
    }
    assert_true(number(&t, "best") == (double)best);
    studied_free(&t);
    hsp_data_free(train);
    hsp_data_free(test);
    hsp_data_free(data);
}

/* From weights of next to nothing to those that the data ask for, in any units. */
static void test_default_grid(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "200", "features", "6"));
    static const char *const algorithms[] = {"logistic", "svm", "ridge"};
    for (int a = 0; a < 3; a++) {
        studied t = study_well("lambda", data, PAIRS("algorithm", algorithms[a]));
        int64_t L;
        const double *lambda = numbers(&t, "lambda", &L, NULL), *norm = numbers(&t, "norm", NULL, NULL);
        assert_true(L == 25 && lambda[L - 1] / lambda[0] >= 1e8 * (1 - 1e-9) && lambda[L - 1] / lambda[0] <= 1.001e12);
        assert_true(norm[L - 1] < 0.3 * norm[0]);
        for (int64_t i = 1; i < L; i++) assert_true(lambda[i] > lambda[i - 1] && norm[i] <= norm[i - 1] * 1.001);
        studied_free(&t);
    }
    hsp_data_free(data);
}

static void test_regression(void **state) {
    (void)state;
    hsp_data *data = generated("linear", PAIRS("rows", "80", "features", "3")), *train = NULL, *test = NULL;
    studied t = study_well("lambda", data, PAIRS("lambdas", "0.5"));
    split_for_study(data, "1", &train, &test);
    hsp_model *m = NULL;
    hsp_options *o = options_of(PAIRS("algorithm", "ridge", "lambda", "0.5"));
    assert_int_equal(hsp_train(train, o, NULL, &m, NULL, NULL), HSP_OK);
    assert_true(number(&t, "squared") == 1 && number(&t, "outputs") == 1);
    assert_true(fabs(numbers(&t, "test_error", NULL, NULL)[0] / error_by_hand(m, test) - 1) < 1e-12);
    assert_null(hsp_report_text_at(t.s, "classes", 0));
    assert_string_equal(hsp_report_text_at(t.s, "algorithm", 0), "ridge");
    hsp_options_free(o);
    hsp_model_free(m);
    hsp_data_free(train);
    hsp_data_free(test);
    studied_free(&t);
    study_fails("lambda", data, HSP_EUSAGE, "is a classifier", PAIRS("algorithm", "logistic"));
    hsp_data_free(data);
}

/* One class against the rest: the truth is merged as the model merges it. */
static void test_positive(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "classes", "3", "noise", "2")), *train = NULL, *test = NULL;
    studied t = study_well("lambda", data, PAIRS("lambdas", "0.1", "positive", "2", "algorithm", "svm"));
    hsp_model *m = NULL;
    hsp_options *o = options_of(PAIRS("lambda", "0.1", "positive", "2", "algorithm", "svm"));
    split_for_study(data, "1", &train, &test);
    assert_int_equal(hsp_train(train, o, NULL, &m, NULL, NULL), HSP_OK);
    assert_true(number(&t, "outputs") == 1 && number(&t, "positive") == (double)hsp_model_positive(m));
    assert_true(numbers(&t, "test_error", NULL, NULL)[0] == error_by_hand(m, test));
    assert_true(numbers(&t, "train_error", NULL, NULL)[0] == error_by_hand(m, train));
    hsp_options_free(o);
    hsp_model_free(m);
    hsp_data_free(train);
    hsp_data_free(test);
    studied_free(&t);
    hsp_data_free(data);
}

/* A table: every part learns its own levels, and judges others by them. */
static void test_table(void **state) {
    (void)state;
    static const char *const colours[] = {"red", "green", "blue", "rare"};
    static const char *const kinds[] = {"lambda", "bias-variance", "learning-curve", "path"};
    char path[] = "test-table-XXXXXX.csv";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *f = fdopen(file, "w");
    assert_non_null(f);
    fputs("size,colour,label\n", f);
    for (int i = 0; i < 60; i++)
        fprintf(f, "%d,%s,%s\n", i * 7 % 13, i == 30 ? colours[3] : colours[i % 3], i % 2 ? "a" : "b");
    fclose(f);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_read(path, NULL, NULL, &data, NULL), HSP_OK);
    unlink(path);
    for (int k = 0; k < 4; k++) {
        studied t =
            study_well(kinds[k], data, k == 2 ? PAIRS("repeats", "3") : PAIRS("lambdas", "0.01,1", "bootstraps", "5"));
        if (k == 0) assert_non_null(hsp_report_text_at(t.s, "features", 3));
        studied_free(&t);
    }
    hsp_data_free(data);
}

/* Of many features only those of the largest weights. */
static void test_many_features(void **state) {
    (void)state;
    hsp_data *data = generated("sparse", PAIRS("rows", "60", "features", "12000"));
    studied t = study_well("lambda", data, PAIRS("lambdas", "1e-5,1e-3"));
    int64_t F;
    const double *scale = numbers(&t, "scale", &F, NULL);
    assert_true(F > 0 && F <= 10000 && scale[0] == 1 && number(&t, "all_features") == 12000);
    assert_non_null(hsp_report_text_at(t.s, "features", F - 1));
    assert_null(hsp_report_text_at(t.s, "features", F));
    studied_free(&t);
    hsp_data_free(data);
}

static void test_threads(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "noise", "2"));
    same_for_any_threads("lambda", data, PAIRS("scale", "none"));
    same_for_any_threads("lambda", data, PAIRS("algorithm", "svm"));
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "40"));
    static const char *const without[] = {"perceptron", "lda", "nearest-mean", "fisher", "least-squares", "hard-svm"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        study_fails("lambda", data, HSP_EUSAGE, "use one of ridge, lasso, elastic-net, logistic, svm",
                    PAIRS("algorithm", without[i]));
    study_fails("lambda", data, HSP_EUSAGE, "logistic", PAIRS("algorithm", "tree"));
    study_fails("lambda", data, HSP_EUSAGE, "--lambdas", PAIRS("lambda", "1"));
    study_fails("lambda", data, HSP_EUSAGE, "--lambdas", PAIRS("C", "1"));
    study_fails("lambda", data, HSP_EUSAGE, "penalty", PAIRS("penalty", "none"));
    study_fails("lambda", data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "1:0"));
    study_fails("lambda", data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "abc"));
    study_fails("lambda", data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "-1"));
    study_fails("lambda", data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", ""));
    study_fails("lambda", data, HSP_EUSAGE, "--test", PAIRS("test", "40"));
    study_fails("lambda", data, HSP_EUSAGE, "", PAIRS("loss", "tanh"));
    study_fails("lambda", data, HSP_EUSAGE, "does not use", PAIRS("update-on", "negative"));
    hsp_data_free(data);
}

static void test_poor_data(void **state) {
    (void)state;
    const double x[] = {0, 1, 2, 3};
    hsp_data *data = table_of(x, 4, 1, (const int[]){0, 0, 0, 0});
    study_fails("lambda", data, HSP_EINPUT, "one class", PAIRS("seed", "1"));
    hsp_data_free(data);
    data = table_of(x, 2, 1, (const int[]){0, 1});
    study_fails("lambda", data, HSP_EINPUT, "--test", PAIRS("seed", "1"));
    hsp_data_free(data);
    data = table_of(x, 1, 1, (const int[]){0});
    study_fails("lambda", data, HSP_EINPUT, "one row", PAIRS("seed", "1"));
    hsp_data_free(data);
    for (int sign = -1; sign <= 1; sign += 2) { /* squares that are 0, or beyond all numbers */
        double unit = sign < 0 ? 1e-200 : 1e200;
        const double far[] = {0, 1 * unit, 2 * unit, 3 * unit, 4 * unit, 5 * unit, 6 * unit, 7 * unit};
        const char *what = sign < 0 ? "too small" : "too large";
        data = table_of(far, 8, 1, (const int[]){0, 0, 0, 0, 1, 1, 1, 1});
        study_fails("lambda", data, HSP_EINPUT, what, PAIRS("seed", "1"));
        study_fails("path", data, HSP_EINPUT, what, PAIRS("seed", "1"));
        hsp_data_free(data);
    }
    data = table_of(x, 4, 1, NULL);
    study_fails("lambda", data, HSP_EINPUT, "no labels", PAIRS("seed", "1"));
    hsp_data_free(data);
    data = table_of(x, 4, 1, (const int[]){0, 1, 0, 1});
    studied t = study_well("lambda", data, PAIRS("seed", "1"));
    studied_free(&t);
    hsp_data_free(data);
}

/* ---- stopping ---- */

static int count_calls(void *user, const hsp_progress *p) {
    int *calls = user;
    assert_true(p->problem <= p->problems && p->problems == 25);
    return ++*calls == 2;
}

static void test_cancelled(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60"));
    hsp_options *o = options_of(PAIRS("threads", "1"));
    hsp_report *s = NULL;
    int calls = 0;
    const hsp_hooks hooks = {.size = sizeof hooks, .user = &calls, .progress = count_calls};
    hsp_cancel();
    assert_int_equal(hsp_study_run("lambda", NULL, data, o, NULL, &s, NULL), HSP_ECANCELLED);
    assert_null(s);
    assert_int_equal(hsp_study_run("lambda", NULL, data, o, &hooks, &s, NULL), HSP_ECANCELLED);
    assert_int_equal(calls, 2);
    assert_int_equal(hsp_study_run("lambda", NULL, data, o, NULL, &s, NULL), HSP_OK); /* the request was consumed */
    hsp_report_free(s);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "24"));
    study_short_of_memory("lambda", data, PAIRS("lambdas", "0.1", "threads", "1", "algorithm", "ridge"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_hand),  cmocka_unit_test(test_default_grid), cmocka_unit_test(test_regression),
        cmocka_unit_test(test_many_features), cmocka_unit_test(test_threads),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_poor_data),     cmocka_unit_test(test_cancelled),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_positive),      cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
