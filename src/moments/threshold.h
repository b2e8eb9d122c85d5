/* The threshold on a line that tells two classes apart with the fewest mistakes. */
#ifndef HSP_MOMENTS_THRESHOLD_H
#define HSP_MOMENTS_THRESHOLD_H

#include "halfspace.h"
#include "moments/class_moments.h"

/* z (n): the places of the rows; above the threshold they are called class `plus`. total: of their weights. */
int hsp_threshold_fewest_mistakes(const hsp_class_rows *set, const double *z, int64_t plus, double total, double *threshold,
                                  hsp_error **err);

#endif
