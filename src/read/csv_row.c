/* Rows of a CSV file. A plain record is read where it lies, in one pass: numbers and words with delimiters between them,
 * blanks round them, quotes with nothing special inside. Any other, mistakes included, is read again the long way round. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/block.h"
#include "data/schema.h"
#include "read/chunks.h"
#include "read/csv.h"

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- the table ---- */

int hsp_csv_table_plan(hsp_csv_table *t) {
    const int64_t *role = t->layout.role, columns = t->layout.columns;
    hsp_free(t->step);
    t->steps = 0;
    t->step = hsp_alloc(columns, sizeof *t->step);
    if (!t->step) return HSP_EMEMORY;
    for (int64_t c = 0; c < columns; c++) {
        hsp_csv_step *last = t->steps > 0 ? &t->step[t->steps - 1] : NULL;
        /* a spelling of missing values may look like a number, so every cell is looked at */
        bool spelt = role[c] >= 0 && t->schema.spelt && t->schema.spelt[role[c]];
        bool cell = t->schema.table && role[c] >= 0 && (t->missing || spelt || (t->cell && t->cell[c]));
        if (!cell && last && !last->cell && last->role >= 0 && role[c] == last->role + last->count)
            last->count++;
        else
            t->step[t->steps++] = (hsp_csv_step){c, 1, role[c], cell};
    }
    return 0;
}

int hsp_csv_table_look(hsp_csv_table *t, hsp_csv_cursor *k) {
    const char delimiter = t->schema.delimiter;
    int found = 0;
    t->cell = hsp_alloc_zero(t->layout.columns, sizeof *t->cell);
    if (!t->cell) return HSP_EMEMORY;
    while (hsp_csv_record(k, t->marks, NULL) > 0) {
        const char *p = hsp_csv_first(k->begin, k->stop, delimiter);
        for (int64_t c = 0; p && c < t->layout.columns; c++) {
            hsp_csv_view v;
            double x;
            if (hsp_csv_split(p, k->stop, t->marks, &v) < 0) break;
            if (t->layout.role[c] >= 0 && !hsp_csv_is_number(v.s, v.n, &x)) {
                t->cell[c] = true;
                found = 1;
            }
            p = hsp_csv_after(v.next, k->stop, delimiter);
        }
    }
    return found;
}

/* Whether the n bytes at s are the m at p, in capitals or not; or the same number: -99.0 is -99. */
static bool is_spelling(const char *p, int64_t m, const char *s, int64_t n) {
    double u, v;
    if (m == n && hsp_text_same_letters(p, s, n)) return true;
    return hsp_csv_is_number(p, m, &u) && hsp_csv_is_number(s, n, &v) && u <= v && u >= v;
}

bool hsp_csv_table_missing(const hsp_csv_table *t, const char *s, int64_t n) {
    if (hsp_csv_is_missing(s, n)) return true;
    for (const char *p = t->missing; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (is_spelling(p, (int64_t)strcspn(p, ","), s, n)) return true;
    }
    return false;
}

void hsp_csv_table_clear(hsp_csv_table *t) {
    hsp_schema_clear(&t->schema);
    hsp_csv_layout_clear(&t->layout);
    hsp_csv_cells_clear(&t->first);
    HSP_FREE(t->step, t->cell, t->mapped);
    *t = (hsp_csv_table){0};
}

/* A row takes a byte for each number, and one for each delimiter and the line end; only the last may lack that. One more is
 * for a record that turns out to be none. */
int hsp_csv_begin_rows(const hsp_csv_table *t, hsp_block *block, int64_t bytes) {
    hsp_block_reset(block, true, t->schema.d);
    block->weighted = t->layout.weighted;
    block->table = t->schema.table;
    int64_t numbers = block->table ? 0 : t->schema.d - (t->unused >= 0),
            rows = (bytes + 1) / (numbers + t->layout.columns) + 1;
    if (hsp_reserve((void **)&block->label, &block->capacity.label, rows + 1, sizeof *block->label) ||
        hsp_reserve((void **)&block->line, &block->capacity.line, rows, sizeof *block->line) ||
        hsp_reserve((void **)&block->column, &block->capacity.column, rows, sizeof *block->column))
        return HSP_EMEMORY;
    if (block->weighted && hsp_reserve((void **)&block->weight, &block->capacity.weight, rows, sizeof *block->weight))
        return HSP_EMEMORY;
    if (block->table &&
        hsp_reserve((void **)&block->word_row, &block->capacity.word_row, rows + 1, sizeof *block->word_row))
        return HSP_EMEMORY;
    return hsp_block_reserve(block, rows * t->schema.d, bytes);
}

/* ---- plain records ----
 * The piece ends in a '\n' of nobody, and more bytes may be read after it: no loop asks for the end. */

static inline const char *skip_blanks(const char *p, char delimiter) {
    while (hsp_csv_blank(*p, delimiter)) p++;
    return p;
}

/* To what a cell holds; blanks that delimit belong to the delimiter before it. */
static inline const char *skip_to_cell(const char *p, char delimiter) {
    while (*p == ' ') p++;
    return skip_blanks(p, delimiter);
}

static inline bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* A number, blanks and quotes round it allowed: what follows it, or NULL. */
static __attribute__((noinline)) const char *plain_number(const char *p, char delimiter, double *x) {
    p = skip_to_cell(p, delimiter);
    bool quoted = *p == '"';
    p = hsp_number_parse_padded(p + quoted, x);
    if (!p || !isfinite(*x)) return NULL;
    if (quoted && *p++ != '"') return NULL;
    return skip_blanks(p, delimiter);
}

/* ---- cells of few digits, several at once ---- */

#define EACH_SECOND(x) (UINT64_C(0x0001000100010001) * (x))

/* Four numbers of 16 bits as doubles. */
static inline void store_four(double *x, uint64_t lanes) {
#ifdef __SSE2__
    const __m128i wide = _mm_unpacklo_epi16(_mm_cvtsi64_si128((int64_t)lanes), _mm_setzero_si128());
    _mm_storeu_pd(x, _mm_cvtepi32_pd(wide));
    _mm_storeu_pd(x + 2, _mm_cvtepi32_pd(_mm_shuffle_epi32(wide, 0xee)));
#else
    for (int i = 0; i < 4; i++) x[i] = (double)(int)(lanes >> 16 * i & 0xffff);
#endif
}

/* Cells of one digit from p on, four at a time, while there is room for four: what follows them. *x moves along; after it
 * up to three numbers may be written that mean nothing. `form` is what four such cells of 0 look like. */
static inline const char *one_digit_cells(const char *p, uint64_t form, double **x, const double *end) {
    while (end - *x >= 4) {
        uint64_t lanes = hsp_digits_load(p) ^ form; /* 0 to 9 where a digit is, 0 where a delimiter is */
        uint64_t wrong = ((lanes + EACH_SECOND(0x76)) | lanes) & EACH_SECOND(0xff80);
        store_four(*x, lanes);
        if (wrong != 0) {
            int n = __builtin_ctzll(wrong) >> 4;
            *x += n;
            return p + 2 * n;
        }
        *x += 4;
        p += 8;
    }
    return p;
}

/* A whole number of up to four digits with a delimiter after it: how many digits, or 0 when it is another cell. */
static inline unsigned few_digits(const char *p, char delimiter, double *x) {
    uint64_t lanes = hsp_digits_load(p), stop = hsp_digits_stop(lanes) | UINT64_C(1) << 63;
    unsigned n = (unsigned)__builtin_ctzll(stop) >> 3;
    if (n - 1 > 3 || p[n] != delimiter) return 0;
    uint32_t last = (uint32_t)lanes << (32 - 8 * n), pairs = last * 10 + (last >> 8);
    *x = (double)(int32_t)((pairs & 0x00ff00ff) * (1 + (100 << 16)) >> 16);
    return n;
}

/* Numbers with a delimiter after each, from x up to end: where the cell after them begins, or NULL when one of them is not
 * plain. Kept apart, so that its loop has the registers for itself. */
static __attribute__((noinline)) const char *plain_numbers(const char *p, char delimiter, double *x, const double *end) {
    const uint64_t form = EACH_SECOND((uint64_t)(unsigned char)(delimiter ^ '0') << 8);
    while (x < end) {
        if (p[1] == delimiter) {
            p = one_digit_cells(p, form, &x, end);
            if (x == end) break;
        }
        if (*p == ' ') p = skip_to_cell(p, delimiter);
        if (p[1] != '.' && *p != '-') {
            unsigned n = few_digits(p, delimiter, x);
            if (n > 0) {
                x++;
                p += n + 1;
                continue;
            }
        }
        const char *next = *p == '"' ? NULL : hsp_number_parse_padded(p, x);
        if (!next || *next != delimiter || !isfinite(*x)) {
            next = plain_number(p, delimiter, x);
            if (!next || *next != delimiter) return NULL;
        }
        x++;
        p = next + 1;
    }
    return p;
}

/* The text of a cell: what follows it, or NULL when it is not plain. */
static inline const char *plain_text(const char *p, hsp_csv_marks m, hsp_csv_view *v) {
    const char delimiter = m.delimiter;
    p = skip_to_cell(p, delimiter);
    *v = (hsp_csv_view){.s = p};
    if (*p == m.quote) {
        v->quoted = true;
        v->s = ++p;
        while (*p != '"' && !is_line_end(*p)) p++;
        v->n = p - v->s;
        return *p == '"' ? skip_blanks(p + 1, delimiter) : NULL;
    }
    while (*p != delimiter && !is_line_end(*p)) p++;
    const char *stop = p;
    while (stop > v->s && hsp_csv_blank(stop[-1], delimiter)) stop--;
    v->n = stop - v->s;
    return delimiter == ' ' && v->n == 0 ? NULL : p;
}

static bool is_mapped(const hsp_csv_table *t, const hsp_csv_view *v) {
    for (const char *p = t->mapped; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, v->s, (size_t)v->n) == 0 && p[v->n] == '=') return true;
    }
    return false;
}

static bool is_blank(const hsp_csv_view *v) {
    for (int64_t i = 0; i < v->n; i++)
        if (v->s[i] != ' ' && v->s[i] != '\t') return false;
    return true;
}

/* A label that is spelt like a missing cell is missing, unless it is to be replaced. A model may have such a class. */
static bool lacks_label(const hsp_csv_table *t, const hsp_csv_view *v) {
    return is_blank(v) || (hsp_csv_is_missing(v->s, v->n) && !t->for_model && !is_mapped(t, v));
}

/* A row on its way into the block. */
typedef struct row {
    double *x;
    double weight;
    hsp_csv_view label;               /* s NULL: none */
    hsp_block *block;                 /* where the words of a table go */
    hsp_text *spare;                  /* for cells with "" */
    int64_t word_count, words_length; /* of the block, before the row */
    bool word_met;                    /* a cell that should hold a number and does not */
    bool dropped;                     /* it has no label, and such rows are left out */
} row;

static bool is_letter(char c) {
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* A cell of a table: a number, a word, or missing. What is too large for a number is a word, as 12e45678 may well be one.
 * 0 or HSP_EMEMORY. */
static int take_cell(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, row *r) {
    double x = 0;
    r->x[j] = NAN;
    if (hsp_csv_table_missing(t, v->s, v->n)) return 0;
    /* Most words begin with a letter, and no number does. */
    bool word = (t->schema.spelt && t->schema.spelt[j]) || is_letter(*v->s);
    if (!word && hsp_csv_is_number(v->s, v->n, &x) && isfinite(x)) {
        r->x[j] = x;
        return 0;
    }
    r->block->quoted = r->block->quoted || v->quoted;
    if (!v->doubled) return hsp_block_add_word(r->block, j, v->s, v->n);
    hsp_text_clear(r->spare);
    hsp_csv_copy(r->spare, v);
    return r->spare->failed ? HSP_EMEMORY : hsp_block_add_word(r->block, j, r->spare->s, r->spare->length);
}

/* The cell at p when it is the word of the row before once more, as it often is: what follows it, or NULL. */
static const char *cell_again(const hsp_csv_table *t, const char *p, int64_t j, row *r) {
    int64_t above = r->block->quoted ? -1 : hsp_block_word_above(r->block, j);
    if (above < 0) return NULL;
    const hsp_word *w = &r->block->word[above];
    if (w->length > HSP_CHUNK_PAD || memcmp(p, r->block->words + w->from, w->length) != 0) return NULL;
    const char *next = p + w->length;
    if ((*next != t->marks.delimiter && !is_line_end(*next)) || *p == t->marks.quote || *p == ' ') return NULL;
    r->x[j] = NAN;
    return hsp_block_add_again(r->block, above) ? NULL : next;
}

static const char *plain_cell(const hsp_csv_table *t, const char *p, int64_t j, row *r) {
    hsp_csv_view v;
    const char *again = cell_again(t, p, j, r);
    if (again) return again;
    p = plain_text(p, t->marks, &v);
    return p && take_cell(t, &v, j, r) == 0 ? p : NULL;
}

/* One cell that is no feature: what follows it, or NULL. */
static const char *plain_other(const hsp_csv_table *t, const char *p, int64_t role, row *r) {
    hsp_csv_view v;
    if (role == HSP_CSV_WEIGHT) {
        p = plain_number(p, t->marks.delimiter, &r->weight);
        return p && r->weight >= 0 ? p : NULL;
    }
    p = plain_text(p, t->marks, &v);
    if (role != HSP_CSV_TARGET || !p) return p;
    r->label = v;
    return lacks_label(t, &v) ? NULL : p;
}

/* The record at p: its line end, or NULL when it is not plain. */
static const char *plain_record(const hsp_csv_table *t, const char *p, row *r) {
    const char delimiter = t->schema.delimiter;
    for (int64_t i = 0; i < t->steps; i++) {
        const hsp_csv_step *s = &t->step[i];
        bool last = i == t->steps - 1;
        if (s->cell) {
            p = plain_cell(t, p, s->role, r);
        } else if (s->role >= 0) {
            p = plain_numbers(p, delimiter, r->x + s->role, r->x + s->role + s->count - last);
            if (!last && p) continue;
            if (p) p = plain_number(p, delimiter, r->x + s->role + s->count - 1);
        } else {
            p = plain_other(t, p, s->role, r);
        }
        if (!p) return NULL;
        if (last) break;
        if (*p++ != delimiter) return NULL;
    }
    while (delimiter == ' ' && *p == ' ') p++;
    return is_line_end(*p) ? p : NULL;
}

static inline const char *after_line_end(const char *p, const char *end) {
    if (p == end) return p;
    p++;
    return p[-1] == '\r' && p < end && *p == '\n' ? p + 1 : p;
}

/* ---- the long way round ---- */

/* The cell at p as a number, of a table as anything; *next is what follows it. */
static int read_feature(const hsp_csv_table *t, const hsp_csv_cursor *k, const char *p, int64_t c, row *r,
                        const char **next, hsp_error **err) {
    hsp_csv_view v;
    int64_t j = t->layout.role[c];
    int status = hsp_csv_split(p, k->stop, t->marks, &v);
    *next = v.next;
    if (status == 0 && t->schema.table) {
        return take_cell(t, &v, j, r) ? hsp_fail_memory(err) : 0;
    } else if (status == 0) {
        r->word_met = !hsp_csv_is_number(v.s, v.n, &r->x[j]);
        if (!r->word_met && isfinite(r->x[j])) return 0;
    }
    status = hsp_csv_check_form(t, k, err);
    return status < 0 ? status : hsp_csv_fail_cell(t, k, &v, c, err);
}

/* A cell that is not a feature. */
static int read_other(const hsp_csv_table *t, const hsp_csv_cursor *k, const char *p, int64_t c, row *r, const char **next,
                      hsp_error **err) {
    hsp_csv_view v;
    if (hsp_csv_split(p, k->stop, t->marks, &v) < 0) return hsp_csv_check_form(t, k, err);
    *next = v.next;
    if (t->layout.role[c] == HSP_CSV_WEIGHT) {
        if (hsp_csv_is_number(v.s, v.n, &r->weight) && isfinite(r->weight) && r->weight >= 0) return 0;
        int status = hsp_csv_check_form(t, k, err);
        return status < 0 ? status : hsp_csv_fail_weight(t, k, &v, c, err);
    }
    if (t->layout.role[c] != HSP_CSV_TARGET) return 0;
    r->label = v;
    if (!lacks_label(t, &v) || t->for_model) return 0;
    r->dropped = t->drops;
    if (t->drops) return 0;
    int status = hsp_csv_check_form(t, k, err);
    return status < 0 ? status : hsp_csv_fail_label(t, k, &v, c, err);
}

/* The current record. */
static int read_record(const hsp_csv_table *t, const hsp_csv_cursor *k, row *r, hsp_error **err) {
    const char delimiter = t->schema.delimiter, *end = k->stop, *p = hsp_csv_first(k->begin, end, delimiter), *next = end;
    const int64_t *role = t->layout.role, columns = t->layout.columns;
    int64_t c = 0;
    for (; p && c < columns; c++) {
        int status = role[c] >= 0 ? read_feature(t, k, p, c, r, &next, err) : read_other(t, k, p, c, r, &next, err);
        if (status < 0) return status;
        p = hsp_csv_after(next, end, delimiter);
    }
    return p || c < columns ? hsp_csv_check_form(t, k, err) : 0;
}

/* ---- rows ---- */

/* The next record as a row, without looking for its end first; false when it is not plain, or there is none. */
static bool take_plain(const hsp_csv_table *t, hsp_csv_cursor *k, row *r) {
    while (k->next < k->end && is_line_end(*k->next)) {
        k->next = after_line_end(k->next, k->end);
        k->next_line++;
    }
    if (k->next == k->end) return false;
    const char *stop = plain_record(t, k->next, r);
    if (!stop) return false;
    k->begin = k->next;
    k->stop = stop;
    k->line = k->next_line++;
    k->next = after_line_end(stop, k->end);
    return true;
}

/* Undoes the "" of a label. */
static int spell_label(hsp_csv_view *label, hsp_text *spare, hsp_error **err) {
    hsp_text_clear(spare);
    hsp_csv_copy(spare, label);
    if (spare->failed) return hsp_fail_memory(err);
    label->s = spare->s;
    label->n = spare->length;
    return 0;
}

/* The words of the row that is being read, in the order of the model's columns, which need not be the file's. */
static void order_words(hsp_block *block) {
    for (int64_t a = block->word_row[block->rows] + 1; a < block->word_count; a++) {
        hsp_word w = block->word[a];
        int64_t b = a;
        for (; b > block->word_row[block->rows] && block->word[b - 1].column > w.column; b--)
            block->word[b] = block->word[b - 1];
        block->word[b] = w;
    }
}

/* A new row, or the same once more: its words so far are gone, and what the file has no column for is missing. */
static void begin_row(const hsp_csv_table *t, row *r) {
    r->label = (hsp_csv_view){0};
    r->block->word_count = r->word_count;
    r->block->words_length = r->words_length;
    for (int64_t j = 0; t->layout.absent > 0 && j < t->schema.d; j++)
        if (t->schema.column[j] == 0) r->x[j] = NAN;
}

static int close_row(const hsp_csv_table *t, const hsp_csv_cursor *k, row *r, hsp_block *block, hsp_text *spare,
                     hsp_error **err) {
    int64_t column = r->label.s ? r->label.s - r->label.quoted - k->begin + 1 : 1; /* before it is spelt elsewhere */
    if (r->label.doubled) {
        int status = spell_label(&r->label, spare, err);
        if (status < 0) return status;
    }
    if (t->unused >= 0) r->x[t->unused] = 0;
    if (block->table) order_words(block);
    if (block->weighted) block->weight[block->rows] = r->weight;
    hsp_block_close_row(block, t->schema.d, r->label.s, r->label.n, k->line);
    bool one_line = k->next_line == k->line + 1;
    if (r->label.s && one_line) block->column[block->rows - 1] = column;
    return 0;
}

int hsp_csv_read_rows(const hsp_csv_table *t, hsp_csv_cursor *k, hsp_block *block, hsp_text *spare, hsp_error **err) {
    /* A NUL is wrong wherever it stands: a piece with one is read with care. */
    bool plain = !memchr(k->next, '\0', (size_t)(k->end - k->next));
    for (;;) {
        row r = {.x = block->value + hsp_block_tail(block),
                 .block = block,
                 .spare = spare,
                 .word_count = block->word_count,
                 .words_length = block->words_length};
        begin_row(t, &r);
        if (!plain || !take_plain(t, k, &r)) {
            begin_row(t, &r);
            int status = hsp_csv_record(k, t->marks, err);
            if (status <= 0) return status;
            status = read_record(t, k, &r, err);
            k->word_met = r.word_met;
            if (status < 0) return status;
        }
        if (r.dropped) {
            begin_row(t, &r);
            block->dropped++;
            continue;
        }
        int status = close_row(t, k, &r, block, spare, err);
        if (status < 0) return status;
    }
}
