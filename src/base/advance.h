/* Progress of work over many rows: reports it to the caller's hook, and polls whether the work is to stop. The hook is
 * called only on the thread that began the work. */
#ifndef HSP_BASE_ADVANCE_H
#define HSP_BASE_ADVANCE_H

#include "halfspace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct hsp_advance {
    const hsp_hooks *hooks; /* borrowed; NULL: no reports, but hsp_cancel still stops the work */
    const char *method;     /* borrowed; static text, hsp_progress.method */
    int64_t pass, passes;   /* passes over the rows: completed, planned (0: unknown) */
    double start;
    pthread_t caller;
    atomic_int_least64_t rows; /* visited so far */
    atomic_bool stopped;
} hsp_advance;

/* Starts the clock and makes the first report. */
void hsp_advance_begin(hsp_advance *a, const hsp_hooks *hooks, const char *method, int64_t passes);
/* Adds `rows` to the count, on any thread, and reports when this thread began the work. True: stop soon, because the hook
 * or hsp_cancel has asked for it. `a` NULL: no reports, no stop. */
bool hsp_advance_rows(hsp_advance *a, int64_t rows);
/* A pass is complete; on the thread that began the work. */
void hsp_advance_pass(hsp_advance *a);
/* Whether hsp_advance_rows has found a request to stop. */
bool hsp_advance_stopped(const hsp_advance *a);

#endif
