/* Descriptions of library options for single commands: the option table describes an option for all of them. */
#ifndef HSP_CLI_OPTION_WORDS_H
#define HSP_CLI_OPTION_WORDS_H

#include "arguments.h"

/* Replaces the description of an option of the library, and its placeholder, by what applies to this command. */
void hsp_cli_option_reword(const hsp_cli_command *command, hsp_cli_option *option);

#endif
