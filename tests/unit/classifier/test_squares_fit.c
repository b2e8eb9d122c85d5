/* least-squares and ridge as people call them: weights by hand, reports, moments, certificates, warnings, refusals. */
#include "trained.h"

#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define assert_near(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

static const hsp_report *details(const trained *t) {
    const hsp_report *own = hsp_report_member(t->report, "ridge");
    return own ? own : hsp_report_member(t->report, "least_squares");
}

static double detail(const trained *t, const char *key) {
    return hsp_report_number(details(t), key);
}

static const char *warning(const trained *t, int64_t at) {
    const char *s = hsp_report_text_at(t->report, "warnings", at);
    return s ? s : "";
}

static hsp_data *made(const double *x, int64_t n, int64_t d, const char *const *labels, const double *targets) {
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, n, d, d, labels, NULL, &data, NULL), 0);
    if (targets) assert_int_equal(hsp_data_set_targets(data, targets, NULL), 0);
    return data;
}

/* n rows about 2, d columns; K classes by the largest of a few columns, or the number itself. */
static hsp_data *noisy(int64_t n, int64_t d, int64_t K, uint64_t seed) {
    static const char *const names[] = {"a", "b", "c", "d"};
    hsp_rng r = hsp_rng_new(seed, 2);
    double *x = malloc((size_t)(n * d) * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    const char **labels = malloc((size_t)n * sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) x[i * d + j] = 2 + hsp_rng_normal(&r);
        y[i] = x[i * d] + hsp_rng_normal(&r);
        double t = (y[i] + 1) / 6 * (double)K;
        if (K == 0) continue;
        labels[i] = names[i < K ? i : t < 0 ? 0 : t >= (double)K ? K - 1 : (int64_t)t];
    }
    hsp_data *data = made(x, n, d, K ? labels : NULL, K ? NULL : y);
    free(x);
    free(y);
    free(labels);
    return data;
}

/* y = 1 + 2 x, noise (0.1, -0.1, -0.1, 0.1): orthogonal to the line, which is found exactly. */
static void a_line_by_hand(void **unused) {
    (void)unused;
    const double x[] = {0, 1, 2, 3}, y[] = {1.1, 2.9, 4.9, 7.1};
    hsp_data *data = made(x, 4, 1, NULL, y);
    trained t = train(data, PAIRS("algorithm", "least-squares"));
    assert_int_equal(t.status, 0);
    assert_near(t.model->w[0], 2, 1e-14);
    assert_near(t.model->b[0], 1, 1e-14);
    assert_near(figure(&t, "objective"), 0.02, 1e-14);
    assert_true(figure(&t, "relative_gap") < 1e-12);
    assert_string_equal(word(&t, "stop_reason"), "closed-form");
    assert_string_equal(word(&t, "solver"), "cholesky");
    assert_string_equal(word(&t, "task"), "regression");
    assert_true(detail(&t, "rank") == 1 && hsp_report_kind(t.report, "C") == HSP_REPORT_NULL);
    /* E[x x'] = 14/4; E[x y] = (2.9 + 9.8 + 21.3)/4; h = 0.7, 0.3, 0.3, 0.7 */
    assert_near(hsp_model_extra(t.model, "second-moment")->data[0], 3.5, 1e-14);
    assert_near(hsp_model_extra(t.model, "cross-moment")->data[0], 8.5, 1e-14);
    double press = 2 * (0.1 / 0.3) * (0.1 / 0.3) + 2 * (0.1 / 0.7) * (0.1 / 0.7);
    assert_near(detail(&t, "loo_press"), press, 1e-13);
    assert_near(detail(&t, "loo_rmse"), sqrt(press / 4), 1e-13);
    trained_free(&t);
    /* ridge: w = Sxy / (Sxx + 1/C) with Sxx = 5, Sxy = 10 */
    t = train(data, PAIRS("algorithm", "ridge", "C", "0.2"));
    assert_near(t.model->w[0], 1, 1e-14);
    assert_near(t.model->b[0], 4 - 1.5, 1e-14);
    assert_near(figure(&t, "lambda"), 1.25, 1e-14);
    assert_true(figure(&t, "relative_gap") <= 1e-14);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "ridge", "lambda", "1.25", "intercept", "penalised"));
    assert_int_equal(t.status, 0);
    /* [[14 + 5, 6], [6, 4 + 5]] (w, b) = (34, 16) */
    assert_near(t.model->w[0], (34 * 9 - 6 * 16.0) / (19 * 9 - 36), 1e-14);
    assert_near(t.model->b[0], (19 * 16 - 6 * 34.0) / (19 * 9 - 36), 1e-14);
    trained_free(&t);
    hsp_data_free(data);
}

/* Two classes are -1 and +1; for K the k-th output is the fit of class k against the rest. */
static void classes_are_targets(void **unused) {
    (void)unused;
    hsp_data *data = noisy(60, 3, 3, 4);
    const char *const names[] = {"least-squares", "ridge"};
    for (int a = 0; a < 2; a++) {
        trained all = train(data, PAIRS("algorithm", names[a]));
        assert_int_equal(all.status, 0);
        double P = 0, wrong = detail(&all, "loo_error");
        assert_true(wrong > 0 && wrong < 1);
        for (int64_t k = 0; k < 3; k++) {
            trained one = train(data, PAIRS("algorithm", names[a], "positive", k == 0 ? "a" : k == 1 ? "b" : "c"));
            assert_int_equal(one.status, 0);
            for (int j = 0; j < 3; j++) assert_near(one.model->w[j], all.model->w[k * 3 + j], 1e-13);
            assert_near(one.model->b[0], all.model->b[k], 1e-12);
            P += figure(&one, "objective");
            trained_free(&one);
        }
        assert_near(figure(&all, "objective"), P, 1e-11);
        assert_string_equal(word(&all, "multiclass"), "ovr");
        assert_int_equal(hsp_report_count(all.report, "problems"), 3);
        trained_free(&all);
    }
    hsp_data_free(data);
}

/* The twin in src/verify, which shares nothing, agrees; scaling, weights and penalised intercepts included. */
static void another_hand_agrees(void **unused) {
    (void)unused;
    const char *const options[][8] = {
        {"algorithm", "ridge", "C", "3"},
        {"algorithm", "ridge", "C", "0.01", "scale", "standard", "intercept", "penalised"},
        {"algorithm", "ridge", "lambda", "auto", "scale", "minmax"},
        {"algorithm", "ridge", "intercept", "none", "class-weight", "balanced"},
        {"algorithm", "least-squares", "scale", "maxabs"},
    };
    for (size_t o = 0; o < 5; o++)
        for (int64_t K = 2; K <= 4; K += 2)
            for (int wide = 0; wide < 2; wide++) {
                hsp_data *data = noisy(40, wide ? 70 : 5, K, 7);
                const char *pairs[9] = {0};
                for (int e = 0; e < 8; e++) pairs[e] = options[o][e];
                trained t = train(data, pairs);
                assert_int_equal(t.status, 0);
                hsp_verified v;
                assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
                double P = figure(&t, "objective");
                assert_near(v.objective, P, 1e-9 * P + 1e-18);
                if (o < 4) {
                    assert_near(v.bound, P, 1e-8 * P);
                    assert_true(figure(&t, "dual_bound") <= P && figure(&t, "relative_gap") < 1e-10);
                }
                trained_free(&t);
                hsp_data_free(data);
            }
}

static void scaling_does_not_change_least_squares(void **unused) {
    (void)unused;
    hsp_data *data = noisy(50, 4, 0, 9);
    trained plain = train(data, PAIRS("algorithm", "least-squares"));
    const char *const scales[] = {"standard", "maxabs", "minmax"};
    for (int s = 0; s < 3; s++) {
        trained t = train(data, PAIRS("algorithm", "least-squares", "scale", scales[s]));
        for (int j = 0; j < 4; j++) assert_near(t.model->w[j], plain.model->w[j], 1e-12);
        assert_near(t.model->b[0], plain.model->b[0], 1e-11);
        const double *a = hsp_model_extra(t.model, "second-moment")->data;
        const double *b = hsp_model_extra(plain.model, "second-moment")->data;
        for (int e = 0; e < 16; e++) assert_near(a[e], b[e], 1e-12);
        a = hsp_model_extra(t.model, "cross-moment")->data;
        b = hsp_model_extra(plain.model, "cross-moment")->data;
        for (int e = 0; e < 4; e++) assert_near(a[e], b[e], 1e-12);
        trained_free(&t);
    }
    trained_free(&plain);
    hsp_data_free(data);
}

static void lambda_is_chosen(void **unused) {
    (void)unused;
    hsp_data *data = noisy(40, 6, 0, 10);
    trained t = train(data, PAIRS("algorithm", "ridge", "lambda", "auto"));
    assert_int_equal(t.status, 0);
    const hsp_report *grid = hsp_report_member(details(&t), "lambda_grid"),
                     *errors = hsp_report_member(details(&t), "loo_mse");
    assert_true(hsp_report_count(grid, NULL) > 50 && hsp_report_count(grid, NULL) == hsp_report_count(errors, NULL));
    double least = INFINITY, at = 0;
    for (int64_t e = 0; e < hsp_report_count(grid, NULL); e++)
        if (hsp_report_number_at(errors, NULL, e) < least) {
            least = hsp_report_number_at(errors, NULL, e);
            at = hsp_report_number_at(grid, NULL, e);
        }
    assert_true(figure(&t, "lambda") == at);
    assert_near(figure(&t, "C"), 1 / (at * 40), 1e-12 / at);
    assert_near(detail(&t, "loo_rmse"), sqrt(least), 1e-10); /* two ways to the same figure */
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "least-squares", "lambda", "auto"));
    assert_int_equal(t.status, HSP_EUSAGE);
    trained_free(&t);
    hsp_data_free(data);
}

static void columns_are_named(void **unused) {
    (void)unused;
    enum { N = 20, D = 10 };
    hsp_rng r = hsp_rng_new(3, 1);
    double x[N * D], y[N];
    for (int i = 0; i < N; i++) {
        y[i] = hsp_rng_normal(&r);
        for (int j = 0; j < D; j++) x[i * D + j] = j < 2 ? hsp_rng_normal(&r) : j < 9 ? x[i * D] + j * x[i * D + 1] : 5;
    }
    hsp_data *data = made(x, N, D, NULL, y);
    trained t = train(data, PAIRS("algorithm", "least-squares"));
    assert_int_equal(t.status, 0);
    assert_int_equal(hsp_report_count(details(&t), "dependent_columns"), 7);
    assert_string_equal(hsp_report_text_at(details(&t), "constant_columns", 0), "x10");
    assert_true(detail(&t, "rank") == 2);
    assert_string_equal(word(&t, "solver"), "qr");
    assert_non_null(strstr(warning(&t, 0), "7 columns are linear combinations of the others (x"));
    assert_non_null(strstr(warning(&t, 0), " and 2 more): took the least-squares solution of minimum norm"));
    assert_string_equal(warning(&t, 1), "1 column is constant (x10) and got weight 0");
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "ridge"));
    assert_int_equal(hsp_report_count(t.report, "warnings"), 0);
    trained_free(&t);
    hsp_data_free(data);
    data = noisy(5, 9, 0, 2);
    t = train(data, PAIRS("algorithm", "least-squares"));
    assert_non_null(strstr(warning(&t, 0), "9 columns for 5 rows"));
    assert_true(hsp_report_kind(details(&t), "loo_rmse") == HSP_REPORT_NULL && detail(&t, "loo_undefined") == 5);
    trained_free(&t);
    hsp_data_free(data);
}

static void refusals(void **unused) {
    (void)unused;
    const struct {
        const char *pairs[5];
        int status;
        const char *says;
    } list[] = {
        {{"algorithm", "least-squares", "C", "2"}, HSP_EUSAGE, "does not use -C:"},
        {{"algorithm", "least-squares", "tol", "0.1"}, HSP_EUSAGE, "does not use --tol"},
        {{"algorithm", "least-squares", "intercept", "penalised"},
         HSP_EUSAGE,
         "has no penalty: use --intercept free or --intercept none"},
        {{"algorithm", "least-squares", "loss", "hinge"}, HSP_EUSAGE, "does not use --loss"},
        {{"algorithm", "ridge", "loss", "hinge"}, HSP_EUSAGE, "ridge needs a regression loss"},
        {{"algorithm", "ridge", "lambda", "1e-299"}, HSP_OK, NULL},
        {{"algorithm", "ridge", "C", "1e300"}, HSP_OK, NULL},
        {{"algorithm", "ridge", "lambda", "1e300"}, HSP_OK, NULL},
    };
    hsp_data *data = noisy(30, 3, 2, 12);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trained t = train(data, list[i].pairs);
        assert_int_equal(t.status, list[i].status);
        if (list[i].says) assert_non_null(strstr(hsp_error_message(t.error), list[i].says));
        trained_free(&t);
    }
    hsp_data_free(data);
    const double x[] = {1e200, 1, -1e200, 2, 3e200, 3}, y[] = {1, 2, 3};
    data = made(x, 3, 2, NULL, y);
    const char *const names[] = {"least-squares", "ridge"};
    for (int a = 0; a < 2; a++) {
        trained t = train(data, PAIRS("algorithm", names[a]));
        assert_int_equal(t.status, HSP_EINPUT);
        assert_string_equal(hsp_error_message(t.error),
                            "column 'x1' has values too large to compute with: use other units, or --scale standard");
        trained_free(&t);
        t = train(data, PAIRS("algorithm", names[a], "scale", "standard"));
        assert_int_equal(t.status, HSP_OK);
        trained_free(&t);
    }
    hsp_data_free(data);
}

static void memory_may_fail(void **unused) {
    (void)unused;
    const char *const names[] = {"least-squares", "ridge"};
    for (int a = 0; a < 2; a++) {
        hsp_data *data = noisy(12, 3, 3, 14);
        hsp_options *o = options_of(PAIRS("algorithm", names[a]));
        if (a == 1) assert_int_equal(hsp_options_set(o, "lambda", "auto", NULL), 0);
        for (int64_t calls = 0, status = HSP_EMEMORY; status; calls++) {
            hsp_model *m = NULL;
            hsp_report *report = NULL;
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status = hsp_train(data, o, NULL, &m, &report, &err);
            hsp_memory_fail_after(-1);
            assert_true(status == HSP_EMEMORY || status == HSP_OK);
            if (status) assert_true(m == NULL && report == NULL);
            hsp_model_free(m);
            hsp_report_free(report);
            hsp_error_free(err);
        }
        hsp_options_free(o);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_by_hand),
        cmocka_unit_test(classes_are_targets),
        cmocka_unit_test(another_hand_agrees),
        cmocka_unit_test(scaling_does_not_change_least_squares),
        cmocka_unit_test(lambda_is_chosen),
        cmocka_unit_test(columns_are_named),
        cmocka_unit_test(refusals),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
