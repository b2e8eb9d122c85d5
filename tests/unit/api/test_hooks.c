/* The hooks of work over rows: called on the calling thread, from the start on, and what is non-zero ends the call with
 * nothing left behind. */
#include "model/handmade.h"
#include "predict/own_paths.h"
#include "trained.h"

#include <math.h>
#include <pthread.h>

enum { ROWS = 30000 };

typedef struct watcher {
    pthread_t caller;
    int64_t calls, stop_at; /* stop_at < 0: never */
    int64_t steps;
} watcher;

static int count_call(void *user, const hsp_progress *p) {
    watcher *w = user;
    assert_true(pthread_equal(w->caller, pthread_self()));
    assert_int_equal(p->size, sizeof *p);
    assert_true(p->steps >= w->steps && p->epoch >= 0 && (p->max_epochs == 0 || p->epoch <= p->max_epochs));
    assert_true(isnan(p->objective) && p->method && p->label);
    if (w->calls == 0) assert_int_equal(p->steps, 0);
    w->steps = p->steps;
    return w->calls++ == w->stop_at ? 7 : 0;
}

typedef struct job {
    const char *name;
    int (*run)(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
               hsp_error **err);
} job;

static int predict(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                   hsp_report **report, hsp_error **err) {
    (void)data;
    return hsp_predict(m, in_path, out_path, o, hooks, report, err);
}

static int evaluate(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                    hsp_report **report, hsp_error **err) {
    return hsp_evaluate(m, data, o, hooks, report, err);
}

static int verify(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                  hsp_report **report, hsp_error **err) {
    return hsp_verify(m, data, NULL, o, hooks, report, err);
}

/* Classes and features; what was done is known by the status, so any report will do. */
static int apply(const hsp_model *m, const hsp_data *data, const char *what, const hsp_options *o, const hsp_hooks *hooks,
                 hsp_report **report, hsp_error **err) {
    static int64_t room[ROWS * 4];
    bool classes = strcmp(what, "classes") == 0;
    int64_t n = hsp_data_rows(data), columns = classes ? 1 : hsp_model_features(m);
    hsp_array out = {sizeof out, room, classes ? HSP_INT64 : HSP_FLOAT64, 2, {n, columns}, {columns * 8, 8}};
    assert_true(columns <= 4);
    int status = hsp_model_apply(m, data, what, o, hooks, &out, err);
    return status ? status : hsp_data_report(data, report, NULL);
}

static int apply_classes(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                         hsp_report **report, hsp_error **err) {
    return apply(m, data, "classes", o, hooks, report, err);
}

static int apply_features(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                          hsp_report **report, hsp_error **err) {
    return apply(m, data, "features", o, hooks, report, err);
}

static const job jobs[] = {{"predict", predict},
                           {"evaluate", evaluate},
                           {"verify", verify},
                           {"classes", apply_classes},
                           {"features", apply_features}};

typedef struct scene {
    hsp_data *data;
    hsp_options *o;
    trained t;
} scene;

static void open_scene(scene *s, const char *threads, const char *algorithm, const char *loss, const char *classes) {
    char rows[16];
    snprintf(rows, sizeof rows, "%d", ROWS);
    const char *pairs[] = {"rows", rows, "classes", classes, "threads", threads, "noise", "3", NULL};
    s->o = options_of(pairs);
    assert_int_equal(hsp_data_generate("blobs", s->o, &s->data, NULL), 0);
    s->t =
        train(s->data, (const char *const[]){"algorithm", algorithm, "max-epochs", "1", loss ? "loss" : NULL, loss, NULL});
    assert_int_equal(s->t.status, 0);
    hsp_options *csv = options_of((const char *const[]){"to-format", "csv", NULL});
    assert_int_equal(hsp_data_write(s->data, in_path, csv, NULL), 0);
    hsp_options_free(csv);
}

static void close_scene(scene *s) {
    trained_free(&s->t);
    hsp_options_free(s->o);
    hsp_data_free(s->data);
}

/* The number of calls of a run that is stopped by none, or by call `stop_at`, or (-2) by hsp_cancel. */
static watcher watch(const scene *s, const job *j, int64_t stop_at) {
    watcher w = {.caller = pthread_self(), .stop_at = stop_at};
    hsp_hooks hooks = {.size = sizeof hooks, .user = &w, .progress = count_call};
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    if (stop_at == -2) hsp_cancel();
    int status = j->run(s->t.model, s->data, s->o, &hooks, &report, &err);
    if (stop_at == -1) {
        if (status) fail_msg("%s: %s", j->name, hsp_error_message(err));
        assert_non_null(report);
    } else {
        if (status != HSP_ECANCELLED) fail_msg("%s stopped at call %lld: %d", j->name, (long long)stop_at, status);
        assert_null(report);
        assert_non_null(strstr(hsp_error_message(err), "interrupted before"));
        assert_int_equal(hsp_cancel_waiting(), 0);
        assert_int_not_equal(access(out_path, F_OK), 0);
    }
    unlink(out_path);
    hsp_report_free(report);
    hsp_error_free(err);
    return w;
}

static void watch_jobs(const scene *s, bool alone) {
    for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
        watcher whole = watch(s, &jobs[k], -1);
        assert_true(whole.calls >= 2 && whole.steps >= ROWS - 4096);
        watch(s, &jobs[k], -2);
        int64_t most = alone ? whole.calls : 2; /* how often the calling thread has its turn differs among several */
        for (int64_t stop = 0; stop < most; stop += 1 + most / 20)
            assert_int_equal(watch(s, &jobs[k], stop).calls, stop + 1);
        if (alone) watch(s, &jobs[k], most - 1);
    }
}

static void test_one_thread(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "1", "sgd", "logistic", "3");
    watch_jobs(&s, true);
    close_scene(&s);
}

static void test_more_threads(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "3", "sgd", "hinge", "2");
    watch_jobs(&s, false);
    close_scene(&s);
}

static void test_softmax(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "1", "logistic", NULL, "3");
    watch_jobs(&s, true);
    close_scene(&s);
}

/* ---- calls that are watched while they poll (base/watched.h), and those that train ---- */

typedef struct watched_call {
    const char *name;
    int (*run)(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err);
    bool trains; /* its lines are those of training */
} watched_call;

/* A report of what was read, so that all calls give one. */
static int report_read(int status, hsp_data *data, hsp_report **report) {
    assert_true((status == 0) == (data != NULL));
    if (!status) status = hsp_data_report(data, report, NULL);
    hsp_data_free(data);
    return status;
}

static int read_file(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_data *data = NULL;
    int status = hsp_data_read(in_path, s->o, hooks, &data, err);
    return report_read(status, data, report);
}

static int read_for(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_data *data = NULL;
    int status = hsp_data_read_for(s->t.model, in_path, s->o, hooks, &data, err);
    return report_read(status, data, report);
}

static int convert(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    return hsp_file_convert(in_path, out_path, s->o, hooks, report, err);
}

static int split(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    char second[sizeof out_path + 8];
    snprintf(second, sizeof second, "%s.2.csv", out_path);
    int status = hsp_file_split(in_path, out_path, second, s->o, hooks, report, err);
    assert_int_equal(access(second, F_OK) == 0, status == 0);
    unlink(second);
    return status;
}

static int inspect(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    return hsp_inspect(s->data, s->o, hooks, report, err);
}

static int separability(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    return hsp_separability(s->data, s->o, hooks, report, err);
}

static int scores(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    return hsp_study_run("confusion", s->t.model, s->data, s->o, hooks, report, err);
}

static int cross_validate(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_options *o = options_of((const char *const[]){"algorithm", "nearest-mean", "threads", "1", NULL});
    int status = hsp_cross_validate(s->data, o, hooks, NULL, report, err);
    hsp_options_free(o);
    return status;
}

static int compare(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_options *o = options_of((const char *const[]){"only", "majority,nearest-mean,sgd", "folds", "2", NULL});
    int status = hsp_compare(s->data, o, hooks, NULL, report, err);
    hsp_options_free(o);
    return status;
}

static int explain(const scene *s, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_options *o = options_of((const char *const[]){"algorithm", "perceptron", "max-epochs", "2", NULL});
    int status = hsp_explain(s->data, o, hooks, report, err);
    hsp_options_free(o);
    return status;
}

static const watched_call watched_calls[] = {
    {"read", read_file, false}, {"read for", read_for, false}, {"convert", convert, false},
    {"split", split, false},    {"inspect", inspect, false},   {"separability", separability, false},
    {"study", scores, false},   {"compare", compare, false},   {"explain", explain, true},
};

typedef struct counter {
    pthread_t caller;
    int64_t calls, stop_at; /* stop_at < 0: never */
} counter;

static int count_line(void *user, const hsp_progress *p) {
    counter *c = user;
    assert_true(pthread_equal(c->caller, pthread_self()));
    assert_true(p->size == sizeof *p && p->method && p->steps >= 0);
    return c->calls++ == c->stop_at;
}

/* Stopped at the start there is no result, and nothing is left of the request; not stopped there is one. */
static void test_watched(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "2", "sgd", "hinge", "2");
    for (size_t k = 0; k < sizeof watched_calls / sizeof *watched_calls; k++) {
        const watched_call *w = &watched_calls[k];
        for (int64_t stop_at = -1; stop_at <= 0; stop_at++) {
            counter c = {.caller = pthread_self(), .stop_at = stop_at};
            hsp_hooks hooks = {.size = sizeof hooks, .user = &c, .progress = count_line};
            hsp_report *report = NULL;
            hsp_error *err = NULL;
            int status = w->run(&s, &hooks, &report, &err);
            if (status != (stop_at < 0 ? 0 : HSP_ECANCELLED))
                fail_msg("%s, stop at %d: %d %s", w->name, (int)stop_at, status, err ? hsp_error_message(err) : "");
            assert_int_equal(report != NULL, stop_at < 0);
            assert_true(c.calls >= 1 && (stop_at < 0 || c.calls == 1));
            if (stop_at >= 0) assert_int_not_equal(access(out_path, F_OK), 0);
            assert_int_equal(hsp_cancel_waiting(), 0);
            hsp_report_free(report);
            hsp_error_free(err);
            unlink(out_path);
        }
    }
    close_scene(&s);
}

/* Cross-validation that is stopped has the folds that were complete. */
static void test_stopped_folds(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "2", "sgd", "hinge", "2");
    for (int64_t stop_at = -1; stop_at < 6; stop_at++) {
        counter c = {.caller = pthread_self(), .stop_at = stop_at};
        hsp_hooks hooks = {.size = sizeof hooks, .user = &c, .progress = count_line};
        hsp_report *report = NULL;
        hsp_error *err = NULL;
        assert_int_equal(cross_validate(&s, &hooks, &report, &err), HSP_OK);
        bool stopped = stop_at >= 0 && stop_at < 5;
        assert_int_equal(hsp_report_flag(report, "interrupted"), stopped);
        assert_int_equal(hsp_report_count(report, "folds"), stopped ? stop_at + 1 : 5);
        assert_int_equal(hsp_cancel_waiting(), 0);
        hsp_report_free(report);
    }
    close_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread), cmocka_unit_test(test_more_threads),  cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_watched),    cmocka_unit_test(test_stopped_folds),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
