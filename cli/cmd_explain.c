/* halfspace explain: an algorithm derived with the numbers of a data set. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

#include <string.h>

static bool is_interrupted(const hsp_report *report) {
    const char *stop = hsp_report_text(report, "stop_reason");
    return stop && strcmp(stop, "cancelled") == 0;
}

static void print_json(const hsp_report *report, const hsp_cli_source *source, double took) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_members(&o.j, report);
    hsp_json_string(&o.j, "assumed", hsp_report_text(source->tree, "assumed"));
    hsp_cli_source_report(source, &o.j, "explain", took);
    hsp_cli_object_print(&o);
}

/* Titles have numbers, and in Markdown they are headings. */
static void print_sections(const hsp_cli_call *call, const hsp_report *report, const hsp_cli_source *source) {
    FILE *f = call->human;
    bool markdown = strcmp(hsp_options_get(call->options, "explain-format"), "md") == 0;
    const char *algorithm = hsp_report_text(report, "algorithm");
    int section = 0;
    if (markdown)
        fprintf(f, "# %s\n", algorithm);
    else
        hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!markdown && !call->quiet) hsp_cli_print_assumed(f, source->tree);
    HSP_REPORT_EACH(part, hsp_report_member(report, "sections")) {
        fprintf(f, markdown ? "\n## %d. %s\n\n" : "\n== %d. %s ==\n\n", ++section, hsp_report_text(part, "title"));
        fputs(hsp_report_text(part, "text"), f);
    }
}

static int explain(const hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch) {
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    double began = hsp_cli_now();
    int status = hsp_explain(source->data, call->options, &watch->hooks, &report, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    if (call->json) print_json(report, source, hsp_cli_now() - began);
    if (!call->json || call->verbose) print_sections(call, report, source);
    hsp_cli_print_warnings(call, report, watch->warned, hsp_report_flag(report, "exists") == 0);
    int code = hsp_report_flag(report, "exists") == 1 ? HSP_EXIT_OK : HSP_EXIT_NO;
    if (is_interrupted(report)) code = HSP_EXIT_INTERRUPTED;
    hsp_report_free(report);
    return code;
}

static int explain_command(hsp_cli_call *call) {
    const char *format = hsp_cli_value(call, "to-format");
    hsp_error *err = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    if (format && strcmp(format, "text") != 0 && strcmp(format, "md") != 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--to-format is text or md, not '%s': use --to-format md for Markdown", format);
    if (format && hsp_options_set(call->options, "explain-format", format, &err)) return hsp_cli_report_error(&err);
    hsp_cli_watch_begin(&watch, call, NULL);
    int code = hsp_cli_read(call, NULL, call->operand[0], &watch, &source);
    if (!code) code = explain(call, &source, &watch);
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_explain = {
    .name = "explain",
    .help = "derive an algorithm step by step with the numbers of the data",
    .operands = "DATA",
    .synopsis = "DATA [-a ALGORITHM] [--to-format text|md] [options]",
    .detail = "Trains as `halfspace train` does, and prints the derivation of the result: each formula, the same formula "
              "with the numbers of the data, and its value. The last section compares the result with the trained model. "
              "If there are many features, classes or rows, it prints only the most important ones and states what is "
              "left out; all numbers are computed from the whole data. --json prints all numbers of the text by name. "
              "Exit code 1: no model exists (hard-svm on classes that are not separable), and the derivation proves it.",
    .takes = "train run read table !strict !numeric-levels !no-certificate !calibrate !calibrate-folds !decide",
    .own = {{"to-format", NULL, 1, "text|md", "format of the text: plain, or Markdown with formulas in TeX (default: text)"}},
    .example = {"halfspace explain squares.csv -a nearest-mean", "halfspace explain iris.csv -a ridge --lambda 0.1",
                "halfspace explain iris.csv -a lda --to-format md > lda.md",
                "halfspace explain squares.csv -a least-squares --json"},
    .run = explain_command,
};
