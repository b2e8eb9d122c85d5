/* Checks numbers where they enter, at the speed of memory. */
#ifndef HSP_DATA_NUMBER_SCAN_H
#define HSP_DATA_NUMBER_SCAN_H

#include <stdbool.h>
#include <stdint.h>

enum { HSP_SCAN_MOST = 1 << 17 }; /* values of one call */

/* Whether `count` values of a dtype, `step` places apart, are all finite and, of int64, exact as double. Adds the number of
 * those that are not 0. Values are aligned. */
bool hsp_scan_numbers(int32_t dtype, const void *from, int64_t count, int64_t step, int64_t *nonzeros);

#endif
