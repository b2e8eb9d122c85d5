/* Moments of the classes of a fit, and what of them travels in its model. */
#ifndef HSP_FIT_FIT_MOMENTS_H
#define HSP_FIT_FIT_MOMENTS_H

#include "fit/fit.h"
#include "halfspace.h"
#include "moments/class_moments.h"

/* The rows of the fit, as moments take them. */
hsp_class_rows hsp_fit_class_rows(const hsp_fit *f);
/* Extras class-mass and class-means, and class-covariances when `scatter` (K scatters, K*d x d, taken over in any case) is
 * not NULL; all in original units. HSP_EINPUT when the means are out of the range of double there; covariances that are
 * stay away, with a warning. */
int hsp_fit_store_moments(hsp_fit *f, const hsp_class_moments *m, double *scatter, hsp_error **err);
/* Adds an array (taken over in any case) to the extras of the fit. HSP_EINPUT when a number of it is not finite. */
int hsp_fit_add_extra(hsp_fit *f, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err);

#endif
