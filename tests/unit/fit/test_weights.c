/* Weights of rows and of classes, over every classifier: a weight of m is m copies of the row, a weight of 0 is none. */
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

enum { N = 60, D = 3, MOST = 3 };

/* The same overlapping rows twice: with weights 0 .. 3, and each written out as often. */
typedef struct twins {
    hsp_data *weighted, *repeated;
    double weight[N];
} twins;

static twins make_twins(int classes, bool regression) {
    static const char *const names[] = {"a", "b", "c"};
    static double x[N * D], copies[N * MOST * D], target[N], copied_target[N * MOST];
    const char *labels[N], *copied[N * MOST];
    twins t = {0};
    hsp_rng r = hsp_rng_new(9, 1);
    int64_t m = 0;
    for (int64_t i = 0; i < N; i++) {
        int64_t k = i % classes;
        labels[i] = names[k];
        t.weight[i] = (double)((i * 7) % 4);
        for (int64_t j = 0; j < D; j++) x[i * D + j] = hsp_rng_normal(&r) + (j == k ? 1.5 : 0) + (double)j;
        target[i] = x[i * D] - 2 * x[i * D + 1] + 0.3 * hsp_rng_normal(&r);
        for (int c = 0; c < (int)t.weight[i]; c++, m++) {
            memcpy(copies + m * D, x + i * D, D * sizeof *x);
            copied[m] = labels[i];
            copied_target[m] = target[i];
        }
    }
    assert_int_equal(hsp_data_from_dense(x, N, D, D, regression ? NULL : labels, NULL, &t.weighted, NULL), 0);
    assert_int_equal(hsp_data_from_dense(copies, m, D, D, regression ? NULL : copied, NULL, &t.repeated, NULL), 0);
    if (regression) {
        assert_int_equal(hsp_data_set_targets(t.weighted, target, NULL), 0);
        assert_int_equal(hsp_data_set_targets(t.repeated, copied_target, NULL), 0);
    }
    assert_int_equal(hsp_data_set_weights(t.weighted, t.weight, NULL), 0);
    return t;
}

static void free_twins(twins *t) {
    hsp_data_free(t->weighted);
    hsp_data_free(t->repeated);
}

/* Those whose answer depends on the rows as a set, not on the order in which they are visited. */
static bool orderless(const hsp_classifier *c) {
    return !hsp_classifier_takes(c, "order");
}

static void assert_same_weights(const trained *a, const trained *b, double tolerance) {
    if (a->status || b->status) fail_msg("%s", hsp_error_message(a->error ? a->error : b->error));
    assert_true(!a->model == !b->model);
    if (!a->model) return; /* a hard margin that these rows do not have */
    assert_int_equal(a->model->outputs, b->model->outputs);
    if (a->model->network) { /* not convex: rounding decides where it ends; the problem and its start are the same */
        double start = figure(b, "objective_start");
        assert_true(fabs(figure(a, "objective_start") - start) <= 1e-9 * start);
        return;
    }
    double size = 0;
    for (int64_t j = 0; j < a->model->outputs * D; j++) size = fmax(size, fabs(b->model->w[j]));
    for (int64_t j = 0; j < a->model->outputs * D; j++)
        if (!(fabs(a->model->w[j] - b->model->w[j]) <= tolerance * size))
            fail_msg("%s: weight %d differs by %d parts in a million", a->model->algorithm, (int)j,
                     (int)(fabs(a->model->w[j] - b->model->w[j]) / size * 1e6));
    for (int64_t k = 0; k < a->model->outputs; k++)
        assert_true(fabs(a->model->b[k] - b->model->b[k]) <= tolerance * fmax(size, fabs(b->model->b[k])));
}

static void weights_are_repeated_rows(void **unused) {
    (void)unused;
    for (int classes = 2; classes <= 3; classes++) {
        twins t = make_twins(classes, false);
        for (int64_t i = 0; hsp_classifier_table[i]; i++) {
            const hsp_classifier *c = hsp_classifier_table[i];
            if (!orderless(c) || c->only_numbers || (classes > 2 && strcmp(c->name, "fisher") == 0)) continue;
            bool tol = hsp_classifier_takes(c, "max-epochs");
            const char *const *options =
                tol ? PAIRS("algorithm", c->name, "scale", "none", "tol", "1e-12", "max-epochs", "300")
                    : PAIRS("algorithm", c->name);
            trained a = train(t.weighted, options), b = train(t.repeated, options);
            bool steps = hsp_classifier_takes(c, "learning-rate"); /* too slow to meet in all digits */
            assert_same_weights(&a, &b, steps ? 1e-2 : 1e-6);
            if (a.model && !c->layers)
                assert_true(fabs(figure(&a, "train_accuracy") - figure(&b, "train_accuracy")) < 1e-12);
            trained_free(&a);
            trained_free(&b);
        }
        free_twins(&t);
    }
}

static void regression_weights_are_repeated_rows(void **unused) {
    (void)unused;
    twins t = make_twins(2, true);
    for (int64_t i = 0; hsp_classifier_table[i]; i++) {
        const hsp_classifier *c = hsp_classifier_table[i];
        bool tol = c->only_numbers; /* their default tolerance is too loose to compare weights */
        const char *const *options =
            tol ? PAIRS("algorithm", c->name, "tol", "1e-12") : PAIRS("algorithm", c->name, "scale", "none");
        trained a = train(t.weighted, options), b = train(t.repeated, options);
        if (!c->regression) {
            assert_int_equal(a.status, HSP_EUSAGE);
            assert_non_null(strstr(hsp_error_message(a.error), "is a classifier"));
        } else {
            assert_same_weights(&a, &b, orderless(c) ? 1e-5 : 0.2);
            assert_string_equal(word(&a, "task"), "regression");
            if (!(figure(&a, "train_r2") > 0.9)) fail_msg("%s: R^2 is too low", c->name);
            assert_true(hsp_report_kind(a.report, "train_accuracy") == HSP_REPORT_NULL);
            assert_true(hsp_report_kind(a.report, "classes") == HSP_REPORT_NULL);
            if (!c->layers) assert_true(fabs(a.model->w[0] - 1) < 0.3 && fabs(a.model->w[1] + 2) < 0.3);
        }
        trained_free(&a);
        trained_free(&b);
    }
    free_twins(&t);
}

/* A class weight is that weight on every row of the class; the balanced ones give every class the same mass. */
static void class_weights_are_row_weights(void **unused) {
    (void)unused;
    twins t = make_twins(3, false);
    double weights[N];
    for (int64_t i = 0; i < N; i++) weights[i] = t.weight[i] * (i % 3 == 0 ? 5 : i % 3 == 2 ? 0.25 : 1);
    twins u = make_twins(3, false);
    hsp_data *other = u.weighted;
    assert_int_equal(hsp_data_set_weights(other, weights, NULL), 0);
    for (int64_t i = 0; hsp_classifier_table[i]; i++) {
        const hsp_classifier *c = hsp_classifier_table[i];
        if (!orderless(c) || strcmp(c->name, "fisher") == 0 || !hsp_classifier_takes(c, "class-weight")) continue;
        trained a = train(t.weighted, PAIRS("algorithm", c->name, "class-weight", "a=5,c=0.25"));
        trained b = train(other, PAIRS("algorithm", c->name));
        assert_same_weights(&a, &b, 1e-9);
        assert_int_equal(hsp_report_count(a.report, "class_weight"), 3);
        trained_free(&a);
        trained_free(&b);
    }
    free_twins(&u);
    free_twins(&t);
}

static void balanced_classes_weigh_the_same(void **unused) {
    (void)unused;
    twins t = make_twins(3, false);
    double mass[3] = {0}, total = 0;
    for (int64_t i = 0; i < N; i++) mass[i % 3] += t.weight[i], total += t.weight[i];
    trained a = train(t.weighted, PAIRS("algorithm", "nearest-mean", "class-weight", "balanced"));
    assert_int_equal(a.status, 0);
    for (int64_t k = 0; k < 3; k++) {
        double w = hsp_report_number_at(a.report, "class_weight", k);
        assert_true(fabs(w * mass[k] - total / 3) < 1e-12 * total);
    }
    trained_free(&a);
    free_twins(&t);
}

/* Rows of weight 0 may be anything: here they are mislabelled and far away. */
static void a_row_without_weight_changes_nothing(void **unused) {
    (void)unused;
    const double x[] = {0, 1, 2, 3, 100, -100}, weight[] = {1, 1, 1, 1, 0, 0};
    const char *labels[] = {"a", "a", "b", "b", "a", "b"};
    hsp_data *with = NULL, *without = NULL;
    assert_int_equal(hsp_data_from_dense(x, 6, 1, 1, labels, NULL, &with, NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, labels, NULL, &without, NULL), 0);
    assert_int_equal(hsp_data_set_weights(with, weight, NULL), 0);
    trained a = train(with, PAIRS("algorithm", "perceptron")), b = train(without, PAIRS("algorithm", "perceptron"));
    assert_string_equal(word(&a, "stop_reason"), "no-mistakes");
    assert_true(a.model->w[0] == b.model->w[0] && a.model->b[0] == b.model->b[0]);
    assert_true(figure(&a, "train_accuracy") == 1);
    trained_free(&a);
    trained_free(&b);
    hsp_data_free(with);
    hsp_data_free(without);
}

/* A class whose rows weigh nothing is there by name only: it is never predicted, whatever the algorithm, and that is said.
 */
static void a_class_without_weight_is_never_predicted(void **unused) {
    (void)unused;
    const double x[] = {0, 1, 4, 5, 2, 3}, weight[] = {1, 1, 1, 1, 0, 0};
    const char *labels[] = {"a", "a", "b", "b", "c", "c"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 6, 1, 1, labels, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), 0);
    for (int64_t i = 0; hsp_classifier_table[i]; i++)
        for (int ovr = 0; ovr < 2; ovr++) {
            const hsp_classifier *c = hsp_classifier_table[i];
            if (c->two_classes || c->only_numbers) continue;
            if (ovr && !c->one_vs_rest && !hsp_classifier_takes(c, "multiclass")) continue;
            trained t = train(data, ovr ? PAIRS("algorithm", c->name, "multiclass", "ovr") : PAIRS("algorithm", c->name));
            assert_int_equal(t.status, 0);
            for (double at = -1000; at <= 1000; at += 12.5)
                if (hsp_model_classify(t.model, &at, NULL) == 2) fail_msg("%s predicts it", t.model->algorithm);
            bool said = false;
            for (int64_t w = 0; w < hsp_report_count(t.report, "warnings"); w++)
                said |= strstr(hsp_report_text_at(t.report, "warnings", w),
                               "all rows of class 'c' have weight 0: it is never predicted") != NULL;
            assert_true(said);
            trained_free(&t);
        }
    hsp_data_free(data);
}

/* Only the ratios of weights count for the steps, and a row without weight is as good as left out. */
static void steps_go_by_the_ratios_of_weights(void **unused) {
    (void)unused;
    const double x[] = {1, 2, 0, 3, 1, 4, 9, 9}, some[] = {1, 2, 1, 1, 2, 1, 0, 0},
                 more[] = {1e-3, 2e-3, 1e-3, 1e-3, 2e-3, 1e-3};
    const char *labels[] = {"a", "a", "a", "b", "b", "b", "a", "b"};
    static const char *const algorithms[] = {"sgd", "minibatch", "perceptron"};
    hsp_data *with = NULL, *without = NULL;
    assert_int_equal(hsp_data_from_dense(x, 8, 1, 1, labels, NULL, &with, NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 6, 1, 1, labels, NULL, &without, NULL), 0);
    assert_int_equal(hsp_data_set_weights(with, some, NULL), 0);
    for (int scaled = 0; scaled < 2; scaled++) {
        assert_int_equal(hsp_data_set_weights(without, scaled ? more : some, NULL), 0);
        for (int a = 0; a < (scaled ? 2 : 3); a++) {
            const char *const *options = PAIRS("algorithm", algorithms[a], "order", "cyclic", "max-epochs", "20");
            trained t = train(with, options), u = train(without, options);
            assert_int_equal(t.status, 0);
            assert_true(fabs(t.model->w[0] - u.model->w[0]) < 1e-9 && fabs(t.model->b[0] - u.model->b[0]) < 1e-9);
            trained_free(&t);
            trained_free(&u);
        }
    }
    hsp_data_free(with);
    hsp_data_free(without);
}

static void weighted_objectives_are_what_verify_finds(void **unused) {
    (void)unused;
    for (int kind = 0; kind < 3; kind++) {
        twins t = make_twins(kind == 2 ? 3 : 2, kind == 1);
        for (int64_t i = 0; hsp_classifier_table[i]; i++) {
            const hsp_classifier *c = hsp_classifier_table[i];
            if (kind == 1 ? !c->regression : c->only_numbers) continue;
            bool weighted = kind != 1 && hsp_classifier_takes(c, "class-weight");
            trained a =
                train(t.weighted, weighted ? PAIRS("algorithm", c->name, "scale", "standard", "class-weight", "b=3")
                                           : PAIRS("algorithm", c->name, "scale", "standard"));
            if (kind == 2 && strcmp(c->name, "fisher") == 0) {
                assert_int_equal(a.status, HSP_EUSAGE);
                trained_free(&a);
                continue;
            }
            assert_int_equal(a.status, 0);
            hsp_verified v;
            if (hsp_report_kind(a.report, "objective") != HSP_REPORT_NULL) {
                assert_int_equal(hsp_verify_model(a.model, t.weighted, &v, NULL), 0);
                double P = figure(&a, "objective");
                assert_true(fabs(P - v.objective) <= 1e-9 * fabs(P));
                assert_true(isnan(v.bound) || v.bound <= P * (1 + 1e-12));
                if (kind != 1) assert_true(fabs(figure(&a, "train_accuracy") - v.accuracy) < 1e-12);
            }
            trained_free(&a);
        }
        free_twins(&t);
    }
}

static void broken_class_weights_are_refused(void **unused) {
    (void)unused;
    static const char *const broken[][2] = {
        {"x=2", "is not a class"},
        {"a", "write a list LABEL=X"},
        {"a=", "write a list LABEL=X"},
        {"a=two", "write a list"},
        {"a=0", "cannot be 0: give a number above 0"},
        {"a=-1", "cannot be -1: give a number above 0"},
        {"a=1,a=2", "twice"},
        {"a=1,,b=2", "is not a class"},
        {"a=1,b", "write a list"},
        {"=2", "is not a class"},
        {"balance", "write a list LABEL=X"},
        {"a=1;b=2", "is not a class"},
        {"a=nan", "write a list"},
        {"a=1e999", "write a list LABEL=X"},
    };
    twins t = make_twins(2, false), u = make_twins(2, true);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        trained a = train(t.weighted, PAIRS("algorithm", "nearest-mean", "class-weight", broken[i][0]));
        assert_int_equal(a.status, HSP_EUSAGE);
        if (!strstr(hsp_error_message(a.error), broken[i][1]))
            fail_msg("'%s': %s", broken[i][0], hsp_error_message(a.error));
        trained_free(&a);
    }
    trained a = train(u.weighted, PAIRS("algorithm", "ridge", "class-weight", "balanced"));
    assert_int_equal(a.status, HSP_EUSAGE);
    trained_free(&a);
    free_twins(&t);
    free_twins(&u);
}

/* A label may hold the characters that separate entries. */
static void labels_with_commas_and_equals_signs(void **unused) {
    (void)unused;
    const double x[] = {0, 1, 2, 3};
    const char *labels[] = {"a=1,b", "a=1,b", "<=5", "<=5"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, labels, NULL, &data, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "nearest-mean", "class-weight", "<=5=3"));
    assert_int_equal(t.status, 0);
    assert_true(t.model->class_weight[0] == 3 && t.model->class_weight[1] == 1);
    trained_free(&t);
    hsp_data_free(data);
}

static void an_allocation_that_fails_is_reported(void **unused) {
    (void)unused;
    twins t = make_twins(2, false);
    assert_int_equal(train_short_of_memory(t.weighted, PAIRS("algorithm", "nearest-mean", "class-weight", "balanced")), 0);
    free_twins(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(regression_weights_are_repeated_rows),
        cmocka_unit_test(class_weights_are_row_weights),
        cmocka_unit_test(balanced_classes_weigh_the_same),
        cmocka_unit_test(a_row_without_weight_changes_nothing),
        cmocka_unit_test(a_class_without_weight_is_never_predicted),
        cmocka_unit_test(steps_go_by_the_ratios_of_weights),
        cmocka_unit_test(weighted_objectives_are_what_verify_finds),
        cmocka_unit_test(broken_class_weights_are_refused),
        cmocka_unit_test(labels_with_commas_and_equals_signs),
        cmocka_unit_test(an_allocation_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
