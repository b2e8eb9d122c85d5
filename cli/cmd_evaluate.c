/* halfspace evaluate: metrics of a model on data with known labels or targets. */
#include "arguments.h"
#include "fail.h"
#include "metrics_report.h"
#include "output.h"
#include "reading.h"
#include "short_number.h"

#include <math.h>
#include <string.h>

static int print_human(const hsp_cli_call *call, const hsp_cli_source *source, const hsp_report *metrics) {
    hsp_cli_print_data(call->human, hsp_cli_input_name(call->operand[1]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(call->human, source->tree);
    putc('\n', call->human);
    return hsp_cli_print_metrics(call->human, metrics, call->verbose);
}

/* A required minimum of a metric. */
typedef struct demand {
    const char *option, *key, *name; /* option NULL: no requirement */
    double least;
} demand;

/* 0 or an exit code. */
static int read_demand(const hsp_cli_call *call, demand *out) {
    static const demand kinds[] = {{"min-accuracy", "accuracy", "accuracy", 0}, {"min-r2", "r2", "R^2", 0}};
    *out = (demand){0};
    for (int i = 0; i < 2; i++) {
        const char *text = hsp_cli_value(call, kinds[i].option);
        if (!text) continue;
        if (out->option)
            return hsp_cli_fail(HSP_EXIT_USAGE,
                                "--min-accuracy is for classification, --min-r2 for regression: give one of them");
        *out = kinds[i];
        if (!hsp_parse_number(text, strlen(text), &out->least) && out->least <= 1 && (i == 1 || out->least >= 0)) continue;
        return i == 0 ? hsp_cli_fail(HSP_EXIT_USAGE, "--min-accuracy cannot be '%s': give a number from 0 to 1", text)
                      : hsp_cli_fail(HSP_EXIT_USAGE, "--min-r2 cannot be '%s': give a number of at most 1", text);
    }
    return 0;
}

/* Accuracy exists for classification, R^2 for regression. */
static int check_demand(const demand *wanted, const hsp_model *model) {
    bool regression = hsp_model_classes(model) == 0;
    if (!wanted->option || (strcmp(wanted->option, "min-r2") == 0) == regression) return 0;
    return regression ? hsp_cli_fail(HSP_EXIT_USAGE,
                                     "--min-accuracy is for classification, and the model is a regression: use --min-r2")
                      : hsp_cli_fail(HSP_EXIT_USAGE,
                                     "--min-r2 is for regression, and the model is a classifier: use --min-accuracy");
}

/* Returns HSP_EXIT_NO, with a one-line message, when the model misses the required value. */
static int hold_against(const hsp_cli_call *call, const hsp_report *metrics, const demand *wanted) {
    if (!wanted->option) return HSP_EXIT_OK;
    double v = hsp_report_number(metrics, wanted->key);
    if (v >= wanted->least) return HSP_EXIT_OK;
    char got[HSP_CLI_NUMBER];
    if (isnan(v)) {
        hsp_cli_note(call, "%s is undefined and cannot be compared with --%s: all targets are equal", wanted->name,
                     wanted->option);
    } else {
        hsp_cli_note(call, "%s %s is below --%s %s", wanted->name, hsp_cli_share(v, got), wanted->option,
                     hsp_cli_value(call, wanted->option));
    }
    return HSP_EXIT_NO;
}

static int evaluate_model(const hsp_cli_call *call, const hsp_model *model, hsp_cli_source *source, hsp_cli_watch *watch,
                          const demand *wanted) {
    hsp_error *err = NULL;
    hsp_report *metrics = NULL;
    int status = hsp_evaluate(model, source->data, call->options, &watch->hooks, &metrics, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    int code = HSP_EXIT_OK;
    if (call->json) hsp_cli_source_print(source, metrics);
    if (!call->json || call->verbose) code = print_human(call, source, metrics);
    hsp_cli_note_unseen(call, metrics);
    if (!code) code = hold_against(call, metrics, wanted);
    hsp_report_free(metrics);
    return code;
}

static int evaluate_command(hsp_cli_call *call) {
    hsp_model *model = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    demand wanted;
    int code = read_demand(call, &wanted);
    if (!code) code = hsp_cli_load(call, call->operand[0], call->operand[1], &model);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = check_demand(&wanted, model);
    if (!code) code = hsp_cli_read(call, model, call->operand[1], &watch, &source);
    if (!code) code = evaluate_model(call, model, &source, &watch, &wanted);
    hsp_cli_source_free(&source);
    hsp_model_free(model);
    return code;
}

const hsp_cli_command hsp_cli_evaluate = {
    .name = "evaluate",
    .help = "measure how well a model predicts labelled data",
    .operands = "MODEL DATA",
    .synopsis = "MODEL DATA [--min-accuracy X] [--importance] [options]",
    .detail = "Columns are matched to the model by name, or without a header line by position. With --weight every metric "
              "is weighted. Log loss and Brier score "
              "need a model that predicts probabilities. The metrics of a regression are MSE, RMSE, MAE and R^2. "
              "With two classes, --verbose also prints the mean and the sum of the losses zero-one, perceptron, hinge, "
              "squared-hinge, logistic and squared.",
    .takes = "read evaluate --decide",
    .own = {{"min-accuracy", NULL, 1, "X", "lowest accuracy to accept; exit code 1 if it is missed"},
            {"min-r2", NULL, 1, "X", "lowest R^2 of a regression to accept; exit code 1 if it is missed"}},
    .example = {"halfspace evaluate squares.hsm test.csv", "halfspace evaluate diagnosis.hsm test.csv --importance 20",
                "halfspace evaluate squares.hsm test.csv --min-accuracy 0.95 --json"},
    .run = evaluate_command,
};
