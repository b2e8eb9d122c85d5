/* hsp_path: its points against fits made one by one, lambda_max, folds by hand, interruption, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data.h"
#include "data/folds.h"
#include "trained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int run_with(const hsp_data *data, const hsp_hooks *hooks, const char *const *pairs, hsp_report **r,
                    hsp_error **err) {
    hsp_options *o = options_of(pairs);
    assert_non_null(o);
    int status = hsp_path(data, o, hooks, r, err);
    hsp_options_free(o);
    return status;
}

static hsp_report *run(const hsp_data *data, const char *const *pairs) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    if (run_with(data, NULL, pairs, &r, &err)) fail_msg("%s", hsp_error_message(err));
    return r;
}

static void refuses(const hsp_data *data, int status, const char *words, const char *const *pairs) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    assert_int_equal(run_with(data, NULL, pairs, &r, &err), status);
    assert_null(r);
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' lacks '%s'", hsp_error_message(err), words);
    hsp_error_free(err);
}

static double at(const hsp_report *r, const char *name, int64_t i) {
    return hsp_report_number_at(r, name, i);
}

static const double *weights_of(const hsp_report *r, int64_t *d) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(r, "weights", &a, NULL), 0);
    *d = a.shape[1];
    return a.data;
}

/* ---- points ---- */

/* Each point against hsp_train at its lambda, to a smaller tolerance. */
static void check_points(const hsp_data *data, const char *const *path, const char *const *fit) {
    hsp_report *r = run(data, path);
    int64_t L = hsp_report_count(r, "lambdas"), d;
    const double *w = weights_of(r, &d);
    assert_true(L > 2 && hsp_report_flag(r, "converged") == 1);
    for (int64_t i = 0; i < L; i++) {
        char text[HSP_NUMBER_SIZE];
        const char *pairs[32] = {"tol", "1e-8", "lambda", text};
        for (int k = 0; fit[k]; k++) pairs[4 + k] = fit[k];
        hsp_format_number(at(r, "lambdas", i), text);
        trained m = train(data, pairs);
        if (m.status) fail_msg("%s", hsp_error_message(m.error));
        double P = at(r, "objectives", i), gap = at(r, "relative_gaps", i);
        assert_true(gap <= 1e-6 && gap >= -1e-12);
        if (!(P >= figure(&m, "dual_bound") - 1e-9 * P && P - figure(&m, "objective") <= 1.1e-6 * P))
            fail_msg("objective %.17g, by train %.17g", P, figure(&m, "objective"));
        int64_t nonzeros = 0;
        for (int64_t j = 0; j < d; j++) nonzeros += w[i * d + j] != 0;
        assert_true((double)nonzeros == at(r, "nonzeros", i));
        assert_true(i == 0 || at(r, "lambdas", i) < at(r, "lambdas", i - 1));
        trained_free(&m);
    }
    hsp_report_free(r);
}

static void agrees_with_single_fits(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "120", "features", "9"));
    check_points(data, PAIRS("steps", "6"), PAIRS("penalty", "l1"));
    check_points(data, PAIRS("steps", "6", "scale", "standard", "penalty", "elastic", "l1-ratio", "0.3"),
                 PAIRS("penalty", "elastic", "l1-ratio", "0.3", "scale", "standard"));
    check_points(data, PAIRS("steps", "6", "penalty", "l2"), PAIRS("penalty", "l2"));
    check_points(data, PAIRS("steps", "5", "penalty", "l2", "loss", "hinge"), PAIRS("algorithm", "svm"));
    check_points(data, PAIRS("steps", "5", "algorithm", "svm", "loss", "squared-hinge", "class-weight", "balanced"),
                 PAIRS("algorithm", "svm", "loss", "squared-hinge", "class-weight", "balanced"));
    check_points(data, PAIRS("steps", "5", "intercept", "none", "lambdas", "1e-3:0.1"),
                 PAIRS("intercept", "none", "penalty", "l1"));
    hsp_data_free(data);
    data = generated("sparse", PAIRS("rows", "150", "features", "400"));
    check_points(data, PAIRS("steps", "8"), PAIRS("penalty", "l1"));
    hsp_data_free(data);
    data = generated("linear", PAIRS("rows", "60", "features", "5"));
    check_points(data, PAIRS("steps", "6"), PAIRS("algorithm", "lasso"));
    check_points(data, PAIRS("steps", "6", "algorithm", "elastic-net"), PAIRS("algorithm", "elastic-net"));
    check_points(data, PAIRS("steps", "6", "algorithm", "ridge"), PAIRS("algorithm", "ridge"));
    check_points(data, PAIRS("steps", "5", "loss", "huber", "penalty", "l2", "delta", "0.5"),
                 PAIRS("algorithm", "ridge", "loss", "huber", "delta", "0.5"));
    hsp_data_free(data);
}

/* The first point has no weights; a slightly smaller lambda has one. */
static void begins_at_the_largest_lambda(void **state) {
    (void)state;
    static const char *const extra[][2] = {{"loss", "logistic"},  {"loss", "squared-hinge"}, {"intercept", "none"},
                                           {"scale", "standard"}, {"penalty", "elastic"},    {"class-weight", "balanced"}};
    hsp_data *data = generated("correlated", PAIRS("rows", "150", "features", "10"));
    for (size_t k = 0; k < sizeof extra / sizeof *extra; k++) {
        hsp_report *r = run(data, PAIRS("steps", "3", extra[k][0], extra[k][1]));
        char text[64], top[HSP_NUMBER_SIZE], below[HSP_NUMBER_SIZE];
        hsp_format_number(at(r, "lambdas", 0), top);
        hsp_format_number(at(r, "lambdas", 0) * (1 - 1e-4), below);
        snprintf(text, sizeof text, "%s,%s", top, below);
        assert_true(at(r, "nonzeros", 0) == 0 && at(r, "nonzeros", 1) > 0);
        assert_true(fabs(at(r, "lambdas", 0) / at(r, "lambdas", 2) - 1e4) < 1e-6);
        hsp_report *s = run(data, PAIRS("lambdas", text, "tol", "1e-12", extra[k][0], extra[k][1]));
        assert_true(at(s, "nonzeros", 0) == 0 && at(s, "nonzeros", 1) == 1);
        hsp_report_free(s);
        hsp_report_free(r);
    }
    hsp_data_free(data);
}

/* ---- many features ---- */

static void lists_columns_of_many_features(void **state) {
    (void)state;
    hsp_data *data = generated("sparse", PAIRS("rows", "100", "features", "1500"));
    hsp_report *r = run(data, PAIRS("steps", "5"));
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(r, "weights", &a, NULL), HSP_EUSAGE);
    assert_true(fabs(at(r, "lambdas", 0) / at(r, "lambdas", 4) - 100) < 1e-9); /* fewer rows than features */
    for (int64_t i = 0; i < 5; i++) {
        const hsp_report *row = hsp_report_item(r, "weights", i);
        int64_t count = hsp_report_count(row, "values");
        assert_true((double)count == at(r, "nonzeros", i) && hsp_report_count(row, "columns") == count);
        for (int64_t t = 0; t < count; t++) {
            assert_true(hsp_report_number_at(row, "values", t) != 0);
            assert_true(t == 0 || hsp_report_number_at(row, "columns", t) > hsp_report_number_at(row, "columns", t - 1));
        }
    }
    assert_int_equal(hsp_report_count(r, "active_columns"), hsp_report_count(r, "active_features"));
    hsp_report_free(r);
    hsp_data_free(data);
}

/* ---- folds ---- */

/* The metric of one lambda by hand: a fit on the training rows of each fold. */
static void validates_as_by_hand(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "features", "5", "noise", "3"));
    const char *const *const options = PAIRS("folds", "3", "scale", "standard", "steps", "12");
    hsp_report *r = run(data, options);
    int64_t L = hsp_report_count(r, "lambdas"), best = (int64_t)hsp_report_number(r, "best");
    int64_t one_se = (int64_t)hsp_report_number(r, "one_se"), rows[90];
    assert_string_equal(hsp_report_text(r, "metric"), "log_loss");
    hsp_options *o = options_of(options);
    hsp_folds folds;
    assert_int_equal(hsp_folds_new(data, o, &folds, NULL), 0);
    char text[HSP_NUMBER_SIZE];
    hsp_format_number(at(r, "lambdas", 8), text);
    double sum = 0, square = 0;
    for (int64_t k = 0; k < 3; k++) {
        hsp_data *train_rows = NULL, *test_rows = NULL;
        hsp_report *e = NULL;
        int64_t count = hsp_folds_trained(&folds, 0, k, rows);
        assert_int_equal(hsp_data_take(data, rows, count, &train_rows, NULL), 0);
        count = hsp_folds_tested(&folds, 0, k, rows);
        assert_int_equal(hsp_data_take(data, rows, count, &test_rows, NULL), 0);
        trained m = train(train_rows, PAIRS("penalty", "l1", "scale", "standard", "tol", "1e-9", "lambda", text));
        assert_int_equal(hsp_evaluate(m.model, test_rows, NULL, NULL, &e, NULL), 0);
        double v = hsp_report_number(e, "log_loss");
        sum += v / 3;
        square += v * v;
        hsp_report_free(e);
        trained_free(&m);
        hsp_data_free(train_rows);
        hsp_data_free(test_rows);
    }
    assert_true(fabs(at(r, "mean", 8) - sum) < 1e-3 * sum);
    assert_true(fabs(at(r, "sd", 8) - sqrt((square - 3 * sum * sum) / 2)) < 0.01 * at(r, "sd", 8));
    double error = at(r, "sd", best) / sqrt(3);
    assert_true(one_se <= best && at(r, "mean", one_se) <= at(r, "mean", best) + error);
    for (int64_t i = 0; i < L; i++) {
        assert_true(at(r, "mean", best) <= at(r, "mean", i));
        if (i < one_se) assert_true(at(r, "mean", i) > at(r, "mean", best) + error);
    }
    hsp_folds_clear(&folds);
    hsp_options_free(o);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* ---- any number of threads ---- */

static void same_bits(const hsp_data *data, const char *a, const char *b) {
    char *first = NULL;
    static const char *const threads[] = {"1", "2", "3"};
    for (int k = 0; k < 3; k++) {
        hsp_report *r = run(data, PAIRS("steps", "9", "threads", threads[k], "folds", "3", a, b));
        char *json = NULL;
        assert_int_equal(hsp_report_json(r, &json, NULL), 0);
        *strstr(json, "\"seconds\"") = '\0';
        if (first) assert_string_equal(first, json);
        if (first)
            hsp_free(json);
        else
            first = json;
        hsp_report_free(r);
    }
    hsp_free(first);
}

static void same_for_any_threads(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "3000", "features", "80"));
    same_bits(data, "penalty", "l1");
    same_bits(data, "penalty", "l2");
    hsp_data_free(data);
    data = generated("sparse", PAIRS("rows", "1200", "features", "500"));
    same_bits(data, "penalty", "elastic");
    hsp_data_free(data);
}

/* ---- interruption ---- */

typedef struct counter {
    int64_t calls, most;
} counter;

static int on_progress(void *user, const hsp_progress *p) {
    counter *c = user;
    assert_true(p->problem < p->problems);
    return ++c->calls >= c->most;
}

static void keeps_what_is_finished(void **state) {
    (void)state;
    hsp_data *data = generated("correlated", PAIRS("rows", "100", "features", "8"));
    counter c = {.most = 7};
    hsp_hooks hooks = {.size = sizeof hooks, .user = &c, .progress = on_progress};
    hsp_report *r = NULL;
    assert_int_equal(run_with(data, &hooks, PAIRS("steps", "20"), &r, NULL), 0);
    assert_int_equal(hsp_report_count(r, "lambdas"), 7);
    assert_true(hsp_report_flag(r, "interrupted") == 1 && hsp_report_number(r, "unfinished") == 13);
    assert_true(hsp_report_flag(r, "converged") == 0);
    hsp_report_free(r);
    c = (counter){.most = 25}; /* in the folds */
    assert_int_equal(run_with(data, &hooks, PAIRS("steps", "20", "folds", "3", "threads", "1"), &r, NULL), 0);
    assert_int_equal(hsp_report_count(r, "lambdas"), 20);
    assert_true(hsp_report_flag(r, "interrupted") == 1 && !hsp_report_text(r, "metric"));
    hsp_report_free(r);
    hsp_data_free(data);
}

/* ---- refusals ---- */

static void test_refused(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "classes", "3"));
    refuses(data, HSP_EUSAGE, "--positive", PAIRS("steps", "3"));
    refuses(data, HSP_EUSAGE, "--loss and", PAIRS("algorithm", "perceptron", "positive", "1"));
    refuses(data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "1:0", "positive", "1"));
    refuses(data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "0.1,-1", "positive", "1"));
    refuses(data, HSP_EUSAGE, "--steps", PAIRS("lambdas", "0.1,1", "steps", "4", "positive", "1"));
    refuses(data, HSP_EUSAGE, "--lambdas", PAIRS("lambda", "1", "positive", "1"));
    refuses(data, HSP_EUSAGE, "--lambdas", PAIRS("C", "1", "positive", "1"));
    refuses(data, HSP_EUSAGE, "penalty", PAIRS("penalty", "none", "positive", "1"));
    refuses(data, HSP_EUSAGE, "penalty l2", PAIRS("algorithm", "svm", "penalty", "l1", "positive", "1"));
    refuses(data, HSP_EUSAGE, "smooth loss", PAIRS("loss", "hinge", "positive", "1"));
    refuses(data, HSP_EUSAGE, "no path of loss 'zero-one'", PAIRS("loss", "zero-one", "penalty", "l2", "positive", "1"));
    refuses(data, HSP_EUSAGE, "did you mean", PAIRS("loss", "logistc", "positive", "1"));
    refuses(data, HSP_EUSAGE, "--l1-ratio", PAIRS("l1-ratio", "0.5", "positive", "1"));
    refuses(data, HSP_EUSAGE, "--delta", PAIRS("delta", "0.5", "positive", "1"));
    refuses(data, HSP_EUSAGE, "--folds", PAIRS("metric", "auc", "positive", "1"));
    refuses(data, HSP_EUSAGE, "rmse", PAIRS("metric", "rmse", "folds", "3", "positive", "1"));
    refuses(data, HSP_EUSAGE, "probabilities",
            PAIRS("metric", "brier", "folds", "3", "loss", "squared-hinge", "positive", "1"));
    refuses(data, HSP_EUSAGE, "lasso", PAIRS("algorithm", "lasso", "penalty", "l2", "positive", "1"));
    hsp_data_free(data);
    data = generated("linear", PAIRS("rows", "30"));
    refuses(data, HSP_EUSAGE, "regression", PAIRS("loss", "logistic"));
    refuses(data, HSP_EUSAGE, "--positive", PAIRS("positive", "1"));
    hsp_data_free(data);
}

static void short_of_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "14"));
    hsp_options *o = options_of(PAIRS("steps", "2", "folds", "2", "threads", "1"));
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 20000; calls++) {
        hsp_report *r = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_path(data, o, NULL, &r, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (r != NULL));
        hsp_error_free(err);
        hsp_report_free(r);
    }
    assert_int_equal(status, HSP_OK);
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_single_fits),
        cmocka_unit_test(begins_at_the_largest_lambda),
        cmocka_unit_test(lists_columns_of_many_features),
        cmocka_unit_test(validates_as_by_hand),
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(keeps_what_is_finished),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
