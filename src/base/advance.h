/* How far work over many rows has come: told to the caller's hook, on the thread that began it; and whether it shall stop. */
#ifndef HSP_BASE_ADVANCE_H
#define HSP_BASE_ADVANCE_H

#include "halfspace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct hsp_advance {
    const hsp_hooks *hooks; /* borrowed; or NULL: nobody is told, but hsp_cancel stops the work */
    const char *method;     /* borrowed: what is done */
    int64_t pass, passes;   /* passes over the rows that are done, and all of them; 0: not known */
    double start;
    pthread_t caller;
    atomic_int_least64_t rows; /* visited so far */
    atomic_bool stopped;
} hsp_advance;

/* Calls the hook for the first time. */
void hsp_advance_begin(hsp_advance *a, const hsp_hooks *hooks, const char *method, int64_t passes);
/* That many more rows are done, by any thread; the hook is called when it is the one that began. True: stop soon, because
 * the hook or hsp_cancel asked for it now or before. `a` may be NULL: nobody is told and nothing stops. */
bool hsp_advance_rows(hsp_advance *a, int64_t rows);
/* A pass is complete. On the thread that began. */
void hsp_advance_pass(hsp_advance *a);
/* Whether the work was asked to stop, as found by hsp_advance_rows. */
bool hsp_advance_stopped(const hsp_advance *a);

#endif
