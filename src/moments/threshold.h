/* The threshold on a line that separates two classes with the fewest mistakes. */
#ifndef HSP_MOMENTS_THRESHOLD_H
#define HSP_MOMENTS_THRESHOLD_H

#include "halfspace.h"
#include "moments/class_moments.h"

/* z (n): the positions of the rows; those above the threshold are predicted as class `plus`. total: of their weights. */
int hsp_threshold_fewest_mistakes(const hsp_class_rows *set, const double *z, int64_t plus, double total, double *threshold,
                                  hsp_error **err);

#endif
