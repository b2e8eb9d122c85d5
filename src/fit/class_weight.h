/* The weights of the rows and classes of a fit. */
#ifndef HSP_FIT_CLASS_WEIGHT_H
#define HSP_FIT_CLASS_WEIGHT_H

#include "fit/fit.h"
#include "halfspace.h"

/* Sets f->rows.class_weight from the options; it stays NULL if they set none. mass: the weight of each class, from the row
 * weights alone. */
int hsp_fit_class_weights(hsp_fit *f, const double *mass, hsp_error **err);
/* Sets class_weight, c, count and absent of f->rows. */
int hsp_fit_weigh(hsp_fit *f, hsp_error **err);
/* Whether class k has no row of positive weight. Such a class has a name but is never predicted. */
bool hsp_fit_absent(const hsp_fit *f, int64_t k);

#endif
