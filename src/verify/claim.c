/* The claim is read from the model's own report and options. */
#include "verify/claim.h"

#include "base/memory.h"

#include <jansson.h>
#include <string.h>

static void text_of(const json_t *object, const char *key, char *out, size_t size) {
    const char *s = json_string_value(json_object_get(object, key));
    size_t n = s ? strlen(s) : 0;
    if (n >= size) n = 0;
    if (n) memcpy(out, s, n);
    out[n] = '\0';
}

static void read_objective(const hsp_model *m, hsp_claim *c) {
    json_t *report = m->report ? json_loads(m->report, 0, NULL) : NULL;
    json_t *options = m->options ? json_loads(m->options, 0, NULL) : NULL;
    text_of(report, "loss", c->loss, sizeof c->loss);
    text_of(report, "penalty", c->penalty, sizeof c->penalty);
    text_of(options, "intercept", c->intercept, sizeof c->intercept);
    const json_t *C = json_object_get(report, "C");
    c->C = json_is_number(C) ? json_number_value(C) : 1;
    c->l1_share = strcmp(c->penalty, "l1") == 0 ? 1 : 0;
    const json_t *ratio = json_object_get(options, "l1-ratio");
    if (strcmp(c->penalty, "elastic") == 0) c->l1_share = json_is_number(ratio) ? json_number_value(ratio) : NAN;
    c->joint = strcmp(c->loss, "softmax") == 0;
    json_decref(report);
    json_decref(options);
}

/* The class of each row by its label's name. */
static int read_classes(const hsp_model *m, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    static const char unlike[] = "data and model have different classes: verify with the data of the training";
    int64_t labels = data->classes.count;
    if (!data->y || labels < 1) return hsp_fail(err, HSP_EINPUT, unlike);
    int32_t *map = hsp_alloc(labels, sizeof *map);
    c->class = hsp_alloc(data->x.n, sizeof *c->class);
    int status = map && c->class ? HSP_OK : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < labels; k++) {
        const char *name = data->classes.name[k];
        map[k] = (int32_t)hsp_prepare_class(&m->prepare, name, (int64_t)strlen(name));
        if (map[k] < 0) status = hsp_fail(err, HSP_EINPUT, unlike);
    }
    for (int64_t i = 0; !status && i < data->x.n; i++) c->class[i] = map[data->y[i]];
    hsp_free(map);
    return status;
}

int hsp_claim_read(const hsp_model *m, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    *c = (hsp_claim){.m = m, .data = data};
    read_objective(m, c);
    bool known = c->joint || !isnan(hsp_verify_loss(c->loss, 1, 0));
    if (!c->loss[0] || !c->penalty[0] || !known)
        return hsp_fail(err, HSP_EINPUT, "the model states no objective to verify: %s minimises none", m->algorithm);
    if (!m->prepare.regression) return read_classes(m, data, c, err);
    if (data->target) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "the model predicts numbers, the data hold classes: read them with --task regression");
}

void hsp_claim_clear(hsp_claim *c) {
    hsp_free(c->class);
    c->class = NULL;
}

bool hsp_claim_absent(const hsp_claim *c, int64_t k) {
    if (c->joint || c->m->outputs == 1) return false;
    for (int64_t i = 0; i < c->data->x.n; i++)
        if (c->class[i] == k && hsp_claim_weight(c, i) > 0) return false;
    return true;
}

double hsp_claim_weight(const hsp_claim *c, int64_t i) {
    double own = c->data->weight ? c->data->weight[i] : 1;
    return c->m->class_weight && c->class ? own * c->m->class_weight[c->class[i]] : own;
}

double hsp_claim_label(const hsp_claim *c, int64_t i, int64_t k) {
    if (!c->class) return c->data->target[i];
    return c->class[i] == (c->m->outputs == 1 ? c->m->prepare.positive : k) ? 1 : -1;
}

double hsp_claim_score(const hsp_claim *c, int64_t i, int64_t k) {
    int64_t d = c->m->prepare.schema.d;
    const double *w = c->m->w + k * d;
    hsp_row x = hsp_matrix_row(&c->data->x, i);
    hsp_summation s = {c->m->b[k], 0};
    for (int64_t t = 0; t < x.count; t++) {
        int64_t j = x.id ? (int64_t)x.id[t] : t;
        if (j < d) hsp_summation_add(&s, hsp_row_value(x, t) * w[j]);
    }
    return hsp_summation_value(&s);
}
