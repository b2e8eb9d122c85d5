#include "model/model.h"
#include "read/reader.h"

int hsp_data_read_for(const hsp_model *m, const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                      hsp_error **err) {
    return hsp_read_data(path, o, hooks, &m->prepare.schema, &m->prepare.classes, out, err);
}
