/* Calibration: bins of equal mass by hand, intervals, errors and scores. */
#include "ranked.h"

static double probability(const hsp_model *m, const hsp_data *data, int64_t i, int64_t k) {
    double g[8], p[8];
    hsp_model_score_row(m, hsp_matrix_row(&data->x, i), g);
    assert_true(hsp_model_probabilities(m, g, p));
    return p[k];
}

static bool is_class(const hsp_model *m, const hsp_data *data, int64_t i, int64_t k) {
    return strcmp(data->classes.name[data->y[i]], m->prepare.classes.name[k]) == 0;
}

/* The rows between two probabilities are those of the bin. */
static void check_bin(const hsp_model *m, const hsp_data *data, int64_t k, double above, double upto, double predicted,
                      double observed, double count) {
    double mass = 0, sum = 0, hits = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double p = probability(m, data, i, k), c = data->weight ? data->weight[i] : 1;
        if (p <= above || p > upto) continue;
        mass += c;
        sum += c * p;
        hits += is_class(m, data, i, k) ? c : 0;
    }
    assert_true(mass == count && fabs(sum / mass - predicted) < 1e-12 && fabs(hits / mass - observed) < 1e-12);
}

/* The largest probability of the bin whose masses up to and including it sum to `mass`. */
static double upper_end(const hsp_model *m, const hsp_data *data, int64_t k, double mass) {
    for (int64_t i = 0; i < data->x.n; i++) {
        double p = probability(m, data, i, k), sum = 0;
        for (int64_t l = 0; l < data->x.n; l++)
            if (probability(m, data, l, k) <= p) sum += data->weight ? data->weight[l] : 1;
        if (sum == mass && (!data->weight || data->weight[i] > 0)) return p;
    }
    fail_msg("a bin divides rows of equal probability");
    return 0;
}

static void check_curve(const hsp_model *m, const hsp_data *data, const hsp_report *s, int64_t c, int64_t k) {
    const double *begin = array_of(s, "begin", NULL, NULL), *count = array_of(s, "count", NULL, NULL);
    const double *predicted = array_of(s, "predicted", NULL, NULL), *observed = array_of(s, "observed", NULL, NULL);
    const double *low = array_of(s, "low", NULL, NULL), *high = array_of(s, "high", NULL, NULL);
    double done = 0, above = -1, total = 0, error = 0;
    int64_t from = (int64_t)begin[c], to = (int64_t)begin[c + 1];
    assert_in_range(to - from, 1, 10);
    for (int64_t i = 0; i < data->x.n; i++) total += data->weight ? data->weight[i] : 1;
    for (int64_t i = from; i < to; i++) {
        done += count[i];
        double end = upper_end(m, data, k, done);
        check_bin(m, data, k, above, end, predicted[i], observed[i], count[i]);
        above = end;
        error += count[i] / total * fabs(predicted[i] - observed[i]);
        assert_true(low[i] >= 0 && low[i] <= observed[i] && observed[i] <= high[i] && high[i] <= 1 && low[i] < high[i]);
        assert_true(i == from || predicted[i] > predicted[i - 1]);
    }
    assert_true(done == total && fabs(error - array_of(s, "ece", NULL, NULL)[c]) < 1e-12);
}

static void check_histogram(const hsp_model *m, const hsp_data *data, const hsp_report *s, int64_t c, int64_t k) {
    int64_t edges, bars;
    const double *edge = array_of(s, "edges", &edges, NULL), *h = array_of(s, "histogram", NULL, &bars);
    assert_true(edges == 21 && bars == 20 && edge[0] == 0 && edge[20] == 1);
    for (int64_t b = 0; b < bars; b++) {
        double sum = 0;
        for (int64_t i = 0; i < data->x.n; i++) {
            double p = probability(m, data, i, k);
            bool in = floor(p * 20) == (double)b || (p == 1 && b == 19);
            if (in) sum += data->weight ? data->weight[i] : 1;
        }
        assert_true(sum == h[c * bars + b]);
    }
}

static void check_all(const hsp_model *m, const hsp_data *data) {
    hsp_report *s = studied("calibration", m, data, NULL);
    hsp_metrics x;
    handmade_ok(hsp_metrics_compute(m, data, NULL, &x, NULL), NULL);
    assert_true(fabs(hsp_report_number(s, "brier") - x.brier) < 1e-12);
    int64_t C = m->outputs == 1 ? 1 : m->outputs;
    for (int64_t c = 0; c < C; c++) {
        int64_t k = C == 1 ? m->prepare.positive : c;
        check_curve(m, data, s, c, k);
        check_histogram(m, data, s, c, k);
        assert_string_equal(hsp_report_text_at(s, "classes", c), m->prepare.classes.name[k]);
    }
    hsp_metrics_clear(&x);
    hsp_report_free(s);
}

static void test_by_counting(void **state) {
    (void)state;
    for (int64_t K = 2; K <= 4; K++) {
        hsp_data *data = noisy(97, 2, K, 5);
        hsp_model *m = fit(data, K == 3 ? "lda" : "logistic");
        check_all(m, data);
        hsp_data *copies = weigh(data, 8);
        check_all(m, data);
        hsp_report *a = studied("calibration", m, data, NULL), *b = studied("calibration", m, copies, NULL);
        same_array(a, b, "predicted");
        same_array(a, b, "observed");
        same_array(a, b, "ece");
        same_array(a, b, "histogram");
        hsp_report_free(a);
        hsp_report_free(b);
        hsp_data_free(copies);
        hsp_model_free(m);
        hsp_data_free(data);
    }
}

/* Wilson's interval for 8 of 10, and for none of 10: known figures. */
static void test_interval(void **state) {
    (void)state;
    double x[20];
    const char *y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i < 10 ? 0 : 1;
        y[i] = i >= 10 && i < 18 ? "yes" : "no";
    }
    hsp_data *data = handmade_data(x, 20, 1, y, NULL);
    hsp_model *m = handmade_model(1, (const char *const[]){"no", "yes"}, 2, NULL, "none");
    m->w[0] = 2, m->b[0] = -1, m->link = HSP_LINK_LOGISTIC;
    hsp_report *s = studied("calibration", m, data, NULL);
    int64_t n;
    const double *low = array_of(s, "low", &n, NULL), *high = array_of(s, "high", NULL, NULL);
    assert_int_equal(n, 2);
    assert_true(low[0] == 0 && fabs(high[0] - 0.27753) < 1e-5);
    assert_true(fabs(low[1] - 0.49016) < 1e-5 && fabs(high[1] - 0.94332) < 1e-5);
    hsp_report_free(s);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* Rows that all have the same probability are one bin; the option says how many there are else. */
static void test_bins(void **state) {
    (void)state;
    hsp_data *data = noisy(200, 2, 2, 6);
    hsp_model *m = fit(data, "logistic");
    int64_t n;
    hsp_report *s = studied("calibration", m, data, PAIRS("bins", "4"));
    array_of(s, "count", &n, NULL);
    assert_in_range(n, 3, 5);
    hsp_report_free(s);
    for (int64_t j = 0; j < 2; j++) m->w[j] = 0;
    s = studied("calibration", m, data, NULL);
    array_of(s, "count", &n, NULL);
    assert_int_equal(n, 1);
    assert_true(array_of(s, "count", NULL, NULL)[0] == 200);
    hsp_report_free(s);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    hsp_data *data = noisy(60, 2, 2, 7);
    hsp_model *svm = fit(data, "svm"), *logistic = fit(data, "logistic"), *r = handmade_regression(1, NULL, "none");
    hsp_data *numbers = handmade_targets(x, 3, 1, x), *none = handmade_data(x, 1, 2, NULL, NULL);
    study_fails("calibration", svm, data, HSP_EUSAGE, "has no probabilities: train with --calibrate");
    study_fails("calibration", r, numbers, HSP_EUSAGE, "the model is a regression");
    study_fails("calibration", logistic, none, HSP_EINPUT, "no label column");
    study_fails("calibration", logistic, NULL, HSP_EUSAGE, "needs data");
    short_of_memory("calibration", logistic, data);
    hsp_data_free(numbers);
    hsp_data_free(none);
    hsp_data_free(data);
    hsp_model_free(svm);
    hsp_model_free(logistic);
    hsp_model_free(r);
}

static void test_cancelled(void **state) {
    (void)state;
    hsp_data *data = noisy(60, 2, 3, 4);
    hsp_model *m = fit(data, "lda");
    study_cancelled("calibration", m, data);
    hsp_model_free(m);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_counting), cmocka_unit_test(test_interval),  cmocka_unit_test(test_bins),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
