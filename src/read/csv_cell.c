/* Cells by RFC 4180, with blanks round a cell allowed and a quote inside an unquoted cell taken as it is. */
#include "base/memory.h"
#include "base/number.h"
#include "read/csv.h"

#include <string.h>

int hsp_csv_split(const char *p, const char *end, char delimiter, hsp_csv_view *v) {
    while (p < end && hsp_csv_blank(*p, delimiter)) p++;
    *v = (hsp_csv_view){.s = p};
    const char *q = p;
    if (p < end && *p == '"') {
        v->quoted = true;
        v->s = ++q;
        while ((q = memchr(q, '"', (size_t)(end - q))) && q + 1 < end && q[1] == '"') {
            v->doubled = true;
            q += 2;
        }
        if (!q) q = end; /* cannot be in a whole record */
        v->n = q - v->s;
        q += q < end;
        while (q < end && hsp_csv_blank(*q, delimiter)) q++;
        v->next = q;
        return q == end || *q == delimiter ? 0 : -1;
    }
    while (q < end && *q != delimiter) q++;
    v->next = q;
    while (q > p && hsp_csv_blank(q[-1], delimiter)) q--;
    v->n = q - p;
    return 0;
}

void hsp_csv_copy(hsp_text *t, const hsp_csv_view *v) {
    const char *p = v->s, *end = v->s + v->n;
    while (v->doubled && p < end) {
        const char *q = memchr(p, '"', (size_t)(end - p));
        if (!q) break;
        hsp_text_add_n(t, p, q + 1 - p);
        p = q + 2;
    }
    if (p < end) hsp_text_add_n(t, p, end - p);
}

/* ---- records ---- */

/* How far a record was searched for quotes; offsets, as the window may move. */
typedef struct scan {
    int64_t at;
    enum { CELL_START, UNQUOTED, QUOTED } state;
    int64_t opened;
} scan;

/* Goes on to the end of the record as it is now; true when that is inside quotes. */
static bool ends_inside(const hsp_lines *l, char delimiter, scan *k) {
    const char *s = hsp_lines_begin(l);
    int64_t n = l->stop - l->start;
    for (; k->at < n; k->at++) {
        char c = s[k->at];
        if (k->state == QUOTED) {
            if (c != '"') continue;
            if (k->at + 1 < n && s[k->at + 1] == '"')
                k->at++;
            else
                k->state = UNQUOTED;
        } else if (c == delimiter) {
            k->state = CELL_START;
        } else if (k->state == CELL_START && c == '"') {
            k->state = QUOTED;
            k->opened = k->at;
        } else if (!hsp_csv_blank(c, delimiter)) {
            k->state = UNQUOTED;
        }
    }
    return k->state == QUOTED;
}

static bool is_blank(const hsp_lines *l, char delimiter) {
    const char *p = hsp_lines_begin(l), *end = hsp_lines_end(l);
    while (p < end && (*p == ' ' || hsp_csv_blank(*p, delimiter))) p++;
    return p == end;
}

int hsp_csv_record(hsp_lines *l, char delimiter, hsp_error **err) {
    int status;
    do {
        status = hsp_lines_next(l, err);
        if (status <= 0) return status;
    } while (is_blank(l, delimiter));
    if (!hsp_lines_has_quote(l)) return 1;
    scan k = {0};
    while (ends_inside(l, delimiter, &k)) {
        status = hsp_lines_extend(l, err);
        if (status < 0) return status;
        if (status == 0)
            return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(l, hsp_lines_begin(l) + k.opened),
                               "the quote that opens here is never closed: close it, or write \"\" for a quote in a cell");
    }
    return 1;
}

int hsp_csv_check_quotes(const hsp_lines *l, char delimiter, hsp_error **err) {
    const char *end = hsp_lines_end(l), *p = hsp_csv_first(hsp_lines_begin(l), end, delimiter);
    while (p) {
        hsp_csv_view v;
        if (hsp_csv_split(p, end, delimiter, &v) < 0)
            return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(l, v.next),
                               "text after the closing quote: write \"\" for a quote inside a quoted cell");
        p = hsp_csv_after(v.next, end, delimiter);
    }
    return 0;
}

/* The cell after the one at p, whatever is wrong with that; NULL: it was the last. */
static const char *skip_cell(const char *p, const char *end, char delimiter) {
    hsp_csv_view v;
    if (hsp_csv_split(p, end, delimiter, &v) != 0)
        while (v.next < end && *v.next != delimiter) v.next++;
    return hsp_csv_after(v.next, end, delimiter);
}

int64_t hsp_csv_count(const char *p, const char *end, char delimiter) {
    int64_t count = 0;
    for (p = hsp_csv_first(p, end, delimiter); p; p = skip_cell(p, end, delimiter)) count++;
    return count;
}

const char *hsp_csv_nth(const char *p, const char *end, char delimiter, int64_t n) {
    for (p = hsp_csv_first(p, end, delimiter); p && n > 0; n--) p = skip_cell(p, end, delimiter);
    return p ? p : end;
}

/* ---- what a cell says ---- */

bool hsp_csv_is_missing(const char *s, int64_t n) {
    static const char *const spellings[] = {"?", "na", "n/a", "nan", "null"};
    if (n == 0) return true;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if ((int64_t)strlen(spellings[i]) == n && hsp_text_same_letters(s, spellings[i], n)) return true;
    return false;
}

bool hsp_csv_is_number(const char *s, int64_t n, double *v) {
    const char *end = s + n;
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return hsp_number_parse(s, end, v) == end && s < end;
}

/* ---- a record that is kept ---- */

int hsp_csv_cells_read(hsp_csv_cells *c, const hsp_lines *l, char delimiter, hsp_error **err) {
    int status = hsp_csv_check_quotes(l, delimiter, err);
    if (status < 0) return status;
    hsp_text_clear(&c->text);
    c->count = 0;
    c->line = l->line;
    const char *begin = hsp_lines_begin(l), *end = hsp_lines_end(l);
    hsp_csv_view v;
    for (const char *p = hsp_csv_first(begin, end, delimiter); p; p = hsp_csv_after(v.next, end, delimiter)) {
        hsp_csv_split(p, end, delimiter, &v);
        if (hsp_reserve((void **)&c->start, &c->start_capacity, c->count + 1, sizeof *c->start) ||
            hsp_reserve((void **)&c->column, &c->column_capacity, c->count + 1, sizeof *c->column))
            return hsp_fail_memory(err);
        c->start[c->count] = c->text.length;
        c->column[c->count++] = v.s - v.quoted - begin + 1;
        hsp_csv_copy(&c->text, &v);
        hsp_text_char(&c->text, '\0');
    }
    return c->text.failed ? hsp_fail_memory(err) : 0;
}

void hsp_csv_cells_clear(hsp_csv_cells *c) {
    hsp_text_free(&c->text);
    hsp_free(c->start);
    hsp_free(c->column);
    *c = (hsp_csv_cells){0};
}
