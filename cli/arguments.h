/* The command line: options of the library's table and of the program's own, in one list for parsing and for help. */
#ifndef HSP_CLI_ARGUMENTS_H
#define HSP_CLI_ARGUMENTS_H

#include "command.h"

/* One option as the command line sees it, wherever it is defined. */
typedef struct hsp_cli_option {
    const char *name, *short_name, *argument, *initial, *help;
    const char *group; /* the library's group; "own" for the command's, "general" for everyone's */
    int values;        /* 0: a flag */
    int own;           /* index into command->own, or -1 */
    bool library;
} hsp_cli_option;

/* The i-th option that the command takes (its own first, then the library's in table order, then the general ones of the
 * program); false when there are no more. */
bool hsp_cli_option_at(const hsp_cli_command *command, int64_t i, hsp_cli_option *out);

/* Whether help appends the default: flags have none to state, and some descriptions state it themselves. */
bool hsp_cli_option_shows_default(const hsp_cli_option *option);

/* The option with this long name of n bytes, or with the letter name[0] when `letter` is set; false: the command takes none. */
bool hsp_cli_find_option(const hsp_cli_command *command, const char *name, size_t n, bool letter, hsp_cli_option *out);

/* Takes argv (what follows the command's name) apart. 0, or the exit code after saying what is wrong. Free with
 * hsp_cli_call_free in either case. */
int hsp_cli_parse(const hsp_cli_command *command, int argc, char **argv, hsp_cli_call *call);
void hsp_cli_call_free(hsp_cli_call *call);

/* The value of one of the command's own options: NULL when it was not given; for a flag non-NULL when it was. */
const char *hsp_cli_value(const hsp_cli_call *call, const char *name);
/* The second value, of an option that takes two. */
const char *hsp_cli_second_value(const hsp_cli_call *call, const char *name);

/* The k-th option of the library's table. */
hsp_cli_option hsp_cli_library_option(int64_t k);

#endif
