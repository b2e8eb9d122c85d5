#include "calibration_report.h"
#include "json_output.h"
#include "short_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "0.2154 (before: 0.2871)" */
static void figure_line(hsp_cli_table *t, const char *title, const char *key, const hsp_report *calibration) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    double before = hsp_report_number(hsp_report_member(calibration, "before"), key);
    hsp_cli_cell(t, title);
    hsp_cli_share(hsp_report_number(hsp_report_member(calibration, "after"), key), a);
    if (isfinite(before))
        hsp_cli_cellf(t, "%s (before: %s)", a, hsp_cli_share(before, b));
    else
        hsp_cli_cell(t, a);
}

static void map_lines(hsp_cli_table *t, const hsp_report *calibration) {
    char folds[HSP_CLI_NUMBER];
    if (!hsp_cli_is(calibration, NULL, HSP_REPORT_OBJECT)) return;
    hsp_cli_cell(t, "calibration");
    hsp_cli_cellf(t, "%s, by %s folds; on rows that were not trained on:", hsp_report_text(calibration, "method"),
                  hsp_cli_short(hsp_report_number(calibration, "folds"), 15, HSP_CLI_NEAREST, folds));
    figure_line(t, "  log loss", "log_loss", calibration);
    figure_line(t, "  Brier score", "brier", calibration);
    figure_line(t, "  calibration error", "calibration_error", calibration);
}

/* "accuracy 0.91, precision 0.9, ..." */
static void rule_figures(hsp_cli_table *t, const hsp_report *figures) {
    static const char *const keys[][2] = {{"accuracy", "accuracy"},
                                          {"balanced_accuracy", "balanced accuracy"},
                                          {"f1", "F1"},
                                          {"mcc", "MCC"},
                                          {"precision", "precision"},
                                          {"recall", "recall"},
                                          {"mean_cost", "mean cost"}};
    char line[512] = "", number[HSP_CLI_NUMBER];
    size_t used = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && used < sizeof line; i++) {
        double v = hsp_report_number(figures, keys[i][0]);
        if (!isfinite(v)) continue;
        int n = snprintf(line + used, sizeof line - used, "%s%s %s", used ? ", " : "", keys[i][1], hsp_cli_share(v, number));
        used += n > 0 ? (size_t)n : 0;
    }
    hsp_cli_cell(t, "  not trained on");
    hsp_cli_cell(t, line);
}

static void rule_line(hsp_cli_table *t, const hsp_report *rule) {
    char number[HSP_CLI_NUMBER], text[HSP_NUMBER_SIZE];
    double threshold = hsp_report_number(rule, "threshold");
    const char *asked = hsp_report_text(rule, "rule"), *level = hsp_report_text(rule, "level");
    hsp_format_number(threshold, text);
    hsp_cli_cell(t, "decision");
    if (strcmp(asked, text) == 0) /* the threshold itself was asked for */
        hsp_cli_cellf(t, "%s above %s", level, text);
    else
        hsp_cli_cellf(t, "%s above %s (%s)", level,
                      hsp_cli_short(threshold, 6, HSP_CLI_NEAREST, number), asked);
}

void hsp_cli_calibration_lines(hsp_cli_table *t, const hsp_report *report) {
    const hsp_report *rule = hsp_report_member(report, "decision_rule"),
                     *figures = hsp_report_member(rule, "out_of_fold");
    map_lines(t, hsp_report_member(report, "calibration"));
    if (!hsp_cli_is(rule, NULL, HSP_REPORT_OBJECT)) return;
    rule_line(t, rule);
    if (hsp_cli_is(figures, NULL, HSP_REPORT_OBJECT)) rule_figures(t, figures);
}

bool hsp_cli_calibration_line(hsp_cli_table *t, const hsp_report *model) {
    const hsp_report *c = hsp_report_member(model, "calibration");
    const char *method = hsp_report_text(c, "method");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    if (!method) return false;
    hsp_cli_cell(t, "probabilities");
    double T = hsp_report_number(c, "temperature");
    int64_t maps = hsp_report_count(c, strcmp(method, "platt") == 0 ? "slopes" : "maps");
    if (isfinite(T))
        hsp_cli_cellf(t, "calibrated: temperature %s", hsp_cli_short(T, 6, HSP_CLI_NEAREST, a));
    else if (maps > 1)
        hsp_cli_cellf(t, "calibrated: %s, a map for each class, divided by their sum", method);
    else if (strcmp(method, "platt") == 0)
        hsp_cli_cellf(t, "calibrated: the logistic function of %s x score %s %s",
                      hsp_cli_short(hsp_report_number_at(c, "slopes", 0), 6, HSP_CLI_NEAREST, a),
                      hsp_report_number_at(c, "intercepts", 0) < 0 ? "-" : "+",
                      hsp_cli_short(fabs(hsp_report_number_at(c, "intercepts", 0)), 6, HSP_CLI_NEAREST, b));
    else
        hsp_cli_cellf(t, "calibrated: isotonic, %s knots",
                      hsp_cli_short((double)hsp_report_count(hsp_report_item(c, "maps", 0), "scores"), 15, HSP_CLI_NEAREST,
                                    a));
    return true;
}

void hsp_cli_decision_line(hsp_cli_table *t, const hsp_report *model) {
    const hsp_report *rule = hsp_report_member(model, "decision_rule");
    const char *text = hsp_report_text(model, "decision");
    if (hsp_cli_is(rule, NULL, HSP_REPORT_OBJECT)) {
        rule_line(t, rule);
    } else if (text) {
        hsp_cli_cell(t, "decision");
        hsp_cli_cell(t, text);
    }
}
