/* Classifiers: one file for each name in `halfspace list algorithms`, and one line in classifier_table.c. Most consist of a
 * loss, a penalty and a solver. */
#ifndef HSP_CLASSIFIER_CLASSIFIER_H
#define HSP_CLASSIFIER_CLASSIFIER_H

#include "data/data.h"
#include "fit/fit.h"
#include "fit/fit_update.h"
#include "halfspace.h"
#include "model/model.h"

extern const hsp_classifier *const hsp_classifier_table[]; /* NULL-terminated */
const hsp_classifier *hsp_classifier_find(const char *name);
/* The name of the algorithm: that of the options, which may be unknown, or the default for classes or for numbers. */
const char *hsp_classifier_chosen(const hsp_options *o, bool regression);
/* The default that the classifier gives an option; NULL: none. */
const char *hsp_classifier_default(const hsp_classifier *c, const char *option);
extern const hsp_classifier hsp_classifier_nearest_mean, hsp_classifier_least_squares, hsp_classifier_ridge,
    hsp_classifier_perceptron, hsp_classifier_gradient_descent, hsp_classifier_sgd, hsp_classifier_minibatch,
    hsp_classifier_fisher, hsp_classifier_logistic, hsp_classifier_lda, hsp_classifier_svm, hsp_classifier_hard_svm,
    hsp_classifier_lasso, hsp_classifier_elastic_net, hsp_classifier_mlp;

/* hsp_train for one fit of a path of decreasing lambda on the same rows. With an L1 penalty, it warm-starts from the
 * weights of the previous fit (NULL: the first). Where the optimum is not unique, it always selects the same one. */
int hsp_train_after(const hsp_data *data, const hsp_options *o, const hsp_model *before, hsp_model **model,
                    hsp_error **err);

/* hsp_train_from with HSP_JOB_UPDATE, for passes that follow each other; average (NULL: not wanted): of the weights of all of
 * them, to which this one is added. The model has the last weights. */
int hsp_train_pass(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const hsp_model *start,
                   hsp_running_average *average, hsp_model **model, hsp_report **report, hsp_error **err);

/* hsp_train for a model that is only scored, as in cross-validation: the same weights, but for the last bits of an svm, without
 * certificate, report, data hash and training error. *model is NULL where no hard margin exists. */
int hsp_train_plain(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                    hsp_plain_fit *out, hsp_error **err);
/* The same without calibration and decision rule, whatever the options say: a fold of cross_fit.h. */
int hsp_train_fold(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model, hsp_plain_fit *out,
                   hsp_error **err);
/* hsp_train for a classifier that is not in the table, whose `fit` finds `context` (not NULL) in the job and leaves its results
 * there. The model has no certificate, report, data hash and training error. */
int hsp_train_special(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const hsp_classifier *c,
                      void *context, hsp_model **model, hsp_error **err);

#endif
