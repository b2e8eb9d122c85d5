/* Maps scores to probabilities. The largest logarithm is subtracted before exponentiation, so that nothing overflows:
 * the sum is at least 1, and a term that underflows is a probability of 0. */
#include "base/error.h"
#include "data/matrix.h"
#include "model/model.h"

#include <math.h>

/* The shift of the log-odds of class k by its weight. A class of weight 0 was not part of the fit, so there is no shift to
 * remove. */
static double log_weight(const hsp_model *m, int64_t k) {
    return m->class_weight && m->class_weight[k] > 0 ? log(m->class_weight[k]) : 0;
}

static double log_sigmoid(double g) {
    return g < 0 ? g - log1p(exp(g)) : -log1p(exp(-g));
}

/* The logarithm of the probability of class k, up to a term that all classes share. */
static double log_share(const hsp_model *m, int64_t k, double g) {
    return (m->link == HSP_LINK_SOFTMAX ? g : log_sigmoid(g)) - log_weight(m, k);
}

hsp_normaliser hsp_model_normaliser(const hsp_model *m, const double *scores) {
    hsp_normaliser by = {.most = log_share(m, 0, scores[0])};
    for (int64_t k = 1; k < m->outputs; k++) by.most = fmax(by.most, log_share(m, k, scores[k]));
    for (int64_t k = 0; k < m->outputs; k++) by.sum += exp(log_share(m, k, scores[k]) - by.most);
    return by;
}

double hsp_model_probability_of(const hsp_model *m, int64_t k, double g, hsp_normaliser by) {
    return exp(log_share(m, k, g) - by.most) / by.sum;
}

bool hsp_model_probabilities(const hsp_model *m, const double *scores, double *p) {
    int64_t positive = m->prepare.positive;
    if (m->link == HSP_LINK_LOGISTIC) {
        double g = scores[0] - (log_weight(m, positive) - log_weight(m, 1 - positive));
        double e = exp(-fabs(g)), likely = 1 / (1 + e), unlikely = e / (1 + e);
        p[positive] = g > 0 ? likely : unlikely;
        p[1 - positive] = g > 0 ? unlikely : likely;
    } else if (m->link != HSP_LINK_NONE) {
        for (int64_t k = 0; k < m->outputs; k++) p[k] = log_share(m, k, scores[k]);
        double most = p[0], sum = 0;
        for (int64_t k = 1; k < m->outputs; k++) most = fmax(most, p[k]);
        for (int64_t k = 0; k < m->outputs; k++) sum += p[k] = exp(p[k] - most);
        for (int64_t k = 0; k < m->outputs; k++) p[k] /= sum;
    }
    return m->link != HSP_LINK_NONE;
}

const char *hsp_model_decision(const hsp_model *m) {
    if (m->prepare.regression) return NULL;
    if (m->link == HSP_LINK_NONE) return m->outputs == 1 ? "score above 0" : "largest score";
    for (int64_t k = 1; m->class_weight && k < m->prepare.classes.count; k++)
        if (log_weight(m, k) != log_weight(m, 0)) return "largest class weight x probability";
    return "largest probability";
}

bool hsp_model_link_fits(const hsp_model *m) {
    int64_t classes = m->prepare.classes.count;
    for (int64_t k = 0; m->class_weight && k < classes; k++) {
        if (!(m->class_weight[k] >= 0) || !isfinite(m->class_weight[k])) return false;
    }
    if (m->link == HSP_LINK_NONE) return true;
    if (m->prepare.regression) return false;
    return m->link == HSP_LINK_LOGISTIC ? m->outputs == 1 && classes == 2 : m->outputs > 1 && m->outputs == classes;
}

int hsp_model_no_probabilities(const hsp_model *m, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE, "the model (%s) has no probabilities: train with logistic or lda", m->algorithm);
}

int hsp_model_probability(const hsp_model *m, const double *x, double *p, hsp_error **err) {
    if (m->link == HSP_LINK_NONE) return hsp_model_no_probabilities(m, err);
    hsp_row row = hsp_row_dense(m->prepare.schema.d, x);
    hsp_model_score_row(m, row, p); /* p has room, since there are never more outputs than classes */
    hsp_model_probabilities(m, p, p);
    return 0;
}
