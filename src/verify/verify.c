/* The objective again, written from the definitions in the documentation and not from the solvers' code. */
#include "verify/verify.h"

#include "base/memory.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* A sum that carries its rounding errors along (Neumaier 1974). */
typedef struct sum {
    double total, lost;
} sum;

static void add(sum *s, double v) {
    double t = s->total + v;
    s->lost += fabs(s->total) >= fabs(v) ? (s->total - t) + v : (v - t) + s->total;
    s->total = t;
}

static double value(const sum *s) {
    return s->total + s->lost;
}

double hsp_verify_loss(const char *loss, double y, double g) {
    double m = y * g;
    if (strcmp(loss, "hinge") == 0) return fmax(0, 1 - m);
    if (strcmp(loss, "squared-hinge") == 0) return fmax(0, 1 - m) * fmax(0, 1 - m);
    if (strcmp(loss, "logistic") == 0) return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
    if (strcmp(loss, "squared") == 0) return 0.5 * (y - g) * (y - g);
    if (strcmp(loss, "perceptron") == 0) return fmax(0, -m);
    if (strcmp(loss, "zero-one") == 0) return y > 0 ? (g > 0 ? 0 : 1) : (g > 0 ? 1 : 0);
    return NAN;
}

/* What was minimised. */
typedef struct claim {
    char loss[32], penalty[32];
    double C, l1_share;
    bool intercept_penalised;
} claim;

static void text_of(const json_t *object, const char *key, char *out, size_t size) {
    const char *s = json_string_value(json_object_get(object, key));
    size_t n = s ? strlen(s) : 0;
    if (n >= size) n = 0;
    if (n) memcpy(out, s, n);
    out[n] = '\0';
}

static int read_claim(const hsp_model *m, claim *c, hsp_error **err) {
    json_t *report = m->report ? json_loads(m->report, 0, NULL) : NULL;
    json_t *options = m->options ? json_loads(m->options, 0, NULL) : NULL;
    char intercept[32];
    text_of(report, "loss", c->loss, sizeof c->loss);
    text_of(report, "penalty", c->penalty, sizeof c->penalty);
    text_of(options, "intercept", intercept, sizeof intercept);
    const json_t *C = json_object_get(report, "C");
    c->C = json_is_number(C) ? json_number_value(C) : 1;
    c->intercept_penalised = strcmp(intercept, "penalised") == 0;
    c->l1_share = 0;
    if (strcmp(c->penalty, "l1") == 0) c->l1_share = 1;
    const json_t *ratio = json_object_get(options, "l1-ratio");
    if (strcmp(c->penalty, "elastic") == 0) c->l1_share = json_is_number(ratio) ? json_number_value(ratio) : NAN;
    json_decref(report);
    json_decref(options);
    if (c->loss[0] && c->penalty[0] && !isnan(hsp_verify_loss(c->loss, 1, 0))) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "the model states no objective to verify: %s minimises none", m->algorithm);
}

static double score(const hsp_model *m, int64_t k, hsp_row x) {
    sum s = {m->b[k], 0};
    const double *w = m->w + k * m->prepare.schema.d;
    for (int64_t t = 0; t < x.count; t++) {
        int64_t j = x.id ? (int64_t)x.id[t] : t;
        if (j < m->prepare.schema.d) add(&s, hsp_row_value(x, t) * w[j]);
    }
    return value(&s);
}

/* R acts on the weights of the transformed columns, which are the original ones divided by the factor; the offset of the
 * transformed problem is what the data's mean position makes of it. */
static double penalty_of(const hsp_model *m, const claim *c, int64_t k) {
    if (strcmp(c->penalty, "none") == 0) return 0;
    int64_t d = m->prepare.schema.d;
    const double *w = m->w + k * d;
    sum r = {0, 0}, b = {m->b[k], 0};
    for (int64_t j = 0; j < d; j++) {
        double v = m->prepare.factor ? w[j] / m->prepare.factor[j] : w[j];
        add(&r, c->l1_share * fabs(v) + (1 - c->l1_share) * v * v / 2);
        if (m->prepare.shift) add(&b, w[j] * m->prepare.shift[j]);
    }
    if (c->intercept_penalised) add(&r, value(&b) * value(&b) / 2);
    return value(&r);
}

static int64_t predicted(const hsp_model *m, const double *g) {
    if (m->outputs == 1) return g[0] > 0 ? m->prepare.positive : 1 - m->prepare.positive;
    int64_t best = 0;
    for (int64_t k = 1; k < m->outputs; k++)
        if (g[k] > g[best]) best = k;
    return best;
}

int hsp_verify_model(const hsp_model *m, const hsp_data *data, hsp_verified *out, hsp_error **err) {
    claim c;
    int status = read_claim(m, &c, err);
    if (status) return status;
    if (!data->y || data->classes.count != m->prepare.classes.count)
        return hsp_fail(err, HSP_EINPUT, "data and model have different classes: verify with the data of the training");
    double *g = hsp_alloc(m->outputs, sizeof *g);
    if (!g) return hsp_fail_memory(err);
    sum losses = {0, 0}, penalties = {0, 0};
    int64_t right = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        for (int64_t k = 0; k < m->outputs; k++) {
            int64_t plus = m->outputs == 1 ? m->prepare.positive : k;
            g[k] = score(m, k, hsp_matrix_row(&data->x, i));
            add(&losses, hsp_verify_loss(c.loss, data->y[i] == plus ? 1 : -1, g[k]));
        }
        right += predicted(m, g) == data->y[i];
    }
    for (int64_t k = 0; k < m->outputs; k++) add(&penalties, penalty_of(m, &c, k));
    *out = (hsp_verified){
        .loss_sum = value(&losses), .penalty = value(&penalties), .accuracy = (double)right / (double)data->x.n};
    out->objective = out->penalty + c.C * out->loss_sum;
    hsp_free(g);
    return HSP_OK;
}
