/* The clock and the request to stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "halfspace.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void never_goes_back(void **state) {
    (void)state;
    double first = hsp_clock_seconds(), last = first;
    for (int i = 0; i < 10000; i++) {
        double now = hsp_clock_seconds();
        assert_true(now >= last);
        last = now;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_true(hsp_clock_seconds() - last >= 0.019);
}

static void check_date(const char *epoch, const char *want) {
    char date[21];
    setenv("SOURCE_DATE_EPOCH", epoch, 1);
    hsp_clock_utc(date);
    unsetenv("SOURCE_DATE_EPOCH");
    assert_string_equal(date, want);
}

static void dates(void **state) {
    (void)state;
    check_date("0", "1970-01-01T00:00:00Z");
    check_date("951782400", "2000-02-29T00:00:00Z");
    check_date("1769860800", "2026-01-31T12:00:00Z");
    check_date("253402300799", "9999-12-31T23:59:59Z");
}

static void broken_dates(void **state) {
    (void)state;
    static const char *const texts[] = {"", "x", "12x", "-1", "1e3", "253402300800", "99999999999999999999", " 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char date[21];
        setenv("SOURCE_DATE_EPOCH", texts[i], 1);
        hsp_clock_utc(date);
        unsetenv("SOURCE_DATE_EPOCH");
        assert_int_equal(strlen(date), 20);
        assert_true(strcmp(date, "2020") > 0 && strcmp(date, "3") < 0);
    }
}

static void cancel(void **state) {
    (void)state;
    assert_false(hsp_cancel_pending());
    assert_false(hsp_cancel_take());
    hsp_cancel();
    hsp_cancel();
    assert_true(hsp_cancel_pending());
    assert_true(hsp_cancel_take());
    assert_false(hsp_cancel_take());
    assert_false(hsp_cancel_pending());
}

static void scopes(void **state) {
    (void)state;
    hsp_cancel_scope a = {0}, b = {0};
    assert_null(hsp_cancel_current());
    assert_null(hsp_cancel_enter(&a));
    hsp_cancel(); /* not for those in a scope */
    hsp_cancel_request(&b);
    assert_false(hsp_cancel_pending() || hsp_cancel_take());
    hsp_cancel_pass_on();
    assert_true(hsp_cancel_pending());
    assert_ptr_equal(hsp_cancel_enter(&b), &a);
    assert_true(hsp_cancel_take());
    assert_false(hsp_cancel_take());
    assert_ptr_equal(hsp_cancel_enter(&a), &b);
    assert_true(hsp_cancel_take()); /* its own is still there */
    assert_ptr_equal(hsp_cancel_enter(NULL), &a);
    assert_true(hsp_cancel_take()); /* and that of hsp_cancel */
    hsp_cancel_pass_on();
    assert_true(hsp_cancel_take());
}

static void on_signal(int number) {
    (void)number;
    hsp_cancel();
}

static void cancel_from_a_signal(void **state) {
    (void)state;
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    assert_true(hsp_cancel_take());
    assert_false(hsp_cancel_take());
}

static void version(void **state) {
    (void)state;
    assert_string_equal(hsp_version(), HSP_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_goes_back),      cmocka_unit_test(dates),
                                       cmocka_unit_test(broken_dates),         cmocka_unit_test(cancel),
                                       cmocka_unit_test(cancel_from_a_signal), cmocka_unit_test(version),
                                       cmocka_unit_test(scopes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
