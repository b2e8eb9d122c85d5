/* halfspace version */
#include "report.h"

static int version_command(hsp_cli_call *call) {
    if (call->json) {
        json_t *object = json_object();
        json_object_set_new(object, "version", json_string(HSP_VERSION));
        json_object_set_new(object, "library", json_string(hsp_version()));
        hsp_cli_json_print(object);
        json_decref(object);
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
