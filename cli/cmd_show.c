/* halfspace show: everything in a model. */
#include "arguments.h"
#include "details.h"
#include "fail.h"
#include "moments_report.h"
#include "output.h"
#include "report.h"
#include "separable_report.h"
#include "svm_report.h"
#include "table_report.h"
#include "weights.h"

#include <inttypes.h>
#include <string.h>

/* Lines of key and value; what is null or empty is left out. */
static void add_members(hsp_cli_table *t, const json_t *object) {
    json_t *o = (json_t *)(uintptr_t)object;
    for (void *it = json_object_iter(o); it; it = json_object_iter_next(o, it)) {
        json_t *value = json_object_iter_value(it);
        if (json_is_null(value) || json_is_object(value)) continue;
        hsp_cli_cell(t, json_object_iter_key(it));
        hsp_cli_cell_value(t, value, 10);
    }
}

static int print_section(FILE *f, const char *title, hsp_cli_table *t) {
    if (t->cells) fprintf(f, "\n%s\n", title);
    return hsp_cli_table_print(t, f, 2, "l");
}

/* How scores become probabilities, for people; NULL when they do not. */
static const char *link_words(const char *link) {
    static const char *const words[][2] = {{"logistic", "the logistic function of the score"},
                                           {"softmax", "the softmax of the scores"},
                                           {"ovr", "the logistic function of each score, divided by their sum"}};
    for (size_t i = 0; link && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], link) == 0) return words[i][1];
    return NULL;
}

static int print_head(FILE *f, const json_t *report, const char *path, const hsp_model *m) {
    static const char *const keys[] = {"algorithm", "task", "positive", NULL};
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "model");
    hsp_cli_cell(&t, hsp_cli_input_name(path));
    for (int i = 0; keys[i]; i++) {
        const char *text = hsp_cli_json_string(report, keys[i]);
        if (!text) continue;
        hsp_cli_cell(&t, keys[i]);
        hsp_cli_cell_name(&t, text);
    }
    if (hsp_model_classes(m) > 0) {
        hsp_cli_cell(&t, "classes");
        hsp_cli_cell_value(&t, json_object_get(report, "classes"), 20);
    }
    if (json_is_array(json_object_get(report, "class_weight"))) {
        hsp_cli_cell(&t, "class weights");
        hsp_cli_cell_value(&t, json_object_get(report, "class_weight"), 20);
    }
    const char *link = link_words(hsp_cli_json_string(report, "link"));
    if (link) {
        hsp_cli_cell(&t, "probabilities");
        hsp_cli_cell(&t, link);
    }
    hsp_cli_cell(&t, "features");
    hsp_cli_cellf(&t, "%" PRId64, hsp_model_features(m));
    const json_t *scale = json_object_get(report, "scale");
    const char *kind = json_is_object(scale) ? hsp_cli_json_string(scale, "kind") : json_string_value(scale);
    hsp_cli_cell(&t, "scale");
    hsp_cli_cell(&t, kind ? kind : "none");
    const char *checksum = hsp_cli_json_string(report, "checksum");
    if (checksum) {
        hsp_cli_cell(&t, "checksum");
        hsp_cli_cell(&t, checksum);
    }
    return hsp_cli_table_print(&t, f, 0, "l");
}

/* What the fit said of itself, as far as the lines above do not say it. */
static int print_fit(FILE *f, const json_t *report) {
    static const char *const keys[] = {"loss",           "penalty",   "C",           "lambda", "solver",
                                       "schedule",       "converged", "stop_reason", "epochs", "updates",
                                       "train_accuracy", "train_r2",  "train_rmse",  NULL};
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    for (int i = 0; keys[i]; i++) {
        const json_t *value = json_object_get(report, keys[i]);
        if (!value || json_is_null(value)) continue;
        hsp_cli_cell(&t, keys[i]);
        hsp_cli_cell_value(&t, value, 10);
    }
    hsp_cli_fit_separable_line(&t, report);
    hsp_cli_svm_lines(&t, json_object_get(report, "svm"), true);
    hsp_cli_detail_lines(&t, report);
    int code = print_section(f, "fit", &t);
    return code ? code : hsp_cli_print_svm_classes(f, json_object_get(report, "svm"), json_object_get(report, "classes"));
}

enum { SHOWN = 20 };

static int print_human(FILE *f, const hsp_cli_call *call, const hsp_model *m, const json_t *report) {
    int64_t d = hsp_model_features(m), limit = hsp_cli_value(call, "all") ? d : SHOWN;
    int code = print_head(f, report, call->operand[0], m);
    if (!code) code = hsp_cli_print_table(f, json_object_get(report, "table"), hsp_cli_value(call, "all") != NULL);
    if (code) return code;
    hsp_cli_print_weights_title(f, m);
    if (limit < d) fprintf(f, ", the %" PRId64 " largest of %" PRId64 "; --all shows every one", limit, d);
    putc('\n', f);
    code = hsp_cli_print_weights(f, m, limit, HSP_CLI_BY_SIZE);
    if (!code) code = print_fit(f, json_object_get(json_object_get(report, "training"), "report"));
    static const char *const sections[] = {"certificate", "training", "options", NULL};
    for (int i = 0; sections[i] && !code; i++) {
        hsp_cli_table t;
        hsp_cli_table_begin(&t, 2);
        add_members(&t, json_object_get(report, sections[i]));
        code = print_section(f, sections[i], &t);
    }
    return code;
}

/* The report of the library, with `moments` in it when they are asked for. 0 or an exit code. */
static int make_report(const hsp_cli_call *call, const hsp_model *m, json_t **out) {
    hsp_error *err = NULL;
    char *text = NULL;
    if (hsp_model_report(m, &text, &err)) return hsp_cli_report_error(&err);
    json_t *report = hsp_cli_json_take(text);
    *out = report;
    if (!report) return HSP_EXIT_SYSTEM;
    if (!hsp_cli_value(call, "moments")) return 0;
    if (hsp_model_moments(m, &text, &err)) return hsp_cli_report_error(&err);
    json_t *moments = hsp_cli_json_take(text);
    if (!moments) return HSP_EXIT_SYSTEM;
    json_object_set_new(report, "moments", moments);
    return 0;
}

static int show_command(hsp_cli_call *call) {
    hsp_error *err = NULL;
    hsp_model *model = NULL;
    json_t *report = NULL;
    if (hsp_model_load(call->operand[0], &model, &err)) return hsp_cli_report_error(&err);
    int code = hsp_cli_value(call, "support") ? hsp_cli_check_support(model) : 0;
    if (!code) code = make_report(call, model, &report);
    if (!code && call->json) hsp_cli_json_print(report);
    if (!code && (!call->json || call->verbose)) {
        code = print_human(call->human, call, model, report);
        const json_t *moments = json_object_get(report, "moments");
        if (!code && moments) code = hsp_cli_print_moments(call->human, model, moments);
        if (!code && hsp_cli_value(call, "support"))
            code = hsp_cli_print_support(call->human, model, hsp_cli_value(call, "all") != NULL);
    }
    json_decref(report);
    hsp_model_free(model);
    return code;
}

const hsp_cli_command hsp_cli_show = {
    .name = "show",
    .help = "everything in a model",
    .operands = "MODEL",
    .synopsis = "MODEL [--all] [--moments] [--support] [options]",
    .detail = "Weights are in the units of the data, whatever scaling was used in training.",
    .takes = "",
    .own = {{"all", NULL, 0, NULL, "every weight and support row, not only the 20 largest"},
            {"moments", NULL, 0, NULL, "also the means, covariances and second moments that the fit used"},
            {"support", NULL, 0, NULL,
             "also the rows with a multiplier (support vectors), as far as the model holds them"}},
    .example = {"halfspace show squares.hsm", "halfspace show squares.hsm --json", "halfspace show iris.hsm --moments",
                "halfspace show street.hsm --support --all"},
    .run = show_command,
};
