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

static const job jobs[] = {{"predict", predict}, {"evaluate", evaluate}, {"verify", verify}};

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_more_threads),
        cmocka_unit_test(test_softmax),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
