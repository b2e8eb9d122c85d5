#include "model/model.h"
#include "read/reader.h"

int hsp_data_read_for(const hsp_model *m, const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                      hsp_error **err) {
    const hsp_read_for model = {hsp_prepare_columns(&m->prepare), hsp_prepare_labels(&m->prepare), m->prepare.regression,
                                m->prepare.encoding};
    return hsp_read_data(path, o, hooks, &model, out, err);
}
