#include "base/json.h"
#include "base/report_build.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Appends s as a JSON string in UTF-8: an invalid byte becomes U+FFFD, the replacement character. */
static void add_quoted(hsp_text *t, const char *s) {
    static const char hex[] = "0123456789abcdef";
    const char *end = s + strlen(s), *run = s;
    hsp_text_char(t, '"');
    while (s < end) {
        unsigned char c = (unsigned char)*s;
        int length = hsp_text_utf8(s, end - s);
        if (length > 0 && c >= 0x20 && c != 0x7f && c != '"' && c != '\\') {
            s += length;
            continue;
        }
        hsp_text_add_n(t, run, s - run);
        const char *plain = "\"\\\n\r\t\b\f", *letter = "\"\\nrtbf", *found = strchr(plain, c);
        if (length == 0) {
            hsp_text_add(t, "\xef\xbf\xbd");
        } else if (found != NULL) {
            hsp_text_add_n(t, (char[]){'\\', letter[found - plain]}, 2);
        } else {
            hsp_text_add_n(t, (char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]}, 6);
        }
        run = ++s;
    }
    hsp_text_add_n(t, run, s - run);
    hsp_text_char(t, '"');
}

static void begin_value(hsp_json *j, const char *key) {
    if (j->comma) hsp_text_char(j->out, ',');
    if (key != NULL) {
        add_quoted(j->out, key);
        hsp_text_char(j->out, ':');
    }
    j->comma = true;
}

static void open_container(hsp_json *j, const char *key, char bracket) {
    if (!j->out) {
        hsp_report_open(j, key, bracket == '{' ? HSP_REPORT_OBJECT : HSP_REPORT_LIST);
        return;
    }
    begin_value(j, key);
    hsp_text_char(j->out, bracket);
    j->comma = false;
}

static void close_container(hsp_json *j, char bracket) {
    if (!j->out) {
        hsp_report_close(j);
        return;
    }
    hsp_text_char(j->out, bracket);
    j->comma = true;
}

/* Adds a literal: null, true or false. */
static void add_word(hsp_json *j, const char *key, const char *word) {
    begin_value(j, key);
    hsp_text_add(j->out, word);
}

static void add_number(hsp_text *t, double v) {
    if (isfinite(v))
        hsp_text_number(t, v);
    else
        hsp_text_add(t, "null");
}

void hsp_json_object(hsp_json *j, const char *key) {
    open_container(j, key, '{');
}

void hsp_json_object_end(hsp_json *j) {
    close_container(j, '}');
}

void hsp_json_array(hsp_json *j, const char *key) {
    open_container(j, key, '[');
}

void hsp_json_array_end(hsp_json *j) {
    close_container(j, ']');
}

void hsp_json_string(hsp_json *j, const char *key, const char *value) {
    if (!j->out) {
        hsp_report_add_text(j, key, value);
    } else if (value) {
        begin_value(j, key);
        add_quoted(j->out, value);
    } else {
        add_word(j, key, "null");
    }
}

void hsp_json_number(hsp_json *j, const char *key, double value) {
    if (!j->out) {
        hsp_report_add_number(j, key, value, false);
        return;
    }
    begin_value(j, key);
    add_number(j->out, value);
}

void hsp_json_int(hsp_json *j, const char *key, int64_t value) {
    if (!j->out) {
        hsp_report_add_number(j, key, (double)value, true);
        return;
    }
    begin_value(j, key);
    hsp_text_int(j->out, value);
}

void hsp_json_bool(hsp_json *j, const char *key, bool value) {
    if (!j->out)
        hsp_report_add_flag(j, key, value);
    else
        add_word(j, key, value ? "true" : "false");
}

void hsp_json_null(hsp_json *j, const char *key) {
    if (!j->out)
        hsp_report_add_null(j, key);
    else
        add_word(j, key, "null");
}

void hsp_json_numbers(hsp_json *j, const char *key, const double *v, int64_t n) {
    if (!j->out) {
        hsp_report_add_values(j, key, v, n, 0);
        return;
    }
    open_container(j, key, '[');
    for (int64_t i = 0; i < n; i++) {
        if (i > 0) hsp_text_char(j->out, ',');
        add_number(j->out, v[i]);
    }
    close_container(j, ']');
}

void hsp_json_fail(hsp_json *j) {
    if (j->out)
        j->out->failed = true;
    else
        j->failed = true;
}
