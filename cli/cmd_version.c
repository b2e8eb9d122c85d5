/* halfspace version */
#include "command.h"
#include "json_output.h"

static int version_command(hsp_cli_call *call) {
    if (call->json) {
        hsp_cli_object o;
        hsp_cli_object_begin(&o);
        hsp_json_string(&o.j, "version", HSP_VERSION);
        hsp_json_string(&o.j, "library", hsp_version());
        hsp_cli_object_print(&o);
        return HSP_EXIT_OK;
    }
    printf("halfspace %s\n", HSP_VERSION);
    if (call->verbose) printf("library %s\n", hsp_version());
    return HSP_EXIT_OK;
}

const hsp_cli_command hsp_cli_version = {
    .name = "version",
    .help = "print the version",
    .operands = "",
    .synopsis = "[options]",
    .takes = "",
    .example = {"halfspace version --json"},
    .run = version_command,
};
