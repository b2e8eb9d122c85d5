#include "base/watched.h"

#include <pthread.h>
#include <stdatomic.h>

static const double INTERVAL = 0.05; /* seconds between two reports */

/* The request stays until the watch ends: whoever polls next finds it again. */
static void poll_hook(hsp_cancel_scope *s) {
    hsp_watch *w = (hsp_watch *)s;
    if (!pthread_equal(w->advance.caller, pthread_self()) || w->calling) return;
    if (!hsp_advance_stopped(&w->advance) && hsp_clock_seconds() < w->next) return;
    w->calling = true;
    if (hsp_advance_rows(&w->advance, 0)) hsp_cancel_request(&w->scope);
    w->next = hsp_clock_seconds() + INTERVAL;
    w->calling = false;
}

bool hsp_watch_begin(hsp_watch *w, const hsp_hooks *hooks, const char *method) {
    hsp_cancel_scope *around = hsp_cancel_current();
    *w = (hsp_watch){.before = around};
    if (!hooks || !hooks->progress || (around && around->poll)) return false;
    w->begun = true;
    w->scope.outer = around;
    hsp_advance_begin(&w->advance, hooks, method, 0);
    w->next = hsp_clock_seconds() + INTERVAL;
    w->scope.poll = poll_hook;
    hsp_cancel_enter(&w->scope);
    return hsp_advance_stopped(&w->advance);
}

void hsp_watch_end(hsp_watch *w) {
    if (w->begun) hsp_cancel_enter(w->before);
}

void hsp_watch_count(int64_t rows) {
    hsp_cancel_scope *s = hsp_cancel_current();
    if (s && s->poll == poll_hook) atomic_fetch_add(&((hsp_watch *)s)->advance.rows, rows);
}
