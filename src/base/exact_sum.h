/* Sums of doubles without rounding: the same bits in any order and any grouping (R. Neal, Fast exact summation using small and
 * large superaccumulators, 2015). The sum is an integer of 2^-1074, in digits of 32 bits that are carried now and then. */
#ifndef HSP_BASE_EXACT_SUM_H
#define HSP_BASE_EXACT_SUM_H

#include <stdint.h>

enum { HSP_SUM_DIGITS = 68 };

typedef struct hsp_exact_sum {
    int64_t digit[HSP_SUM_DIGITS]; /* the lowest first */
    int64_t added;                   /* numbers since the last carry */
} hsp_exact_sum; /* {0} is an empty one */

/* Adds a finite number. */
void hsp_exact_sum_add(hsp_exact_sum *s, double v);
void hsp_exact_sum_join(hsp_exact_sum *s, const hsp_exact_sum *other);
/* The sum, rounded once. */
double hsp_exact_sum_value(const hsp_exact_sum *s);
/* The sum divided by n; finite, even if the sum is not. */
double hsp_exact_sum_mean(const hsp_exact_sum *s, int64_t n);

#endif
