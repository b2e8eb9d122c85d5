/* The claim is read from the model's own report and options, or from what
 * training says it did. */
#include "verify/claim/claim.h"

#include "base/error.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "prepare/prepare.h"

#include <jansson.h>
#include <string.h>

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

/* Not separable, and with no reason to think that the hulls may only touch. */
static bool overlap(const json_t *proof) {
    return is(json_string_value(json_object_get(proof, "verdict")), "not-separable") &&
           !json_is_string(json_object_get(proof, "reason"));
}

/* Whether the report proves that the classes of output k are not separable. */
static bool overlaps(const hsp_model *m, const json_t *separable, int64_t k) {
    if (json_is_object(separable)) return overlap(separable);
    for (size_t i = 0; i < json_array_size(separable); i++) {
        const json_t *one = json_array_get(separable, i);
        if (!is(json_string_value(json_object_get(one, "class")), m->prepare.classes.name[k])) continue;
        return overlap(one);
    }
    return false;
}

static int read_endless(const hsp_model *m, hsp_statement *s, hsp_error **err) {
    hsp_stated *t = &s->stated;
    const hsp_claim_loss *loss = hsp_claim_loss_find(t->loss);
    if (!is(t->penalty, "none") || m->prepare.regression || !loss || !loss->endless) return HSP_OK;
    s->endless = hsp_alloc(m->outputs, sizeof *s->endless);
    if (!s->endless) return hsp_fail_memory(err);
    for (int64_t k = 0; k < m->outputs; k++) s->endless[k] = !overlaps(m, json_object_get(s->report, "separable"), k);
    t->endless = s->endless;
    return HSP_OK;
}

static double number_or_nan(const json_t *v) {
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

int hsp_statement_open(const hsp_model *m, hsp_statement *s, hsp_error **err) {
    *s = (hsp_statement){0};
    if (hsp_json_parse_own(m->report, &s->report) || hsp_json_parse_own(m->options, &s->options))
        return hsp_fail_memory(err);
    hsp_stated *t = &s->stated;
    t->algorithm = m->algorithm;
    t->loss = json_string_value(json_object_get(s->report, "loss"));
    t->penalty = json_string_value(json_object_get(s->report, "penalty"));
    t->intercept = json_string_value(json_object_get(s->options, "intercept"));
    const json_t *C = json_object_get(s->report, "C"), *ratio = json_object_get(s->options, "l1-ratio");
    t->C = json_is_number(C) ? json_number_value(C) : 1;
    t->l1_share = is(t->penalty, "l1") ? 1 : 0;
    if (is(t->penalty, "elastic")) t->l1_share = number_or_nan(ratio);
    t->tolerance = number_or_nan(json_object_get(s->report, "tolerance"));
    const hsp_claim_loss *loss = hsp_claim_loss_find(t->loss);
    t->joint = loss && loss->many;
    t->parameter = loss && loss->parameter ? number_or_nan(json_object_get(s->report, loss->parameter)) : (double)NAN;
    return read_endless(m, s, err);
}

void hsp_statement_close(hsp_statement *s) {
    hsp_free(s->endless);
    json_decref(s->report);
    json_decref(s->options);
    *s = (hsp_statement){0};
}

static bool hard(const hsp_stated *s) {
    return !s->loss && is(s->algorithm, "hard-svm");
}

bool hsp_stated_objective(const hsp_stated *s) {
    bool known = is(s->penalty, "none") || is(s->penalty, "l2") || is(s->penalty, "l1") || is(s->penalty, "elastic");
    return hard(s) || (hsp_claim_loss_find(s->loss) && known);
}

/* The class of each row by its label's name. */
static int read_classes(const hsp_model *m, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    static const char unlike[] = "data and model have different classes: verify "
                                 "with the data of the training";
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
                          "the model predicts numbers, the data hold classes: read "
                          "them with --task regression");
    if (status) return status;
    c->c = hsp_alloc(c->n, sizeof *c->c);
    if (!c->c) return hsp_fail_memory(err);
    for (int64_t i = 0; i < c->n; i++) {
        double own = data->weight ? data->weight[i] : 1;
        c->c[i] = m->class_weight && c->class ? own * m->class_weight[c->class[i]] : own;
    }
    return HSP_OK;
}

int hsp_claim_open(const hsp_model *m, const hsp_stated *stated, const hsp_data *data, hsp_claim *c, hsp_error **err) {
    *c = (hsp_claim){.m = m, .data = data, .n = data->x.n, .d = m->prepare.schema.d, .K = m->outputs};
    if (!hsp_stated_objective(stated))
        return hsp_fail(err, HSP_EINPUT, "the model states no objective to verify: %s minimises none", m->algorithm);
    c->hard = hard(stated);
    c->loss = c->hard ? hsp_claim_loss_hard() : hsp_claim_loss_find(stated->loss);
    c->joint = c->loss->many != NULL;
    c->parameter = stated->parameter;
    c->endless = stated->endless;
    c->penalised = c->hard || !is(stated->penalty, "none");
    c->C = c->penalised && !c->hard ? stated->C : 1;
    c->rho = c->penalised && !c->hard ? stated->l1_share : 0;
    c->intercept = is(stated->intercept, "none")                        ? HSP_CLAIM_NO_INTERCEPT
                   : is(stated->intercept, "penalised") && c->penalised ? HSP_CLAIM_PENALISED
                                                                        : HSP_CLAIM_FREE;
    if (data->x.d > c->d || (m->prepare.regression && !c->loss->numbers))
        return hsp_fail(err, HSP_EINPUT, "data and model do not fit: verify with the data of the training");
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
