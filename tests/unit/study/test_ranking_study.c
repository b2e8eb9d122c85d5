/* ROC, precision and recall against counting at every threshold, and the areas against those of evaluate. */
#include "ranked.h"

#include "report_json.h"

/* What the rows are ranked by. */
static double lead_of(const hsp_model *m, const hsp_data *data, int64_t i, int64_t k) {
    double g[8], other = -INFINITY;
    hsp_model_score_row(m, hsp_matrix_row(&data->x, i), g);
    if (m->outputs == 1) return g[0];
    for (int64_t l = 0; l < m->outputs; l++)
        if (l != k) other = fmax(other, g[l]);
    return g[k] - other;
}

/* Masses of the class and of the rest at or above a threshold. */
static void count_above(const hsp_model *m, const hsp_data *data, int64_t k, double threshold, double *p, double *q) {
    *p = *q = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double c = data->weight ? data->weight[i] : 1;
        if (lead_of(m, data, i, k) < threshold) continue;
        if (strcmp(data->classes.name[data->y[i]], m->prepare.classes.name[k]) == 0)
            *p += c;
        else
            *q += c;
    }
}

/* How far (x, y) is from the polyline of n points. */
static double distance(const double *px, const double *py, int64_t n, double x, double y) {
    double best = INFINITY;
    for (int64_t i = 0; i + 1 < n; i++) {
        double dx = px[i + 1] - px[i], dy = py[i + 1] - py[i], length = dx * dx + dy * dy;
        double t = length > 0 ? ((x - px[i]) * dx + (y - py[i]) * dy) / length : 0;
        t = fmin(1, fmax(0, t));
        best = fmin(best, hypot(px[i] + t * dx - x, py[i] + t * dy - y));
    }
    return best;
}

static void check_roc_curve(const hsp_model *m, const hsp_data *data, const hsp_report *s, int64_t c, int64_t k) {
    const double *begin = array_of(s, "begin", NULL, NULL), *x = array_of(s, "fpr", NULL, NULL);
    const double *y = array_of(s, "tpr", NULL, NULL), *t = array_of(s, "threshold", NULL, NULL);
    const double *auc = array_of(s, "auc", NULL, NULL);
    int64_t from = (int64_t)begin[c], n = (int64_t)begin[c + 1] - from;
    double area = 0, P, Q, p, q;
    x += from, y += from, t += from;
    count_above(m, data, k, -INFINITY, &P, &Q);
    assert_true(n >= 2 && x[0] == 0 && y[0] == 0 && isinf(t[0]) && x[n - 1] == 1 && y[n - 1] == 1);
    for (int64_t i = 1; i < n; i++) {
        assert_true(x[i] >= x[i - 1] && y[i] >= y[i - 1] && t[i] < t[i - 1]);
        count_above(m, data, k, t[i], &p, &q);
        assert_true(fabs(p / P - y[i]) < 1e-12 && fabs(q / Q - x[i]) < 1e-12);
        area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
    }
    assert_true(fabs(area - auc[c]) < 1e-12);
    for (int64_t i = 0; i < data->x.n; i++) { /* no threshold was lost */
        count_above(m, data, k, lead_of(m, data, i, k), &p, &q);
        assert_true(distance(x, y, n, q / Q, p / P) < 1e-12);
    }
}

static void check_pr_curve(const hsp_model *m, const hsp_data *data, const hsp_report *s, int64_t c, int64_t k) {
    const double *begin = array_of(s, "begin", NULL, NULL), *r = array_of(s, "recall", NULL, NULL);
    const double *v = array_of(s, "precision", NULL, NULL), *t = array_of(s, "threshold", NULL, NULL);
    const double *ap = array_of(s, "average_precision", NULL, NULL), *base = array_of(s, "base_rate", NULL, NULL);
    int64_t from = (int64_t)begin[c], n = (int64_t)begin[c + 1] - from;
    double sum = 0, before = 0, P, Q, p, q;
    r += from, v += from, t += from;
    count_above(m, data, k, -INFINITY, &P, &Q);
    assert_true(n >= 1 && r[n - 1] == 1 && fabs(base[c] - P / (P + Q)) < 1e-12);
    for (int64_t i = 0; i < n; i++) {
        assert_true(r[i] > before);
        count_above(m, data, k, t[i], &p, &q);
        assert_true(fabs(p / P - r[i]) < 1e-12 && fabs(p / (p + q) - v[i]) < 1e-12);
        sum += (r[i] - before) * v[i];
        before = r[i];
    }
    assert_true(fabs(sum - ap[c]) < 1e-12);
}

/* Where the model's own decision stands, and the means that evaluate reports. */
static void check_figures(const hsp_model *m, const hsp_data *data, const hsp_report *roc, const hsp_report *pr) {
    hsp_metrics x;
    double auc = 0, ap = 0;
    handmade_ok(hsp_metrics_compute(m, data, NULL, &x, NULL), NULL);
    int64_t C = m->outputs == 1 ? 1 : m->outputs;
    for (int64_t c = 0; c < C; c++) {
        int64_t k = C == 1 ? m->prepare.positive : c;
        auc += array_of(roc, "auc", NULL, NULL)[c] / (double)C;
        ap += array_of(pr, "average_precision", NULL, NULL)[c] / (double)C;
        assert_true(fabs(array_of(roc, "model_tpr", NULL, NULL)[c] - hsp_metrics_recall(&x, k)) < 1e-12);
        assert_true(fabs(array_of(pr, "model_recall", NULL, NULL)[c] - hsp_metrics_recall(&x, k)) < 1e-12);
        assert_true(fabs(array_of(pr, "model_precision", NULL, NULL)[c] - hsp_metrics_precision(&x, k)) < 1e-12);
        assert_string_equal(hsp_report_text_at(roc, "classes", c), m->prepare.classes.name[k]);
    }
    assert_null(hsp_report_text_at(roc, "classes", C));
    /* The curves of more than two classes rank the rows by lead. */
    double all_auc = C == 1 ? x.auc : x.lead_auc, all_ap = C == 1 ? x.average_precision : x.lead_average_precision;
    assert_true(fabs(auc - all_auc) < 1e-14 && fabs(ap - all_ap) < 1e-14);
    hsp_metrics_clear(&x);
}

static void check_all(const hsp_model *m, const hsp_data *data) {
    hsp_report *roc = studied("roc", m, data, NULL), *pr = studied("pr", m, data, NULL);
    int64_t C = m->outputs == 1 ? 1 : m->outputs, rows;
    array_of(roc, "begin", &rows, NULL);
    assert_int_equal(rows, C + 1);
    for (int64_t c = 0; c < C; c++) {
        int64_t k = C == 1 ? m->prepare.positive : c;
        check_roc_curve(m, data, roc, c, k);
        check_pr_curve(m, data, pr, c, k);
    }
    check_figures(m, data, roc, pr);
    hsp_report_free(roc);
    hsp_report_free(pr);
}

static void test_by_counting(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++)
        for (int64_t K = 2; K <= 4; K++) {
            hsp_data *data = noisy(120, 2, K, seed);
            hsp_model *m = fit(data, seed % 2 ? "nearest-mean" : "logistic");
            check_all(m, data);
            hsp_model_free(m);
            hsp_data_free(data);
        }
}

static void test_weights_are_copies(void **state) {
    (void)state;
    static const char *const names[] = {"begin", "fpr", "tpr", "threshold", "auc"};
    for (int64_t K = 2; K <= 3; K++) {
        hsp_data *data = noisy(150, 2, K, 9);
        hsp_model *m = fit(data, "nearest-mean");
        hsp_data *copies = weigh(data, 3);
        hsp_report *a = studied("roc", m, data, NULL), *b = studied("roc", m, copies, NULL);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) same_array(a, b, names[i]);
        assert_true(hsp_report_number(a, "weighted") == 1 && hsp_report_number(b, "weighted") == 0);
        hsp_report_free(a);
        hsp_report_free(b);
        a = studied("pr", m, data, NULL), b = studied("pr", m, copies, NULL);
        same_array(a, b, "recall");
        same_array(a, b, "precision");
        same_array(a, b, "base_rate");
        hsp_report_free(a);
        hsp_report_free(b);
        check_all(m, data);
        hsp_model_free(m);
        hsp_data_free(copies);
        hsp_data_free(data);
    }
}

/* One feature that is the score; n rows, a tenth of them positive. */
static hsp_data *long_data(int64_t n) {
    double *x = malloc((size_t)n * sizeof *x);
    const char **y = malloc((size_t)n * sizeof *y);
    uint32_t seed = 11;
    for (int64_t i = 0; i < n; i++) {
        bool yes = draw_number(&seed) < 0.1;
        y[i] = yes ? "yes" : "no";
        x[i] = draw_number(&seed) + draw_number(&seed) + (yes ? 0.4 : 0) - 1;
    }
    hsp_data *data = handmade_data(x, n, 1, y, NULL);
    free(x);
    free(y);
    return data;
}

/* Beyond two thousand points a curve is thinned: by less than can be seen. */
static void test_thinned(void **state) {
    (void)state;
    hsp_data *data = long_data(60000);
    hsp_model *m = handmade_model(1, (const char *const[]){"no", "yes"}, 2, NULL, "none");
    m->w[0] = 1, m->b[0] = 0;
    hsp_report *roc = studied("roc", m, data, NULL), *pr = studied("pr", m, data, NULL);
    int64_t n;
    const double *x = array_of(roc, "fpr", &n, NULL), *y = array_of(roc, "tpr", NULL, NULL);
    double area = 0, before = 0, sum = 0;
    assert_true(n > 1000 && n <= 2000 && x[n - 1] == 1 && y[n - 1] == 1);
    for (int64_t i = 1; i < n; i++) {
        bool along = x[i] == x[i - 1] || y[i] == y[i - 1]; /* a straight run */
        assert_true(along || x[i] - x[i - 1] + y[i] - y[i - 1] < 0.005);
        area += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
    }
    assert_true(fabs(area - array_of(roc, "auc", NULL, NULL)[0]) < 1e-3);
    const double *r = array_of(pr, "recall", &n, NULL), *v = array_of(pr, "precision", NULL, NULL);
    assert_true(n > 500 && n <= 2000 && r[n - 1] == 1);
    for (int64_t i = 0; i < n; i++) {
        sum += (r[i] - before) * v[i];
        assert_true(r[i] > before && (i == 0 || r[i] - before < 0.005)); /* at first all may be right */
        before = r[i];
    }
    assert_true(fabs(sum - array_of(pr, "average_precision", NULL, NULL)[0]) < 5e-3);
    hsp_report_free(roc);
    hsp_report_free(pr);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* A class of the model that the data have no rows of has no curve, and no figures. */
static void test_empty_class(void **state) {
    (void)state;
    hsp_data *three = noisy(90, 2, 3, 2), *two = NULL;
    hsp_model *m = fit(three, "nearest-mean");
    int64_t rows[90], count = 0;
    for (int64_t i = 0; i < 90; i++)
        if (three->y[i] != 1) rows[count++] = i;
    handmade_ok(hsp_data_take(three, rows, count, &two, NULL), NULL);
    hsp_report *roc = studied("roc", m, two, NULL), *pr = studied("pr", m, two, NULL);
    const double *begin = array_of(roc, "begin", NULL, NULL);
    assert_true(begin[1] > begin[0] && begin[2] == begin[1] && begin[3] > begin[2]);
    assert_true(isnan(array_of(roc, "auc", NULL, NULL)[1]) && isfinite(array_of(roc, "auc", NULL, NULL)[2]));
    begin = array_of(pr, "begin", NULL, NULL);
    assert_true(begin[2] == begin[1] && isnan(array_of(pr, "average_precision", NULL, NULL)[1]));
    assert_true(array_of(pr, "base_rate", NULL, NULL)[1] == 0);
    char *json = take_json(roc);
    const char *null = json ? strstr(json, "\"auc\":[") : NULL; /* a number that is not there is null */
    assert_true(null && strncmp(strchr(null, ',') + 1, "null,", 5) == 0);
    hsp_free(json);
    hsp_report_free(pr);
    hsp_model_free(m);
    hsp_data_free(two);
    hsp_data_free(three);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    hsp_model *m = handmade_model(1, (const char *const[]){"no", "yes"}, 2, NULL, "none");
    hsp_model *r = handmade_regression(1, NULL, "none");
    hsp_data *one = handmade_data(x, 3, 1, (const char *const[]){"no", "no", "no"}, NULL);
    hsp_data *strange = handmade_data(x, 3, 1, (const char *const[]){"no", "yes", "perhaps"}, NULL);
    hsp_data *none = handmade_data(x, 3, 1, NULL, NULL), *wide = handmade_data(x, 1, 3, (const char *const[]){"no"}, NULL);
    hsp_data *numbers = handmade_targets(x, 3, 1, x);
    study_fails("roc", m, one, HSP_EINPUT, "rows of only one class");
    study_fails("pr", m, one, HSP_EINPUT, "no row of the positive class");
    study_fails("roc", m, strange, HSP_EINPUT, "'perhaps' is not a class of the model");
    study_fails("pr", m, none, HSP_EINPUT, "no label column");
    study_fails("roc", m, wide, HSP_EINPUT, "3 features, but the model has 1");
    study_fails("roc", m, numbers, HSP_EINPUT, "numeric target");
    study_fails("roc", r, numbers, HSP_EUSAGE, "the model is a regression");
    study_fails("roc", NULL, one, HSP_EUSAGE, "needs a model");
    study_fails("pr", m, NULL, HSP_EUSAGE, "needs data");
    hsp_data_free(one);
    hsp_data_free(strange);
    hsp_data_free(none);
    hsp_data_free(wide);
    hsp_data_free(numbers);
    hsp_model_free(m);
    hsp_model_free(r);
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = noisy(40, 2, 3, 4);
    hsp_model *m = fit(data, "nearest-mean");
    short_of_memory("roc", m, data);
    short_of_memory("pr", m, data);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* Of equal scores the first class is the answer, though no class leads. */
static void test_ties(void **state) {
    (void)state;
    static const char *const names[] = {"ant", "bee", "cow"};
    hsp_data *data = noisy(60, 2, 3, 4);
    hsp_model *m = handmade_model(2, names, 3, NULL, "none");
    for (int64_t i = 0; i < 6; i++) m->w[i] = 0;
    for (int64_t k = 0; k < 3; k++) m->b[k] = k == 2 ? -1 : 0;
    hsp_report *roc = studied("roc", m, data, NULL), *pr = studied("pr", m, data, NULL);
    const double *rate = array_of(pr, "base_rate", NULL, NULL);
    for (int64_t k = 0; k < 3; k++) {
        assert_true(array_of(roc, "model_tpr", NULL, NULL)[k] == (k == 0));
        assert_true(array_of(roc, "model_fpr", NULL, NULL)[k] == (k == 0));
        assert_true(array_of(pr, "model_recall", NULL, NULL)[k] == (k == 0));
    }
    const double *precision = array_of(pr, "model_precision", NULL, NULL);
    assert_true(precision[0] == rate[0] && isnan(precision[1]) && isnan(precision[2]));
    hsp_report_free(roc);
    hsp_report_free(pr);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void test_cancelled(void **state) {
    (void)state;
    hsp_data *data = noisy(60, 2, 3, 4);
    hsp_model *m = fit(data, "lda");
    study_cancelled("roc", m, data);
    study_cancelled("pr", m, data);
    hsp_model_free(m);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_counting), cmocka_unit_test(test_weights_are_copies),
        cmocka_unit_test(test_thinned),     cmocka_unit_test(test_empty_class),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_ties),        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
