#include "fail.h"
#include "output.h"

#include <stdarg.h>
#include <stdlib.h>

/* The length of the UTF-8 character at s; 0 if it is invalid. */
static int character(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90); /* surrogates, past U+10FFFF */
    return overlong || outside ? 0 : n;
}

/* Whether the character at s, of n bytes, changes the direction of writing, so that what follows appears in another order. */
static bool turns(const unsigned char *s, int n) {
    if (n == 2) return s[0] == 0xd8 && s[1] == 0x9c;
    if (n != 3 || s[0] != 0xe2) return false;
    return (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae))) ||
           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

void hsp_cli_put_clean(FILE *f, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        int n = character(s);
        bool control = *s < 0x20 || *s == 0x7f || (*s == 0xc2 && n == 2 && s[1] < 0xa0);
        if (n == 0 || control || turns(s, n))
            putc('?', f);
        else
            fwrite(s, 1, (size_t)n, f);
        s += n > 0 ? n : 1;
    }
}

/* Prints a message of any length; if memory runs out, the unformatted format string. */
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

static bool files_written; /* one command runs in a process */

void hsp_cli_files_written(void) {
    files_written = true;
}

int hsp_cli_fail_memory(void) {
    return hsp_cli_fail(HSP_EXIT_SYSTEM, "out of memory%s",
                        files_written ? " after the output: its files were written all the same" : "");
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
    if (!*err || (files_written && hsp_error_code(*err) == HSP_EMEMORY)) {
        hsp_error_free(*err);
        *err = NULL;
        return hsp_cli_fail_memory();
    }
    int code = hsp_cli_fail(exit_code(hsp_error_code(*err)), "%s", hsp_error_message(*err));
    hsp_error_free(*err);
    *err = NULL;
    return code;
}

static void put_notice(const hsp_cli_call *call, const char *prefix, const char *format, va_list args) {
    if (call->quiet) return;
    hsp_cli_flush();
    put_line(prefix, format, args);
}

void hsp_cli_warn(const hsp_cli_call *call, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_notice(call, "halfspace: warning: ", format, args);
    va_end(args);
}

void hsp_cli_note(const hsp_cli_call *call, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_notice(call, "halfspace: ", format, args);
    va_end(args);
}
