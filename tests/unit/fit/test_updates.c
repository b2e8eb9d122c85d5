/* The hook `update`: who looks changes nothing, every change is told once, in original units, with the row behind it. */
#include "base/memory.h"
#include "base/report.h"
#include "data/data.h"
#include "trained.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FEATURES = 64, PROBLEMS = 8 };

typedef struct seen {
    const hsp_data *data;
    int64_t calls, problem, updates, epoch, steps;
    int64_t per_problem[PROBLEMS];
    double w[FEATURES], b; /* the last */
    int64_t row;
    int64_t moves;   /* between updates */
    int64_t stop_at; /* updates; -1: never */
    bool rows;       /* every update has its row */
    bool mistakes;   /* and that row was on the wrong side before it */
    bool along;      /* and the weights moved along it */
    pthread_t thread;
    bool intercept;
    bool broken;
} seen;

static double sign_of(const hsp_data *data, int64_t i) {
    return data->y[i] == data->classes.count - 1 ? 1 : -1;
}

static void check_step(seen *s, const hsp_update *u) {
    double x[FEATURES], g = s->b, dot = 0, step = 0, length = 0;
    assert_int_equal(hsp_data_row(s->data, u->row, x, NULL), 0);
    for (int64_t j = 0; j < u->features; j++) {
        double D = u->weights[j] - s->w[j];
        g += s->w[j] * x[j];
        dot += D * x[j];
        step += D * D;
        length += x[j] * x[j];
    }
    if (s->mistakes && sign_of(s->data, u->row) * g > 1e-9) s->broken = true;
    if (s->along && !(dot * dot >= (1 - 1e-6) * step * length)) s->broken = true;
}

/* The figures of a single row are those at the point before; a move has none. */
static void check_figures(const seen *s, const hsp_update *u) {
    double x[FEATURES], g = s->b;
    bool single = u->row >= 0;
    assert_true(isnan(u->step) ? !single && !u->rows : u->step != 0);
    assert_true(single != isnan(u->y) && single != isnan(u->score) && single != isnan(u->margin));
    assert_true(isnan(u->loss) ? isnan(u->step) : u->loss >= 0);
    assert_true((u->rows != NULL) == (u->row_count > 1) && (u->rows == NULL || !single));
    for (int64_t t = 0; t < u->row_count; t++) assert_true(u->rows[t] >= 0 && u->rows[t] < s->data->x.n);
    if (!single) return;
    assert_int_equal(hsp_data_row(s->data, u->row, x, NULL), 0);
    for (int64_t j = 0; j < u->features; j++) g += s->w[j] * x[j];
    assert_true(fabs(u->score - g) <= 1e-9 * (1 + fabs(g)) && u->margin == u->y * u->score);
    if (u->problems == 1) assert_true(u->y == sign_of(s->data, u->row));
}

static int look(void *user, const hsp_update *u) {
    seen *s = user;
    bool first = s->calls == 0 || u->problem != s->problem;
    assert_true(u->size == sizeof *u && u->features == s->data->x.d && u->features <= FEATURES);
    assert_true(u->problem >= 0 && u->problem < u->problems && pthread_equal(s->thread, pthread_self()));
    if (first)
        assert_true(u->updates == 0 && u->row == -1 && u->epoch == 0 && u->steps == 0);
    else
        assert_true(u->updates == s->updates + !isnan(u->step) && u->steps >= s->steps && u->epoch >= s->epoch);
    assert_true(first == (u->updates == 0) || isnan(u->step));
    assert_true(u->passes == u->epoch || (u->passes == u->epoch - 1 && u->row_count >= 0));
    assert_true(u->row >= -1 && u->row < s->data->x.n && (!s->rows || isnan(u->step) || u->row >= 0));
    check_figures(s, u);
    if (!first && u->row >= 0) check_step(s, u);
    if (isnan(u->step) && !first) s->moves++;
    memcpy(s->w, u->weights, (size_t)u->features * sizeof *s->w);
    s->b = u->intercept;
    s->problem = u->problem;
    s->updates = s->per_problem[u->problem] = u->updates;
    s->epoch = u->epoch;
    s->steps = u->steps;
    s->row = u->row;
    s->intercept = u->has_intercept;
    s->calls++;
    return s->stop_at >= 0 && u->updates >= s->stop_at;
}

static trained train_seen(const hsp_data *data, seen *s, const char *const *pairs) {
    hsp_hooks hooks = {.size = sizeof hooks, .user = s, .update = look};
    s->data = data;
    s->thread = pthread_self();
    if (s->stop_at == 0) s->stop_at = -1;
    return train_with_hooks(data, &hooks, pairs);
}

/* Everything but the time. */
static void assert_same(const trained *a, const trained *b) {
    assert_int_equal(a->status, 0);
    assert_int_equal(b->status, 0);
    int64_t d = a->model->prepare.schema.d, K = a->model->outputs;
    assert_memory_equal(a->model->w, b->model->w, (size_t)(K * d) * sizeof(double));
    assert_memory_equal(a->model->b, b->model->b, (size_t)K * sizeof(double));
    assert_true(hsp_report_equal(a->model->report, b->model->report));
}

/* A table of ways to train, each looked at and not. */
static void who_looks_changes_nothing(void **unused) {
    (void)unused;
    static const char *const ways[][13] = {
        {"algorithm", "perceptron"},
        {"algorithm", "perceptron", "keep", "average", "order", "random", "max-epochs", "7"},
        {"algorithm", "perceptron", "keep", "last", "order", "shuffle", "max-updates", "23"},
        {"algorithm", "sgd", "loss", "hinge", "penalty", "l2", "C", "0.3", "max-epochs", "9"},
        {"algorithm", "sgd", "loss", "logistic", "penalty", "l1", "max-steps", "333"},
        {"algorithm", "sgd", "keep", "average", "penalty", "elastic", "max-epochs", "4", "order", "random"},
        {"algorithm", "minibatch", "batch", "7", "max-epochs", "5"},
        {"algorithm", "gradient-descent", "loss", "logistic", "max-epochs", "30"},
        {"algorithm", "gradient-descent", "schedule", "line-search", "loss", "squared-hinge", "max-updates", "12"},
        {"algorithm", "svm", "solver", "dual"},
        {"algorithm", "svm", "solver", "dual", "loss", "squared-hinge", "intercept", "none", "C", "30"},
        {"algorithm", "svm", "solver", "dual", "intercept", "penalised", "max-epochs", "3"},
        {"algorithm", "svm"},
        {"algorithm", "logistic", "solver", "dual", "multiclass", "ovr"},
    };
    static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "150", "noise", "2")),
                        generated("blobs", PAIRS("rows", "90", "classes", "3", "noise", "2", "features", "4")),
                        generated("sparse", PAIRS("rows", "120", "features", "50"))};
    for (size_t t = 0; t < sizeof ways / sizeof *ways; t++)
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 4; c++) {
                const char *pairs[16] = {0};
                int at = 0;
                for (; ways[t][at]; at++) pairs[at] = ways[t][at];
                pairs[at++] = "scale";
                pairs[at++] = scales[c];
                seen s = {0};
                trained plain = train(sets[k], pairs), looked = train_seen(sets[k], &s, pairs);
                assert_same(&plain, &looked);
                trained_free(&plain);
                trained_free(&looked);
            }
    for (int k = 0; k < 3; k++) hsp_data_free(sets[k]);
}

/* The last point told is the model, where the last is kept; and all updates were told. */
static void points_are_in_original_units(void **unused) {
    (void)unused;
    static const char *const algorithms[] = {"perceptron", "sgd", "minibatch", "gradient-descent"};
    static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "100", "noise", "2", "features", "3")),
                        generated("sparse", PAIRS("rows", "80", "features", "40"))};
    for (int t = 0; t < 4; t++)
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 2; k++) {
                seen s = {.rows = t < 2};
                trained e = train_seen(
                    sets[k], &s, PAIRS("algorithm", algorithms[t], "scale", scales[c], "keep", "last", "max-epochs", "6"));
                assert_int_equal(e.status, 0);
                assert_true(s.calls > 1 && (double)s.updates == figure(&e, "updates"));
                for (int64_t j = 0; j < sets[k]->x.d; j++)
                    assert_true(fabs(s.w[j] - e.model->w[j]) <= 1e-9 * (1 + fabs(s.w[j])));
                assert_true(fabs(s.b - e.model->b[0]) <= 1e-9 * (1 + fabs(s.b)));
                trained_free(&e);
            }
    for (int k = 0; k < 2; k++) hsp_data_free(sets[k]);
}

static void rows_are_those_that_caused_it(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "300", "noise", "3", "features", "3"));
    seen s = {.rows = true, .mistakes = true, .along = true};
    trained t = train_seen(data, &s, PAIRS("algorithm", "perceptron", "order", "shuffle", "max-epochs", "8"));
    assert_true(t.status == 0 && s.calls > 5 && !s.broken);
    trained_free(&t);
    s = (seen){.rows = true, .along = true};
    t = train_seen(data, &s, PAIRS("algorithm", "sgd", "penalty", "none", "loss", "logistic", "max-epochs", "3"));
    assert_true(t.status == 0 && s.calls > 5 && !s.broken);
    trained_free(&t);
    s = (seen){.rows = true, .along = true}; /* many epochs: rows are left out and packed on the way */
    t = train_seen(data, &s, PAIRS("algorithm", "svm", "solver", "dual", "intercept", "none", "C", "0.01"));
    assert_true(t.status == 0 && s.calls > 300 && s.moves <= 1 && !s.broken);
    trained_free(&t);
    hsp_data_free(data);
}

/* What is told of the dual comes near the model, with a free intercept and a scaled sparse design. */
static void the_dual_ends_near_the_model(void **unused) {
    (void)unused;
    static const char *const scales[] = {"none", "standard"};
    static const char *const intercepts[] = {"free", "none", "penalised"};
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "100", "noise", "2")),
                        generated("sparse", PAIRS("rows", "150", "features", "30"))};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++)
            for (int b = 0; b < 3; b++) {
                seen s = {.rows = true};
                trained t = train_seen(sets[k], &s,
                                       PAIRS("algorithm", "svm", "solver", "dual", "scale", scales[c], "intercept",
                                             intercepts[b], "C", "0.01", "loss", "squared-hinge"));
                double off = 0, size = 0;
                assert_int_equal(t.status, 0);
                for (int64_t j = 0; j < sets[k]->x.d; j++) {
                    off += fabs(s.w[j] - t.model->w[j]);
                    size += fabs(t.model->w[j]);
                }
                assert_true(s.intercept == (b != 1) && (s.b == 0) == (b == 1 && c == 0));
                assert_true(s.calls > 20 && off <= 1e-3 * size && (s.moves > 1 || b > 0));
                assert_true(fabs(s.b - t.model->b[0]) <= 1e-3 * (size + fabs(s.b)));
                trained_free(&t);
            }
    for (int k = 0; k < 2; k++) hsp_data_free(sets[k]);
}

static void every_problem_is_told_in_turn(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "120", "classes", "4", "noise", "2"));
    seen s = {0};
    trained t = train_seen(data, &s, PAIRS("algorithm", "perceptron", "max-epochs", "5"));
    assert_int_equal(t.status, 0);
    const hsp_report *problems = hsp_report_member(t.report, "problems");
    assert_int_equal(hsp_report_count(problems, NULL), 4);
    for (int k = 0; k < 4; k++)
        assert_true(hsp_report_number(hsp_report_item(problems, NULL, k), "updates") == (double)s.per_problem[k]);
    trained_free(&t);
    hsp_data_free(data);
}

static void the_hook_can_stop(void **unused) {
    (void)unused;
    static const char *const ways[][5] = {{"algorithm", "perceptron"},
                                          {"algorithm", "sgd"},
                                          {"algorithm", "minibatch"},
                                          {"algorithm", "gradient-descent"},
                                          {"algorithm", "svm", "solver", "dual"}};
    hsp_data *data = generated("blobs", PAIRS("rows", "100", "noise", "2"));
    for (int t = 0; t < 5; t++) {
        seen s = {.stop_at = 3};
        trained e = train_seen(data, &s, ways[t]);
        assert_int_equal(e.status, 0);
        assert_string_equal(word(&e, "stop_reason"), "cancelled");
        assert_true(s.updates == 3 && figure(&e, "updates") == 3);
        trained_free(&e);
    }
    hsp_data_free(data);
}

/* A caller that was built before the member existed, and one that leaves it out; solvers that make no single changes. */
static void nobody_is_called_who_cannot_be(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "2"));
    seen s = {.data = data, .thread = pthread_self(), .stop_at = -1};
    hsp_hooks old = {.size = offsetof(hsp_hooks, update), .user = &s, .update = look};
    trained t = train_with_hooks(data, &old, PAIRS("algorithm", "perceptron", "max-epochs", "3"));
    assert_true(t.status == 0 && s.calls == 0);
    trained_free(&t);
    t = train_seen(data, &s, PAIRS("algorithm", "svm", "solver", "interior-point"));
    assert_true(t.status == 0 && s.calls == 0);
    trained_free(&t);
    t = train_seen(data, &s, PAIRS("algorithm", "lda"));
    assert_true(t.status == 0 && s.calls == 0);
    trained_free(&t);
    hsp_data_free(data);
}

static int count(void *user, const hsp_update *u) {
    (void)u;
    ++*(int64_t *)user;
    return 0;
}

static void short_of_memory(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "30", "noise", "1"));
    hsp_options *o = options_of(PAIRS("algorithm", "perceptron", "max-epochs", "2", "no-certificate", "yes"));
    int64_t calls = 0;
    hsp_hooks hooks = {.size = sizeof hooks, .user = &calls, .update = count};
    int status = HSP_EMEMORY;
    for (int64_t k = 0; status == HSP_EMEMORY && k < 10000; k++) {
        hsp_model *m = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        status = hsp_train(data, o, &hooks, &m, NULL, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (m != NULL) && (status == 0) == (err == NULL));
        hsp_error_free(err);
        hsp_model_free(m);
    }
    assert_true(status == 0 && calls > 0);
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_looks_changes_nothing),      cmocka_unit_test(points_are_in_original_units),
        cmocka_unit_test(rows_are_those_that_caused_it),  cmocka_unit_test(the_dual_ends_near_the_model),
        cmocka_unit_test(every_problem_is_told_in_turn),  cmocka_unit_test(the_hook_can_stop),
        cmocka_unit_test(nobody_is_called_who_cannot_be), cmocka_unit_test(short_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
