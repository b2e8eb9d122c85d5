/* What stands under every chart: errors, memory, order. The core's own are out of reach here: only its public header is
 * seen.
 */
#ifndef HSP_PLOT_DRAW_GROUND_H
#define HSP_PLOT_DRAW_GROUND_H

#include "halfspace.h"

#include <stdbool.h>

#if defined(__GNUC__)
#define HSP_PLOT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define HSP_PLOT_PRINTF(text, first)
#endif

/* Sets *err (when err is not NULL and *err is still NULL) to "what is wrong: what to do", cut at 500 bytes; returns code.
 */
int hsp_plot_fail(hsp_error **err, int code, const char *format, ...) HSP_PLOT_PRINTF(3, 4);
int hsp_plot_fail_memory(hsp_error **err);

/* count x size bytes, zeroed; never NULL for count 0. NULL when there is no room. Free with free(). */
void *hsp_plot_alloc(int64_t count, size_t size);
/* Grows *block, items of `size` bytes with room for *capacity, to hold `needed`. 0 or HSP_EMEMORY; the old block stays. */
int hsp_plot_reserve(void **block, int64_t *capacity, int64_t needed, size_t size);

/* Bytes that come one after the other; free `data` with free(). 0 or HSP_EMEMORY. */
typedef struct hsp_bytes {
    unsigned char *data;
    int64_t size, capacity;
} hsp_bytes;
int hsp_bytes_add(hsp_bytes *b, const void *data, int64_t n);

/* For qsort: doubles, the least first. */
int hsp_plot_ascending(const void *a, const void *b);

#endif
