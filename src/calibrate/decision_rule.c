/* The text of --decide. */
#include "calibrate/decision_rule.h"

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* ---- the metrics ---- */

double hsp_decision_recall(const hsp_decision_counts *c) {
    return c->tp + c->fn > 0 ? c->tp / (c->tp + c->fn) : (double)NAN;
}

double hsp_decision_precision(const hsp_decision_counts *c) {
    return c->tp + c->fp > 0 ? c->tp / (c->tp + c->fp) : (double)NAN;
}

static double accuracy_of(const hsp_decision_counts *c) {
    return (c->tp + c->tn) / (c->tp + c->fp + c->fn + c->tn);
}

static double balanced_accuracy_of(const hsp_decision_counts *c) {
    return c->tn + c->fp > 0 ? (hsp_decision_recall(c) + c->tn / (c->tn + c->fp)) / 2 : (double)NAN;
}

static double f1_of(const hsp_decision_counts *c) {
    return c->tp + c->fn > 0 ? 2 * c->tp / (2 * c->tp + c->fp + c->fn) : (double)NAN;
}

/* The correlation of true and predicted class; 0 where one class is always predicted. */
static double mcc_of(const hsp_decision_counts *c) {
    double truth = (c->tp + c->fn) * (c->tn + c->fp), answer = (c->tp + c->fp) * (c->tn + c->fn);
    if (!(truth > 0)) return (double)NAN;
    return answer > 0 ? (c->tp * c->tn - c->fp * c->fn) / (sqrt(truth) * sqrt(answer)) : 0;
}

const hsp_decision_metric hsp_decision_metrics[] = {{"accuracy", "accuracy", accuracy_of},
                                                    {"balanced-accuracy", "balanced_accuracy", balanced_accuracy_of},
                                                    {"f1", "f1", f1_of},
                                                    {"mcc", "mcc", mcc_of},
                                                    {0}};

/* ---- parsing ---- */

static int wrong(const char *text, const char *wanted, hsp_error **err) {
    char piece[HSP_EXCERPT];
    return hsp_fail(err, HSP_EUSAGE, "--decide cannot be '%s': give %s", hsp_excerpt(piece, text, (int64_t)strlen(text)),
                    wanted);
}

/* Reads a finite number up to `end`. */
static bool read_number(const char *text, const char *end, double *v) {
    return end > text && hsp_number_parse(text, end, v) == end && isfinite(*v);
}

static int parse_best(const char *text, const char *name, hsp_decision_rule *out, hsp_error **err) {
    for (const hsp_decision_metric *m = hsp_decision_metrics; m->name; m++)
        if (strcmp(m->name, name) == 0) out->metric = m;
    return out->metric ? HSP_OK
                       : wrong(text, "one of best:accuracy, best:balanced-accuracy, best:f1 and best:mcc, which a threshold "
                                     "can change",
                               err);
}

static int parse_cost(const char *text, const char *numbers, hsp_decision_rule *out, hsp_error **err) {
    const char *comma = strchr(numbers, ','), *end = numbers + strlen(numbers);
    bool good = comma && read_number(numbers, comma, &out->fp) && read_number(comma + 1, end, &out->fn) && out->fp >= 0 &&
                out->fn >= 0 && out->fp + out->fn > 0 && isfinite(out->fp + out->fn);
    return good ? HSP_OK
                : wrong(text, "cost:FP,FN, the costs of a false positive and of a false negative, at least 0 and not both 0",
                        err);
}

static int parse_recall(const char *text, const char *number, hsp_decision_rule *out, hsp_error **err) {
    bool good = read_number(number, number + strlen(number), &out->x) && out->x > 0 && out->x <= 1;
    return good ? HSP_OK : wrong(text, "recall:X with X above 0 and at most 1", err);
}

static int parse_number(const char *text, const char *number, hsp_decision_rule *out, hsp_error **err) {
    return read_number(number, number + strlen(number), &out->x)
               ? HSP_OK
               : wrong(text, "auto, a threshold X, best:METRIC, cost:FP,FN or recall:X", err);
}

int hsp_decision_parse(const char *text, hsp_decision_rule *out, hsp_error **err) {
    static const struct {
        const char *prefix;
        hsp_decision_kind kind;
        int (*parse)(const char *text, const char *rest, hsp_decision_rule *out, hsp_error **err);
    } forms[] = {{"best:", HSP_DECIDE_BEST, parse_best},
                 {"cost:", HSP_DECIDE_COST, parse_cost},
                 {"recall:", HSP_DECIDE_RECALL, parse_recall},
                 {"", HSP_DECIDE_ABOVE, parse_number}};
    *out = (hsp_decision_rule){.kind = HSP_DECIDE_AUTO};
    if (!text || strcmp(text, "auto") == 0) return HSP_OK;
    for (size_t i = 0;; i++) {
        size_t n = strlen(forms[i].prefix);
        if (strncmp(text, forms[i].prefix, n) != 0) continue;
        out->kind = forms[i].kind;
        return forms[i].parse(text, text + n, out, err);
    }
}

bool hsp_decision_is_fixed(const hsp_decision_rule *rule, bool of_probability) {
    return rule->kind == HSP_DECIDE_ABOVE || (rule->kind == HSP_DECIDE_COST && of_probability);
}

double hsp_decision_fixed(const hsp_decision_rule *rule) {
    return rule->kind == HSP_DECIDE_COST ? rule->fp / (rule->fp + rule->fn) : rule->x;
}

int hsp_decision_check(const hsp_decision_rule *rule, bool of_probability, hsp_error **err) {
    if (rule->kind != HSP_DECIDE_ABOVE || !of_probability || (rule->x >= 0 && rule->x <= 1)) return HSP_OK;
    char number[HSP_NUMBER_SIZE];
    hsp_format_number(rule->x, number);
    return hsp_fail(err, HSP_EUSAGE,
                    "--decide cannot be %s: the model has probabilities, so the threshold is one, from 0 to 1", number);
}
