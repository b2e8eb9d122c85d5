/* Training from end to end: every classifier, two classes and more, what is reported, what is refused. */
#include "base/memory.h"
#include "base/report.h"
#include "classifier/classifier.h"
#include "trained.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static hsp_data *blobs(const char *classes) {
    hsp_data *data = generated("blobs", PAIRS("rows", "300", "classes", classes, "noise", "0.6", "features", "3"));
    assert_non_null(data);
    return data;
}

static void every_classifier_learns_easy_blobs(void **unused) {
    (void)unused;
    static const char *const counts[] = {"2", "4"};
    for (int c = 0; c < 2; c++) {
        hsp_data *data = blobs(counts[c]);
        for (int64_t i = 0; hsp_classifier_table[i]; i++) {
            trained t = train(data, PAIRS("algorithm", hsp_classifier_table[i]->name));
            if (hsp_classifier_table[i]->only_numbers || (c && hsp_classifier_table[i]->two_classes)) {
                assert_int_equal(t.status, HSP_EUSAGE);
                trained_free(&t);
                continue;
            }
            assert_int_equal(t.status, 0);
            assert_true(figure(&t, "train_accuracy") > 0.97);
            assert_string_equal(word(&t, "algorithm"), hsp_classifier_table[i]->name);
            assert_int_equal(t.model->outputs, c ? 4 : 1);
            /* a problem for each class, unless there is none at all or one for all */
            bool apart =
                hsp_report_kind(t.report, "objective") != HSP_REPORT_NULL && strcmp(word(&t, "loss"), "softmax") != 0;
            assert_true((hsp_report_kind(t.report, "problems") == HSP_REPORT_NULL) == (c == 0 || !apart));
            if (apart && c) assert_int_equal(hsp_report_count(t.report, "problems"), 4);
            trained_free(&t);
        }
        hsp_data_free(data);
    }
}

/* The reported objective and accuracy are those that verify finds, for every loss, penalty, intercept and scaling. */
static void reports_are_what_verify_finds(void **unused) {
    (void)unused;
    static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
    static const char *const intercepts[] = {"free", "none", "penalised"};
    hsp_data *sets[] = {blobs("2"), blobs("3"), generated("sparse", PAIRS("rows", "200", "features", "60"))};
    for (int d = 0; d < 3; d++)
        for (int64_t l = 0; hsp_loss_table[l]; l++)
            for (int64_t p = 0; hsp_penalty_table[p]; p++)
                for (int s = 0; s < 4; s++) {
                    unsigned traits = hsp_loss_table[l]->traits;
                    if (!(traits & HSP_LOSS_SLOPE) || !(traits & HSP_LOSS_CLASSES) || (traits & HSP_LOSS_MANY)) continue;
                    const char *algorithm = (l + p + s) % 2 ? "sgd" : "gradient-descent";
                    const hsp_penalty *penalty = hsp_penalty_table[p];
                    /* the last pairs: options that have no effect are refused */
                    const char *C = penalty->penalises ? "C" : NULL, *ratio = penalty->mixed ? "l1-ratio" : NULL;
                    trained t = train(sets[d], PAIRS("algorithm", algorithm, "loss", hsp_loss_table[l]->name, "penalty",
                                                     penalty->name, "scale", scales[s], "max-epochs", "5", "intercept",
                                                     intercepts[(l + s) % 3], C, "0.2", ratio, "0.3"));
                    hsp_verified v;
                    assert_int_equal(t.status, 0);
                    assert_int_equal(hsp_verify_model(t.model, sets[d], &v, NULL), 0);
                    double P = figure(&t, "objective");
                    assert_true(fabs(P - v.objective) <= 1e-8 * (1 + fabs(P)));
                    assert_true(figure(&t, "train_accuracy") == v.accuracy);
                    trained_free(&t);
                }
    for (int d = 0; d < 3; d++) hsp_data_free(sets[d]);
}

/* Unlike solvers on one problem: no objective below another's dual bound, and nearly equal ends. */
static void unlike_solvers_agree(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "400", "noise", "3"));
    static const char *const losses[] = {"hinge", "squared-hinge", "logistic", "squared"};
    static const char *const penalties[] = {"l2", "l1", "elastic"};
    static const char *const family[] = {"gradient-descent", "sgd", "minibatch"};
    for (int l = 0; l < 4; l++)
        for (int p = 0; p < 3; p++) {
            double least = INFINITY, most = 0, bound = 0;
            for (int a = 0; a < 3; a++) {
                trained t = train(data, PAIRS("algorithm", family[a], "loss", losses[l], "penalty", penalties[p], "C",
                                              "0.1", "scale", "standard"));
                assert_int_equal(t.status, 0);
                least = fmin(least, figure(&t, "objective"));
                most = fmax(most, figure(&t, "objective"));
                bound = fmax(bound, figure(&t, "dual_bound"));
                trained_free(&t);
            }
            assert_true(bound > 0 && bound <= least * (1 + 1e-12));
            assert_true(most <= 1.01 * least);
        }
    hsp_data_free(data);
}

static void lambda_and_C_are_one_thing(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2"); /* 300 rows: lambda = 1/(300 C) */
    trained a = train(data, PAIRS("algorithm", "sgd", "penalty", "l2", "C", "0.5", "max-epochs", "3"));
    trained b =
        train(data, PAIRS("algorithm", "sgd", "penalty", "l2", "lambda", "0.006666666666666667", "max-epochs", "3"));
    assert_true(fabs(figure(&a, "lambda") - figure(&b, "lambda")) < 1e-17);
    assert_true(fabs(figure(&a, "C") - figure(&b, "C")) < 1e-15);
    assert_true(fabs(figure(&a, "objective") - figure(&b, "objective")) < 1e-9);
    trained_free(&a);
    trained_free(&b);
    hsp_data_free(data);
}

static void seeds_repeat_and_differ(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "noise", "3", "classes", "3"));
    static const char *const algorithms[] = {"sgd", "minibatch"};
    for (int a = 0; a < 2; a++) {
        uint64_t sums[4];
        static const char *const seeds[] = {"1", "1", "2", "1"};
        static const char *const threads[] = {"1", "1", "1", "3"};
        for (int i = 0; i < 4; i++) {
            trained t =
                train(data, PAIRS("algorithm", algorithms[a], "seed", seeds[i], "threads", threads[i], "max-epochs", "4"));
            assert_int_equal(t.status, 0);
            sums[i] = hsp_model_checksum(t.model);
            trained_free(&t);
        }
        assert_true(sums[0] == sums[1] && sums[0] == sums[3] && sums[0] != sums[2]);
    }
    hsp_data_free(data);
}

static void refused(const hsp_data *data, const char *const *pairs, const char *because) {
    trained t = train(data, pairs);
    assert_int_equal(t.status, HSP_EUSAGE);
    assert_null(t.model);
    if (!strstr(hsp_error_message(t.error), because))
        fail_msg("'%s' does not say '%s'", hsp_error_message(t.error), because);
    trained_free(&t);
}

static void misfits_are_explained(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    refused(data, PAIRS("algorithm", "perceptrom"), "did you mean perceptron?");
    refused(data, PAIRS("algorithm", "nosuch"), "choose one of nearest-mean, fisher");
    refused(data, PAIRS("algorithm", "sgd", "loss", "hing"), "unknown loss 'hing': did you mean hinge?");
    refused(data, PAIRS("algorithm", "sgd", "penalty", "l3"), "unknown penalty 'l3': did you mean l2?");
    refused(data, PAIRS("algorithm", "gradient-descent", "solver", "newtom"),
            "unknown solver 'newtom': did you mean newton?");
    refused(data, PAIRS("algorithm", "sgd", "loss", "zero-one"),
            "needs a subgradient, and loss 'zero-one' has none: use --loss perceptron, hinge, squared-hinge, ");
    refused(data, PAIRS("algorithm", "sgd", "schedule", "line-search"), "use -a gradient-descent");
    refused(data, PAIRS("algorithm", "sgd", "schedule", "pegasos"), "add --penalty l2");
    refused(data, PAIRS("algorithm", "gradient-descent", "solver", "perceptron"), "use -a perceptron");
    refused(data, PAIRS("algorithm", "perceptron", "loss", "hinge"), "perceptron does not use --loss");
    refused(data, PAIRS("algorithm", "nearest-mean", "max-epochs", "3"), "nearest-mean does not use --max-epochs");
    refused(data, PAIRS("algorithm", "gradient-descent", "order", "random"), "does not use --order");
    refused(data, PAIRS("algorithm", "sgd", "C", "1", "lambda", "1"), "give one of them");
    refused(data, PAIRS("algorithm", "sgd", "penalty", "l2", "lambda", "1e-312"), "out of range");
    refused(data, PAIRS("algorithm", "perceptron", "positive", "7"), "7");
    hsp_data_free(data);
}

static void numbers_that_run_away_are_caught(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "50", "noise", "3"));
    static const char *const keeps[] = {"last", "best", "average"};
    for (int k = 0; k < 3; k++) {
        trained t = train(data, PAIRS("algorithm", "gradient-descent", "loss", "squared", "schedule", "constant",
                                      "learning-rate", "1e150", "keep", keeps[k]));
        assert_int_equal(t.status, 0);
        assert_string_equal(word(&t, "stop_reason"), "diverged");
        assert_false(hsp_report_flag(t.report, "converged") == 1);
        assert_int_equal(hsp_model_check(t.model, NULL), 0);
        assert_true(hsp_report_count(t.report, "warnings") >= 1);
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* Weights of zero have no perceptron loss; they must not pass for an answer. */
static void the_perceptron_loss_is_not_solved_by_zero(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    static const char *const family[] = {"gradient-descent", "sgd", "minibatch"};
    for (int a = 0; a < 3; a++) {
        trained t = train(data, PAIRS("algorithm", family[a], "loss", "perceptron"));
        assert_true(figure(&t, "train_accuracy") > 0.97);
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* A line search that cannot go on at a kink has stalled; it has not found a gradient of zero. */
static void a_line_search_at_a_kink_does_not_claim_convergence(void **unused) {
    (void)unused;
    hsp_data *data = generated("moons", PAIRS("rows", "200"));
    trained t = train(data, PAIRS("algorithm", "gradient-descent", "penalty", "l2", "schedule", "line-search"));
    assert_string_equal(word(&t, "stop_reason"), "no-progress");
    assert_int_equal(hsp_report_flag(t.report, "converged"), 0);
    trained_free(&t);
    hsp_data_free(data);
}

/* No loss left is a proof by itself, with or without a penalty: nothing lies below zero. */
static void no_loss_left_is_an_optimum(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    trained t = train(data, PAIRS("algorithm", "sgd", "tol", "1e-6"));
    assert_string_equal(word(&t, "stop_reason"), "zero-loss");
    assert_true(figure(&t, "objective") == 0 && figure(&t, "relative_gap") == 0);
    assert_int_equal(hsp_report_flag(t.report, "tolerance_missed"), 0);
    trained_free(&t);
    hsp_data_free(data);
}

static int stop_at_epoch_two(void *user, const hsp_progress *p) {
    *(int64_t *)user = p->epoch;
    return p->epoch >= 2;
}

static void the_hook_and_cancel_stop_a_run(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "noise", "3", "classes", "3"));
    int64_t seen = -1;
    hsp_hooks hooks = {.size = sizeof hooks, .user = &seen, .progress = stop_at_epoch_two};
    trained t = train_with_hooks(data, &hooks, PAIRS("algorithm", "sgd"));
    assert_int_equal(t.status, 0);
    assert_string_equal(word(&t, "stop_reason"), "cancelled");
    assert_int_equal(seen, 2);
    assert_non_null(t.model);
    trained_free(&t);
    hsp_cancel(); /* before anything began: the best so far is the start */
    t = train(data, PAIRS("algorithm", "sgd"));
    assert_string_equal(word(&t, "stop_reason"), "cancelled");
    assert_int_equal((int)figure(&t, "epochs"), 0);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "sgd", "max-epochs", "3")); /* the request was used up */
    assert_string_equal(word(&t, "stop_reason"), "max-epochs");
    trained_free(&t);
    hsp_data_free(data);
}

static int stop_in_second_class(void *user, const hsp_progress *p) {
    (void)user;
    return p->problem == 1 && p->epoch >= 1;
}

/* An interrupted fit counts the problems that are far from their optimum, also if an earlier one ended by a limit. */
static void an_interrupt_counts_what_is_not_fitted(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "noise", "3", "classes", "3"));
    hsp_hooks hooks = {.size = sizeof hooks, .progress = stop_in_second_class};
    trained t = train_with_hooks(data, &hooks, PAIRS("algorithm", "perceptron", "max-epochs", "5"));
    assert_string_equal(word(&t, "stop_reason"), "cancelled");
    assert_int_equal((int)figure(&t, "unfitted"), 3);
    assert_string_equal(hsp_model_field(t.model, "unfitted"), "3");
    trained_free(&t);
    t = train_with_hooks(data, &hooks, PAIRS("algorithm", "svm", "tol", "1e-9", "multiclass", "ovr"));
    assert_string_equal(word(&t, "stop_reason"), "cancelled");
    const hsp_report *problems = hsp_report_member(t.report, "problems");
    int open = 0; /* the first class has converged, the second perhaps by its only epoch, the third did not run */
    for (int64_t k = 0; k < 3; k++) open += hsp_report_flag(hsp_report_item(problems, NULL, k), "converged") == 0;
    assert_in_range(open, 1, 2);
    assert_int_equal((int)figure(&t, "unfitted"), open);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "perceptron", "max-epochs", "5"));
    assert_true(hsp_report_member(t.report, "unfitted") == NULL && !hsp_model_field(t.model, "unfitted"));
    trained_free(&t);
    hsp_data_free(data);
}

/* A class that was not reached has figures of its own to report: none. */
static void classes_not_reached_report_nothing(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "noise", "3", "classes", "3"));
    int64_t seen = -1;
    hsp_hooks hooks = {.size = sizeof hooks, .user = &seen, .progress = stop_at_epoch_two};
    trained t = train_with_hooks(data, &hooks, PAIRS("algorithm", "perceptron"));
    assert_int_equal(t.status, 0);
    const hsp_report *problems = hsp_report_member(t.report, "problems");
    for (int64_t k = 0; k < 3; k++) {
        const hsp_report *problem = hsp_report_item(problems, NULL, k), *figures = hsp_report_member(problem, "perceptron");
        assert_string_equal(hsp_report_text(problem, "stop_reason"), "cancelled");
        assert_true((hsp_report_kind(problem, "objective") == HSP_REPORT_NULL) == (k > 0));
        assert_true((hsp_report_kind(figures, "margin") == HSP_REPORT_NULL) == (k > 0));
        assert_true((hsp_report_kind(figures, "R") == HSP_REPORT_NULL) == (k > 0));
    }
    assert_true(hsp_report_kind(t.report, "objective") == HSP_REPORT_NULL);
    trained_free(&t);
    hsp_data_free(data);
}

static void nearest_mean_is_its_formula(void **unused) {
    (void)unused;
    const double x[] = {0, 0, 2, 0, 4, 4, 6, 8};
    const char *labels[] = {"a", "a", "b", "b"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 2, 2, labels, NULL, &data, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "nearest-mean"));
    assert_int_equal(t.status, 0); /* means (1, 0) and (5, 6): w = (4, 6), b = (1 - 61) / 2 */
    assert_true(t.model->w[0] == 4 && t.model->w[1] == 6 && t.model->b[0] == -30);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "nearest-mean", "positive", "a"));
    assert_true(t.model->w[0] == -4 && t.model->w[1] == -6 && t.model->b[0] == 30);
    trained_free(&t);
    hsp_data_free(data);
}

/* The coefficients are in original units: scores of the scaled fit equal w.x + b on the raw rows. */
static void the_squared_fit_does_not_depend_on_scaling(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "100", "noise", "3"));
    static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
    double w[4][3];
    for (int s = 0; s < 4; s++) { /* least squares without a penalty has one optimum, however the columns are scaled */
        trained t = train(
            data, PAIRS("algorithm", "gradient-descent", "loss", "squared", "scale", scales[s], "max-epochs", "20000"));
        assert_int_equal(t.status, 0);
        assert_string_equal(word(&t, "stop_reason"), "gradient");
        w[s][0] = t.model->w[0];
        w[s][1] = t.model->w[1];
        w[s][2] = t.model->b[0];
        trained_free(&t);
        for (int j = 0; j < 3; j++) assert_true(fabs(w[s][j] - w[0][j]) < 1e-4);
    }
    hsp_data_free(data);
}

static void tolerance_is_kept_or_said_to_be_missed(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "noise", "3"));
    trained t = train(data, PAIRS("algorithm", "gradient-descent", "loss", "logistic", "penalty", "l2", "tol", "1e-6",
                                  "scale", "standard"));
    assert_true(figure(&t, "relative_gap") <= 1e-6 && hsp_report_flag(t.report, "converged") == 1);
    assert_int_equal(hsp_report_flag(t.report, "tolerance_missed"), 0);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "sgd", "penalty", "l2", "tol", "1e-9", "max-epochs", "3"));
    assert_int_equal(hsp_report_flag(t.report, "tolerance_missed"), 1);
    trained_free(&t);
    hsp_data_free(data);
}

/* Rows with a numeric target. */
static hsp_data *numbers(int64_t n) {
    double x[200], y[100];
    hsp_data *data = NULL;
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = (double)(i * 7 % 11), x[2 * i + 1] = (double)(i * 5 % 13);
        y[i] = x[2 * i] - x[2 * i + 1] / 2 + (double)(i % 3);
    }
    assert_int_equal(hsp_data_from_dense(x, n, 2, 2, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, y, NULL), 0);
    return data;
}

static void every_failing_allocation_is_survived(void **unused) {
    (void)unused;
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "30", "classes", "3")),
                        generated("sparse", PAIRS("rows", "30", "features", "40")), numbers(30)};
    for (int64_t c = 0; hsp_classifier_table[c]; c++)
        for (int d = 0; d < 3; d++) {
            const hsp_classifier *algorithm = hsp_classifier_table[c];
            if (d == 0 && algorithm->two_classes) continue;
            if (d == 2 ? !algorithm->regression : algorithm->only_numbers) continue;
            hsp_options *o =
                options_of(PAIRS("algorithm", hsp_classifier_table[c]->name, "scale", "standard", "threads", "1"));
            if (hsp_classifier_takes(hsp_classifier_table[c], "max-epochs"))
                assert_int_equal(hsp_options_set(o, "max-epochs", "2", NULL), 0);
            int status = HSP_EMEMORY;
            for (int64_t calls = 0; status; calls++) {
                hsp_model *m = NULL;
                hsp_report *report = NULL;
                hsp_error *err = NULL;
                hsp_memory_fail_after(calls);
                status = hsp_train(sets[d], o, NULL, &m, &report, &err);
                hsp_memory_fail_after(-1);
                assert_true(status == 0 || (status == HSP_EMEMORY && !m && !report && err));
                assert_true(calls < 5000);
                hsp_model_free(m);
                hsp_report_free(report);
                hsp_error_free(err);
            }
            hsp_options_free(o);
        }
    for (int d = 0; d < 3; d++) hsp_data_free(sets[d]);
}

static void the_tables_are_listed(void **unused) {
    (void)unused;
    static const char *const tables[] = {"algorithms", "losses", "penalties", "solvers", "generators", "options"};
    for (int i = 0; i < 6; i++) {
        hsp_report *list = NULL;
        assert_int_equal(hsp_list(tables[i], &list, NULL), 0);
        assert_true(hsp_report_count(list, NULL) >= 3);
        HSP_REPORT_EACH(entry, list) assert_non_null(hsp_report_text(entry, "name"));
        hsp_report_free(list);
    }
    hsp_report *none = NULL;
    assert_int_equal(hsp_list("nonsense", &none, NULL), HSP_EUSAGE);
    assert_null(none);
}

/* Every option that a classifier names is in the option table, and so are its defaults. */
static void classifiers_name_real_options(void **unused) {
    (void)unused;
    for (int64_t c = 0; hsp_classifier_table[c]; c++) {
        char buf[512];
        size_t n = strlen(hsp_classifier_table[c]->options);
        assert_true(n < sizeof buf);
        memcpy(buf, hsp_classifier_table[c]->options, n + 1);
        for (char *save = NULL, *name = strtok_r(buf, " ", &save); name; name = strtok_r(NULL, " ", &save))
            assert_non_null(hsp_option_find(name));
        static const char *const always[] = {"positive", "class-weight", "scale"};
        bool hard = strcmp(hsp_classifier_table[c]->name, "hard-svm") == 0; /* without slacks there is nothing to weigh */
        for (int i = hsp_classifier_table[c]->only_numbers ? 2 : 0; i < 3; i++)
            assert_int_equal(hsp_classifier_takes(hsp_classifier_table[c], always[i]), !(hard && i == 1));
        for (const char *const *d = hsp_classifier_table[c]->defaults; d && d[0]; d += 2)
            assert_non_null(hsp_option_find(d[0]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_classifier_learns_easy_blobs),
        cmocka_unit_test(reports_are_what_verify_finds),
        cmocka_unit_test(unlike_solvers_agree),
        cmocka_unit_test(lambda_and_C_are_one_thing),
        cmocka_unit_test(seeds_repeat_and_differ),
        cmocka_unit_test(misfits_are_explained),
        cmocka_unit_test(numbers_that_run_away_are_caught),
        cmocka_unit_test(the_perceptron_loss_is_not_solved_by_zero),
        cmocka_unit_test(a_line_search_at_a_kink_does_not_claim_convergence),
        cmocka_unit_test(no_loss_left_is_an_optimum),
        cmocka_unit_test(the_hook_and_cancel_stop_a_run),
        cmocka_unit_test(an_interrupt_counts_what_is_not_fitted),
        cmocka_unit_test(classes_not_reached_report_nothing),
        cmocka_unit_test(nearest_mean_is_its_formula),
        cmocka_unit_test(the_squared_fit_does_not_depend_on_scaling),
        cmocka_unit_test(tolerance_is_kept_or_said_to_be_missed),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(the_tables_are_listed),
        cmocka_unit_test(classifiers_name_real_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
