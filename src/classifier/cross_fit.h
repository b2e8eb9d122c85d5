/* Scores of rows by models that were not trained on them: the rows are divided into folds, and a model of the other folds
 * scores each. What a model learns besides its weights, such as the encoding of a table, is learnt from the other folds. */
#ifndef HSP_CLASSIFIER_CROSS_FIT_H
#define HSP_CLASSIFIER_CROSS_FIT_H

#include "calibrate/calibration.h"
#include "fit/fit.h"
#include "halfspace.h"

typedef struct hsp_cross_fit {
    int64_t n, outputs, folds;
    int32_t *fold; /* n: the fold that tests the row; -1: none, or the row has no weight, and its numbers are not set */
    double *score; /* n x outputs, as the method takes them (hsp_model_calibration_scores) */
    double *own;   /* n x outputs: probabilities of the models themselves, with one output of the positive class; or NULL */
    bool cancelled;       /* the rest is not complete */
    int64_t late, missed; /* fits that --max-seconds ended, and others that missed their tolerance */
} hsp_cross_fit;

/* HSP_EINPUT if some class has fewer rows of positive weight than there are folds. Cheap. */
int hsp_cross_fit_check(const hsp_fit *f, hsp_error **err);
/* Trains as `o` says, a model for each of the option calibrate-folds, on all threads. m: the model of all rows. method NULL:
 * scores as they are. Groups and times of the data apply. The caller clears *out in any case. */
int hsp_cross_fit_run(const hsp_fit *f, const hsp_model *m, const hsp_options *o, const hsp_calibration_method *method,
                      hsp_cross_fit *out, hsp_error **err);
void hsp_cross_fit_clear(hsp_cross_fit *c);

#endif
