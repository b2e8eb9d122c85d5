#include "data/data.h"
#include "data/schema.h"
#include "model/model.h"
#include "prepare/prepare.h"
#include "read/reader.h"

static hsp_read_for rules_of(const hsp_model *m) {
    return (hsp_read_for){hsp_prepare_columns(&m->prepare), hsp_prepare_labels(&m->prepare), m->prepare.regression,
                          m->prepare.encoding};
}

int hsp_data_read_for(const hsp_model *m, const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                      hsp_error **err) {
    const hsp_read_for model = rules_of(m);
    return hsp_read_data(path, o, hooks, &model, out, err);
}

int hsp_data_read_arrow_for(const hsp_model *m, struct ArrowArrayStream *stream, const hsp_options *o,
                            const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    const hsp_read_for model = rules_of(m);
    return hsp_read_arrow(stream, o, hooks, &model, out, err);
}

/* Models of tables never read alike: what they learnt from the training set decides which rows and cells they accept. */
int hsp_model_reads_alike(const hsp_model *m, const hsp_model *other) {
    const hsp_prepare *p = &m->prepare, *q = &other->prepare;
    if (m == other) return 1;
    return !p->encoding && !q->encoding && p->regression == q->regression && hsp_schema_same(&p->schema, &q->schema) &&
           hsp_classes_same(hsp_prepare_labels(p), hsp_prepare_labels(q));
}
