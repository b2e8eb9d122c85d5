/* Moments of the classes of a fit, and those of them that the model stores. */
#ifndef HSP_FIT_FIT_MOMENTS_H
#define HSP_FIT_FIT_MOMENTS_H

#include "fit/fit.h"
#include "halfspace.h"
#include "moments/class_moments.h"

/* The rows of the fit, as input of the moments. */
hsp_class_rows hsp_fit_class_rows(const hsp_fit *f);
/* Adds the extras class-mass and class-means and, unless `scatter` (K scatters, K*d x d, always taken over) is NULL,
 * class-covariances; all in original units. HSP_EINPUT if a mean is out of the range of double there. Covariances out of
 * range are left out, with a warning. */
int hsp_fit_store_moments(hsp_fit *f, const hsp_class_moments *m, double *scatter, hsp_error **err);
/* Adds an array (always taken over) to the extras of the fit. HSP_EINPUT if a value is not finite. */
int hsp_fit_add_extra(hsp_fit *f, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err);

#endif
