/* Jobs: the same bytes as without, and requests to cancel that stop exactly one of several. */
#include "base/clock.h"
#include "model/handmade.h"
#include "trained.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- no thread can be made ---- */

static bool no_threads;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *user) {
    return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, user);
}

/* ---- fits ---- */

static hsp_data *two, *three;

/* Never ends by itself: the classes overlap. With three classes its problems run on the pool. */
#define ENDLESS PAIRS("algorithm", "perceptron", "max-epochs", "1000000000", "threads", "2")
#define SHORT PAIRS("algorithm", "logistic", "threads", "2")

static hsp_job *start_job(const hsp_data *data, const hsp_hooks *hooks, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_job *job = NULL;
    assert_non_null(o);
    assert_int_equal(hsp_job_start(data, o, hooks, HSP_JOB_TRAIN, NULL, &job, NULL), 0);
    hsp_options_free(o);
    return job;
}

/* Takes the result and frees the job. */
static trained end_job(hsp_job *job) {
    trained t = {0};
    t.status = hsp_job_result(job, &t.model, &t.report, &t.error);
    assert_true((t.status == 0) == (t.model != NULL) && (t.status == 0) == (t.error == NULL));
    hsp_job_free(job);
    return t;
}

static void assert_same_model(const hsp_model *a, const hsp_model *b) {
    void *bytes[2] = {NULL, NULL};
    size_t size[2];
    assert_int_equal(hsp_model_save_memory(a, &bytes[0], &size[0], NULL), 0);
    assert_int_equal(hsp_model_save_memory(b, &bytes[1], &size[1], NULL), 0);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    hsp_free(bytes[0]);
    hsp_free(bytes[1]);
}

/* Waits for a line of the trace after the start, and so for a fit that is at work. */
static void await_progress(hsp_job *job) {
    hsp_progress p = {.size = sizeof p};
    while (hsp_job_progress(job, &p) != 0 || p.epoch < 2) assert_int_equal(hsp_job_step(job, 0.001), 0);
}

static void assert_cancelled(trained *t) {
    assert_int_equal(t->status, 0);
    assert_string_equal(word(t, "stop_reason"), "cancelled");
    assert_int_equal(hsp_report_flag(t->report, "converged"), 0);
    trained_free(t);
}

/* ---- tests ---- */

static void same_as_train(void **state) {
    (void)state;
    static const char *const algorithms[] = {"logistic", "svm", "perceptron", "sgd", "lda", "nearest-mean", "mlp"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        for (int k = 0; k < 2; k++) {
            const char *const *pairs = PAIRS("algorithm", algorithms[i], i == 0 || i > 3 ? NULL : "max-epochs", "20");
            const hsp_data *data = k ? three : two;
            trained alone = train(data, pairs);
            hsp_job *job = start_job(data, NULL, pairs);
            assert_int_equal(hsp_job_step(job, -1), 1);
            assert_int_equal(hsp_job_step(job, 0), 1);
            trained t = end_job(job);
            assert_int_equal(t.status, 0);
            assert_same_model(t.model, alone.model);
            assert_string_equal(word(&t, "stop_reason"), word(&alone, "stop_reason"));
            trained_free(&t);
            trained_free(&alone);
        }
}

static void failures(void **state) {
    (void)state;
    trained alone = train(two, PAIRS("algorithm", "nothing"));
    trained t = end_job(start_job(two, NULL, PAIRS("algorithm", "nothing")));
    assert_int_equal(t.status, HSP_EUSAGE);
    assert_string_equal(hsp_error_message(t.error), hsp_error_message(alone.error));
    assert_null(t.report);
    trained_free(&t);
    trained_free(&alone);
    hsp_job *job = start_job(two, NULL, PAIRS("algorithm", "nothing"));
    hsp_model *m = NULL;
    assert_int_equal(hsp_job_result(job, &m, NULL, NULL), HSP_EUSAGE); /* no report, no error wanted */
    hsp_job_free(job);
    job = start_job(two, NULL, SHORT);
    assert_int_equal(hsp_job_result(job, &m, NULL, NULL), 0);
    hsp_model_free(m);
    hsp_error *err = NULL;
    assert_int_equal(hsp_job_result(job, &m, NULL, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), "take it once"));
    assert_null(m);
    hsp_error_free(err);
    hsp_job_free(job);
    static const int modes[] = {-1, 7};
    for (int i = 0; i < 2; i++) {
        err = NULL;
        job = (hsp_job *)&err;
        assert_int_equal(hsp_job_start(two, NULL, NULL, modes[i], NULL, &job, &err), HSP_EUSAGE);
        assert_null(job);
        assert_non_null(strstr(hsp_error_message(err), "no mode"));
        hsp_error_free(err);
    }
    hsp_job_free(NULL);
}

static void one_of_two_is_cancelled(void **state) {
    (void)state;
    trained alone = train(three, SHORT);
    for (int round = 0; round < 4; round++) {
        const hsp_data *other = round % 2 ? two : three;
        hsp_job *endless = start_job(other, NULL, ENDLESS), *more = start_job(three, NULL, ENDLESS);
        await_progress(endless);
        hsp_job *job = start_job(three, NULL, SHORT);
        hsp_job_cancel(endless);
        trained t = end_job(endless);
        assert_cancelled(&t);
        t = end_job(job);
        assert_int_equal(t.status, 0);
        assert_same_model(t.model, alone.model);
        trained_free(&t);
        assert_int_equal(hsp_job_step(more, 0.01), 0); /* goes on */
        hsp_job_cancel(more);
        t = end_job(more);
        assert_cancelled(&t);
    }
    trained_free(&alone);
}

typedef struct seen {
    pthread_t caller;
    atomic_int lines, logs, updates;
    int stop_at; /* the line at which the hook asks to stop; 0: never */
    bool elsewhere, blocked;
} seen;

static int see_line(void *user, const hsp_progress *p) {
    seen *s = user;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    s->blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGPIPE) == 0;
    s->elsewhere = !pthread_equal(pthread_self(), s->caller);
    assert_int_equal(p->size, sizeof *p);
    return atomic_fetch_add(&s->lines, 1) + 1 == s->stop_at;
}

static void see_log(void *user, int level, const char *line) {
    seen *s = user;
    if (level == 1 && strstr(line, "solver")) atomic_fetch_add(&s->logs, 1);
}

static int see_update(void *user, const hsp_update *u) {
    seen *s = user;
    (void)u;
    atomic_fetch_add(&s->updates, 1);
    return 0;
}

static void hooks_on_its_thread(void **state) {
    (void)state;
    seen s = {.caller = pthread_self()};
    hsp_hooks hooks = {.size = sizeof hooks, .user = &s, .progress = see_line, .log = see_log};
    hsp_job *job = start_job(two, &hooks, SHORT);
    hooks = (hsp_hooks){0}; /* copied */
    trained t = end_job(job);
    assert_true(t.status == 0 && s.lines > 1 && s.logs == 1 && s.elsewhere && s.blocked);
    trained_free(&t);
    s = (seen){.caller = pthread_self(), .stop_at = 3};
    hooks = (hsp_hooks){.size = sizeof hooks, .user = &s, .progress = see_line, .update = see_update};
    t = end_job(start_job(two, &hooks, ENDLESS));
    assert_true(s.lines == 3 && s.updates > 3);
    assert_cancelled(&t);
    hooks = (hsp_hooks){.size = sizeof hooks, .user = &s, .progress = see_line, .log = see_log};
    hooks.size = offsetof(hsp_hooks, log); /* an older caller */
    s = (seen){.caller = pthread_self()};
    t = end_job(start_job(two, &hooks, SHORT));
    assert_true(t.status == 0 && s.lines > 1 && s.logs == 0);
    trained_free(&t);
}

static void progress_lines(void **state) {
    (void)state;
    hsp_job *job = start_job(three, NULL, ENDLESS);
    hsp_progress p = {.size = 8}, old = {.size = sizeof old};
    assert_int_equal(hsp_job_progress(job, &p), HSP_EUSAGE);
    p.size = sizeof p;
    for (int lines = 0; lines < 50;) {
        int status = hsp_job_progress(job, &p);
        if (status == 1) {
            assert_memory_equal(&p, &old, sizeof p); /* unchanged, and its texts are still there */
            hsp_job_step(job, 0);
        } else {
            assert_int_equal(status, 0);
            assert_true(p.problems == 3 && p.epoch >= old.epoch && p.max_epochs == 1000000000 && p.norm >= 0);
            assert_true(strcmp(p.label, hsp_data_class_name(three, p.problem)) == 0 && strcmp(p.method, "perceptron") == 0);
            old = p;
            lines++;
        }
    }
    hsp_job_cancel(job);
    assert_int_equal(hsp_job_step(job, -1), 1);
    hsp_job_progress(job, &p);
    assert_int_equal(hsp_job_progress(job, &p), 1); /* none is new */
    trained t = end_job(job);
    assert_cancelled(&t);
}

static void cancelled_at_any_time(void **state) {
    (void)state;
    no_threads = true; /* so that it begins after the request */
    hsp_job *job = start_job(two, NULL, ENDLESS);
    hsp_job_cancel(job);
    trained t = end_job(job);
    assert_true(figure(&t, "epochs") == 0);
    assert_cancelled(&t);
    no_threads = false;
    for (int i = 0; i < 20; i++) { /* somewhere around the start */
        job = start_job(i % 2 ? two : three, NULL, ENDLESS);
        hsp_job_cancel(job);
        t = end_job(job);
        assert_cancelled(&t);
    }
    job = start_job(two, NULL, SHORT);
    assert_int_equal(hsp_job_step(job, -1), 1);
    hsp_job_cancel(job); /* too late */
    t = end_job(job);
    assert_string_equal(word(&t, "stop_reason"), "gap");
    trained_free(&t);
}

static void freed_while_running(void **state) {
    (void)state;
    for (int i = 0; i < 10; i++) {
        hsp_job *job = start_job(i % 2 ? two : three, NULL, ENDLESS);
        if (i % 3 == 0) await_progress(job);
        hsp_job_free(job);
    }
    hsp_job *job = start_job(two, NULL, SHORT); /* with a result that nobody takes */
    hsp_job_step(job, -1);
    hsp_job_free(job);
    no_threads = true; /* one that never began */
    hsp_job_free(start_job(two, NULL, ENDLESS));
    no_threads = false;
}

static void the_other_request(void **state) {
    (void)state;
    hsp_cancel();
    hsp_job *job = start_job(three, NULL, SHORT);
    trained t = end_job(job);
    assert_string_equal(word(&t, "stop_reason"), "gap"); /* hsp_cancel is not for jobs */
    trained_free(&t);
    job = start_job(three, NULL, ENDLESS);
    hsp_job_cancel(job);
    t = end_job(job);
    assert_cancelled(&t);
    assert_true(hsp_cancel_take()); /* still there, and hsp_job_cancel is not for others */
    assert_false(hsp_cancel_pending());
}

static void without_threads(void **state) {
    (void)state;
    trained alone = train(two, SHORT);
    no_threads = true;
    hsp_job *job = start_job(two, NULL, SHORT);
    hsp_progress p = {.size = sizeof p};
    assert_int_equal(hsp_job_progress(job, &p), 1);
    assert_int_equal(hsp_job_step(job, 0), 1);
    assert_int_equal(hsp_job_progress(job, &p), 0);
    trained t = end_job(job);
    assert_same_model(t.model, alone.model);
    trained_free(&t);
    t = end_job(start_job(two, NULL, SHORT)); /* by hsp_job_result */
    assert_same_model(t.model, alone.model);
    trained_free(&t);
    no_threads = false;
    trained_free(&alone);
    assert_null(hsp_cancel_current());
}

static void many_in_a_row(void **state) {
    (void)state;
    trained alone = train(two, SHORT);
    for (int i = 0; i < 100; i++) {
        trained t = end_job(start_job(two, NULL, SHORT));
        if (i % 25 == 0) assert_same_model(t.model, alone.model);
        trained_free(&t);
    }
    trained_free(&alone);
}

static void waits_no_longer_than_asked(void **state) {
    (void)state;
    hsp_job *job = start_job(two, NULL, ENDLESS);
    double begun = hsp_clock_seconds();
    assert_int_equal(hsp_job_step(job, 0.05), 0);
    assert_true(hsp_clock_seconds() - begun >= 0.05);
    assert_int_equal(hsp_job_step(job, 0), 0);
    assert_true(hsp_clock_seconds() - begun < 5);
    hsp_job_free(job);
}

/* A child trains a job of its own, has the result of one that had ended, and has lost one that was running. */
static int in_child(hsp_job *ended, hsp_job *running) {
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    alarm(60);
    hsp_progress p = {.size = sizeof p};
    bool ok = hsp_job_step(running, -1) == 1 && hsp_job_progress(running, &p) == 1;
    ok = ok && hsp_job_result(running, &m, NULL, &err) == HSP_EUSAGE && strstr(hsp_error_message(err), "forked");
    hsp_error_free(err);
    hsp_job_free(running);
    ok = ok && hsp_job_result(ended, &m, NULL, NULL) == 0;
    hsp_model_free(m);
    hsp_job_free(ended);
    hsp_options *o = options_of(SHORT);
    hsp_job *job = NULL;
    ok = ok && hsp_job_start(three, o, NULL, HSP_JOB_TRAIN, NULL, &job, NULL) == 0;
    ok = ok && hsp_job_result(job, &m, NULL, NULL) == 0 && m;
    hsp_model_free(m);
    hsp_job_free(job);
    hsp_options_free(o);
    return ok ? 0 : 1;
}

static void in_a_forked_child(void **state) {
    (void)state;
    hsp_job *ended = start_job(two, NULL, SHORT), *running = start_job(two, NULL, ENDLESS);
    hsp_job_step(ended, -1);
    await_progress(running);
    pid_t child = fork();
    if (child == 0) _exit(in_child(ended, running));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    hsp_job_free(running);
    trained t = end_job(ended);
    assert_int_equal(t.status, 0);
    trained_free(&t);
}

static void short_of_memory(void **state) {
    (void)state;
    int status = HSP_EMEMORY;
    hsp_options *o = options_of(PAIRS("algorithm", "logistic", "threads", "1"));
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 5000; calls++) {
        hsp_job *job = NULL;
        hsp_model *m = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_once(calls);
        status = hsp_job_start(two, o, NULL, HSP_JOB_TRAIN, NULL, &job, &err);
        assert_true((status == 0) == (job != NULL));
        if (!status) status = hsp_job_result(job, &m, NULL, &err);
        bool failed = calls < hsp_memory_calls();
        hsp_memory_fail_once(-1);
        assert_true((status == 0) == (m != NULL) && (status == 0) == (err == NULL));
        if (status == 0 && failed) status = HSP_EMEMORY; /* went on without it */
        hsp_model_free(m);
        hsp_error_free(err);
        hsp_job_free(job);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
}

static int make_data(void **state) {
    (void)state;
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    two = generated("blobs", PAIRS("rows", "300", "noise", "3"));
    three = generated("blobs", PAIRS("rows", "300", "classes", "3", "noise", "3"));
    return two && three ? 0 : -1;
}

static int drop_data(void **state) {
    (void)state;
    hsp_data_free(two);
    hsp_data_free(three);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_train),         cmocka_unit_test(failures),
        cmocka_unit_test(hooks_on_its_thread),   cmocka_unit_test(progress_lines),
        cmocka_unit_test(cancelled_at_any_time), cmocka_unit_test(one_of_two_is_cancelled),
        cmocka_unit_test(freed_while_running),   cmocka_unit_test(the_other_request),
        cmocka_unit_test(without_threads),       cmocka_unit_test(many_in_a_row),
        cmocka_unit_test(in_a_forked_child),     cmocka_unit_test(waits_no_longer_than_asked),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, make_data, drop_data);
}
