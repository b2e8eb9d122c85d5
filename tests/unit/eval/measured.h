/* The metrics of a model on data, for the tests. */
#ifndef TESTS_MEASURED_H
#define TESTS_MEASURED_H

#include "eval/metrics.h"
#include "model/handmade.h"

/* The caller's to clear. */
static inline hsp_metrics metrics_of(const hsp_model *m, const hsp_data *data) {
    hsp_metrics x;
    hsp_error *err = NULL;
    int status = hsp_metrics_compute(m, data, NULL, &x, &err);
    handmade_ok(status, err);
    return x;
}

static inline void set_weights(hsp_data *data, const double *weight) {
    hsp_error *err = NULL;
    int status = hsp_data_set_weights(data, weight, &err);
    handmade_ok(status, err);
}

#endif
