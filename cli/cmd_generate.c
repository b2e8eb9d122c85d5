/* halfspace generate: demonstration data. */
#include "arguments.h"
#include "fail.h"
#include "output.h"
#include "reading.h"

static int report(const hsp_cli_call *call, const hsp_data *data, const char *out, double made, double written) {
    json_t *tree = NULL;
    int code = hsp_cli_describe(data, &tree);
    if (code) return code;
    if (call->json) {
        static const char *const keys[] = {"rows", "features", "nonzeros", "classes", "targets", NULL};
        json_t *object = json_object();
        json_object_set_new(object, "kind", hsp_cli_json_text(call->operand[0]));
        hsp_cli_json_copy(object, tree, keys);
        hsp_cli_json_set_seconds(object, "generate", made, "write", written);
        json_object_set_new(object, "output", hsp_cli_json_text(out));
        hsp_cli_json_say(object);
        json_decref(object);
    }
    bool say = !call->quiet && (!call->json || call->verbose) && (!hsp_cli_is_stdout(out) || call->verbose);
    if (say) hsp_cli_print_data(call->human, hsp_cli_output_name(out), tree);
    json_decref(tree);
    return HSP_EXIT_OK;
}

static int run(hsp_cli_call *call) {
    const char *out = hsp_cli_value(call, "output");
    if (!out) out = "-";
    hsp_error *err = NULL;
    hsp_data *data = NULL;
    int code = hsp_cli_output_claim(call, "-o", out);
    if (!code) code = hsp_cli_output_check(out, NULL);
    if (code) return code;
    double began = hsp_cli_now();
    if (hsp_data_generate(call->operand[0], call->options, &data, &err)) return hsp_cli_report_error(&err);
    double made = hsp_cli_now();
    if (hsp_data_write(data, out, call->options, &err))
        code = hsp_cli_report_error(&err);
    else
        code = report(call, data, out, made - began, hsp_cli_now() - made);
    hsp_data_free(data);
    return code;
}

const hsp_cli_command hsp_cli_generate = {
    .name = "generate",
    .help = "make demonstration data",
    .operands = "KIND",
    .synopsis = "KIND [--rows N] [--noise X] [-o FILE] [options]",
    .detail = "`halfspace list generators` names the kinds. The same seed gives the same rows on every machine.",
    .takes = "generate write",
    .own = {{"output", "o", 1, "FILE",
             "where to write, by its ending .csv, .tsv or .svm, also .gz or .zst (default: stdout)"}},
    .example = {"halfspace generate squares --rows 200 -o squares.csv",
                "halfspace generate moons --noise 0.2 --seed 7 | head -3",
                "halfspace generate linear --rows 50 --noise 0.5 -o line.csv",
                "halfspace generate sparse --rows 10000 --features 50000 -o words.svm.gz"},
    .run = run,
};
