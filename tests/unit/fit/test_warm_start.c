/* Warm starts: the optimum of a cold start in fewer epochs, from the same rows, more rows, another C, scale or algorithm; and
 * starts that are refused. */
#include "base/error.h"
#include "classifier/classifier.h"
#include "trained.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static trained warm(const hsp_data *data, const hsp_model *start, const char *const *pairs) {
    trained t = {0};
    hsp_options *o = options_of(pairs);
    assert_non_null(o);
    t.status = hsp_train_from(data, o, NULL, HSP_JOB_TRAIN, start, &t.model, &t.report, &t.error);
    assert_true((t.status == 0) == (t.model != NULL) && (t.status == 0) == (t.error == NULL));
    hsp_options_free(o);
    return t;
}

static hsp_data *blobs(const char *classes, const char *rows) {
    hsp_data *data = generated("blobs", PAIRS("rows", rows, "classes", classes, "noise", "1.5", "features", "6"));
    assert_non_null(data);
    return data;
}

static hsp_data *sparse(void) {
    hsp_data *data = generated("sparse", PAIRS("rows", "400", "features", "300"));
    assert_non_null(data);
    return data;
}

/* The same objective up to the gaps of both. */
static void assert_same_optimum(const trained *a, const trained *b) {
    double P = figure(a, "objective"), Q = figure(b, "objective");
    double gap = fmax(figure(a, "relative_gap"), figure(b, "relative_gap"));
    assert_true(gap <= 1e-3 && /* not NaN */ fabs(P - Q) <= gap * fmax(P, Q) * (1 + 1e-9));
}

typedef struct method {
    const char *algorithm, *solver;
    const char *more, *value; /* another option; or NULL */
    const char *tol;
    bool fewer; /* epochs after a small change. The last digits of coordinate descent take as long from any start */
} method;

static const method METHODS[] = {
    {"logistic", "newton", NULL, NULL, "1e-6", true},
    {"logistic", "newton-cg", NULL, NULL, "1e-6", true},
    {"logistic", "dual", "multiclass", "ovr", "1e-6", true},
    {"logistic", "gradient", "multiclass", "ovr", "1e-3", true},
    {"logistic", "prox-newton", "penalty", "l1", "1e-6", true},
    {"svm", "dual", NULL, NULL, "1e-6", false},
    {"svm", "dual", "loss", "squared-hinge", "1e-6", false},
    {"svm", "newton", "loss", "squared-hinge", "1e-6", true},
    {"svm", "proximal-point", NULL, NULL, "1e-6", true},
    {"svm", "interior-point", NULL, NULL, "1e-6", false},
    {"svm", "auto", "multiclass", "crammer-singer", "1e-6", false},
    {"svm", "class-dual", "multiclass", "crammer-singer", "1e-6", false},
    {"svm", "class-interior", "multiclass", "crammer-singer", "1e-6", false},
};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* Some need more than two classes; one-vs-rest is only said of those. */
static bool applies(const method *m, int classes) {
    bool joint = m->value && strcmp(m->value, "crammer-singer") == 0;
    return classes > 2 || !joint;
}

static const char *const *options_for(const method *m, const char *C) {
    static const char *list[16];
    int count = 0;
    const char *const given[] = {"algorithm", m->algorithm, "solver", m->solver, "C",    C,
                                 "tol",       m->tol,       m->more,  m->value,  NULL, NULL};
    for (int i = 0; given[i]; i++) list[count++] = given[i];
    list[count] = NULL;
    return list;
}

static void an_optimum_is_a_start_without_epochs(void **unused) {
    (void)unused;
    hsp_data *sets[] = {blobs("2", "300"), blobs("3", "300"), sparse()};
    static const int classes[] = {2, 3, 2};
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < METHOD_COUNT; i++) {
            const method *m = &METHODS[i];
            bool slow = d == 2 && strcmp(m->solver, "gradient") == 0; /* does not reach its tolerance */
            if (!applies(m, classes[d]) || slow) continue;
            trained cold = train(sets[d], options_for(m, "0.5"));
            trained t = warm(sets[d], cold.model, options_for(m, "0.5"));
            assert_int_equal(cold.status | t.status, 0);
            assert_true(figure(&cold, "epochs") > 0);
            assert_int_equal((int)figure(&t, "epochs"), 0);
            assert_string_equal(word(&t, "stop_reason"), "gap");
            assert_int_equal(hsp_report_flag(t.report, "converged"), 1);
            assert_same_optimum(&cold, &t);
            trained_free(&cold);
            trained_free(&t);
        }
    for (int d = 0; d < 3; d++) hsp_data_free(sets[d]);
}

static void another_C_takes_fewer_epochs(void **unused) {
    (void)unused;
    hsp_data *sets[] = {blobs("2", "300"), blobs("3", "300")};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < METHOD_COUNT; i++) {
            const method *m = &METHODS[i];
            if (!applies(m, d + 2)) continue;
            trained before = train(sets[d], options_for(m, "0.5"));
            trained cold = train(sets[d], options_for(m, "0.6"));
            trained t = warm(sets[d], before.model, options_for(m, "0.6"));
            assert_int_equal(before.status | cold.status | t.status, 0);
            assert_same_optimum(&cold, &t);
            assert_true(figure(&t, "objective_start") < figure(&cold, "objective_start"));
            assert_true(figure(&t, "epochs") <= figure(&cold, "epochs") - 1 || !m->fewer);
            trained_free(&before);
            trained_free(&cold);
            trained_free(&t);
        }
    for (int d = 0; d < 2; d++) hsp_data_free(sets[d]);
}

/* With all rows from the weights of half of them: no multipliers fit, and the slopes give some. */
static void more_rows(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3", "600"), *half = NULL;
    int64_t rows[300];
    for (int64_t i = 0; i < 300; i++) rows[i] = 2 * i;
    assert_int_equal(hsp_data_take(data, rows, 300, &half, NULL), 0);
    for (int i = 0; i < METHOD_COUNT; i++) {
        const method *m = &METHODS[i];
        trained before = train(half, options_for(m, "0.5")), cold = train(data, options_for(m, "0.5"));
        trained t = warm(data, before.model, options_for(m, "0.5"));
        assert_int_equal(before.status | cold.status | t.status, 0);
        assert_same_optimum(&cold, &t);
        assert_true(figure(&t, "objective_start") < figure(&cold, "objective_start"));
        if (strstr(m->solver, "newton")) assert_true(figure(&t, "epochs") <= figure(&cold, "epochs"));
        trained_free(&before);
        trained_free(&cold);
        trained_free(&t);
    }
    hsp_data_free(half);
    hsp_data_free(data);
}

/* The weights of a model are in original units, whatever the scaling of either fit. */
static void other_scales(void **unused) {
    (void)unused;
    static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
    hsp_data *data = blobs("3", "300");
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const char *const *to = PAIRS("scale", scales[b], "penalty", "none", "tol", "1e-9", "max-epochs", "50");
            trained before =
                train(data, PAIRS("scale", scales[a], "penalty", "none", "tol", "1e-9", "max-epochs", "50"));
            trained cold = train(data, to), t = warm(data, before.model, to);
            assert_int_equal(before.status | cold.status | t.status, 0);
            double P = figure(&t, "objective_start"), Q = figure(&before, "objective");
            assert_true(fabs(P - Q) <= 1e-9 * Q);
            assert_true(figure(&t, "epochs") < figure(&cold, "epochs"));
            trained_free(&before);
            trained_free(&cold);
            trained_free(&t);
        }
    hsp_data_free(data);
}

/* Update rules and descents begin at the start too; the perceptron has nothing left to do. */
static void update_rules(void **unused) {
    (void)unused;
    static const char *const names[] = {"perceptron", "gradient-descent", "sgd", "minibatch"};
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "classes", "3", "noise", "0.2"));
    trained from = train(data, PAIRS("algorithm", "svm"));
    for (int i = 0; i < 4; i++) {
        trained t = warm(data, from.model, PAIRS("algorithm", names[i], "max-epochs", "3"));
        assert_int_equal(t.status, 0);
        if (i == 0) {
            assert_int_equal((int)figure(&t, "updates"), 0);
            assert_string_equal(word(&t, "stop_reason"), "no-mistakes");
            assert_memory_equal(t.model->w, from.model->w, (size_t)(t.model->outputs * 2) * sizeof(double));
        } else {
            /* the start has hinge losses of 0 up to rounding, which the audit does not share */
            assert_true(figure(&t, "objective") <= figure(&t, "objective_start") + 1e-12);
            trained cold = train(data, PAIRS("algorithm", names[i], "max-epochs", "3"));
            assert_true(figure(&t, "objective_start") < figure(&cold, "objective_start"));
            trained_free(&cold);
        }
        trained_free(&t);
    }
    trained_free(&from);
    hsp_data_free(data);
}

static void regression(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2", "300");
    double target[300];
    for (int i = 0; i < 300; i++) target[i] = (i * 37 % 101) / 10.0 + (i < 150 ? 4 : 0);
    assert_int_equal(hsp_data_set_targets(data, target, NULL), 0);
    static const char *const names[] = {"lasso", "elastic-net"};
    for (int i = 0; i < 2; i++) {
        trained before = train(data, PAIRS("algorithm", names[i], "C", "0.1"));
        trained cold = train(data, PAIRS("algorithm", names[i], "C", "0.2"));
        trained t = warm(data, before.model, PAIRS("algorithm", names[i], "C", "0.2"));
        assert_int_equal(before.status | cold.status | t.status, 0);
        assert_same_optimum(&cold, &t);
        assert_true(figure(&t, "objective_start") < figure(&cold, "objective_start"));
        trained_free(&before);
        trained_free(&cold);
        trained_free(&t);
    }
    hsp_data_free(data);
}

static void networks(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3", "300"), *numbers = blobs("2", "300");
    double target[300];
    for (int i = 0; i < 300; i++) target[i] = 1000 + 5 * (i % 7);
    assert_int_equal(hsp_data_set_targets(numbers, target, NULL), 0);
    hsp_data *sets[] = {data, numbers};
    static const char *const solvers[] = {"lbfgs", "adam", "gradient"};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 3; i++) {
            const char *const *pairs = PAIRS("algorithm", "mlp", "hidden", "5,4", "solver", solvers[i], "max-epochs", "15",
                                             i == 2 ? "learning-rate" : NULL, "1e-6");
            trained first = train(sets[d], pairs), t = warm(sets[d], first.model, pairs);
            assert_int_equal(first.status | t.status, 0);
            double P = figure(&first, "objective");
            assert_true(fabs(figure(&t, "objective_start") - P) <= 1e-6 * P);
            assert_true(figure(&t, "objective") <= P * (1 + 1e-9));
            trained_free(&first);
            trained_free(&t);
        }
    trained first = train(data, PAIRS("algorithm", "mlp", "max-epochs", "5"));
    const char *const *wrong[] = {PAIRS("algorithm", "mlp", "hidden", "5"), PAIRS("algorithm", "mlp", "hidden", "32,32"),
                                  PAIRS("algorithm", "mlp", "activation", "relu"),
                                  PAIRS("algorithm", "mlp", "restarts", "2"), PAIRS("algorithm", "logistic")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trained t = warm(data, first.model, wrong[i]);
        assert_int_equal(t.status, HSP_EUSAGE);
        trained_free(&t);
    }
    trained_free(&first);
    hsp_data_free(data);
    hsp_data_free(numbers);
}

/* A model from a file starts as well as one from memory, and a job gives the same bytes. */
static void files_and_jobs(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3", "300");
    trained from = train(data, PAIRS("algorithm", "svm", "C", "0.3"));
    const char *const *pairs = PAIRS("algorithm", "svm", "solver", "dual");
    trained t[2] = {warm(data, from.model, pairs), {0}};
    void *bytes[2] = {NULL, NULL};
    size_t size[2];
    hsp_model *loaded = NULL;
    assert_int_equal(hsp_model_save_memory(from.model, &bytes[0], &size[0], NULL), 0);
    assert_int_equal(hsp_model_load_memory(bytes[0], size[0], &loaded, NULL), 0);
    hsp_free(bytes[0]);
    hsp_options *o = options_of(pairs);
    hsp_job *job = NULL;
    assert_int_equal(hsp_job_start(data, o, NULL, HSP_JOB_TRAIN, loaded, &job, NULL), 0);
    assert_int_equal(hsp_job_result(job, &t[1].model, &t[1].report, &t[1].error), 0);
    hsp_job_free(job);
    for (int i = 0; i < 2; i++) assert_int_equal(hsp_model_save_memory(t[i].model, &bytes[i], &size[i], NULL), 0);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    for (int i = 0; i < 2; i++) {
        hsp_free(bytes[i]);
        trained_free(&t[i]);
    }
    hsp_options_free(o);
    hsp_model_free(loaded);
    trained_free(&from);
    hsp_data_free(data);
}

/* ---- refusals ---- */

static void assert_refused(const hsp_data *data, const hsp_model *start, const char *const *pairs, int status,
                           const char *message) {
    trained t = warm(data, start, pairs);
    assert_int_equal(t.status, status);
    if (!strstr(hsp_error_message(t.error), message)) fail_msg("'%s' has no '%s'", hsp_error_message(t.error), message);
    assert_null(t.report);
    trained_free(&t);
}

static void starts_that_are_none(void **unused) {
    (void)unused;
    hsp_data *two = blobs("2", "100"), *three = blobs("3", "100"), *numbers = blobs("2", "100");
    hsp_data *wide = generated("blobs", PAIRS("rows", "100", "features", "7"));
    double target[100] = {1, 2, 3};
    assert_int_equal(hsp_data_set_targets(numbers, target, NULL), 0);
    trained from = train(two, PAIRS("algorithm", "logistic"));
    for (int64_t i = 0; hsp_classifier_table[i]; i++) {
        const hsp_classifier *c = hsp_classifier_table[i];
        if (!c->iterates)
            assert_refused(c->only_numbers ? numbers : two, from.model, PAIRS("algorithm", c->name), HSP_EUSAGE,
                           "does not iterate");
    }
    const char *const *sgd = PAIRS("algorithm", "sgd");
    assert_refused(three, from.model, sgd, HSP_EUSAGE, "other classes");
    assert_refused(numbers, from.model, sgd, HSP_EUSAGE, "predicts classes");
    assert_refused(wide, from.model, sgd, HSP_EINPUT, "7 features, but the model has 6");
    assert_refused(two, from.model, PAIRS("algorithm", "sgd", "init", "random"), HSP_EUSAGE, "--init and the start");
    assert_refused(two, from.model, PAIRS("algorithm", "sgd", "positive", hsp_data_class_name(two, 0)), HSP_EUSAGE,
                   "the positive class of the start");
    assert_refused(two, from.model, PAIRS("algorithm", "mlp"), HSP_EUSAGE, "mlp cannot start from a model of logistic");
    trained line = train(numbers, PAIRS("algorithm", "ridge"));
    assert_refused(two, line.model, sgd, HSP_EUSAGE, "predicts numbers");
    hsp_model *m = (hsp_model *)&two;
    hsp_report *r = (hsp_report *)&two;
    hsp_error *err = NULL;
    assert_int_equal(hsp_train_from(two, NULL, NULL, 9, NULL, &m, &r, &err), HSP_EUSAGE);
    assert_true(!m && !r && strstr(hsp_error_message(err), "no mode 9"));
    hsp_error_free(err);
    trained_free(&line);
    trained_free(&from);
    hsp_data *sets[] = {two, three, numbers, wide};
    for (int i = 0; i < 4; i++) hsp_data_free(sets[i]);
}

/* A class without rows has an intercept that silences it: not a start for a fit in which it has rows. */
static void silent_class(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3", "90");
    hsp_array y = {.size = sizeof y};
    double weight[90];
    assert_int_equal(hsp_data_array(data, "labels", &y, NULL), 0);
    for (int i = 0; i < 90; i++) weight[i] = ((const int32_t *)y.data)[i] != 1;
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), 0);
    trained from = train(data, PAIRS("algorithm", "svm"));
    assert_true(from.status == 0 && from.model->b[1] < -1e299);
    assert_int_equal(hsp_data_set_weights(data, NULL, NULL), 0);
    for (int joint = 0; joint < 2; joint++) {
        const char *const *pairs = PAIRS("algorithm", "svm", "multiclass", joint ? "crammer-singer" : "ovr");
        trained t = warm(data, from.model, pairs), cold = train(data, pairs);
        assert_int_equal(t.status | cold.status, 0);
        assert_same_optimum(&t, &cold);
        trained_free(&t);
        trained_free(&cold);
    }
    trained_free(&from);
    hsp_data_free(data);
}

static void short_of_memory(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3", "60");
    static const char *const names[] = {"logistic", "svm", "mlp"};
    for (int i = 0; i < 3; i++) {
        hsp_options *o = options_of(PAIRS("algorithm", names[i], "max-epochs", "3", "threads", "1"));
        trained from = train(data, PAIRS("algorithm", names[i], "max-epochs", "2", "threads", "1"));
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status == HSP_EMEMORY; calls++) {
            hsp_model *m = NULL;
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status = hsp_train_from(data, o, NULL, HSP_JOB_TRAIN, from.model, &m, NULL, &err);
            hsp_memory_fail_after(-1);
            assert_true((status == 0) == (m != NULL) && (status == 0) == (err == NULL));
            hsp_error_free(err);
            hsp_model_free(m);
        }
        assert_int_equal(status, 0);
        trained_free(&from);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_optimum_is_a_start_without_epochs),
    cmocka_unit_test(another_C_takes_fewer_epochs),
    cmocka_unit_test(more_rows),
    cmocka_unit_test(other_scales),
    cmocka_unit_test(update_rules),
    cmocka_unit_test(regression),
    cmocka_unit_test(networks),
    cmocka_unit_test(files_and_jobs),
    cmocka_unit_test(starts_that_are_none),
    cmocka_unit_test(silent_class),
    cmocka_unit_test(short_of_memory),
};

int main(void) {
    return cmocka_run_group_tests(tests, NULL, NULL);
}
