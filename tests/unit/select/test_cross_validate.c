/* hsp_cross_validate: folds and means, leave-one-out against n fits, grids and the choice, nested folds, the model of all
 * rows, the same result for any number of threads, what is refused. */
#include "validated.h"

#include "base/rng.h"
#include "classifier/classifier.h"

/* Every row once, folds of a size. */
static void test_folds(void **state) {
    (void)state;
    static const struct {
        const char *rows, *folds;
        double least, most;
    } cases[] = {{"100", "5", 20, 20}, {"103", "5", 20, 21}, {"7", "7", 1, 1}, {"50", "8", 6, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hsp_data *data = generated("blobs", PAIRS("rows", cases[c].rows, "noise", "3"));
        hsp_report *r = validate(data, NULL, PAIRS("algorithm", "nearest-mean", "folds", cases[c].folds));
        double sum = 0, n = (double)hsp_data_rows(data);
        for (int64_t k = 0; k < hsp_report_count(r, "folds"); k++) {
            double rows = fold_value(r, k, "rows");
            assert_true(rows >= cases[c].least && rows <= cases[c].most && fold_value(r, k, "train_rows") == n - rows);
            sum += rows;
        }
        assert_true(sum == n && n == hsp_report_number(r, "rows"));
        assert_true(hsp_report_number(r, "fold_count") == (double)hsp_report_count(r, "folds"));
        hsp_report_free(r);
        hsp_data_free(data);
    }
}

/* A class of as many rows as there are folds has one in each: the AUC is defined everywhere. */
static void test_strata(void **state) {
    (void)state;
    double x[44];
    int class[44];
    for (int i = 0; i < 44; i++) x[i] = (i * 29) % 44, class[i] = i % 11 == 0;
    hsp_data *data = table_of(x, 44, 1, class);
    hsp_report *r = validate(data, NULL, PAIRS("folds", "4", "metric", "auc"));
    for (int k = 0; k < 4; k++) assert_true(isfinite(fold_value(r, k, "auc")));
    assert_string_equal(hsp_report_text(r, "metric"), "auc");
    hsp_report_free(r);
    hsp_data_free(data);
}

/* Mean, deviation, standard error and interval are those of the folds; of equal means the strongest penalty is best. */
static void test_choice(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "features", "12", "noise", "8"));
    hsp_report *r = validate(data, NULL, PAIRS("lambdas", "1e-4:1e3:8", "folds", "6"));
    double best = hsp_report_number(hsp_report_member(r, "best"), "mean"),
           lambda = hsp_report_number(hsp_report_member(r, "best"), "lambda");
    assert_int_equal(hsp_report_count(r, "tried"), 8);
    for (int64_t i = 0; i < 8; i++) {
        double mean = hsp_report_number(tried(r, i), "mean");
        assert_true(hsp_report_number(tried(r, i), "lambda") > lambda ? mean < best : mean <= best);
        double sum = 0, square = 0;
        for (int k = 0; k < 6; k++) sum += hsp_report_number_at(tried(r, i), "folds", k);
        for (int k = 0; k < 6; k++) square += pow(hsp_report_number_at(tried(r, i), "folds", k) - sum / 6, 2);
        assert_true(fabs(mean - sum / 6) < 1e-15);
        assert_true(fabs(hsp_report_number(tried(r, i), "sd") - sqrt(square / 5)) < 1e-15);
        assert_true(hsp_report_number(hsp_report_member(tried(r, i), "metrics"), "accuracy") == mean);
        assert_true(hsp_report_number(tried(r, i), "relative_gap") <= 1e-4);
    }
    assert_true(hsp_report_number(r, "mean") == best && hsp_report_count(r, "folds") == 6);
    double se = hsp_report_number(r, "standard_error"), sd = hsp_report_number(r, "sd"),
           half = 2.5705818356363146 * sd * sqrt(1.0 / 6 + 1.0 / 5);
    assert_true(fabs(se - sd / sqrt(6)) < 1e-15 && fabs(hsp_report_number_at(r, "interval", 1) - (best + half)) < 1e-12);
    /* The rule of one standard error. */
    const hsp_report *one = hsp_report_member(r, "one_se");
    for (int64_t i = 0; i < 8; i++) {
        bool near = hsp_report_number(tried(r, i), "mean") >= best - se;
        if (near) assert_true(hsp_report_number(tried(r, i), "lambda") <= hsp_report_number(one, "lambda"));
        if (hsp_report_number(tried(r, i), "lambda") == hsp_report_number(one, "lambda")) assert_true(near);
    }
    /* One lambda alone has the same folds, so the same figures. */
    char text[HSP_NUMBER_SIZE];
    hsp_format_number(hsp_report_number(tried(r, 2), "lambda"), text);
    hsp_report *alone = validate(data, NULL, PAIRS("lambda", text, "folds", "6"));
    assert_true(hsp_report_number(alone, "mean") == hsp_report_number(tried(r, 2), "mean"));
    assert_int_equal(hsp_report_count(hsp_report_member(alone, "best"), NULL), 2); /* no options: mean and sd */
    assert_int_equal(hsp_report_kind(alone, "one_se"), HSP_REPORT_NULL);
    hsp_report_free(alone);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* --choose one-se, the options of the model of all rows, and its weights: those of training with these options. */
static void test_refit(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "features", "8", "noise", "7"));
    hsp_model *m = NULL;
    hsp_report *r = validate(data, &m, PAIRS("grid", "C=0.001:100:log6;scale=none,standard", "choose", "one-se"));
    const hsp_report *chosen = hsp_report_member(r, "chosen"), *one = hsp_report_member(r, "one_se"),
                     *best = hsp_report_member(r, "best");
    assert_true(hsp_report_number(chosen, "C") == hsp_report_number(one, "C"));
    assert_true(hsp_report_number(one, "C") <= hsp_report_number(best, "C"));
    assert_string_equal(hsp_report_text(one, "scale"), hsp_report_text(best, "scale"));
    assert_true(hsp_report_number(r, "mean") == hsp_report_number(one, "mean"));
    char C[HSP_NUMBER_SIZE];
    hsp_format_number(hsp_report_number(chosen, "C"), C);
    trained t = train(data, PAIRS("C", C, "scale", hsp_report_text(chosen, "scale")));
    assert_int_equal(t.status, 0);
    assert_memory_equal(m->w, t.model->w, 8 * sizeof *m->w);
    assert_true(m->certificate.relative_gap <= 1e-4 && m->claims);
    assert_true(hsp_report_number(hsp_report_member(r, "refit"), "relative_gap") == m->certificate.relative_gap);
    trained_free(&t);
    hsp_model_free(m);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* A plain fit has the weights of training, without what else a model has. */
static void test_plain(void **state) {
    (void)state;
    static const char *const names[] = {"nearest-mean", "perceptron", "gradient-descent", "sgd", "least-squares", "ridge",
                                        "fisher",       "lda",        "logistic",         "svm"};
    for (int classes = 2; classes <= 3; classes++) {
        hsp_data *data =
            generated("blobs", PAIRS("rows", "80", "features", "5", "noise", "6", "classes", classes == 2 ? "2" : "3"));
        for (int a = 0; a < 10; a++) {
            hsp_options *o = options_of(PAIRS("algorithm", names[a]));
            trained t = train(data, PAIRS("algorithm", names[a]));
            hsp_model *m = NULL;
            hsp_plain_fit fit;
            if (classes == 3 && a == 6) assert_true(t.status == 0 || t.status == HSP_EUSAGE);
            assert_int_equal(hsp_train_plain(data, o, NULL, &m, &fit, NULL), t.status);
            for (int64_t j = 0; t.model && j < t.model->outputs * 5; j++)
                assert_true(fabs(m->w[j] - t.model->w[j]) <= (a == 9 ? 1e-12 * fabs(m->w[j]) : 0));
            if (t.model) assert_true(!m->claims && !m->report && m->link == t.model->link);
            if (t.model) assert_int_equal(fit.missed, hsp_report_flag(t.report, "tolerance_missed"));
            hsp_model_free(m);
            hsp_options_free(o);
            trained_free(&t);
        }
        hsp_data_free(data);
    }
}

/* The exact leave-one-out errors of a fit are those of n fits: with as many folds as rows each is the error of one. */
static void test_leave_one_out(void **state) {
    (void)state;
    static const char *const names[] = {"least-squares", "ridge", "ridge"}, *const lambda[] = {NULL, NULL, "0.3"};
    hsp_data *data = generated("linear", PAIRS("rows", "30", "features", "4", "noise", "5"));
    for (int i = 0; i < 3; i++) {
        const char *with[] = {"algorithm", names[i], "folds", "30", lambda[i] ? "lambda" : NULL, lambda[i], NULL};
        const char *loo[] = {"algorithm", names[i], "folds", "loo", lambda[i] ? "lambda" : NULL, lambda[i], NULL};
        hsp_report *fits = validate(data, NULL, with), *exact = validate(data, NULL, loo);
        double squares = 0, sizes = 0;
        for (int k = 0; k < 30; k++) squares += pow(fold_value(fits, k, "rmse"), 2), sizes += fold_value(fits, k, "mae");
        assert_true(fabs(sqrt(squares / 30) - hsp_report_number(exact, "mean")) < 1e-9);
        assert_true(fabs(sizes / 30 - fold_value(exact, 0, "mae")) < 1e-9);
        assert_string_equal(hsp_report_text(exact, "leave_one_out"), "exact");
        assert_true(hsp_report_count(exact, "folds") == 1 && fold_value(exact, 0, "rows") == 30);
        assert_true(isnan(hsp_report_number(exact, "sd")) && hsp_report_number(exact, "fits") == 1);
        hsp_report_free(fits);
        hsp_report_free(exact);
    }
    hsp_data_free(data);
    /* Without a closed form: n fits, whose scores are put together. */
    data = generated("blobs", PAIRS("rows", "24", "noise", "5"));
    hsp_report *each = validate(data, NULL, PAIRS("folds", "24", "algorithm", "ridge")),
               *scaled = validate(data, NULL, PAIRS("folds", "loo", "algorithm", "ridge", "scale", "standard")),
               *closed = validate(data, NULL, PAIRS("folds", "loo", "algorithm", "ridge"));
    assert_true(fabs(hsp_report_number(each, "mean") - hsp_report_number(closed, "mean")) < 1e-12);
    assert_string_equal(hsp_report_text(scaled, "leave_one_out"), "fits");
    assert_true(hsp_report_number(scaled, "fits") == 24 && isfinite(fold_value(scaled, 0, "auc")));
    hsp_report_free(each);
    hsp_report_free(scaled);
    hsp_report_free(closed);
    hsp_data_free(data);
}

/* Repeats: other folds, all of them in the mean. */
static void test_repeats(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "9"));
    hsp_report *one = validate(data, NULL, PAIRS("folds", "4")),
               *three = validate(data, NULL, PAIRS("folds", "4", "repeats", "3"));
    double sum = 0;
    assert_int_equal(hsp_report_count(three, "folds"), 12);
    for (int64_t k = 0; k < 12; k++) {
        sum += fold_value(three, k, "accuracy");
        assert_true(fold_value(three, k, "repeat") == (double)(k / 4 + 1));
        if (k < 4) assert_true(fold_value(three, k, "accuracy") == fold_value(one, k, "accuracy"));
    }
    assert_true(fabs(hsp_report_number(three, "mean") - sum / 12) < 1e-15);
    assert_true(fabs(hsp_report_number(three, "standard_error") - hsp_report_number(three, "sd") / 2) < 1e-15);
    hsp_report_free(one);
    hsp_report_free(three);
    hsp_data_free(data);
}

/* Labels by chance: the best of many is better than chance, the nested estimate is not. */
static double nested_less_than_best(uint64_t seed) {
    enum { N = 60, D = 6 };
    double x[N * D], sum = 0, rows = 0;
    int class[N];
    hsp_rng rng = hsp_rng_new(seed, 1);
    for (int i = 0; i < N * D; i++) x[i] = hsp_rng_normal(&rng);
    for (int i = 0; i < N; i++) class[i] = i % 2;
    hsp_data *data = table_of(x, N, D, class);
    hsp_report *r =
        validate(data, NULL, PAIRS("grid", "algorithm=sgd;learning-rate=0.001:10:log12;max-epochs=1,3,9", "nested", "4"));
    const hsp_report *nested = hsp_report_member(r, "nested");
    assert_int_equal(hsp_report_count(nested, "folds"), 4);
    for (int64_t k = 0; k < 4; k++) {
        const hsp_report *fold = hsp_report_item(nested, "folds", k);
        sum += hsp_report_number(fold, "accuracy");
        rows += hsp_report_number(fold, "rows");
        assert_true(hsp_report_number(hsp_report_member(fold, "chosen"), "max-epochs") >= 1);
    }
    assert_true(rows == N && fabs(hsp_report_number(nested, "mean") - sum / 4) < 1e-15);
    assert_true(hsp_report_number(r, "fits") == 36 * 5 + 4 * (36 * 5 + 1));
    double less = hsp_report_number(r, "mean") - sum / 4;
    hsp_report_free(r);
    hsp_data_free(data);
    return less;
}

static void test_nested(void **state) {
    (void)state;
    double less = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) less += nested_less_than_best(seed) / 6;
    assert_true(less > 0.03);
}

static void test_algorithms(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "2"));
    hsp_report *r = validate(data, NULL,
                             PAIRS("grid",
                                   "algorithm=nearest-mean,perceptron,gradient-descent,sgd,minibatch,least-squares,"
                                   "ridge,fisher,lda,logistic,svm;C=0.1,1",
                                   "tol", "1e-3"));
    assert_int_equal(hsp_report_count(r, "tried"), 11 + 6); /* six of them have a C */
    for (int64_t i = 0; i < 17; i++) assert_true(hsp_report_number(tried(r, i), "mean") > 0.7);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* Fits over one copy of the data, and one by one: a limit on the epochs, which no fit reaches, asks for single fits. */
static void check_shared(const hsp_data *data, const char *const *pairs) {
    const char *shared[32] = {NULL}, *single[32] = {NULL};
    int n = 0;
    for (; pairs[n]; n++) shared[n] = single[n] = pairs[n];
    single[n] = "max-epochs";
    single[n + 1] = "1000000";
    hsp_report *a = validate(data, NULL, shared), *b = validate(data, NULL, single);
    assert_int_equal(hsp_report_count(a, "tried"), hsp_report_count(b, "tried"));
    for (int64_t i = 0; i < hsp_report_count(a, "tried"); i++) {
        const hsp_report *u = hsp_report_member(tried(a, i), "metrics"), *v = hsp_report_member(tried(b, i), "metrics");
        HSP_REPORT_EACH(metric, u) {
            double x = hsp_report_number(metric, NULL), y = hsp_report_number(v, hsp_report_name(metric));
            if (!(fabs(x - y) <= 2e-5 * (1 + fabs(y))) && !(isnan(x) && isnan(y)))
                fail_msg("%s of %d: %g, %g", hsp_report_name(metric), (int)i, x, y);
        }
        assert_true(hsp_report_number(tried(a, i), "relative_gap") <= 1e-9);
    }
    assert_true(hsp_report_number(a, "fits") == hsp_report_number(b, "fits"));
    hsp_report_free(a);
    hsp_report_free(b);
}

static void test_shared(void **state) {
    (void)state;
    hsp_data *two = generated("blobs", PAIRS("rows", "120", "features", "5", "noise", "7")),
             *three = generated("blobs", PAIRS("rows", "120", "features", "5", "noise", "7", "classes", "3"));
    double weight[120];
    for (int i = 0; i < 120; i++) weight[i] = i % 3;
    check_shared(two, PAIRS("grid", "C=0.01:10:log4", "tol", "1e-9"));
    check_shared(two, PAIRS("grid", "C=0.01:10:log4", "tol", "1e-9", "algorithm", "svm"));
    check_shared(two, PAIRS("lambdas", "0.001,0.1", "tol", "1e-9", "class-weight", "balanced", "repeats", "2"));
    check_shared(two, PAIRS("grid", "C=0.1,1;intercept=none,free", "tol", "1e-9", "class-weight", "1=3"));
    check_shared(two, PAIRS("tol", "1e-9", "algorithm", "svm", "C", "0.3", "folds", "7"));
    check_shared(three, PAIRS("grid", "C=0.01:10:log3", "tol", "1e-9"));
    check_shared(three, PAIRS("grid", "C=0.01:10:log3;multiclass=ovr,softmax", "tol", "1e-9"));
    check_shared(three, PAIRS("grid", "C=0.01:1:log3", "tol", "1e-9", "algorithm", "svm", "nested", "2"));
    check_shared(three, PAIRS("grid", "C=0.1,1", "tol", "1e-9", "positive", "1,3"));
    assert_int_equal(hsp_data_set_weights(two, weight, NULL), 0);
    check_shared(two, PAIRS("grid", "C=0.01:10:log4", "tol", "1e-9", "class-weight", "balanced"));
    hsp_data_free(two);
    hsp_data_free(three);
}

/* Warnings: rare classes, the end of the grid. */
static void test_warnings(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "6", "seed", "3"));
    hsp_report *r = validate(data, NULL, PAIRS("metric", "log-loss", "grid", "C=1e-9:1e-6:log4"));
    assert_string_equal(hsp_report_text_at(r, "warnings", 0),
                        "the best C, 1e-6, is the largest value of the grid: try larger ones too");
    hsp_report_free(r);
    r = validate(data, NULL, PAIRS("metric", "log-loss", "grid", "C=1e-9,1e-6"));
    assert_int_equal(hsp_report_count(r, "warnings"), 0); /* two values are compared, not searched */
    hsp_report_free(r);
    hsp_data_free(data);
    double x[30];
    int class[30];
    for (int i = 0; i < 30; i++) x[i] = (i * 7) % 30, class[i] = i < 2 ? 2 : i % 2;
    data = table_of(x, 30, 1, class);
    r = validate(data, NULL, PAIRS("folds", "5"));
    assert_non_null(strstr(hsp_report_text_at(r, "warnings", 0), "classes with fewer rows than folds: 'c' (2)"));
    hsp_report_free(r);
    hsp_data_free(data);
}

/* The same report from one thread and from several, but for its times. */
static void test_threads(void **state) {
    (void)state;
    static const char *const threads[] = {"1", "2", "5"}, *const grids[] = {"C=0.01,1", "C=0.01:100:log12"};
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "noise", "2", "classes", "3"));
    for (int g = 0; g < 2; g++) {
        char *first = NULL;
        for (int i = 0; i < 3; i++) {
            hsp_report *r =
                validate(data, NULL, PAIRS("grid", grids[g], "folds", "7", "nested", "2", "threads", threads[i]));
            char *json = NULL;
            assert_int_equal(hsp_report_json(r, &json, NULL), HSP_OK);
            *strstr(json, "\"seconds\"") = '\0';
            if (first) assert_string_equal(json, first);
            if (first)
                hsp_free(json);
            else
                first = json;
            hsp_report_free(r);
        }
        hsp_free(first);
    }
    hsp_data_free(data);
}

/* Row i is the number i, with weights by chance: numbers throughout, or one line that says why not. */
static void test_weights(void **state) {
    (void)state;
    enum { N = 30 };
    int made = 0, failed = 0;
    uint32_t seed = 3;
    for (int turn = 0; turn < 40; turn++) {
        double x[N], weight[N];
        int class[N];
        for (int i = 0; i < N; i++) {
            x[i] = i;
            class[i] = i % 2;
            weight[i] = (seed = seed * 1664525u + 1013904223u) >> 29 < (turn % 5 ? 1 : 4);
        }
        weight[turn % N] = 1;
        hsp_data *data = table_of(x, N, 1, turn % 2 ? class : NULL);
        if (turn % 2 == 0) assert_int_equal(hsp_data_set_targets(data, x, NULL), HSP_OK);
        assert_int_equal(hsp_data_set_weights(data, weight, NULL), HSP_OK);
        hsp_options *o = options_of(PAIRS("folds", "6"));
        hsp_report *r = NULL;
        hsp_error *err = NULL;
        int status = hsp_cross_validate(data, o, NULL, NULL, &r, &err);
        if ((status == HSP_OK) == (err != NULL)) fail_msg("a status without an error");
        if (status)
            assert_true(status == HSP_EINPUT);
        else
            assert_true(isfinite(hsp_report_number(r, "mean")));
        made += status == HSP_OK;
        failed += status != HSP_OK;
        hsp_error_free(err);
        hsp_report_free(r);
        hsp_options_free(o);
        hsp_data_free(data);
    }
    assert_true(made > 2 && failed > 10);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7};
    hsp_data *data = table_of(x, 8, 1, (const int[]){0, 0, 0, 0, 1, 1, 1, 1}),
             *one = table_of(x, 4, 1, (const int[]){0, 0, 0, 0}), *none = table_of(x, 4, 1, NULL),
             *numbers = table_of(x, 8, 1, NULL);
    assert_int_equal(hsp_data_set_targets(numbers, x, NULL), 0);
    refused(data, HSP_EINPUT, "too few for 9 folds", PAIRS("folds", "9"));
    refused(data, HSP_EUSAGE, "algorithm", PAIRS("algorithm", "tree", "folds", "2"));
    refused(data, HSP_EUSAGE, "no lambda", PAIRS("algorithm", "lda", "lambdas", "1,2", "folds", "2"));
    refused(data, HSP_EUSAGE, "--metric rmse is for numeric targets", PAIRS("metric", "rmse", "folds", "2"));
    refused(numbers, HSP_EUSAGE, "--metric auc is for classes", PAIRS("metric", "auc", "folds", "2", "task", "regression"));
    refused(data, HSP_EUSAGE, "svm has no probabilities, so --metric brier cannot decide",
            PAIRS("metric", "brier", "folds", "2", "algorithm", "svm"));
    refused(data, HSP_EINPUT, "auc is undefined in fold", PAIRS("metric", "auc", "folds", "8"));
    refused(data, HSP_EUSAGE, "--nested estimates a choice", PAIRS("nested", "2", "folds", "2"));
    refused(data, HSP_EUSAGE, "--choose one-se", PAIRS("choose", "one-se", "folds", "2"));
    refused(data, HSP_EUSAGE, "standard error of several folds",
            PAIRS("choose", "one-se", "folds", "loo", "grid", "C=1,2"));
    refused(data, HSP_EUSAGE, "lda does not use -C", PAIRS("algorithm", "lda", "C", "1", "folds", "2"));
    refused(data, HSP_EUSAGE, "no algorithm of --grid uses -C",
            PAIRS("grid", "algorithm=lda,fisher", "C", "1", "folds", "2"));
    refused(one, HSP_EINPUT, "only one class", PAIRS("folds", "2"));
    refused(none, HSP_EINPUT, "no labels", PAIRS("folds", "2"));
    const int64_t group[] = {0, 0, 1, 1, 2, 2, 2, 2};
    set_groups(data, group);
    refused(data, HSP_EINPUT, "would be trained on one class alone ('a')", PAIRS("folds", "3"));
    set_groups(data, (const int64_t[]){0, 0, 1, 1, 1, 2, 2, 2});
    refused(data, HSP_EINPUT, "auc is undefined in fold", PAIRS("folds", "3", "metric", "auc"));
    hsp_data_free(data);
    hsp_data_free(one);
    hsp_data_free(none);
    hsp_data_free(numbers);
}

/* The first allocation fails, then the second, and so on until none does. */
static void test_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "12"));
    hsp_options *o = options_of(PAIRS("folds", "2", "threads", "1", "grid", "algorithm=nearest-mean,lda", "nested", "2"));
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 20000; calls++) {
        hsp_report *r = NULL;
        hsp_model *m = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_cross_validate(data, o, NULL, &m, &r, &err);
        hsp_memory_fail_after(-1);
        if ((status == HSP_OK) != (r != NULL) || (status == HSP_OK) != (err == NULL) || (status == HSP_OK) != (m != NULL))
            fail_msg("half a failure at %d", (int)calls);
        hsp_report_free(r);
        hsp_model_free(m);
        hsp_error_free(err);
    }
    assert_int_equal(status, HSP_OK);
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds),   cmocka_unit_test(test_strata),     cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_choice),  cmocka_unit_test(test_algorithms), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refit),   cmocka_unit_test(test_repeats),    cmocka_unit_test(test_nested),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_warnings),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_weights), cmocka_unit_test(test_plain),      cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
