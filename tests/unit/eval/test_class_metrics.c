/* Log loss and Brier score by hand, weights as repeated rows, merged classes, and many classes at once. */
#include "eval/measured.h"

#include "base/rng.h"
#include "eval/metrics.h"
#include "report_json.h"

#include <stdio.h>

static const char *const two[] = {"no", "yes"};
static const char *const three[] = {"a", "b", "c"};

/* The score of class k is feature k; for two classes the one feature. */
static hsp_model *identity(const char *const *classes, int64_t count, hsp_link link) {
    int64_t outputs = count == 2 ? 1 : count;
    hsp_model *m = handmade_model(outputs, classes, count, NULL, "none");
    for (int64_t i = 0; i < outputs * outputs; i++) m->w[i] = i % (outputs + 1) == 0;
    for (int64_t k = 0; k < outputs; k++) m->b[k] = 0;
    m->link = link;
    return m;
}

static void test_two_classes(void **state) {
    (void)state;
    hsp_model *m = identity(two, 2, HSP_LINK_LOGISTIC);
    const double x[] = {log(0.9 / 0.1), log(0.2 / 0.8), log(0.6 / 0.4)}; /* p(yes) = 0.9, 0.2, 0.6 */
    hsp_data *data = handmade_data(x, 3, 1, (const char *const[]){"yes", "no", "no"}, NULL);
    hsp_metrics s = metrics_of(m, data);
    assert_true(fabs(s.log_loss + (log(0.9) + log(0.8) + log(0.4)) / 3) < 1e-15);
    assert_true(fabs(s.brier - (0.01 + 0.04 + 0.36) / 3) < 1e-15);
    hsp_metrics_clear(&s);
    m->prepare.positive = 0; /* the positive class is "no" now: p(no) = 0.9, 0.2, 0.6 */
    s = metrics_of(m, data);
    assert_true(fabs(s.log_loss + (log(0.1) + log(0.2) + log(0.6)) / 3) < 1e-14);
    assert_true(fabs(s.brier - (0.81 + 0.64 + 0.16) / 3) < 1e-15);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_three_classes(void **state) {
    (void)state;
    const double x[] = {log(0.5), log(0.3), log(0.2), log(0.1), log(0.1), log(0.8)};
    hsp_data *data = handmade_data(x, 2, 3, (const char *const[]){"a", "b"}, NULL);
    hsp_model *m = identity(three, 3, HSP_LINK_SOFTMAX);
    hsp_metrics s = metrics_of(m, data);
    assert_true(fabs(s.log_loss + (log(0.5) + log(0.1)) / 2) < 1e-14);
    assert_true(fabs(s.brier - (0.25 + 0.09 + 0.04 + 0.01 + 0.81 + 0.64) / 2) < 1e-14);
    hsp_metrics_clear(&s);
    m->link = HSP_LINK_NONE;
    s = metrics_of(m, data);
    assert_true(isnan(s.log_loss) && isnan(s.brier));
    hsp_metrics_clear(&s);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* y g = -2, 0.5, 0 with weights 2, 1, 3, and a row of weight 0. A score of 0 counts as a zero-one error. */
static void test_losses(void **state) {
    (void)state;
    hsp_model *m = identity(two, 2, HSP_LINK_NONE);
    const double x[] = {2, 0.5, 0, -1e300}, weight[] = {2, 1, 3, 0};
    hsp_data *data = handmade_data(x, 4, 1, (const char *const[]){"no", "yes", "no", "yes"}, NULL);
    set_weights(data, weight);
    hsp_metrics s = metrics_of(m, data);
    const double expected[HSP_LOSS_SUMS] = {2 + 3,
                                                 2 * 2,
                                                 2 * 3 + 0.5 + 3,
                                                 2 * 9 + 0.25 + 3,
                                                 2 * log1p(exp(2)) + log1p(exp(-0.5)) + 3 * log(2),
                                                 2 * 4.5 + 0.125 + 3 * 0.5};
    for (int i = 0; i < HSP_LOSS_SUMS; i++) assert_true(fabs(s.losses.sum[i] - expected[i]) < 1e-14);
    assert_true(s.correct == 4); /* a score of 0 predicts the negative class, which is right */
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    data = handmade_data((const double[]){-1e308, 1e308}, 2, 1, (const char *const[]){"yes", "no"}, NULL);
    s = metrics_of(m, data);
    for (int i = 0; i < HSP_LOSS_SUMS; i++) assert_true(isfinite(s.losses.sum[i]) && s.losses.sum[i] > 0);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

/* A probability of 0 for what happened costs much, but not everything. */
static void test_certain_and_wrong(void **state) {
    (void)state;
    hsp_model *m = identity(two, 2, HSP_LINK_LOGISTIC);
    const double x[] = {1e308, 1e308};
    hsp_data *data = handmade_data(x, 2, 1, (const char *const[]){"no", "yes"}, NULL);
    hsp_metrics s = metrics_of(m, data);
    assert_true(fabs(s.log_loss + log(1e-15) / 2) < 1e-12 && s.brier == 0.5);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void check_close(const hsp_metrics *a, const hsp_metrics *b) {
    assert_true(fabs(a->mass - b->mass) < 1e-9 && a->classes == b->classes);
    for (int64_t i = 0; i < a->classes * a->classes; i++) assert_true(fabs(a->confusion[i] - b->confusion[i]) < 1e-9);
    const double pairs[][2] = {{a->accuracy, b->accuracy}, {a->balanced_accuracy, b->balanced_accuracy},
                               {a->log_loss, b->log_loss}, {a->brier, b->brier},
                               {a->auc, b->auc},           {a->average_precision, b->average_precision},
                               {a->correct, b->correct}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) assert_true(fabs(pairs[i][0] - pairs[i][1]) < 1e-12);
    if (a->classes > 2) assert_true(fabs(a->lead_auc - b->lead_auc) < 1e-12);
    if (a->classes > 2) assert_true(fabs(a->lead_average_precision - b->lead_average_precision) < 1e-12);
    for (int64_t k = 0; k < a->classes; k++) {
        assert_true(fabs(hsp_metrics_precision(a, k) - hsp_metrics_precision(b, k)) < 1e-12);
        assert_true(fabs(hsp_metrics_f1(a, k) - hsp_metrics_f1(b, k)) < 1e-12);
    }
}

/* 40 random rows with weights 0 to 3, and the same rows as often as they weigh. */
static void compare_weights(hsp_model *m, const char *const *classes, int64_t count, uint64_t seed) {
    enum { N = 40 };
    hsp_rng r = hsp_rng_new(seed, 1);
    int64_t d = m->outputs, n = 0;
    double x[N * 3], often[3 * N * 3], weight[N];
    const char *labels[N], *often_labels[3 * N];
    for (int64_t i = 0; i < N; i++) {
        labels[i] = classes[hsp_rng_below(&r, count)];
        weight[i] = (double)hsp_rng_below(&r, 4);
        for (int64_t j = 0; j < d; j++) x[i * d + j] = (double)hsp_rng_below(&r, 9) / 2 - 2; /* with ties */
        for (int64_t t = 0; t < (int64_t)weight[i]; t++, n++) {
            memcpy(often + n * d, x + i * d, (size_t)d * sizeof(double));
            often_labels[n] = labels[i];
        }
    }
    hsp_data *a = handmade_data(x, N, d, labels, NULL), *b = handmade_data(often, n, d, often_labels, NULL);
    set_weights(a, weight);
    hsp_metrics s = metrics_of(m, a), t = metrics_of(m, b);
    assert_true(s.weighted && !t.weighted && s.rows == N && t.rows == n);
    check_close(&s, &t);
    hsp_metrics_clear(&s);
    hsp_metrics_clear(&t);
    hsp_data_free(a);
    hsp_data_free(b);
}

static void test_weights_repeat_rows(void **state) {
    (void)state;
    hsp_model *m = identity(two, 2, HSP_LINK_LOGISTIC), *k = identity(three, 3, HSP_LINK_SOFTMAX);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        compare_weights(m, two, 2, seed);
        compare_weights(k, three, 3, seed);
    }
    hsp_model_free(m);
    hsp_model_free(k);
}

/* Labels of the data that the model has merged into two classes. */
static void test_merged(void **state) {
    (void)state;
    static const char *const classes[] = {"a,c", "rest"};
    hsp_model *m = identity(classes, 2, HSP_LINK_NONE);
    hsp_prepare *p = &m->prepare;
    p->positive = 0;
    p->source.count = 3;
    p->source.name = hsp_alloc(3, sizeof *p->source.name);
    p->merged = hsp_alloc(3, sizeof *p->merged);
    for (int k = 0; k < 3; k++) p->source.name[k] = hsp_strdup(three[k]), p->merged[k] = k == 1;
    const double x[] = {1, -1, 1, 1};
    hsp_data *data = handmade_data(x, 4, 1, (const char *const[]){"a", "b", "c", "b"}, NULL);
    hsp_metrics s = metrics_of(m, data);
    const double confusion[] = {2, 0, 1, 1};
    assert_memory_equal(s.confusion, confusion, sizeof confusion);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

/* AUC and average precision, each the mean over K classes, of n rows ranked by by[i K + k]. */
static void rank_each(const double *by, const int *truth, int n, int K, double *auc, double *precision) {
    hsp_ranked v[64], spare[64];
    *auc = *precision = 0;
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < n; i++) v[i] = (hsp_ranked){by[i * K + k], truth[i] == k, truth[i] != k};
        hsp_rank_sort(v, spare, n);
        *auc += hsp_rank_auc(v, n) / K;
        *precision += hsp_rank_average_precision(v, n) / K;
    }
}

/* More classes than are ranked in one pass: each class is ranked by its probability and by its lead, computed here again. */
static void test_many_classes(void **state) {
    (void)state;
    enum { K = 19, N = 60 };
    char name[K][16];
    const char *classes[K], *labels[N];
    hsp_rng r = hsp_rng_new(9, 1);
    for (int k = 0; k < K; k++) snprintf(name[k], sizeof name[k], "c%02d", k), classes[k] = name[k];
    hsp_model *m = identity(classes, K, HSP_LINK_SOFTMAX);
    static double x[N * K];
    int truth[N];
    for (int i = 0; i < N; i++) {
        truth[i] = i % K;
        labels[i] = classes[truth[i]];
        for (int k = 0; k < K; k++) x[i * K + k] = (double)hsp_rng_below(&r, 5) + (k == truth[i] ? 1 : 0);
    }
    hsp_data *data = handmade_data(x, N, K, labels, NULL);
    hsp_metrics s = metrics_of(m, data);
    double auc, precision, log_loss = 0;
    static double lead[N * K], p[N * K];
    for (int i = 0; i < N; i++) {
        double sum = 0, *score = x + i * K;
        for (int k = 0; k < K; k++) {
            lead[i * K + k] = INFINITY;
            for (int l = 0; l < K; l++)
                if (l != k) lead[i * K + k] = fmin(lead[i * K + k], score[k] - score[l]);
            sum += exp(score[k]);
        }
        log_loss += (log(sum) - score[truth[i]]) / N;
        hsp_model_probabilities(m, score, p + i * K);
    }
    rank_each(lead, truth, N, K, &auc, &precision);
    assert_true(fabs(s.lead_auc - auc) < 1e-12 && fabs(s.lead_average_precision - precision) < 1e-12);
    double by_lead = auc;
    rank_each(p, truth, N, K, &auc, &precision);
    assert_true(fabs(s.auc - auc) < 1e-12 && fabs(s.average_precision - precision) < 1e-12);
    assert_true(fabs(auc - by_lead) > 1e-4); /* else the two rankings could be exchanged */
    assert_true(fabs(s.log_loss - log_loss) < 1e-12);
    hsp_metrics_clear(&s);
    hsp_data_free(data);
    hsp_model_free(m);
}

/* Sums of weights are real numbers in the report, counts whole ones. */
static void test_report(void **state) {
    (void)state;
    hsp_model *m = identity(two, 2, HSP_LINK_LOGISTIC);
    hsp_data *data = handmade_data((const double[]){1, -1}, 2, 1, (const char *const[]){"yes", "yes"}, NULL);
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    handmade_ok(hsp_evaluate(m, data, NULL, NULL, &report, &err), err);
    char *json = take_json(report);
    assert_non_null(strstr(json, "\"confusion\":[[0,0],[1,1]]"));
    assert_non_null(strstr(json, "\"weight\":null"));
    hsp_free(json);
    set_weights(data, (const double[]){0.5, 0.25});
    handmade_ok(hsp_evaluate(m, data, NULL, NULL, &report, &err), err);
    assert_true(fabs(hsp_report_number(report, "accuracy") - 2.0 / 3) < 1e-15);
    assert_true(hsp_report_number(report, "log_loss") > 0 && hsp_report_number(report, "brier") > 0);
    json = take_json(report);
    assert_non_null(strstr(json, "\"confusion\":[[0,0],[0.25,0.5]]"));
    assert_non_null(strstr(json, "\"support\":[0,0.75]"));
    assert_non_null(strstr(json, "\"weight\":0.75"));
    hsp_free(json);
    hsp_data_free(data);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_two_classes),         cmocka_unit_test(test_losses),
        cmocka_unit_test(test_three_classes),       cmocka_unit_test(test_certain_and_wrong),
        cmocka_unit_test(test_weights_repeat_rows), cmocka_unit_test(test_merged),
        cmocka_unit_test(test_many_classes),        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
