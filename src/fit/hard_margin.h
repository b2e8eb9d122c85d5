/* The hard margin: the widest street between two classes that has no row in it. */
#ifndef HSP_FIT_HARD_MARGIN_H
#define HSP_FIT_HARD_MARGIN_H

#include "fit/fit.h"
#include "halfspace.h"
#include "problem/problem.h"

/* Solves output k, whose proof of separability is in f->out.proofs: weights, intercept, multipliers and result. */
int hsp_fit_hard_margin(hsp_fit *f, int64_t k, hsp_intercept intercept, double deadline, hsp_error **err);
/* The weights as they will be written must keep every row out of the street, too: rounding may have let one in by a hair.
 * Sets f->out.infeasible when there are no such weights in double precision. */
int hsp_fit_clear_street(hsp_fit *f, int64_t k, hsp_error **err);

#endif
