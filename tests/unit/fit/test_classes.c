/* Many classes: side by side in lanes or several at once, the same bits for any number of threads, progress class by class
 * on the calling thread, and what is claimed is true. */
#include "base/memory.h"
#include "base/report.h"
#include "base/rng.h"
#include "fit/fit_classes.h"
#include "trained.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Rows of a few words out of many, which lean towards their class. */
static hsp_data *text(int64_t rows, int64_t columns, int64_t classes) {
    enum { ENTRIES = 12 };
    int64_t *row = calloc((size_t)(rows + 1), sizeof *row), *column = calloc((size_t)(rows * ENTRIES), sizeof *column);
    double *value = calloc((size_t)(rows * ENTRIES), sizeof *value);
    const char **labels = calloc((size_t)rows, sizeof *labels);
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    hsp_rng r = hsp_rng_new(11, (uint64_t)classes);
    for (int64_t i = 0; i < rows; i++) {
        int64_t k = hsp_rng_below(&r, classes);
        labels[i] = names[i < classes ? i : k];
        row[i + 1] = (i + 1) * ENTRIES;
        for (int64_t t = i * ENTRIES; t < row[i + 1]; t++) {
            column[t] = hsp_rng_uniform(&r) < 0.3 ? k * 20 + hsp_rng_below(&r, 20) : hsp_rng_below(&r, columns);
            value[t] = 0.1 * (double)(1 + hsp_rng_below(&r, 4));
        }
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_csr(row, column, value, rows, columns, labels, &data, NULL), 0);
    free(row);
    free(column);
    free(value);
    free(labels);
    return data;
}

static bool verifies(const hsp_model *m, const hsp_data *data) {
    hsp_report *tree = NULL;
    assert_int_equal(hsp_verify(m, data, NULL, NULL, NULL, &tree, NULL), 0);
    bool good = hsp_report_flag(tree, "verified") == 1;
    hsp_report_free(tree);
    return good;
}

static const char *first_method(const trained *t, int64_t k) {
    const hsp_report *problem = hsp_report_item(t->report, "problems", k);
    return hsp_report_text(hsp_report_item(problem, "stages", 0), "method");
}

static void same_models(const trained *a, const trained *b) {
    int64_t size = a->model->outputs * a->model->prepare.schema.d;
    assert_int_equal(a->status, 0);
    assert_int_equal(b->status, 0);
    assert_memory_equal(a->model->w, b->model->w, (size_t)size * sizeof(double));
    assert_memory_equal(a->model->b, b->model->b, (size_t)a->model->outputs * sizeof(double));
    assert_true(hsp_report_equal(a->model->report, b->model->report));
}

static void lanes_are_used_and_their_models_verify(void **unused) {
    (void)unused;
    hsp_data *data = text(500, 4000, 11); /* two groups, the second not full */
    static const char *const losses[] = {"hinge", "squared-hinge"};
    for (int l = 0; l < 2; l++) {
        trained one = train(data, PAIRS("algorithm", "svm", "loss", losses[l], "tol", "1e-3", "threads", "1"));
        trained two = train(data, PAIRS("algorithm", "svm", "loss", losses[l], "tol", "1e-3", "threads", "3"));
        same_models(&one, &two);
        for (int64_t k = 0; k < 11; k++) assert_string_equal(first_method(&one, k), "lanes");
        assert_true(verifies(one.model, data));
        /* an unlike solver finds no lower objective than the gap allows */
        trained other = train(data, PAIRS("algorithm", "svm", "loss", losses[l], "tol", "1e-7", "solver",
                                          l ? "newton-cg" : "proximal-point"));
        double P = hsp_report_number(one.report, "objective");
        double best = hsp_report_number(other.report, "objective");
        assert_true(P >= best * (1 - 1e-6) && P <= best * (1 + 1.1e-3));
        trained_free(&one);
        trained_free(&two);
        trained_free(&other);
    }
    hsp_data_free(data);
}

/* Weights of rows and classes, a class without rows that count, the other intercepts. */
static void lanes_heed_weights_and_intercepts(void **unused) {
    (void)unused;
    hsp_data *data = text(300, 3500, 5);
    double weight[300];
    for (int64_t i = 0; i < 300; i++) weight[i] = data->y[i] == 3 ? 0 : (double)(1 + i % 3);
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), 0);
    static const char *const intercepts[] = {"free", "none", "penalised"};
    for (int t = 0; t < 3; t++) {
        trained m = train(data, PAIRS("algorithm", "svm", "loss", "squared-hinge", "tol", "1e-5", "class-weight",
                                      "balanced", "intercept", intercepts[t]));
        assert_int_equal(m.status, 0);
        assert_string_equal(first_method(&m, 0), "lanes");
        assert_int_equal(hsp_report_flag(m.report, "converged"), 1);
        assert_true(verifies(m.model, data));
        trained_free(&m);
    }
    hsp_data_free(data);
}

/* The same problems one after the other and several at once, by solvers of every kind. */
static void threads_do_not_show(void **unused) {
    (void)unused;
    hsp_options *o = options_of(PAIRS("rows", "400", "classes", "7", "features", "6", "noise", "2"));
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate("blobs", o, &data, NULL), 0);
    hsp_options_free(o);
    static const char *const algorithms[] = {"svm", "logistic", "perceptron", "sgd", "gradient-descent"};
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        trained one =
            train(data, PAIRS("algorithm", algorithms[a], "max-epochs", "40", "multiclass", "ovr", "threads", "1"));
        trained many =
            train(data, PAIRS("algorithm", algorithms[a], "max-epochs", "40", "multiclass", "ovr", "threads", "4"));
        same_models(&one, &many);
        trained_free(&one);
        trained_free(&many);
    }
    hsp_data_free(data);
}

typedef struct witness {
    pthread_t caller;
    int64_t problem, epoch, lines, stop_at;
} witness;

static int watch(void *user, const hsp_progress *p) {
    witness *w = user;
    assert_true(pthread_equal(w->caller, pthread_self()));
    assert_true(p->problem == w->problem || p->problem == w->problem + 1);
    if (p->problem > w->problem) assert_int_equal((int)p->epoch, 0);
    if (p->problem == w->problem && w->lines > 0) assert_true(p->epoch >= w->epoch);
    w->problem = p->problem;
    w->epoch = p->epoch;
    w->lines++;
    return w->stop_at >= 0 && p->problem == w->stop_at && p->epoch > 0;
}

static void progress_comes_class_by_class_on_the_calling_thread(void **unused) {
    (void)unused;
    hsp_data *data = text(300, 4000, 10);
    static const char *const tols[] = {"1e-3", "1e-6"}; /* in lanes, and one by one */
    for (int t = 0; t < 2; t++) {
        witness w = {.caller = pthread_self(), .problem = 0, .stop_at = -1};
        hsp_hooks hooks = {.size = sizeof hooks, .user = &w, .progress = watch};
        trained m = train_with_hooks(data, &hooks, PAIRS("algorithm", "svm", "tol", tols[t], "threads", "3"));
        assert_int_equal(m.status, 0);
        assert_int_equal((int)w.problem, 9);
        trained_free(&m);
        w = (witness){.caller = pthread_self(), .stop_at = 0};
        m = train_with_hooks(data, &hooks, PAIRS("algorithm", "svm", "tol", tols[t], "threads", "3"));
        assert_int_equal(m.status, 0);
        assert_int_equal((int)w.problem, 0);
        const hsp_report *problems = hsp_report_member(m.report, "problems");
        for (int64_t k = 1; k < 10; k++) {
            assert_string_equal(hsp_report_text(hsp_report_item(problems, NULL, k), "stop_reason"), "cancelled");
            for (int64_t j = 0; j < 4000; j++) assert_true(m.model->w[k * 4000 + j] == 0);
        }
        trained_free(&m);
    }
    hsp_cancel(); /* before anything began */
    trained m = train(data, PAIRS("algorithm", "svm", "tol", "1e-3"));
    assert_int_equal(m.status, 0);
    assert_string_equal(hsp_report_text(m.report, "stop_reason"), "cancelled");
    trained_free(&m);
    hsp_data_free(data);
}

static void limits_hold(void **unused) {
    (void)unused;
    hsp_data *data = text(300, 4000, 10);
    trained m = train(data, PAIRS("algorithm", "svm", "C", "1000", "tol", "1e-4", "max-epochs", "2"));
    assert_int_equal(m.status, 0);
    const hsp_report *problems = hsp_report_member(m.report, "problems");
    for (int64_t k = 0; k < 10; k++) {
        const hsp_report *problem = hsp_report_item(problems, NULL, k);
        assert_true(hsp_report_number(problem, "epochs") <= 2);
    }
    assert_true(verifies(m.model, data));
    trained_free(&m);
    m = train(data, PAIRS("algorithm", "svm", "tol", "1e-4", "max-seconds", "0"));
    assert_int_equal(m.status, 0);
    trained_free(&m);
    hsp_data_free(data);
}

static void memory_may_run_out(void **unused) {
    (void)unused;
    hsp_data *data = text(60, 3200, 5);
    assert_int_equal(train_short_of_memory(data, PAIRS("algorithm", "svm", "tol", "1e-2", "threads", "1")), 0);
    assert_int_equal(train_short_of_memory(data, PAIRS("algorithm", "svm", "tol", "1e-5", "threads", "2")), 0);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_used_and_their_models_verify),
        cmocka_unit_test(lanes_heed_weights_and_intercepts),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(progress_comes_class_by_class_on_the_calling_thread),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
