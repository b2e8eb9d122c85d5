/* halfspace inspect: check data before training. */
#include "arguments.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "inspect_report.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

#include <stdlib.h>
#include <string.h>

/* Writes the verdict with its proof, for `verify`. */
static int write_certificate(const char *path, const hsp_report *separable) {
    hsp_error *err = NULL;
    char *line = NULL;
    if (hsp_report_json(separable, &line, &err)) return hsp_cli_report_error(&err);
    size_t length = strlen(line);
    line[length] = '\n'; /* replaces the final NUL */
    int code = hsp_write_file(path, line, length + 1, &err) ? hsp_cli_report_error(&err) : 0;
    hsp_free(line);
    return code;
}

static int print_result(const hsp_cli_call *call, const hsp_cli_source *source, const hsp_report *report,
                        const char *certificate) {
    FILE *f = call->human;
    if (call->json) hsp_cli_source_print(source, report);
    if (call->json && !call->verbose) return 0;
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(f, source->tree);
    putc('\n', f);
    const char *fill = hsp_options_get(call->options, "missing");
    bool lenient = !fill || strcmp(fill, "error") == 0; /* inspect fills what training refuses */
    int code = hsp_cli_print_inspection(f, report, source->data, lenient ? "mean" : fill);
    if (code || !certificate || call->quiet) return code;
    fputs("\ncertificate ", f);
    hsp_cli_put_clean(f, hsp_cli_output_name(certificate));
    putc('\n', f);
    return 0;
}

/* Inspects, writes and prints; the caller frees the report. */
static int inspect(hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch, hsp_report **report) {
    const char *certificate = hsp_cli_value(call, "certificate");
    hsp_error *err = NULL;
    if (certificate && hsp_data_classes(source->data) == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "--certificate is about the separability of classes, and the data have none: leave it out");
    int status = hsp_inspect(source->data, call->options, &watch->hooks, report, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    const hsp_report *separable = hsp_report_member(*report, "separable");
    int code = hsp_cli_output_begin(call, certificate);
    if (!code && certificate) code = write_certificate(certificate, separable);
    if (!code) code = hsp_cli_outputs_write(call);
    if (!code) code = print_result(call, source, *report, certificate);
    if (code || hsp_report_flag(separable, "interrupted") != 1) return code;
    hsp_cli_note(call, "interrupted: separability is undecided");
    return HSP_EXIT_INTERRUPTED;
}

/* Warnings of the reader about columns are among the findings, so they are not printed here as well. */
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
    hsp_report *report = NULL;
    int code = hsp_cli_output_claim(call, "--certificate", certificate);
    if (!code) code = hsp_cli_output_check(certificate, call->operand[0]);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = read_source(call, &watch, &source);
    if (!code) code = inspect(call, &source, &watch, &report);
    hsp_report_free(report);
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_inspect = {
    .name = "inspect",
    .help = "check data for problems and test whether the classes are separable",
    .operands = "DATA",
    .synopsis = "DATA [--certificate FILE] [options]",
    .detail = "Prints the kind of each column of a table, then the problems found, worst first, each with the option "
              "that solves it, if there is one. The last part states whether a hyperplane separates the classes, with a "
              "proof. Separable: a separating hyperplane (for the one with the largest margin use -a hard-svm). Not "
              "separable: a witness, that is, a weighted mean of rows of one class that equals a weighted mean of rows "
              "of the other, so the convex hulls intersect. Touching (quasi-complete separation): a hyperplane with no "
              "row on the wrong side, and a witness. Otherwise the verdict is undecided. With more than two classes each "
              "class is tested against the rest. The search stops after 20 seconds (with more than two classes after 4 "
              "seconds in all); --max-seconds bounds the whole inspection. Rows of weight 0 are ignored. The exit code "
              "is 0 for every verdict.",
    .takes = "read table !strict !numeric-levels --intercept --positive --scale --max-seconds",
    .own = {{"certificate", NULL, 1, "FILE",
             "output file for the verdict and its proof, to be checked with `halfspace verify FILE DATA`"}},
    .example = {"halfspace inspect squares.csv", "halfspace inspect iris.csv --positive setosa --certificate setosa.json",
                "halfspace inspect words.svm.gz --intercept none --max-seconds 10 --json"},
    .run = inspect_command,
};
