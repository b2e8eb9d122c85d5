/* Parses the rows of a CSV file. The fast path takes plain records in one pass: numbers and words between delimiters, blanks
 * round them, quotes without special characters inside. Any other record, also a faulty one, takes the slow path. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number_marks.h"
#include "base/number_sign.h"
#include "base/text.h"
#include "data/block.h"
#include "data/number_form.h"
#include "data/schema.h"
#include "read/chunks.h"
#include "read/csv.h"
#include "read/csv_numbers.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

/* ---- the table ---- */

int hsp_csv_table_plan(hsp_csv_table *t) {
    const int64_t *role = t->layout.role, columns = t->layout.columns;
    hsp_free(t->step);
    t->steps = 0;
    t->finds_codes = !t->for_model;
    t->step = hsp_alloc(columns, sizeof *t->step);
    if (!t->step) return HSP_EMEMORY;
    for (int64_t c = 0; c < columns; c++) {
        hsp_csv_step *last = t->steps > 0 ? &t->step[t->steps - 1] : NULL;
        /* with --missing-values every cell is checked, because a spelling may look like a number */
        bool spelt = role[c] >= 0 && t->schema.spelt && t->schema.spelt[role[c]];
        bool named = role[c] >= 0 && hsp_csv_missing_names(&t->missing, role[c]);
        bool cell = t->schema.table && role[c] >= 0 && (named || spelt || (t->cell && t->cell[c]));
        if (!cell && last && !last->cell && last->role >= 0 && role[c] == last->role + last->count)
            last->count++;
        else
            t->step[t->steps++] = (hsp_csv_step){c, 1, role[c], cell};
    }
    return 0;
}

/* A number as this file writes it; j: the feature, whose cells may have a sign ($12), or -1. */
static bool read_number(const hsp_csv_table *t, int64_t j, const char *s, int64_t n, double *x) {
    if (j >= 0 && t->schema.sign && t->schema.sign[j])
        return hsp_number_sign_read(s, n, t->schema.sign[j], t->schema.rules.marks, x);
    return t->marked ? hsp_number_marks_read(s, n, t->schema.rules.marks, x) : hsp_csv_is_number(s, n, x);
}

int hsp_csv_table_find_words(hsp_csv_table *t, hsp_csv_cursor *k) {
    const char delimiter = t->schema.delimiter;
    int found = 0;
    if (!HSP_ALLOC_ZERO(t->cell, t->layout.columns) || !HSP_ALLOC_ZERO(t->kept, t->schema.d + 1)) return HSP_EMEMORY;
    for (int64_t j = 0; j < t->schema.d; j++) t->kept[j] = t->schema.spelt && t->schema.spelt[j];
    while (hsp_csv_record(k, t->marks, NULL) > 0) {
        const char *p = hsp_csv_first(k->begin, k->stop, delimiter);
        for (int64_t c = 0; p && c < t->layout.columns; c++) {
            hsp_csv_view v;
            double x;
            if (hsp_csv_split(p, k->stop, t->marks, &v) < 0) break;
            bool number = read_number(t, -1, v.s, v.n, &x), code = number && !t->for_model && hsp_number_is_code(v.s, v.n);
            if (t->layout.role[c] >= 0 && (!number || code)) {
                t->cell[c] = true;
                t->kept[t->layout.role[c]] |= code || !(hsp_csv_is_missing(v.s, v.n) || hsp_blank_word(v.s, v.n));
                found = 1;
            }
            p = hsp_csv_after(v.next, k->stop, delimiter);
        }
    }
    return found;
}

int hsp_csv_table_keep(hsp_csv_table *t, const bool *kept) {
    for (int64_t c = 0; c < t->layout.columns; c++) {
        int64_t j = t->layout.role[c];
        if (j < 0 || (kept && !kept[j])) continue;
        t->cell[c] = t->kept[j] = true;
    }
    t->schema.table = true;
    return hsp_csv_table_plan(t);
}

static bool is_numeric(const hsp_csv_table *t, int64_t j) {
    return t->schema.numeric && t->schema.numeric[j];
}

bool hsp_csv_table_missing(const hsp_csv_table *t, int64_t j, const char *s, int64_t n) {
    if (hsp_csv_is_missing(s, n) || (is_numeric(t, j) && hsp_blank_word(s, n))) return true;
    return t->missing.count > 0 && hsp_csv_missing_has(&t->missing, j, s, n);
}

void hsp_csv_table_clear(hsp_csv_table *t) {
    hsp_schema_clear(&t->schema);
    hsp_csv_layout_clear(&t->layout);
    hsp_csv_cells_clear(&t->first);
    hsp_csv_missing_clear(&t->missing);
    hsp_text_free(&t->before.note);
    HSP_FREE(t->step, t->cell, t->kept, t->mapped, t->keep.column);
    *t = (hsp_csv_table){0};
}

/* A row takes at least a byte for each number, each delimiter and the line end, which only the last row may lack. One more
 * row is for a record that turns out to be blank. */
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
 * The padding of the piece begins with a '\n', so loops need not check for its end. */

/* Parses the text of a cell. Returns what follows it, or NULL when it is not plain. */
static inline const char *plain_text(const char *p, hsp_csv_marks m, hsp_csv_view *v) {
    const char delimiter = m.delimiter;
    p = hsp_csv_skip_to_cell(p, delimiter);
    *v = (hsp_csv_view){.s = p};
    if (*p == m.quote) {
        v->quoted = true;
        v->s = ++p;
        while (*p != '"' && !hsp_csv_is_line_end(*p)) p++;
        v->n = p - v->s;
        return *p == '"' ? hsp_csv_skip_blanks(p + 1, delimiter) : NULL;
    }
    while (*p != delimiter && !hsp_csv_is_line_end(*p)) p++;
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

bool hsp_csv_lacks_label(const hsp_csv_table *t, const hsp_csv_view *v) {
    return is_blank(v) || (hsp_csv_is_missing(v->s, v->n) && !t->for_model && !is_mapped(t, v));
}

/* A row that is being parsed. */
typedef struct row {
    double *x;
    double weight;
    hsp_csv_view label;               /* s NULL: none */
    hsp_block *block;                 /* borrowed; receives the words of a table */
    hsp_text *spare;                  /* borrowed: scratch for cells with "" */
    int64_t word_count, words_length; /* of the block, before the row */
    int64_t word_column;              /* the feature, from 1, whose cell is not a number, but must be one; 0: none */
    bool dropped;                     /* it has no label, and such rows are dropped */
} row;

static bool is_letter(char c) {
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

/* Whether the spelling of the number x may matter: in a column with words or codes, where it is not the shortest one. */
static bool is_spelling_kept(const hsp_csv_table *t, const hsp_csv_view *v, double x, int64_t j) {
    double plain;
    if ((t->schema.sign && t->schema.sign[j]) || t->for_model || is_numeric(t, j)) return false;
    if (t->marked && !hsp_csv_is_number(v->s, v->n, &plain)) return t->kept[j]; /* 1,5 is a level as spelt, never a code */
    return t->kept[j] ? hsp_number_form_of(v->s, v->n, x) != HSP_FORM_SHORTEST : hsp_number_is_code(v->s, v->n);
}

/* Whether the word or code shows that the spellings of the column should have been kept. */
static bool is_late(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j) {
    return !t->for_model && !t->kept[j] && !is_numeric(t, j) && !hsp_blank_word(v->s, v->n);
}

/* Adds a cell of a table: a number, a word, or missing. A number that overflows is a word: 12e45678 may be a code. 0 or
 * HSP_EMEMORY. */
static int take_cell(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, row *r) {
    double x = 0;
    r->x[j] = NAN;
    if (hsp_csv_table_missing(t, j, v->s, v->n)) return 0;
    /* Numbers do not begin with a letter, unless it is the sign of a currency; most words do. */
    bool word = (t->schema.spelt && t->schema.spelt[j]) || (is_letter(*v->s) && !(t->schema.sign && t->schema.sign[j]));
    if (!word && read_number(t, j, v->s, v->n, &x) && isfinite(x)) {
        r->x[j] = x;
        if (!is_spelling_kept(t, v, x, j)) return 0;
    }
    r->block->met.late = r->block->met.late || is_late(t, v, j);
    r->block->met.quoted = r->block->met.quoted || v->quoted;
    if (!v->doubled) return hsp_block_add_word(r->block, j, v->s, v->n);
    hsp_text_clear(r->spare);
    hsp_csv_copy(r->spare, v);
    return r->spare->failed ? HSP_EMEMORY : hsp_block_add_word(r->block, j, r->spare->s, r->spare->length);
}

int hsp_csv_take_cell(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, double *x, hsp_block *block,
                      hsp_text *spare) {
    row r = {.x = x, .block = block, .spare = spare};
    return take_cell(t, v, j, &r);
}

/* Adds the cell at p if it equals the word above it, as it often does. Returns what follows it, or NULL. */
static const char *repeated_cell(const hsp_csv_table *t, const char *p, int64_t j, row *r) {
    int64_t above = r->block->met.quoted ? -1 : hsp_block_word_above(r->block, j);
    if (above < 0) return NULL;
    const hsp_word *w = &r->block->word[above];
    if (w->length > HSP_CHUNK_PAD || memcmp(p, r->block->words + w->from, w->length) != 0) return NULL;
    const char *next = p + w->length;
    if ((*next != t->marks.delimiter && !hsp_csv_is_line_end(*next)) || *p == t->marks.quote || *p == ' ') return NULL;
    r->x[j] = r->block->value[(r->block->rows - 1) * r->block->d + j];
    return hsp_block_add_again(r->block, above) ? NULL : next;
}

static const char *plain_cell(const hsp_csv_table *t, const char *p, int64_t j, row *r) {
    hsp_csv_view v;
    const char *again = repeated_cell(t, p, j, r);
    if (again) return again;
    p = plain_text(p, t->marks, &v);
    return p && take_cell(t, &v, j, r) == 0 ? p : NULL;
}

/* Parses a cell that is not a feature. Returns what follows it, or NULL. */
static const char *plain_other(const hsp_csv_table *t, const char *p, int64_t role, row *r) {
    hsp_csv_view v;
    if (role == HSP_ROLE_WEIGHT) {
        p = hsp_csv_plain_number(p, t->marks.delimiter, false, &r->weight);
        return p && r->weight >= 0 ? p : NULL;
    }
    p = plain_text(p, t->marks, &v);
    if (role != HSP_ROLE_TARGET || !p) return p;
    r->label = v;
    return hsp_csv_lacks_label(t, &v) ? NULL : p;
}

/* Parses the record at p. Returns its line end, or NULL when it is not plain. */
static const char *plain_record(const hsp_csv_table *t, const char *p, row *r) {
    const char delimiter = t->schema.delimiter;
    for (int64_t i = 0; i < t->steps; i++) {
        const hsp_csv_step *s = &t->step[i];
        bool last = i == t->steps - 1;
        if (s->cell) {
            p = plain_cell(t, p, s->role, r);
        } else if (s->role >= 0) {
            p = hsp_csv_plain_numbers(p, delimiter, t->finds_codes, r->x + s->role, r->x + s->role + s->count - last);
            if (!last && p) continue;
            if (p) p = hsp_csv_plain_number(p, delimiter, t->finds_codes, r->x + s->role + s->count - 1);
        } else {
            p = plain_other(t, p, s->role, r);
        }
        if (!p) return NULL;
        if (last) break;
        if (*p++ != delimiter) return NULL;
    }
    while (delimiter == ' ' && *p == ' ') p++;
    return hsp_csv_is_line_end(*p) ? p : NULL;
}

static inline const char *after_line_end(const char *p, const char *end) {
    if (p == end) return p;
    p++;
    return p[-1] == '\r' && p < end && *p == '\n' ? p + 1 : p;
}

/* ---- the slow path ---- */

/* Parses the cell at p as a number, in a table as any cell; *next is what follows it. */
static int read_feature(const hsp_csv_table *t, const hsp_csv_cursor *k, const char *p, int64_t c, row *r,
                        const char **next, hsp_error **err) {
    hsp_csv_view v;
    int64_t j = t->layout.role[c];
    int status = hsp_csv_split(p, k->stop, t->marks, &v);
    *next = v.next;
    if (status == 0 && t->schema.table) {
        return take_cell(t, &v, j, r) ? hsp_fail_memory(err) : 0;
    } else if (status == 0) {
        bool number = read_number(t, -1, v.s, v.n, &r->x[j]);
        bool word = !number || (t->finds_codes && hsp_number_is_code(v.s, v.n));
        r->word_column = word ? j + 1 : 0;
        if (!word && isfinite(r->x[j])) return 0;
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
    if (t->layout.role[c] == HSP_ROLE_WEIGHT) {
        if (read_number(t, -1, v.s, v.n, &r->weight) && isfinite(r->weight) && r->weight >= 0) return 0;
        int status = hsp_csv_check_form(t, k, err);
        return status < 0 ? status : hsp_csv_fail_weight(t, k, &v, c, err);
    }
    if (t->layout.role[c] != HSP_ROLE_TARGET) return 0;
    r->label = v;
    if (!hsp_csv_lacks_label(t, &v) || t->for_model) return 0;
    r->dropped = t->drops;
    if (t->drops) return 0;
    int status = hsp_csv_check_form(t, k, err);
    return status < 0 ? status : hsp_csv_fail_label(t, k, &v, c, err);
}

/* Parses the current record. */
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

/* Parses the next record without searching for its end first; false when it is not plain, or there is none. */
static bool take_plain(const hsp_csv_table *t, hsp_csv_cursor *k, row *r) {
    while (k->next < k->end && hsp_csv_is_line_end(*k->next)) {
        k->next = after_line_end(k->next, k->end);
        k->next_line++;
    }
    if (k->next == k->end || (t->marks.comment && *k->next == t->marks.comment)) return false;
    const char *stop = plain_record(t, k->next, r);
    if (!stop) return false;
    k->begin = k->next;
    k->stop = stop;
    k->line = k->next_line++;
    k->next = after_line_end(stop, k->end);
    return true;
}

/* Unescapes the "" of a label. */
static int unescape_label(hsp_csv_view *label, hsp_text *spare, hsp_error **err) {
    hsp_text_clear(spare);
    hsp_csv_copy(spare, label);
    if (spare->failed) return hsp_fail_memory(err);
    label->s = spare->s;
    label->n = spare->length;
    return 0;
}

int hsp_csv_spell_target(const hsp_csv_table *t, hsp_csv_view *label, hsp_text *spare, hsp_error **err) {
    const hsp_csv_rules *rules = &t->schema.rules;
    double x;
    bool number = rules->target_sign ? hsp_number_sign_read(label->s, label->n, rules->target_sign, rules->marks, &x)
                                     : hsp_number_marks_read(label->s, label->n, rules->marks, &x);
    if (!number || !isfinite(x)) return 0;
    hsp_text_clear(spare);
    hsp_text_number(spare, x);
    if (spare->failed) return hsp_fail_memory(err);
    label->s = spare->s;
    label->n = spare->length;
    return 0;
}

/* Sorts the words of the current row by the model's columns, whose order may differ from the file's. */
static void sort_words(hsp_block *block) {
    for (int64_t a = block->word_row[block->rows] + 1; a < block->word_count; a++) {
        hsp_word w = block->word[a];
        int64_t b = a;
        for (; b > block->word_row[block->rows] && block->word[b - 1].column > w.column; b--)
            block->word[b] = block->word[b - 1];
        block->word[b] = w;
    }
}

/* Starts a row, or starts it again: drops its words so far, and sets features without a column to missing. */
static void begin_row(const hsp_csv_table *t, row *r) {
    r->label = (hsp_csv_view){0};
    r->block->word_count = r->word_count;
    r->block->words_length = r->words_length;
    for (int64_t j = 0; t->layout.absent > 0 && j < t->schema.d; j++)
        if (t->schema.column[j] == 0) r->x[j] = NAN;
}

static int close_row(const hsp_csv_table *t, const hsp_csv_cursor *k, row *r, hsp_block *block, hsp_text *spare,
                     hsp_error **err) {
    int64_t column = r->label.s ? r->label.s - r->label.quoted - k->begin + 1 : 1; /* before it is copied */
    if (r->label.doubled) {
        int status = unescape_label(&r->label, spare, err);
        if (status < 0) return status;
    }
    bool spelt = (t->marked && t->schema.rules.numeric_target) || t->schema.rules.target_sign;
    if (spelt && r->label.s) {
        int status = hsp_csv_spell_target(t, &r->label, spare, err);
        if (status < 0) return status;
    }
    if (t->unused >= 0) r->x[t->unused] = 0;
    if (block->table) sort_words(block);
    if (block->weighted) block->weight[block->rows] = r->weight;
    hsp_block_close_row(block, t->schema.d, r->label.s, r->label.n, k->line);
    bool one_line = k->next_line == k->line + 1;
    if (t->marks.translated)
        block->column[block->rows - 1] = 0;
    else if (r->label.s && one_line)
        block->column[block->rows - 1] = column;
    return 0;
}

int hsp_csv_read_rows(const hsp_csv_table *t, hsp_csv_cursor *k, hsp_block *block, hsp_text *spare, hsp_error **err) {
    /* The fast path does not check for NULs: a piece with one takes the slow path. */
    bool plain = !t->marked && !memchr(k->next, '\0', (size_t)(k->end - k->next));
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
            k->word_column = r.word_column;
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
