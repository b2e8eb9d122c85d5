/* The commands, in the order in which `halfspace --help` shows them, and the options that all of them take. */
#include "command.h"

#include <string.h>

const hsp_cli_command *const hsp_cli_commands[] = {
    &hsp_cli_generate,
    &hsp_cli_split,
    &hsp_cli_inspect,
    &hsp_cli_train,
    &hsp_cli_predict,
    &hsp_cli_evaluate,
    &hsp_cli_cv,
    &hsp_cli_compare,
    &hsp_cli_path,
    &hsp_cli_explain,
    &hsp_cli_verify,
    &hsp_cli_show,
    &hsp_cli_plot,
    &hsp_cli_film,
    &hsp_cli_report,
    &hsp_cli_demo,
    &hsp_cli_convert,
    &hsp_cli_strip,
    &hsp_cli_list,
    &hsp_cli_help,
    &hsp_cli_version,
    NULL,
};

const hsp_cli_own hsp_cli_general[] = {
    {"json", NULL, 0, NULL,
     "one JSON object on stdout instead of the text; warnings go to stderr, as does the text with -v; generate, predict "
     "and convert with --json need an output file"},
    {"quiet", "q", 0, NULL,
     "only the result and errors: no progress, assumptions or warnings; train, verify and commands whose result is a file "
     "print nothing"},
    {"verbose", "v", 0, NULL, "more messages on stderr"},
    {"help", "h", 0, NULL, "this help"},
    {NULL, NULL, 0, NULL, NULL},
};

const hsp_cli_command *hsp_cli_find_command(const char *name) {
    for (int i = 0; hsp_cli_commands[i]; i++)
        if (strcmp(hsp_cli_commands[i]->name, name) == 0) return hsp_cli_commands[i];
    return NULL;
}
