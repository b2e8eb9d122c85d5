/* hsp_compare: each row against hsp_cross_validate with the same settings, differences and intervals against their formulas,
 * failures as rows, the choice of a model, the same result for any number of threads, what is refused. */
#include "validated.h"

#include "base/rng.h"
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "select/baseline.h"
#include "select/contenders.h"
#include "select/largest_lambda.h"

#define T4 2.7764451051977987 /* the 0.975-quantile of Student's distribution with 4 degrees of freedom */

static hsp_report *compare_all(const hsp_data *data, hsp_model **model, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    assert_non_null(o);
    if (hsp_compare(data, o, NULL, model, &r, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return r;
}

/* One that must fail, with one line that has these words. */
static void compare_fails(const hsp_data *data, int status, const char *words, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    assert_non_null(o);
    int found = hsp_compare(data, o, NULL, NULL, &r, &err);
    if (found == HSP_OK || r || !err) fail_msg("no failure, but expected: %s", words);
    if (found != status || !strstr(hsp_error_message(err), words) || strchr(hsp_error_message(err), '\n'))
        fail_msg("status %d: %s", found, hsp_error_message(err));
    hsp_error_free(err);
    hsp_options_free(o);
}

static const hsp_report *result_at(const hsp_report *r, int64_t i) {
    return hsp_report_item(r, "results", i);
}

static const hsp_report *result_of(const hsp_report *r, const char *name) {
    for (int64_t i = 0; i < hsp_report_count(r, "results"); i++)
        if (strcmp(hsp_report_text(result_at(r, i), "algorithm"), name) == 0) return result_at(r, i);
    return NULL;
}

static bool failed(const hsp_report *row) {
    return hsp_report_text(row, "error") != NULL;
}

/* ---- the figures are those of cross-validation ---- */

/* Options of hsp_cross_validate for one algorithm with the settings of a row. */
static hsp_options *settings_of(const hsp_report *row, const char *folds, const char *metric) {
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "algorithm", hsp_report_text(row, "algorithm"), NULL), 0);
    assert_int_equal(hsp_options_set(o, "folds", folds, NULL), 0);
    assert_int_equal(hsp_options_set(o, "metric", metric, NULL), 0);
    HSP_REPORT_EACH(setting, hsp_report_member(row, "settings"))
    assert_int_equal(hsp_options_set(o, hsp_report_name(setting), hsp_report_text(setting, NULL), NULL), 0);
    return o;
}

static hsp_report *validate_by(const hsp_data *data, const hsp_options *o) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    if (hsp_cross_validate(data, o, NULL, NULL, &r, &err)) fail_msg("%s", hsp_error_message(err));
    return r;
}

static void check_fixed(const hsp_data *data, const hsp_report *row, const char *folds, const char *metric) {
    hsp_options *o = settings_of(row, folds, metric);
    hsp_report *cv = validate_by(data, o);
    if (hsp_report_number(cv, "mean") != hsp_report_number(row, "mean"))
        fail_msg("%s: the mean is not that of cv", hsp_report_text(row, "algorithm"));
    assert_true(hsp_report_number(cv, "sd") == hsp_report_number(row, "sd"));
    for (int64_t k = 0; k < hsp_report_count(row, "folds"); k++)
        assert_true(hsp_report_number_at(row, "folds", k) == hsp_report_number_at(tried(cv, 0), "folds", k));
    const hsp_report *found = hsp_report_member(row, "metrics"), *wanted = hsp_report_member(tried(cv, 0), "metrics");
    HSP_REPORT_EACH(m, wanted) {
        double a = hsp_report_number(m, NULL), b = hsp_report_number(found, hsp_report_name(m));
        assert_true(a == b || (isnan(a) && isnan(b)));
    }
    hsp_report_free(cv);
    hsp_options_free(o);
}

/* In every fold the value is that of cv with the value of the option that was chosen there. */
static void check_chosen(const hsp_data *data, const hsp_report *row, const char *folds, const char *metric) {
    const hsp_report *chosen = hsp_report_member(row, "chosen");
    int64_t J = hsp_report_count(row, "folds");
    assert_int_equal(hsp_report_count(chosen, "values"), J);
    for (int64_t k = 0; k < J; k++) {
        hsp_options *o = settings_of(row, folds, metric);
        double value = hsp_report_number_at(chosen, "values", k);
        assert_int_equal(hsp_options_set_double(o, hsp_report_text(chosen, "option"), value, NULL), 0);
        double ratio = hsp_report_number_at(chosen, "l1_ratio", k);
        if (!isnan(ratio)) assert_int_equal(hsp_options_set_double(o, "l1-ratio", ratio, NULL), 0);
        hsp_report *cv = validate_by(data, o);
        if (hsp_report_number_at(row, "folds", k) != hsp_report_number_at(tried(cv, 0), "folds", k))
            fail_msg("%s: fold %d is not that of cv", hsp_report_text(row, "algorithm"), (int)k);
        hsp_report_free(cv);
        hsp_options_free(o);
    }
}

static void check_rows(const hsp_data *data, const char *folds, const char *metric, int64_t fewest) {
    hsp_report *r = compare_all(data, NULL, PAIRS("folds", folds, "metric", metric));
    int64_t ranked = 0;
    for (int64_t i = 0; i < hsp_report_count(r, "results"); i++) {
        const hsp_report *row = result_at(r, i);
        if (failed(row) || strcmp(hsp_report_text(row, "algorithm"), "majority") == 0) continue;
        ranked++;
        if (hsp_report_count(hsp_report_member(row, "chosen"), "values") > 0)
            check_chosen(data, row, folds, metric);
        else
            check_fixed(data, row, folds, metric);
    }
    assert_true(ranked >= fewest);
    hsp_report_free(r);
}

static void test_rows_of_two_classes(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "features", "5", "noise", "6"));
    check_rows(data, "5", "accuracy", 12);
    check_rows(data, "3", "log-loss", 6);
    hsp_data_free(data);
}

static void test_rows_of_more_classes(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "classes", "3", "noise", "5"));
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "majority,lda"));
    assert_null(result_of(r, "fisher"));
    hsp_report_free(r);
    check_rows(data, "4", "balanced-accuracy", 10);
    hsp_data_free(data);
}

static void test_rows_of_numbers(void **state) {
    (void)state;
    hsp_data *data = generated("linear", PAIRS("rows", "80", "features", "6", "noise", "2"));
    check_rows(data, "5", "rmse", 8);
    hsp_data_free(data);
}

/* In another unit of the target the linear models are the same. */
static void test_units(void **state) {
    (void)state;
    enum { N = 80 };
    hsp_data *data = generated("linear", PAIRS("rows", "80", "features", "6", "noise", "9"));
    const char *const *pairs = PAIRS("only", "majority,ridge,lasso,elastic-net,least-squares");
    hsp_report *small = compare_all(data, NULL, pairs);
    double target[N];
    for (int i = 0; i < N; i++) target[i] = 1024 * data->target[i];
    assert_int_equal(hsp_data_set_targets(data, target, NULL), 0);
    hsp_report *large = compare_all(data, NULL, pairs);
    for (int64_t i = 0; i < 5; i++) {
        const hsp_report *a = result_at(small, i), *b = result_of(large, hsp_report_text(a, "algorithm"));
        double ratio = hsp_report_number(b, "mean") / hsp_report_number(a, "mean");
        if (fabs(ratio / 1024 - 1) > 1e-3) fail_msg("%s: %g", hsp_report_text(a, "algorithm"), ratio);
    }
    hsp_report_free(small);
    hsp_report_free(large);
    hsp_data_free(data);
}

/* The estimate of logistic is that of nested cross-validation over the same grid. */
static void test_nested(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "100", "features", "8", "noise", "7"));
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "logistic", "folds", "4"));
    hsp_report *cv = validate(data, NULL,
                              PAIRS("algorithm", "logistic", "scale", "standard", "grid", "C=0.01,0.1,1,10,100", "folds", "3",
                                    "nested", "4"));
    const hsp_report *nested = hsp_report_member(cv, "nested");
    assert_true(hsp_report_number(nested, "mean") == hsp_report_number(result_at(r, 0), "mean"));
    hsp_report_free(cv);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* ---- ranking ---- */

static void test_differences(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "100", "features", "4", "noise", "5"));
    static const char *const metrics[] = {"accuracy", "log-loss", "auc", "mcc"};
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        hsp_report *r = compare_all(data, NULL, PAIRS("metric", metrics[m]));
        bool larger = hsp_report_flag(r, "larger_is_better") == 1, ended = false;
        const hsp_report *best = result_at(r, 0);
        assert_string_equal(hsp_report_text(r, "metric"), m == 1 ? "log_loss" : metrics[m]);
        assert_true(larger == (m != 1) && hsp_report_number(best, "difference") == 0);
        for (int64_t i = 1; i < hsp_report_count(r, "results"); i++) {
            const hsp_report *row = result_at(r, i);
            ended |= failed(row);
            assert_true(ended == failed(row)); /* errors are last */
            if (failed(row)) {
                assert_true(isnan(hsp_report_number(row, "mean")) && isnan(hsp_report_number(row, "difference")));
                assert_int_equal(hsp_report_count(row, "interval"), 0);
                continue;
            }
            double d[5], mean = 0, square = 0;
            for (int k = 0; k < 5; k++) {
                d[k] = hsp_report_number_at(row, "folds", k) - hsp_report_number_at(best, "folds", k);
                mean += d[k] / 5;
            }
            for (int k = 0; k < 5; k++) square += (d[k] - mean) * (d[k] - mean) / 4;
            double half = T4 * sqrt(square * (1.0 / 5 + 20.0 / 80)), found = hsp_report_number(row, "difference");
            double lo = hsp_report_number_at(row, "interval", 0), hi = hsp_report_number_at(row, "interval", 1);
            assert_true(fabs(found - mean) < 1e-14 && fabs(lo - mean + half) < 1e-13 && fabs(hi - mean - half) < 1e-13);
            assert_true(larger ? found <= 0 : found >= 0);
            assert_int_equal(hsp_report_flag(row, "tied"), lo <= 0 && hi >= 0);
            double before = hsp_report_number(result_at(r, i - 1), "mean"), now = hsp_report_number(row, "mean");
            assert_true(larger ? now <= before + 1e-12 : now >= before - 1e-12);
        }
        hsp_report_free(r);
    }
    hsp_data_free(data);
}

static void test_repeats(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "6"));
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "lda,majority,nearest-mean", "folds", "3", "repeats", "4"));
    static const char *const same[] = {"algorithm", "lda", "scale",   "standard", "shrinkage", "auto",
                                       "folds",     "3",   "repeats", "4",        NULL};
    hsp_report *cv = validate(data, NULL, same);
    assert_int_equal(hsp_report_count(result_of(r, "lda"), "folds"), 12);
    assert_true(hsp_report_number(hsp_report_member(r, "folds"), "repeats") == 4);
    assert_true(hsp_report_number(result_of(r, "lda"), "mean") == hsp_report_number(cv, "mean"));
    assert_true(hsp_report_number(result_of(r, "lda"), "sd") == hsp_report_number(cv, "sd"));
    hsp_report_free(cv);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* All but the times. */
static void test_threads(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "70", "classes", "3", "noise", "6"));
    hsp_report *one = compare_all(data, NULL, PAIRS("threads", "1", "folds", "3"));
    hsp_report *three = compare_all(data, NULL, PAIRS("threads", "3", "folds", "3"));
    static const char *const same[] = {"mean", "sd", "difference", "relative_gap"};
    assert_string_equal(hsp_report_text(one, "summary"), hsp_report_text(three, "summary"));
    for (int64_t i = 0; i < hsp_report_count(one, "results"); i++) {
        const hsp_report *a = result_at(one, i), *b = result_at(three, i);
        assert_string_equal(hsp_report_text(a, "algorithm"), hsp_report_text(b, "algorithm"));
        for (size_t s = 0; s < sizeof same / sizeof *same; s++) {
            double u = hsp_report_number(a, same[s]), v = hsp_report_number(b, same[s]);
            assert_true(u == v || (isnan(u) && isnan(v)));
        }
        if (failed(a)) assert_string_equal(hsp_report_text(a, "error"), hsp_report_text(b, "error"));
    }
    hsp_report_free(one);
    hsp_report_free(three);
    hsp_data_free(data);
}

/* ---- baselines and the table ---- */

/* 3 of 4 rows are of class b: its share is the probability. */
static void test_majority(void **state) {
    (void)state;
    double x[40];
    int class[40];
    for (int i = 0; i < 40; i++) x[i] = i, class[i] = i % 4 != 0;
    hsp_data *data = table_of(x, 40, 1, class);
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "majority"));
    const hsp_report *metrics = hsp_report_member(result_at(r, 0), "metrics");
    assert_true(hsp_report_number(result_at(r, 0), "mean") == 0.75 && hsp_report_number(metrics, "auc") == 0.5);
    assert_true(fabs(hsp_report_number(metrics, "log_loss") + 0.75 * log(0.75) + 0.25 * log(0.25)) < 1e-12);
    assert_true(fabs(hsp_report_number(metrics, "brier") - 0.1875) < 1e-12);
    hsp_report_free(r);
    hsp_data_free(data);
}

static void test_weighted_majority(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4}, weight[] = {1, 1, 1, 5};
    const int class[] = {0, 0, 0, 1};
    hsp_data *data = table_of(x, 4, 1, class);
    hsp_model *m = NULL;
    hsp_options *o = options_of(NULL);
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), 0);
    assert_int_equal(hsp_baseline_fit(data, o, &m, NULL), 0);
    assert_true(m->w[0] == 0 && fabs(m->b[0] - log(5.0 / 3)) < 1e-15); /* b is the positive class */
    hsp_model_free(m);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void test_mean(void **state) {
    (void)state;
    hsp_data *data = generated("linear", PAIRS("rows", "50", "noise", "1"));
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "majority", "metric", "r2"));
    assert_true(hsp_report_number(result_at(r, 0), "mean") <= 0); /* the mean of other rows: R^2 at most 0 */
    hsp_report_free(r);
    hsp_data_free(data);
}

/* A new algorithm must be compared too, and baselines and relative grids belong where they are. */
static void test_table(void **state) {
    (void)state;
    for (int64_t i = 0; hsp_classifier_table[i]; i++) {
        const hsp_classifier *k = hsp_classifier_table[i];
        if (!k->only_numbers && !hsp_contender_find(k->name, false)) fail_msg("%s is not compared", k->name);
        if (k->regression && !hsp_contender_find(k->name, true)) fail_msg("%s is not compared on numbers", k->name);
    }
    for (const hsp_contender *c = hsp_contender_table; c->name; c++) {
        const hsp_classifier *k = c->algorithm ? hsp_classifier_find(c->algorithm) : NULL;
        assert_true(!c->algorithm == (c->preference == HSP_PREFER_NEVER) && (!c->algorithm || k));
        for (const char *const *s = c->settings; s && s[0]; s += 2) assert_true(hsp_classifier_takes(k, s[0]));
        assert_true(!c->option || (hsp_classifier_takes(k, c->option) && c->count > 1));
        assert_true(!c->scaled || hsp_classifier_takes(k, "scale"));
    }
}

/* At the largest lambda lasso has no weight, just below it has one. */
static void test_largest_lambda(void **state) {
    (void)state;
    hsp_data *data = generated("linear", PAIRS("rows", "60", "features", "5", "noise", "1"));
    static const char *const scales[] = {"none", "standard"};
    for (int s = 0; s < 2; s++) {
        hsp_options *o = options_of(PAIRS("scale", scales[s], "task", "regression"));
        double top, lambda[2];
        assert_int_equal(hsp_largest_lambda(data, o, 1, &top, NULL), 0);
        lambda[0] = top * (1 + 1e-9), lambda[1] = top * 0.99;
        for (int k = 0; k < 2; k++) {
            char text[HSP_NUMBER_SIZE];
            hsp_format_number(lambda[k], text);
            trained t = train(data, PAIRS("algorithm", "lasso", "scale", scales[s], "lambda", text, "task", "regression", "tol",
                                          "1e-9"));
            assert_int_equal(t.status, HSP_OK);
            int used = 0;
            for (int j = 0; j < 5; j++) used += t.model->w[j] != 0;
            assert_int_equal(used > 0, k == 1);
            trained_free(&t);
        }
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

/* ---- failures are rows ---- */

static void test_failed_rows(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "80", "noise", "9"));
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "hard-svm,lda,svm", "metric", "log-loss", "folds", "3"));
    assert_string_equal(hsp_report_text(result_at(r, 0), "algorithm"), "lda");
    assert_non_null(strstr(hsp_report_text(result_of(r, "hard-svm"), "error"), "no probabilities"));
    assert_non_null(strstr(hsp_report_text(result_of(r, "svm"), "error"), "no probabilities"));
    hsp_report_free(r);
    compare_fails(data, HSP_EINPUT, "not separable", PAIRS("only", "hard-svm"));
    compare_fails(data, HSP_EINPUT, "time limit", PAIRS("max-seconds-each", "0"));
    compare_fails(data, HSP_EINPUT, "use a larger --max-seconds", PAIRS("max-seconds", "0"));
    hsp_data_free(data);
}

/* A limit that only the network exceeds. */
static void test_time_limit(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "4000", "features", "60", "noise", "30"));
    hsp_report *r = compare_all(data, NULL, PAIRS("only", "nearest-mean,mlp", "folds", "2", "max-seconds-each", "0.4"));
    assert_false(failed(result_of(r, "nearest-mean")));
    assert_non_null(hsp_report_text(result_of(r, "mlp"), "error"));
    assert_non_null(strstr(hsp_report_text(result_of(r, "mlp"), "error"), "--max-seconds-each"));
    assert_int_equal(hsp_report_flag(r, "interrupted"), 0);
    hsp_report_free(r);
    hsp_data_free(data);
}

static void test_large_network(void **state) {
    (void)state;
    enum { D = 16000 };
    double value[40];
    int64_t row[41], column[40];
    const char *labels[40];
    for (int i = 0; i < 40; i++) row[i] = i, column[i] = i % 2 ? i : D - 1 - i, value[i] = 1, labels[i] = i % 2 ? "a" : "b";
    row[40] = 40;
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_csr(row, column, value, 40, D, labels, &data, NULL), 0);
    hsp_report *r = compare_all(data, NULL, PAIRS("folds", "2", "max-seconds-each", "20"));
    assert_non_null(strstr(hsp_report_text(result_of(r, "mlp"), "error"), "--only"));
    const hsp_report *logistic = result_of(r, "logistic");
    assert_int_equal(hsp_report_count(hsp_report_member(logistic, "settings"), NULL), 0); /* sparse: not scaled */
    hsp_report_free(r);
    hsp_data_free(data);
}

/* ---- interrupts ---- */

typedef struct patience {
    int left;
} patience;

static int lose_patience(void *user, const hsp_progress *p) {
    patience *w = user;
    assert_true(p->problem >= 0 && p->problem <= p->problems && strcmp(p->method, "compare") == 0);
    return w->left-- <= 0;
}

static void test_interrupts(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "3000", "features", "30", "noise", "20"));
    hsp_options *o = options_of(PAIRS("only", "majority,nearest-mean,mlp", "folds", "2", "threads", "1"));
    patience w = {3};
    hsp_hooks hooks = {.size = sizeof hooks, .user = &w, .progress = lose_patience};
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_compare(data, o, &hooks, NULL, &r, &err), HSP_OK);
    assert_int_equal(hsp_report_flag(r, "interrupted"), 1);
    assert_false(failed(result_of(r, "majority")));
    assert_string_equal(hsp_report_text(result_of(r, "mlp"), "error"), "interrupted");
    hsp_report_free(r);
    w.left = 0;
    assert_int_equal(hsp_compare(data, o, &hooks, NULL, &r, &err), HSP_ECANCELLED);
    assert_null(r);
    hsp_error_free(err);
    err = NULL;
    hsp_model *m = NULL;
    w.left = 3;
    assert_int_equal(hsp_compare(data, o, &hooks, &m, &r, &err), HSP_ECANCELLED); /* no winner of half a comparison */
    assert_true(!r && !m);
    hsp_error_free(err);
    err = NULL;
    hsp_cancel();
    assert_int_equal(hsp_compare(data, o, NULL, NULL, &r, &err), HSP_ECANCELLED);
    assert_int_equal(hsp_cancel_waiting(), 0);
    hsp_error_free(err);
    hsp_options_free(o);
    hsp_data_free(data);
}

/* ---- the choice ---- */

static void test_choice(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "120", "features", "3", "noise", "5"));
    hsp_model *m = NULL, *again = NULL;
    hsp_report *r = compare_all(data, &m, PAIRS("algorithm", "auto", "seed", "3"));
    const hsp_report *choice = hsp_report_member(r, "choice"), *row = result_of(r, hsp_report_text(choice, "algorithm"));
    assert_string_equal(m->algorithm, hsp_report_text(choice, "algorithm"));
    assert_int_equal(hsp_report_flag(row, "tied"), 1);
    const char *reason = hsp_report_text(choice, "reason");
    int sentences = 0;
    for (const char *s = reason; *s; s++) sentences += *s == '.' && (s[1] == ' ' || !s[1]);
    assert_int_equal(sentences, 3);
    assert_string_equal(hsp_report_text(hsp_report_member(m->report, "comparison"), "reason"), reason);
    assert_true(hsp_report_number(hsp_report_member(m->report, "comparison"), "mean") == hsp_report_number(row, "mean"));
    /* An ordinary model: it is saved, loaded and verified. */
    void *bytes = NULL;
    size_t size;
    hsp_report *verified = NULL;
    assert_int_equal(hsp_model_save_memory(m, &bytes, &size, NULL), 0);
    assert_int_equal(hsp_model_load_memory(bytes, size, &again, NULL), 0);
    assert_string_equal(hsp_report_text(hsp_report_member(again->report, "comparison"), "reason"), reason);
    assert_int_equal(hsp_verify(again, data, NULL, NULL, NULL, &verified, NULL), 0);
    assert_int_equal(hsp_report_flag(verified, "verified"), 1);
    hsp_free(bytes);
    hsp_report_free(verified);
    hsp_report_free(r);
    hsp_model_free(m);
    hsp_model_free(again);
    hsp_data_free(data);
}

/* Of equal algorithms the certified one is chosen; a baseline never is. */
static void test_preference(void **state) {
    (void)state;
    double x[60];
    int class[60];
    for (int i = 0; i < 60; i++) x[i] = i < 30 ? i : i + 100, class[i] = i >= 30;
    hsp_data *data = table_of(x, 60, 1, class);
    hsp_model *m = NULL;
    hsp_report *r = compare_all(data, &m, PAIRS("only", "mlp,sgd,svm,majority"));
    assert_string_equal(m->algorithm, "svm");
    hsp_report_free(r);
    hsp_model_free(m);
    r = compare_all(data, &m, PAIRS("only", "mlp,sgd,majority"));
    assert_string_equal(m->algorithm, "sgd");
    hsp_report_free(r);
    hsp_model_free(m);
    hsp_data_free(data);
    for (int i = 0; i < 60; i++) class[i] = (i * 7) % 60 < 12, x[i] = i; /* no relation */
    data = table_of(x, 60, 1, class);
    r = compare_all(data, &m, PAIRS("only", "majority,nearest-mean"));
    assert_string_equal(hsp_report_text(result_at(r, 0), "algorithm"), "majority");
    assert_string_equal(m->algorithm, "nearest-mean");
    assert_non_null(strstr(hsp_report_text(r, "summary"), "majority has the best"));
    hsp_report_free(r);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* ---- groups, and what is refused ---- */

/* Ten copies of each row: without groups the copies give the class away. */
static void test_groups(void **state) {
    (void)state;
    enum { N = 200 };
    double x[N * 2];
    int class[N];
    int64_t group[N];
    hsp_rng rng = hsp_rng_new(1, 2);
    for (int i = 0; i < N; i++) {
        bool first = i % 10 == 0;
        group[i] = i / 10;
        class[i] = first ? hsp_rng_uniform(&rng) < 0.5 : class[i - 1];
        for (int j = 0; j < 2; j++) x[2 * i + j] = first ? hsp_rng_uniform(&rng) : x[2 * i + j - 2];
    }
    hsp_data *data = table_of(x, N, 2, class);
    hsp_report *leaky = compare_all(data, NULL, PAIRS("only", "mlp", "folds", "3"));
    set_groups(data, group);
    hsp_report *honest = compare_all(data, NULL, PAIRS("only", "mlp", "folds", "3"));
    assert_true(hsp_report_number(result_at(leaky, 0), "mean") > 0.8);
    assert_true(hsp_report_number(result_at(honest, 0), "mean") < 0.7);
    hsp_report_free(leaky);
    hsp_report_free(honest);
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "30")), *numbers = generated("linear", PAIRS("rows", "30"));
    compare_fails(data, HSP_EUSAGE, "did you mean logistic?", PAIRS("only", "lda,logistik"));
    compare_fails(data, HSP_EUSAGE, "lda twice", PAIRS("only", "lda,svm,lda"));
    compare_fails(data, HSP_EUSAGE, "--only", PAIRS("only", "lda,,svm"));
    compare_fails(data, HSP_EUSAGE, "for --task regression", PAIRS("only", "lasso"));
    compare_fails(numbers, HSP_EUSAGE, "the target is numeric", PAIRS("only", "svm"));
    compare_fails(data, HSP_EUSAGE, "--metric rmse", PAIRS("metric", "rmse"));
    compare_fails(numbers, HSP_EUSAGE, "--metric auc", PAIRS("metric", "auc"));
    compare_fails(data, HSP_EUSAGE, "-C cannot be used here", PAIRS("C", "2"));
    compare_fails(data, HSP_EUSAGE, "--tol cannot be used here", PAIRS("tol", "1e-6"));
    compare_fails(data, HSP_EUSAGE, "--grid cannot be used here", PAIRS("grid", "C=1,2"));
    compare_fails(data, HSP_EUSAGE, "--no-certificate cannot be used here", PAIRS("no-certificate", "yes"));
    compare_fails(data, HSP_EUSAGE, "--only svm", PAIRS("algorithm", "svm"));
    compare_fails(data, HSP_EUSAGE, "--folds loo", PAIRS("folds", "loo"));
    compare_fails(data, HSP_EINPUT, "too few", PAIRS("folds", "31"));
    compare_fails(numbers, HSP_EUSAGE, "--positive is for classification", PAIRS("positive", "1"));
    compare_fails(numbers, HSP_EUSAGE, "--class-weight is for classification", PAIRS("class-weight", "balanced"));
    hsp_data_free(data);
    hsp_data_free(numbers);
    const double x[] = {1, 2, 3, 4, 5, 6};
    const int same[] = {0, 0, 0, 0, 0, 0};
    data = table_of(x, 6, 1, same);
    compare_fails(data, HSP_EINPUT, "only one class", PAIRS("folds", "2"));
    hsp_data_free(data);
    data = table_of(x, 6, 1, NULL);
    compare_fails(data, HSP_EINPUT, "no labels", PAIRS("folds", "2"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_two_classes), cmocka_unit_test(test_rows_of_more_classes),
        cmocka_unit_test(test_rows_of_numbers),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_differences),         cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_threads),             cmocka_unit_test(test_majority),
        cmocka_unit_test(test_weighted_majority),   cmocka_unit_test(test_mean),
        cmocka_unit_test(test_table),               cmocka_unit_test(test_largest_lambda),
        cmocka_unit_test(test_failed_rows),         cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_large_network),       cmocka_unit_test(test_interrupts),
        cmocka_unit_test(test_choice),              cmocka_unit_test(test_preference),
        cmocka_unit_test(test_groups),              cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
