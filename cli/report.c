#include "report.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

json_t *hsp_cli_json_take(char *text) {
    json_error_t why;
    json_t *tree = json_loads(text, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &why);
    hsp_free(text);
    if (!tree) hsp_cli_fail(HSP_EXIT_SYSTEM, "the library gave a report that cannot be read: %s (a bug)", why.text);
    return tree;
}

static void write_value(hsp_json *j, const char *key, const json_t *value);

static void write_members(hsp_json *j, const char *key, const json_t *value) {
    json_t *object = (json_t *)(uintptr_t)value; /* the iterator's signature is not const */
    hsp_json_object(j, key);
    for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it))
        write_value(j, json_object_iter_key(it), json_object_iter_value(it));
    hsp_json_object_end(j);
}

static void write_value(hsp_json *j, const char *key, const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_members(j, key, value);
        break;
    case JSON_ARRAY:
        hsp_json_array(j, key);
        for (size_t i = 0; i < json_array_size(value); i++) write_value(j, NULL, json_array_get(value, i));
        hsp_json_array_end(j);
        break;
    case JSON_STRING:
        hsp_json_string(j, key, json_string_value(value));
        break;
    case JSON_INTEGER:
        hsp_json_int(j, key, json_integer_value(value));
        break;
    case JSON_REAL:
        hsp_json_number(j, key, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        hsp_json_bool(j, key, json_is_true(value));
        break;
    case JSON_NULL:
        hsp_json_null(j, key);
        break;
    }
}

char *hsp_cli_json_line(const json_t *value) {
    hsp_text text = {0};
    hsp_json j = {.out = &text};
    char *line = NULL;
    write_value(&j, NULL, value);
    hsp_text_take(&text, &line, NULL);
    hsp_text_free(&text);
    return line;
}

void hsp_cli_json_print(const json_t *object) {
    char *line = hsp_cli_json_line(object);
    errno = 0;
    if (!line)
        hsp_cli_output_lost(ENOMEM);
    else if (puts(line) == EOF)
        hsp_cli_output_lost(errno ? errno : EIO);
    hsp_free(line);
}

double hsp_cli_microseconds(double seconds) {
    return (double)(int64_t)(seconds * 1e6 + 0.5) / 1e6;
}

json_t *hsp_cli_json_seconds(double seconds) {
    return json_real(hsp_cli_microseconds(seconds));
}

void hsp_cli_json_set_seconds(json_t *report, const char *first, double a, const char *second, double b) {
    json_t *seconds = json_object();
    json_object_set_new(seconds, first, hsp_cli_json_seconds(a));
    json_object_set_new(seconds, second, hsp_cli_json_seconds(b));
    json_object_set_new(report, "seconds", seconds);
}

/* A path may be any bytes, JSON is UTF-8: what is not ASCII is replaced when the whole is not UTF-8. */
json_t *hsp_cli_json_text(const char *text) {
    if (!text) return json_null();
    json_t *value = json_string(text);
    char *copy = value ? NULL : strdup(text);
    if (copy) {
        for (char *p = copy; *p; p++)
            if ((unsigned char)*p >= 0x80) *p = '?';
        value = json_string(copy);
        free(copy);
    }
    return value ? value : json_null();
}

double hsp_cli_json_number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *hsp_cli_json_string(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

double hsp_cli_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- numbers for people ------------------------------------------------------------------------------------------- */

/* Decimal digits d[0] d[1] ... d[n-1] times 10^(point - n): "0.00123" is digits 123, point -2. */
typedef struct short_decimal {
    char digit[40];
    int n, point;
    bool negative;
} short_decimal;

/* Takes apart what hsp_format_number wrote. */
static short_decimal decimal_of(double v) {
    char buf[32];
    short_decimal d = {.negative = false};
    hsp_format_number(v, buf);
    const char *p = buf;
    if (*p == '-') d.negative = true, p++;
    bool fraction = false;
    for (; *p && *p != 'e'; p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        if (!fraction) d.point++;
        if (d.n == 0 && *p == '0') {
            d.point--;
            continue;
        }
        if (d.n < (int)sizeof d.digit) d.digit[d.n++] = *p;
    }
    if (*p == 'e') {
        int sign = 1, exponent = 0;
        p++;
        if (*p == '-' || *p == '+') sign = *p++ == '-' ? -1 : 1;
        for (; *p; p++) exponent = exponent * 10 + (*p - '0');
        d.point += sign * exponent;
    }
    while (d.n > 0 && d.digit[d.n - 1] == '0') d.n--;
    return d;
}

static void round_decimal(short_decimal *d, int keep, hsp_cli_rounding rounding) {
    if (keep >= d->n) return;
    bool up = rounding == HSP_CLI_UP || d->digit[keep] >= '5';
    d->n = keep;
    while (up && d->n > 0 && d->digit[d->n - 1] == '9') d->n--;
    if (up && d->n == 0) {
        d->digit[d->n++] = '1';
        d->point++;
    } else if (up) {
        d->digit[d->n - 1]++;
    }
    while (d->n > 0 && d->digit[d->n - 1] == '0') d->n--;
}

static char *put_plain(char *p, const short_decimal *d) {
    for (int i = 0; i < d->point; i++) *p++ = i < d->n ? d->digit[i] : '0';
    if (d->point <= 0) *p++ = '0';
    if (d->n > d->point) {
        *p++ = '.';
        for (int i = d->point; i < 0; i++) *p++ = '0';
        for (int i = d->point > 0 ? d->point : 0; i < d->n; i++) *p++ = d->digit[i];
    }
    return p;
}

static char *put_scientific(char *p, const short_decimal *d) {
    *p++ = d->digit[0];
    if (d->n > 1) *p++ = '.';
    for (int i = 1; i < d->n; i++) *p++ = d->digit[i];
    return p + snprintf(p, 8, "e%d", d->point - 1);
}

const char *hsp_cli_short(double v, int digits, hsp_cli_rounding rounding, char *buf) {
    if (!isfinite(v)) return memcpy(buf, "-", 2);
    short_decimal d = decimal_of(v);
    round_decimal(&d, d.point > digits && d.point <= 15 ? d.point : digits, rounding);
    char *p = buf;
    if (d.n == 0) return memcpy(buf, "0", 2);
    if (d.negative) *p++ = '-';
    p = d.point > -4 && d.point <= 15 ? put_plain(p, &d) : put_scientific(p, &d);
    *p = '\0';
    return buf;
}

const char *hsp_cli_share(double v, char *buf) {
    for (int digits = 4; digits < 17; digits++) {
        hsp_cli_short(v, digits, HSP_CLI_NEAREST, buf);
        if (v >= 1 || strcmp(buf, "1") != 0) break;
    }
    return buf;
}

const char *hsp_cli_above(double gap, char *buf) {
    double percent = gap > 0 ? 100 * gap / (1 - gap) : 0;
    return hsp_cli_short(percent > 0 && percent < 1e-12 ? 1e-12 : percent, 2, HSP_CLI_UP, buf);
}

/* ---- tables for people -------------------------------------------------------------------------------------------- */

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

/* The byte after n characters. */
static size_t characters(const char *s, int64_t n) {
    size_t i = 0;
    for (; s[i]; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80 && n-- == 0) break;
    return i;
}

const char *hsp_cli_cut(const char *name, char buf[HSP_CLI_NAME]) {
    enum { MOST = 60, HEAD = 40, TAIL = 17, BYTES = 4 }; /* of a character, where the text is none: at most */
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

static void list_cell(hsp_cli_table *t, const json_t *list, size_t most) {
    char *text = NULL;
    size_t size = 0, n = json_array_size(list);
    FILE *f = open_memstream(&text, &size);
    for (size_t i = 0; f && i < n && i < most; i++) {
        const json_t *item = json_array_get(list, i);
        const char *s = json_string_value(item);
        char number[HSP_CLI_NUMBER], name[HSP_CLI_NAME];
        if (json_is_number(item)) s = hsp_cli_short(json_number_value(item), 6, HSP_CLI_NEAREST, number);
        fprintf(f, "%s%s", i ? ", " : "", s ? hsp_cli_cut(s, name) : "-");
    }
    if (f && n > most) fprintf(f, ", ... (%zu)", n);
    hsp_cli_cell_stream(t, f, &text);
}

void hsp_cli_cell_value(hsp_cli_table *t, const json_t *value, size_t most) {
    if (json_is_array(value))
        list_cell(t, value, most);
    else if (json_is_number(value))
        hsp_cli_cell_number(t, json_number_value(value));
    else if (json_is_boolean(value))
        hsp_cli_cell(t, json_is_true(value) ? "yes" : "no");
    else
        hsp_cli_cell(t, json_string_value(value));
}

/* Characters, not bytes: bytes that continue one do not count. */
static int width(const char *s) {
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* The widths of a column. */
typedef struct column_width {
    int whole; /* of all cells */
    int after; /* of what follows the decimal point of numbers, the point included */
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
    for (int64_t i = 0; i < t->cells; i++) { /* first what follows the point, then what that leaves as the whole */
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
    int blanks = indent; /* owed before the next cell that has text, so that no line ends in blanks */
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
