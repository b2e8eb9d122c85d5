/* halfspace generate: synthetic data. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

static void print_result(const hsp_cli_call *call, const hsp_report *tree, const char *out) {
    if (call->json) {
        static const char *const keys[] = {"kind", "rows", "features", "nonzeros", "classes", "targets", "seconds", NULL};
        hsp_cli_object o;
        hsp_cli_object_begin(&o);
        hsp_cli_json_copy(&o.j, tree, keys);
        hsp_json_string(&o.j, "output", out);
        hsp_cli_object_print(&o);
    }
    bool say = !call->quiet && (!call->json || call->verbose) && (!hsp_cli_is_stdout(out) || call->verbose);
    if (say) hsp_cli_print_data(call->human, hsp_cli_output_name(out), tree);
}

static int generate_command(hsp_cli_call *call) {
    const char *out = hsp_cli_value(call, "output");
    if (!out) out = "-";
    hsp_error *err = NULL;
    hsp_report *tree = NULL;
    int code = hsp_cli_output_claim(call, "-o", out);
    if (!code) code = hsp_cli_output_check(out, NULL);
    if (!code) code = hsp_cli_output_begin(call, out);
    if (code) return code;
    if (hsp_data_generate_file(call->operand[0], call->options, out, &tree, &err)) return hsp_cli_report_error(&err);
    print_result(call, tree, out);
    hsp_report_free(tree);
    return HSP_EXIT_OK;
}

const hsp_cli_command hsp_cli_generate = {
    .name = "generate",
    .help = "generate example data",
    .operands = "KIND",
    .synopsis = "KIND [--rows N] [--noise X] [-o FILE] [options]",
    .detail = "`halfspace list generators` lists the kinds. The same seed gives the same rows on every machine.",
    .takes = "generate write",
    .own = {{"output", "o", 1, "FILE",
             "output file: .csv, .tsv, .svm, .npy or .hsd, each also with .gz or .zst (default: stdout, as CSV; sparse: "
             "svmlight)"}},
    .example = {"halfspace generate squares --rows 200 -o squares.csv",
                "halfspace generate moons --noise 0.2 --seed 7 | head -3",
                "halfspace generate linear --rows 50 --noise 0.5 -o line.csv",
                "halfspace generate sparse --rows 10000 --features 50000 -o words.svm.gz"},
    .run = generate_command,
};
