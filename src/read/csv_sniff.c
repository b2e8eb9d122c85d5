/* Detects the delimiter and the header of a CSV file from its first bytes. */
#include "base/number.h"
#include "base/number_marks.h"
#include "base/number_sign.h"
#include "option/column_list.h"
#include "option/options.h"
#include "read/csv.h"

#include <string.h>

enum { TITLE_LINES = 8 };

/* Whether text follows the closing quote at p, as with a wrong delimiter. */
static bool text_follows(const char *p, const char *end, char delimiter) {
    while (++p < end && (*p == ' ' || *p == '\t') && *p != delimiter) continue;
    return p < end && *p != delimiter && *p != '\n' && *p != '\r';
}

/* The number of cells of the record at p with this delimiter, 0 for a blank line. *next: the record after it, NULL when the
 * sample ends inside it. Sets *torn when text follows a closing quote. */
static int64_t count_cells(const char *p, const char *end, char delimiter, const char **next, bool *torn) {
    int64_t count = 0;
    bool start = true, quoted = false, any = false;
    for (; p < end; p++) {
        char c = *p;
        if (quoted) {
            if (c == '"' && p + 1 < end && p[1] == '"') {
                p++;
            } else if (c == '"') {
                quoted = false;
                *torn = *torn || text_follows(p, end, delimiter);
            }
        } else if (c == '\n' || c == '\r') {
            *next = p + 1;
            if (!any) return 0;
            return delimiter == ' ' && start ? count : count + 1;
        } else if (c == delimiter) {
            count += delimiter == ' ' ? !start : 1; /* blanks in a row are one delimiter */
            start = any = true;
        } else if (start && c == '"') {
            quoted = any = true;
            start = false;
        } else if (c != ' ' && c != '\t') {
            start = false;
            any = true;
        }
    }
    *next = NULL;
    if (!any) return 0;
    return delimiter == ' ' && start ? count : count + 1;
}

/* The number of cells of the first record with this delimiter; *consistent: all whole records of the sample have as many. */
static int64_t try_delimiter(const char *p, const char *end, hsp_csv_marks m, bool whole, bool *consistent) {
    int64_t cells = 0, records = 0;
    bool torn = false;
    *consistent = true;
    while (p && p < end) {
        bool comment = m.comment && *p == m.comment, ignored = false;
        int64_t count = count_cells(p, end, m.delimiter, &p, comment ? &ignored : &torn);
        if (count == 0 || comment) continue;
        if (!p && !whole && records > 0) break;
        if (records++ == 0)
            cells = count;
        else if (count != cells)
            *consistent = false;
    }
    if (torn) *consistent = false;
    return cells;
}

/* The first of the candidates with which all records have the same number of cells, more than one; 0: none. *most: the one
 * with the most cells in the first record. */
static char find_consistent(const char *p, const char *end, bool whole, hsp_csv_marks m, const char *candidates,
                            char *most) {
    int64_t most_cells = 1;
    *most = 0;
    for (const char *c = candidates; *c; c++) {
        bool consistent;
        if (!memchr(p, *c, (size_t)(end - p))) continue; /* one cell in each record */
        m.delimiter = *c;
        int64_t cells = try_delimiter(p, end, m, whole, &consistent);
        if (consistent && cells > 1) return *c;
        if (cells <= most_cells) continue;
        most_cells = cells;
        *most = *c;
    }
    return 0;
}

char hsp_csv_sniff_delimiter(const char *bytes, int64_t n, bool whole, hsp_csv_marks marks, char expected) {
    /* A decimal comma is more common than a stray semicolon or tab on every line, so the comma comes after them. A bar may
     * separate the items of a cell, and blanks words. */
    static const char candidates[] = "\t;,| ", likely[] = "\t;,";
    const char *end = bytes + n, own[] = {expected, '\0'};
    char most, unused;
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3;
    char best = find_consistent(bytes, end, whole, marks, own, &unused);
    if (!best) best = find_consistent(bytes, end, whole, marks, candidates, &unused);
    if (best) return best;
    /* The first lines may be a title. */
    const char *p = bytes;
    for (int k = 0; k < TITLE_LINES && (p = memchr(p, '\n', (size_t)(end - p))) && !best; k++)
        best = find_consistent(++p, end, whole, marks, likely, &unused);
    if (best) return best;
    find_consistent(bytes, end, whole, marks, likely, &most);
    return most ? most : ',';
}

char hsp_csv_delimiter(const char *name) {
    static const char taken[] = "\"'.+-\n\r"; /* quotes, and what numbers are made of */
    if (strcmp(name, "tab") == 0 || strcmp(name, "\\t") == 0) return '\t';
    if (strcmp(name, "space") == 0) return ' ';
    unsigned char c = (unsigned char)name[0];
    bool letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    return c && !name[1] && c < 0x80 && !letter && !strchr(taken, c) ? name[0] : '\0';
}

/* Whether the n bytes equal one of the cells and are not the number of a column. */
static bool is_cell(const hsp_csv_cells *first, const char *s, int64_t n) {
    int64_t number;
    if (n == 0 || hsp_number_parse_int(s, s + n, &number) == s + n) return false;
    for (int64_t i = 0; i < first->count; i++) {
        const char *cell = hsp_csv_cells_at(first, i);
        if ((int64_t)strlen(cell) == n && memcmp(cell, s, (size_t)n) == 0) return true;
    }
    return false;
}

/* Whether an entry of an option's list of columns is a cell of the first record. */
static bool list_names_cell(const hsp_csv_cells *first, const hsp_options *o, const char *option) {
    bool cross = strcmp(option, "cross") == 0, values = strcmp(option, "missing-values") == 0;
    hsp_column_list list = hsp_column_list_of(o, option, cross ? ':' : values ? '=' : '\0');
    hsp_column_entry e;
    bool found = false;
    while (!found && hsp_column_list_next(&list, &e, NULL) > 0)
        found = (is_cell(first, e.name, e.name_length) && (!values || e.value)) ||
                (cross && e.value && is_cell(first, e.value, e.value_length));
    hsp_column_list_free(&list);
    return found;
}

bool hsp_csv_named(const hsp_csv_cells *first, const hsp_options *o) {
    static const char *const single[] = {"target", "weight", "group", "time"};
    static const char *const lists[] = {"ignore", "categorical", "text", "date", "numeric", "cross", "missing-values"};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) {
        const char *s = hsp_options_text(o, single[i]);
        if (s && is_cell(first, s, (int64_t)strlen(s))) return true;
        if (s && *s == '"' && list_names_cell(first, o, single[i])) return true;
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (list_names_cell(first, o, lists[i])) return true;
    return false;
}

/* Whether the cell is a number, if only with a decimal comma, separators of thousands or the sign of a currency. */
static bool is_amount(const char *s, int64_t n) {
    double v;
    if (hsp_csv_is_number(s, n, &v) || hsp_number_marks_suit(s, n)) return true;
    int sign = hsp_number_sign_find(s, n);
    return sign && hsp_number_sign_read(s, n, sign, (hsp_number_marks){0}, &v);
}

static bool is_word(const char *s) {
    int64_t n = (int64_t)strlen(s);
    return !hsp_csv_is_missing(s, n) && !is_amount(s, n);
}

bool hsp_csv_sniff_header(const hsp_csv_cells *first, const hsp_csv_cells *second) {
    bool words = true, usual = false;
    for (int64_t i = 0; i < first->count; i++) {
        const char *s = hsp_csv_cells_at(first, i);
        if (!is_word(s)) { /* in many files the column of row numbers has no name */
            words = words && *s == '\0';
            continue;
        }
        usual = usual || hsp_csv_usual(s) < HSP_CSV_USUAL;
        if (i >= second->count) continue;
        const char *below = hsp_csv_cells_at(second, i);
        int64_t n = (int64_t)strlen(below);
        if (is_amount(below, n)) return true;
    }
    return words && usual;
}
