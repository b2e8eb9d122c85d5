/* The one line on stderr that an error is, and the exit code that goes with it. */
#ifndef HSP_CLI_FAIL_H
#define HSP_CLI_FAIL_H

#include "command.h"

/* Prints "halfspace: MESSAGE" and returns `code`. Control characters become '?', so that it stays one line. */
int hsp_cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int hsp_cli_fail_memory(void);
/* Prints the library's message, frees and clears *err, and returns the exit code for it. */
int hsp_cli_report_error(hsp_error **err);
/* "halfspace: warning: TEXT", or "halfspace: TEXT" for a notice; nothing with --quiet. */
void hsp_cli_warn(const hsp_cli_call *call, const char *text);
void hsp_cli_note(const hsp_cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes s with control characters replaced by '?': names from files may hold anything. */
void hsp_cli_put_clean(FILE *f, const char *s);

#endif
