/* How much each row and class of a fit counts. */
#ifndef HSP_FIT_CLASS_WEIGHT_H
#define HSP_FIT_CLASS_WEIGHT_H

#include "fit/fit.h"
#include "halfspace.h"

/* Sets class_weight, c, count and absent of f->rows. */
int hsp_fit_weigh(hsp_fit *f, hsp_error **err);
/* Whether no row with weight is of class k: it is there by name only, and never predicted. */
bool hsp_fit_absent(const hsp_fit *f, int64_t k);

#endif
