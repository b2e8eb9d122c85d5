/* Help generated from the tables: the overview, a command's page, the man page, and everything as JSON. */
#ifndef HSP_CLI_HELP_H
#define HSP_CLI_HELP_H

#include "command.h"

/* Each prints to stdout and returns the exit code. */
int hsp_cli_help_overview(void);
int hsp_cli_help_command(const hsp_cli_command *command);
int hsp_cli_help_man(void);
/* {"commands": [...]} with one command, or all for NULL. */
int hsp_cli_help_json(const hsp_cli_command *only);
/* Titles of the option groups, in the order of help; ends with a NULL group. */
typedef struct hsp_cli_group {
    const char *group, *title;
} hsp_cli_group;
extern const hsp_cli_group hsp_cli_groups[];

/* Descriptions of the exit codes; ends with a NULL text. */
typedef struct hsp_cli_exit {
    int code;
    const char *text;
} hsp_cli_exit;
extern const hsp_cli_exit hsp_cli_exits[];

#endif
