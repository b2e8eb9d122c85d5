/* Weights of the rows, and targets in place of labels. */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"

#include <math.h>

static int check_weights(const double *weights, int64_t n, hsp_error **err) {
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(weights[i]) || weights[i] < 0)
            return hsp_fail(err, HSP_EINPUT, "the weight of row %lld (from 0) is %s: give a finite weight of at least 0",
                            (long long)i, isfinite(weights[i]) ? "negative" : "not finite");
        any = any || weights[i] > 0;
    }
    return any ? 0 : hsp_fail(err, HSP_EINPUT, "all weights are 0: give at least one row a positive weight");
}

int hsp_data_set_weights(hsp_data *data, const double *weights, hsp_error **err) {
    double *own = NULL;
    if (weights) {
        int status = check_weights(weights, data->x.n, err);
        if (status) return status;
        if (HSP_COPY(own, weights, data->x.n)) return hsp_fail_memory(err);
    }
    hsp_matrix_drop(&data->x, HSP_LENT_WEIGHT, data->weight);
    data->x.lent &= ~(unsigned)HSP_LENT_WEIGHT;
    data->weight = own;
    return 0;
}

int hsp_data_set_targets(hsp_data *data, const double *targets, hsp_error **err) {
    if (!targets) return hsp_fail(err, HSP_EUSAGE, "no targets were given: give a number for every row");
    for (int64_t i = 0; i < data->x.n; i++)
        if (!isfinite(targets[i]))
            return hsp_fail(err, HSP_EINPUT,
                            "the target of row %lld (from 0) is not finite: give a number or remove the row", (long long)i);
    double *own = NULL;
    if (HSP_COPY(own, targets, data->x.n)) return hsp_fail_memory(err);
    hsp_data_drop_labels(data);
    data->target = own;
    return 0;
}
