/* The objective again, written from the definitions in the documentation and not from the solvers' code. */
#include "verify/verify.h"

#include "base/memory.h"
#include "verify/claim.h"

#include <string.h>

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

/* log sum_k exp(g_k) - g_y, from the differences to g_y. */
static double softmax_loss(const double *g, int64_t classes, int64_t y) {
    double top = 0;
    for (int64_t k = 0; k < classes; k++) top = fmax(top, g[k] - g[y]);
    hsp_summation s = {0, 0};
    for (int64_t k = 0; k < classes; k++) hsp_summation_add(&s, exp(g[k] - g[y] - top));
    return top + log(hsp_summation_value(&s));
}

/* R acts on the weights of the transformed columns, which are the original ones divided by the factor; the offset of the
 * transformed problem is what the data's mean position makes of it. */
static double penalty_of(const hsp_claim *c, int64_t k) {
    const hsp_prepare *p = &c->m->prepare;
    if (strcmp(c->penalty, "none") == 0) return 0;
    const double *w = c->m->w + k * p->schema.d;
    hsp_summation r = {0, 0}, b = {c->m->b[k], 0};
    for (int64_t j = 0; j < p->schema.d; j++) {
        double v = p->factor ? w[j] / p->factor[j] : w[j];
        hsp_summation_add(&r, c->l1_share * fabs(v) + (1 - c->l1_share) * v * v / 2);
        if (p->shift) hsp_summation_add(&b, w[j] * p->shift[j]);
    }
    double offset = hsp_summation_value(&b);
    if (strcmp(c->intercept, "penalised") == 0) hsp_summation_add(&r, offset * offset / 2);
    return hsp_summation_value(&r);
}

static int64_t predicted(const hsp_model *m, const double *g) {
    if (m->outputs == 1) return g[0] > 0 ? m->prepare.positive : 1 - m->prepare.positive;
    int64_t best = 0;
    for (int64_t k = 1; k < m->outputs; k++)
        if (g[k] > g[best]) best = k;
    return best;
}

static void sum_rows(const hsp_claim *c, const bool *skipped, double *g, hsp_verified *out) {
    hsp_summation losses = {0, 0}, right = {0, 0}, mass = {0, 0};
    int64_t outputs = c->m->outputs;
    for (int64_t i = 0; i < c->data->x.n; i++) {
        double weight = hsp_claim_weight(c, i), own = c->data->weight ? c->data->weight[i] : 1;
        for (int64_t k = 0; k < outputs; k++) {
            g[k] = hsp_claim_score(c, i, k);
            if (!c->joint && !skipped[k])
                hsp_summation_add(&losses, weight * hsp_verify_loss(c->loss, hsp_claim_label(c, i, k), g[k]));
        }
        if (c->joint) hsp_summation_add(&losses, weight * softmax_loss(g, outputs, c->class[i]));
        hsp_summation_add(&mass, own);
        if (c->class && predicted(c->m, g) == c->class[i]) hsp_summation_add(&right, own);
    }
    out->loss_sum = hsp_summation_value(&losses);
    out->accuracy = c->class ? hsp_summation_value(&right) / hsp_summation_value(&mass) : (double)NAN;
}

int hsp_verify_model(const hsp_model *m, const hsp_data *data, hsp_verified *out, hsp_error **err) {
    hsp_claim c;
    int status = hsp_claim_read(m, data, &c, err);
    double *g = hsp_alloc(m->outputs, sizeof *g);
    bool *skipped = hsp_alloc(m->outputs, sizeof *skipped);
    if (!status && (!g || !skipped)) status = hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < m->outputs; k++) skipped[k] = hsp_claim_absent(&c, k);
    if (!status) {
        hsp_summation penalties = {0, 0}, bounds = {0, 0};
        sum_rows(&c, skipped, g, out);
        for (int64_t k = 0; k < m->outputs; k++)
            if (!skipped[k]) hsp_summation_add(&penalties, penalty_of(&c, k));
        out->penalty = hsp_summation_value(&penalties);
        out->objective = out->penalty + c.C * out->loss_sum;
        for (int64_t k = 0; !status && k < (c.joint ? 1 : m->outputs); k++) {
            if (skipped[k]) continue;
            double bound = NAN;
            status = hsp_claim_bound(&c, k, &bound, err);
            hsp_summation_add(&bounds, bound);
        }
        out->bound = hsp_summation_value(&bounds);
    }
    hsp_free(g);
    hsp_free(skipped);
    hsp_claim_clear(&c);
    return status;
}
