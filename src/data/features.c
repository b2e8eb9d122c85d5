#include "data/features.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"

#include <string.h>

/* A copy of n items, or NULL when there are none. 0 or HSP_EMEMORY. */
static int copy_items(const void *from, int64_t n, size_t size, void *out) {
    void *to = from ? hsp_alloc(n > 0 ? n : 1, size) : NULL;
    if (from && !to) return HSP_EMEMORY;
    if (from && n > 0) memcpy(to, from, (size_t)n * size);
    memcpy(out, &to, sizeof to);
    return 0;
}

/* What is not in the cells. */
static int copy_rest(const hsp_data *data, hsp_data *out, hsp_error **err) {
    int64_t n = data->x.n;
    int status = hsp_classes_copy(&data->classes, &out->classes, err);
    if (status) return status;
    out->source = hsp_strdup(data->source);
    out->assumed = hsp_strdup(data->assumed);
    out->read_seconds = data->read_seconds;
    bool failed = (data->source && !out->source) || (data->assumed && !out->assumed);
    if (failed || copy_items(data->y, n, sizeof *data->y, &out->y) ||
        copy_items(data->target, n, sizeof *data->target, &out->target) ||
        copy_items(data->weight, n, sizeof *data->weight, &out->weight))
        return hsp_fail_memory(err);
    return HSP_OK;
}

/* Cells are encoded by where they stand: each must be in the column that was learnt there. */
static int check_columns(const hsp_data *data, hsp_features *f, hsp_error **err) {
    const hsp_schema *has = &data->frame->schema, *wants = f->type->columns(f);
    if (has->d != wants->d)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "has %lld column%s, the model %lld: read it for the model", (long long)has->d,
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
