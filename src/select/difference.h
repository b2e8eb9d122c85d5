/* The mean difference of two algorithms over the same folds, and its confidence interval. */
#ifndef HSP_SELECT_DIFFERENCE_H
#define HSP_SELECT_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* lo and hi are NaN where no interval is known: fewer than two folds. */
typedef struct hsp_difference {
    double mean, lo, hi;
} hsp_difference;

/* Of a - b, with the 95 % interval of Nadeau and Bengio (interval.h): `count` values each, one for each fold of each repeat,
 * with `tested` and `trained` rows on average. 0 or HSP_EMEMORY. */
int hsp_difference_estimate(const double *a, const double *b, int64_t count, double tested, double trained,
                            hsp_difference *out);
/* Whether 0 lies in the interval; false where none is known. */
bool hsp_difference_is_open(const hsp_difference *d);

#endif
