#include "fail.h"

#include <stdarg.h>
#include <stdlib.h>

void hsp_cli_put_clean(FILE *f, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        putc(c < 0x20 || c == 0x7f ? '?' : c, f);
    }
}

/* A message of any length; when memory is short the format alone still says something. */
static void put_line(const char *prefix, const char *format, va_list args) {
    char *text = NULL;
    int n = vasprintf(&text, format, args);
    fputs(prefix, stderr);
    hsp_cli_put_clean(stderr, n < 0 ? format : text);
    putc('\n', stderr);
    if (n >= 0) free(text);
}

int hsp_cli_fail(int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("halfspace: ", format, args);
    va_end(args);
    return code;
}

int hsp_cli_fail_memory(void) {
    return hsp_cli_fail(HSP_EXIT_SYSTEM, "out of memory");
}

static int exit_code(int status) {
    switch (status) {
    case HSP_OK:
        return HSP_EXIT_OK;
    case HSP_EUSAGE:
    case HSP_EINPUT:
        return HSP_EXIT_USAGE;
    case HSP_ECANCELLED:
        return HSP_EXIT_INTERRUPTED;
    default:
        return HSP_EXIT_SYSTEM;
    }
}

int hsp_cli_report_error(hsp_error **err) {
    if (!*err) return hsp_cli_fail_memory();
    int code = hsp_cli_fail(exit_code(hsp_error_code(*err)), "%s", hsp_error_message(*err));
    hsp_error_free(*err);
    *err = NULL;
    return code;
}

void hsp_cli_warn(const hsp_cli_call *call, const char *text) {
    if (!call->quiet) hsp_cli_fail(0, "warning: %s", text);
}

void hsp_cli_note(const hsp_cli_call *call, const char *format, ...) {
    if (call->quiet) return;
    va_list args;
    va_start(args, format);
    put_line("halfspace: ", format, args);
    va_end(args);
}
