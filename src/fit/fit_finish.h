#ifndef HSP_FIT_FIT_FINISH_H
#define HSP_FIT_FIT_FINISH_H

#include "fit/fit.h"
#include "fit/fit_report.h"
#include "halfspace.h"
#include "model/model.h"

/* Certifies the model of a fit (fit_certify.h), and adds to it the hash of the data and, but on a path, means and standard
 * deviations of the features; computes the training error. */
int hsp_fit_finish(hsp_fit *f, hsp_model *m, hsp_training_figures *figures, hsp_error **err);

#endif
