/* Fits whose optimum may lie at infinity: without a penalty, of a loss that is never 0. */
#ifndef HSP_FIT_FIT_INFINITY_H
#define HSP_FIT_FIT_INFINITY_H

#include "fit/fit.h"
#include "halfspace.h"

/* Without a penalty asks for each output whether its classes are separable, and corrects what the results say of their
 * optimum; then the warnings that it is at infinity, or may be. joint: one problem of all outputs. */
int hsp_fit_heed_infinity(hsp_fit *f, bool joint, hsp_error **err);

#endif
