/* Progress of work that polls requests to cancel (clock.h): whenever it polls on the thread that began it, and some time has
 * passed, the caller's hook is called, and what is non-zero is such a request. So every call that can be cancelled can be
 * watched. */
#ifndef HSP_BASE_WATCHED_H
#define HSP_BASE_WATCHED_H

#include "base/advance.h"
#include "base/clock.h"
#include "halfspace.h"

#include <stdbool.h>

typedef struct hsp_watch {
    hsp_cancel_scope scope; /* first: of the work that is watched */
    hsp_cancel_scope *before;
    hsp_advance advance;
    double next;  /* hsp_clock_seconds() of the next report */
    bool begun;   /* there is a hook, and no watch around this one */
    bool calling; /* the hook, which must not call itself */
} hsp_watch;

/* Makes the first report. True: the hook asks to stop at once. method: hsp_progress.method, static. The work of this thread,
 * and of the pool for it, is watched until hsp_watch_end, which the same thread calls in any case. Inside of another watch,
 * or without a hook, both do nothing. */
bool hsp_watch_begin(hsp_watch *w, const hsp_hooks *hooks, const char *method);
void hsp_watch_end(hsp_watch *w);
/* Adds to the rows that the watch around this work reports, if there is one; on any thread. */
void hsp_watch_count(int64_t rows);

#endif
