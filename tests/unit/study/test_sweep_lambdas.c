/* The values of lambda that are tried: as they were asked for, and where they begin when nobody asked. */
#include "studied.h"

#include "study/sweep_lambdas.h"

static const hsp_study_range FEW = {0, 4, 4, 5};

static int grid(const hsp_data *data, const char *text, double **v, int64_t *count, hsp_error **err) {
    hsp_options *o = options_of(PAIRS("lambdas", text));
    int status = hsp_study_grid(data, o, 1, FEW, v, count, err);
    hsp_options_free(o);
    return status;
}

static void test_given(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "30"));
    static const struct {
        const char *text;
        int64_t count;
        double first, second, last;
    } cases[] = {{"0.1:10:3", 3, 0.1, 1, 10}, {"1:16:5", 5, 1, 2, 16},   {"3,1,2", 3, 1, 2, 3},
                 {"2,1,2,1,1", 2, 1, 2, 2},   {"0.5", 1, 0.5, 0.5, 0.5}, {"1e-300:1e300:2", 2, 1e-300, 1e300, 1e300},
                 {"1:10000", 5, 1, 10, 10000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double *v = NULL;
        int64_t count = 0;
        assert_int_equal(grid(data, cases[i].text, &v, &count, NULL), HSP_OK);
        assert_int_equal(count, cases[i].count);
        assert_true(v[0] == cases[i].first && v[count - 1] == cases[i].last);
        if (count > 1) assert_true(fabs(v[1] / cases[i].second - 1) < 1e-12);
        hsp_free(v);
    }
    hsp_data_free(data);
}

static void test_broken(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "30"));
    static const char *const cases[] = {"",   "1:0", "1:1",       "abc",  "-1",    "0",      "0:1",   "1:2:1", "1:2:2.5",
                                        "1:", ":1",  "1:2:3:4",   "1,,2", "1,",    ",1",     "nan",   "inf",   "1e400",
                                        "1 ", "1;2", "1:10:2000", "1,-2", "1,2:3", "1:2:-5", "1:inf", "1:2:",  "0x10"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double *v = NULL;
        int64_t count = 0;
        hsp_error *err = NULL;
        if (grid(data, cases[i], &v, &count, &err) != HSP_EUSAGE || v) fail_msg("'%s' was taken", cases[i]);
        assert_non_null(strstr(hsp_error_message(err), "LO:HI"));
        hsp_error_free(err);
    }
    hsp_data_free(data);
}

/* ---- the top ---- */

static double top_of(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    double top = NAN, uneven = NAN;
    assert_int_equal(hsp_study_top(data, o, 1, &top, &uneven, NULL), HSP_OK);
    assert_true(top > 0 && uneven >= 1);
    hsp_options_free(o);
    return top;
}

/* Weights that are not 0 after a fit with so much of the top. */
static int64_t nonzeros_at(const hsp_data *data, double lambda, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_model *m = NULL;
    hsp_array w = {.size = sizeof w};
    assert_int_equal(hsp_options_set(o, "tol", "1e-9", NULL), HSP_OK);
    assert_int_equal(hsp_study_train(data, o, lambda, &m, NULL), HSP_OK);
    assert_int_equal(hsp_model_array(m, "weights", &w, NULL), HSP_OK);
    int64_t count = 0;
    for (int64_t e = 0; e < w.shape[0] * w.shape[1]; e++) count += ((const double *)w.data)[e] != 0;
    hsp_model_free(m);
    hsp_options_free(o);
    return count;
}

/* Every weight is 0 just above it, and one is not just below. */
static void is_exact(const hsp_data *data, const char *const *pairs) {
    double top = top_of(data, pairs);
    assert_int_equal(nonzeros_at(data, top * (1 + 1e-6), pairs), 0);
    assert_true(nonzeros_at(data, top * (1 - 1e-3), pairs) > 0);
}

static void test_exact(void **state) {
    (void)state;
    hsp_data *two = generated("blobs", PAIRS("rows", "90", "features", "5")), *part = NULL;
    hsp_data *words = generated("sparse", PAIRS("rows", "200", "features", "300"));
    hsp_data *three = generated("blobs", PAIRS("rows", "90", "classes", "3"));
    double weight[90];
    int64_t rows[60];
    for (int i = 0; i < 90; i++) weight[i] = 1 + i % 4;
    for (int i = 0; i < 60; i++) rows[i] = i < 40 ? 2 * i : 2 * (i - 40) + 1; /* classes of unequal size */
    assert_int_equal(hsp_data_take(two, rows, 60, &part, NULL), HSP_OK);
    is_exact(two, PAIRS("penalty", "l1"));
    is_exact(part, PAIRS("penalty", "l1"));
    is_exact(part, PAIRS("penalty", "l1", "scale", "standard"));
    is_exact(part, PAIRS("penalty", "elastic", "l1-ratio", "0.3"));
    is_exact(part, PAIRS("penalty", "l1", "intercept", "none"));
    is_exact(part, PAIRS("penalty", "l1", "class-weight", "balanced"));
    is_exact(words, PAIRS("penalty", "l1"));
    is_exact(three, PAIRS("penalty", "l1", "multiclass", "ovr"));
    is_exact(three, PAIRS("penalty", "l1", "positive", "2"));
    assert_int_equal(hsp_data_set_weights(two, weight, NULL), HSP_OK);
    is_exact(two, PAIRS("penalty", "l1"));
    hsp_data_free(two);
    hsp_data_free(part);
    hsp_data_free(words);
    hsp_data_free(three);
}

/* Without L1: scores that spread by a tenth, whatever the units. */
static void test_spread(void **state) {
    (void)state;
    double x[120], far[120];
    int class[60];
    for (int i = 0; i < 60; i++) {
        class[i] = i % 2;
        x[2 * i] = class[i] + sin(i);
        x[2 * i + 1] = cos(3 * i);
    }
    for (int e = 0; e < 120; e++) far[e] = 1000 * x[e] + 5000;
    hsp_data *near = table_of(x, 60, 2, class), *moved = table_of(far, 60, 2, class);
    static const char *const algorithms[] = {"logistic", "svm", "ridge"};
    for (int a = 0; a < 3; a++) {
        double top = top_of(near, PAIRS("algorithm", algorithms[a]));
        double moved_top = top_of(moved, PAIRS("algorithm", algorithms[a]));
        assert_true(fabs(moved_top / top / 1e6 - 1) < 1e-6);
        assert_true(fabs(top_of(moved, PAIRS("algorithm", algorithms[a], "scale", "standard")) /
                             top_of(near, PAIRS("algorithm", algorithms[a], "scale", "standard")) -
                         1) < 1e-6);
    }
    trained t = train(near, PAIRS("algorithm", "ridge"));
    hsp_model_free(t.model);
    hsp_options *o = options_of(PAIRS("algorithm", "ridge"));
    assert_int_equal(hsp_study_train(near, o, top_of(near, PAIRS("algorithm", "ridge")), &t.model, NULL), HSP_OK);
    double score[60], mean = 0, square = 0;
    assert_int_equal(hsp_model_score(t.model, near, score, NULL, NULL), HSP_OK);
    for (int i = 0; i < 60; i++) mean += score[i] / 60;
    for (int i = 0; i < 60; i++) square += (score[i] - mean) * (score[i] - mean) / 60;
    assert_true(sqrt(square) > 0.05 && sqrt(square) < 0.11);
    trained_free(&t);
    hsp_options_free(o);
    hsp_data_free(near);
    hsp_data_free(moved);
}

/* Numbers to predict, in whatever unit and from wherever they are counted: the same top. */
static void test_units_of_targets(void **state) {
    (void)state;
    static const double unit[] = {1, 1e-100, 1e6, 1e100};
    double x[120], target[60], first = 0;
    for (int i = 0; i < 60; i++) x[2 * i] = sin(i), x[2 * i + 1] = cos(3 * i);
    for (int u = 0; u < 4; u++) {
        hsp_data *data = table_of(x, 60, 2, NULL);
        for (int i = 0; i < 60; i++) target[i] = unit[u] * (3 * x[2 * i] - x[2 * i + 1] + 0.1 * (i % 3) + 7);
        assert_int_equal(hsp_data_set_targets(data, target, NULL), HSP_OK);
        double top = top_of(data, PAIRS("algorithm", "ridge", "task", "regression"));
        if (u == 0) first = top;
        if (fabs(top / first - 1) > 1e-9) fail_msg("%g, and %g in units of %g", first, top, unit[u]);
        hsp_data_free(data);
    }
}

/* Features that say nothing have no top: 1 is taken. */
static void test_nothing_to_learn(void **state) {
    (void)state;
    double x[40];
    int class[20];
    for (int i = 0; i < 20; i++) x[2 * i] = 0.1, x[2 * i + 1] = 0.7, class[i] = i % 2;
    hsp_data *data = table_of(x, 20, 2, class);
    assert_true(top_of(data, PAIRS("penalty", "l1")) == 1);
    assert_true(top_of(data, PAIRS("penalty", "l2")) == 1);
    hsp_data_free(data);
}

/* ---- weights that are kept ---- */

static void test_kept(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "classes", "3", "features", "4"));
    hsp_options *o = options_of(PAIRS("scale", "standard"));
    hsp_model *m = NULL;
    hsp_study_weights kept[2] = {0};
    int64_t feature[4], count = 0;
    hsp_array w = {.size = sizeof w};
    assert_int_equal(hsp_study_train(data, o, 0.1, &m, NULL), HSP_OK);
    assert_int_equal(hsp_study_keep(m, &kept[0], NULL), HSP_OK);
    assert_int_equal(hsp_study_keep(m, &kept[1], NULL), HSP_OK);
    assert_int_equal(hsp_model_array(m, "weights", &w, NULL), HSP_OK);
    assert_int_equal(hsp_study_largest(kept, 2, m, 4, feature, &count, NULL), HSP_OK);
    assert_int_equal(count, 4);
    double before = INFINITY;
    for (int f = 0; f < 4; f++) {
        double most = 0, picked;
        for (int64_t k = 0; k < 3; k++) {
            double own = ((const double *)w.data)[k * 4 + feature[f]];
            hsp_study_pick(&kept[1], k, &feature[f], 1, &picked);
            assert_true(picked == own);
            most = fmax(most, fabs(own) * hsp_study_unit(m, feature[f]));
        }
        assert_true(most <= before);
        before = most;
    }
    hsp_study_forget(&kept[0]);
    hsp_study_forget(&kept[1]);
    hsp_model_free(m);
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_units_of_targets),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_nothing_to_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
