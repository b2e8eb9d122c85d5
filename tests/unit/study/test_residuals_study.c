/* The study "residuals": points and figures computed again, samples of many rows, and what it refuses. */
#include "ranked.h"

static hsp_data *line(int64_t n, bool weighted) {
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y), *c = malloc((size_t)n * sizeof *c);
    hsp_data *data = NULL;
    uint32_t seed = 5;
    assert_true(x && y && c);
    for (int64_t i = 0; i < n; i++) {
        x[i] = draw_number(&seed);
        y[i] = 3 * x[i] - 1 + draw_number(&seed);
        c[i] = (double)(i % 3);
    }
    assert_int_equal(hsp_data_from_dense(x, n, 1, 1, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, y, NULL), 0);
    if (weighted) assert_int_equal(hsp_data_set_weights(data, c, NULL), 0);
    free(x);
    free(y);
    free(c);
    return data;
}

static hsp_model *fit_line(const hsp_data *data) {
    hsp_options *o = NULL;
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "algorithm", "ridge", NULL), 0);
    handmade_ok(hsp_train(data, o, NULL, &m, NULL, &err), err);
    hsp_options_free(o);
    return m;
}

static void check_points(const hsp_model *m, const hsp_data *data, const hsp_report *s) {
    int64_t n = 0, rows = data->x.n;
    const double *row = array_of(s, "row", &n, NULL), *predicted = array_of(s, "predicted", NULL, NULL);
    const double *target = array_of(s, "target", NULL, NULL), *residual = array_of(s, "residual", NULL, NULL);
    assert_int_equal(n, rows < 2000 ? rows : 2000);
    assert_true(row[0] == 0 && row[n - 1] == (double)(rows - 1));
    for (int64_t k = 0; k < n; k++) {
        double x, g;
        assert_true(k == 0 || row[k] > row[k - 1]);
        assert_int_equal(hsp_data_row(data, (int64_t)row[k], &x, NULL), 0);
        hsp_model_classify(m, &x, &g);
        assert_true(predicted[k] == g && target[k] == data->target[(int64_t)row[k]] && residual[k] == target[k] - g);
    }
}

static void test_points_and_figures(void **state) {
    (void)state;
    static const int64_t sizes[] = {2, 3, 60, 2000, 2001, 7777};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int weighted = 0; weighted < 2; weighted++) {
            hsp_data *data = line(sizes[k], weighted);
            hsp_model *m = fit_line(data);
            hsp_report *s = studied("residuals", m, data, NULL), *metrics = NULL;
            assert_int_equal(hsp_evaluate(m, data, NULL, NULL, &metrics, NULL), 0);
            check_points(m, data, s);
            assert_true(hsp_report_number(s, "rows") == (double)sizes[k] && hsp_report_number(s, "weighted") == weighted);
            assert_true(hsp_report_number(s, "rmse") == hsp_report_number(metrics, "rmse"));
            assert_true(hsp_report_number(s, "mae") == hsp_report_number(metrics, "mae"));
            hsp_report_free(metrics);
            hsp_report_free(s);
            hsp_model_free(m);
            hsp_data_free(data);
        }
}

static void test_what_is_refused(void **state) {
    (void)state;
    hsp_data *numbers = line(20, false), *classes = noisy(20, 1, 2, 3);
    hsp_model *m = fit_line(numbers), *classifier = fit(classes, "nearest-mean");
    study_fails("residuals", classifier, classes, HSP_EUSAGE, "needs a regression");
    study_fails("residuals", m, classes, HSP_EINPUT, "");
    study_fails("residuals", NULL, numbers, HSP_EUSAGE, "");
    study_fails("residuals", m, NULL, HSP_EUSAGE, "");
    study_fails("scores", m, numbers, HSP_EUSAGE, "needs a classifier");
    hsp_model_free(m);
    hsp_model_free(classifier);
    hsp_data_free(numbers);
    hsp_data_free(classes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points_and_figures), cmocka_unit_test(test_what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
