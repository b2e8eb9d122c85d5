/* Warm starts: training that begins at the weights of a model. */
#ifndef HSP_FIT_FIT_WARM_H
#define HSP_FIT_FIT_WARM_H

#include "fit/fit.h"
#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"

/* Whether the fit can begin at job.start: an algorithm that iterates, and a model of the same features and classes. Sets the
 * rules to that start. HSP_EUSAGE, HSP_EINPUT. Does nothing without a start. */
int hsp_fit_check_start(hsp_fit *f, hsp_error **err);
/* Fill the start of a problem, whose output t is output class[t] of the fit: the weights of the model in the design's units,
 * and, if `point` has multipliers, those of the model or those that follow from its weights. Without a start they do
 * nothing. */
void hsp_fit_warm_weights(const hsp_fit *f, const hsp_problem *p, const int64_t *class, hsp_point *point);
void hsp_fit_warm_multipliers(const hsp_fit *f, hsp_problem *p, const int64_t *class, hsp_point *point);

#endif
