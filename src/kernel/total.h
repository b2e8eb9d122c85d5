/* Compensated summation (A. Neumaier 1974), for sums that cancel: slopes at a median, and duality gaps, differences of nearly
 * equal sums. */
#ifndef HSP_KERNEL_TOTAL_H
#define HSP_KERNEL_TOTAL_H

#include <math.h>

typedef struct hsp_total {
    double sum, lost;
} hsp_total;

static inline void hsp_total_add(hsp_total *s, double x) {
    double sum = s->sum + x;
    s->lost += fabs(s->sum) >= fabs(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

static inline double hsp_total_of(hsp_total s) {
    return s.sum + s.lost;
}

#endif
