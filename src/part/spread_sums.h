/* The spread of columns as sums that two blocks join without cancellation: the number of rows, then for each column its mean,
 * the sum of the squared deviations from it, the least and the greatest value. Zeros count, and the weights of rows do not, as
 * in the scaling of data in memory. */
#ifndef HSP_PART_SPREAD_SUMS_H
#define HSP_PART_SPREAD_SUMS_H

#include <stdint.h>

/* Where the numbers of each kind begin. */
enum { HSP_SPREAD_ROWS, HSP_SPREAD_COLUMNS };
static inline int64_t hsp_spread_mean(int64_t columns) {
    (void)columns;
    return HSP_SPREAD_COLUMNS;
}
static inline int64_t hsp_spread_squares(int64_t columns) {
    return HSP_SPREAD_COLUMNS + columns;
}
static inline int64_t hsp_spread_least(int64_t columns) {
    return HSP_SPREAD_COLUMNS + 2 * columns;
}
static inline int64_t hsp_spread_greatest(int64_t columns) {
    return HSP_SPREAD_COLUMNS + 3 * columns;
}
/* The numbers of such a vector; -1: too many. */
int64_t hsp_spread_length(int64_t columns);
void hsp_spread_join(int64_t columns, double *left, const double *right);

#endif
