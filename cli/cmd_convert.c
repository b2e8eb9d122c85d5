/* halfspace convert: convert data from one file format to another. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

static void print_json(const hsp_cli_source *source, const char *in, const char *out, double written) {
    static const char *const keys[] = {"rows", "features", "nonzeros", "classes", "targets", "weights", "assumed", NULL};
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_string(&o.j, "input", in);
    hsp_json_string(&o.j, "output", out);
    hsp_cli_json_copy(&o.j, source->tree, keys);
    hsp_cli_source_report(source, &o.j, "write", written);
    hsp_cli_object_print(&o);
}

static void print_human(const hsp_cli_call *call, const hsp_cli_source *source, const char *out) {
    hsp_cli_print_data(call->human, hsp_cli_output_name(out), source->tree);
    hsp_cli_print_assumed(call->human, source->tree);
}

static int convert_command(hsp_cli_call *call) {
    const char *in = call->operand[0], *out = call->operand[1];
    hsp_error *err = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    int code = hsp_cli_output_claim(call, NULL, out);
    if (!code) code = hsp_cli_output_check(out, in);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = hsp_cli_read(call, NULL, in, &watch, &source);
    if (code) goto done;
    double began = hsp_cli_now();
    code = hsp_cli_output_begin(call, out);
    if (code) goto done;
    if (hsp_data_write(source.data, out, call->options, &err)) {
        code = hsp_cli_report_error(&err);
        goto done;
    }
    if (call->json) print_json(&source, in, out, hsp_cli_now() - began);
    if (!call->quiet && (!call->json || call->verbose)) print_human(call, &source, out);
done:
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_convert = {
    .name = "convert",
    .help = "convert a data file to another format",
    .operands = "IN OUT",
    .synopsis = "IN OUT [options]",
    .detail = "The extension of OUT sets the format: .csv, .tsv, .svm or .svmlight, .npy or .hsd, each also with .gz or "
              ".zst. Numbers keep their exact value. A .hsd file is a binary copy of the data that every command opens "
              "without parsing. CSV and .hsd keep row weights; svmlight and .npy cannot. In .npy the last column holds the "
              "labels, which must be numbers.",
    .takes = "read table write !strict",
    .example = {"halfspace convert words.svm words.hsd", "halfspace convert table.csv.zst table.svm.gz --target species",
                "halfspace convert - - --to-format svmlight < table.csv"},
    .copies_rows = true,
    .run = convert_command,
};
