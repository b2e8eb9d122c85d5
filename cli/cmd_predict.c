/* halfspace predict: apply a model to a stream of rows. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"
#include "short_number.h"

#include <string.h>

static void print_human(const hsp_cli_call *call, const hsp_report *report, const char *out) {
    char rows[HSP_CLI_NUMBER];
    double n = hsp_report_number(report, "rows");
    hsp_cli_put_clean(call->human, hsp_cli_output_name(out));
    fprintf(call->human, ": %s prediction%s\n", hsp_cli_short(n, 15, HSP_CLI_NEAREST, rows), n == 1 ? "" : "s");
    hsp_cli_print_assumed(call->human, report);
}

/* The file of --bad-rows report:FILE, or NULL. */
static const char *bad_rows_file(const hsp_cli_call *call) {
    static const char report[] = "report:";
    const char *rule = hsp_options_get(call->options, "bad-rows");
    return rule && strncmp(rule, report, sizeof report - 1) == 0 ? rule + sizeof report - 1 : NULL;
}

/* Checks the files that are written against those that are read, and against each other. */
static int check_outputs(hsp_cli_call *call, const char *out, const char *bad) {
    int code = hsp_cli_output_claim(call, "-o", out);
    if (!code && bad) code = hsp_cli_output_claim(call, "--bad-rows", bad);
    if (!code && bad && *bad && hsp_cli_same_file(bad, out))
        code = hsp_cli_fail(HSP_EXIT_USAGE, "--bad-rows and -o name the same file: choose another name for one of them");
    for (int i = 0; i < 2 && !code; i++) {
        code = hsp_cli_output_check(out, call->operand[i]);
        if (!code && bad && *bad) code = hsp_cli_output_check(bad, call->operand[i]);
    }
    return code;
}

static void warn_of_bad_rows(const hsp_cli_call *call, const hsp_report *report) {
    char number[HSP_CLI_NUMBER];
    double count = hsp_report_number(report, "bad_rows");
    if (!(count > 0)) return;
    hsp_cli_warn(call, "%s bad row%s left out, the first: %s", hsp_cli_short(count, 15, HSP_CLI_NEAREST, number),
                 count == 1 ? " was" : "s were", hsp_report_text(report, "first_bad_row"));
}

/* What a reader of the predictions must know of the model. */
static void note_model(const hsp_cli_call *call, const hsp_model *m, const hsp_report *report) {
    const char *rule = hsp_report_text(report, "decision");
    hsp_array means = {.size = sizeof means};
    if (rule && strncmp(rule, "largest class weight", strlen("largest class weight")) == 0)
        hsp_cli_note(call,
                     "labels are those of the %s, as the model was trained with --class-weight; the most probable class "
                     "may be another",
                     rule);
    if (rule && !hsp_options_given(call->options, "decide") && strstr(rule, " above ") &&
        strcmp(rule, "score above 0") != 0)
        hsp_cli_note(call, "the positive class is predicted for a %s, the decision rule of the model (--decide overrides it)",
                     rule);
    if (hsp_options_get(call->options, "explain") && hsp_model_array(m, "feature-means", &means, NULL))
        hsp_cli_note(call, "the model holds no means of its features: contributions are weight x value");
}

static int predict_command(hsp_cli_call *call) {
    const char *in = call->operand[1], *out = hsp_cli_value(call, "output"), *bad = bad_rows_file(call);
    if (!out) out = "-";
    hsp_error *err = NULL;
    hsp_model *model = NULL;
    hsp_cli_watch watch;
    hsp_report *report = NULL;
    int code = check_outputs(call, out, bad);
    if (!code && hsp_cli_value(call, "keep") &&
        hsp_options_set(call->options, "keep-columns", hsp_cli_value(call, "keep"), &err))
        code = hsp_cli_report_error(&err);
    if (!code) code = hsp_cli_load(call, call->operand[0], in, &model);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = hsp_cli_output_begin(call, out);
    if (!code) code = hsp_cli_output_begin(call, bad);
    if (code) {
        hsp_model_free(model);
        return code;
    }
    int status = hsp_predict(model, in, out, call->options, &watch.hooks, &report, &err);
    hsp_cli_watch_end(&watch);
    if (!status) note_model(call, model, report);
    hsp_model_free(model);
    if (status) return hsp_cli_report_error(&err);
    hsp_cli_note_unseen(call, report);
    warn_of_bad_rows(call, report);
    if (call->json) hsp_cli_source_print(NULL, report);
    bool say = !call->quiet && (call->verbose || (!call->json && !hsp_cli_is_stdout(out)));
    if (say)
        print_human(call, report, out); /* includes the assumptions */
    else if (hsp_report_flag(report, "columns_in_order") == 1)
        hsp_cli_note(call, "%s is not in the format of the training data: its columns are matched to the model by position",
                     hsp_cli_input_name(in));
    hsp_report_free(report);
    return HSP_EXIT_OK;
}

const hsp_cli_command hsp_cli_predict = {
    .name = "predict",
    .help = "predict the target of new data with a model",
    .operands = "MODEL DATA",
    .synopsis = "MODEL DATA [-o OUT.csv] [--scores] [--proba] [--project] [options]",
    .detail = "Writes CSV: a header, then one line for each row in the order of the input. DATA may have a label column "
              "or not. Columns are matched to the model by name, or without a header line by position. Probabilities are "
              "written in columns p:CLASS, projections in columns z1, z2, ... Columns of --keep come first. --explain "
              "adds the score of the mean row (baseline), the features with the largest contributions weight x (value - "
              "mean), and the sum of all other contributions. These numbers add up to the score; with more than two "
              "classes, to the score of the predicted class.",
    .takes = "predict read --decide",
    .own = {{"output", "o", 1, "FILE", "output file for the predictions (default: stdout)"},
            {"keep", NULL, 1, "NAME|NUMBER,...",
             "columns of a CSV file to copy unchanged, before the predictions; the model need not use them"}},
    .example = {"halfspace predict squares.hsm new.csv -o answers.csv",
                "halfspace predict diagnosis.hsm patients.csv --proba --keep id,name",
                "halfspace predict squares.hsm new.csv --bad-rows report:bad.csv -o answers.csv",
                "zcat new.svm.gz | halfspace predict words.hsm - --scores | head"},
    .copies_rows = true,
    .run = predict_command,
};
