#include "explain/recorded.h"

#include "base/error.h"
#include <string.h>

/* From original units to the design's. */
static void convert(const hsp_derivation *v, const hsp_update *u, hsp_recorded_update *out) {
    const double *shift = v->prepare.shift, *factor = v->prepare.factor;
    out->b = u->intercept;
    for (int64_t j = 0; j < v->rows.d; j++) {
        out->w[j] = factor ? u->weights[j] / factor[j] : u->weights[j];
        if (shift) out->b += u->weights[j] * shift[j];
    }
    if (!u->has_intercept) out->b = 0;
}

static int record_update(void *user, const hsp_update *u) {
    hsp_recorded *r = user;
    if (u->problem < r->v->k) return 0;
    if (u->problem > r->v->k || r->count == r->most) return 1;
    hsp_recorded_update *out = &r->update[r->count++];
    out->row = u->row;
    out->y = u->y;
    out->score = u->score;
    out->step = u->step;
    out->loss = u->loss;
    out->rows = u->rows && u->row_count <= HSP_RECORDED_ROWS ? u->row_count : 0;
    for (int64_t i = 0; i < out->rows; i++) out->batch[i] = u->rows[i];
    convert(r->v, u, out);
    return r->count == r->most;
}

int hsp_record_updates(hsp_derivation *v, int64_t most, hsp_recorded *out, hsp_error **err) {
    hsp_model *model = NULL;
    hsp_report *report = NULL;
    int64_t size = ((int64_t)sizeof *out->update * most + 7) / 8;
    double *weights = hsp_derivation_zeros(v, most * v->rows.d);
    *out = (hsp_recorded){.v = v, .most = most, .update = (hsp_recorded_update *)hsp_derivation_zeros(v, size)};
    if (!out->update || !weights) return hsp_fail_memory(err);
    for (int64_t i = 0; i < most; i++) out->update[i].w = weights + i * v->rows.d;
    hsp_hooks hooks = {.size = sizeof hooks, .user = out, .update = record_update};
    int status = hsp_train(v->data, v->options, &hooks, &model, &report, err);
    hsp_model_free(model);
    hsp_report_free(report);
    return status;
}
