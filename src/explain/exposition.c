/* Sections, sentences and formulas; exposition_table.c has the tables. */
#include "explain/exposition.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 6, LINE = 100, NAME = 40 };

/* ---- numbers and names ---- */

double hsp_exposition_rounded(double v, int digits) {
    if (v == 0 || !isfinite(v)) return v;
    int power = digits - 1 - (int)floor(log10(fabs(v)));
    if (power > 300 || power < -300) return v;
    double unit = pow(10, power >= 0 ? power : -power), rounded;
    char buf[64]; /* by way of text, because powers of ten are not exact in binary */
    int n = snprintf(buf, sizeof buf, "%llde%d", llround(power >= 0 ? v * unit : v / unit), -power);
    return hsp_parse_number(buf, (size_t)n, &rounded) ? v : rounded;
}

void hsp_exposition_digits(hsp_text *t, bool tex, double v) {
    char buf[HSP_NUMBER_SIZE];
    if (!isfinite(v)) {
        hsp_text_add(t, "-");
        return;
    }
    hsp_format_number(v == 0 ? 0 : hsp_exposition_rounded(v, DIGITS), buf); /* -0 is 0 */
    const char *e = strchr(buf, 'e');
    if (!e || !tex) {
        hsp_text_add(t, buf);
        return;
    }
    hsp_text_add_n(t, buf, e - buf);
    hsp_text_format(t, "\\cdot 10^{%s}", e[1] == '+' ? e + 2 : e + 1);
}

int64_t hsp_exposition_characters(const char *s) {
    int64_t n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* The bytes of s until its n-th character. */
static int64_t bytes_of(const char *s, int64_t n) {
    int64_t i = 0;
    for (; s[i]; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80 && n-- == 0) break;
    return i;
}

/* A name without control characters and, if it is long, without its middle. */
static void add_plain_name(hsp_text *t, const char *name) {
    int64_t n = (int64_t)strlen(name), from = t->length;
    int64_t characters = hsp_exposition_characters(name);
    if (characters <= NAME) {
        hsp_text_add_n(t, name, n);
    } else {
        int64_t tail = bytes_of(name, characters - 14);
        hsp_text_add_n(t, name, bytes_of(name, 22));
        hsp_text_add(t, "...");
        hsp_text_add(t, name + tail);
    }
    if (!t->failed && t->s) hsp_text_mask(t->s + from, t->s + from, t->length - from);
}

static void add_escaped(hsp_text *t, const char *name, const char *special) {
    hsp_text plain = {0};
    add_plain_name(&plain, name);
    for (const char *p = plain.s; p && *p; p++) {
        if (strchr(special, *p)) hsp_text_char(t, '\\');
        hsp_text_char(t, *p);
    }
    t->failed |= plain.failed;
    hsp_text_free(&plain);
}

void hsp_exposition_name(hsp_text *t, bool markdown, const char *name) {
    if (markdown)
        add_escaped(t, name, "\\`*_|<>[]$#");
    else
        add_plain_name(t, name);
}

static void add_word(hsp_text *t, bool markdown, bool tex, const char *name) {
    if (!tex) {
        hsp_exposition_name(t, markdown, name);
        return;
    }
    hsp_text_add(t, "\\text{");
    add_escaped(t, name, "\\{}_^$%#&~");
    hsp_text_add(t, "}");
}

static void add_vector(hsp_text *t, bool tex, const hsp_figure *f) {
    hsp_text_add(t, "(");
    for (int64_t i = 0; f->v && i < f->n; i++) {
        if (i) hsp_text_add(t, ", ");
        hsp_exposition_digits(t, tex, f->v[i]);
    }
    hsp_text_add(t, f->cut ? (tex ? ", \\dots)" : ", ...)") : ")");
}

static void add_figure(hsp_text *t, bool markdown, bool tex, const hsp_figure *f) {
    if (f->kind == HSP_FIGURE_NUMBER)
        hsp_exposition_digits(t, tex, f->number);
    else if (f->kind == HSP_FIGURE_WHOLE)
        hsp_text_int(t, f->n);
    else if (f->kind == HSP_FIGURE_VECTOR)
        add_vector(t, tex, f);
    else if (f->kind == HSP_FIGURE_PHRASE)
        hsp_text_add(t, f->word);
    else
        add_word(t, markdown, tex, f->word ? f->word : "");
}

/* ---- sentences and formulas ---- */

/* Adds n bytes of a format, with its figures. */
static void add_part(hsp_text *t, bool markdown, bool tex, const char *s, int64_t n, const hsp_figure *figures) {
    for (int64_t i = 0; i < n; i++) {
        if (s[i] != '%' || i + 1 == n) {
            hsp_text_char(t, s[i]);
        } else if (s[++i] == '%') {
            hsp_text_char(t, '%');
        } else {
            add_figure(t, markdown, tex, &figures[s[i] - '0']);
        }
    }
}

/* One of the spellings of the formula of n bytes at s. */
static void add_spelling(hsp_text *t, bool markdown, const char *s, int64_t n, const hsp_figure *figures) {
    const char *second = memchr(s, '~', (size_t)n);
    if (!markdown)
        add_part(t, false, false, s, second ? second - s : n, figures);
    else if (second)
        add_part(t, true, true, second + 1, n - (second + 1 - s), figures);
    else
        add_part(t, true, true, s, n, figures);
}

void hsp_exposition_render(hsp_text *t, bool markdown, const char *format, const hsp_figure *figures) {
    for (const char *p = format; *p;) {
        const char *open = strchr(p, '`'), *close = open ? strchr(open + 1, '`') : NULL;
        if (!close) {
            add_part(t, markdown, false, p, (int64_t)strlen(p), figures);
            return;
        }
        add_part(t, markdown, false, p, open - p, figures);
        if (markdown) hsp_text_char(t, '$');
        add_spelling(t, markdown, open + 1, close - open - 1, figures);
        if (markdown) hsp_text_char(t, '$');
        p = close + 1;
    }
}

/* Adds a line of plain text in lines of at most LINE characters, broken at blanks; the later ones are indented. */
static void add_wrapped(hsp_text *t, const char *s, int indent) {
    int64_t column = 0;
    while (*s) {
        int64_t n = (int64_t)strcspn(s, " ");
        hsp_text part = {0};
        hsp_text_add_n(&part, s, n);
        int64_t size = part.s ? hsp_exposition_characters(part.s) : 0;
        if (column > indent && column + 1 + size > LINE) {
            hsp_text_format(t, "\n%*s", indent, "");
            column = indent;
        } else if (column > 0 && size > 0) {
            hsp_text_char(t, ' ');
            column++;
        }
        hsp_text_add_n(t, s, n);
        column += size;
        t->failed |= part.failed;
        hsp_text_free(&part);
        s += n + (s[n] == ' ');
    }
}

static const char *rendered(hsp_exposition *e, const char *format, const hsp_figure *figures) {
    hsp_text_clear(&e->line);
    hsp_exposition_render(&e->line, e->markdown, format, figures);
    e->failed |= e->line.failed;
    return e->line.s && !e->line.failed ? e->line.s : "";
}

void hsp_exposition_say(hsp_exposition *e, const char *format, const hsp_figure *figures) {
    const char *line = rendered(e, format, figures);
    if (e->text.length) hsp_text_char(&e->text, '\n');
    if (e->markdown)
        hsp_text_add(&e->text, line);
    else
        add_wrapped(&e->text, line, 0);
    hsp_text_char(&e->text, '\n');
    e->listing = e->dense = false;
}

void hsp_exposition_formula(hsp_exposition *e, const char *format, const hsp_figure *figures) {
    hsp_text_clear(&e->line);
    add_spelling(&e->line, e->markdown, format, (int64_t)strlen(format), figures);
    e->failed |= e->line.failed;
    const char *line = e->line.s && !e->line.failed ? e->line.s : "";
    if (e->markdown)
        hsp_text_format(&e->text, "\n$$%s$$\n", line);
    else
        hsp_text_format(&e->text, "    %s\n", line);
    e->listing = false;
    e->dense = true;
}

void hsp_exposition_item(hsp_exposition *e, const char *format, const hsp_figure *figures) {
    const char *line = rendered(e, format, figures);
    if (e->markdown && !e->listing) hsp_text_char(&e->text, '\n');
    hsp_text_add(&e->text, "- ");
    if (e->markdown)
        hsp_text_add(&e->text, line);
    else
        add_wrapped(&e->text, line, 2);
    hsp_text_char(&e->text, '\n');
    e->listing = true;
    e->dense = false;
}

/* ---- sections and values ---- */

void hsp_exposition_open(hsp_exposition *e, bool markdown, const char *algorithm) {
    *e = (hsp_exposition){.markdown = markdown};
    hsp_json_object(&e->out, NULL);
    hsp_json_string(&e->out, "algorithm", algorithm);
    hsp_json_array(&e->out, "sections");
}

static void end_section(hsp_exposition *e) {
    hsp_report *values = NULL;
    if (!e->title.length) return;
    hsp_json_object_end(&e->values);
    e->failed |= hsp_json_take(&e->values, &values, NULL) != 0;
    hsp_json_object(&e->out, NULL);
    hsp_json_string(&e->out, "title", e->title.s);
    hsp_json_string(&e->out, "text", e->text.s ? e->text.s : "");
    hsp_json_report(&e->out, "values", values);
    hsp_json_object_end(&e->out);
    hsp_report_free(values);
    e->failed |= e->text.failed || e->title.failed;
    hsp_text_clear(&e->title);
    hsp_text_clear(&e->text);
}

void hsp_exposition_section(hsp_exposition *e, const char *title) {
    end_section(e);
    hsp_text_add(&e->title, title);
    e->failed |= e->title.failed;
    e->listing = e->dense = false;
    hsp_json_object(&e->values, NULL);
}

void hsp_exposition_close(hsp_exposition *e) {
    end_section(e);
    hsp_json_array_end(&e->out);
}

void hsp_exposition_number(hsp_exposition *e, const char *name, double v) {
    hsp_json_number(&e->values, name, v);
}

void hsp_exposition_vector(hsp_exposition *e, const char *name, const double *v, int64_t n) {
    if (v)
        hsp_json_numbers(&e->values, name, v, n);
    else
        e->failed = true;
}

void hsp_exposition_matrix(hsp_exposition *e, const char *name, const double *v, int64_t rows, int64_t columns) {
    hsp_json_array(&e->values, name);
    for (int64_t i = 0; v && i < rows; i++) hsp_json_numbers(&e->values, NULL, v + i * columns, columns);
    hsp_json_array_end(&e->values);
    if (!v) e->failed = true;
}
