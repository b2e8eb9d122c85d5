/* halfspace predict: a model applied to rows, in a stream. */
#include "arguments.h"
#include "fail.h"
#include "output.h"
#include "reading.h"

#include <math.h>

static void print_json(json_t *report, const char *out, double took) {
    json_object_set_new(report, "output", hsp_cli_json_text(out));
    if (!json_object_get(report, "seconds")) {
        json_t *seconds = json_object();
        json_object_set_new(seconds, "predict", hsp_cli_json_seconds(took));
        json_object_set_new(report, "seconds", seconds);
    }
    hsp_cli_json_print(stdout, report);
    putchar('\n');
}

static void print_human(const hsp_cli_call *call, const json_t *report, const char *out) {
    char rows[HSP_CLI_NUMBER];
    double n = hsp_cli_json_number(report, "rows");
    hsp_cli_put_clean(call->human, out);
    fprintf(call->human, ": %s prediction%s\n", hsp_cli_short(n, 15, HSP_CLI_NEAREST, rows), n == 1 ? "" : "s");
    hsp_cli_print_assumed(call->human, report);
}

static int run(hsp_cli_call *call) {
    const char *in = call->operand[1], *out = hsp_cli_value(call, "output");
    if (!out) out = "-";
    hsp_error *err = NULL;
    hsp_model *model = NULL;
    hsp_cli_watch watch;
    char *text = NULL;
    int code = hsp_cli_output_claim(call, out);
    if (!code) code = hsp_cli_output_check(out, in);
    if (!code) code = hsp_cli_output_check(out, call->operand[0]);
    if (code) return code;
    if (hsp_model_load(call->operand[0], &model, &err)) return hsp_cli_report_error(&err);
    hsp_cli_watch_begin(&watch, call, NULL);
    double began = hsp_cli_now();
    int status = hsp_predict(model, in, out, call->options, &watch.hooks, &text, &err);
    double took = hsp_cli_now() - began;
    hsp_cli_watch_end(&watch);
    hsp_model_free(model);
    if (status) return hsp_cli_report_error(&err);
    json_t *report = hsp_cli_json_take(text);
    if (!report) return HSP_EXIT_SYSTEM;
    hsp_cli_note_unseen(call, hsp_cli_json_number(report, "unseen_values"));
    if (call->json) print_json(report, out, took);
    bool say = !call->quiet && (call->verbose || (!call->json && !hsp_cli_is_stdout(out)));
    if (say) print_human(call, report, out);
    json_decref(report);
    return HSP_EXIT_OK;
}

const hsp_cli_command hsp_cli_predict = {
    .name = "predict",
    .help = "apply a model to rows",
    .operands = "MODEL DATA",
    .synopsis = "MODEL DATA [-o OUT.csv] [--scores] [options]",
    .detail = "Writes CSV with a header and one line for each row, in the order of the input. DATA may have a label column "
              "or not; "
              "columns are matched by the model's own names.",
    .takes = "predict read",
    .own = {{"output", "o", 1, "FILE", "where to write the predictions (default: stdout)"}},
    .example = {"halfspace predict squares.hsm new.csv -o answers.csv",
                "zcat new.svm.gz | halfspace predict words.hsm - --scores | head"},
    .run = run,
};
