/* The hard margin: the separating plane of two classes with the largest margin width 2/|w|. */
#ifndef HSP_FIT_HARD_MARGIN_H
#define HSP_FIT_HARD_MARGIN_H

#include "fit/fit.h"
#include "halfspace.h"
#include "problem/problem.h"

/* Solves output k, whose proof of separability is in f->out.proofs: weights, intercept, multipliers and result. */
int hsp_fit_hard_margin(hsp_fit *f, int64_t k, hsp_intercept intercept, double deadline, hsp_error **err);
/* Ensures that the weights still satisfy y g >= 1 for every row after rounding to the written precision. Sets
 * f->out.infeasible if no such weights exist in double precision. */
int hsp_fit_clear_margin(hsp_fit *f, int64_t k, hsp_error **err);

#endif
