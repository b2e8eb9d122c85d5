/* Tables of numbers in the text of an explanation: aligned in plain text, pipes in Markdown. */
#include "explain/exposition.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 6, MOST_DECIMALS = 9 };

/* ---- filling ---- */

static void clear_rows(hsp_exposition *e) {
    for (int64_t i = 0; i < e->height; i++) HSP_FREE(e->label[i], e->note[i]);
    e->height = 0;
}

void hsp_exposition_free(hsp_exposition *e) {
    clear_rows(e);
    HSP_FREE(e->label, e->note, e->cell);
    for (int i = 0; i < HSP_TABLE_WIDTH + 2; i++) hsp_text_free(&e->header[i]);
    hsp_text_free(&e->title);
    hsp_text_free(&e->text);
    hsp_text_free(&e->line);
    hsp_json_drop(&e->values);
    hsp_json_drop(&e->out);
    *e = (hsp_exposition){.failed = e->failed};
}

void hsp_exposition_table(hsp_exposition *e, const char *corner, const char *const *columns, int width) {
    const hsp_figure none = {0};
    clear_rows(e);
    for (int i = 0; i < HSP_TABLE_WIDTH + 2; i++) hsp_text_clear(&e->header[i]);
    hsp_exposition_render(&e->header[0], e->markdown, corner, &none);
    e->width = width;
    for (int j = 0; j < width; j++) hsp_exposition_render(&e->header[1 + j], e->markdown, columns[j], &none);
}

void hsp_exposition_heading(hsp_exposition *e, const char *name) {
    if (e->width < HSP_TABLE_WIDTH) hsp_exposition_name(&e->header[1 + e->width++], e->markdown, name);
}

void hsp_exposition_symbol(hsp_exposition *e, const char *symbol, int64_t index) {
    if (e->width < HSP_TABLE_WIDTH)
        hsp_text_format(&e->header[1 + e->width++], e->markdown ? "$%s_{%lld}$" : "%s_%lld", symbol, (long long)index);
}

void hsp_exposition_row(hsp_exposition *e, const char *label, const double *cells, const char *note) {
    hsp_text text = {0};
    const hsp_figure none = {0};
    int64_t row = e->height;
    if (HSP_RESERVE(e->label, e->labels, row + 1) || HSP_RESERVE(e->note, e->notes, row + 1) ||
        HSP_RESERVE(e->cell, e->cells, (row + 1) * e->width)) {
        e->failed = true;
        return;
    }
    hsp_exposition_name(&text, e->markdown, label);
    e->failed |= hsp_text_take(&text, &e->label[row], NULL) != 0;
    if (note) hsp_exposition_render(&text, e->markdown, note, &none);
    e->note[row] = NULL;
    if (note) e->failed |= hsp_text_take(&text, &e->note[row], NULL) != 0;
    for (int j = 0; j < e->width; j++) e->cell[row * e->width + j] = cells[j];
    e->height++;
}

/* ---- numbers of a column ---- */

/* How a column is written: with a fixed number of decimals, or -1: each number by itself. */
static int decimals_of(const hsp_exposition *e, int column) {
    double largest = 0, smallest = INFINITY;
    int needed = 0;
    for (int64_t i = 0; i < e->height; i++) {
        double v = fabs(e->cell[i * e->width + column]);
        if (isfinite(v)) largest = fmax(largest, v);
        if (v > 0) smallest = fmin(smallest, v);
    }
    if (largest >= 1e9 || (largest >= 1e4 && smallest < 1e-4 * largest) || (largest > 0 && largest < 1e-4)) return -1;
    int most = DIGITS - 1 - (largest > 0 ? (int)floor(log10(largest)) : 0);
    most = most < 0 ? 0 : most > MOST_DECIMALS ? MOST_DECIMALS : most;
    for (int64_t i = 0; i < e->height; i++) {
        double v = e->cell[i * e->width + column], unit = pow(10, most);
        if (!isfinite(v)) continue;
        char buf[HSP_NUMBER_SIZE];
        hsp_format_number(round(v * unit) / unit, buf);
        const char *point = strchr(buf, '.'), *power = strchr(buf, 'e');
        int fraction = power ? most : point ? (int)strlen(point + 1) : 0;
        if (fraction > needed) needed = fraction;
    }
    return needed;
}

/* The number with its decimals. One that would be written as 0 but is not keeps its own digits. */
static void add_cell(hsp_text *t, bool markdown, double v, int decimals) {
    if (isnan(v)) return;
    double unit = pow(10, decimals < 0 ? 0 : decimals), fixed = round(v * unit) / unit;
    if (decimals < 0 || !isfinite(v) || (v != 0 && fixed == 0)) {
        if (markdown) hsp_text_char(t, '$');
        hsp_exposition_digits(t, markdown, hsp_exposition_rounded(v, 4));
        if (markdown) hsp_text_char(t, '$');
        return;
    }
    char buf[400];
    int64_t whole = (int64_t)fabs(fixed), fraction = (int64_t)llround((fabs(fixed) - (double)whole) * unit);
    if (fraction >= (int64_t)unit) whole++, fraction = 0;
    snprintf(buf, sizeof buf, decimals ? "%s%lld.%0*lld" : "%s%lld", fixed < 0 ? "-" : "", (long long)whole, decimals,
             (long long)fraction);
    hsp_text_add(t, buf);
}

/* ---- writing ---- */

static void add_padded(hsp_text *t, const char *s, int64_t width, bool right) {
    int64_t blanks = width - hsp_exposition_characters(s);
    for (int64_t i = 0; right && i < blanks; i++) hsp_text_char(t, ' ');
    hsp_text_add(t, s);
    for (int64_t i = 0; !right && i < blanks; i++) hsp_text_char(t, ' ');
}

typedef struct layout {
    int64_t label;                  /* width of the labels */
    int64_t width[HSP_TABLE_WIDTH]; /* of the columns */
    int decimals[HSP_TABLE_WIDTH];
} layout;

static const char *text_of(const hsp_text *t) {
    return t->s && t->length ? t->s : "";
}

static const char *cell_text(hsp_exposition *e, const layout *l, int64_t i, int j) {
    hsp_text_clear(&e->line);
    add_cell(&e->line, e->markdown, e->cell[i * e->width + j], l->decimals[j]);
    e->failed |= e->line.failed;
    return text_of(&e->line);
}

static void measure_table(hsp_exposition *e, layout *l) {
    l->label = hsp_exposition_characters(text_of(&e->header[0]));
    for (int64_t i = 0; i < e->height; i++) {
        int64_t n = hsp_exposition_characters(e->label[i] ? e->label[i] : "");
        if (n > l->label) l->label = n;
    }
    for (int j = 0; j < e->width; j++) {
        l->decimals[j] = decimals_of(e, j);
        l->width[j] = hsp_exposition_characters(text_of(&e->header[1 + j]));
        for (int64_t i = 0; i < e->height; i++) {
            int64_t n = hsp_exposition_characters(cell_text(e, l, i, j));
            if (n > l->width[j]) l->width[j] = n;
        }
    }
}

static void add_line(hsp_exposition *e, const layout *l, int64_t i, const char *note) {
    hsp_text line = {0};
    hsp_text_add(&line, e->markdown ? "| " : "    ");
    add_padded(&line, i < 0 ? text_of(&e->header[0]) : e->label[i] ? e->label[i] : "", l->label, false);
    for (int j = 0; j < e->width; j++) {
        hsp_text_add(&line, e->markdown ? " | " : "  ");
        add_padded(&line, i < 0 ? text_of(&e->header[1 + j]) : cell_text(e, l, i, j), l->width[j], true);
    }
    if (note) hsp_text_format(&line, "%s%s", e->markdown ? " | " : "  ", note);
    if (e->markdown) hsp_text_add(&line, " |");
    while (line.length > 0 && line.s[line.length - 1] == ' ') line.s[--line.length] = '\0';
    hsp_text_add(&e->text, line.s ? line.s : "");
    hsp_text_char(&e->text, '\n');
    e->failed |= line.failed;
    hsp_text_free(&line);
}

static void add_rule(hsp_exposition *e, bool notes) {
    hsp_text_add(&e->text, "|---");
    for (int j = 0; j < e->width; j++) hsp_text_add(&e->text, "|--:");
    hsp_text_add(&e->text, notes ? "|---|\n" : "|\n");
}

void hsp_exposition_table_end(hsp_exposition *e, const char *notes) {
    layout l = {0};
    measure_table(e, &l);
    if (e->markdown || e->dense || e->listing) hsp_text_char(&e->text, '\n');
    add_line(e, &l, -1, notes);
    if (e->markdown) add_rule(e, notes != NULL);
    for (int64_t i = 0; i < e->height; i++) add_line(e, &l, i, notes ? (e->note[i] ? e->note[i] : "") : NULL);
    for (int i = 0; i < HSP_TABLE_WIDTH + 2; i++) e->failed |= e->header[i].failed;
    e->failed |= e->line.failed;
    e->listing = false;
    e->dense = true;
    clear_rows(e);
}
