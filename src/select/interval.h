/* What the values of a metric in the folds say about its mean. */
#ifndef HSP_SELECT_INTERVAL_H
#define HSP_SELECT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* The p-quantile, 0 < p < 1, of Student's distribution with df >= 1 degrees of freedom, to about 14 digits. */
double hsp_student_quantile(double p, int64_t df);

/* NaN where undefined: sd, standard error and interval of a single value, everything if a value is NaN. */
typedef struct hsp_fold_summary {
    double mean;
    double sd;             /* divisor count - 1 */
    double standard_error; /* sd / sqrt(folds): repeats test the same rows again, so they do not lower it */
    double lower, upper;   /* the 95 % interval of the mean */
} hsp_fold_summary;

/* Of the values v[i * stride], i < count, that are used (NULL: all), from folds of `tested` rows whose models were trained on
 * `trained` rows, on average. The training sets overlap, so the values are not independent, and the interval is that of Nadeau
 * and Bengio (2003, Inference for the generalization error), with their correction of the variance of the mean:
 *     mean -+ t sd sqrt(1 / count + tested / trained),   t the 0.975-quantile with count - 1 degrees of freedom. */
hsp_fold_summary hsp_summarise_folds(const double *v, const bool *used, int64_t count, int64_t stride, int64_t folds,
                                     double tested, double trained);

#endif
