/* The error for a command or an option that does not exist: one line that says what to type instead. */
#ifndef HSP_CLI_UNKNOWN_H
#define HSP_CLI_UNKNOWN_H

#include "command.h"

/* Both print the error and return the exit code. */
int hsp_cli_unknown_command(const char *name);
/* What to use in place of a command of another program, "use train"; NULL: the word is not known. */
const char *hsp_cli_foreign_command(const char *name);
/* typed: the argument from its dashes on, "--lr=1" or "-lr". letter: the letter of it that is not an option of the command,
 * or NULL for a long name. */
int hsp_cli_unknown_option(const hsp_cli_command *command, const char *typed, const char *letter);

#endif
