/* Scores, projection and confusion: histograms counted again, Fisher's criterion, and data of any kind. */
#include "ranked.h"

#include <float.h>

static double value_of(const hsp_model *m, const hsp_data *data, int64_t i, bool project) {
    double g[8], other = -INFINITY;
    int64_t truth = hsp_model_class_of(m, data->classes.name[data->y[i]]);
    hsp_model_score_row(m, hsp_matrix_row(&data->x, i), g);
    if (project) {
        double norm = 0;
        for (int64_t j = 0; j < m->prepare.schema.d; j++) norm = hypot(norm, m->w[j]);
        return (g[0] - m->b[0]) / norm;
    }
    if (m->outputs == 1) return g[0];
    for (int64_t k = 0; k < m->outputs; k++)
        if (k != truth) other = fmax(other, g[k]);
    return g[truth] - other;
}

/* Every row is in the bin that its value is in; what is beyond the edges is counted and in the outer bins. */
static void check_bins(const hsp_model *m, const hsp_data *data, const hsp_report *s, bool project) {
    int64_t edges, groups, B;
    const double *edge = array_of(s, "edges", &edges, NULL), *count = array_of(s, "counts", &groups, &B);
    double *mine = calloc((size_t)(groups * B), sizeof *mine), below = 0, above = 0;
    assert_true(edges == B + 1 && groups == m->prepare.classes.count);
    for (int64_t b = 0; b < B; b++) assert_true(isfinite(edge[b]) && edge[b] < edge[b + 1]);
    double width = (edge[B] - edge[0]) / (double)B;
    for (int64_t i = 0; i < data->x.n; i++) {
        double v = value_of(m, data, i, project), c = data->weight ? data->weight[i] : 1;
        int64_t b = 0, k = hsp_model_class_of(m, data->classes.name[data->y[i]]);
        while (b + 1 < B && v > edge[b + 1]) b++;
        if (b + 1 < B && fabs(v - edge[b + 1]) < 1e-9 * width)
            b = -1; /* on an edge but for rounding: leave it to the study */
        if (b >= 0) mine[k * B + b] += c;
        below += v < edge[0] - 1e-9 * width ? c : 0;
        above += v > edge[B] + 1e-9 * width ? c : 0;
    }
    double all = 0, known = 0;
    for (int64_t i = 0; i < groups * B; i++) {
        assert_true(count[i] >= mine[i]);
        all += count[i];
        known += mine[i];
    }
    assert_true(known > 0.8 * all || all < 60);
    assert_true(fabs(all - hsp_report_number(s, "mass")) < 1e-9 * fmax(1, all));
    assert_true(below == hsp_report_number(s, "below") && above == hsp_report_number(s, "above"));
    free(mine);
}

static bool has_edge(const hsp_report *s, double at) {
    int64_t n;
    const double *edge = array_of(s, "edges", &n, NULL);
    for (int64_t i = 0; i < n; i++)
        if (edge[i] == at) return true;
    return false;
}

static void check_scores(const hsp_model *m, const hsp_data *data) {
    hsp_report *s = studied("scores", m, data, NULL);
    hsp_metrics x;
    int64_t B;
    handmade_ok(hsp_metrics_compute(m, data, NULL, &x, NULL), NULL);
    check_bins(m, data, s, false);
    array_of(s, "counts", NULL, &B);
    assert_in_range(B, 20, 80);
    assert_true(has_edge(s, 0) && hsp_report_number(s, "threshold") == 0);
    assert_true(hsp_report_number(s, "correct") == x.correct && hsp_report_number(s, "rows") == (double)data->x.n);
    hsp_metrics_clear(&x);
    hsp_report_free(s);
}

static void test_scores(void **state) {
    (void)state;
    for (int64_t K = 2; K <= 4; K++) {
        hsp_data *data = noisy(400, 2, K, 21);
        hsp_model *m = fit(data, "nearest-mean");
        check_scores(m, data);
        hsp_data *copies = weigh(data, 4);
        check_scores(m, data);
        check_scores(m, copies);
        hsp_report *s = studied("scores", m, data, PAIRS("bins", "7"));
        int64_t B;
        array_of(s, "counts", NULL, &B);
        assert_int_equal(B, 7);
        check_bins(m, data, s, false);
        hsp_report_free(s);
        hsp_data_free(copies);
        hsp_model_free(m);
        hsp_data_free(data);
    }
}

/* Scores that would squeeze all others are out of view, and counted. */
static void test_far_out(void **state) {
    (void)state;
    hsp_data *near = noisy(300, 1, 2, 22);
    hsp_model *m = handmade_model(1, (const char *const[]){"ant", "bee"}, 2, NULL, "none");
    m->w[0] = 1, m->b[0] = -1;
    double x[302];
    const char *y[302];
    for (int64_t i = 0; i < 300; i++) {
        hsp_data_row(near, i, &x[i], NULL);
        y[i] = hsp_data_class_name(near, near->y[i]);
    }
    x[300] = 1e9, x[301] = -1e6, y[300] = "ant", y[301] = "bee";
    hsp_data *far = handmade_data(x, 302, 1, y, NULL);
    hsp_report *s = studied("scores", m, far, NULL);
    check_bins(m, far, s, false);
    assert_true(hsp_report_number(s, "above") == 1 && hsp_report_number(s, "below") == 1);
    int64_t n;
    const double *edge = array_of(s, "edges", &n, NULL);
    assert_true(edge[0] > -100 && edge[n - 1] < 100);
    hsp_report_free(s);
    hsp_data_free(near);
    hsp_data_free(far);
    hsp_model_free(m);
}

static void test_fisher(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed < 5; seed++) {
        hsp_data *data = noisy(200, 3, 2, seed);
        trained t = train(data, PAIRS("algorithm", "fisher"));
        handmade_ok(t.status, t.error);
        hsp_report *s = studied("projection", t.model, data, NULL);
        check_bins(t.model, data, s, true);
        double J = hsp_report_number(hsp_report_member(t.report, "fisher"), "J");
        assert_true(fabs(hsp_report_number(s, "J") - J) < 1e-9 * J);
        const double *mean = array_of(s, "means", NULL, NULL), *sd = array_of(s, "deviations", NULL, NULL);
        double within = sd[0] * sd[0] + sd[1] * sd[1], apart = mean[1] - mean[0];
        assert_true(fabs(apart * apart / within - J) < 1e-9 * J && apart > 0);
        assert_true(fabs(hsp_report_number(s, "threshold") + t.model->b[0] / hsp_report_number(s, "norm")) < 1e-12);
        assert_true(has_edge(s, hsp_report_number(s, "threshold")));
        hsp_report_free(s);
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* Along w the covariances of the plane are the variances of the projections: each class's own for fisher, the pooled one for
 * lda, whose densities have it too. */
static void test_gaussians(void **state) {
    (void)state;
    static const char *const names[] = {"fisher", "lda", "nearest-mean"};
    hsp_data *data = noisy(200, 2, 2, 3);
    int64_t count[2];
    hsp_data_class_counts(data, count);
    for (int a = 0; a < 3; a++) {
        trained t = train(data, PAIRS("algorithm", names[a]));
        handmade_ok(t.status, t.error);
        hsp_report *s = studied("projection", t.model, data, NULL);
        const double *mean = array_of(s, "means", NULL, NULL), *sd = array_of(s, "deviations", NULL, NULL);
        const double *mu = array_of(s, "plane_means", NULL, NULL), *w = array_of(s, "plane_weights", NULL, NULL);
        double norm = hypot(w[0], w[1]), u = w[0] / norm, v = w[1] / norm;
        double n0 = (double)count[0] - 1, n1 = (double)count[1] - 1;
        double pooled = sqrt((n0 * sd[0] * sd[0] + n1 * sd[1] * sd[1]) / (n0 + n1));
        for (int k = 0; k < 2; k++) assert_true(fabs(u * mu[2 * k] + v * mu[2 * k + 1] - mean[k]) < 1e-9);
        assert_int_equal(hsp_report_count(s, "plane_covariances"), a == 2 ? 0 : 2);
        for (int k = 0; a < 2 && k < 2; k++) {
            const double *S = array_of(s, "plane_covariances", NULL, NULL) + 4 * k;
            double along = sqrt(u * u * S[0] + 2 * u * v * S[1] + v * v * S[3]);
            assert_true(fabs(along - (a == 0 ? sd[k] : pooled)) < 1e-9 && S[1] == S[2]);
        }
        assert_int_equal(hsp_report_count(s, "posterior"), a == 1 ? 2 : 0);
        if (a == 1) {
            int64_t n;
            const double *at = array_of(s, "density_at", &n, NULL), *density = array_of(s, "density", NULL, NULL);
            const double *posterior = array_of(s, "posterior", NULL, NULL);
            assert_true(fabs(hsp_report_number(s, "density_sd") - pooled) < 1e-9);
            for (int64_t i = 0; i < n; i++) { /* Bayes' rule */
                int64_t plus = t.model->prepare.positive;
                double f = (double)count[plus] * density[plus * n + i];
                double g = (double)count[1 - plus] * density[(1 - plus) * n + i];
                assert_true(fabs(posterior[plus * n + i] - f / (f + g)) < 1e-9);
                assert_true(fabs(posterior[i] + posterior[n + i] - 1) < 1e-12 && (i == 0 || at[i] > at[i - 1]));
            }
        }
        hsp_report_free(s);
        trained_free(&t);
    }
    hsp_data_free(data);
}

static void test_confusion(void **state) {
    (void)state;
    for (int64_t K = 2; K <= 4; K++) {
        hsp_data *data = noisy(300, 2, K, 31);
        hsp_model *m = fit(data, "nearest-mean");
        hsp_data *copies = weigh(data, 5);
        hsp_report *s = studied("confusion", m, data, NULL), *t = studied("confusion", m, copies, NULL);
        hsp_metrics x;
        handmade_ok(hsp_metrics_compute(m, data, NULL, &x, NULL), NULL);
        assert_memory_equal(array_of(s, "counts", NULL, NULL), x.confusion, (size_t)(K * K) * sizeof(double));
        assert_true(hsp_report_number(s, "accuracy") == x.accuracy && hsp_report_number(s, "mass") == x.mass);
        same_array(s, t, "counts");
        for (int64_t k = 0; k < K; k++) assert_string_equal(hsp_report_text_at(s, "classes", k), study_labels[k]);
        hsp_metrics_clear(&x);
        hsp_report_free(s);
        hsp_report_free(t);
        hsp_data_free(copies);
        hsp_model_free(m);
        hsp_data_free(data);
    }
}

/* One row, rows that are all the same, huge and tiny ones: sound edges, and every row in a bin. */
static void test_extremes(void **state) {
    (void)state;
    static const double unit[] = {0, 1e-310, 1e-100, 1, 1e12, 1e150, 1e300};
    hsp_model *m = handmade_model(1, (const char *const[]){"ant", "bee"}, 2, NULL, "none");
    m->w[0] = 1;
    for (size_t u = 0; u < sizeof unit / sizeof *unit; u++)
        for (int64_t n = 1; n <= 5; n += 2)
            for (int same = 0; same < 2; same++)
                for (int b = 0; b < 3; b++) {
                    double x[5];
                    m->b[0] = b == 0 ? 0 : b == 1 ? -1 : 1e12;
                    for (int64_t i = 0; i < n; i++) x[i] = unit[u] * (same ? 1 : (double)i - 1);
                    hsp_data *data = handmade_data(x, n, 1, (const char *const[]){"ant", "bee", "ant", "bee", "ant"}, NULL);
                    for (int project = 0; project < 2; project++) {
                        hsp_report *s = studied(project ? "projection" : "scores", m, data, NULL);
                        check_bins(m, data, s, project);
                        char *json = NULL;
                        handmade_ok(hsp_report_json(s, &json, NULL), NULL);
                        hsp_free(json);
                        hsp_report_free(s);
                    }
                    hsp_data_free(data);
                }
    hsp_model_free(m);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    static const char *const kinds[] = {"scores", "projection", "confusion"};
    hsp_data *data = noisy(60, 2, 3, 41), *numbers = handmade_targets(x, 3, 1, x);
    hsp_model *three = fit(data, "nearest-mean"), *r = handmade_regression(1, NULL, "none");
    hsp_model *two = handmade_model(1, (const char *const[]){"ant", "bee"}, 2, NULL, "none");
    hsp_data *none = handmade_data(x, 3, 1, NULL, NULL);
    hsp_data *strange = handmade_data(x, 3, 1, (const char *const[]){"ant", "bee", "elk"}, NULL);
    hsp_data *good = handmade_data(x, 3, 1, (const char *const[]){"ant", "bee", "bee"}, NULL);
    study_fails("projection", three, data, HSP_EUSAGE, "two classes, and this one has 3");
    for (int i = 0; i < 3; i++) {
        study_fails(kinds[i], r, numbers, HSP_EUSAGE, "the model is a regression");
        study_fails(kinds[i], two, none, HSP_EINPUT, "no label column");
        study_fails(kinds[i], two, strange, HSP_EINPUT, "'elk' is not a class of the model");
        study_fails(kinds[i], two, data, HSP_EINPUT, "2 features, but the model has 1");
        study_fails(kinds[i], two, NULL, HSP_EUSAGE, "needs data");
        short_of_memory(kinds[i], two, good);
    }
    short_of_memory("scores", three, data);
    two->w[0] = 0;
    study_fails("projection", two, good, HSP_EINPUT, "all weights of the model are 0");
    hsp_data *far =
        handmade_data((const double[]){1e308, -1e308, 1}, 3, 1, (const char *const[]){"ant", "bee", "bee"}, NULL);
    static const double slope[] = {1e-5, 10}; /* the place, or already the score, leaves the range of doubles */
    for (int i = 0; i < 2; i++) {
        two->w[0] = slope[i];
        two->b[0] = i == 0 ? 1e304 : 0;
        study_fails("projection", two, far, HSP_EINPUT, "too large to project");
    }
    hsp_data_free(far);
    hsp_data_free(data);
    hsp_data_free(numbers);
    hsp_data_free(none);
    hsp_data_free(strange);
    hsp_data_free(good);
    hsp_model_free(two);
    hsp_model_free(three);
    hsp_model_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),    cmocka_unit_test(test_far_out),  cmocka_unit_test(test_fisher),
        cmocka_unit_test(test_gaussians),
        cmocka_unit_test(test_confusion), cmocka_unit_test(test_extremes), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
