/* Metrics from scores are those of the model that gave them; F1 and MCC against scikit-learn's values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/metric.h"
#include "trained.h"

#include <math.h>
#include <stdlib.h>

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* By scores alone, and by scores with probabilities and classes: the same bits as from the rows. */
static void check_same(const char *kind, const char *const *of_data, const char *const *of_model, bool regression) {
    hsp_data *data = generated(kind, of_data);
    trained t = train(data, of_model);
    assert_int_equal(t.status, 0);
    int64_t n = hsp_data_rows(data), outputs = hsp_model_outputs(t.model), K = hsp_model_classes(t.model);
    double *score = malloc((size_t)(n * outputs) * sizeof *score), *p = malloc((size_t)(n * (K + 1)) * sizeof *p);
    int32_t *class = malloc((size_t)n * sizeof *class), *truth = malloc((size_t)n * sizeof *truth);
    assert_int_equal(hsp_model_score(t.model, data, score, regression ? NULL : class, NULL), 0);
    if (!regression) assert_int_equal(hsp_metrics_truth(t.model, data, truth, NULL), 0);
    hsp_scored_rows rows = {
        .n = n, .score = score, .truth = regression ? NULL : truth, .target = data->target, .weight = data->weight};
    hsp_metrics whole, by_scores, by_all;
    assert_int_equal(hsp_metrics_compute(t.model, data, NULL, &whole, NULL), 0);
    assert_int_equal(hsp_metrics_of_scores(t.model, &rows, &by_scores, NULL), 0);
    bool probable = !regression && t.model->link != HSP_LINK_NONE;
    for (int64_t i = 0; probable && i < n; i++) hsp_model_probabilities(t.model, score + i * outputs, p + i * K);
    if (probable) rows.probability = p;
    if (!regression) rows.predicted = class;
    assert_int_equal(hsp_metrics_of_scores(t.model, &rows, &by_all, NULL), 0);
    for (const hsp_metric *m = hsp_metric_table; m->name; m++) {
        if (m->regression != regression) continue;
        if (!same(m->value(&whole), m->value(&by_scores)) || !same(m->value(&whole), m->value(&by_all)))
            fail_msg("%s: %g, %g, %g", m->name, m->value(&whole), m->value(&by_scores), m->value(&by_all));
        assert_true(m->probabilities ? probable == !isnan(m->value(&whole)) : !isnan(m->value(&whole)));
    }
    assert_true(same(whole.lead_auc, by_all.lead_auc));
    hsp_metrics_clear(&whole);
    hsp_metrics_clear(&by_scores);
    hsp_metrics_clear(&by_all);
    free(score);
    free(p);
    free(class);
    free(truth);
    trained_free(&t);
    hsp_data_free(data);
}

static void test_same(void **state) {
    (void)state;
    check_same("blobs", PAIRS("rows", "80", "noise", "6"), PAIRS("algorithm", "logistic"), false);
    check_same("blobs", PAIRS("rows", "80", "noise", "6"), PAIRS("algorithm", "svm", "class-weight", "1=3"), false);
    check_same("blobs", PAIRS("rows", "120", "noise", "9", "classes", "11"), PAIRS("algorithm", "logistic"), false);
    check_same("blobs", PAIRS("rows", "120", "noise", "9", "classes", "3"),
               PAIRS("algorithm", "logistic", "multiclass", "ovr"), false);
    check_same("blobs", PAIRS("rows", "120", "noise", "9", "classes", "3"), PAIRS("algorithm", "svm"), false);
    check_same("linear", PAIRS("rows", "60", "noise", "3"), PAIRS("algorithm", "ridge", "task", "regression"), true);
}

/* sklearn.metrics.f1_score and matthews_corrcoef. */
static void check_counts(const double *confusion, int64_t K, int64_t positive, double f1, double mcc) {
    hsp_metrics x = {.classes = K, .positive = positive, .confusion = (double *)confusion};
    for (int64_t k = 0; k < K * K; k++) x.mass += confusion[k];
    for (int64_t k = 0; k < K; k++) x.correct += confusion[k * K + k];
    assert_true(fabs(hsp_metrics_mean_f1(&x) - f1) < 1e-15);
    assert_true(fabs(hsp_metrics_mcc(&x) - mcc) < 1e-15);
}

static void test_counts(void **state) {
    (void)state;
    const double two[] = {50, 10, 5, 35}, never[] = {8, 0, 2, 0}, three[] = {5, 1, 0, 2, 7, 1, 0, 3, 6},
                 absent[] = {3, 1, 0, 2, 4, 0, 0, 0, 0};
    check_counts(two, 2, 1, 70.0 / 85,
                 (100 * 85 - (55 * 60 + 45 * 40.0)) / sqrt((1e4 - 55 * 55 - 45 * 45) * (1e4 - 60 * 60 - 40 * 40.0)));
    check_counts(two, 2, 0, 100.0 / 115,
                 (100 * 85 - (55 * 60 + 45 * 40.0)) / sqrt((1e4 - 55 * 55 - 45 * 45) * (1e4 - 60 * 60 - 40 * 40.0)));
    check_counts(never, 2, 1, 0, 0);
    check_counts(three, 3, -1, (10.0 / 13 + 14.0 / 21 + 12.0 / 16) / 3,
                 (25 * 18 - (7 * 6 + 11 * 10 + 7 * 9.0)) / sqrt((625 - 49 - 121 - 49.0) * (625 - 36 - 100 - 81.0)));
    check_counts(absent, 3, -1, (6.0 / 9 + 8.0 / 11) / 2,
                 (10 * 7 - (5 * 4 + 5 * 6.0)) / sqrt((100 - 25 - 25.0) * (100 - 16 - 36.0)));
    /* No row is positive and none is predicted so: there is no F1. */
    const double negative[] = {4, 0, 0, 0};
    hsp_metrics x = {.classes = 2, .positive = 1, .confusion = (double *)negative, .mass = 4, .correct = 4};
    assert_true(isnan(hsp_metrics_mean_f1(&x)) && hsp_metrics_mcc(&x) == 0);
}

static void test_table(void **state) {
    (void)state;
    const hsp_metric *first;
    assert_int_equal(hsp_metrics_of_task(false, &first), HSP_METRICS_MOST);
    assert_string_equal(first->name, "accuracy");
    assert_int_equal(hsp_metrics_of_task(true, &first), 3);
    assert_string_equal(first->name, "rmse");
    assert_true(hsp_metric_find("log-loss") && !hsp_metric_find("logloss") && !hsp_metric_find(NULL));
    const hsp_metric *loss = hsp_metric_find("log-loss"), *auc = hsp_metric_find("auc");
    assert_true(hsp_metric_better(loss, 0.1, 0.2) && !hsp_metric_better(loss, 0.2, 0.1) &&
                hsp_metric_better(auc, 0.9, 0.8));
    assert_true(hsp_metric_better(auc, 0.1, NAN) && !hsp_metric_better(auc, NAN, 0.1) && !hsp_metric_better(auc, NAN, NAN));
    hsp_options *o = options_of(PAIRS("metric", "rmse"));
    hsp_error *err = NULL;
    assert_int_equal(hsp_metric_choose(o, false, &first, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), "--metric rmse is for numeric targets"));
    hsp_error_free(err);
    assert_int_equal(hsp_metric_choose(o, true, &first, NULL), 0);
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
