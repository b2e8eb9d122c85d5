/* Maps scores to probabilities, by the link of the model or by its calibration, and both to labels. The largest logarithm is
 * subtracted before exponentiation, so that nothing overflows: the sum is at least 1, and a term that underflows is a
 * probability of 0. */
#include "base/error.h"
#include "calibrate/calibration.h"
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

/* The logarithm of the probability that the link gives class k, up to a term that all classes share. */
static double own_share(const hsp_model *m, int64_t k, double g) {
    return (m->link == HSP_LINK_OVR ? log_sigmoid(g) : g) - log_weight(m, k);
}

/* The same of the model's probabilities. */
static double log_share(const hsp_model *m, int64_t k, double g) {
    const hsp_calibration *c = &m->calibration;
    if (!c->method) return own_share(m, k, g);
    return hsp_calibration_log_share(c, k, c->method->joint ? own_share(m, k, g) : g);
}

/* Where the maps of all classes are 0, all logarithms are -INFINITY: then all classes are equally probable. */
static double share_of(double log_share, double most) {
    return isinf(most) ? 1 : exp(log_share - most);
}

hsp_normaliser hsp_model_normaliser(const hsp_model *m, const double *scores) {
    hsp_normaliser by = {.most = log_share(m, 0, scores[0])};
    for (int64_t k = 1; k < m->outputs; k++) by.most = fmax(by.most, log_share(m, k, scores[k]));
    for (int64_t k = 0; k < m->outputs; k++) by.sum += share_of(log_share(m, k, scores[k]), by.most);
    return by;
}

double hsp_model_probability_of(const hsp_model *m, int64_t k, double g, hsp_normaliser by) {
    return share_of(log_share(m, k, g), by.most) / by.sum;
}

/* The log-odds of the positive class by the link, without the effect of the class weights. */
static double own_odds(const hsp_model *m, double g) {
    int64_t positive = m->prepare.positive;
    return g - (log_weight(m, positive) - log_weight(m, 1 - positive));
}

static void binary_probabilities(const hsp_model *m, double g, double *p) {
    int64_t positive = m->prepare.positive;
    const hsp_calibration *c = &m->calibration;
    if (c->method) {
        hsp_calibration_at(c, 0, c->method->joint ? own_odds(m, g) : g, &p[positive], &p[1 - positive]);
        return;
    }
    g = own_odds(m, g);
    double e = exp(-fabs(g)), likely = 1 / (1 + e), unlikely = e / (1 + e);
    p[positive] = g > 0 ? likely : unlikely;
    p[1 - positive] = g > 0 ? unlikely : likely;
}

bool hsp_model_probabilities(const hsp_model *m, const double *scores, double *p) {
    if (!hsp_model_has_probabilities(m)) return false;
    if (m->outputs == 1) {
        binary_probabilities(m, scores[0], p);
        return true;
    }
    for (int64_t k = 0; k < m->outputs; k++) p[k] = log_share(m, k, scores[k]);
    double most = p[0], sum = 0;
    for (int64_t k = 1; k < m->outputs; k++) most = fmax(most, p[k]);
    for (int64_t k = 0; k < m->outputs; k++) sum += p[k] = share_of(p[k], most);
    for (int64_t k = 0; k < m->outputs; k++) p[k] /= sum;
    return true;
}

void hsp_model_calibration_scores(const hsp_model *m, const hsp_calibration_method *method, const double *scores,
                                  double *out) {
    for (int64_t k = 0; k < m->outputs; k++)
        out[k] = !method->joint ? scores[k] : m->outputs == 1 ? own_odds(m, scores[0]) : own_share(m, k, scores[k]);
}

double hsp_model_rank(const hsp_model *m, int64_t k, double g) {
    return m->calibration.method ? log_share(m, k, g) + log_weight(m, k) : g;
}

/* With two classes and a calibration: the more probable class, each times its class weight; in a tie the score decides. */
static bool is_more_probable(const hsp_model *m, double g) {
    int64_t positive = m->prepare.positive;
    double p[2];
    binary_probabilities(m, g, p);
    double t = exp(log_weight(m, positive) - log_weight(m, 1 - positive)), more = t * p[positive], less = p[1 - positive];
    return more > less || (more == less && g > 0);
}

static int64_t decide_binary(const hsp_model *m, const double *scores) {
    bool is_positive = m->decision.rule ? hsp_model_level(m, m->decision.of_probability, scores) > m->decision.threshold
                       : m->calibration.method ? is_more_probable(m, scores[0])
                                               : scores[0] > 0;
    return is_positive ? m->prepare.positive : 1 - m->prepare.positive;
}

int64_t hsp_model_decide(const hsp_model *m, const double *scores) {
    if (m->prepare.regression) return -1;
    if (m->outputs == 1) return decide_binary(m, scores);
    int64_t best = 0;
    double most = hsp_model_rank(m, 0, scores[0]);
    for (int64_t k = 1; k < m->outputs; k++) {
        double rank = hsp_model_rank(m, k, scores[k]);
        if (hsp_model_beats(rank, scores[k], most, scores[best])) best = k, most = rank;
    }
    return best;
}

double hsp_model_level(const hsp_model *m, bool of_probability, const double *scores) {
    double p[2];
    if (!of_probability) return scores[0];
    binary_probabilities(m, scores[0], p);
    return p[m->prepare.positive];
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
    if (m->prepare.regression)
        return hsp_fail(err, HSP_EUSAGE, "the model (%s) predicts numbers and has no probabilities: train a classifier",
                        m->algorithm);
    return hsp_fail(err, HSP_EUSAGE, "the model (%s) has no probabilities: train with --calibrate, or with logistic or lda",
                    m->algorithm);
}

int hsp_model_probability(const hsp_model *m, const double *x, double *p, hsp_error **err) {
    if (!hsp_model_has_probabilities(m)) return hsp_model_no_probabilities(m, err);
    hsp_row row = hsp_row_dense(m->prepare.schema.d, x);
    hsp_model_score_row(m, row, p); /* p has room, since there are never more outputs than classes */
    hsp_model_probabilities(m, p, p);
    return 0;
}
