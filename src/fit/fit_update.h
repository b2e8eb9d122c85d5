/* Partial fits: one pass of an update rule over new rows, which continues the weights, the step sizes and the random numbers of
 * a start. Its classes, features and scaling are those of the start; without one the first rows set them, and classes that
 * the data declare need no rows. */
#ifndef HSP_FIT_FIT_UPDATE_H
#define HSP_FIT_FIT_UPDATE_H

#include "fit/fit.h"
#include "halfspace.h"
#include "prepare/prepare.h"
#include "problem/point.h"

/* Whether the algorithm has an update rule, and the options have a meaning for one pass. Takes over the step sizes, the
 * schedule and lambda of a start that was updated by the same algorithm, where the options do not set them. Does nothing, like
 * the others, unless job.update. HSP_EUSAGE. */
int hsp_fit_update_options(hsp_fit *f, hsp_error **err);
/* The preparation: that of the start, or learnt from these rows. HSP_EUSAGE, HSP_EINPUT. */
int hsp_fit_update_prepare(hsp_fit *f, hsp_prepare *out, hsp_error **err);
/* The classes of the rows in the numbering of the start. HSP_EINPUT: a label that it does not have. */
int hsp_fit_update_classes(hsp_fit *f, hsp_error **err);
/* The average of the weights after every visit of a row, over all passes; in the design's units, outputs x (d + 1), the last
 * one that of the intercept. */
typedef struct hsp_running_average {
    double *mean;  /* owned by the caller; NULL: no pass yet, then allocated */
    double *count; /* likewise, outputs: visits */
    int64_t outputs, columns;
} hsp_running_average;
/* Adds the average of `count` visits of output k. HSP_EMEMORY: there is no room for the first. */
int hsp_running_average_add(hsp_running_average *a, int64_t k, const hsp_point *of, double count, hsp_error **err);

/* All classes are updated, those without rows too. Sets the counters. */
int hsp_fit_update_begin(hsp_fit *f, hsp_error **err);
/* Stores the counters among the arrays of the model. */
int hsp_fit_update_end(hsp_fit *f, hsp_error **err);

#endif
