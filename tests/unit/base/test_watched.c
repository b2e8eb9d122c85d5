/* A watch calls the hook while the work polls, on its thread alone, and what is non-zero cancels that work and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pool.h"
#include "base/watched.h"

#include <math.h>
#include <unistd.h>

typedef struct seen {
    int calls, stop_at; /* stop_at: the call that returns non-zero; 0: none */
    int64_t rows;
    pthread_t caller;
} seen;

static int see(void *user, const hsp_progress *p) {
    seen *s = user;
    assert_true(pthread_equal(s->caller, pthread_self()));
    assert_true(isnan(p->objective) && p->seconds >= 0);
    assert_string_equal(p->method, "test");
    assert_false(hsp_cancel_pending()); /* polling in the hook does not call it again */
    s->rows = p->steps;
    return ++s->calls == s->stop_at;
}

static hsp_hooks hooks_of(seen *s) {
    s->caller = pthread_self();
    return (hsp_hooks){.size = sizeof(hsp_hooks), .user = s, .progress = see};
}

static void reports_come_while_work_polls(void **state) {
    (void)state;
    seen s = {0};
    hsp_hooks hooks = hooks_of(&s);
    hsp_watch w;
    assert_false(hsp_watch_begin(&w, &hooks, "test"));
    assert_int_equal(s.calls, 1);
    for (int i = 0; i < 1000; i++) assert_false(hsp_cancel_pending());
    assert_true(s.calls <= 2); /* not at every poll */
    hsp_watch_count(7);
    usleep(60000);
    assert_false(hsp_cancel_pending());
    assert_true(s.calls >= 2 && s.rows == 7);
    hsp_watch_end(&w);
    int calls = s.calls;
    usleep(60000);
    assert_false(hsp_cancel_pending());
    assert_int_equal(s.calls, calls);
    hsp_watch_count(1); /* of nothing */
}

static void a_hook_stops_its_own_work(void **state) {
    (void)state;
    seen s = {.stop_at = 2};
    hsp_hooks hooks = hooks_of(&s);
    hsp_watch w;
    assert_false(hsp_watch_begin(&w, &hooks, "test"));
    usleep(60000);
    assert_true(hsp_cancel_pending());
    assert_true(hsp_cancel_take());
    assert_true(hsp_cancel_pending()); /* for whoever polls next, until the end */
    assert_int_equal(s.calls, 2);
    hsp_watch_end(&w);
    assert_false(hsp_cancel_pending());
    s = (seen){.stop_at = 1};
    hooks = hooks_of(&s);
    assert_true(hsp_watch_begin(&w, &hooks, "test"));
    hsp_watch_end(&w);
    assert_false(hsp_cancel_pending());
}

/* hsp_cancel and the scope of a job reach the work inside. */
static void requests_from_outside(void **state) {
    (void)state;
    seen s = {0};
    hsp_hooks hooks = hooks_of(&s);
    hsp_watch w;
    hsp_watch_begin(&w, &hooks, "test");
    hsp_cancel();
    assert_true(hsp_cancel_pending());
    assert_true(hsp_cancel_take());
    hsp_watch_end(&w);
    assert_false(hsp_cancel_pending());
    hsp_cancel_scope job = {0};
    hsp_cancel_enter(&job);
    hsp_watch_begin(&w, &hooks, "test");
    hsp_cancel();
    assert_false(hsp_cancel_pending()); /* of no job */
    hsp_cancel_request(&job);
    assert_true(hsp_cancel_take());
    hsp_watch_end(&w);
    hsp_cancel_enter(NULL);
    assert_true(hsp_cancel_take());
}

static void poll_task(void *ctx, int64_t index) {
    (void)ctx;
    hsp_watch_count(1);
    usleep(2000);
    hsp_cancel_pending();
    (void)index;
}

static void workers_count_rows_and_call_nothing(void **state) {
    (void)state;
    seen s = {0};
    hsp_hooks hooks = hooks_of(&s);
    hsp_watch w, inside;
    hsp_watch_begin(&w, &hooks, "test");
    hsp_pool_run(100, 3, poll_task, NULL);
    assert_false(hsp_watch_begin(&inside, &hooks, "test")); /* the one around it goes on */
    hsp_watch_end(&inside);
    usleep(60000);
    hsp_cancel_pending();
    assert_int_equal(s.rows, 100);
    hsp_watch_end(&w);
}

static void without_a_hook_nothing_is_watched(void **state) {
    (void)state;
    hsp_hooks none = {.size = sizeof none};
    hsp_watch w;
    assert_false(hsp_watch_begin(&w, NULL, "test"));
    hsp_watch_end(&w);
    assert_false(hsp_watch_begin(&w, &none, "test"));
    hsp_cancel();
    assert_true(hsp_cancel_take());
    hsp_watch_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_come_while_work_polls),
        cmocka_unit_test(a_hook_stops_its_own_work),
        cmocka_unit_test(requests_from_outside),
        cmocka_unit_test(workers_count_rows_and_call_nothing),
        cmocka_unit_test(without_a_hook_nothing_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
