#include "model/model.h"

#include "table/again.h"

int hsp_model_encode(const hsp_model *m, const hsp_data *data, int threads, hsp_data **own, hsp_error **err) {
    hsp_encoding *e = m->prepare.encoding;
    *own = NULL;
    if (!e || !data->frame || data->encoding == &e->shared) return HSP_OK;
    return hsp_data_encode_by(data, e, threads, own, err);
}
