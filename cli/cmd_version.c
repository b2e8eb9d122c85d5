/* halfspace version */
#include "command.h"
#include "fail.h"
#include "json_output.h"

static void print_json(const hsp_report *build) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_string(&o.j, "version", HSP_VERSION);
    hsp_json_int(&o.j, "number", HSP_VERSION_NUMBER);
    hsp_json_string(&o.j, "library", hsp_version());
    hsp_json_members(&o.j, build);
    hsp_cli_object_print(&o);
}

static int version_command(hsp_cli_call *call) {
    hsp_error *err = NULL;
    hsp_report *build = NULL;
    if (hsp_build_report(&build, &err)) return hsp_cli_report_error(&err);
    if (call->json) print_json(build);
    if (!call->json || call->verbose) fprintf(call->human, "halfspace %s\n", HSP_VERSION);
    if (call->verbose) {
        fprintf(call->human, "library %s, compiler %s\n", hsp_version(),
                hsp_report_text(hsp_report_member(build, "build"), "compiler"));
        HSP_REPORT_EACH(used, hsp_report_member(build, "libraries"))
        fprintf(call->human, "%s %s\n", hsp_report_name(used), hsp_report_text(used, NULL));
    }
    hsp_report_free(build);
    return HSP_EXIT_OK;
}

const hsp_cli_command hsp_cli_version = {
    .name = "version",
    .help = "print the version",
    .operands = "",
    .synopsis = "[options]",
    .detail = "With --verbose also the compiler and the versions of the libraries in use.",
    .takes = "",
    .example = {"halfspace version --json"},
    .run = version_command,
};
