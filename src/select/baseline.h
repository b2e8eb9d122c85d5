/* The baseline of a comparison: a model that uses no features. */
#ifndef HSP_SELECT_BASELINE_H
#define HSP_SELECT_BASELINE_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"

/* A model of zero weights, which predicts for every row the class of most weight among the training rows, with the shares of
 * the classes as probabilities; for regression the mean of the targets. Options: positive, task. Class weights do not count.
 * The errors are those of hsp_prepare_fit. */
int hsp_baseline_fit(const hsp_data *data, const hsp_options *o, hsp_model **out, hsp_error **err);

#endif
