/* Files that a command shall write: checked before the work begins, taken back when the command fails. */
#ifndef HSP_CLI_OUTPUT_H
#define HSP_CLI_OUTPUT_H

#include "command.h"

/* Can `path` be written, by what can be known now? `input` (may be NULL) is a file that the command reads, which must not
 * be overwritten. NULL and "-" pass. 0 or an exit code after saying what is wrong. */
int hsp_cli_output_check(const char *path, const char *input);
/* Two names of one file, or the same name. */
bool hsp_cli_same_file(const char *a, const char *b);
bool hsp_cli_is_stdout(const char *path);
/* What to call a file that is read or written: "<stdin>" or "<stdout>" for "-". */
const char *hsp_cli_input_name(const char *path);
const char *hsp_cli_output_name(const char *path);
/* Says that the file cannot be written, for the reason errno gave; returns the exit code. */
int hsp_cli_cannot_write(const char *path, int reason);
/* Pushes out what was printed to stdout. 0, or the errno of the first failure, whenever it was. */
int hsp_cli_flush(void);
/* Something for stdout was not printed, for this errno: hsp_cli_flush returns it. */
void hsp_cli_output_lost(int reason);
/* Usage error when what `option` names (as it is typed; NULL: an operand) goes to stdout while --json needs it. Otherwise
 * moves people's words out of the way. */
int hsp_cli_output_claim(hsp_cli_call *call, const char *option, const char *path);

/* Before the command writes `path`: what is there gets a second name beside it, so that it can be put back. NULL and "-"
 * pass. */
void hsp_cli_output_begin(hsp_cli_call *call, const char *path);
/* When the command has ended. failed: files that are new go away, and what was there before comes back. */
void hsp_cli_outputs_end(hsp_cli_call *call, bool failed);

#endif
