/* The plane of a picture: its axes, and the row expected at every place, against brute force. */
#include "factor/factor.h"
#include "studied.h"

enum { N = 60 };

static const char *two(int64_t i) {
    return i % 2 ? "up" : "down";
}

static const char *three(int64_t i) {
    return i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
}

static double wave(int64_t i, int64_t j) {
    return sin((double)(i * (2 * j + 3) + j)) + 0.3 * cos((double)(7 * i + j * j));
}

static hsp_data *data_of(const double *x, int64_t n, int64_t d, const char *(*label)(int64_t), const char *const *names) {
    const char *y[N];
    hsp_data *data = NULL;
    for (int64_t i = 0; label && i < n; i++) y[i] = label(i);
    assert_int_equal(hsp_data_from_dense(x, n, d, d, label ? y : NULL, names, &data, NULL), 0);
    return data;
}

/* The same rows, those of size below 0.4 left out: a sparse matrix. */
static hsp_data *sparse_of(double *x, int64_t n, int64_t d, const char *(*label)(int64_t)) {
    int64_t *row = calloc((size_t)n + 1, sizeof *row), *column = calloc((size_t)(n * d), sizeof *column), used = 0;
    double *value = calloc((size_t)(n * d), sizeof *value);
    const char *y[N];
    hsp_data *data = NULL;
    for (int64_t i = 0; i < n; i++) {
        y[i] = label(i);
        for (int64_t j = 0; j < d; j++) {
            if (fabs(x[i * d + j]) < 0.4 || (i + j) % 3 != 0) x[i * d + j] = 0;
            if (x[i * d + j] == 0) continue;
            column[used] = j;
            value[used++] = x[i * d + j];
        }
        row[i + 1] = used;
    }
    assert_int_equal(hsp_data_from_csr(row, column, value, n, d, y, &data, NULL), 0);
    free(row);
    free(column);
    free(value);
    return data;
}

static hsp_report *plane_of(const hsp_model *m, const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_report *s = NULL;
    hsp_error *err = NULL;
    assert_non_null(o);
    int code = hsp_study_run("plane", m, data, o, NULL, &s, &err);
    if (err) print_error("%s\n", hsp_error_message(err));
    assert_int_equal(code, 0);
    hsp_options_free(o);
    return s;
}

static void expect_refusal(const hsp_model *m, const hsp_data *data, const char *const *pairs, int code,
                           const char *words) {
    hsp_options *o = options_of(pairs);
    hsp_report *s = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_study_run("plane", m, data, o, NULL, &s, &err), code);
    assert_null(s);
    assert_non_null(err);
    if (!strstr(hsp_error_message(err), words)) print_error("%s\n", hsp_error_message(err));
    assert_non_null(strstr(hsp_error_message(err), words));
    hsp_error_free(err);
    hsp_options_free(o);
}

static const double *array(const hsp_report *s, const char *name, int64_t count) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(s, name, &a, NULL), 0);
    assert_int_equal(a.shape[0] * a.shape[1], count);
    return a.data;
}

static void expect_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) print_error("%.17g is not %.17g\n", a, b);
    assert_true(fabs(a - b) <= tolerance);
}

static hsp_model *nearest_mean(const hsp_data *data) {
    trained t = train(data, (const char *const[]){"algorithm", "nearest-mean", NULL});
    assert_int_equal(t.status, 0);
    hsp_report_free(t.report);
    return t.model;
}

static double mean_of(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i];
    return sum / (double)n;
}

/* What least squares leaves of every feature has nothing to do with u or v, and is 0 in the mean. */
static void expect_least_squares(const hsp_report *s, const double *x, int64_t d) {
    const double *u = array(s, "u", N), *v = array(s, "v", N), *lift = array(s, "lift", 3 * d);
    double um = mean_of(u, N), vm = mean_of(v, N);
    for (int64_t j = 0; j < d; j++) {
        double sum = 0, with_u = 0, with_v = 0, size = 1e-12, uu = 0, vv = 0;
        for (int64_t i = 0; i < N; i++) {
            double off = x[i * d + j] - lift[j] - lift[d + j] * u[i] - lift[2 * d + j] * v[i];
            sum += off;
            with_u += off * (u[i] - um);
            with_v += off * (v[i] - vm);
            size = fmax(size, fabs(x[i * d + j]));
            uu = fmax(uu, fabs(u[i] - um));
            vv = fmax(vv, fabs(v[i] - vm));
        }
        expect_near(sum, 0, 1e-11 * size * N);
        expect_near(with_u, 0, 1e-10 * size * N * uu);
        expect_near(with_v, 0, 1e-10 * size * N * vv);
    }
}

/* ---- features ---- */

static void features_are_as_they_are(void **state) {
    (void)state;
    double x[N * 2];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 2; j++) x[2 * i + j] = wave(i, j);
    for (int64_t d = 1; d <= 2; d++) {
        hsp_data *data = data_of(x, N, d, two, NULL);
        hsp_report *s = plane_of(NULL, data, NULL);
        const double *u = array(s, "u", N), *v = array(s, "v", N), *lift = array(s, "lift", 3 * d);
        assert_true(hsp_report_number(s, "dimensions") == (double)d);
        assert_string_equal(hsp_report_text_at(s, "method", 0), "features");
        assert_non_null(hsp_report_text_at(s, "axes", d - 1));
        assert_null(hsp_report_text_at(s, "axes", d));
        for (int64_t i = 0; i < N; i++) assert_true(u[i] == x[i * d] && v[i] == (d > 1 ? x[i * d + 1] : 0));
        for (int64_t k = 0; k < 3 * d; k++) assert_true(lift[k] == (k / d == k % d + 1 ? 1 : 0));
        assert_true(isnan(hsp_report_number(s, "share_u")));
        hsp_report_free(s);
        hsp_data_free(data);
    }
}

static void the_chosen_are_drawn_others_at_their_means(void **state) {
    (void)state;
    static const char *const names[] = {"width", "height", "2", "depth"};
    double x[N * 4];
    for (int64_t i = 0; i < N * 4; i++) x[i] = wave(i / 4, i % 4) + (double)(i % 4);
    hsp_data *data = data_of(x, N, 4, two, names);
    hsp_model *m = nearest_mean(data);
    hsp_report *s = plane_of(m, data, (const char *const[]){"x", "depth", "y", "2", NULL}); /* a name before a number */
    const double *u = array(s, "u", N), *v = array(s, "v", N), *lift = array(s, "lift", 12);
    assert_string_equal(hsp_report_text_at(s, "method", 0), "chosen");
    assert_string_equal(hsp_report_text_at(s, "axes", 0), "depth");
    assert_string_equal(hsp_report_text_at(s, "axes", 1), "2");
    for (int64_t i = 0; i < N; i++) assert_true(u[i] == x[4 * i + 3] && v[i] == x[4 * i + 2]);
    for (int64_t j = 0; j < 2; j++) {
        double sum = 0;
        for (int64_t i = 0; i < N; i++) sum += x[4 * i + j];
        expect_near(lift[j], sum / N, 1e-12);
        assert_true(lift[4 + j] == 0 && lift[8 + j] == 0);
    }
    assert_true(lift[2] == 0 && lift[3] == 0 && lift[4 + 3] == 1 && lift[8 + 2] == 1 && lift[4 + 2] == 0);
    hsp_report_free(s);
    s = plane_of(m, data, (const char *const[]){"y", "4", NULL}); /* by number; the other by its influence */
    assert_string_equal(hsp_report_text_at(s, "axes", 1), "depth");
    assert_string_not_equal(hsp_report_text_at(s, "axes", 0), "depth");
    hsp_report_free(s);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void the_influential_are_drawn(void **state) {
    (void)state;
    static const char *const names[] = {"same", "high", "first", "x7", "second"};
    double x[N * 5];
    for (int64_t i = 0; i < N; i++) { /* the classes differ in columns 2 and 4, and in 1 by a number that they share */
        for (int64_t j = 0; j < 5; j++) x[5 * i + j] = wave(i, j);
        x[5 * i + 1] += 1000;
        x[5 * i + 2] += 5 * (double)(i % 3);
        x[5 * i + 4] -= 9 * (double)(i % 3);
    }
    hsp_data *data = data_of(x, N, 5, three, names);
    hsp_model *m = nearest_mean(data);
    hsp_report *s = plane_of(m, data, NULL);
    assert_string_equal(hsp_report_text_at(s, "method", 0), "influence");
    assert_string_equal(hsp_report_text_at(s, "axes", 0), "first");
    assert_string_equal(hsp_report_text_at(s, "axes", 1), "second");
    expect_least_squares(s, x, 5);
    hsp_report_free(s);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* The other level of a column with two, and the first again in other units, add nothing to it. */
static void what_repeats_the_first_is_passed_over(void **state) {
    (void)state;
    static const char *const names[] = {"yes", "no", "cents", "weak"};
    double x[N * 4];
    for (int64_t i = 0; i < N; i++) {
        x[4 * i] = (double)(i % 2);
        x[4 * i + 1] = 1 - (double)(i % 2);
        x[4 * i + 2] = 7 - 3 * (double)(i % 2);
        x[4 * i + 3] = 0.1 * wave(i, 3) + 0.01 * (double)(i % 2);
    }
    hsp_data *data = data_of(x, N, 4, two, names);
    hsp_model *m = nearest_mean(data);
    hsp_report *s = plane_of(m, data, NULL);
    assert_string_equal(hsp_report_text_at(s, "axes", 0), "cents");
    assert_string_equal(hsp_report_text_at(s, "axes", 1), "weak");
    expect_least_squares(s, x, 4);
    hsp_report_free(s);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* A column that follows the two exactly is where they say. */
static void others_are_predicted_from_the_two(void **state) {
    (void)state;
    double x[N * 3];
    for (int64_t i = 0; i < N; i++) {
        x[3 * i] = 10 * wave(i, 0) + 4 * (double)(i % 2);
        x[3 * i + 1] = 10 * wave(i, 1) + 6 * (double)(i % 2);
        x[3 * i + 2] = 0.25 * x[3 * i] - 0.125 * x[3 * i + 1] + 3;
    }
    hsp_data *data = data_of(x, N, 3, two, NULL);
    hsp_model *m = nearest_mean(data);
    hsp_report *s = plane_of(m, data, NULL);
    const double *lift = array(s, "lift", 9);
    expect_near(lift[2], 3, 1e-11);
    expect_near(lift[5], 0.25, 1e-12);
    expect_near(lift[8], -0.125, 1e-12);
    hsp_report_free(s);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* ---- components ---- */

/* Places along component k (0: of the largest variance) of the covariance matrix; its share. */
static double brute_component(const double *x, int64_t d, int64_t k, double *out) {
    double mean[16], A[16 * 16] = {0}, e[16], total = 0;
    for (int64_t j = 0; j < d; j++) {
        mean[j] = 0;
        for (int64_t i = 0; i < N; i++) mean[j] += x[i * d + j] / N;
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < d; j++)
            for (int64_t l = 0; l < d; l++) A[j * d + l] += (x[i * d + j] - mean[j]) * (x[i * d + l] - mean[l]);
    assert_int_equal(hsp_eigen(A, d, e), 0);
    for (int64_t j = 0; j < d; j++) total += e[j];
    const double *w = A + (d - 1 - k) * d;
    for (int64_t i = 0; i < N; i++) {
        out[i] = 0;
        for (int64_t j = 0; j < d; j++) out[i] += (x[i * d + j] - mean[j]) * w[j];
    }
    return e[d - 1 - k] / total;
}

static void expect_parallel(const double *a, const double *b) {
    double dot = 0;
    for (int64_t i = 0; i < N; i++) dot += a[i] * b[i];
    for (int64_t i = 0; i < N; i++) expect_near(a[i], dot < 0 ? -b[i] : b[i], 1e-7);
}

static void components_are_those_of_the_covariance(void **state) {
    (void)state;
    enum { D = 9 };
    for (int sparse = 0; sparse < 2; sparse++) {
        double x[N * D], own[N];
        for (int64_t i = 0; i < N * D; i++) x[i] = wave(i / D, i % D) * (1 + 0.5 * (double)(i % D)) + 2;
        hsp_data *data = sparse ? sparse_of(x, N, D, three) : data_of(x, N, D, three, NULL);
        hsp_report *s = plane_of(NULL, data, (const char *const[]){"plane", "pca", NULL});
        assert_string_equal(hsp_report_text_at(s, "method", 0), "pca");
        expect_near(hsp_report_number(s, "share_u"), brute_component(x, D, 0, own), 1e-9);
        expect_parallel(array(s, "u", N), own);
        expect_near(hsp_report_number(s, "share_v"), brute_component(x, D, 1, own), 1e-9);
        expect_parallel(array(s, "v", N), own);
        expect_least_squares(s, x, D);
        hsp_report_free(s);
        hsp_data_free(data);
    }
}

static void without_a_model_there_are_components(void **state) {
    (void)state;
    double x[N * 3];
    for (int64_t i = 0; i < N * 3; i++) x[i] = wave(i / 3, i % 3);
    hsp_data *data = data_of(x, N, 3, NULL, NULL);
    hsp_report *s = plane_of(NULL, data, NULL);
    assert_string_equal(hsp_report_text_at(s, "method", 0), "pca");
    hsp_report_free(s);
    hsp_data_free(data);
}

/* ---- discriminants ---- */

static void discriminants_are_those_of_lda(void **state) {
    (void)state;
    double x[N * 4];
    for (int64_t i = 0; i < N * 4; i++)
        x[i] = wave(i / 4, i % 4) + (double)((i / 4 % 3) * (i % 4 % 2 ? -1 : 2)) + (i % 4 == 3);
    for (int64_t i = 0; i < N; i++) x[4 * i + 2] += i % 3 == 1 ? 3 : 0;
    hsp_data *data = data_of(x, N, 4, three, NULL);
    trained t = train(data, (const char *const[]){"algorithm", "lda", NULL});
    hsp_report *s = plane_of(t.model, data, (const char *const[]){"plane", "lda", NULL});
    const double *place[] = {array(s, "u", N), array(s, "v", N)};
    hsp_array V = {.size = sizeof V}, b = {.size = sizeof b};
    assert_int_equal(hsp_model_array(t.model, "directions", &V, NULL), 0);
    assert_int_equal(hsp_model_array(t.model, "direction-offsets", &b, NULL), 0);
    assert_int_equal(V.shape[0], 2);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < N; i++) {
            double sum = ((const double *)b.data)[k];
            for (int64_t j = 0; j < 4; j++) sum += ((const double *)V.data)[4 * k + j] * x[4 * i + j];
            expect_near(place[k][i], sum, 1e-10);
        }
    expect_least_squares(s, x, 4);
    hsp_report_free(s);
    trained_free(&t);
    hsp_data_free(data);
}

/* Of two classes there is one direction: the second axis is uncorrelated with it. */
static void two_classes_have_a_second_axis(void **state) {
    (void)state;
    double x[N * 5];
    for (int64_t i = 0; i < N * 5; i++) x[i] = wave(i / 5, i % 5) + (i / 5 % 2 ? 1.5 : 0) * (double)(i % 5);
    hsp_data *data = data_of(x, N, 5, two, NULL);
    hsp_report *s = plane_of(NULL, data, (const char *const[]){"plane", "lda", NULL});
    const double *u = array(s, "u", N), *v = array(s, "v", N);
    double um = mean_of(u, N), dot = 0, uu = 0, vv = 0;
    for (int64_t i = 0; i < N; i++) {
        dot += (u[i] - um) * v[i];
        uu += (u[i] - um) * (u[i] - um);
        vv += v[i] * v[i];
    }
    assert_true(vv > 0.1);
    expect_near(dot, 0, 1e-9 * sqrt(uu * vv));
    expect_near(mean_of(v, N), 0, 1e-9);
    assert_non_null(hsp_report_text_at(s, "axes", 1));
    expect_least_squares(s, x, 5);
    hsp_report_free(s);
    hsp_data_free(data);
}

/* ---- awkward data, broken questions, no memory ---- */

static void awkward_columns_give_numbers(void **state) {
    (void)state;
    static const double size[] = {0, 1, 1e-300, 1e100, 1e150};
    static const char *const kinds[] = {"auto", "pca"};
    for (size_t t = 0; t < sizeof size / sizeof size[0]; t++)
        for (int k = 0; k < 2; k++)
            for (int64_t n = 2; n <= N; n += N - 2) {
                double x[N * 3];
                for (int64_t i = 0; i < N * 3; i++) x[i] = size[t] * (i / 3 % 2 ? 1 : -1);
                hsp_data *data = data_of(x, n, 3, two, NULL);
                hsp_model *m = nearest_mean(data);
                hsp_report *s = plane_of(m, data, (const char *const[]){"plane", kinds[k], NULL});
                const double *u = array(s, "u", n), *v = array(s, "v", n), *lift = array(s, "lift", 9);
                for (int64_t i = 0; i < n; i++) assert_true(isfinite(u[i]) && isfinite(v[i]));
                for (int i = 0; i < 9; i++) assert_true(isfinite(lift[i]));
                hsp_report_free(s);
                hsp_model_free(m);
                hsp_data_free(data);
            }
}

static void one_row_is_enough(void **state) {
    (void)state;
    const double x[] = {1, 2, 3};
    hsp_data *data = data_of(x, 1, 3, NULL, NULL);
    hsp_report *s = plane_of(NULL, data, NULL);
    const double *lift = array(s, "lift", 9);
    for (int j = 0; j < 3; j++) assert_true(lift[j] == x[j] && lift[3 + j] == 0 && lift[6 + j] == 0);
    hsp_report_free(s);
    hsp_data_free(data);
}

static void broken_questions_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"sepal length", "sepal width", "petal length"};
    double x[N * 3], same[N * 3];
    for (int64_t i = 0; i < N * 3; i++) {
        x[i] = wave(i / 3, i % 3);
        same[i] = wave(i / 6, i % 3);
    }
    hsp_data *data = data_of(x, N, 3, three, names), *bare = data_of(x, N, 3, NULL, names);
    hsp_data *one = data_of(x, N, 1, two, NULL), *equal = data_of(same, N, 3, two, NULL);
    hsp_model *m = nearest_mean(one);
    expect_refusal(NULL, data, (const char *const[]){"x", "sepal lenght", NULL}, HSP_EUSAGE, "did you mean 'sepal length'");
    expect_refusal(NULL, data, (const char *const[]){"y", "colour", NULL}, HSP_EUSAGE, "1 to 3");
    expect_refusal(NULL, data, (const char *const[]){"y", "4", NULL}, HSP_EUSAGE, "1 to 3");
    expect_refusal(NULL, data, (const char *const[]){"x", "0", NULL}, HSP_EUSAGE, "1 to 3");
    expect_refusal(NULL, data, (const char *const[]){"x", "2.5", NULL}, HSP_EUSAGE, "1 to 3");
    expect_refusal(NULL, data, (const char *const[]){"x", "2", "y", "sepal width", NULL}, HSP_EUSAGE, "same feature");
    expect_refusal(NULL, data, (const char *const[]){"x", "2", "plane", "pca", NULL}, HSP_EUSAGE, "leave --x");
    expect_refusal(NULL, one, (const char *const[]){"y", "1", NULL}, HSP_EUSAGE, "one feature");
    expect_refusal(NULL, bare, (const char *const[]){"plane", "lda", NULL}, HSP_EUSAGE, "two classes");
    expect_refusal(NULL, equal, (const char *const[]){"plane", "lda", NULL}, HSP_EINPUT, "class means are equal");
    expect_refusal(m, data, NULL, HSP_EINPUT, "3 features, but the model has 1");
    hsp_model_free(m);
    hsp_data_free(data);
    hsp_data_free(bare);
    hsp_data_free(one);
    hsp_data_free(equal);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const char *const kinds[] = {"auto", "pca", "lda"};
    double x[N * 4];
    for (int64_t i = 0; i < N * 4; i++) x[i] = wave(i / 4, i % 4) + (double)(i / 4 % 2);
    hsp_data *data = data_of(x, N, 4, two, NULL);
    hsp_model *m = nearest_mean(data);
    for (int k = 0; k < 3; k++) {
        hsp_options *o = options_of((const char *const[]){"plane", kinds[k], "threads", "1", NULL});
        made_short_of_memory(run_study, &(study_inputs){"plane", m, data, o});
        hsp_options_free(o);
    }
    hsp_model_free(m);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_as_they_are),
        cmocka_unit_test(the_chosen_are_drawn_others_at_their_means),
        cmocka_unit_test(the_influential_are_drawn),
        cmocka_unit_test(what_repeats_the_first_is_passed_over),
        cmocka_unit_test(others_are_predicted_from_the_two),
        cmocka_unit_test(components_are_those_of_the_covariance),
        cmocka_unit_test(without_a_model_there_are_components),
        cmocka_unit_test(discriminants_are_those_of_lda),
        cmocka_unit_test(two_classes_have_a_second_axis),
        cmocka_unit_test(awkward_columns_give_numbers),
        cmocka_unit_test(one_row_is_enough),
        cmocka_unit_test(broken_questions_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
