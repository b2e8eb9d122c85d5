#include "select/baseline.h"

#include "base/error.h"
#include "base/memory.h"
#include "prepare/prepare.h"

#include <math.h>

static double weight_of(const hsp_data *data, int64_t i) {
    return data->weight ? data->weight[i] : 1;
}

static double mean_target(const hsp_data *data) {
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        sum += weight_of(data, i) * data->target[i];
        mass += weight_of(data, i);
    }
    return sum / mass;
}

/* The logarithms of the shares; of a class without rows one that is as good as 0, but finite. */
static int set_intercepts(hsp_model *m, const hsp_data *data, hsp_error **err) {
    const double least = -700;
    int64_t K = m->prepare.classes.count;
    double *mass = hsp_alloc_zero(K, sizeof *mass), all = 0;
    if (!mass) return hsp_fail_memory(err);
    for (int64_t i = 0; i < data->x.n; i++) {
        int32_t y = data->y[i];
        mass[m->prepare.merged ? m->prepare.merged[y] : y] += weight_of(data, i);
        all += weight_of(data, i);
    }
    for (int64_t k = 0; k < K; k++) mass[k] = fmax(log(mass[k] / all), least);
    if (m->outputs == 1)
        m->b[0] = mass[m->prepare.positive] - mass[1 - m->prepare.positive];
    else
        for (int64_t k = 0; k < K; k++) m->b[k] = mass[k];
    hsp_free(mass);
    return HSP_OK;
}

int hsp_baseline_fit(const hsp_data *data, const hsp_options *o, hsp_model **out, hsp_error **err) {
    hsp_prepare prepare = {0};
    *out = NULL;
    int status = hsp_prepare_fit(data, o, &prepare, err);
    if (status) return status;
    int64_t outputs = prepare.classes.count <= 2 ? 1 : prepare.classes.count;
    hsp_model *m = NULL;
    status = hsp_model_new(&prepare, "majority", outputs, &m, err);
    if (!status && data->target)
        m->b[0] = mean_target(data);
    else if (!status) {
        m->link = outputs == 1 ? HSP_LINK_LOGISTIC : HSP_LINK_SOFTMAX;
        status = set_intercepts(m, data, err);
    }
    hsp_prepare_clear(&prepare);
    if (status)
        hsp_model_free(m);
    else
        *out = m;
    return status;
}
