#include "plot/part/chart.h"

#include "halfspace_internal.h"

#include <string.h>

const char *hsp_chart_title(const hsp_chart_input *in, const char *own) {
    const char *title = hsp_options_get(in->o, "title");
    return title && *title ? title : own;
}

const hsp_data *hsp_chart_data(const hsp_chart_input *in, int64_t i) {
    return in->model_data && in->model_data[i] ? in->model_data[i] : in->data;
}

int hsp_chart_check_positive(const hsp_chart_input *in, hsp_error **err) {
    int64_t first = -1;
    for (int64_t i = 0; i < in->models; i++) {
        if (hsp_model_outputs(in->model[i]) > 1) continue;
        if (first < 0) first = i;
        const char *a = hsp_model_class_name(in->model[first], hsp_model_positive(in->model[first]));
        const char *b = hsp_model_class_name(in->model[i], hsp_model_positive(in->model[i]));
        if (a && b && strcmp(a, b) != 0)
            return hsp_fail(err, HSP_EUSAGE,
                            "the positive class of '%.60s' is '%.60s', that of '%.60s' is '%.60s': train both with the "
                            "same --positive, or draw each separately",
                            in->name[first], a, in->name[i], b);
    }
    return HSP_OK;
}

int hsp_chart_arrays(const hsp_report *s, const hsp_chart_array *wanted, size_t n, hsp_error **err) {
    for (size_t i = 0; i < n; i++) {
        hsp_array a = {.size = sizeof a};
        int status = hsp_report_array(s, wanted[i].name, &a, err);
        if (status != HSP_OK) return status;
        *wanted[i].to = a.data;
        if (wanted[i].rows) *wanted[i].rows = a.shape[0];
    }
    return HSP_OK;
}
