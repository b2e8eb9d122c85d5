/* The study `path`: its beginning, its end, and fits made one by one between. */
#include "studied.h"

static void begins_with_nothing(const hsp_data *data, bool wide, const char *const *pairs) {
    studied t = study_well("path", data, pairs);
    int64_t L, F, columns;
    const double *lambda = numbers(&t, "lambda", &L, NULL), *nonzeros = numbers(&t, "nonzeros", NULL, NULL);
    const double *gap = numbers(&t, "relative_gap", NULL, NULL), *norm = numbers(&t, "norm", NULL, NULL);
    const double *w = numbers(&t, "weights", &F, &columns);
    double ratio = wide ? 1e2 : 1e4;
    assert_true(L == 100 && columns == L && fabs(lambda[0] / lambda[L - 1] / ratio - 1) < 1e-9);
    assert_true(nonzeros[0] == 0 && nonzeros[1] > 0 && nonzeros[L - 1] > 1 && norm[0] == 0);
    for (int64_t i = 0; i < L; i++) assert_true(gap[i] <= 1e-6 && (i == 0 || lambda[i] < lambda[i - 1]));
    double before = INFINITY; /* the largest first */
    for (int64_t f = 0; f < F; f++) {
        double most = 0;
        for (int64_t i = 0; i < L; i++) most = fmax(most, fabs(w[f * L + i] * numbers(&t, "scale", NULL, NULL)[f]));
        assert_true(most > 0 && most <= before);
        before = most;
        assert_non_null(hsp_report_text_at(t.s, "features", f));
    }
    assert_null(hsp_report_text_at(t.s, "features", F));
    studied_free(&t);
}

static void test_beginning(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "150", "features", "10"));
    begins_with_nothing(data, false, PAIRS("top", "5"));
    begins_with_nothing(data, false, PAIRS("scale", "standard"));
    begins_with_nothing(data, false, PAIRS("penalty", "elastic"));
    hsp_data_free(data);
    data = generated("sparse", PAIRS("rows", "150", "features", "200"));
    begins_with_nothing(data, true, PAIRS("top", "7"));
    hsp_data_free(data);
    data = generated("blobs", PAIRS("rows", "90", "classes", "3", "features", "4"));
    begins_with_nothing(data, false, PAIRS("positive", "2"));
    hsp_data_free(data);
}

static void test_against_hand(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "120", "features", "8"));
    studied t = study_well("path", data, PAIRS("lambdas", "0.001,0.1,0.01", "top", "3"));
    int64_t L, F;
    const double *lambda = numbers(&t, "lambda", &L, NULL), *w = numbers(&t, "weights", &F, NULL);
    assert_true(L == 3 && F == 3 && lambda[0] == 0.1 && lambda[1] == 0.01 && lambda[2] == 0.001);
    assert_true(number(&t, "rows") == 120 && number(&t, "all_features") == 8);
    for (int64_t i = 0; i < L; i++) {
        char text[32], buffer[32];
        hsp_format_number(lambda[i], text);
        trained m = train(data, PAIRS("penalty", "l1", "lambda", text, "tol", "1e-6"));
        int64_t nonzeros = 0;
        for (int64_t j = 0; j < 8; j++) {
            nonzeros += m.model->w[j] != 0;
            for (int64_t f = 0; f < F; f++)
                if (strcmp(hsp_report_text_at(t.s, "features", f), hsp_data_feature_label(data, j, buffer)) == 0)
                    assert_true(fabs(w[f * L + i] - m.model->w[j]) < 2e-3 * (1 + fabs(m.model->w[j])));
        }
        /* Begun elsewhere, a fit ends elsewhere within its gap. */
        assert_true(fabs(numbers(&t, "nonzeros", NULL, NULL)[i] - (double)nonzeros) <= 1);
        assert_true(fabs(numbers(&t, "train_error", NULL, NULL)[i] - error_by_hand(m.model, data)) <= 1.0 / 120 + 1e-9);
        trained_free(&m);
    }
    studied_free(&t);
    hsp_data_free(data);
}

/* Columns that say the same, in the same words or in opposite ones, or that differ by a constant: where fits made one by
 * one share the weight out as it happens, the first has all of it and the path goes without jumps. */
static void test_alike(void **state) {
    (void)state;
    enum { N = 200, D = 6 };
    static double x[N * D];
    int class[N];
    for (int i = 0; i < N; i++) {
        double *r = x + i * D;
        class[i] = i * 7 % 10 < 4;
        r[0] = sin(i) + 0.4 * class[i];
        r[1] = (i * 13 % 17 < 8) == (class[i] && i % 5 > 0);
        r[2] = 1 - r[1];
        r[3] = cos(3.7 * i) - 0.6 * class[i];
        r[4] = r[1];
        r[5] = -r[3];
    }
    hsp_data *data = table_of(x, N, D, class);
    const char *const *const cases[] = {PAIRS("scale", "standard"), PAIRS("scale", "none"), PAIRS("intercept", "none")};
    for (int c = 0; c < 3; c++) {
        studied t = study_well("path", data, cases[c]);
        int64_t L, F;
        const double *w = numbers(&t, "weights", &F, &L), *gap = numbers(&t, "relative_gap", NULL, NULL);
        const double *nonzeros = numbers(&t, "nonzeros", NULL, NULL);
        for (int64_t i = 0; i < L; i++) assert_true(gap[i] <= 1e-6 && nonzeros[i] <= (c == 2 ? 4 : 3));
        for (int64_t f = 0; f < F; f++) {
            double most = 0, step = 0;
            for (int64_t i = 0; i < L; i++) most = fmax(most, fabs(w[f * L + i]));
            for (int64_t i = 1; i < L; i++) step = fmax(step, fabs(w[f * L + i] - w[f * L + i - 1]));
            assert_true(step < 0.2 * most);
        }
        studied_free(&t);
    }
    hsp_data_free(data);
}

/* Other penalties and classifiers: nothing is 0, and the norm grows as lambda falls. */
static void test_others(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "80", "features", "5"));
    const char *const *const cases[] = {PAIRS("penalty", "l2"), PAIRS("algorithm", "ridge"), PAIRS("algorithm", "svm"),
                                        PAIRS("algorithm", "svm", "loss", "squared-hinge")};
    for (int c = 0; c < 4; c++) {
        studied t = study_well("path", data, cases[c]);
        int64_t L;
        const double *norm = numbers(&t, "norm", &L, NULL), *nonzeros = numbers(&t, "nonzeros", NULL, NULL);
        for (int64_t i = 0; i < L; i++) assert_true(nonzeros[i] == 5 && (i == 0 || norm[i] >= norm[i - 1] * 0.999));
        studied_free(&t);
    }
    hsp_data_free(data);
    data = generated("linear", PAIRS("rows", "40"));
    studied t = study_well("path", data, PAIRS("seed", "1"));
    assert_true(number(&t, "squared") == 1);
    assert_null(hsp_report_text_at(t.s, "positive", 0));
    studied_free(&t);
    hsp_data_free(data);
}

/* Features that say nothing: a path of zeros. */
static void test_nothing(void **state) {
    (void)state;
    double x[40];
    int class[20];
    for (int i = 0; i < 20; i++) x[2 * i] = 0.1, x[2 * i + 1] = 0.7, class[i] = i % 2;
    hsp_data *data = table_of(x, 20, 2, class);
    studied t = study_well("path", data, PAIRS("seed", "1"));
    int64_t F;
    numbers(&t, "weights", &F, NULL);
    assert_true(F == 0 && numbers(&t, "lambda", NULL, NULL)[0] == 1);
    studied_free(&t);
    hsp_data_free(data);
}

static void test_threads(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "100", "features", "8"));
    same_for_any_threads("path", data, PAIRS("top", "4"));
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "classes", "3"));
    study_fails("path", data, HSP_EUSAGE, "--positive", PAIRS("seed", "1"));
    study_fails("path", data, HSP_EUSAGE, "positive", PAIRS("positive", "17"));
    study_fails("path", data, HSP_EUSAGE, "ridge", PAIRS("algorithm", "perceptron", "positive", "1"));
    study_fails("path", data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "1:0", "positive", "1"));
    study_fails("path", data, HSP_EUSAGE, "--lambdas", PAIRS("lambda", "1", "positive", "1"));
    study_fails("path", data, HSP_EUSAGE, "penalty", PAIRS("penalty", "none", "positive", "1"));
    study_fails("path", data, HSP_EUSAGE, "penalty l2", PAIRS("algorithm", "svm", "penalty", "l1", "positive", "1"));
    hsp_data_free(data);
    study_needs_classes("path", PAIRS("seed", "1"));
    const double x[] = {0, 1};
    data = table_of(x, 2, 1, (const int[]){0, 1});
    studied t = study_well("path", data, PAIRS("seed", "1"));
    studied_free(&t);
    hsp_data_free(data);
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "12"));
    study_short_of_memory("path", data, PAIRS("lambdas", "0.1", "threads", "1"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginning), cmocka_unit_test(test_against_hand), cmocka_unit_test(test_alike),
        cmocka_unit_test(test_others),    cmocka_unit_test(test_nothing),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
