/* The clock, and the cancel flag that long work polls. */
#ifndef HSP_BASE_CLOCK_H
#define HSP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Monotonic seconds from an arbitrary start. */
double hsp_clock_seconds(void);
/* UTC as "2026-01-31T12:00:00Z". The environment variable SOURCE_DATE_EPOCH overrides the time, for reproducible files. */
void hsp_clock_utc(char out[21]);
/* True once after hsp_cancel(): clears the request. */
bool hsp_cancel_take(void);
/* True while a request is pending; does not clear it. */
bool hsp_cancel_pending(void);

#endif
