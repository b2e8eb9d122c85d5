/* The file, its report and its options must agree: method, rule, and a threshold that follows from its rule alone. Maps, and
 * thresholds that were chosen on rows, would need the models of the folds, which the file does not hold: they are listed as
 * unchecked. That maps are finite, ascending and in range is checked whenever a model is loaded. */
#include "verify/claim/calibration_checks.h"

#include "base/report.h"
#include "calibrate/decision_rule.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_map(hsp_checks *c, const hsp_model *m) {
    const hsp_report *claimed = hsp_report_member(m->report, "calibration");
    const char *method = m->calibration.method ? m->calibration.method->name : NULL;
    const hsp_report found = hsp_report_of_text(method);
    bool same = same_text(hsp_report_text(claimed, "method"), method);
    if (same && method) same = same_text(hsp_report_text(m->options, "calibrate"), method);
    hsp_checks_add(c, "calibration", hsp_report_member(claimed, "method"), &found, same,
                   "the model, its report and its options name different calibrations");
    if (method) hsp_checks_unknown(c, "the calibration and its figures (they need the fits of the folds)");
}

static void check_rule(hsp_checks *c, const hsp_model *m) {
    const hsp_report *claimed = hsp_report_member(m->report, "decision_rule");
    const hsp_decision *d = &m->decision;
    const hsp_report found = hsp_report_of_text(d->rule);
    hsp_decision_rule rule;
    bool same = same_text(hsp_report_text(claimed, "rule"), d->rule);
    if (same && d->rule)
        same = hsp_report_number(claimed, "threshold") == d->threshold &&
               same_text(hsp_report_text(m->options, "decide"), d->rule) &&
               same_text(hsp_report_text(claimed, "level"), d->of_probability ? "probability" : "score");
    hsp_checks_add(c, "decision rule", hsp_report_member(claimed, "rule"), &found, same,
                   "the model, its report and its options state different decision rules");
    if (!d->rule || hsp_decision_parse(d->rule, &rule, NULL)) return;
    if (!hsp_decision_is_fixed(&rule, d->of_probability)) {
        hsp_checks_unknown(c, "the threshold of the decision rule and its figures (they need the fits of the folds)");
        return;
    }
    const hsp_report threshold = hsp_report_of_number(d->threshold);
    hsp_checks_number(c, "decision rule.threshold", &threshold, hsp_decision_fixed(&rule), 0);
    if (m->calibration.method) hsp_checks_unknown(c, "the figures of the decision rule (they need the fits of the folds)");
}

void hsp_calibration_check(hsp_checks *c, const hsp_model *m) {
    if (m->calibration.method || hsp_report_member(m->report, "calibration")) check_map(c, m);
    if (m->decision.rule || hsp_report_member(m->report, "decision_rule")) check_rule(c, m);
}
