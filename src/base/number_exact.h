/* The last word on how a decimal number rounds, in whole numbers of any needed size. Internal to number reading. */
#ifndef HSP_BASE_NUMBER_EXACT_H
#define HSP_BASE_NUMBER_EXACT_H

#include <stdint.h>

/* Compares the decimal number whose digits stand from s to end (a point among them is passed over; it begins with a digit
 * that is not 0) and whose last digit counts 10^q, with (m + 1/2) 2^k: negative, 0 or positive. The number must be between
 * (m - 1) 2^k and (m + 2) 2^k, m < 2^53, k >= -1074, and below 10^310. Any number of digits; never allocates. */
int hsp_number_compare_half(const char *s, const char *end, int64_t q, uint64_t m, int k);

#endif
