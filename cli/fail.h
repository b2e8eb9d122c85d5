/* The one line on stderr that an error is, and the exit code that goes with it. */
#ifndef HSP_CLI_FAIL_H
#define HSP_CLI_FAIL_H

#include "command.h"
#include <stdio.h>

/* Prints "halfspace: MESSAGE", cleaned, and returns `code`. */
int hsp_cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int hsp_cli_fail_memory(void);
/* Prints the library's message, frees and clears *err, and returns the exit code for it. */
int hsp_cli_report_error(hsp_error **err);
/* "halfspace: warning: TEXT", or "halfspace: TEXT" for a notice, after what stdout has so far; nothing with --quiet. */
void hsp_cli_warn(const hsp_cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hsp_cli_note(const hsp_cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes s with control characters, those past U+007F included, and bytes that are not UTF-8 replaced by '?': names from
 * files may hold anything, and a terminal obeys it. */
void hsp_cli_put_clean(FILE *f, const char *s);

#endif
