/* halfspace convert: convert data from one file format to another. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

static int convert_command(hsp_cli_call *call) {
    const char *out = call->operand[call->operands - 1];
    int files = call->operands - 1;
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    hsp_cli_watch watch;
    int code = hsp_cli_output_claim(call, NULL, out);
    for (int i = 0; i < files && !code; i++) code = hsp_cli_output_check(out, call->operand[i]);
    if (code) return code;
    code = hsp_cli_output_begin(call, out);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    int status = hsp_files_convert(call->operand, files, out, call->options, &watch.hooks, &report, &err);
    hsp_cli_watch_end(&watch);
    if (status) return hsp_cli_report_error(&err);
    if (call->json) hsp_cli_source_print(NULL, report);
    if (!call->quiet && (!call->json || call->verbose)) {
        hsp_cli_print_data(call->human, hsp_cli_output_name(out), report);
        hsp_cli_print_assumed(call->human, report);
    }
    hsp_report_free(report);
    return 0;
}

const hsp_cli_command hsp_cli_convert = {
    .name = "convert",
    .help = "convert a data file to another format",
    .operands = "IN OUT [FILE]...",
    .synopsis = "IN... OUT [options]",
    .detail = "The extension of OUT sets the format: .csv, .tsv, .svm or .svmlight, .npy or .hsd, each also with .gz or "
              ".zst. From CSV to CSV or TSV the text of every cell is kept; only the delimiter, the line ends and, where "
              "needed, quotes change, and a byte order mark and blank lines are left out. --ignore leaves out columns, "
              "--missing drop leaves out rows, and --map-label replaces labels; the other options under Encoding of "
              "columns apply only to .svm, .npy and .hsd. These formats store numbers, not their text (0170 becomes "
              "170); the values are exact. A .hsd file is a binary copy of the data that every command opens without "
              "parsing. CSV and .hsd keep row weights; svmlight and .npy cannot. In .npy the last column holds the "
              "labels, which must be numbers. Several files, or a pattern in quotes, become one: they have the same columns, "
              "and all hold numbers. Numbers that need more than --max-memory are converted block by block.",
    .takes = "read table write !strict !numeric-levels",
    .example = {"halfspace convert words.svm words.hsd", "halfspace convert table.csv.zst table.svm.gz --target species",
                "halfspace convert - - --to-format svmlight < table.csv",
                "halfspace convert 'part-*.svm.gz' all.hsd --max-memory 1G"},
    .copies_rows = true,
    .run = convert_command,
};
