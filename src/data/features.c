#include "data/features.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"

/* Copies what does not come from the cells: labels, weights, source. */
static int copy_rest(const hsp_data *data, hsp_data *out, hsp_error **err) {
    int64_t n = data->x.n;
    int status = hsp_classes_copy(&data->classes, &out->classes, err);
    if (status) return status;
    out->read_seconds = data->read_seconds;
    if (hsp_copy_string(&out->source, data->source) || hsp_copy_string(&out->assumed, data->assumed) ||
        HSP_COPY(out->y, data->y, n) || HSP_COPY(out->target, data->target, n) || HSP_COPY(out->weight, data->weight, n) ||
        HSP_COPY(out->group, data->group, n) || HSP_COPY(out->time, data->time, n))
        return hsp_fail_memory(err);
    return HSP_OK;
}

/* Columns are encoded by position: the table must have the columns of the encoding in the same places. */
static int check_columns(const hsp_data *data, hsp_features *f, hsp_error **err) {
    const hsp_schema *has = &data->frame->schema, *wants = f->type->columns(f);
    if (has->d != wants->d)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "%lld column%s, but the model has %lld: read the data for the model", (long long)has->d,
                           has->d == 1 ? "" : "s", (long long)wants->d);
    return hsp_schema_check_names(has, wants, "column", hsp_data_place(data), err);
}

int hsp_data_encode_by(const hsp_data *data, hsp_features *f, int threads, hsp_data **out, hsp_error **err) {
    *out = NULL;
    int status = check_columns(data, f, err);
    if (!status) status = f->type->encode(f, data->frame, data->source, threads, out, err);
    if (status) return status;
    hsp_free((*out)->source);
    (*out)->source = NULL;
    status = copy_rest(data, *out, err);
    if (status) {
        hsp_data_free(*out);
        *out = NULL;
    }
    return status;
}

int hsp_data_learn_again(const hsp_data *data, int threads, hsp_data **out, hsp_error **err) {
    *out = NULL;
    if (!data->frame || !data->features || data->learnt_here) return HSP_OK;
    hsp_features *f = NULL;
    int status = data->features->type->learn(data->features, data->frame, threads, &f, err);
    if (!status) status = hsp_data_encode_by(data, f, threads, out, err);
    if (!status) (*out)->learnt_here = true;
    hsp_features_release(f);
    return status;
}
