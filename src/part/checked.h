/* How the sums of the answer to check lie in a vector: all are pairs (pair_sum.h). Of one problem for each output: */
#ifndef HSP_PART_CHECKED_H
#define HSP_PART_CHECKED_H

#include "part/request.h"

/* With multipliers a = C c r of both signs, index 0 for a > 0 and 1 for a < 0; of losses whose multipliers are not bounded all
 * are of index 0. */
enum {
    HSP_CHECK_LOSS,      /* sum c loss */
    HSP_CHECK_TOTAL,     /* 2: |a|; unbounded: a */
    HSP_CHECK_DUAL = 3,  /* 2: sum k dual(a / k) */
    HSP_CHECK_MASS = 5,  /* k = C c */
    HSP_CHECK_LABELS,    /* k y */
    HSP_CHECK_SINGLE
};

/* Pair `which` of an output; then vectors of d pairs: 2 for each output, sum a x by sign; unbounded: sum a x and sum k x. */
static inline int64_t hsp_check_pair(int64_t output, int64_t which) {
    return 2 * (HSP_CHECK_SINGLE * output + which);
}
static inline int64_t hsp_check_vector(int64_t outputs, int64_t d, int64_t output, int64_t side) {
    return 2 * (HSP_CHECK_SINGLE * outputs + (2 * output + side) * d);
}
/* A joint problem: loss and dual; for each class the sum of its multipliers and the mass of its rows; then 2 vectors for each
 * class: sum a_k x, and sum k x over its own rows. */
static inline int64_t hsp_check_joint_class(int64_t class, int64_t which) {
    return 2 * (2 + 2 * class + which);
}
static inline int64_t hsp_check_joint_vector(int64_t classes, int64_t d, int64_t class, int64_t which) {
    return 2 * (2 + 2 * classes + (2 * class + which) * d);
}

#endif
