/* Fits that share the data: their scores are those of models trained on copies of the training rows. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "data/folds.h"
#include "model/model.h"
#include "posed.h"
#include "select/shared_fits.h"
#include "trained.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FOLDS = 3, MOST_VALUES = 4 };

/* ---- data and folds ---- */

static hsp_data *blobs(const char *classes) {
    return generated("blobs", PAIRS("rows", "90", "features", "4", "classes", classes, "noise", "4"));
}

static hsp_folds folds_of(int64_t n, int64_t count) {
    hsp_folds f = {.n = n, .count = count, .repeats = 1, .fold = hsp_alloc(n, sizeof *f.fold)};
    hsp_rng r = hsp_rng_new(3, 1);
    for (int64_t i = 0; i < n; i++) f.fold[i] = (int32_t)hsp_rng_below(&r, count);
    return f;
}

static void add_weights(hsp_data *data) {
    hsp_rng r = hsp_rng_new(8, 1);
    data->weight = hsp_alloc(data->x.n, sizeof *data->weight);
    for (int64_t i = 0; i < data->x.n; i++) data->weight[i] = (double)hsp_rng_below(&r, 4) / 2; /* some are 0 */
}

/* ---- shared fits and single ones ---- */

typedef struct shared {
    hsp_shared_fits s;
    hsp_options *o;
    int64_t outputs, done;
    double *score, *gap;
    int status;
} shared;

static shared prepared(const hsp_data *data, const hsp_folds *f, const char *const *pairs, const double *C,
                       const double *lambda, int64_t count, double tol) {
    shared r = {.o = options_of(pairs)};
    assert_non_null(r.o);
    r.s = (hsp_shared_fits){
        .data = data, .o = r.o, .folds = f, .C = C, .lambda = lambda, .count = count, .tol = tol, .threads = 2};
    return r;
}

static void run_prepared(shared *r) {
    r->outputs = hsp_shared_fits_outputs(&r->s);
    r->score = hsp_alloc(r->s.count * r->s.data->x.n * r->outputs, sizeof *r->score);
    r->gap = hsp_alloc(r->s.count * r->s.folds->count, sizeof *r->gap);
    r->status = hsp_shared_fits_run(&r->s, r->score, r->gap, &r->done, NULL);
}

static void shared_free(shared *r) {
    hsp_options_free(r->o);
    HSP_FREE(r->score, r->gap);
}

/* The largest difference of a score from that of a model of its own, relative to the largest score of the fold. */
static double difference(const shared *r, const char *const *pairs, int64_t value, int64_t fold) {
    const hsp_shared_fits *s = &r->s;
    int64_t n = s->data->x.n, *rows = hsp_alloc(n, sizeof *rows), count = hsp_folds_trained(s->folds, 0, fold, rows);
    hsp_data *train = NULL, *test = NULL;
    hsp_options *o = options_of(pairs);
    hsp_model *m = NULL;
    assert_int_equal(hsp_data_take(s->data, rows, count, &train, NULL), 0);
    count = hsp_folds_tested(s->folds, 0, fold, rows);
    assert_int_equal(hsp_data_take(s->data, rows, count, &test, NULL), 0);
    assert_int_equal(hsp_options_set_double(o, s->C ? "C" : "lambda", s->C ? s->C[value] : s->lambda[value], NULL), 0);
    assert_int_equal(hsp_options_set_double(o, "tol", 1e-12, NULL), 0);
    assert_int_equal(hsp_train(train, o, NULL, &m, NULL, NULL), 0);
    double *score = hsp_alloc(count * r->outputs, sizeof *score), most = 0, size = 1;
    assert_int_equal(m->outputs, r->outputs);
    assert_int_equal(hsp_model_score(m, test, score, NULL, NULL), 0);
    for (int64_t t = 0; t < count; t++)
        for (int64_t k = 0; k < r->outputs; k++) {
            double one = score[t * r->outputs + k], own = r->score[(value * n + rows[t]) * r->outputs + k];
            if (one < -1e299 && own < -1e299) continue; /* a class without training rows */
            size = fmax(size, fabs(one));
            most = fmax(most, isnan(own) ? INFINITY : fabs(one - own));
        }
    hsp_data_free(train);
    hsp_data_free(test);
    hsp_options_free(o);
    hsp_model_free(m);
    HSP_FREE(rows, score);
    return most / size;
}

static void check_all(const hsp_data *data, const hsp_folds *f, const char *const *pairs, const double *C,
                      const double *lambda, int64_t count, double within) {
    shared r = prepared(data, f, pairs, C, lambda, count, 1e-12);
    assert_true(hsp_shared_fits_apply(&r.s));
    run_prepared(&r);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.done, count * f->count);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < f->count; k++) {
            assert_true(r.gap[i * f->count + k] <= 1e-10);
            double found = difference(&r, pairs, i, k);
            if (!(found <= within))
                print_message("%s %s: value %d, fold %d: %g\n", pairs[1], pairs[3], (int)i, (int)k, found);
            assert_true(found <= within);
        }
    shared_free(&r);
}

static const double some_C[] = {3, 0.05}, some_lambda[] = {0.002, 0.3};

/* ---- equal to single fits ---- */

static void all_losses_equal_single_fits(void **unused) {
    (void)unused;
    const char *const intercepts[] = {"free", "none", "penalised"};
    const char *const losses[] = {"hinge", "squared-hinge", "smoothed-hinge", "modified-huber"};
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_data *data = posed_data(80, 5, sparse ? 0.4 : 1, 2);
        hsp_folds f = folds_of(data->x.n, FOLDS);
        for (int weights = 0; weights < 2; weights++) {
            if (weights) add_weights(data);
            for (int b = 0; b < 3; b++) {
                check_all(data, &f, PAIRS("algorithm", "logistic", "intercept", intercepts[b]), some_C, NULL, 2, 1e-5);
                for (int l = 0; l < 4; l++)
                    check_all(data, &f, PAIRS("algorithm", "svm", "loss", losses[l], "intercept", intercepts[b]), some_C,
                              NULL, 2, 1e-5);
            }
        }
        hsp_folds_clear(&f);
        hsp_data_free(data);
    }
}

static void several_classes_equal_single_fits(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3");
    hsp_folds f = folds_of(data->x.n, FOLDS);
    const char *const weights[] = {"balanced", "1=2,2=0.5"};
    for (int w = 0; w < 2; w++) {
        check_all(data, &f, PAIRS("algorithm", "logistic", "class-weight", weights[w]), some_C, NULL, 2, 1e-5);
        check_all(data, &f, PAIRS("algorithm", "logistic", "multiclass", "ovr", "class-weight", weights[w]), NULL,
                  some_lambda, 2, 1e-5);
        check_all(data, &f, PAIRS("algorithm", "svm", "class-weight", weights[w]), NULL, some_lambda, 2, 1e-5);
    }
    check_all(data, &f, PAIRS("algorithm", "svm", "multiclass", "crammer-singer"), some_C, NULL, 2, 1e-4);
    check_all(data, &f, PAIRS("algorithm", "svm", "positive", "1,3"), some_C, NULL, 2, 1e-5);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

static void an_l1_part_equals_single_fits(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(80, 5, 0.4, 4);
    hsp_folds f = folds_of(data->x.n, FOLDS);
    check_all(data, &f, PAIRS("algorithm", "logistic", "penalty", "l1"), some_C, NULL, 2, 1e-4);
    check_all(data, &f, PAIRS("algorithm", "logistic", "penalty", "elastic", "l1-ratio", "0.3"), NULL, some_lambda, 2,
              1e-4);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* Columns far from 0 are centred inside, which does not show. */
static void columns_far_from_0_are_no_matter(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(80, 3, 1, 6);
    hsp_folds f = folds_of(data->x.n, FOLDS);
    double *x = data->x.value;
    assert_int_equal(data->x.coding, HSP_CODING_F64);
    for (int64_t i = 0; i < data->x.n; i++) x[i * 3 + 1] += 1e4;
    check_all(data, &f, PAIRS("algorithm", "logistic", "intercept", "free"), some_C, NULL, 2, 1e-5);
    check_all(data, &f, PAIRS("algorithm", "svm", "intercept", "free"), some_C, NULL, 2, 1e-5);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* Many columns: coordinate ascent in lanes, over a copy with other column numbers and without columns of one entry. The gap is
 * looser there, so scores are only near those of the optimum. */
static void lanes_are_near_single_fits(void **unused) {
    (void)unused;
    const char *const *const wide[] = {
        PAIRS("algorithm", "logistic", "intercept", "free"),
        PAIRS("algorithm", "logistic", "intercept", "penalised"),
        PAIRS("algorithm", "svm", "loss", "hinge"),
        PAIRS("algorithm", "svm", "loss", "hinge", "intercept", "none"),
        PAIRS("algorithm", "svm", "loss", "hinge", "intercept", "penalised"),
        PAIRS("algorithm", "svm", "loss", "squared-hinge"),
        PAIRS("algorithm", "svm", "loss", "smoothed-hinge", "class-weight", "balanced"),
    };
    hsp_data *data = posed_data(120, 5000, 0.004, 7);
    hsp_folds f = folds_of(data->x.n, FOLDS);
    for (int weights = 0; weights < 2; weights++) {
        if (weights) add_weights(data);
        for (size_t k = 0; k < sizeof wide / sizeof *wide; k++) {
            shared r = prepared(data, &f, wide[k], (const double[]){0.1, 0.01, 1, 100}, NULL, 4, 1e-6);
            assert_true(hsp_shared_fits_apply(&r.s));
            run_prepared(&r);
            assert_int_equal(r.status, 0);
            for (int64_t e = 0; e < 4 * FOLDS; e++) assert_true(r.gap[e] >= 0 && r.gap[e] <= 1e-6);
            for (int64_t i = 0; i < 4; i++)
                for (int64_t fold = 0; fold < FOLDS; fold++) {
                    double found = difference(&r, wide[k], i, fold);
                    if (!(found <= 5e-3)) print_message("%d: value %d, fold %d: %g\n", (int)k, (int)i, (int)fold, found);
                    assert_true(found <= 5e-3);
                }
            shared_free(&r);
        }
    }
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* ---- odd folds ---- */

/* A class that no other fold has: one-vs-rest trains nothing for it, and losses of all classes need single fits. */
static void a_fold_may_lack_a_class(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3");
    hsp_folds f = folds_of(data->x.n, FOLDS);
    for (int64_t i = 0; i < data->x.n; i++)
        if (data->y[i] == 1) f.fold[i] = 2;
    check_all(data, &f, PAIRS("algorithm", "svm", "loss", "hinge"), some_C, NULL, 2, 1e-5);
    shared r = prepared(data, &f, PAIRS("algorithm", "logistic"), some_C, NULL, 2, 1e-6);
    assert_false(hsp_shared_fits_apply(&r.s));
    shared_free(&r);
    for (int64_t i = 0; i < data->x.n; i++) f.fold[i] = data->y[i] == 1 ? 2 : data->y[i] == 0 ? 2 : 1;
    r = prepared(data, &f, PAIRS("algorithm", "svm"), some_C, NULL, 2, 1e-6);
    assert_false(hsp_shared_fits_apply(&r.s)); /* one class is left to train on */
    run_prepared(&r);
    assert_int_equal(r.status, HSP_EINTERNAL);
    assert_int_equal(r.done, 0);
    shared_free(&r);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

static void each_row_may_be_a_fold(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "12", "features", "2", "noise", "3"));
    hsp_folds f = folds_of(data->x.n, data->x.n);
    for (int64_t i = 0; i < data->x.n; i++) f.fold[i] = (int32_t)i;
    check_all(data, &f, PAIRS("algorithm", "logistic", "intercept", "free"), some_C, NULL, 2, 1e-5);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

static void later_folds_are_tested_by_earlier_rows(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(80, 5, 0.4, 9);
    hsp_folds f = folds_of(data->x.n, FOLDS + 1);
    for (int64_t i = 0; i < data->x.n; i++) f.fold[i]--; /* from -1 on */
    f.count = FOLDS;
    f.by_time = true;
    check_all(data, &f, PAIRS("algorithm", "svm", "loss", "hinge"), some_C, NULL, 2, 1e-5);
    shared r = prepared(data, &f, PAIRS("algorithm", "svm"), some_C, NULL, 2, 1e-3);
    run_prepared(&r);
    for (int64_t i = 0; i < 2 * data->x.n; i++) assert_true(isnan(r.score[i]) == (f.fold[i % data->x.n] < 0));
    shared_free(&r);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* ---- what does not apply ---- */

static void other_requests_need_single_fits(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(60, 3, 1, 1);
    hsp_folds f = folds_of(data->x.n, FOLDS);
    const char *const *const others[] = {
        PAIRS("algorithm", "fisher"),
        PAIRS("algorithm", "sgd"),
        PAIRS("algorithm", "svm", "loss", "logistic"),
        PAIRS("algorithm", "svm", "penalty", "l1"),
        PAIRS("algorithm", "logistic", "loss", "hinge"),
        PAIRS("algorithm", "logistic", "penalty", "none"),
        PAIRS("algorithm", "logistic", "multiclass", "crammer-singer"),
        PAIRS("algorithm", "logistic", "l1-ratio", "0.5"),
        PAIRS("algorithm", "logistic", "scale", "standard"),
        PAIRS("algorithm", "logistic", "solver", "newton"),
        PAIRS("algorithm", "logistic", "max-seconds", "1"),
        PAIRS("algorithm", "logistic", "positive", "7"),
        PAIRS("algorithm", "logistic", "class-weight", "7=2"),
        PAIRS("algorithm", "logistic", "class-weight", "1=0"),
    };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        shared r = prepared(data, &f, others[k], some_C, NULL, 2, 1e-3);
        if (hsp_shared_fits_apply(&r.s)) print_message("applies: %s %s\n", others[k][1], others[k][2]);
        assert_false(hsp_shared_fits_apply(&r.s));
        shared_free(&r);
    }
    shared r = prepared(data, &f, PAIRS("algorithm", "svm"), (const double[]){1, INFINITY}, NULL, 2, 1e-3);
    assert_false(hsp_shared_fits_apply(&r.s));
    shared_free(&r);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* ---- threads, requests to stop, memory ---- */

static const char *const *const runs[] = {
    PAIRS("algorithm", "logistic", "intercept", "free"),
    PAIRS("algorithm", "svm", "loss", "hinge"),
    PAIRS("algorithm", "svm", "multiclass", "crammer-singer"),
    PAIRS("algorithm", "svm", "intercept", "free"),
};
static const double several_C[] = {0.01, 0.1, 1, 10, 0.03, 0.3, 3, 30, 100};
enum { RUNS = sizeof runs / sizeof *runs, SEVERAL = sizeof several_C / sizeof *several_C };

static hsp_data *data_of_run(int run) {
    return run == 2 ? blobs("3") : run == 3 ? posed_data(120, 5000, 0.004, 5) : posed_data(150, 40, 0.2, 5);
}

static void results_do_not_depend_on_threads(void **unused) {
    (void)unused;
    for (int run = 0; run < RUNS; run++) {
        hsp_data *data = data_of_run(run);
        hsp_folds f = folds_of(data->x.n, FOLDS);
        shared one = prepared(data, &f, runs[run], several_C, NULL, SEVERAL, 1e-4);
        one.s.threads = 1;
        run_prepared(&one);
        assert_int_equal(one.status, 0);
        for (int threads = 2; threads <= 3; threads++) {
            shared more = prepared(data, &f, runs[run], several_C, NULL, SEVERAL, 1e-4);
            more.s.threads = threads;
            run_prepared(&more);
            size_t bytes = (size_t)(SEVERAL * data->x.n * one.outputs) * sizeof(double);
            assert_memory_equal(one.score, more.score, bytes);
            assert_memory_equal(one.gap, more.gap, SEVERAL * FOLDS * sizeof(double));
            shared_free(&more);
        }
        for (int64_t e = 0; e < SEVERAL * FOLDS; e++) assert_true(one.gap[e] <= 1e-4);
        shared_free(&one);
        hsp_folds_clear(&f);
        hsp_data_free(data);
    }
}

typedef struct watcher {
    int64_t calls, stop_at, last, all;
} watcher;

static int watch(void *user, const hsp_progress *p) {
    watcher *w = user;
    w->last = p->problem;
    w->all = p->problems;
    return ++w->calls == w->stop_at;
}

static void progress_counts_fits_and_may_stop_them(void **unused) {
    (void)unused;
    for (int run = 0; run < RUNS; run++) {
        hsp_data *data = data_of_run(run);
        hsp_folds f = folds_of(data->x.n, FOLDS);
        for (int stop = 0; stop < 2; stop++) {
            watcher w = {.stop_at = stop ? 3 : -1};
            hsp_hooks hooks = {.size = sizeof hooks, .user = &w, .progress = watch};
            shared r = prepared(data, &f, runs[run], several_C, NULL, SEVERAL, 1e-3);
            r.s.hooks = &hooks;
            r.s.threads = 1;
            run_prepared(&r);
            int64_t kept = 0;
            for (int64_t e = 0; e < SEVERAL * FOLDS; e++) kept += !isnan(r.gap[e]);
            assert_int_equal(w.all, SEVERAL * FOLDS);
            assert_int_equal(w.last, w.calls);
            assert_int_equal(r.status, stop ? HSP_ECANCELLED : 0);
            assert_int_equal(r.done, kept);
            if (stop)
                assert_true(kept >= 3 && kept < SEVERAL * FOLDS);
            else
                assert_int_equal(kept, SEVERAL * FOLDS);
            assert_false(hsp_cancel_pending());
            shared_free(&r);
        }
        hsp_folds_clear(&f);
        hsp_data_free(data);
    }
}

static void a_request_to_cancel_stops_all(void **unused) {
    (void)unused;
    for (int run = 0; run < RUNS; run++) {
        hsp_data *data = data_of_run(run);
        hsp_folds f = folds_of(data->x.n, FOLDS);
        shared r = prepared(data, &f, runs[run], several_C, NULL, SEVERAL, 1e-3);
        assert_true(hsp_shared_fits_apply(&r.s));
        hsp_cancel();
        run_prepared(&r);
        assert_int_equal(r.status, HSP_ECANCELLED);
        assert_int_equal(r.done, 0);
        assert_false(hsp_cancel_pending());
        shared_free(&r);
        hsp_folds_clear(&f);
        hsp_data_free(data);
    }
}

static void every_failed_allocation_is_an_error(void **unused) {
    (void)unused;
    for (int run = 0; run < RUNS; run++) {
        hsp_data *data = data_of_run(run);
        hsp_folds f = folds_of(data->x.n, 2);
        shared r = prepared(data, &f, runs[run], some_C, NULL, 2, 1e-2);
        run_prepared(&r);
        assert_int_equal(r.status, 0);
        r.s.threads = 1;
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status == HSP_EMEMORY && calls < 20000; calls += 1 + calls / 50) {
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status = hsp_shared_fits_run(&r.s, r.score, r.gap, &r.done, &err);
            hsp_memory_fail_after(-1);
            assert_true((status == 0) == (err == NULL));
            hsp_error_free(err);
        }
        assert_int_equal(status, 0);
        shared_free(&r);
        hsp_folds_clear(&f);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_losses_equal_single_fits),
        cmocka_unit_test(several_classes_equal_single_fits),
        cmocka_unit_test(an_l1_part_equals_single_fits),
        cmocka_unit_test(columns_far_from_0_are_no_matter),
        cmocka_unit_test(lanes_are_near_single_fits),
        cmocka_unit_test(a_fold_may_lack_a_class),
        cmocka_unit_test(each_row_may_be_a_fold),
        cmocka_unit_test(later_folds_are_tested_by_earlier_rows),
        cmocka_unit_test(other_requests_need_single_fits),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(progress_counts_fits_and_may_stop_them),
        cmocka_unit_test(a_request_to_cancel_stops_all),
        cmocka_unit_test(every_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
