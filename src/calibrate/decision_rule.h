/* Decision rules: when a level means the positive class of two. The level is the probability of the positive class, or its
 * score if the model has no probabilities; a row is positive if its level is above the threshold.
 *
 *   auto             the rule that follows from scores and probabilities (model.h)
 *   X                the threshold X
 *   best:METRIC      the threshold with the best METRIC on rows that were not trained on
 *   cost:FP,FN       the least expected cost, where a false positive costs FP and a false negative FN: with probabilities the
 *                    threshold FP / (FP + FN), else the least cost on rows that were not trained on
 *   recall:X         the highest threshold whose recall is at least X on rows that were not trained on
 *
 * Thresholds are chosen between neighbouring levels: the default (0.5 or 0) where it lies between them, else the middle. Of
 * equally good ones it is the one nearest to the default, then the higher. */
#ifndef HSP_CALIBRATE_DECISION_RULE_H
#define HSP_CALIBRATE_DECISION_RULE_H

#include "halfspace.h"

#include <stdbool.h>

/* Sums of weights by true and predicted class. */
typedef struct hsp_decision_counts {
    double tp, fp, fn, tn;
} hsp_decision_counts;

/* A metric that a threshold can maximise. */
typedef struct hsp_decision_metric {
    const char *name;   /* as typed: "balanced-accuracy" */
    const char *member; /* in reports: "balanced_accuracy" */
    double (*value)(const hsp_decision_counts *c); /* NaN: undefined */
} hsp_decision_metric;
extern const hsp_decision_metric hsp_decision_metrics[]; /* ends with name NULL: accuracy balanced-accuracy f1 mcc */

typedef enum hsp_decision_kind {
    HSP_DECIDE_AUTO,
    HSP_DECIDE_ABOVE,
    HSP_DECIDE_BEST,
    HSP_DECIDE_COST,
    HSP_DECIDE_RECALL
} hsp_decision_kind;

typedef struct hsp_decision_rule {
    hsp_decision_kind kind;
    const hsp_decision_metric *metric; /* best */
    double x;                          /* above, recall */
    double fp, fn;                     /* cost */
} hsp_decision_rule;

/* Reads the text of --decide; NULL is auto. HSP_EUSAGE: it is no rule. */
int hsp_decision_parse(const char *text, hsp_decision_rule *out, hsp_error **err);
/* Whether the threshold follows from the rule alone, without rows; then hsp_decision_fixed gives it. Not of auto. */
bool hsp_decision_is_fixed(const hsp_decision_rule *rule, bool of_probability);
double hsp_decision_fixed(const hsp_decision_rule *rule);
/* HSP_EUSAGE if no level can be above the threshold, or all must be: a probability is from 0 to 1. */
int hsp_decision_check(const hsp_decision_rule *rule, bool of_probability, hsp_error **err);

/* Rows that were not trained on. */
typedef struct hsp_decision_rows {
    int64_t n;
    const double *level;
    const bool *positive;
    const double *weight; /* positive; NULL: all 1 */
    bool of_probability;
} hsp_decision_rows;

/* Chooses the threshold of a rule that is not fixed. HSP_EMEMORY. */
int hsp_decision_choose(const hsp_decision_rule *rule, const hsp_decision_rows *rows, double *threshold, hsp_error **err);
hsp_decision_counts hsp_decision_count(const hsp_decision_rows *rows, double threshold);
double hsp_decision_recall(const hsp_decision_counts *c); /* NaN: no positive rows */
double hsp_decision_precision(const hsp_decision_counts *c);

/* The rule of a model. */
typedef struct hsp_decision {
    char *rule;          /* as it was asked for; NULL: auto */
    bool of_probability; /* the level */
    double threshold;
} hsp_decision;

#endif
