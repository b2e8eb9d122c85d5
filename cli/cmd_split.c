/* halfspace split: a reproducible split into training and test rows. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

static int check_outputs(hsp_cli_call *call, const char *in, const char *const *path) {
    bool both = hsp_cli_is_stdout(path[0]) && hsp_cli_is_stdout(path[1]);
    if (both || hsp_cli_same_file(path[0], path[1]))
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o names %s for both parts: give two names", hsp_cli_output_name(path[0]));
    int code = 0;
    for (int i = 0; i < 2 && !code; i++) {
        code = hsp_cli_output_claim(call, "-o", path[i]);
        if (!code) code = hsp_cli_output_check(path[i], in);
    }
    return code;
}

static void print_human(const hsp_cli_call *call, const char *const *path, const hsp_report *report) {
    static const char *const parts[] = {"train", "test"};
    for (int i = 0; i < 2; i++)
        hsp_cli_print_data(call->human, hsp_cli_output_name(path[i]), hsp_report_member(report, parts[i]));
    hsp_cli_print_assumed(call->human, report);
}

static int split_command(hsp_cli_call *call) {
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    hsp_cli_watch watch;
    const char *in = call->operand[0], *path[] = {hsp_cli_value(call, "output"), hsp_cli_second_value(call, "output")};
    if (!path[0]) return hsp_cli_fail(HSP_EXIT_USAGE, "no output files: add -o TRAIN TEST");
    int code = check_outputs(call, in, path);
    for (int i = 0; i < 2 && !code; i++) code = hsp_cli_output_begin(call, path[i]);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    int status = hsp_file_split(in, path[0], path[1], call->options, &watch.hooks, &report, &err);
    hsp_cli_watch_end(&watch);
    if (status) return hsp_cli_report_error(&err);
    if (call->json) hsp_cli_source_print(NULL, report);
    if (!call->quiet && (!call->json || call->verbose)) print_human(call, path, report);
    hsp_report_free(report);
    return 0;
}

const hsp_cli_command hsp_cli_split = {
    .name = "split",
    .help = "split data into a training set and a test set",
    .operands = "DATA",
    .synopsis = "DATA [--test X] [--stratify] -o TRAIN TEST [options]",
    .detail = "The same seed gives the same split. Rows keep their order. From CSV to .csv and from svmlight to .svm, "
              "rows are copied byte by byte. Both parts start with the header line and the byte order mark, if any. "
              "Blank lines and comment lines are left out, and a missing final newline is added. Cells are not parsed, "
              "and a target is needed only for --stratify. From CSV to .tsv the text of the cells is kept; delimiter, "
              "line ends and, where needed, quotes change, and a byte order mark is left out. Rows of JSON lines are "
              "written as CSV. A part in another format (.hsd, .npy, .svm) is converted: this needs numeric columns "
              "without missing values, and numbers are rewritten (0170 as 170). --map-label and --ignore are accepted "
              "only if both parts are converted; otherwise apply them with `halfspace convert` first.",
    .takes = "split read write !strict !numeric-levels",
    .own = {{"output", "o", 2, "TRAIN TEST", "output files"}},
    .example = {"halfspace split squares.csv --test 0.3 -o train.csv test.csv",
                "halfspace split words.svm.gz --test 1000 --stratify --seed 7 -o train.svm test.svm"},
    .copies_rows = true,
    .run = split_command,
};
