/* The study `bias-variance`, against a recomputation in the plainest way. */
#include "studied.h"

#include "base/rng.h"

enum { B = 7 };

typedef struct parts {
    double bias, variance, error, train;
} parts;

/* Model b of the study: the sample is drawn by the generator of its own stream. */
static hsp_model *sampled(const hsp_data *train, int64_t b, const char *const *pairs, double *seen) {
    int64_t n = hsp_data_rows(train), *rows = malloc((size_t)n * sizeof *rows);
    hsp_rng rng = hsp_rng_new(1, UINT64_C(0x626f6f7473747261) + (uint64_t)b);
    hsp_data *sample = NULL;
    hsp_model *m = NULL;
    hsp_options *o = options_of(pairs);
    for (int64_t i = 0; i < n; i++) rows[i] = hsp_rng_below(&rng, n);
    assert_int_equal(hsp_data_take(train, rows, n, &sample, NULL), HSP_OK);
    assert_int_equal(hsp_train(sample, o, NULL, &m, NULL, NULL), HSP_OK);
    *seen += error_by_hand(m, sample) / B;
    hsp_options_free(o);
    hsp_data_free(sample);
    free(rows);
    return m;
}

static parts by_hand(const hsp_data *data, const char *const *pairs) {
    hsp_data *train = NULL, *test = NULL;
    hsp_model *m[B];
    parts sum = {0};
    bool squared = hsp_data_classes(data) == 0;
    split_for_study(data, "1", &train, &test);
    for (int b = 0; b < B; b++) m[b] = sampled(train, b, pairs, &sum.train);
    int64_t T = hsp_data_rows(test);
    hsp_array truth = {.size = sizeof truth}, weights = {.size = sizeof weights};
    bool weighted = hsp_data_array(test, "weights", &weights, NULL) == HSP_OK;
    double mass = 0;
    for (int64_t i = 0; i < T; i++) mass += weighted ? ((const double *)weights.data)[i] : 1;
    assert_int_equal(hsp_data_array(test, squared ? "targets" : "labels", &truth, NULL), HSP_OK);
    for (int64_t i = 0; i < T; i++) {
        double x[8], g[8], answer[B], main = 0, disagree = 0, error = 0;
        assert_int_equal(hsp_data_row(test, i, x, NULL), HSP_OK);
        for (int b = 0; b < B; b++) {
            int64_t class = hsp_model_classify(m[b], x, g);
            answer[b] = squared ? g[0] : (double)class;
        }
        double t = squared ? ((const double *)truth.data)[i] : ((const int32_t *)truth.data)[i], most = 0;
        for (int b = 0; squared && b < B; b++) main += answer[b] / B;
        for (int k = 0; !squared && k < hsp_data_classes(data); k++) {
            double votes = 0;
            for (int b = 0; b < B; b++) votes += answer[b] == k;
            if (votes > most) most = votes, main = k;
        }
        for (int b = 0; b < B; b++) {
            disagree += (squared ? pow(answer[b] - main, 2) : answer[b] != main) / B;
            error += (squared ? pow(answer[b] - t, 2) : answer[b] != t) / B;
        }
        double share = (weighted ? ((const double *)weights.data)[i] : 1) / mass;
        sum.bias += (squared ? pow(main - t, 2) : main != t) * share;
        sum.variance += disagree * share;
        sum.error += error * share;
    }
    for (int b = 0; b < B; b++) hsp_model_free(m[b]);
    hsp_data_free(train);
    hsp_data_free(test);
    return sum;
}

static void near(double a, double b) {
    if (fabs(a - b) > 1e-12 * fmax(1, fabs(b))) fail_msg("%s", "the study and the hand differ");
}

static void compare(const hsp_data *data, const studied *t, int64_t i, const char *const *pairs) {
    parts p = by_hand(data, pairs);
    near(numbers(t, "bias", NULL, NULL)[i], p.bias);
    near(numbers(t, "variance", NULL, NULL)[i], p.variance);
    near(numbers(t, "error", NULL, NULL)[i], p.error);
    near(numbers(t, "train_error", NULL, NULL)[i], p.train);
}

static void test_classes(void **state) {
    (void)state;
    for (int classes = 2; classes <= 4; classes++) {
        char count[2] = {(char)('0' + classes), 0};
        hsp_data *data = generated("blobs", PAIRS("rows", "80", "noise", "4", "classes", count));
        studied t = study_well("bias-variance", data, PAIRS("bootstraps", "7", "lambdas", "0.01,3"));
        assert_true(number(&t, "bootstraps") == B && number(&t, "squared") == 0);
        assert_true(number(&t, "train_rows") == 56 && number(&t, "test_rows") == 24);
        compare(data, &t, 0, PAIRS("lambda", "0.01"));
        compare(data, &t, 1, PAIRS("lambda", "3"));
        studied_free(&t);
        hsp_data_free(data);
    }
}

/* Squares add up. */
static void test_numbers(void **state) {
    (void)state;
    hsp_data *data = generated("linear", PAIRS("rows", "60", "noise", "20", "features", "4"));
    studied t = study_well("bias-variance", data, PAIRS("bootstraps", "7", "lambdas", "0.01:1000:5"));
    const double *bias = numbers(&t, "bias", NULL, NULL), *variance = numbers(&t, "variance", NULL, NULL);
    const double *error = numbers(&t, "error", NULL, NULL);
    for (int i = 0; i < 5; i++) assert_true(fabs(bias[i] + variance[i] - error[i]) <= 1e-11 * error[i]);
    assert_true(variance[0] > 0 && number(&t, "squared") == 1);
    compare(data, &t, 0, PAIRS("algorithm", "ridge", "lambda", "0.01", "loo", "no"));
    compare(data, &t, 4, PAIRS("algorithm", "ridge", "lambda", "1000", "loo", "no"));
    studied_free(&t);
    hsp_data_free(data);
}

/* Rows count by their weights, in the fits and among the test rows. */
static void test_weights(void **state) {
    (void)state;
    double weight[60];
    for (int i = 0; i < 60; i++) weight[i] = 0.5 + (double)(i * 7 % 5) * (i * 7 % 5);
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "4", "classes", "3"));
    studied plain = study_well("bias-variance", data, PAIRS("bootstraps", "7", "lambdas", "0.1"));
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), HSP_OK);
    studied t = study_well("bias-variance", data, PAIRS("bootstraps", "7", "lambdas", "0.1"));
    compare(data, &t, 0, PAIRS("lambda", "0.1"));
    assert_true(fabs(numbers(&t, "error", NULL, NULL)[0] - numbers(&plain, "error", NULL, NULL)[0]) > 1e-3);
    assert_true(fabs(numbers(&t, "variance", NULL, NULL)[0] - numbers(&plain, "variance", NULL, NULL)[0]) > 1e-3);
    studied_free(&plain);
    studied_free(&t);
    hsp_data_free(data);
    data = generated("linear", PAIRS("rows", "60", "noise", "20", "features", "4"));
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), HSP_OK);
    t = study_well("bias-variance", data, PAIRS("bootstraps", "7", "lambdas", "0.1"));
    compare(data, &t, 0, PAIRS("algorithm", "ridge", "lambda", "0.1", "loo", "no"));
    studied_free(&t);
    hsp_data_free(data);
}

typedef struct course {
    int64_t last, calls;
} course;

static int follow(void *user, const hsp_progress *p) {
    course *c = user;
    if (p->problems != 3 * 9 || p->problem <= c->last || p->problem > p->problems) return 1;
    c->last = p->problem;
    c->calls++;
    return 0;
}

/* One course over the fits of all lambdas. */
static void test_progress(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "40"));
    hsp_options *o = options_of(PAIRS("bootstraps", "9", "lambdas", "0.1,1,10", "threads", "1"));
    course c = {0};
    const hsp_hooks hooks = {.size = sizeof hooks, .user = &c, .progress = follow};
    hsp_report *s = NULL;
    assert_int_equal(hsp_study_run("bias-variance", NULL, data, o, &hooks, &s, NULL), HSP_OK);
    assert_true(c.last == 27 && c.calls >= 3);
    hsp_report_free(s);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void test_threads(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "3", "classes", "3"));
    same_for_any_threads("bias-variance", data, PAIRS("bootstraps", "9", "lambdas", "0.01:10:3"));
    hsp_data_free(data);
    data = generated("linear", PAIRS("rows", "40"));
    same_for_any_threads("bias-variance", data, PAIRS("bootstraps", "9", "lambdas", "0.01:10:3"));
    hsp_data_free(data);
}

/* A class of one row is absent from a third of the samples: those are drawn again while there are but two classes. */
static void test_rare(void **state) {
    (void)state;
    double x[20];
    int class[20];
    for (int i = 0; i < 20; i++) x[i] = i, class[i] = i < 18;
    hsp_data *data = table_of(x, 20, 1, class);
    studied t = study_well("bias-variance", data, PAIRS("bootstraps", "40", "lambdas", "0.1", "test", "0.4"));
    const double *error = numbers(&t, "error", NULL, NULL);
    assert_true(error[0] >= 0 && error[0] <= 1);
    studied_free(&t);
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "40"));
    study_fails("bias-variance", data, HSP_EUSAGE, "ridge", PAIRS("algorithm", "lda"));
    study_fails("bias-variance", data, HSP_EUSAGE, "LO:HI", PAIRS("lambdas", "1:0"));
    study_fails("bias-variance", data, HSP_EUSAGE, "--lambdas", PAIRS("C", "2"));
    hsp_options *o = options_of(PAIRS("seed", "1"));
    assert_int_equal(hsp_options_set(o, "bootstraps", "1", NULL), HSP_EUSAGE);
    hsp_options_free(o);
    hsp_data_free(data);
    const double x[] = {0, 1};
    data = table_of(x, 2, 1, (const int[]){0, 1});
    study_fails("bias-variance", data, HSP_EINPUT, "--test", PAIRS("seed", "1"));
    hsp_data_free(data);
    study_needs_classes("bias-variance", PAIRS("seed", "1"));
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "24"));
    study_short_of_memory("bias-variance", data,
                          PAIRS("lambdas", "0.1", "bootstraps", "2", "threads", "1", "algorithm", "ridge"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),  cmocka_unit_test(test_numbers), cmocka_unit_test(test_weights),
        cmocka_unit_test(test_progress), cmocka_unit_test(test_threads), cmocka_unit_test(test_rare),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
