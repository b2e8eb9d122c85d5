/* The calibration and the decision rule of a model that was just fitted, from scores of rows that were not trained on
 * (cross_fit.h). */
#ifndef HSP_CLASSIFIER_CALIBRATE_MODEL_H
#define HSP_CLASSIFIER_CALIBRATE_MODEL_H

#include "fit/fit.h"
#include "halfspace.h"
#include "model/model.h"

/* Before the fit: checks the options calibrate, calibrate-folds and decide as far as they can be. */
int hsp_calibrate_check(const hsp_fit *f, hsp_error **err);
/* Sets the calibration and the decision rule of m as the options ask, and their parts of the report. `o`: the options that
 * were given, for the fits of the folds. An interrupt leaves the model without them and sets f->notes.interrupted. */
int hsp_calibrate_model(hsp_fit *f, hsp_model *m, const hsp_options *o, hsp_error **err);

#endif
