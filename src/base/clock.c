#include "base/clock.h"

#include "base/number.h"
#include "halfspace.h"
#include "halfspace_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LAST_SECOND_OF_9999 INT64_C(253402300799)

/* The request of hsp_cancel; and the scope whose request the work of this thread obeys, NULL: that of hsp_cancel. */
static hsp_cancel_scope process;
static _Thread_local hsp_cancel_scope *scope;

double hsp_clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double hsp_clock_thread_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A SOURCE_DATE_EPOCH that is not a whole number of seconds up to the year 9999 is ignored. */
static time_t now_or_fixed(void) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    if (fixed != NULL) {
        const char *end = fixed + strlen(fixed);
        if (hsp_number_parse_int(fixed, end, &seconds) == end && seconds <= LAST_SECOND_OF_9999) return (time_t)seconds;
    }
    return time(NULL);
}

static void put_digits(char *out, int count, int value) {
    for (int i = count - 1; i >= 0; i--, value /= 10) out[i] = (char)('0' + value % 10);
}

void hsp_clock_utc(char out[21]) {
    time_t now = now_or_fixed();
    struct tm t = {.tm_year = 70, .tm_mday = 1};
    gmtime_r(&now, &t);
    memcpy(out, "0000-00-00T00:00:00Z", 21);
    put_digits(out, 4, t.tm_year + 1900);
    put_digits(out + 5, 2, t.tm_mon + 1);
    put_digits(out + 8, 2, t.tm_mday);
    put_digits(out + 11, 2, t.tm_hour);
    put_digits(out + 14, 2, t.tm_min);
    put_digits(out + 17, 2, t.tm_sec);
}

void hsp_cancel(void) {
    hsp_cancel_request(&process);
}

void hsp_cancel_request(hsp_cancel_scope *s) {
    atomic_store(&s->requested, 1);
}

hsp_cancel_scope *hsp_cancel_current(void) {
    return scope;
}

hsp_cancel_scope *hsp_cancel_enter(hsp_cancel_scope *s) {
    hsp_cancel_scope *before = scope;
    scope = s;
    return before;
}

void hsp_cancel_pass_on(void) {
    hsp_cancel_request(scope ? scope : &process);
}

int hsp_cancel_waiting(void) {
    return hsp_cancel_pending();
}

int hsp_cancel_consume(void) {
    return hsp_cancel_take();
}

/* The scope around s that is obeyed too; NULL: none. */
static hsp_cancel_scope *around(const hsp_cancel_scope *s) {
    return !s->poll ? NULL : s->outer ? s->outer : &process;
}

/* Reads before it writes: many threads poll this often. */
bool hsp_cancel_take(void) {
    if (!hsp_cancel_pending()) return false;
    bool taken = false;
    for (hsp_cancel_scope *s = scope ? scope : &process; s; s = around(s)) taken |= atomic_exchange(&s->requested, 0) != 0;
    return taken;
}

bool hsp_cancel_pending(void) {
    if (scope && scope->poll) scope->poll(scope);
    for (hsp_cancel_scope *s = scope ? scope : &process; s; s = around(s))
        if (atomic_load_explicit(&s->requested, memory_order_relaxed) != 0) return true;
    return false;
}
