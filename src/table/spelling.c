#include "table/spelling.h"

#include "base/error.h"
#include "data/block.h"
#include "data/data.h"
#include "data/number_form.h"
#include "option/column_list.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the text is a code that only looks like a number: leading zeros, or more digits than a double has. Models up to
 * format 4 depend on this rule. */
static bool is_code(const char *s, int64_t n) {
    if (n > 1 && s[0] == '0' && is_digit(s[1])) return true;
    for (int64_t i = 0; i < n; i++)
        if (!is_digit(s[i])) return false;
    return n > HSP_EXACT_DIGITS;
}

const char *hsp_spell(const char *s, int64_t *n, hsp_text *spare) {
    hsp_label_trim(&s, n);
    int64_t length = *n;
    if (length == 0 || !((*s >= '0' && *s <= '9') || *s == '+' || *s == '-' || *s == '.') || is_code(s, length)) return s;
    hsp_text_clear(spare);
    char *out = hsp_text_room(spare, (length > 32 ? length : 32) + 1);
    if (!out) return NULL;
    *n = hsp_label_canonical(s, length, out);
    return out;
}

bool hsp_blank_word(const char *s, int64_t n) {
    static const char *const words[] = {"none", "#n/a", "<na>", "-", "--", ".", "nil", "missing", "-nan", "1.#qnan"};
    hsp_label_trim(&s, &n);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if ((int64_t)strlen(words[k]) == n && hsp_text_same_letters(words[k], s, n)) return true;
    return false;
}

bool hsp_spelt_utf8(const char *s, int64_t n) {
    for (int64_t i = 0; i < n;) {
        int length = s[i] ? hsp_text_utf8(s + i, n - i) : 0;
        if (length == 0) return false;
        i += length;
    }
    return true;
}

int hsp_spelt_truth(const char *s, int64_t n, int *pair) {
    static const char *const words[][2] = {{"false", "true"}, {"no", "yes"}, {"f", "t"}, {"n", "y"}};
    for (int k = 0; k < 4; k++)
        for (int truth = 0; truth < 2; truth++) {
            const char *word = words[k][truth];
            if ((int64_t)strlen(word) != n || !hsp_text_same_letters(word, s, n)) continue;
            if (pair) *pair = k;
            return truth;
        }
    return -1;
}

const char *hsp_show_cell(char buf[HSP_EXCERPT], hsp_cell cell) {
    if (cell.text) return hsp_excerpt(buf, cell.text, cell.length);
    hsp_format_number(cell.number, buf);
    return buf;
}

/* Whether the n bytes are printed whole and unchanged in a message. */
static bool is_printed_whole(const char *s, int64_t n) {
    if (n == 0 || n >= HSP_EXCERPT) return false;
    int length = 1;
    for (int64_t i = 0; i < n && length > 0; i += length) length = hsp_text_printable(s + i, n - i);
    return length > 0;
}

bool hsp_can_type(const char *s, int64_t n) {
    return is_printed_whole(s, n) && s[0] != ' ' && s[n - 1] != ' ' && !memchr(s, ',', (size_t)n) &&
           !memchr(s, '\'', (size_t)n);
}

void hsp_type_column(hsp_text *t, const hsp_schema *s, int64_t j) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-+:@%/";
    const char *name = s->name ? s->name[j] : NULL;
    int64_t n = name ? (int64_t)strlen(name) : 0;
    if (!is_printed_whole(name, n) || memchr(name, '\'', (size_t)n)) {
        hsp_text_int(t, s->column ? s->column[j] : j + 1);
        return;
    }
    bool quote = name[strspn(name, plain)] != '\0';
    hsp_text_add(t, quote ? "'" : "");
    hsp_column_list_quote(t, name, n);
    hsp_text_add(t, quote ? "'" : "");
}

typedef struct first_search {
    int64_t j;
    bool (*test)(hsp_cell cell, const void *ctx);
    const void *ctx;
    hsp_text *keep; /* for the text of the cell; NULL: it stays where it is */
    hsp_cell *out;
    const char *file;
    int64_t line; /* 0: none yet */
} first_search;

static int search_rows(void *ctx, const hsp_frame *f, hsp_error **err) {
    first_search *s = ctx;
    for (int64_t k = 0; k < f->blocks; k++) {
        const hsp_block *b = &f->block[k];
        for (int64_t i = 0; i < b->rows; i++) {
            hsp_cells cells = hsp_block_cells(b, i);
            hsp_cell cell = hsp_cells_at(&cells, s->j);
            if (hsp_cell_missing(cell) || !s->test(cell, s->ctx)) continue;
            if (s->keep && cell.text) {
                hsp_text_clear(s->keep);
                hsp_text_add_n(s->keep, cell.text, cell.length);
                if (s->keep->failed) return hsp_fail_memory(err);
                cell.text = s->keep->s;
            }
            *s->out = cell;
            s->file = f->file;
            s->line = b->line_base + b->line[i];
            return 1;
        }
    }
    return 0;
}

int64_t hsp_frame_first(const hsp_frame *f, int64_t j, bool (*test)(hsp_cell cell, const void *ctx), const void *ctx,
                        hsp_cell *out, const char **file) {
    first_search s = {.j = j, .test = test, .ctx = ctx, .keep = f->rows ? f->rows->cell : NULL, .out = out};
    hsp_frame_each(f, search_rows, &s, NULL); /* what cannot be read again is not found */
    *file = s.file;
    return s.line;
}
