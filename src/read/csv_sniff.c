/* Detects the delimiter and the header of a CSV file from its first bytes. */
#include "base/number.h"
#include "option/column_list.h"
#include "option/options.h"
#include "read/csv.h"

#include <string.h>

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
static int64_t try_delimiter(const char *p, const char *end, char delimiter, bool whole, bool *consistent) {
    int64_t cells = 0, records = 0;
    bool torn = false;
    *consistent = true;
    while (p && p < end) {
        int64_t count = count_cells(p, end, delimiter, &p, &torn);
        if (count == 0) continue;
        if (!p && !whole && records > 0) break;
        if (records++ == 0)
            cells = count;
        else if (count != cells)
            *consistent = false;
    }
    if (torn) *consistent = false;
    return cells;
}

char hsp_csv_sniff_delimiter(const char *bytes, int64_t n, bool whole) {
    /* A decimal comma is more common than a stray semicolon or tab on every line, so the comma comes last. */
    static const char candidates[] = {'\t', ';', ','};
    const char *end = bytes + n;
    if (n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) bytes += 3;
    char best = 0, most = 0;
    int64_t best_cells = 1;
    for (int i = 0; i < 3; i++) {
        bool consistent;
        int64_t cells = try_delimiter(bytes, end, candidates[i], whole, &consistent);
        if (consistent && cells > 1 && !best) best = candidates[i];
        if (cells > best_cells) {
            best_cells = cells;
            most = candidates[i];
        }
    }
    if (best) return best;
    bool consistent;
    int64_t cells = try_delimiter(bytes, end, ' ', whole, &consistent);
    if (consistent && cells > 1) return ' ';
    return most ? most : ',';
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
    static const char *const single[] = {"target", "weight"};
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

static bool is_word(const char *s) {
    double v;
    int64_t n = (int64_t)strlen(s);
    return !hsp_csv_is_missing(s, n) && !hsp_csv_is_number(s, n, &v);
}

bool hsp_csv_sniff_header(const hsp_csv_cells *first, const hsp_csv_cells *second) {
    bool words = true, usual = false;
    for (int64_t i = 0; i < first->count; i++) {
        const char *s = hsp_csv_cells_at(first, i);
        double v;
        if (!is_word(s)) { /* in many files the column of row numbers has no name */
            words = words && *s == '\0';
            continue;
        }
        usual = usual || hsp_csv_usual(s) < HSP_CSV_USUAL;
        if (i >= second->count) continue;
        const char *below = hsp_csv_cells_at(second, i);
        if (hsp_csv_is_number(below, (int64_t)strlen(below), &v)) return true;
    }
    return words && usual;
}
