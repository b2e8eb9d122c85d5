/* Weights, groups and times of the rows, and targets in place of labels. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/array_input.h"
#include "data/data.h"

#include <math.h>

/* ---- weights ---- */

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

/* Takes the weights over, also on failure. NULL: none. */
static int take_weights(hsp_data *data, double *own, hsp_error **err) {
    int status = own ? check_weights(own, data->x.n, err) : 0;
    if (status) {
        hsp_free(own);
        return status;
    }
    hsp_matrix_drop(&data->x, HSP_LENT_WEIGHT, data->weight);
    data->x.lent &= ~(unsigned)HSP_LENT_WEIGHT;
    data->weight = own;
    return 0;
}

int hsp_data_set_weights(hsp_data *data, const double *weights, hsp_error **err) {
    double *own = NULL;
    if (HSP_COPY(own, weights, data->x.n)) return hsp_fail_memory(err);
    return take_weights(data, own, err);
}

/* ---- targets ---- */

/* Takes the targets over, also on failure. */
static int take_targets(hsp_data *data, double *own, hsp_error **err) {
    for (int64_t i = 0; i < data->x.n; i++) {
        if (isfinite(own[i])) continue;
        hsp_free(own);
        return hsp_fail(err, HSP_EINPUT, "the target of row %lld (from 0) is not finite: give a number or remove the row",
                        (long long)i);
    }
    hsp_data_drop_labels(data);
    data->target = own;
    return 0;
}

int hsp_data_set_targets(hsp_data *data, const double *targets, hsp_error **err) {
    double *own = NULL;
    if (!targets) return hsp_fail(err, HSP_EUSAGE, "no targets were given: give a number for every row");
    if (HSP_COPY(own, targets, data->x.n)) return hsp_fail_memory(err);
    return take_targets(data, own, err);
}

/* ---- arrays ---- */

static int copy_numbers(const hsp_array *a, const char *name, int64_t n, double **out, hsp_error **err) {
    const hsp_array_form form = {name, 1, HSP_DTYPES_FLOAT | HSP_DTYPES_INTEGER, "numbers of another dtype"};
    int status = hsp_array_check_rows(a, &form, n, err);
    if (status) return status;
    if (!HSP_ALLOC(*out, n)) return hsp_fail_memory(err);
    hsp_array_numbers(a, 0, n, *out);
    return 0;
}

int hsp_data_set_weights_array(hsp_data *data, const hsp_array *weights, hsp_error **err) {
    double *own = NULL;
    int status = weights ? copy_numbers(weights, "weights", data->x.n, &own, err) : 0;
    return status ? status : take_weights(data, own, err);
}

int hsp_data_set_targets_array(hsp_data *data, const hsp_array *targets, hsp_error **err) {
    double *own = NULL;
    int status = copy_numbers(targets, "targets", data->x.n, &own, err);
    return status ? status : take_targets(data, own, err);
}

/* ---- groups and times ---- */

/* Numbers the groups in the order of their first rows. */
static int number_groups(const hsp_array *groups, int64_t n, int32_t *out, hsp_error **err) {
    enum { PIECE = 1024 };
    int64_t code[PIECE];
    hsp_intern *seen = NULL;
    int status = hsp_intern_new(&seen, err);
    for (int64_t from = 0; !status && from < n; from += PIECE) {
        int64_t some = n - from < PIECE ? n - from : PIECE;
        hsp_array_integers(groups, from, some, code);
        for (int64_t t = 0; !status && t < some; t++) {
            int64_t group = hsp_intern_add(seen, (const char *)&code[t], sizeof code[t], err);
            if (group < 0) status = (int)group;
            out[from + t] = (int32_t)group;
        }
    }
    hsp_intern_free(seen);
    return status;
}

int hsp_data_set_groups(hsp_data *data, const hsp_array *groups, hsp_error **err) {
    static const hsp_array_form form = {"groups", 1, HSP_DTYPES_INTEGER, "integers or bool"};
    int32_t *own = NULL;
    int status = groups ? hsp_array_check_rows(groups, &form, data->x.n, err) : 0;
    if (!status && groups && !HSP_ALLOC(own, data->x.n)) status = hsp_fail_memory(err);
    if (!status && groups) status = number_groups(groups, data->x.n, own, err);
    if (status) {
        hsp_free(own);
        return status;
    }
    hsp_free(data->group);
    data->group = own;
    return 0;
}

int hsp_data_set_times(hsp_data *data, const hsp_array *times, hsp_error **err) {
    double *own = NULL;
    int status = times ? copy_numbers(times, "times", data->x.n, &own, err) : 0;
    for (int64_t i = 0; !status && own && i < data->x.n; i++)
        if (!isfinite(own[i]))
            status = hsp_fail(err, HSP_EINPUT,
                              "the time of row %lld (from 0) is not finite: give a number or remove the row", (long long)i);
    if (status) {
        hsp_free(own);
        return status;
    }
    hsp_free(data->time);
    data->time = own;
    return 0;
}
