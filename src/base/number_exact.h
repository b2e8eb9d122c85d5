/* Exact comparison of a decimal number with the midpoint of two doubles, in integers. Internal to number parsing. */
#ifndef HSP_BASE_NUMBER_EXACT_H
#define HSP_BASE_NUMBER_EXACT_H

#include <stdint.h>

/* Compares a decimal number with (m + 1/2) 2^k: negative, 0 or positive. Its digits are from s to end, a point among them is
 * skipped; the last digit has the weight 10^q. It must lie between (m - 1) 2^k and (m + 2) 2^k and below 10^310, with
 * m < 2^53 and k >= -1074. Any number of digits. */
int hsp_number_compare_half(const char *s, const char *end, int64_t q, uint64_t m, int k);

#endif
