/* The sums of the answer to metrics. */
#ifndef HSP_PART_METRIC_SUMS_H
#define HSP_PART_METRIC_SUMS_H

#include "loss/loss_sums.h"

enum {
    HSP_METRIC_MASS,
    HSP_METRIC_RIGHT,
    HSP_METRIC_SQUARES,
    HSP_METRIC_LOSSES, /* HSP_LOSS_SUMS of them */
    HSP_METRICS = HSP_METRIC_LOSSES + HSP_LOSS_SUMS
};

#endif
