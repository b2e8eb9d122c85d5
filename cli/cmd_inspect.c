/* halfspace inspect: what is to know of data before training. */
#include "arguments.h"
#include "fail.h"
#include "inspect_report.h"
#include "output.h"
#include "reading.h"

#include <stdlib.h>
#include <string.h>

/* The verdict with its proof, as `verify` reads it. */
static int write_certificate(const char *path, const json_t *separable) {
    hsp_error *err = NULL;
    char *line = hsp_cli_json_line(separable);
    if (!line) return hsp_cli_fail_memory();
    size_t length = strlen(line);
    line[length] = '\n'; /* in place of the final NUL */
    int code = hsp_write_file(path, line, length + 1, &err) ? hsp_cli_report_error(&err) : 0;
    hsp_free(line);
    return code;
}

static void set_seconds(json_t *report, const hsp_cli_source *source) {
    json_t *seconds = json_object_get(report, "seconds");
    hsp_cli_source_seconds(source, seconds);
    static const char *const parts[] = {"inspect", "separate"};
    for (int i = 0; i < 2; i++)
        json_object_set_new(seconds, parts[i], hsp_cli_json_seconds(hsp_cli_json_number(seconds, parts[i])));
}

static int print_result(const hsp_cli_call *call, const hsp_cli_source *source, const json_t *report,
                        const char *certificate) {
    FILE *f = call->human;
    if (call->json) hsp_cli_json_print(report);
    if (call->json && !call->verbose) return 0;
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(f, source->tree);
    putc('\n', f);
    int code = hsp_cli_print_inspection(f, report, source->data);
    if (code || !certificate || call->quiet) return code;
    fputs("\ncertificate ", f);
    hsp_cli_put_clean(f, hsp_cli_output_name(certificate));
    putc('\n', f);
    return 0;
}

/* Inspects, writes and says; the report is the caller's to free. */
static int inspect(hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch, json_t **report) {
    const char *certificate = hsp_cli_value(call, "certificate");
    hsp_error *err = NULL;
    char *text = NULL;
    if (certificate && hsp_data_classes(source->data) == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--certificate proves whether classes are separable, and the data have none: "
                                            "leave it out");
    int status = hsp_inspect(source->data, call->options, &watch->hooks, &text, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    *report = hsp_cli_json_take(text);
    if (!*report) return HSP_EXIT_SYSTEM;
    set_seconds(*report, source);
    const json_t *separable = json_object_get(*report, "separable");
    hsp_cli_output_begin(call, certificate);
    int code = certificate ? write_certificate(certificate, separable) : 0;
    if (!code) code = print_result(call, source, *report, certificate);
    if (code || !json_is_true(json_object_get(separable, "interrupted"))) return code;
    hsp_cli_note(call, "interrupted: the question of separability is left open");
    return HSP_EXIT_INTERRUPTED;
}

/* What reading has to say of the columns is among the findings: told once. */
static int read_source(const hsp_cli_call *call, hsp_cli_watch *watch, hsp_cli_source *source) {
    const char *cache = hsp_options_get(call->options, "cache");
    hsp_hooks all = watch->hooks;
    if (!call->verbose && !(cache && strcmp(cache, "yes") == 0)) watch->hooks.log = NULL;
    int code = hsp_cli_read(call, NULL, call->operand[0], watch, source);
    watch->hooks = all;
    return code;
}

static int inspect_command(hsp_cli_call *call) {
    const char *certificate = hsp_cli_value(call, "certificate");
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    json_t *report = NULL;
    int code = hsp_cli_output_claim(call, "--certificate", certificate);
    if (!code) code = hsp_cli_output_check(certificate, call->operand[0]);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = read_source(call, &watch, &source);
    if (!code) code = inspect(call, &source, &watch, &report);
    json_decref(report);
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_inspect = {
    .name = "inspect",
    .help = "look at data before training, and whether its classes are separable",
    .operands = "DATA",
    .synopsis = "DATA [--certificate FILE] [options]",
    .detail =
        "Says what the columns are, what is the matter with them and with the rows, worst first, each with the option "
        "that mends it, and "
        "whether a plane separates the classes. The verdict comes with its proof: separable, with a plane (not the "
        "one of the largest margin: see -a hard-svm); not separable, with a witness: rows of both classes that, "
        "weighed, have the same mean; touching, when the classes meet only at the boundary; or undecided. Of more "
        "than two classes each is held against the rest. The search ends after 20 seconds, or --max-seconds. "
        "--intercept none asks for planes through the origin. Rows of weight 0 do not count. The exit code is 0 "
        "whatever the verdict.",
    .takes = "read table --intercept --positive --max-seconds",
    .own = {{"certificate", NULL, 1, "FILE", "write the verdict and its proof, for `halfspace verify FILE DATA`"}},
    .example = {"halfspace inspect squares.csv", "halfspace inspect iris.csv --positive setosa --certificate setosa.json",
                "halfspace inspect words.svm.gz --intercept none --max-seconds 10 --json"},
    .run = inspect_command,
};
