/* Calibration and decision rules from end to end: maps and thresholds come from rows that were not trained on, groups stay
 * together, and the model does what its report says. */
#include "base/memory.h"
#include "base/rng.h"
#include "classifier/classifier.h"
#include "trained.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* n rows of d columns of noise; the mean of the first of class k is k * apart. Row i is row i / copies of n / copies. */
static hsp_data *noise(int64_t n, int64_t d, int64_t classes, double apart, int64_t copies, const char *const *names) {
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    hsp_rng r = hsp_rng_new(11, (uint64_t)(n + d));
    for (int64_t i = 0; i < n; i++) {
        if (i % copies) {
            memcpy(x + i * d, x + (i - 1) * d, (size_t)d * sizeof *x);
            labels[i] = labels[i - 1];
            continue;
        }
        int64_t k = (i / copies) % classes;
        labels[i] = names[k];
        for (int64_t j = 0; j < d; j++) x[i * d + j] = hsp_rng_normal(&r) + (j == 0 ? apart * (double)k : 0);
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, n, d, d, labels, NULL, &data, NULL), 0);
    free(x);
    free(labels);
    return data;
}

static const char *const two[] = {"a", "b"}, *const three[] = {"a", "b", "c"};

static trained fit(const hsp_data *data, const char *const *options) {
    trained t = train(data, options);
    if (t.status) fail_msg("%s", hsp_error_message(t.error));
    assert_non_null(t.model);
    return t;
}

static double figure_of(const trained *t, const char *object, const char *part, const char *name) {
    const hsp_report *r = hsp_report_member(t->report, object);
    return hsp_report_number(part ? hsp_report_member(r, part) : r, name);
}

/* The trap: with as many columns as rows, noise is learnt by heart. On the training rows it is separable; an honest map says
 * "no idea", and an honest rule has about the accuracy of chance. */
static void test_noise_is_not_believed(void **state) {
    (void)state;
    hsp_data *data = noise(120, 150, 2, 0, 1, two);
    static const char *const algorithms[] = {"svm", "logistic", "ridge", "perceptron", "nearest-mean"};
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        for (int k = 0; k < 3; k++) {
            trained t = fit(data, (const char *const[]){"algorithm", algorithms[i], "calibrate", methods[k], NULL});
            double mean = 0, *p = calloc(240, sizeof *p);
            hsp_array out = {
                .size = sizeof out, .data = p, .dtype = HSP_FLOAT64, .ndim = 2, .shape = {120, 2}, .strides = {16, 8}};
            assert_int_equal(hsp_model_apply(t.model, data, "probabilities", NULL, NULL, &out, NULL), 0);
            for (int row = 0; row < 120; row++) mean += fmax(p[2 * row], p[2 * row + 1]) / 120;
            if (mean > 0.8) fail_msg("%s, %s: the mean certainty on noise is %g", algorithms[i], methods[k], mean);
            assert_true(figure_of(&t, "calibration", "after", "brier") > 0.2);
            free(p);
            trained_free(&t);
        }
        trained t = fit(data, (const char *const[]){"algorithm", algorithms[i], "decide", "best:accuracy", NULL});
        double accuracy = figure_of(&t, "decision_rule", "out_of_fold", "accuracy");
        if (!(accuracy < 0.7)) fail_msg("%s: accuracy %g on noise", algorithms[i], accuracy);
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* Each row twice: with the copies in other folds, noise that was learnt by heart looks like knowledge. Groups keep them
 * together. */
static void test_groups_stay_together(void **state) {
    (void)state;
    hsp_data *data = noise(160, 200, 2, 0, 2, two);
    static const char *const options[] = {"algorithm", "svm", "calibrate", "platt", "decide", "best:f1", NULL};
    int64_t group[160];
    for (int64_t i = 0; i < 160; i++) group[i] = i / 2;
    const hsp_array groups = {
        .size = sizeof groups, .data = group, .dtype = HSP_INT64, .ndim = 1, .shape = {160, 1}, .strides = {8, 8}};
    trained leaking = fit(data, options);
    assert_int_equal(hsp_data_set_groups(data, &groups, NULL), 0);
    trained honest = fit(data, options);
    assert_true(figure_of(&leaking, "calibration", "after", "brier") < 0.1); /* what the trap looks like */
    assert_true(figure_of(&honest, "calibration", "after", "brier") > 0.2);
    assert_true(figure_of(&leaking, "decision_rule", "out_of_fold", "accuracy") > 0.9);
    assert_true(figure_of(&honest, "decision_rule", "out_of_fold", "accuracy") < 0.7);
    trained_free(&leaking);
    trained_free(&honest);
    hsp_data_free(data);
}

static void check_same_bytes(const hsp_model *a, const hsp_model *b) {
    void *p = NULL, *q = NULL;
    size_t n, m;
    assert_int_equal(hsp_model_save_memory(a, &p, &n, NULL), 0);
    assert_int_equal(hsp_model_save_memory(b, &q, &m, NULL), 0);
    assert_int_equal(n, m);
    assert_memory_equal(p, q, n);
    hsp_free(p);
    hsp_free(q);
}

/* Any number of threads, and the same seed, give the same file; another seed gives other folds. */
static void test_same_bits(void **state) {
    (void)state;
    setenv("SOURCE_DATE_EPOCH", "1767225600", 1);
    hsp_data *data = noise(300, 4, 3, 1, 1, three);
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    for (int k = 0; k < 3; k++) {
        trained one = fit(data, (const char *const[]){"algorithm", "svm", "calibrate", methods[k], "threads", "1", NULL});
        trained many = fit(data, (const char *const[]){"algorithm", "svm", "calibrate", methods[k], "threads", "7", NULL});
        trained other = fit(data, (const char *const[]){"algorithm", "svm", "calibrate", methods[k], "seed", "2", NULL});
        check_same_bytes(one.model, many.model);
        assert_true(memcmp(one.model->w, other.model->w, 12 * sizeof(double)) == 0);
        assert_true(memcmp(one.model->calibration.pairs, other.model->calibration.pairs, sizeof(hsp_calibration_pair)) != 0);
        trained_free(&one);
        trained_free(&many);
        trained_free(&other);
    }
    hsp_data_free(data);
}

/* Class weights move decisions and leave probabilities alone: the calibrated ones describe the data as they are. */
static void test_class_weights(void **state) {
    (void)state;
    hsp_data *data = noise(3000, 1, 2, 1.5, 1, two);
    static const char *const methods[] = {"platt", "isotonic", "temperature"};
    for (int k = 0; k < 3; k++) {
        static const char *const algorithms[] = {"svm", "logistic"};
        for (int a = k == 2 ? 1 : 0; a < 2; a++) {
            trained t = fit(data, (const char *const[]){"algorithm", algorithms[a], "calibrate", methods[k], "class-weight",
                                                        "b=4", NULL});
            double mean = 0, p[2], positive = 0;
            for (int64_t i = 0; i < 3000; i++) {
                double g;
                hsp_model_score_row(t.model, hsp_matrix_row(&data->x, i), &g);
                assert_true(hsp_model_probabilities(t.model, &g, p));
                mean += p[1] / 3000;
                positive += hsp_model_decide(t.model, &g) == 1;
                assert_true((hsp_model_decide(t.model, &g) == 1) == (4 * p[1] > p[0]) || 4 * p[1] == p[0]);
            }
            assert_true(fabs(mean - 0.5) < 0.02); /* the share of b in the data */
            assert_true(positive > 1800);         /* the purpose of the weight */
            char buf[HSP_MODEL_DECISION];
            assert_string_equal(hsp_model_decision(t.model, buf), "largest class weight x probability");
            trained_free(&t);
        }
    }
    static const char *const shifted[] = {"algorithm", "svm", "calibrate", "temperature", "class-weight", "b=4", NULL};
    trained bad = train(data, shifted);
    assert_int_equal(bad.status, HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(bad.error), "--class-weight"));
    trained_free(&bad);
    hsp_data_free(data);
}

/* The map is fitted to the rows by their weights. */
static void test_row_weights(void **state) {
    (void)state;
    hsp_data *data = noise(2000, 2, 2, 1.5, 1, two);
    data->weight = hsp_alloc(2000, sizeof(double));
    for (int64_t i = 0; i < 2000; i++) data->weight[i] = i % 2 ? 3 : 1;
    trained t = fit(data, (const char *const[]){"algorithm", "svm", "calibrate", "platt", NULL});
    double mean = 0;
    for (int64_t i = 0; i < 2000; i++) {
        double g, p[2];
        hsp_model_score_row(t.model, hsp_matrix_row(&data->x, i), &g);
        assert_true(hsp_model_probabilities(t.model, &g, p));
        mean += data->weight[i] * p[1] / 4000;
    }
    assert_true(fabs(mean - 0.75) < 0.01); /* b has 3 of 4 of the weight */
    trained_free(&t);
    hsp_data_free(data);
}

/* Fixed rules need no folds; the others state what they reach on new rows, which a part that was kept apart confirms. */
static void test_rules(void **state) {
    (void)state;
    hsp_data *data = noise(6000, 3, 2, 1.2, 1, two), *fitted = NULL, *held = NULL;
    hsp_options *half = options_of((const char *const[]){"test", "0.5", NULL});
    assert_int_equal(hsp_data_split(data, half, &fitted, &held, NULL), 0);
    static const struct {
        const char *rule, *algorithm, *calibrate;
        bool of_probability, folds;
        double threshold; /* NaN: chosen */
    } cases[] = {{"0.3", "logistic", "none", true, false, 0.3},       {"0.3", "svm", "none", false, false, 0.3},
                 {"-1.5", "ridge", "none", false, false, -1.5},       {"0.3", "svm", "platt", true, true, 0.3},
                 {"cost:1,4", "logistic", "none", true, false, 0.2},  {"cost:1,4", "svm", "isotonic", true, true, 0.2},
                 {"cost:1,4", "svm", "none", false, true, NAN},       {"best:f1", "svm", "none", false, true, NAN},
                 {"best:mcc", "logistic", "none", true, true, NAN},   {"recall:0.9", "nearest-mean", "none", false, true, NAN},
                 {"recall:0.9", "fisher", "platt", true, true, NAN},
                 {"best:balanced-accuracy", "lda", "none", true, true, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const options[] = {
            "algorithm", cases[i].algorithm, "calibrate", cases[i].calibrate, "decide", cases[i].rule, NULL};
        trained t = fit(fitted, options);
        const hsp_report *rule = hsp_report_member(t.report, "decision_rule");
        double threshold = hsp_report_number(rule, "threshold");
        assert_string_equal(hsp_report_text(rule, "rule"), cases[i].rule);
        assert_string_equal(hsp_report_text(rule, "level"), cases[i].of_probability ? "probability" : "score");
        assert_true(isnan(cases[i].threshold) ? isfinite(threshold) : threshold == cases[i].threshold);
        assert_true(t.model->decision.threshold == threshold);
        double last = hsp_model_score_threshold(t.model), next = nextafter(last, INFINITY);
        assert_true(hsp_model_decide(t.model, &last) == 0 && hsp_model_decide(t.model, &next) == 1);
        assert_int_equal(hsp_report_kind(rule, "out_of_fold"), cases[i].folds ? HSP_REPORT_OBJECT : HSP_REPORT_NULL);
        hsp_report *x = NULL;
        assert_int_equal(hsp_evaluate(t.model, held, NULL, NULL, &x, NULL), 0);
        double expected = figure_of(&t, "decision_rule", "out_of_fold", "accuracy");
        double recall = hsp_report_number_at(hsp_report_member(x, "per_class"), "recall", 1);
        if (cases[i].folds) assert_true(fabs(expected - hsp_report_number(x, "accuracy")) < 0.03);
        bool of_recall = strncmp(cases[i].rule, "recall", 6) == 0;
        if (of_recall && fabs(recall - 0.9) > 0.04) fail_msg("%s: recall %g", cases[i].algorithm, recall);
        hsp_report_free(x);
        trained_free(&t);
    }
    hsp_options_free(half);
    hsp_data_free(data);
    hsp_data_free(fitted);
    hsp_data_free(held);
}

/* predict and evaluate may decide otherwise; auto goes back to the default. */
static void test_override(void **state) {
    (void)state;
    hsp_data *data = noise(200, 2, 2, 1.5, 1, two), *many = noise(200, 2, 3, 1.5, 1, three);
    trained t = fit(data, (const char *const[]){"decide", "0.9", NULL}), k = fit(many, NULL);
    int32_t label[200], normal[200];
    hsp_array out = {.size = sizeof out, .data = label, .dtype = HSP_INT32, .ndim = 1, .shape = {200, 1}, .strides = {4, 4}};
    assert_int_equal(hsp_model_score(t.model, data, NULL, normal, NULL), 0);
    static const struct {
        const char *rule;
        double threshold;
    } rules[] = {{"0.1", 0.1}, {"cost:1,9", 0.1}, {"auto", 0.5}};
    for (int i = 0; i < 3; i++) {
        hsp_options *o = options_of((const char *const[]){"decide", rules[i].rule, NULL});
        assert_int_equal(hsp_model_apply(t.model, data, "classes", o, NULL, &out, NULL), 0);
        for (int64_t row = 0; row < 200; row++) {
            double g, p[2];
            hsp_model_score_row(t.model, hsp_matrix_row(&data->x, row), &g);
            hsp_model_probabilities(t.model, &g, p);
            assert_int_equal(label[row], p[1] > rules[i].threshold);
            assert_int_equal(normal[row], p[1] > 0.9);
        }
        hsp_options_free(o);
    }
    trained own = fit(data, (const char *const[]){"decide", "best:f1", NULL});
    hsp_options *same = options_of((const char *const[]){"decide", "best:f1", NULL});
    assert_int_equal(hsp_model_score(own.model, data, NULL, normal, NULL), 0);
    assert_int_equal(hsp_model_apply(own.model, data, "classes", same, NULL, &out, NULL), 0);
    assert_memory_equal(label, normal, sizeof label);
    hsp_options_free(same);
    trained_free(&own);
    static const char *const bad[] = {"best:f1", "recall:0.9", "1.5", "-0.5", "recall:2", "best:auc"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_options *o = options_of((const char *const[]){"decide", bad[i], NULL});
        hsp_report *x = NULL;
        assert_int_equal(hsp_model_apply(t.model, data, "classes", o, NULL, &out, NULL), HSP_EUSAGE);
        assert_int_equal(hsp_evaluate(t.model, data, o, NULL, &x, NULL), HSP_EUSAGE);
        assert_null(x);
        assert_int_equal(hsp_model_apply(k.model, many, "classes", o, NULL, &out, NULL), HSP_EUSAGE);
        hsp_options_free(o);
    }
    trained_free(&t);
    trained_free(&k);
    hsp_data_free(data);
    hsp_data_free(many);
}

/* What the model does not have is refused with the reason. */
static void test_refused(void **state) {
    (void)state;
    hsp_data *data = noise(60, 2, 3, 1, 1, three), *few = noise(9, 2, 3, 1, 1, three), *pair = noise(60, 2, 2, 1, 1, two);
    static const struct {
        int data;
        const char *options[7], *words;
        int status;
    } cases[] = {
        {0, {"decide", "0.5", NULL}, "two classes", HSP_EUSAGE},
        {0, {"decide", "best:f1", NULL}, "--positive", HSP_EUSAGE},
        {0, {"calibrate-folds", "3", NULL}, "no effect", HSP_EUSAGE},
        {2, {"calibrate-folds", "3", "decide", "0.5", NULL}, "no effect", HSP_EUSAGE},
        {1, {"calibrate", "platt", NULL}, "3 rows, fewer than the 5 folds", HSP_EINPUT},
        {2, {"calibrate", "platt", "calibrate-folds", "31", NULL}, "30 rows, fewer than the 31", HSP_EINPUT},
        {2, {"decide", "recall:1.5", NULL}, "recall:X", HSP_EUSAGE},
        {2, {"decide", "1.5", NULL}, "from 0 to 1", HSP_EUSAGE},
        {2, {"decide", "best:log-loss", NULL}, "best:mcc", HSP_EUSAGE},
        {2, {"algorithm", "lasso", "calibrate", "platt", NULL}, "predicts numbers", HSP_EUSAGE},
    };
    const hsp_data *sets[] = {data, few, pair};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trained t = train(sets[cases[i].data], cases[i].options);
        if (t.status != cases[i].status) fail_msg("case %zu: %s", i, t.error ? hsp_error_message(t.error) : "accepted");
        if (!strstr(hsp_error_message(t.error), cases[i].words)) fail_msg("%s", hsp_error_message(t.error));
        assert_null(t.model);
        trained_free(&t);
    }
    hsp_model *m = NULL;
    hsp_options *o = options_of((const char *const[]){"algorithm", "perceptron", "calibrate", "platt", NULL});
    hsp_error *err = NULL;
    assert_int_equal(hsp_train_from(pair, o, NULL, HSP_JOB_UPDATE, NULL, &m, NULL, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), "--calibrate"));
    hsp_error_free(err);
    hsp_options_free(o);
    hsp_data_free(data);
    hsp_data_free(few);
    hsp_data_free(pair);
}

/* Too few groups, and groups that hold a whole class. */
static void test_groups_refused(void **state) {
    (void)state;
    hsp_data *data = noise(60, 2, 2, 1, 1, two);
    int64_t group[60];
    const hsp_array groups = {
        .size = sizeof groups, .data = group, .dtype = HSP_INT64, .ndim = 1, .shape = {60, 1}, .strides = {8, 8}};
    for (int64_t i = 0; i < 60; i++) group[i] = i % 4;
    assert_int_equal(hsp_data_set_groups(data, &groups, NULL), 0);
    trained t = train(data, (const char *const[]){"calibrate", "platt", NULL});
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "--calibrate-folds"));
    trained_free(&t);
    for (int64_t i = 0; i < 60; i++) group[i] = i % 2 ? 0 : 1 + i / 2; /* b is one group */
    assert_int_equal(hsp_data_set_groups(data, &groups, NULL), 0);
    t = train(data, (const char *const[]){"calibrate", "platt", NULL});
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "no rows of class 'b'"));
    trained_free(&t);
    hsp_data_free(data);
}

static int stop_in_folds(void *user, const hsp_progress *p) {
    int *folds = user;
    if (strcmp(p->method, "folds") != 0) return 0;
    assert_true(p->problems == 5 && isnan(p->objective));
    return ++*folds > 0;
}

/* An interrupt in the folds keeps the fit and leaves the calibration out; the next call is not disturbed. */
static void test_interrupt(void **state) {
    (void)state;
    hsp_data *data = noise(300, 4, 2, 1, 1, two);
    int folds = 0;
    const hsp_hooks hooks = {.size = sizeof hooks, .user = &folds, .progress = stop_in_folds};
    static const char *const options[] = {"algorithm", "svm", "calibrate", "platt", "decide", "best:f1", NULL};
    static const char *const closed[] = {"algorithm", "nearest-mean", "calibrate", "platt", NULL};
    const char *const *both[] = {options, closed};
    for (int i = 0; i < 2; i++) {
        folds = 0;
        trained t = train_with_hooks(data, &hooks, both[i]);
        if (t.status) fail_msg("%s", hsp_error_message(t.error));
        assert_true(folds > 0 && t.model && !t.model->calibration.method && !t.model->decision.rule);
        assert_string_equal(hsp_report_text(t.report, "stop_reason"), "cancelled");
        assert_true(hsp_report_number(t.report, "unfitted") > 0);
        assert_non_null(strstr(hsp_report_text_at(t.report, "warnings", 0), "no calibration"));
        trained_free(&t);
        t = fit(data, both[i]);
        assert_non_null(t.model->calibration.method);
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* verify accepts what training wrote, names what it does not check, and finds what was changed. */
static void test_verify(void **state) {
    (void)state;
    hsp_data *data = noise(200, 2, 2, 1.5, 1, two);
    trained t = fit(data, (const char *const[]){"algorithm", "svm", "calibrate", "isotonic", "decide", "recall:0.9", NULL});
    trained fixed = fit(data, (const char *const[]){"algorithm", "svm", "decide", "0.25", NULL});
    hsp_report *r = NULL;
    assert_int_equal(hsp_verify(t.model, data, NULL, NULL, NULL, &r, NULL), 0);
    assert_int_equal(hsp_report_flag(r, "verified"), 1);
    bool named = false;
    for (int64_t i = 0; i < hsp_report_count(r, "unchecked"); i++)
        named |= strstr(hsp_report_text_at(r, "unchecked", i), "the calibration and its figures") != NULL;
    assert_true(named);
    hsp_report_free(r);
    t.model->decision.threshold += 1e-9;
    assert_int_equal(hsp_verify(t.model, data, NULL, NULL, NULL, &r, NULL), 0);
    assert_int_equal(hsp_report_flag(r, "verified"), 0);
    hsp_report_free(r);
    t.model->decision.threshold = hsp_report_number(hsp_report_member(t.model->report, "decision_rule"), "threshold");
    t.model->calibration.method = &hsp_calibration_platt;
    assert_int_equal(hsp_verify(t.model, data, NULL, NULL, NULL, &r, NULL), 0);
    assert_int_equal(hsp_report_flag(r, "verified"), 0);
    hsp_report_free(r);
    t.model->calibration.method = &hsp_calibration_isotonic;
    assert_int_equal(hsp_verify(fixed.model, data, NULL, NULL, NULL, &r, NULL), 0);
    assert_int_equal(hsp_report_flag(r, "verified"), 1);
    hsp_report_free(r);
    trained_free(&t);
    trained_free(&fixed);
    hsp_data_free(data);
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = noise(40, 2, 2, 1.5, 1, two);
    static const char *const options[] = {"algorithm", "nearest-mean", "calibrate",       "isotonic", "decide",
                                          "best:f1",   "threads",      "1",               "calibrate-folds", "2", NULL};
    assert_int_equal(train_short_of_memory(data, options), 0);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise_is_not_believed), cmocka_unit_test(test_groups_stay_together),
        cmocka_unit_test(test_same_bits),             cmocka_unit_test(test_class_weights),
        cmocka_unit_test(test_row_weights),           cmocka_unit_test(test_rules),
        cmocka_unit_test(test_override),              cmocka_unit_test(test_refused),
        cmocka_unit_test(test_groups_refused),        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_verify),                cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
