/* The study of descent: its objective, paths and contours against the formulas, written out here. */
#include "studied.h"

#include <stdio.h>

enum { N = 40 };

static double row_of(int i, int j) {
    return sin(1.7 * i + 2.3 * j) + (i % 2 ? 0.4 : -0.4);
}

static hsp_data *two_features(const char *const *labels) {
    double x[2 * N];
    const char *y[N];
    hsp_data *data = NULL;
    for (int i = 0; i < N; i++) {
        x[2 * i] = row_of(i, 0);
        x[2 * i + 1] = row_of(i, 1);
        y[i] = labels[i % 2];
    }
    assert_int_equal(hsp_data_from_dense(x, N, 2, 2, y, NULL, &data, NULL), 0);
    return data;
}

static const char *const signs[] = {"-1", "1"};

static const double *array_of(const studied *t, const char *name, int64_t *rows) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(t->s, name, &a, NULL), 0);
    *rows = a.shape[0];
    return a.data;
}

static double logistic_objective(double lambda, double u, double v, double b) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += log1p(exp(-(i % 2 ? 1 : -1) * (u * row_of(i, 0) + v * row_of(i, 1) + b)));
    return sum / N + lambda * (u * u + v * v) / 2;
}

/* The least over b, by a fine search. */
static double best_over_b(double lambda, double u, double v) {
    double best = INFINITY, centre = 0;
    for (double step = 1; step > 1e-8; step /= 4) {
        double middle = centre;
        for (int k = -8; k <= 8; k++) {
            double value = logistic_objective(lambda, u, v, middle + k * step);
            if (value < best) best = value, centre = middle + k * step;
        }
    }
    return best;
}

static void objectives_are_those_of_the_formula(void **state) {
    (void)state;
    hsp_data *data = two_features(signs);
    studied t = study_well("descent", data, PAIRS("loss", "logistic", "penalty", "l2", "lambda", "0.1"));
    int64_t n, runs, points;
    const double *path = array_of(&t, "path", &points), *begin = array_of(&t, "path_begin", &n);
    const double *end = array_of(&t, "objective", &runs), *b = array_of(&t, "intercept", &runs);
    assert_int_equal(runs, 3);
    for (int k = 0; k < 3; k++) {
        const double *last = path + 2 * ((int64_t)begin[k + 1] - 1), *first = path + 2 * (int64_t)begin[k];
        assert_true(fabs(end[k] - logistic_objective(0.1, last[0], last[1], b[k])) < 1e-12);
        assert_true(first[0] == 0 && first[1] == 0 && end[k] < number(&t, "start_objective")); /* one start */
    }
    assert_true(fabs(number(&t, "start_objective") - log(2)) < 1e-12);
    assert_string_equal(hsp_report_text_at(t.s, "algorithms", 2), "sgd");
    /* the lowest point is the optimum that a certified solver finds */
    trained best = train(data, PAIRS("algorithm", "logistic", "lambda", "0.1", "tol", "1e-10"));
    double optimum = hsp_report_number(best.report, "mean_objective");
    assert_true(fabs(number(&t, "lowest_objective") - optimum) < 1e-7 * optimum);
    for (int k = 0; k < 3; k++) assert_true(end[k] >= optimum - 1e-12);
    trained_free(&best);
    studied_free(&t);
    hsp_data_free(data);
}

static void contours_have_their_level(void **state) {
    (void)state;
    hsp_data *data = two_features(signs);
    studied t = study_well("descent", data, PAIRS("loss", "logistic", "max-epochs", "5"));
    int64_t lines, points, n;
    const double *line = array_of(&t, "line", &points), *begin = array_of(&t, "line_begin", &n);
    const double *level_of = array_of(&t, "line_level", &lines), *level = array_of(&t, "levels", &n);
    assert_true(lines >= 8 && points > 100);
    double range = level[n - 1] - level[0];
    for (int64_t k = 0; k < lines; k++)
        for (int64_t i = (int64_t)begin[k]; i < (int64_t)begin[k + 1]; i += 5)
            assert_true(fabs(best_over_b(0, line[2 * i], line[2 * i + 1]) - level[(int64_t)level_of[k]]) < 0.01 * range);
    studied_free(&t);
    hsp_data_free(data);
}

/* One feature: the map is over (w, b), and the grid has the mean of (y - w x - b)^2 / 2. */
static void regression_on_one_feature(void **state) {
    (void)state;
    double x[20], z[20];
    hsp_data *data = NULL;
    for (int i = 0; i < 20; i++) x[i] = i / 10.0 - 1, z[i] = 2 * x[i] + 1 + 0.1 * sin(i);
    assert_int_equal(hsp_data_from_dense(x, 20, 1, 1, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, z, NULL), 0);
    studied t = study_well("descent", data, PAIRS("max-epochs", "20"));
    int64_t n;
    const double *grid = array_of(&t, "grid", &n), *u = array_of(&t, "u_range", &n), *v = array_of(&t, "v_range", &n);
    for (int corner = 0; corner < 4; corner++) {
        double w = u[corner % 2], b = v[corner / 2], sum = 0;
        for (int i = 0; i < 20; i++) sum += (z[i] - w * x[i] - b) * (z[i] - w * x[i] - b) / 2 / 20;
        assert_true(fabs(grid[(corner / 2) * 60 * 61 + (corner % 2) * 60] - sum) < 1e-10 * sum);
    }
    assert_true(number(&t, "dimensions") == 1);
    studied_free(&t);
    hsp_data_free(data);
}

static void what_is_refused(void **state) {
    (void)state;
    static const char *const same[] = {"1", "1"};
    hsp_data *two = two_features(signs), *one_class = two_features(same), *three = NULL, *line = NULL, *many = NULL;
    double x[3 * N], *long_x = calloc(6000 * 2, sizeof *long_x);
    const char *y[N], **long_y = calloc(6000, sizeof *long_y);
    for (int i = 0; i < 3 * N; i++) x[i] = row_of(i, 1);
    for (int i = 0; i < N; i++) y[i] = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
    for (int i = 0; i < 6000; i++) long_y[i] = signs[i % 2], long_x[2 * i] = i;
    assert_int_equal(hsp_data_from_dense(x, N, 3, 3, y, NULL, &three, NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, N, 1, 1, y, NULL, &line, NULL), 0);
    assert_int_equal(hsp_data_from_dense(long_x, 6000, 2, 2, long_y, NULL, &many, NULL), 0);
    study_fails("descent", three, HSP_EUSAGE, "needs one or two features, and the data have 3", PAIRS("loss", "hinge"));
    study_fails("descent", line, HSP_EUSAGE, "needs two classes, and the data have 3", PAIRS("loss", "hinge"));
    study_fails("descent", line, HSP_EUSAGE, "needs two", PAIRS("intercept", "none", "positive", "a"));
    study_fails("descent", many, HSP_EUSAGE, "too many for a map", PAIRS("loss", "hinge"));
    study_fails("descent", one_class, HSP_EINPUT, ": ", PAIRS("loss", "hinge"));
    study_fails("descent", two, HSP_EUSAGE, ": ", PAIRS("loss", "squared", "lambda", "1"));
    hsp_data *all[] = {two, one_class, three, line, many};
    for (int k = 0; k < 5; k++) hsp_data_free(all[k]);
    free(long_x);
    free(long_y);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(objectives_are_those_of_the_formula),
                                       cmocka_unit_test(contours_have_their_level),
                                       cmocka_unit_test(regression_on_one_feature), cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
