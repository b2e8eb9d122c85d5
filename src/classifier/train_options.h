/* The options of a fit against its classifier, before anything is computed. */
#ifndef HSP_CLASSIFIER_TRAIN_OPTIONS_H
#define HSP_CLASSIFIER_TRAIN_OPTIONS_H

#include "data/data.h"
#include "fit/fit.h"
#include "halfspace.h"

/* The classifier that the options name, or the default for classes or for numbers. */
int hsp_train_find(const hsp_options *o, bool regression, const hsp_classifier **out, hsp_error **err);
/* Whether the algorithm, chosen or default, could also predict numbers. */
bool hsp_train_regresses(const hsp_options *o);
/* Refuses options that the classifier does not use, or that conflict, and a task that is not its own. Of the data only the
 * kind of target counts. */
int hsp_train_check_options(const hsp_classifier *c, const hsp_data *data, const hsp_options *o, hsp_error **err);
/* Fills in the defaults of the classifier. */
int hsp_train_defaults(const hsp_classifier *c, hsp_options *o, hsp_error **err);

#endif
