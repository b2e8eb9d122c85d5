#include "text_table.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "short_number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void hsp_cli_table_begin(hsp_cli_table *t, int columns) {
    *t = (hsp_cli_table){.columns = columns};
}

void hsp_cli_cell(hsp_cli_table *t, const char *text) {
    if (t->cells == t->capacity && !t->failed) {
        int64_t capacity = t->capacity ? 2 * t->capacity : 64;
        char **grown = realloc(t->cell, (size_t)capacity * sizeof *grown);
        if (grown)
            t->cell = grown, t->capacity = capacity;
        else
            t->failed = true;
    }
    char *copy = t->failed ? NULL : strdup(text ? text : "");
    if (copy)
        t->cell[t->cells++] = copy;
    else
        t->failed = true;
}

/* The byte offset after n characters. */
static size_t characters(const char *s, int64_t n) {
    size_t i = 0;
    for (; s[i]; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80 && n-- == 0) break;
    return i;
}

const char *hsp_cli_cut(const char *name, char buf[HSP_CLI_NAME]) {
    enum { MOST = 60, HEAD = 40, TAIL = 17, BYTES = 4 }; /* BYTES: the most that a character has in UTF-8 */
    if (!name) return "";
    size_t n = strlen(name), head = characters(name, HEAD), tail = n, left = TAIL;
    if (!name[characters(name, MOST)]) return name;
    while (tail > head && left > 0) left -= ((unsigned char)name[--tail] & 0xc0) != 0x80;
    if (head > (size_t)BYTES * HEAD || n - tail > (size_t)BYTES * TAIL) return "(not UTF-8)";
    snprintf(buf, HSP_CLI_NAME, "%.*s...%s", (int)head, name, name + tail);
    return buf;
}

void hsp_cli_cell_name(hsp_cli_table *t, const char *name) {
    char buf[HSP_CLI_NAME];
    hsp_cli_cell(t, hsp_cli_cut(name, buf));
}

void hsp_cli_cellf(hsp_cli_table *t, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) {
        t->failed = true;
    } else {
        hsp_cli_cell(t, text);
        free(text);
    }
    va_end(args);
}

void hsp_cli_cell_number(hsp_cli_table *t, double v) {
    char buf[HSP_CLI_NUMBER];
    hsp_cli_cell(t, hsp_cli_short(v, 6, HSP_CLI_NEAREST, buf));
}

void hsp_cli_cell_stream(hsp_cli_table *t, FILE *f, char **text) {
    if (!f || fclose(f))
        t->failed = true;
    else
        hsp_cli_cell(t, *text);
    free(*text);
}

static void list_cell(hsp_cli_table *t, const hsp_report *list, int64_t most) {
    char *text = NULL;
    size_t size = 0;
    int64_t n = hsp_report_count(list, NULL);
    FILE *f = open_memstream(&text, &size);
    for (int64_t i = 0; f && i < n && i < most; i++) {
        const char *s = hsp_report_text_at(list, NULL, i);
        char number[HSP_CLI_NUMBER], name[HSP_CLI_NAME];
        if (!s) s = hsp_cli_short(hsp_report_number_at(list, NULL, i), 6, HSP_CLI_NEAREST, number);
        fprintf(f, "%s%s", i ? ", " : "", hsp_cli_cut(s, name));
    }
    if (f && n > most) fprintf(f, ", ... (%" PRId64 ")", n);
    hsp_cli_cell_stream(t, f, &text);
}

void hsp_cli_cell_value(hsp_cli_table *t, const hsp_report *value, int64_t most) {
    if (hsp_cli_is_list(value, NULL))
        list_cell(t, value, most);
    else if (hsp_cli_is(value, NULL, HSP_REPORT_NUMBER))
        hsp_cli_cell_number(t, hsp_report_number(value, NULL));
    else if (hsp_cli_is(value, NULL, HSP_REPORT_FLAG))
        hsp_cli_cell(t, hsp_report_flag(value, NULL) ? "yes" : "no");
    else
        hsp_cli_cell(t, hsp_report_text(value, NULL));
}

/* Counts characters, not bytes: continuation bytes do not count. */
static int width(const char *s) {
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* The widths of a column. */
typedef struct column_width {
    int whole; /* of the widest cell */
    int after; /* of the fraction of numbers, with the decimal point */
} column_width;

static char side_of(const char *sides, int j) {
    int n = (int)strlen(sides);
    return sides[j < n ? j : n - 1];
}

static int after_point(const char *s) {
    const char *point = strchr(s, '.');
    return point ? width(point) : 0;
}

static bool is_number(const char *s) {
    if (*s == '-') s++;
    return *s >= '0' && *s <= '9';
}

static void measure_cells(const hsp_cli_table *t, const char *sides, column_width *e) {
    for (int64_t i = 0; i < t->cells; i++) { /* fractions first: the widths of whole cells depend on them */
        int j = (int)(i % t->columns), after = after_point(t->cell[i]);
        if (side_of(sides, j) == 'd' && is_number(t->cell[i]) && after > e[j].after) e[j].after = after;
    }
    for (int64_t i = 0; i < t->cells; i++) {
        int j = (int)(i % t->columns), w = width(t->cell[i]);
        if (side_of(sides, j) == 'd' && is_number(t->cell[i])) w += e[j].after - after_point(t->cell[i]);
        if (w > e[j].whole) e[j].whole = w;
    }
}

static void print_row(const hsp_cli_table *t, int64_t row, FILE *f, int indent, const char *sides, const column_width *e) {
    int blanks = indent; /* pending before the next cell with text, so that no line ends in blanks */
    for (int j = 0; j < t->columns; j++) {
        const char *s = t->cell[row * t->columns + j];
        char side = side_of(sides, j);
        int right = side == 'd' && is_number(s) ? e[j].after - after_point(s) : 0;
        int left = side == 'l' ? 0 : e[j].whole - width(s) - right;
        blanks += left;
        if (*s) {
            fprintf(f, "%*s", blanks, "");
            hsp_cli_put_clean(f, s);
            blanks = 0;
        }
        blanks += e[j].whole - width(s) - left + 2;
    }
    putc('\n', f);
}

int hsp_cli_table_print(hsp_cli_table *t, FILE *f, int indent, const char *sides) {
    column_width *e = calloc((size_t)t->columns + 1, sizeof *e);
    bool failed = t->failed || !e;
    if (!failed) {
        measure_cells(t, sides, e);
        for (int64_t i = 0; i < t->cells / t->columns; i++) print_row(t, i, f, indent, sides, e);
    }
    for (int64_t i = 0; i < t->cells; i++) free(t->cell[i]);
    free(t->cell);
    free(e);
    *t = (hsp_cli_table){0};
    return failed ? hsp_cli_fail_memory() : 0;
}
