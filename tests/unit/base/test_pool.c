/* The pool: each task once, on as many threads as allowed, nested, from several threads, and after a fork. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 1000 };

typedef struct tally {
    atomic_int done[TASKS];
    atomic_int at_once, most_at_once;
    int nested;
} tally;

static void count(void *ctx, int64_t i) {
    tally *t = ctx;
    int now = atomic_fetch_add(&t->at_once, 1) + 1, most = atomic_load(&t->most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&t->most_at_once, &most, now)) {
    }
    atomic_fetch_add(&t->done[i], 1);
    if (i % 100 == 0) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    atomic_fetch_sub(&t->at_once, 1);
}

static void check_once(int64_t tasks, int threads) {
    tally *t = calloc(1, sizeof *t);
    hsp_pool_run(tasks, threads, count, t);
    for (int64_t i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&t->done[i]), i < tasks ? 1 : 0);
    assert_true(tasks < 1 || (t->most_at_once >= 1 && t->most_at_once <= (threads < 1 ? 1 : threads)));
    free(t);
}

static void each_once(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 8, 0, -1, 2, 16, 4};
    static const int64_t tasks[] = {0, 1, 2, 7, TASKS, -5};
    for (size_t a = 0; a < sizeof threads / sizeof threads[0]; a++)
        for (size_t b = 0; b < sizeof tasks / sizeof tasks[0]; b++) check_once(tasks[b], threads[a]);
}

static void many_small_runs(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        tally *t = calloc(1, sizeof *t);
        hsp_pool_run(3, 4, count, t);
        for (int k = 0; k < 3; k++) assert_int_equal(atomic_load(&t->done[k]), 1);
        free(t);
    }
}

/* Two tasks that wait for each other finish only on two threads. */
static void meet(void *ctx, int64_t i) {
    (void)i;
    atomic_int *arrived = ctx;
    atomic_fetch_add(arrived, 1);
    for (int k = 0; k < 5000 && atomic_load(arrived) < 2; k++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_int_equal(atomic_load(arrived), 2);
}

static void really_at_once(void **state) {
    (void)state;
    atomic_int arrived = 0;
    hsp_pool_run(2, 2, meet, &arrived);
}

/* Workers obey the request of the scope of the call that they work for, and of no other. */
static void meet_in_scope(void *ctx, int64_t i) {
    meet(((void **)ctx)[0], i);
    assert_ptr_equal(hsp_cancel_current(), ((void **)ctx)[1]);
}

static void scope_of_the_caller(void **state) {
    (void)state;
    hsp_cancel_scope scopes[2] = {0};
    for (int k = 0; k < 3; k++) {
        atomic_int arrived = 0;
        void *ctx[2] = {&arrived, k < 2 ? &scopes[k] : NULL};
        hsp_cancel_enter(ctx[1]);
        hsp_pool_run(2, 2, meet_in_scope, ctx);
        assert_ptr_equal(hsp_cancel_enter(NULL), ctx[1]);
    }
}

static void outer(void *ctx, int64_t i) {
    tally *t = ctx;
    (void)i;
    tally *inner = calloc(1, sizeof *inner);
    hsp_pool_run(10, 4, count, inner);
    for (int k = 0; k < 10; k++) atomic_fetch_add(&t->done[k], atomic_load(&inner->done[k]));
    atomic_fetch_add(&t->at_once, inner->most_at_once > 1);
    free(inner);
}

static void nested_runs_are_serial(void **state) {
    (void)state;
    tally *t = calloc(1, sizeof *t);
    hsp_pool_run(20, 4, outer, t);
    for (int k = 0; k < 10; k++) assert_int_equal(atomic_load(&t->done[k]), 20);
    assert_int_equal(t->at_once, 0);
    free(t);
}

static void *caller(void *unused) {
    (void)unused;
    for (int i = 0; i < 20; i++) {
        tally *t = calloc(1, sizeof *t);
        hsp_pool_run(100, 3, count, t);
        for (int k = 0; k < 100; k++)
            if (t->done[k] != 1) _exit(9);
        free(t);
    }
    return NULL;
}

static void several_callers(void **state) {
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, caller, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

/* In the child the workers are gone; new ones must be made. An alarm ends a child that hangs. */
static void after_fork(void **state) {
    (void)state;
    check_once(TASKS, 4);
    for (int round = 0; round < 3; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            tally *t = calloc(1, sizeof *t);
            hsp_pool_run(TASKS, 4, count, t);
            int wrong = 0;
            for (int i = 0; i < TASKS; i++) wrong += t->done[i] != 1;
            atomic_int arrived = 0;
            hsp_pool_run(2, 2, meet, &arrived);
            free(t);
            _exit(wrong > 0 || arrived != 2);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        check_once(TASKS, 4);
    }
}

/* The signal must find a thread of the program, not a worker. */
static pthread_t signalled;

static void on_signal(int number) {
    (void)number;
    signalled = pthread_self();
}

static void workers_take_no_signals(void **state) {
    (void)state;
    check_once(TASKS, 4);
    signal(SIGUSR1, on_signal);
    kill(getpid(), SIGUSR1);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    signal(SIGUSR1, SIG_DFL);
    assert_true(pthread_equal(signalled, pthread_self()));
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGINT));
}

static void number_of_threads(void **state) {
    (void)state;
    assert_int_equal(hsp_pool_threads(1), 1);
    assert_int_equal(hsp_pool_threads(7), 7);
    assert_int_equal(hsp_pool_threads(INT64_MAX), 1024);
    int cores = hsp_pool_threads(0);
    assert_in_range(cores, 1, 1024);
    assert_int_equal(hsp_pool_threads(-3), cores);
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    size_t first = 0;
    while (!CPU_ISSET(first, &before)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hsp_pool_threads(0), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_once),
        cmocka_unit_test(many_small_runs),
        cmocka_unit_test(really_at_once), cmocka_unit_test(scope_of_the_caller),
        cmocka_unit_test(nested_runs_are_serial),
        cmocka_unit_test(several_callers),
        cmocka_unit_test(after_fork),
        cmocka_unit_test(workers_take_no_signals),
        cmocka_unit_test(number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
