/* halfspace strip: a copy of a model without its dual vector. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

#include <sys/stat.h>

/* The size of a file in bytes; NaN for a stream. */
static double size_of(const char *path) {
    struct stat s;
    return !hsp_cli_is_stdout(path) && stat(path, &s) == 0 && S_ISREG(s.st_mode) ? (double)s.st_size : 0.0 / 0.0;
}

static void print_result(const hsp_cli_call *call, const char *in, const char *out, bool removed) {
    if (call->json) {
        hsp_cli_object o;
        hsp_cli_object_begin(&o);
        hsp_json_string(&o.j, "input", in);
        hsp_json_string(&o.j, "output", out);
        hsp_json_bool(&o.j, "removed", removed);
        hsp_json_number(&o.j, "bytes_before", size_of(in));
        hsp_json_number(&o.j, "bytes", size_of(out));
        hsp_cli_object_print(&o);
    }
    if (call->quiet || (call->json && !call->verbose)) return;
    hsp_cli_put_clean(call->human, hsp_cli_output_name(out));
    fputs(removed ? ": the model without its dual vector\n" : ": a copy; the model holds no dual vector\n", call->human);
}

static int strip_command(hsp_cli_call *call) {
    const char *in = call->operand[0], *out = hsp_cli_value(call, "output");
    hsp_error *err = NULL;
    hsp_model *model = NULL;
    if (!out) return hsp_cli_fail(HSP_EXIT_USAGE, "no output file: add -o OUT.hsm");
    int code = hsp_cli_output_claim(call, "-o", out);
    if (!code) code = hsp_cli_output_check(out, in);
    if (!code && hsp_model_load(in, &model, &err)) code = hsp_cli_report_error(&err);
    if (code) return code;
    bool removed = hsp_model_drop_dual(model) == 1;
    code = hsp_cli_output_begin(call, out);
    if (!code && hsp_model_save(model, out, &err)) code = hsp_cli_report_error(&err);
    if (!code) code = hsp_cli_outputs_write(call);
    hsp_model_free(model);
    if (!code) print_result(call, in, out, removed);
    return code;
}

const hsp_cli_command hsp_cli_strip = {
    .name = "strip",
    .help = "copy a model without its dual vector",
    .operands = "MODEL",
    .synopsis = "MODEL -o OUT [options]",
    .detail = "Predictions stay the same. If the model holds a dual vector, as that of svm does, the copy is smaller, "
              "and `halfspace verify` cannot check its dual bound: exit code 1. Any other model is copied unchanged.",
    .takes = "",
    .own = {{"output", "o", 1, "OUT", "output file for the model"}},
    .example = {"halfspace strip svm.hsm -o small.hsm"},
    .run = strip_command,
};
