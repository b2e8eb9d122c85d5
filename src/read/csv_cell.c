/* Cells by RFC 4180; blanks round a cell are allowed, and a quote inside an unquoted cell is a plain character. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "read/csv.h"

#include <string.h>

int hsp_csv_split(const char *p, const char *end, hsp_csv_marks m, hsp_csv_view *v) {
    while (p < end && hsp_csv_blank(*p, m.delimiter)) p++;
    *v = (hsp_csv_view){.s = p};
    const char *q = p;
    if (p < end && *p == m.quote) {
        v->quoted = true;
        v->s = ++q;
        while ((q = memchr(q, '"', (size_t)(end - q))) && q + 1 < end && q[1] == '"') {
            v->doubled = true;
            q += 2;
        }
        if (!q) q = end; /* cannot be in a whole record */
        v->n = q - v->s;
        q += q < end;
        while (q < end && hsp_csv_blank(*q, m.delimiter)) q++;
        v->next = q;
        return q == end || *q == m.delimiter ? 0 : -1;
    }
    while (q < end && *q != m.delimiter) q++;
    v->next = q;
    while (q > p && hsp_csv_blank(q[-1], m.delimiter)) q--;
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

/* The next quote from p on that opens a cell, that is, at its start; NULL: none before `end`. start: a cell begins at p. */
static const char *find_opening(const char *p, const char *end, bool start, hsp_csv_marks m) {
    const char *q;
    for (; p < end && (q = memchr(p, m.quote, (size_t)(end - p))); p = q + 1, start = false) {
        const char *b = q;
        while (b > p && hsp_csv_blank(b[-1], m.delimiter)) b--;
        if (b == p ? start : b[-1] == m.delimiter || b[-1] == '\n' || b[-1] == '\r') return q;
    }
    return NULL;
}

/* The quote that closes the cell opened before p, or NULL. */
static const char *find_closing(const char *p, const char *end) {
    while (p < end && (p = memchr(p, '"', (size_t)(end - p)))) {
        if (p + 1 == end || p[1] != '"') return p;
        p += 2;
    }
    return NULL;
}

/* The end of the last line end between p and end; NULL: none. */
static const char *after_last_line(const char *p, const char *end) {
    if (end - p <= 16) { /* most are short: the text between two quoted cells */
        while (p < end && end[-1] != '\n' && end[-1] != '\r') end--;
        return p < end ? end : NULL;
    }
    const char *lf = memrchr(p, '\n', (size_t)(end - p));
    const char *from = lf ? lf + 1 : p, *cr = from < end ? memrchr(from, '\r', (size_t)(end - from)) : NULL;
    return cr ? cr + 1 : lf ? lf + 1 : NULL;
}

const char *hsp_csv_ends(const char *p, const char *end, bool over, void *marks) {
    if (over) return end;
    const hsp_csv_marks m = *(const hsp_csv_marks *)marks;
    const char *last = NULL, *quote, *line;
    for (bool start = true; (quote = find_opening(p, end, start, m)); start = false) {
        if ((line = after_last_line(p, quote))) last = line;
        if (m.comment && (line || start) && *(line ? line : p) == m.comment) {
            p = quote; /* quotes in a comment mean nothing */
            while (p < end && *p != '\n' && *p != '\r') p++;
            continue;
        }
        const char *close = find_closing(quote + 1, end);
        if (!close || close + 1 == end) return last; /* it may be the first half of "" */
        p = close + 1;
    }
    if (p < end && end[-1] == '\r') end--; /* may be half of a CRLF */
    line = after_last_line(p, end);
    return line ? line : last;
}

/* Adds the line at `next` to the current record. */
static void add_line(hsp_csv_cursor *k) {
    if (!k->lf || k->lf < k->next) {
        k->lf = memchr(k->next, '\n', (size_t)(k->end - k->next));
        if (!k->lf) k->lf = k->end;
    }
    const char *cr = memchr(k->next, '\r', (size_t)(k->lf - k->next));
    k->stop = cr ? cr : k->lf;
    k->next = k->stop + (k->stop < k->end);
    if (cr && k->next == k->lf && k->lf < k->end) k->next++;
    k->next_line++;
}

static bool is_blank(const hsp_csv_cursor *k, char delimiter) {
    const char *p = k->begin;
    while (p < k->stop && (*p == ' ' || hsp_csv_blank(*p, delimiter))) p++;
    return p == k->stop;
}

static int check_nul(const hsp_csv_cursor *k, const char *end, hsp_error **err) {
    const char *nul = memchr(k->begin, '\0', (size_t)(end - k->begin));
    return nul ? hsp_fail_binary(err, hsp_csv_place(k, nul)) : 1;
}

int hsp_csv_record(hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err) {
    k->translated = m.translated;
    do {
        if (k->next == k->end) return 0;
        k->begin = k->next;
        k->line = k->next_line;
        add_line(k);
    } while (is_blank(k, m.delimiter) || (m.comment && *k->begin == m.comment));
    const char *p = k->begin, *quote;
    for (bool start = true; (quote = find_opening(p, k->stop, start, m)); start = false) {
        const char *close = find_closing(quote + 1, k->end);
        if (!close) {
            int status = check_nul(k, k->end, err);
            if (status < 0) return status;
            return hsp_fail_at(err, HSP_EINPUT, hsp_csv_place(k, quote),
                               "unclosed quote: close it, or write \"\" for a quote in a cell");
        }
        while (k->stop <= close) add_line(k);
        if (m.translated) k->next_line = k->line + 1;
        p = close + 1;
    }
    return check_nul(k, k->stop, err);
}

int hsp_csv_check_quotes(const hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err) {
    const char *end = k->stop, *p = hsp_csv_first(k->begin, end, m.delimiter);
    while (p) {
        hsp_csv_view v;
        if (hsp_csv_split(p, end, m, &v) < 0)
            return hsp_fail_at(err, HSP_EINPUT, hsp_csv_place(k, v.next),
                               "text after the closing quote: write \"\" for a quote inside a quoted cell");
        p = hsp_csv_after(v.next, end, m.delimiter);
    }
    return 0;
}

/* The cell after the one at p, even if that is faulty; NULL: it was the last. */
static const char *skip_cell(const char *p, const char *end, hsp_csv_marks m) {
    hsp_csv_view v;
    if (hsp_csv_split(p, end, m, &v) != 0)
        while (v.next < end && *v.next != m.delimiter) v.next++;
    return hsp_csv_after(v.next, end, m.delimiter);
}

int64_t hsp_csv_count(const char *p, const char *end, hsp_csv_marks m) {
    int64_t count = 0;
    for (p = hsp_csv_first(p, end, m.delimiter); p; p = skip_cell(p, end, m)) count++;
    return count;
}

const char *hsp_csv_nth(const char *p, const char *end, hsp_csv_marks m, int64_t n) {
    for (p = hsp_csv_first(p, end, m.delimiter); p && n > 0; n--) p = skip_cell(p, end, m);
    return p ? p : end;
}

/* ---- content of cells ---- */

bool hsp_csv_is_missing(const char *s, int64_t n) {
    if (n == 0) return true;
    if (n == 1 || n > 4 || (*s | 0x20) != 'n') return n == 1 && *s == '?'; /* most cells */
    return n == 2   ? hsp_text_same_letters(s, "na", 2)
           : n == 3 ? hsp_text_same_letters(s, "n/a", 3) || hsp_text_same_letters(s, "nan", 3)
                    : hsp_text_same_letters(s, "null", 4);
}

bool hsp_csv_is_number(const char *s, int64_t n, double *v) {
    const char *end = s + n;
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return hsp_number_parse(s, end, v) == end && s < end;
}

/* ---- copies of records ---- */

int hsp_csv_cells_read(hsp_csv_cells *c, const hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err) {
    int status = hsp_csv_check_quotes(k, m, err);
    if (status < 0) return status;
    hsp_text_clear(&c->text);
    c->count = 0;
    c->line = m.translated ? 0 : k->line;
    const char *begin = k->begin, *end = k->stop;
    hsp_csv_view v;
    for (const char *p = hsp_csv_first(begin, end, m.delimiter); p; p = hsp_csv_after(v.next, end, m.delimiter)) {
        hsp_csv_split(p, end, m, &v);
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
    HSP_FREE(c->start, c->column);
    *c = (hsp_csv_cells){0};
}
