#include "verify/claim/claim.h"

#include "base/error.h"
#include "base/memory.h"
#include "prepare/prepare.h"

#include <string.h>

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

bool hsp_objective_known(const hsp_objective *o) {
    bool penalty = is(o->penalty, "none") || is(o->penalty, "l2") || is(o->penalty, "l1") || is(o->penalty, "elastic");
    return o->hard || (hsp_claim_loss_find(o->loss) && penalty);
}

/* Finds the class of each row by the name of its label. */
static int read_classes(const hsp_model *m, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    static const char unlike[] = "data and model have different classes: verify with the training data";
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

static int read_rows(const hsp_model *m, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    int status = HSP_OK;
    if (!m->prepare.regression)
        status = read_classes(m, data, c, err);
    else if (!data->target)
        status = hsp_fail(err, HSP_EINPUT,
                          "the model is a regression, and the data have classes: read them with --task regression");
    if (status) return status;
    c->c = hsp_alloc(c->n, sizeof *c->c);
    if (!c->c) return hsp_fail_memory(err);
    for (int64_t i = 0; i < c->n; i++) {
        double own = data->weight ? data->weight[i] : 1;
        c->c[i] = m->class_weight && c->class ? own * m->class_weight[c->class[i]] : own;
    }
    return HSP_OK;
}

int hsp_claim_open(const hsp_model *m, const hsp_objective *o, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    *c = (hsp_claim){.m = m, .data = data, .n = data->x.n, .d = m->prepare.schema.d, .K = m->outputs};
    if (!hsp_objective_known(o))
        return hsp_fail(err, HSP_EINPUT, "the model claims no objective to verify: %s does not minimise one", m->algorithm);
    c->hard = o->hard;
    c->loss = c->hard ? hsp_claim_loss_hard() : hsp_claim_loss_find(o->loss);
    c->joint = c->loss->many != NULL;
    c->parameter = o->parameter;
    c->endless = c->loss->endless ? o->endless : NULL;
    c->penalised = c->hard || !is(o->penalty, "none");
    c->C = c->penalised && !c->hard ? o->C : 1;
    c->rho = c->penalised && !c->hard ? o->l1_share : 0;
    c->intercept = is(o->intercept, "none")                        ? HSP_CLAIM_NO_INTERCEPT
                   : is(o->intercept, "penalised") && c->penalised ? HSP_CLAIM_PENALISED
                                                                   : HSP_CLAIM_FREE;
    if (data->x.d > c->d || (m->prepare.regression && !c->loss->numbers))
        return hsp_fail(err, HSP_EINPUT, "data and model do not match: verify with the training data");
    return read_rows(m, data, c, err);
}

void hsp_claim_clear(hsp_claim *c) {
    HSP_FREE(c->class, c->c);
    c->class = NULL;
    c->c = NULL;
}

bool hsp_claim_absent(const hsp_claim *c, int64_t k) {
    if (c->joint || c->K == 1) return false;
    for (int64_t i = 0; i < c->n; i++)
        if (c->class[i] == k && c->c[i] > 0) return false;
    return true;
}

void hsp_claim_labels(const hsp_claim *c, int64_t k, double *y) {
    int64_t plus = c->K == 1 ? c->m->prepare.positive : k;
    for (int64_t i = 0; i < c->n; i++) y[i] = !c->class ? c->data->target[i] : c->class[i] == plus ? 1 : -1;
}
