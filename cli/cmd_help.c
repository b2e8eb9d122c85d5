/* halfspace help */
#include "arguments.h"
#include "help.h"
#include "unknown.h"

static int help_command(hsp_cli_call *call) {
    const hsp_cli_command *command = NULL;
    if (call->operands) {
        command = hsp_cli_find_command(call->operand[0]);
        if (!command) return hsp_cli_unknown_command(call->operand[0]);
    }
    if (hsp_cli_value(call, "man")) return hsp_cli_help_man();
    if (call->json) return hsp_cli_help_json(command);
    return command ? hsp_cli_help_command(command) : hsp_cli_help_overview();
}

const hsp_cli_command hsp_cli_help = {
    .name = "help",
    .help = "print the help of a command",
    .operands = "[COMMAND]",
    .synopsis = "[COMMAND] [--man]",
    .takes = "",
    .own = {{"man", NULL, 0, NULL, "the man page halfspace.1, in roff"}},
    .example = {"halfspace help train", "halfspace help --man | man -l -"},
    .run = help_command,
};
