/* A command is a const descriptor. The table of commands drives dispatch, parsing, `--help`, the man page and
 * `help --json`. A new command needs one file cmd_*.c and one line in command_table.c. */
#ifndef HSP_CLI_COMMAND_H
#define HSP_CLI_COMMAND_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdio.h>

/* An option of the program itself, in addition to those of the library. */
typedef struct hsp_cli_own {
    const char *name;
    const char *short_name; /* one letter, or NULL */
    int values;             /* number of arguments: 0 (a flag), 1 or 2 */
    const char *argument;   /* placeholder in help; NULL for flags */
    const char *help;       /* one phrase, lower case, no full stop */
} hsp_cli_own;

enum { HSP_CLI_OWN_MAX = 12, HSP_CLI_EXAMPLES_MAX = 10 };

/* A value of the first operand, for help. */
typedef struct hsp_cli_kind {
    char name[32], operands[32]; /* what follows it on the command line */
    char help[512];
} hsp_cli_kind;

struct hsp_cli_call;

typedef struct hsp_cli_command {
    const char *name;
    const char *help;                 /* one phrase, lower case, no full stop */
    const char *operands;             /* names; optional ones in []: "MODEL DATA", "[WHAT]", any number "[FILE]..." */
    const char *synopsis;             /* the usage line after the name */
    const char *detail;               /* another paragraph, or NULL */
    const char *takes;                /* options of the library: groups, --name for a single one, !name for one of a group
                                       that has no effect here; "general" is implied */
    hsp_cli_own own[HSP_CLI_OWN_MAX]; /* ends with a NULL name */
    const char *example[HSP_CLI_EXAMPLES_MAX]; /* whole command lines; ends with NULL */
    bool (*kind_at)(int64_t i, hsp_cli_kind *out); /* the i-th KIND, false after the last; or NULL */
    bool copies_rows;                          /* new files get at most the permissions of the data: the last input */
    int (*run)(struct hsp_cli_call *call);     /* returns the exit code */
} hsp_cli_command;

extern const hsp_cli_command *const hsp_cli_commands[]; /* ends with NULL */
extern const hsp_cli_own hsp_cli_general[]; /* options of every command: --json, --quiet, ...; ends with a NULL name */

/* Runs the command of a whole command line and returns the exit code. */
int hsp_cli_dispatch(int argc, char **argv);
/* Returns NULL for an unknown name. */
const hsp_cli_command *hsp_cli_find_command(const char *name);

/* Exit codes, as documented in help.c. */
enum {
    HSP_EXIT_OK = 0,
    HSP_EXIT_NO = 1,
    HSP_EXIT_USAGE = 2,
    HSP_EXIT_SYSTEM = 3,
    HSP_EXIT_HANGUP = 129,
    HSP_EXIT_INTERRUPTED = 130,
    HSP_EXIT_TERMINATED = 143
};

/* The most files that a command writes, apart from the pictures of a folder. */
enum { HSP_CLI_OUTPUTS_MAX = 8 };

/* A parsed command line. */
typedef struct hsp_cli_call {
    const hsp_cli_command *command;
    hsp_options *options;
    const char *value[HSP_CLI_OWN_MAX][2]; /* of the command's own options; borrowed from argv */
    const char **operand;                  /* borrowed from argv */
    int operands;
    bool json, quiet, verbose, help;
    bool own_algorithms;               /* trains by algorithms of its own, not by the one of the options */
    FILE *human;                       /* stream for text: stdout, or stderr when stdout carries JSON or data */
    char *output[HSP_CLI_OUTPUTS_MAX]; /* owned: files that are held until all are written; see output.h */
    int outputs;
    bool written; /* they have their names */
} hsp_cli_call;

extern const hsp_cli_command hsp_cli_generate, hsp_cli_split, hsp_cli_train, hsp_cli_predict, hsp_cli_evaluate,
    hsp_cli_show, hsp_cli_inspect, hsp_cli_verify, hsp_cli_list, hsp_cli_convert, hsp_cli_strip, hsp_cli_cv,
    hsp_cli_compare, hsp_cli_path, hsp_cli_plot, hsp_cli_film, hsp_cli_report, hsp_cli_demo, hsp_cli_explain,
    hsp_cli_help, hsp_cli_version;

#endif
