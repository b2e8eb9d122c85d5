#include "data/data.h"
#include "data/schema.h"
#include "model/model.h"
#include "prepare/prepare.h"
#include "read/reader.h"

#include <string.h>

int hsp_data_read_for(const hsp_model *m, const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                      hsp_error **err) {
    const hsp_read_for model = {hsp_prepare_columns(&m->prepare), hsp_prepare_labels(&m->prepare), m->prepare.regression,
                                m->prepare.encoding};
    return hsp_read_data(path, o, hooks, &model, out, err);
}

static bool same_labels(const hsp_classes *a, const hsp_classes *b) {
    if (a->count != b->count) return false;
    for (int64_t k = 0; k < a->count; k++)
        if (strcmp(a->name[k], b->name[k]) != 0) return false;
    return true;
}

/* What a table gives depends on all that was learnt from another: rows may be left out, cells may be refused. */
int hsp_model_reads_alike(const hsp_model *m, const hsp_model *other) {
    const hsp_prepare *p = &m->prepare, *q = &other->prepare;
    if (m == other) return 1;
    return !p->encoding && !q->encoding && p->regression == q->regression && hsp_schema_same(&p->schema, &q->schema) &&
           same_labels(hsp_prepare_labels(p), hsp_prepare_labels(q));
}
