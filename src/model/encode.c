#include "base/error.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/features.h"
#include "data/schema.h"
#include "model/model.h"
#include "table/encoding.h"

#include <string.h>

int hsp_model_encode(const hsp_model *m, const hsp_data *data, int threads, hsp_data **own, hsp_error **err) {
    hsp_encoding *e = m->prepare.encoding;
    *own = NULL;
    if (!e || !data->frame || data->features == &e->features) return HSP_OK;
    return hsp_data_encode_by(data, &e->features, threads, own, err);
}

int hsp_data_encode_for(const hsp_model *m, const hsp_data *data, hsp_data **out, hsp_error **err) {
    int status = hsp_model_encode(m, data, hsp_pool_threads(0), out, err);
    if (!status) status = hsp_model_check_features(m, *out ? *out : data, err);
    if (status) {
        hsp_data_free(*out);
        *out = NULL;
    }
    return status;
}

/* An svmlight file has only the columns that occur in it, so their number may differ; in other formats it must match. */
int hsp_model_check_features(const hsp_model *m, const hsp_data *data, hsp_error **err) {
    const hsp_schema *has = &data->schema, *wants = &m->prepare.schema;
    bool open = has->format && strcmp(has->format, "svmlight") == 0;
    if (data->x.d != wants->d && !open)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "%lld features, but the model has %lld: read the data for the model", (long long)data->x.d,
                           (long long)wants->d);
    return hsp_schema_check_names(has, wants, "feature", hsp_data_place(data), err);
}
