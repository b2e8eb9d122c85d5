/* Regression: figures worked out by hand, weights as repeated rows, constant targets, and numbers out of range. */
#include "eval/measured.h"

#include <float.h>

/* The prediction is the one feature. */
static hsp_model *identity(void) {
    hsp_model *m = handmade_regression(1, NULL, "none");
    m->w[0] = 1, m->b[0] = 0;
    return m;
}

static void test_by_hand(void **state) {
    (void)state;
    hsp_model *m = identity();
    const double x[] = {1, 2, 3, 4}, y[] = {2, 2, 1, 7}; /* residuals 1 0 -2 3, mean 3: around it 1 1 4 16 */
    hsp_data *data = handmade_targets(x, 4, 1, y);
    hsp_metrics s = metrics_of(m, data);
    assert_true(s.rows == 4 && s.mass == 4 && s.classes == 0 && !s.confusion);
    assert_true(s.mse == 14.0 / 4 && fabs(s.rmse - sqrt(14.0 / 4)) < 1e-15 && s.mae == 1.5 && s.max_error == 3);
    assert_true(fabs(s.r2 - (1 - 14.0 / 22)) < 1e-15);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_weights_repeat_rows(void **state) {
    (void)state;
    hsp_model *m = identity();
    const double x[] = {1, 2, 3, 9}, y[] = {2, 2, 1, -50}, weight[] = {2, 1, 3, 0};
    const double xs[] = {1, 1, 2, 3, 3, 3}, ys[] = {2, 2, 2, 1, 1, 1};
    hsp_data *weighted = handmade_targets(x, 4, 1, y), *repeated = handmade_targets(xs, 6, 1, ys);
    set_weights(weighted, weight);
    hsp_metrics a = metrics_of(m, weighted), b = metrics_of(m, repeated);
    assert_true(a.rows == 4 && a.weighted && a.mass == 6 && !b.weighted);
    assert_true(fabs(a.rmse - b.rmse) < 1e-15 && fabs(a.mae - b.mae) < 1e-15 && fabs(a.r2 - b.r2) < 1e-14);
    assert_true(a.max_error == b.max_error); /* the row of weight 0 is not there */
    hsp_data_free(weighted);
    hsp_data_free(repeated);
    hsp_model_free(m);
}

static void test_no_spread(void **state) {
    (void)state;
    hsp_model *m = identity();
    hsp_data *data = handmade_targets((const double[]){1, 2, 3}, 3, 1, (const double[]){0.1, 0.1, 0.1});
    hsp_metrics s = metrics_of(m, data);
    assert_true(isnan(s.r2) && isfinite(s.rmse) && s.max_error > 2);
    hsp_data_free(data);
    data = handmade_targets((const double[]){1, 2, 3}, 3, 1, (const double[]){0.1, 0.1, 7});
    set_weights(data, (const double[]){1, 1, 0}); /* constant where it counts */
    s = metrics_of(m, data);
    assert_true(isnan(s.r2));
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_out_of_range(void **state) {
    (void)state;
    hsp_model *m = identity();
    hsp_data *data = handmade_targets((const double[]){1e308, -1e308}, 2, 1, (const double[]){-1e308, 1e308});
    hsp_metrics s = metrics_of(m, data);
    assert_true(s.max_error == DBL_MAX && s.rmse == DBL_MAX && s.mae == DBL_MAX && fabs(s.r2 + 3) < 1e-12);
    hsp_data_free(data);
    data = handmade_targets((const double[]){1e200, 0}, 2, 1, (const double[]){0, 1e-200});
    s = metrics_of(m, data);
    assert_true(fabs(s.rmse / (1e200 / sqrt(2)) - 1) < 1e-12 && s.r2 == -DBL_MAX);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_unusable(void **state) {
    (void)state;
    static const char *const classes[] = {"1", "2"};
    hsp_model *m = identity(), *c = handmade_model(1, classes, 2, NULL, "none");
    const double x[] = {1, 2};
    hsp_data *labelled = handmade_data(x, 2, 1, classes, NULL), *bare = handmade_data(x, 2, 1, NULL, NULL);
    hsp_data *targets = handmade_targets(x, 2, 1, x);
    hsp_error *err = NULL;
    hsp_metrics s;
    handmade_fails(hsp_metrics_compute(m, labelled, NULL, &s, &err), HSP_EINPUT, &err, "no target column");
    handmade_fails(hsp_metrics_compute(m, bare, NULL, &s, &err), HSP_EINPUT, &err, "no target column");
    handmade_fails(hsp_metrics_compute(c, targets, NULL, &s, &err), HSP_EINPUT, &err, "is a classifier");
    set_weights(targets, x);
    memset(targets->weight, 0, 2 * sizeof(double)); /* as a part of weighted data may be */
    handmade_fails(hsp_metrics_compute(m, targets, NULL, &s, &err), HSP_EINPUT, &err, "weight 0");
    hsp_data_free(labelled);
    hsp_data_free(bare);
    hsp_data_free(targets);
    hsp_model_free(m);
    hsp_model_free(c);
}

static void test_report(void **state) {
    (void)state;
    hsp_model *m = identity();
    hsp_data *data = handmade_targets((const double[]){1, 2, 4}, 3, 1, (const double[]){1, 2, 3});
    hsp_report *j = NULL;
    hsp_error *err = NULL;
    int status = hsp_evaluate(m, data, NULL, NULL, &j, &err);
    handmade_ok(status, err);
    assert_non_null(j);
    assert_string_equal(hsp_report_text(j, "task"), "regression");
    assert_true(hsp_report_number(j, "rows") == 3);
    assert_true(hsp_report_number(j, "r2") == 0.5);
    assert_true(hsp_report_number(j, "max_error") == 1);
    assert_true(hsp_report_kind(j, "rmse") == HSP_REPORT_NUMBER && hsp_report_kind(j, "mae") == HSP_REPORT_NUMBER);
    assert_true(hsp_report_kind(j, "weight") == HSP_REPORT_NULL);
    assert_null(hsp_report_member(j, "accuracy"));
    assert_null(hsp_report_member(j, "confusion"));
    hsp_report_free(j);
    hsp_data_free(data);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_by_hand),   cmocka_unit_test(test_weights_repeat_rows),
        cmocka_unit_test(test_no_spread), cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_unusable),  cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
