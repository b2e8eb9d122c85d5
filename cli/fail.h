/* Errors: one line on stderr and an exit code. */
#ifndef HSP_CLI_FAIL_H
#define HSP_CLI_FAIL_H

#include "command.h"
#include <stdio.h>

/* Prints "halfspace: MESSAGE", sanitised, and returns `code`. */
int hsp_cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int hsp_cli_fail_memory(void);
/* From now on running out of memory leaves the files of the command in place, and its message says so. */
void hsp_cli_files_written(void);
/* Prints the message of the library, frees and clears *err, and returns the matching exit code. */
int hsp_cli_report_error(hsp_error **err);
/* Prints "halfspace: warning: TEXT", or "halfspace: TEXT" for a note, after flushing stdout; nothing with --quiet. */
void hsp_cli_warn(const hsp_cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hsp_cli_note(const hsp_cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes s with '?' for control characters (C0 and C1), for characters that change the direction of writing and for bytes that
 * are not UTF-8: names from files may contain terminal escape sequences. */
void hsp_cli_put_clean(FILE *f, const char *s);

#endif
