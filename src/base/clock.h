/* Wall-clock seconds from an arbitrary start that never goes back, and the cancel flag that long work polls. */
#ifndef HSP_BASE_CLOCK_H
#define HSP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

double hsp_clock_seconds(void);
/* UTC, "2026-01-31T12:00:00Z", into 21 bytes. SOURCE_DATE_EPOCH in the environment replaces the present, for
 * reproducible files. */
void hsp_clock_utc(char out[21]);
/* True once after hsp_cancel(): the asker takes the request. */
bool hsp_cancel_take(void);
/* True while a request is pending. */
bool hsp_cancel_pending(void);

#endif
