#include "plot/page/shell_words.h"

#include <stdio.h>
#include <string.h>

static bool is_plain(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=@%+-";
    return *word && strspn(word, plain) == strlen(word) && *word != '=';
}

static bool has_hidden(const char *word) {
    uint32_t u;
    for (const char *s = word; *s;) {
        int n = hsp_html_character(s, &u);
        if (n == 0 || hsp_html_is_hidden(u)) return true;
        s += n;
    }
    return false;
}

/* 'word', where a single quote becomes '\''. */
static void add_quoted(hsp_html *line, const char *word) {
    hsp_html_raw(line, "'");
    for (const char *s = word; *s; s++) {
        if (*s == '\'')
            hsp_html_raw(line, "'\\''");
        else
            hsp_html_raw_n(line, s, 1);
    }
    hsp_html_raw(line, "'");
}

/* $'word', of bash, zsh and ksh: hidden characters byte by byte in three octal digits, which no digit after them prolongs. */
static void add_coded(hsp_html *line, const char *word) {
    char code[8];
    uint32_t u;
    hsp_html_raw(line, "$'");
    for (const char *s = word; *s;) {
        int n = hsp_html_character(s, &u);
        bool hidden = n == 0 || hsp_html_is_hidden(u);
        if (n == 0) n = 1;
        if (*s == '\'' || *s == '\\') hsp_html_raw(line, "\\");
        for (int i = 0; i < n; i++) {
            if (!hidden) {
                hsp_html_raw_n(line, s + i, 1);
                continue;
            }
            snprintf(code, sizeof code, "\\%03o", (unsigned)(unsigned char)s[i]);
            hsp_html_raw(line, code);
        }
        s += n;
    }
    hsp_html_raw(line, "'");
}

static void add_word(hsp_html *line, const char *word) {
    if (is_plain(word))
        hsp_html_raw(line, word);
    else if (has_hidden(word))
        add_coded(line, word);
    else
        add_quoted(line, word);
}

void hsp_shell_word(hsp_html *line, const char *word) {
    hsp_html_raw(line, " ");
    add_word(line, word);
}

void hsp_shell_file(hsp_html *line, const char *path) {
    hsp_html relative = {0};
    if (*path == '-') {
        hsp_html_raw(&relative, "./");
        hsp_html_raw_n(&relative, path, (int64_t)strlen(path) + 1);
    }
    line->failed = line->failed || relative.failed;
    hsp_shell_word(line, relative.bytes.data && !relative.failed ? (const char *)relative.bytes.data : path);
    hsp_html_clear(&relative);
}

void hsp_shell_option(hsp_html *line, const char *name, const char *value) {
    hsp_html_raw(line, " ");
    hsp_html_raw(line, hsp_option_dashes(name));
    hsp_html_raw(line, name);
    if (!value) return;
    hsp_html_raw(line, *value == '-' ? "=" : " ");
    add_word(line, value);
}
