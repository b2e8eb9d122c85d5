/* A header of numbers: pandas names columns 0, 1, 2, ... and such a line looks like a row. It is one of names if the rows
 * below are unlike it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "read/csv.h"

#include <math.h>
#include <string.h>

enum { ROWS_READ = 1000, SURE_COLUMNS = 10, RANGE_COLUMNS = 4, MANY_ROWS = 20 };

/* The cells of a column below the first record. */
typedef struct below {
    int64_t whole, numbers, words; /* whole numbers without a point, all numbers, and the rest */
    double least, greatest;
    bool same; /* the cell of the first record occurs again */
} below;

/* The first record: [an empty cell,] 0, 1, 2, ... [, the usual name of a target]. */
typedef struct numbered {
    int64_t from, to; /* the cells 0, 1, 2, ... */
    int64_t named;    /* the cell with the name of the target; -1: none */
} numbered;

static bool is_whole(const char *s, int64_t n, int64_t *v) {
    return n > 0 && *s != '+' && *s != '-' && hsp_number_parse_int(s, s + n, v) == s + n;
}

static bool find_numbers(const hsp_csv_cells *first, numbered *out) {
    int64_t v, n = first->count;
    *out = (numbered){.named = -1};
    if (n > 0 && *hsp_csv_cells_at(first, 0) == '\0') out->from = 1;
    out->to = out->from;
    while (out->to < n) {
        const char *s = hsp_csv_cells_at(first, out->to);
        if (!is_whole(s, (int64_t)strlen(s), &v) || v != out->to - out->from) break;
        out->to++;
    }
    if (out->to == n - 1 && hsp_csv_usual(hsp_csv_cells_at(first, n - 1)) < HSP_CSV_USUAL) out->named = n - 1;
    return out->to - out->from + (out->named >= 0) >= 2 && (out->to == n || out->named >= 0);
}

static void add_below(below *b, const char *name, const hsp_csv_view *v) {
    int64_t whole;
    double x;
    if (hsp_csv_is_missing(v->s, v->n)) return;
    b->same = b->same || ((int64_t)strlen(name) == v->n && memcmp(name, v->s, (size_t)v->n) == 0);
    if (!hsp_csv_is_number(v->s, v->n, &x)) {
        b->words++;
        return;
    }
    b->whole += is_whole(v->s + (*v->s == '-'), v->n - (*v->s == '-'), &whole);
    if (b->numbers == 0 || x < b->least) b->least = x;
    if (b->numbers++ == 0 || x > b->greatest) b->greatest = x;
}

/* Whether a row is a sequence too, each number 1 above the one before it. */
static bool goes_on(const hsp_csv_view *v, double *last) {
    double x, before = *last;
    if (!hsp_csv_is_number(v->s, v->n, &x)) return false;
    *last = x;
    return before != before || (x >= before + 1 && x <= before + 1);
}

/* Reads the records of the cursor. The number of rows of as many cells as the first record; 0 when one is a sequence. */
static int64_t read_below(const hsp_csv_cells *first, hsp_csv_cursor *k, hsp_csv_marks m, below *b) {
    int64_t rows = 0;
    while (rows < ROWS_READ && hsp_csv_record(k, m, NULL) > 0) {
        const char *p = hsp_csv_first(k->begin, k->stop, m.delimiter);
        if (hsp_csv_count(k->begin, k->stop, m) != first->count) continue;
        bool sequence = true;
        double last = NAN;
        for (int64_t c = 0; p && c < first->count; c++) {
            hsp_csv_view v;
            if (hsp_csv_split(p, k->stop, m, &v) < 0) break;
            add_below(&b[c], hsp_csv_cells_at(first, c), &v);
            sequence = sequence && goes_on(&v, &last);
            p = hsp_csv_after(v.next, k->stop, m.delimiter);
        }
        if (sequence) return 0;
        rows++;
    }
    return rows;
}

/* Whether the rows below are unlike the numbers 0, 1, 2, ... */
static bool are_unlike(const numbered *h, const below *b, int64_t rows) {
    int64_t outside = 0, words = 0, fractions = 0, columns = h->to - h->from;
    bool last = false; /* the last column, which is the target as a rule, has no such value in many rows */
    for (int64_t c = h->from; c < h->to; c++) {
        double v = (double)(c - h->from);
        words += b[c].numbers == 0 && b[c].words > 1;
        fractions += b[c].words == 0 && b[c].whole == 0 && b[c].numbers > 1;
        last = b[c].numbers > 2 && (v < b[c].least || v > b[c].greatest);
        outside += last;
    }
    if (rows == 0) return false;
    if (h->named >= 0) return rows > 2 ? !b[h->named].same : b[h->named].numbers > 0;
    if (rows < 2) return false;
    if (h->from == 1) return b[0].words + b[0].numbers > 0;
    if (words > 0) return true;
    if (columns < RANGE_COLUMNS) return columns > 2 && fractions > 0;
    return fractions > 0 || columns >= SURE_COLUMNS || 2 * outside > columns || (last && rows >= MANY_ROWS);
}

int hsp_csv_numbered_header(const hsp_csv_cells *first, hsp_csv_cursor *rows, hsp_csv_marks m, hsp_error **err) {
    numbered h;
    if (!find_numbers(first, &h)) return 0;
    below *b = hsp_alloc_zero(first->count, sizeof *b);
    if (!b) return hsp_fail_memory(err);
    int64_t count = read_below(first, rows, m, b);
    bool found = are_unlike(&h, b, count);
    hsp_free(b);
    return found;
}
