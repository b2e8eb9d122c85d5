/* What models of class means add to the study "projection": means and covariances in the plane of two features, and for lda the
 * normal densities along the discriminant with the posterior. */
#ifndef HSP_STUDY_CLASS_GAUSSIANS_H
#define HSP_STUDY_CLASS_GAUSSIANS_H

#include "halfspace.h"
#include "study/study.h"

/* For a model of two classes: adds plane_means and, if the model has them, plane_covariances, with two features; and for lda
 * density_at, density, expected, posterior and density_sd over the range of `edges`, whose `bins` bars show the rows. norm:
 * |w|. Adds nothing for other models. */
int hsp_class_gaussians_add(const hsp_study_input *in, long double norm, const double *edges, int64_t bins, hsp_study *s,
                            hsp_error **err);

#endif
