/* Output files of a command: checked before the work starts, and written together at its end. */
#ifndef HSP_CLI_OUTPUT_H
#define HSP_CLI_OUTPUT_H

#include "command.h"

/* Checks that `path` can be written, as far as this is known in advance. `input` (may be NULL) is a file that the command
 * reads and must not overwrite. NULL and "-" pass. 0, or an exit code after printing an error. */
int hsp_cli_output_check(const char *path, const char *input);
/* Whether both name the same file. */
bool hsp_cli_same_file(const char *a, const char *b);
bool hsp_cli_is_stdout(const char *path);
/* Whether it is an existing regular file. */
bool hsp_cli_is_file(const char *path);
/* The name of a file in messages: "<stdin>" or "<stdout>" for "-". */
const char *hsp_cli_input_name(const char *path);
const char *hsp_cli_output_name(const char *path);
/* Prints that the file cannot be written, with the errno `reason`, and returns the exit code. */
int hsp_cli_cannot_write(const char *path, int reason);
/* Flushes stdout. Returns 0, or the errno of the first failure so far. */
int hsp_cli_flush(void);
/* Records that output for stdout was lost with this errno; hsp_cli_flush returns it. */
void hsp_cli_output_lost(int reason);
/* Fails with a usage error when the output of `option` (as typed; NULL: an operand) would replace a file that the command
 * reads, or goes to stdout together with --json. Otherwise, if it goes to stdout, moves text to stderr. */
int hsp_cli_output_claim(hsp_cli_call *call, const char *option, const char *path);

/* Before the command writes `path`: holds it back, so that files appear only when all of them are complete. NULL and "-"
 * pass. 0, or an exit code after printing an error. */
int hsp_cli_output_begin(hsp_cli_call *call, const char *path);
/* Gives all complete files their names, for a command that may be interrupted; otherwise hsp_cli_outputs_end does. 0, or an
 * exit code after printing an error. */
int hsp_cli_outputs_write(hsp_cli_call *call);
/* At the end of the command, with its exit code: with 0 and 1 the files get their names, otherwise nothing is written.
 * Files stay if stdout cannot be written. Returns the exit code of the program. */
int hsp_cli_outputs_end(hsp_cli_call *call, int code);

#endif
