/* The decision rule of a model: what it is in words, and rules in its place. */
#include "base/error.h"
#include "calibrate/calibration.h"
#include "calibrate/decision_rule.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool weights_differ(const hsp_model *m) {
    for (int64_t k = 1; m->class_weight && k < m->prepare.classes.count; k++) {
        double t = m->class_weight[k], first = m->class_weight[0];
        if ((t > 0 ? t : 1) != (first > 0 ? first : 1)) return true;
    }
    return false;
}

const char *hsp_model_decision(const hsp_model *m, char buf[HSP_MODEL_DECISION]) {
    char number[HSP_NUMBER_SIZE];
    if (m->prepare.regression) return NULL;
    if (m->decision.rule) {
        hsp_format_number(m->decision.threshold, number);
        snprintf(buf, HSP_MODEL_DECISION, "%s above %s", m->decision.of_probability ? "probability" : "score", number);
        return buf;
    }
    if (!hsp_model_has_probabilities(m)) return m->outputs == 1 ? "score above 0" : "largest score";
    return weights_differ(m) ? "largest class weight x probability" : "largest probability";
}

/* Bisection between the scores where the prediction changes: maps and rules ascend with the score. */
double hsp_model_score_threshold(const hsp_model *m) {
    double low = -DBL_MAX, high = DBL_MAX;
    if (!m->decision.rule && !m->calibration.method) return 0;
    if (m->decision.rule && !m->decision.of_probability) return m->decision.threshold;
    int64_t positive = m->prepare.positive;
    if (hsp_model_decide(m, &low) == positive || hsp_model_decide(m, &high) != positive) return (double)NAN;
    for (double probe = 1; fabs(probe) < 1e300; probe *= -8) /* powers of 8 first: the middle of all doubles is no guess */
        *(hsp_model_decide(m, &probe) == positive ? &high : &low) =
            hsp_model_decide(m, &probe) == positive ? fmin(high, probe) : fmax(low, probe);
    for (double middle; middle = low / 2 + high / 2, middle > low && middle < high;)
        *(hsp_model_decide(m, &middle) == positive ? &high : &low) = middle;
    return low;
}

bool hsp_model_decision_fits(const hsp_model *m) {
    const hsp_calibration *c = &m->calibration;
    if (c->method && (m->prepare.regression || !hsp_calibration_fits(c, m->outputs, c->begin[c->maps]))) return false;
    const hsp_decision *d = &m->decision;
    if (!d->rule) return true;
    return m->outputs == 1 && !m->prepare.regression && isfinite(d->threshold) &&
           d->of_probability == hsp_model_has_probabilities(m);
}

int hsp_model_can_decide(const hsp_model *m, const hsp_decision_rule *rule, hsp_error **err) {
    if (rule->kind == HSP_DECIDE_AUTO) return HSP_OK;
    if (m->prepare.regression)
        return hsp_fail(err, HSP_EUSAGE, "--decide is for classification, and the model is a regression: leave it out");
    if (m->outputs > 1)
        return hsp_fail(err, HSP_EUSAGE,
                        "--decide is for two classes, and there are %lld: leave it out, or train with --positive LABEL, that "
                        "class against the rest",
                        (long long)m->prepare.classes.count);
    return hsp_decision_check(rule, hsp_model_has_probabilities(m), err);
}

int hsp_model_decide_by(const hsp_model *m, const char *rule, hsp_model *copy, hsp_error **err) {
    hsp_decision_rule parsed;
    *copy = *m;
    if (!rule || (m->decision.rule && strcmp(rule, m->decision.rule) == 0)) return HSP_OK;
    int status = hsp_decision_parse(rule, &parsed, err);
    if (!status) status = hsp_model_can_decide(m, &parsed, err);
    if (status) return status;
    bool of_probability = hsp_model_has_probabilities(m);
    copy->decision = (hsp_decision){0};
    if (parsed.kind == HSP_DECIDE_AUTO) return HSP_OK;
    if (!hsp_decision_is_fixed(&parsed, of_probability))
        return hsp_fail(err, HSP_EUSAGE,
                        "--decide %s needs rows that the model was not trained on: give it to train%s, or give a threshold",
                        rule, parsed.kind == HSP_DECIDE_COST ? " (with --calibrate it needs none)" : "");
    copy->decision = (hsp_decision){
        .rule = (char *)rule, .of_probability = of_probability, .threshold = hsp_decision_fixed(&parsed)};
    return HSP_OK;
}
