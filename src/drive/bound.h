/* A lower bound of the optimum from the sums of a round. */
#ifndef HSP_DRIVE_BOUND_H
#define HSP_DRIVE_BOUND_H

#include "drive/drive_problem.h"

/* gradient: width x (d + 1) of the losses at a point whose multipliers r = -slope have the conjugate sum `dual`, without C.
 * figure: the problem. NaN: no bound is known. */
double hsp_drive_bound(hsp_drive_problem *p, int64_t figure, const double *gradient, double dual);

#endif
