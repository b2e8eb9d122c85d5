/* Logistic regression from end to end: unlike solvers meet, certificates hold by another computation, any scale of the
 * columns will do, and where there is no optimum it is said. */
#include "../reference.h"
#include "base/memory.h"
#include "base/rng.h"
#include "classifier/classifier.h"
#include "trained.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Overlapping classes, columns with unlike offsets; density below 0.5 gives sparse storage; column j times unit[j % 3]. */
static hsp_data *make(int64_t n, int64_t d, int classes, double density, const double unit[3], double shift) {
    static const char *const names[] = {"a", "b", "c", "d"};
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    hsp_rng r = hsp_rng_new(11, (uint64_t)(n + d + classes));
    for (int64_t i = 0; i < n; i++) {
        int64_t k = hsp_rng_below(&r, classes);
        labels[i] = names[k];
        for (int64_t j = 0; j < d; j++)
            if (hsp_rng_uniform(&r) < density)
                x[i * d + j] = (hsp_rng_normal(&r) + (j % classes == k ? 0.8 : 0) + shift * (double)(j % 4)) * unit[j % 3];
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, n, d, d, labels, NULL, &data, NULL), 0);
    free(x);
    free(labels);
    return data;
}

static const double PLAIN[3] = {1, 1, 1}, UNLIKE[3] = {1e6, 1e-6, 1};

static void assert_certified(const trained *t, const hsp_data *data, double tol) {
    hsp_verified v;
    assert_int_equal(t->status, 0);
    double P = figure(t, "objective"), gap = figure(t, "relative_gap");
    if (!(gap <= tol)) fail_msg("stopped by %s at a gap of %d parts in 1e12", word(t, "stop_reason"), (int)(gap * 1e12));
    assert_int_equal(hsp_verify_model(t->model, data, &v, NULL), 0);
    assert_true(fabs(v.objective - P) <= 1e-9 * P);
    assert_true(isnan(v.bound) || v.bound <= P * (1 + 1e-12));
    assert_true(figure(t, "dual_bound") <= v.objective * (1 + 1e-12));
}

/* Every pair of solver, data, scaling and intercept: the same optimum, proven. */
static void unlike_solvers_meet(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"newton", "newton-cg", "prox-newton"};
    static const char *const intercepts[] = {"free", "none", "penalised"};
    static const char *const scales[] = {"none", "standard"};
    for (int kind = 0; kind < 4; kind++) {
        hsp_data *data = make(150, 7, kind < 2 ? 2 : 3, kind % 2 ? 0.3 : 1, PLAIN, 1);
        assert_true(data->x.dense == (kind % 2 == 0));
        for (int c = 0; c < 6; c++) {
            double first = NAN;
            for (int s = 0; s < 3; s++) {
                trained t = train(data, PAIRS("algorithm", "logistic", "solver", solvers[s], "intercept", intercepts[c % 3],
                                              "scale", scales[c / 3], "tol", "1e-10", "C", c % 2 ? "0.3" : "20"));
                assert_certified(&t, data, 1e-10);
                double P = figure(&t, "objective");
                if (s == 0) first = P;
                assert_true(fabs(P - first) <= 3e-10 * first);
                assert_string_equal(word(&t, "solver"), solvers[s]);
                assert_string_equal(word(&t, "loss"), kind < 2 ? "logistic" : "softmax");
                trained_free(&t);
            }
        }
        hsp_data_free(data);
    }
}

/* Against the reference of the tests, which shares no code with the solvers. */
static void the_optimum_is_the_reference(void **unused) {
    (void)unused;
    enum { N = 150, D = 5 };
    hsp_data *data = make(N, D, 2, 1, PLAIN, 0.5);
    double x[N * D], y[N];
    for (int64_t i = 0; i < N; i++) {
        hsp_data_row(data, i, x + i * D, NULL);
        y[i] = data->y[i] == 1 ? 1 : -1;
    }
    reference r;
    assert_true(reference_solve(x, y, N, D, 2, false, &r));
    trained t = train(data, PAIRS("algorithm", "logistic", "C", "2", "tol", "1e-10"));
    double P = figure(&t, "objective");
    assert_true(P <= r.primal * (1 + 1e-9) && P >= r.dual * (1 - 1e-12));
    assert_true(figure(&t, "dual_bound") <= r.primal * (1 + 1e-12));
    trained_free(&t);
    hsp_data_free(data);
}

static void any_units_will_do(void **unused) {
    (void)unused;
    static const char *const penalties[] = {"l2", "l1", "elastic"};
    for (int kind = 0; kind < 4; kind++)
        for (int p = 0; p < 3; p++) {
            hsp_data *data = make(200, 8, kind < 2 ? 2 : 3, kind % 2 ? 0.3 : 1, UNLIKE, 1);
            trained t = train(data, PAIRS("algorithm", "logistic", "tol", "1e-8", "penalty", penalties[p]));
            assert_certified(&t, data, 1e-8);
            trained_free(&t);
            hsp_data_free(data);
        }
}

/* Columns far from 0 cost no digit, and no false bound: a free intercept does not notice where they are. */
static void offsets_do_not_matter(void **unused) {
    (void)unused;
    static const char *const penalties[] = {"none", "l2", "l1", "elastic"};
    enum { N = 80, D = 2 };
    double x[N * D];
    const char *labels[N];
    for (int classes = 2; classes <= 3; classes++)
        for (int p = 0; p < 4; p++) {
            double near = NAN;
            for (double offset = 0; offset<2e9; offset = offset> 0 ? offset * 1024 : 1048576) {
                static const char *const names[] = {"a", "b", "c"};
                hsp_rng r = hsp_rng_new(7, (uint64_t)classes);
                for (int64_t i = 0; i < N; i++) {
                    int64_t k = hsp_rng_below(&r, classes);
                    labels[i] = names[k];
                    for (int64_t j = 0; j < D; j++) /* in steps of 1/64: exact at any of the offsets */
                        x[i * D + j] = floor(64 * (hsp_rng_normal(&r) + (j == k ? 0.7 : 0))) / 64 + offset;
                }
                hsp_data *data = NULL;
                assert_int_equal(hsp_data_from_dense(x, N, D, D, labels, NULL, &data, NULL), 0);
                trained t = train(data, PAIRS("algorithm", "logistic", "penalty", penalties[p], "tol", "1e-9"));
                double P = figure(&t, "objective");
                assert_true(figure(&t, "relative_gap") <= 1e-9 && figure(&t, "relative_gap") >= 0);
                if (offset == 0) near = P;
                assert_true(fabs(P - near) <= 2e-9 * near);
                assert_true(figure(&t, "dual_bound") <= near * (1 + 1e-9));
                trained_free(&t);
                hsp_data_free(data);
            }
        }
}

/* One-vs-rest is K problems of two classes each; its figures are their sums. */
static void one_against_the_rest(void **unused) {
    (void)unused;
    hsp_data *data = make(150, 4, 3, 1, PLAIN, 0);
    trained t = train(data, PAIRS("algorithm", "logistic", "multiclass", "ovr", "tol", "1e-9"));
    assert_certified(&t, data, 1e-9);
    assert_int_equal(hsp_report_count(t.report, "problems"), 3);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"a", "b", "c"};
        trained one = train(data, PAIRS("algorithm", "logistic", "positive", names[k], "tol", "1e-9"));
        assert_int_equal(one.status, 0);
        sum += figure(&one, "objective");
        for (int64_t j = 0; j < 4; j++) assert_true(fabs(one.model->w[j] - t.model->w[k * 4 + j]) < 1e-4);
        trained_free(&one);
    }
    assert_true(fabs(sum - figure(&t, "objective")) < 1e-8 * sum);
    trained_free(&t);
    hsp_data_free(data);
}

/* Free intercepts of softmax are fixed only up to a constant: ours sum to 0, as do the penalised weights of each column. */
static void softmax_is_centred(void **unused) {
    (void)unused;
    hsp_data *data = make(150, 4, 4, 1, PLAIN, 1);
    trained t = train(data, PAIRS("algorithm", "logistic", "tol", "1e-10"));
    assert_int_equal(t.model->outputs, 4);
    for (int64_t j = 0; j <= 4; j++) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < 4; k++) {
            double v = j < 4 ? t.model->w[k * 4 + j] : t.model->b[k];
            sum += v;
            size += fabs(v);
        }
        assert_true(fabs(sum) <= 1e-6 * size);
    }
    trained_free(&t);
    hsp_data_free(data);
}

static void l1_gives_exact_zeros(void **unused) {
    (void)unused;
    hsp_data *data = make(200, 20, 2, 1, PLAIN, 0);
    int64_t zeros = 0;
    trained t = train(data, PAIRS("algorithm", "logistic", "penalty", "l1", "C", "0.05", "tol", "1e-9"));
    assert_certified(&t, data, 1e-9);
    for (int64_t j = 0; j < 20; j++) zeros += t.model->w[j] == 0;
    assert_in_range(zeros, 1, 19);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "logistic", "penalty", "l1", "C", "1e-6"));
    for (int64_t j = 0; j < 20; j++) assert_true(t.model->w[j] == 0);
    int64_t plus = 0; /* nothing but the intercept is left: the log-odds of the classes */
    for (int64_t i = 0; i < 200; i++) plus += data->y[i] == 1;
    assert_true(fabs(t.model->b[0] - log((double)plus / (double)(200 - plus))) < 1e-3);
    trained_free(&t);
    hsp_data_free(data);
}

/* ---- without a penalty ---- */

static void an_unpenalised_optimum_has_a_bound(void **unused) {
    (void)unused;
    for (int classes = 2; classes <= 3; classes++)
        for (int units = 0; units < 2; units++) {
            hsp_data *data = make(300, 4, classes, 1, units ? UNLIKE : PLAIN, 1);
            trained t = train(data, PAIRS("algorithm", "logistic", "penalty", "none", "tol", "1e-8"));
            assert_certified(&t, data, 1e-8);
            assert_int_equal(hsp_report_flag(t.report, "converged"), 1);
            trained_free(&t);
            hsp_data_free(data);
        }
}

static trained without_penalty(const double *x, const char *const *labels, int64_t n, int64_t d, hsp_data **data) {
    assert_int_equal(hsp_data_from_dense(x, n, d, d, labels, NULL, data, NULL), 0);
    return train(*data, PAIRS("algorithm", "logistic", "penalty", "none"));
}

static void assert_infinite(trained *t, hsp_data *data, const char *says) {
    assert_int_equal(t->status, 0);
    assert_string_equal(word(t, "stop_reason"), "infinity");
    assert_false(hsp_report_flag(t->report, "converged") == 1);
    assert_int_equal(hsp_report_flag(t->report, "tolerance_missed"), 1);
    assert_int_equal(hsp_report_count(t->report, "warnings"), 1);
    const char *warning = hsp_report_text_at(t->report, "warnings", 0);
    if (!strstr(warning, says)) fail_msg("'%s' does not say '%s'", warning, says);
    for (int64_t j = 0; j < t->model->outputs; j++) assert_true(isfinite(t->model->b[j]));
    trained_free(t);
    hsp_data_free(data);
}

static void separable_classes_have_no_optimum(void **unused) {
    (void)unused;
    hsp_data *data = NULL;
    const double apart[] = {1, 2, 3, 4}, touching[] = {1, 2, 2, 3}, cross[] = {0, 0, 1, 0, 0, 1, 1, 1};
    const double tiny[] = {1e-9, 2e-9, 3e-9, 4e-9}, huge[] = {1e9, 2e9, 3e9, 4e9};
    const char *two[] = {"a", "a", "b", "b"}, *three[] = {"a", "b", "c", "c"}, *mixed[] = {"a", "a", "b", "a"};
    trained t = without_penalty(apart, two, 4, 1, &data);
    assert_infinite(&t, data, "separable, and without a penalty the weights diverge (x1)");
    t = without_penalty(tiny, two, 4, 1, &data);
    assert_infinite(&t, data, "separable");
    t = without_penalty(huge, two, 4, 1, &data);
    assert_infinite(&t, data, "separable");
    t = without_penalty(touching, two, 4, 1, &data); /* x = 2 has both labels, all others are apart */
    assert_infinite(&t, data, "quasi-completely separable");
    t = without_penalty(apart, three, 4, 1, &data);
    assert_infinite(&t, data, "separable");
    t = without_penalty(cross, mixed, 4, 2, &data);
    assert_infinite(&t, data, "separable");
}

/* Whatever accuracy is asked for: an infimum that no weights attain is no optimum. */
static void partial_separation_is_found_at_any_tolerance(void **unused) {
    (void)unused;
    const double x[] = {0, 0, 1, 0};
    const char *labels[] = {"a", "b", "b", "a"};
    static const char *const tolerances[] = {"1e-2", "1e-4", "1e-6", "1e-8", "1e-10"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, labels, NULL, &data, NULL), 0);
    for (int i = 0; i < 5; i++) {
        trained t = train(data, PAIRS("algorithm", "logistic", "penalty", "none", "tol", tolerances[i]));
        assert_string_equal(word(&t, "stop_reason"), "infinity");
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* The start may be the optimum: then it is proven at once. */
static void an_optimum_at_the_start(void **unused) {
    (void)unused;
    const double x[] = {1, 1, 2, 2};
    const char *labels[] = {"a", "b", "a", "b"};
    hsp_data *data = NULL;
    trained t = without_penalty(x, labels, 4, 1, &data);
    assert_true(figure(&t, "relative_gap") >= 0 && figure(&t, "relative_gap") < 1e-12);
    assert_true(fabs(figure(&t, "objective") - 4 * log(2)) < 1e-12);
    assert_false(hsp_report_flag(t.report, "tolerance_missed") == 1);
    trained_free(&t);
    hsp_data_free(data);
}

/* Constant columns have nothing to say beside an intercept. */
static void constant_columns_get_no_weight(void **unused) {
    (void)unused;
    const double x[] = {1, 3, 3, 2, 3, 3, 3, 3, 3, 4, 3, 3, 5, 3, 3};
    const char *labels[] = {"a", "b", "a", "b", "b"};
    hsp_data *data = NULL;
    trained t = without_penalty(x, labels, 5, 3, &data);
    assert_string_equal(word(&t, "stop_reason"), "gap");
    assert_true(t.model->w[0] > 0.5 && t.model->w[1] == 0 && t.model->w[2] == 0);
    trained_free(&t);
    hsp_data_free(data);
}

/* A column that separates a part of the rows, beside one that overlaps: only its own weight runs off. */
static void the_column_that_runs_off_is_named(void **unused) {
    (void)unused;
    enum { N = 60 };
    double x[N * 2];
    const char *labels[N];
    hsp_rng r = hsp_rng_new(3, 1);
    for (int64_t i = 0; i < N; i++) {
        labels[i] = i % 2 ? "b" : "a";
        x[2 * i] = hsp_rng_normal(&r) + (i % 2 ? 0.5 : 0);
        x[2 * i + 1] = i % 10 == 1; /* only ever with b */
    }
    hsp_data *data = NULL;
    trained t = without_penalty(x, labels, N, 2, &data);
    assert_infinite(&t, data, "(x2)");
}

/* ---- awkward data ---- */

static void awkward_data_are_solved(void **unused) {
    (void)unused;
    const double twin[] = {1, 1, 7, 2, 2, 7, 3, 3, 7, 4, 4, 7, 5, 5, 7}; /* duplicate and constant columns */
    const char *labels[] = {"a", "b", "a", "b", "b"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(twin, 5, 3, 3, labels, NULL, &data, NULL), 0);
    static const char *const penalties[] = {"none", "l2", "l1", "elastic"};
    for (int p = 0; p < 4; p++) {
        trained t = train(data, PAIRS("algorithm", "logistic", "penalty", penalties[p], "tol", "1e-8"));
        if (p > 0) assert_certified(&t, data, 1e-8);
        if (p == 0) assert_true(t.status == 0 && isnan(figure(&t, "relative_gap"))); /* no penalty, no bound */
        if (p == 1) assert_true(fabs(t.model->w[0] - t.model->w[1]) < 1e-9 && fabs(t.model->w[2]) < 1e-9);
        trained_free(&t);
    }
    hsp_data_free(data);
    data = make(6, 40, 2, 1, PLAIN, 1); /* more columns than rows */
    trained t = train(data, PAIRS("algorithm", "logistic", "tol", "1e-10"));
    assert_certified(&t, data, 1e-10);
    trained_free(&t);
    hsp_data_free(data);
    const char *lonely[] = {"a", "a", "c", "b", "b"}; /* a class with one row */
    assert_int_equal(hsp_data_from_dense(twin, 5, 3, 3, lonely, NULL, &data, NULL), 0);
    t = train(data, PAIRS("algorithm", "logistic", "tol", "1e-8"));
    assert_certified(&t, data, 1e-8);
    trained_free(&t);
    hsp_data_free(data);
}

static void threads_do_not_change_a_bit(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"newton", "newton-cg", "prox-newton"};
    for (int kind = 0; kind < 4; kind++) {
        hsp_data *data = make(3000, 12, kind < 2 ? 2 : 3, kind % 2 ? 0.3 : 1, PLAIN, 1);
        for (int s = 0; s < 3; s++) {
            trained one = train(data, PAIRS("algorithm", "logistic", "solver", solvers[s], "threads", "1"));
            trained four = train(data, PAIRS("algorithm", "logistic", "solver", solvers[s], "threads", "4"));
            assert_int_equal(one.status, 0);
            assert_string_equal(word(&one, "checksum"), word(&four, "checksum"));
            assert_true(figure(&one, "dual_bound") == figure(&four, "dual_bound"));
            trained_free(&one);
            trained_free(&four);
        }
        hsp_data_free(data);
    }
}

static void refused(const hsp_data *data, const char *const *pairs, const char *says) {
    trained t = train(data, pairs);
    assert_int_equal(t.status, HSP_EUSAGE);
    if (!strstr(hsp_error_message(t.error), says)) fail_msg("'%s' does not say '%s'", hsp_error_message(t.error), says);
    trained_free(&t);
}

static void broken_requests_are_refused(void **unused) {
    (void)unused;
    hsp_data *data = make(30, 3, 3, 1, PLAIN, 0);
    refused(data, PAIRS("algorithm", "logistic", "loss", "hinge"), "does not use --loss");
    refused(data, PAIRS("algorithm", "logistic", "learning-rate", "1"), "does not use --learning-rate");
    refused(data, PAIRS("algorithm", "logistic", "solver", "stochastic"), "gives no certificate");
    refused(data, PAIRS("algorithm", "logistic", "solver", "nosuch"), "unknown solver");
    refused(data, PAIRS("algorithm", "logistic", "penalty", "l1", "solver", "newton"), "use --solver prox-newton");
    refused(data, PAIRS("algorithm", "logistic", "penalty", "elastic", "solver", "newton-cg"), "use --solver prox-newton");
    refused(data, PAIRS("algorithm", "logistic", "solver", "gradient"), "cannot solve softmax problems");
    refused(data, PAIRS("algorithm", "logistic", "lambda", "auto"), "only ridge has");
    refused(data, PAIRS("algorithm", "logistic", "C", "1", "lambda", "1"), "give one of them");
    refused(data, PAIRS("algorithm", "sgd", "loss", "softmax"), "use -a logistic");
    refused(data, PAIRS("algorithm", "sgd", "multiclass", "softmax"), "has only --multiclass ovr");
    hsp_data_free(data);
}

/* Separable by a hair: whatever the gradient says there is no optimum, so no bound is claimed. */
static void no_bound_without_an_optimum(void **unused) {
    (void)unused;
    const double x[] = {500000, 1000000, 1000000.00000001};
    const char *const labels[] = {"n", "n", "p"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 3, 1, 1, labels, NULL, &data, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "logistic", "penalty", "none"));
    assert_int_equal(t.status, 0);
    assert_string_equal(word(&t, "stop_reason"), "infinity");
    assert_true(hsp_report_kind(t.report, "dual_bound") == HSP_REPORT_NULL);
    assert_int_equal(hsp_report_flag(t.report, "tolerance_missed"), 1);
    assert_string_equal(hsp_report_text(hsp_report_member(t.report, "separable"), "verdict"), "separable");
    trained_free(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bound_without_an_optimum),
        cmocka_unit_test(unlike_solvers_meet),
        cmocka_unit_test(the_optimum_is_the_reference),
        cmocka_unit_test(any_units_will_do),
        cmocka_unit_test(offsets_do_not_matter),
        cmocka_unit_test(one_against_the_rest),
        cmocka_unit_test(softmax_is_centred),
        cmocka_unit_test(l1_gives_exact_zeros),
        cmocka_unit_test(an_unpenalised_optimum_has_a_bound),
        cmocka_unit_test(separable_classes_have_no_optimum),
        cmocka_unit_test(partial_separation_is_found_at_any_tolerance),
        cmocka_unit_test(an_optimum_at_the_start),
        cmocka_unit_test(constant_columns_get_no_weight),
        cmocka_unit_test(the_column_that_runs_off_is_named),
        cmocka_unit_test(awkward_data_are_solved),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(broken_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
