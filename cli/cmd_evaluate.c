/* halfspace evaluate: how good a model is on data with known labels. */
#include "arguments.h"
#include "fail.h"
#include "metrics_report.h"
#include "output.h"
#include "reading.h"

#include <math.h>
#include <string.h>

static int print_human(const hsp_cli_call *call, const hsp_cli_source *source, const json_t *metrics) {
    hsp_cli_print_data(call->human, hsp_cli_input_name(call->operand[1]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(call->human, source->tree);
    putc('\n', call->human);
    return hsp_cli_print_metrics(call->human, metrics);
}

/* The accuracy that was asked for, NaN when none was. 0 or an exit code. */
static int wanted_accuracy(const hsp_cli_call *call, double *wanted) {
    const char *text = hsp_cli_value(call, "min-accuracy");
    *wanted = (double)NAN;
    if (!text) return 0;
    if (hsp_parse_number(text, strlen(text), wanted) || !(*wanted >= 0 && *wanted <= 1))
        return hsp_cli_fail(HSP_EXIT_USAGE, "--min-accuracy: '%s' is not a share: give a number from 0 to 1", text);
    return 0;
}

static int judge(const hsp_cli_call *call, const hsp_model *model, hsp_cli_source *source, double wanted) {
    hsp_error *err = NULL;
    char *text = NULL;
    if (hsp_evaluate(model, source->data, call->options, &text, &err)) return hsp_cli_report_error(&err);
    json_t *metrics = hsp_cli_json_take(text);
    if (!metrics) return HSP_EXIT_SYSTEM;
    int code = HSP_EXIT_OK;
    const json_t *seconds = json_object_get(metrics, "seconds");
    hsp_cli_json_set_seconds(metrics, "read", source->seconds, "evaluate", hsp_cli_json_number(seconds, "evaluate"));
    if (call->json) hsp_cli_json_say(metrics);
    if (!call->json || call->verbose) code = print_human(call, source, metrics);
    hsp_cli_note_unseen(call, hsp_cli_json_number(metrics, "unseen_values"));
    double accuracy = hsp_cli_json_number(metrics, "accuracy");
    if (!code && accuracy < wanted) {
        char got[HSP_CLI_NUMBER];
        hsp_cli_note(call, "accuracy %s is below --min-accuracy %s", hsp_cli_share(accuracy, got),
                     hsp_cli_value(call, "min-accuracy"));
        code = HSP_EXIT_NO;
    }
    json_decref(metrics);
    return code;
}

static int run(hsp_cli_call *call) {
    hsp_model *model = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    double wanted;
    int code = wanted_accuracy(call, &wanted);
    if (!code) code = hsp_cli_load(call->operand[0], call->operand[1], &model);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = hsp_cli_read(call, model, call->operand[1], &watch, &source);
    if (!code) code = judge(call, model, &source, wanted);
    hsp_cli_source_free(&source);
    hsp_model_free(model);
    return code;
}

const hsp_cli_command hsp_cli_evaluate = {
    .name = "evaluate",
    .help = "judge a model on data with known labels",
    .operands = "MODEL DATA",
    .synopsis = "MODEL DATA [--min-accuracy X] [options]",
    .detail = "Columns are matched by the model's own names.",
    .takes = "read",
    .own = {{"min-accuracy", NULL, 1, "X", "exit 1 when the accuracy is below this share"}},
    .example = {"halfspace evaluate squares.hsm test.csv",
                "halfspace evaluate squares.hsm test.csv --min-accuracy 0.95 --json"},
    .run = run,
};
