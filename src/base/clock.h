/* The clock, and the requests to cancel that long work polls. */
#ifndef HSP_BASE_CLOCK_H
#define HSP_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Monotonic seconds from an arbitrary start. */
double hsp_clock_seconds(void);
/* Seconds of processor time of this thread, from an arbitrary start: other work on the machine does not count. */
double hsp_clock_thread_seconds(void);
/* UTC as "2026-01-31T12:00:00Z". The environment variable SOURCE_DATE_EPOCH overrides the time, for reproducible files. */
void hsp_clock_utc(char out[21]);

/* A request to cancel the work of one call. While a thread is in a scope, its work obeys the request of that scope alone, and
 * hsp_cancel does not concern it; outside of all scopes it obeys hsp_cancel. The pool takes the caller's scope along to its
 * workers. */
typedef struct hsp_cancel_scope {
    atomic_int requested; /* lock-free, hence safe in a signal handler */
    /* Of a watch (watched.h), else NULL: called whenever the work in the scope polls. Such a scope is inside another (NULL:
     * none), whose requests the work obeys too. */
    void (*poll)(struct hsp_cancel_scope *s);
    struct hsp_cancel_scope *outer;
} hsp_cancel_scope;

/* Asks the work in the scope to stop. From any thread, also in a signal handler. */
void hsp_cancel_request(hsp_cancel_scope *s);
/* Enters the scope (NULL: none), which the caller keeps until it leaves it; returns the one before, to be entered again. */
hsp_cancel_scope *hsp_cancel_enter(hsp_cancel_scope *s);
hsp_cancel_scope *hsp_cancel_current(void); /* of this thread; NULL: none */
/* Makes the request again that this thread has taken, for other threads at the same work. */
void hsp_cancel_pass_on(void);
/* True once after a request: clears it. */
bool hsp_cancel_take(void);
/* True while a request is pending; does not clear it. */
bool hsp_cancel_pending(void);

#endif
