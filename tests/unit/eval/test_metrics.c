/* Confusion and its figures counted by hand, labels matched by name, and the report. */
#include "model/handmade.h"

#include "eval/metrics.h"

/* Two classes, the score is the one feature. */
static hsp_model *identity(void) {
    static const char *const classes[] = {"no", "yes"};
    hsp_model *m = handmade_model(1, classes, 2, NULL, "none");
    m->w[0] = 1, m->b[0] = 0;
    return m;
}

/* Three classes and features: the largest feature wins. */
static hsp_model *largest(void) {
    static const char *const classes[] = {"a", "b", "c"};
    hsp_model *m = handmade_model(3, classes, 3, NULL, "none");
    for (int i = 0; i < 9; i++) m->w[i] = i % 4 == 0;
    for (int k = 0; k < 3; k++) m->b[k] = 0;
    return m;
}

static void test_two_classes(void **state) {
    (void)state;
    hsp_model *m = identity();
    const double x[] = {-2, -1, 0, 0.5, 1, 2, -3, 3};
    const char *const labels[] = {"no", "yes", "yes", "no", "yes", "yes", "no", "no"};
    hsp_data *data = handmade_data(x, 8, 1, labels, NULL);
    hsp_metrics s;
    hsp_error *err = NULL;
    int status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_ok(status, err);
    assert_true(s.rows == 8 && s.correct == 4 && s.classes == 2);
    const double confusion[] = {2, 2, 2, 2}; /* 0 is not above 0: the third row is told "no" */
    assert_memory_equal(s.confusion, confusion, sizeof confusion);
    assert_true(s.accuracy == 0.5 && s.balanced_accuracy == 0.5);
    /* Positives -1 0 1 2 against negatives -2 0.5 -3 3: 2+2+3+3 of 16 pairs. */
    assert_true(s.auc == 10.0 / 16 && isnan(s.lead_auc) && isnan(s.lead_average_precision));
    /* From the top: 3 no, 2 yes 1/2, 1 yes 2/3, 0.5 no, 0 yes 3/5, -1 yes 4/6. */
    assert_true(fabs(s.average_precision - (1.0 / 2 + 2.0 / 3 + 3.0 / 5 + 4.0 / 6) / 4) < 1e-15);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_three_classes(void **state) {
    (void)state;
    hsp_model *m = largest();
    const double x[] = {3, 1, 0, 3, 1, 0, 0, 2, 1, 2, 1, 0, 0, 1, 5, 0, 2, 1};
    const char *const labels[] = {"a", "a", "b", "b", "a", "b"};
    hsp_data *data = handmade_data(x, 6, 3, labels, NULL); /* nothing is "c" in truth */
    hsp_metrics s;
    hsp_error *err = NULL;
    int status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_ok(status, err);
    const double confusion[] = {2, 0, 1, 1, 2, 0, 0, 0, 0};
    assert_memory_equal(s.confusion, confusion, sizeof confusion);
    assert_true(s.correct == 4 && fabs(s.balanced_accuracy - 2.0 / 3) < 1e-15);
    assert_true(fabs(hsp_metrics_precision(&s, 0) - 2.0 / 3) < 1e-15 && hsp_metrics_precision(&s, 1) == 1);
    assert_true(hsp_metrics_precision(&s, 2) == 0 && isnan(hsp_metrics_recall(&s, 2)) && isnan(hsp_metrics_f1(&s, 2)));
    assert_true(fabs(hsp_metrics_f1(&s, 1) - 0.8) < 1e-15);
    assert_true(hsp_metrics_support(&s, 0) == 3 && hsp_metrics_support(&s, 2) == 0);
    /* The mean of the two classes that can be ranked, by the lead over the best other: a's 2 2 -5 against -2 1 -2, b's
     * 1 -1 1 against -2 -2 -4. */
    double a = (3 + 3 + 0.0) / 9, b = (3 + 3 + 3.0) / 9;
    assert_true(fabs(s.lead_auc - (a + b) / 2) < 1e-15);
    /* By the scores, since there are no probabilities: a's 3 3 0 against 0 2 0, b's 2 1 2 against 1 1 1. */
    a = (3 + 3 + 1.0) / 9, b = (3 + 1.5 + 3) / 9;
    assert_true(fabs(s.auc - (a + b) / 2) < 1e-15);
    /* a from the top: 3 3 yes, 2 no, 0 0 0 one of three. b: 2 2 yes, 1 1 1 1 one of four. */
    assert_true(fabs(s.average_precision - (2 * 1.0 + 3.0 / 6) / 3) < 1e-15);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_labels_by_name(void **state) {
    (void)state;
    hsp_model *m = largest();
    const double x[] = {0, 0, 1, 0, 1, 0};
    const char *const labels[] = {"c", "b"}; /* the data count from b, the model from a */
    hsp_data *data = handmade_data(x, 2, 3, labels, NULL);
    hsp_metrics s;
    hsp_error *err = NULL;
    int status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_ok(status, err);
    assert_true(s.correct == 2);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    const char *const strange[] = {"c", "z"};
    data = handmade_data(x, 2, 3, strange, NULL);
    status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_fails(status, HSP_EINPUT, &err, "'z' is not a class of the model");
    hsp_data_free(data);
    data = handmade_data(x, 2, 3, NULL, NULL);
    status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_fails(status, HSP_EINPUT, &err, "no label column");
    hsp_data_free(data);
    data = handmade_data(x, 3, 2, (const char *const[]){"a", "b", "c"}, NULL);
    status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_fails(status, HSP_EINPUT, &err, "2 features, but the model has 3");
    assert_null(s.confusion);
    hsp_data_free(data);
    hsp_model_free(m);
}

/* Rows of a sparse file with columns beyond the model's: skipped and counted. */
static void test_unseen(void **state) {
    (void)state;
    hsp_model *m = identity();
    const double x[] = {-1, 9, 2, 0, 3, 9};
    hsp_data *data = handmade_data(x, 3, 2, (const char *const[]){"no", "yes", "yes"}, NULL);
    hsp_free(data->schema.format);
    data->schema.format = hsp_strdup("svmlight");
    hsp_metrics s;
    hsp_error *err = NULL;
    int status = hsp_metrics_compute(m, data, NULL, &s, &err);
    handmade_ok(status, err);
    assert_true(s.correct == 3 && s.unseen_values == 2);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_report(void **state) {
    (void)state;
    hsp_model *m = identity();
    hsp_data *data = handmade_data((const double[]){1, 2, -1}, 3, 1, (const char *const[]){"yes", "yes", "yes"}, NULL);
    hsp_report *j = NULL;
    hsp_error *err = NULL;
    int status = hsp_evaluate(m, data, NULL, NULL, &j, &err);
    handmade_ok(status, err);
    static const char *const keys[] = {"rows",      "accuracy", "error",   "balanced_accuracy", "log_loss",
                                       "brier",     "auc",      "classes", "average_precision", "confusion",
                                       "per_class", "seconds"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) assert_non_null(hsp_report_member(j, keys[i]));
    assert_true(hsp_report_kind(j, "auc") == HSP_REPORT_NULL); /* one class alone has no ranking */
    assert_true(hsp_report_kind(j, "log_loss") == HSP_REPORT_NULL);
    const hsp_report *per = hsp_report_member(j, "per_class");
    assert_int_equal(hsp_report_count(per, "precision"), 2);
    assert_true(isnan(hsp_report_number_at(per, "recall", 0)));
    assert_true(hsp_report_number_at(per, "recall", 1) == 2.0 / 3);
    assert_int_equal(hsp_report_number_at(per, "support", 1), 3);
    hsp_array confusion = {.size = sizeof confusion};
    assert_int_equal(hsp_report_array(j, "confusion", &confusion, NULL), 0);
    assert_true(confusion.shape[0] == 2 && confusion.shape[1] == 2 && ((const double *)confusion.data)[2] == 1);
    hsp_report_free(j);
    for (int64_t k = 0;; k++) {
        hsp_memory_fail_after(k);
        status = hsp_evaluate(m, data, NULL, NULL, &j, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        err = NULL;
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_null(j);
        assert_true(k < 200);
    }
    hsp_report_free(j);
    hsp_data_free(data);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_two_classes), cmocka_unit_test(test_three_classes), cmocka_unit_test(test_labels_by_name),
        cmocka_unit_test(test_unseen),      cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
