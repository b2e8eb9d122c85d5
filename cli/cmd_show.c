/* halfspace show: the contents of a model. */
#include "arguments.h"
#include "calibration_report.h"
#include "details.h"
#include "fail.h"
#include "json_output.h"
#include "layers_report.h"
#include "moments_report.h"
#include "output.h"
#include "reading.h"
#include "separable_report.h"
#include "svm_report.h"
#include "table_report.h"
#include "text_table.h"
#include "weights.h"

#include <inttypes.h>
#include <string.h>

/* Adds lines of key and value; null and empty values are left out. */
static void add_members(hsp_cli_table *t, const hsp_report *object) {
    HSP_REPORT_EACH(value, object) {
        if (hsp_cli_is(value, NULL, HSP_REPORT_NULL) || hsp_cli_is(value, NULL, HSP_REPORT_OBJECT)) continue;
        hsp_cli_cell(t, hsp_report_name(value));
        hsp_cli_cell_value(t, value, 10);
    }
}

static int print_section(FILE *f, const char *title, hsp_cli_table *t) {
    if (t->cells) fprintf(f, "\n%s\n", title);
    return hsp_cli_table_print(t, f, 2, "l");
}

/* How scores become probabilities, in words; NULL when the model has none. */
static const char *link_words(const char *link) {
    static const char *const words[][2] = {{"logistic", "the logistic function of the score"},
                                           {"softmax", "the softmax of the scores"},
                                           {"ovr", "the logistic function of each score, divided by their sum"}};
    for (size_t i = 0; link && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], link) == 0) return words[i][1];
    return NULL;
}

static int print_head(FILE *f, const hsp_report *report, const char *path, const hsp_model *m) {
    static const char *const keys[] = {"algorithm", "task", "positive", NULL};
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "model");
    hsp_cli_cell(&t, hsp_cli_input_name(path));
    for (int i = 0; keys[i]; i++) {
        const char *text = hsp_report_text(report, keys[i]);
        if (!text) continue;
        hsp_cli_cell(&t, keys[i]);
        hsp_cli_cell_name(&t, text);
    }
    if (hsp_model_classes(m) > 0) {
        hsp_cli_cell(&t, "classes");
        hsp_cli_cell_value(&t, hsp_report_member(report, "classes"), 20);
    }
    if (hsp_cli_is_list(report, "class_weight")) {
        hsp_cli_cell(&t, "class weights");
        hsp_cli_cell_value(&t, hsp_report_member(report, "class_weight"), 20);
    }
    const char *link = link_words(hsp_report_text(report, "link"));
    if (!hsp_cli_calibration_line(&t, report) && link) {
        hsp_cli_cell(&t, "probabilities");
        hsp_cli_cell(&t, link);
    }
    hsp_cli_decision_line(&t, report);
    hsp_cli_cell(&t, "features");
    hsp_cli_cellf(&t, "%" PRId64, hsp_model_features(m));
    const hsp_report *scale = hsp_report_member(report, "scale");
    const char *kind =
        hsp_cli_is(scale, NULL, HSP_REPORT_OBJECT) ? hsp_report_text(scale, "kind") : hsp_report_text(scale, NULL);
    const char *columns = hsp_report_text(scale, "columns");
    bool some = columns && strcmp(columns, "numeric") == 0;
    hsp_cli_cell(&t, "scale");
    hsp_cli_cellf(&t, "%s%s", kind ? kind : "none", some ? " (numeric and date columns)" : "");
    const char *checksum = hsp_report_text(report, "checksum");
    if (checksum) {
        hsp_cli_cell(&t, "checksum");
        hsp_cli_cell(&t, checksum);
    }
    return hsp_cli_table_print(&t, f, 0, "l");
}

/* The report of the fit, without what the lines above already show. */
static int print_fit(FILE *f, const hsp_report *report) {
    static const char *const keys[] = {"loss",           "penalty",   "C",           "lambda", "solver",
                                       "schedule",       "converged", "stop_reason", "epochs", "updates",
                                       "train_accuracy", "train_r2",  "train_rmse",  NULL};
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    for (int i = 0; keys[i]; i++) {
        const hsp_report *value = hsp_report_member(report, keys[i]);
        if (!value || hsp_cli_is(value, NULL, HSP_REPORT_NULL)) continue;
        hsp_cli_cell(&t, keys[i]);
        hsp_cli_cell_value(&t, value, 10);
    }
    const char *reason = hsp_report_text(hsp_report_member(report, "comparison"), "reason");
    if (reason) {
        hsp_cli_cell(&t, "chosen");
        hsp_cli_cell(&t, reason);
    }
    hsp_cli_fit_separable_line(&t, report);
    hsp_cli_svm_lines(&t, hsp_report_member(report, "svm"), true);
    hsp_cli_detail_lines(&t, report);
    int code = print_section(f, "fit", &t);
    return code ? code
                : hsp_cli_print_svm_classes(f, hsp_report_member(report, "svm"), hsp_report_member(report, "classes"));
}

enum { SHOWN = 20 };

static int print_human(FILE *f, const hsp_cli_call *call, const hsp_model *m, const hsp_report *report) {
    int64_t d = hsp_model_features(m), limit = hsp_cli_value(call, "all") ? d : SHOWN;
    int code = print_head(f, report, call->operand[0], m);
    if (!code) code = hsp_cli_print_table(f, hsp_report_member(report, "table"), hsp_cli_value(call, "all") != NULL);
    if (code) return code;
    if (hsp_cli_is_network(m)) {
        code = hsp_cli_print_layers(f, m, hsp_cli_value(call, "all") != NULL);
    } else {
        hsp_cli_print_weights_title(f, m, limit, "--all prints all");
        code = hsp_cli_print_weights(f, m, limit, HSP_CLI_BY_SIZE);
    }
    if (!code) code = print_fit(f, hsp_report_member(hsp_report_member(report, "training"), "report"));
    static const char *const sections[] = {"certificate", "training", "options", NULL};
    for (int i = 0; sections[i] && !code; i++) {
        hsp_cli_table t;
        hsp_cli_table_begin(&t, 2);
        add_members(&t, hsp_report_member(report, sections[i]));
        code = print_section(f, sections[i], &t);
    }
    return code;
}

static void print_json(const hsp_report *report, const hsp_report *moments) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_members(&o.j, report);
    if (moments) hsp_json_report(&o.j, "moments", moments);
    hsp_cli_object_print(&o);
}

static int show_command(hsp_cli_call *call) {
    hsp_error *err = NULL;
    hsp_model *model = NULL;
    hsp_report *report = NULL, *moments = NULL;
    if (hsp_model_load(call->operand[0], &model, &err)) return hsp_cli_report_error(&err);
    hsp_cli_warn_interrupted(call, call->operand[0], model);
    int code = hsp_cli_value(call, "support") ? hsp_cli_check_support(model) : 0;
    if (!code && hsp_model_report(model, &report, &err)) code = hsp_cli_report_error(&err);
    if (!code && hsp_cli_value(call, "moments") && hsp_model_moments(model, &moments, &err))
        code = hsp_cli_report_error(&err);
    if (!code && call->json) print_json(report, moments);
    if (!code && (!call->json || call->verbose)) {
        code = print_human(call->human, call, model, report);
        if (!code && moments) code = hsp_cli_print_moments(call->human, model, moments);
        if (!code && hsp_cli_value(call, "support"))
            code = hsp_cli_print_support(call->human, model, hsp_cli_value(call, "all") != NULL);
    }
    hsp_report_free(report);
    hsp_report_free(moments);
    hsp_model_free(model);
    return code;
}

const hsp_cli_command hsp_cli_show = {
    .name = "show",
    .help = "print the contents of a model",
    .operands = "MODEL",
    .synopsis = "MODEL [--all] [--moments] [--support] [options]",
    .detail = "Weights are in the units of the data, even if the model was trained with --scale. Features are listed by "
              "the size of weight x sd, the change of the score for a change by one standard deviation. Where scores are "
              "log-odds, odds ratios follow: exp(weight) for one unit, exp(weight x sd) for one standard deviation.",
    .takes = "",
    .own = {{"all", NULL, 0, NULL,
             "all columns, all weights (not only those of the 20 features with the largest |weight x sd|) and, with "
             "--support, all support vectors"},
            {"moments", NULL, 0, NULL,
             "also the class means, covariances and second moments of the training data (nearest-mean, fisher, lda; "
             "least-squares and ridge with at most 64 columns)"},
            {"support", NULL, 0, NULL,
             "also the support vectors (rows with a non-zero multiplier); an error if the model holds none"}},
    .example = {"halfspace show squares.hsm", "halfspace show squares.hsm --json", "halfspace show iris.hsm --moments",
                "halfspace show svm.hsm --support --all"},
    .run = show_command,
};
