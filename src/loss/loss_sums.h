/* The losses of two classes at the scores of a model, whichever loss it was trained with: sums over rows. */
#ifndef HSP_LOSS_LOSS_SUMS_H
#define HSP_LOSS_LOSS_SUMS_H

#include "base/json.h"

enum { HSP_LOSS_SUMS = 6 };

/* In the order of the report: zero_one, perceptron, hinge, squared_hinge, logistic, squared. */
typedef struct hsp_loss_sums {
    double sum[HSP_LOSS_SUMS];
} hsp_loss_sums;

/* Adds `weight` times the losses of a row with the target y (-1 or 1) and the score g. zero_one counts y g <= 0, so it may
 * differ from the errors at g = 0. A row of weight 0 adds nothing. A sum that would overflow stays at the largest double. */
void hsp_loss_sums_add(hsp_loss_sums *s, double weight, double y, double g);
/* The same for `count` rows; weight NULL: all 1. The last bits of single losses may differ: blocks use vector kernels. */
void hsp_loss_sums_add_rows(hsp_loss_sums *s, const double *weight, const double *y, const double *g, int64_t count);
/* Adds the sums of other rows. */
void hsp_loss_sums_merge(hsp_loss_sums *s, const hsp_loss_sums *other);
/* Writes the member `losses`: the weighted mean and sum of each; `mass` is the sum of the weights. */
void hsp_loss_sums_report(const hsp_loss_sums *s, double mass, hsp_json *j);

#endif
