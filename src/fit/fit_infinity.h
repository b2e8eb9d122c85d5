/* Fits whose optimum may lie at infinity: those without a penalty whose loss is never 0. */
#ifndef HSP_FIT_FIT_INFINITY_H
#define HSP_FIT_FIT_INFINITY_H

#include "fit/fit.h"
#include "halfspace.h"

/* Tests the separability of each output of a fit without penalty, corrects the results, and warns if the optimum lies or
 * may lie at infinity. joint: one problem of all outputs. */
int hsp_fit_heed_infinity(hsp_fit *f, bool joint, hsp_error **err);

#endif
