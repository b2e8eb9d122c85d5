#include "table/choose_kind.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/number_marks.h"
#include "base/number_sign.h"
#include "data/block.h"
#include "table/code_column.h"
#include "table/date.h"
#include "table/missing_words.h"
#include "table/odd_cell.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { FEW_NUMBERS = 10 }; /* up to this many distinct numbers may be levels, beside words */

void hsp_note_column(const hsp_column_cells *c, hsp_text *note) {
    char name[HSP_EXCERPT];
    if (note->length > 0) hsp_text_char(note, '\n');
    hsp_text_format(note, "column '%s' ", hsp_excerpt(name, c->name, (int64_t)strlen(c->name)));
}

void hsp_note_remedy(const hsp_column_cells *c, hsp_text *note, const char *before, const char *after) {
    hsp_text_add(note, before);
    hsp_type_column(note, &c->f->schema, c->j);
    hsp_text_add(note, after);
}

static bool is_not_date(hsp_cell cell, const void *unused) {
    (void)unused;
    int64_t n;
    const char *s = hsp_cell_word(cell, &n);
    return !s || !hsp_date_orders(s, n, NULL);
}

static bool is_odd_word(hsp_cell cell, const void *unused) {
    return hsp_cell_is_word(cell, unused) && !hsp_blank_word(cell.text, cell.length);
}

/* Reports the first odd cell of a column whose `others` hold `what`. */
static int fail_mixed(const hsp_column_cells *c, bool (*odd)(hsp_cell cell, const void *ctx), int64_t others,
                      const char *what, hsp_error **err) {
    hsp_odd_cell first;
    hsp_text remedy = {0};
    hsp_odd_cell_find(c, odd, NULL, &first);
    if (!first.cell.text || hsp_can_type(first.cell.text, first.cell.length))
        hsp_text_format(&remedy, "use --missing-values '%s' to count it as missing, ", first.held);
    hsp_note_remedy(c, &remedy, "--categorical ", " to encode all values as levels");
    hsp_note_remedy(c, &remedy, ", or --ignore ", " to ignore the column");
    int status = remedy.failed ? hsp_fail_memory(err)
                               : hsp_fail_at(err, HSP_EINPUT, first.where,
                                             "column '%s' holds '%s', but %lld other cells hold %s: correct it, %s",
                                             first.column, first.held, (long long)others, what, remedy.s);
    hsp_text_free(&remedy);
    return status;
}

/* ---- words that should be numbers ---- */

static bool is_infinite(const char *word) {
    word += *word == '-' || *word == '+';
    size_t n = strlen(word);
    return (n == 3 && hsp_text_same_letters(word, "inf", 3)) || (n == 8 && hsp_text_same_letters(word, "infinity", 8));
}

/* The marks with which all words that need any are numbers (hsp_number_marks_suit); 0: there are none. */
static unsigned common_marks(const hsp_profile *p) {
    unsigned set = ~0U;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        unsigned own = hsp_number_marks_suit(word, (int64_t)strlen(word));
        if (own) set &= own;
    }
    return set == ~0U ? 0 : set;
}

static bool is_too_large(const char *word) {
    double v;
    const char *end = word + strlen(word);
    return word < end && hsp_number_parse(word, end, &v) == end && !isfinite(v);
}

/* Whether all words are infinite, too large, or have a decimal comma or separators of thousands; some may be amounts ($5). */
static bool all_broken_numbers(const hsp_profile *p) {
    bool broken = false;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        int64_t n = (int64_t)strlen(word);
        double v;
        int sign = hsp_number_sign_find(word, n);
        if (is_infinite(word) || hsp_number_marks_suit(word, n) || is_too_large(word))
            broken = true;
        else if (!sign || !hsp_number_sign_read(word, n, sign, (hsp_number_marks){0}, &v))
            return false;
    }
    return broken;
}

/* Whether all words are numbers as they stand, and words only because the file is read with a decimal comma. */
static bool all_plain_numbers(const hsp_profile *p) {
    int64_t levels = hsp_profile_levels(p);
    for (int64_t k = 0; k < levels; k++) {
        const char *word = hsp_intern_text(p->dictionary, k), *end = word + strlen(word);
        double v;
        if (word == end || hsp_number_parse(word, end, &v) != end || !isfinite(v)) return false;
    }
    return levels > 0;
}

static int fail_plain(const hsp_column_cells *c, hsp_error **err) {
    hsp_odd_cell first;
    hsp_text remedy = {0};
    hsp_odd_cell_find(c, hsp_cell_is_word, NULL, &first);
    hsp_note_remedy(c, &remedy, ", or --categorical ", " to encode its values as levels");
    int status = remedy.failed ? hsp_fail_memory(err)
                               : hsp_fail_at(err, HSP_EINPUT, first.where,
                                             "column '%s' holds '%s', but numbers are read with a decimal comma: use "
                                             "--decimal .%s",
                                             first.column, first.held, remedy.s);
    hsp_text_free(&remedy);
    return status;
}

/* Why a word is not a number; adds a remedy if the column may be categorical. */
static const char *explain_word(const hsp_column_cells *c, hsp_cell cell, hsp_text *remedy) {
    char last = cell.text[cell.length - 1];
    if (hsp_number_marks_suit(cell.text, cell.length)) {
        const char *options = hsp_number_marks_options(common_marks(c->p));
        if (!options) return ": write all numbers with a decimal point, and without separators of thousands";
        hsp_text_format(remedy, ": use %s to read it as a number", options);
        bool blank = memchr(cell.text, ' ', (size_t)cell.length) || memchr(cell.text, '_', (size_t)cell.length);
        if (blank) hsp_note_remedy(c, remedy, ", or --categorical ", " if it is a code");
        return "";
    }
    if (last < '0' || last > '9') return ", which is not finite: give a number, leave the cell empty, or remove the row";
    hsp_note_remedy(c, remedy, ", or use --categorical ", " to encode its values as levels");
    return ", too large for a double: scale the column down";
}

/* Whether a word is not a number, not even an amount ($5). */
static bool is_broken_cell(hsp_cell cell, const void *unused) {
    double v;
    if (!hsp_cell_is_word(cell, unused)) return false;
    int sign = hsp_number_sign_find(cell.text, cell.length);
    return !sign || !hsp_number_sign_read(cell.text, cell.length, sign, (hsp_number_marks){0}, &v);
}

static int fail_broken(const hsp_column_cells *c, hsp_error **err) {
    hsp_odd_cell first;
    hsp_text remedy = {0};
    hsp_odd_cell_find(c, is_broken_cell, NULL, &first);
    const char *why = explain_word(c, first.cell, &remedy);
    int status = remedy.failed ? hsp_fail_memory(err)
                               : hsp_fail_at(err, HSP_EINPUT, first.where, "column '%s' holds '%s'%s%s", first.column,
                                             first.held, why, remedy.s ? remedy.s : "");
    hsp_text_free(&remedy);
    return status;
}

/* Whether the column has both words of one pair (yes, no), and nothing else except 0 and 1. */
static bool is_boolean(const hsp_profile *p) {
    bool met[2] = {false, false};
    int pair = -1;
    if (p->numbers > 0 && p->distinct > 2) return false;
    for (int64_t k = 0; p->numbers > 0 && k < p->distinct; k++)
        if (p->number[k] != 0 && p->number[k] != 1) return false;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        int of = 0, truth = hsp_spelt_truth(word, (int64_t)strlen(word), &of);
        if (truth < 0 || (pair >= 0 && of != pair)) return false;
        pair = of;
        met[truth] = true;
    }
    return met[0] && met[1];
}

/* Whether all words are amounts, which are not numbers because their signs differ ($5, or 5% beside 0.05). */
static bool all_amounts(const hsp_profile *p) {
    int64_t levels = hsp_profile_levels(p);
    for (int64_t k = 0; k < levels; k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        int64_t n = (int64_t)strlen(word);
        double v;
        int sign = hsp_number_sign_find(word, n);
        if (!sign || sign == HSP_SIGN_PARENTHESES || !hsp_number_sign_read(word, n, sign, (hsp_number_marks){0}, &v))
            return false;
    }
    return levels > 0;
}

static void note_amounts(const hsp_column_cells *c, hsp_text *note) {
    if (!all_amounts(c->p)) return;
    hsp_note_column(c, note);
    hsp_text_add(note, "has amounts with different signs, or only some in percent, and is encoded as levels");
    hsp_note_remedy(c, note, ": write them with one sign, or confirm with --categorical ", "");
}

/* A column of words. */
static const hsp_kind *choose_words(const hsp_column_cells *c, hsp_text *note) {
    const hsp_profile *p = c->p;
    int64_t levels = hsp_profile_levels(p);
    if (p->numbers == 0 && levels == p->words && p->words >= HSP_LIKE_ID && 2 * p->words > p->cells) {
        hsp_note_column(c, note);
        hsp_text_format(note, "is ignored, as its %lld values are all distinct, like an id", (long long)levels);
        hsp_note_remedy(c, note, ": confirm with --ignore ", "");
        hsp_note_remedy(c, note, ", or encode it with --categorical ", "");
        hsp_note_remedy(c, note, " or --text ", "");
        return &hsp_kind_ignored;
    }
    note_amounts(c, note);
    return &hsp_kind_categorical;
}

void hsp_note_levels(const hsp_column_cells *c, int64_t levels, hsp_text *note) {
    int64_t rows = c->p->words + c->p->numbers;
    if (rows < HSP_LIKE_ID || 2 * levels <= rows) return;
    hsp_note_column(c, note);
    hsp_text_format(note, "has %lld levels in %lld rows", (long long)levels, (long long)rows);
    hsp_note_remedy(c, note, ": encode its words with --text ", ", pool rare levels with --min-count N");
    hsp_note_remedy(c, note, ", or --ignore ", "");
}

/* Whether the cell's word occurs once, in a column of words that are repeated. */
static bool is_unique_word(hsp_cell cell, const hsp_profile *p) {
    int64_t n;
    const char *s = hsp_cell_word(cell, &n);
    if (!s || !p->dictionary || p->numbers > 0 || 2 * hsp_profile_levels(p) > p->words) return false;
    int64_t k = hsp_intern_find(p->dictionary, s, n);
    return k >= 0 && p->count[k] == 1;
}

/* The first row of a table, as far as the note on it needs it. */
typedef struct first_row {
    const hsp_profile *p;
    bool begun;
    bool names;           /* it looks like column names */
    bool texts;           /* all columns are text, so that the label decides */
    hsp_text label;       /* owned; ... */
    bool label_is_unique; /* ... no other row has it */
} first_row;

static int take_first_row(first_row *r, const hsp_frame *f, hsp_error **err) {
    const hsp_block *b = &f->block[0];
    hsp_cells cells = hsp_block_cells(b, 0);
    int64_t texts = 0;
    r->begun = true;
    r->names = b->line_base + b->line[0] == 1;
    for (int64_t j = 0; r->names && j < b->d; j++) {
        hsp_cell cell = hsp_cells_at(&cells, j);
        bool text = cell.text && !r->p[j].dictionary;
        r->names = text || is_unique_word(cell, &r->p[j]);
        texts += text;
    }
    r->texts = texts == b->d;
    r->label_is_unique = b->labelled && b->label[1] > b->label[0];
    if (b->labelled) hsp_text_add_n(&r->label, b->text + b->label[0], b->label[1] - b->label[0]);
    return r->label.failed ? hsp_fail_memory(err) : HSP_OK;
}

static int check_first_row(void *ctx, const hsp_frame *f, hsp_error **err) {
    first_row *r = ctx;
    bool begins = !r->begun;
    int status = begins ? take_first_row(r, f, err) : HSP_OK;
    if (status) return status;
    if (!r->names || !r->texts) return 1;
    for (int64_t k = 0; r->label_is_unique && k < f->blocks; k++) {
        const hsp_block *b = &f->block[k];
        for (int64_t i = begins && k == 0; i < b->rows; i++)
            if (b->label[i + 1] - b->label[i] == r->label.length &&
                memcmp(b->text + b->label[i], r->label.s, (size_t)r->label.length) == 0)
                r->label_is_unique = false;
    }
    return !r->label_is_unique;
}

/* The words of text columns are not collected: if all columns are text, the label decides. */
int hsp_note_header(const hsp_frame *f, const hsp_profile *p, hsp_text *note, hsp_error **err) {
    first_row r = {.p = p};
    if (f->schema.header || f->n < HSP_LIKE_ID) return HSP_OK;
    int status = hsp_frame_each(f, check_first_row, &r, err);
    hsp_text_free(&r.label);
    if (status || !r.names || (r.texts && !r.label_is_unique)) return status;
    if (note->length > 0) hsp_text_char(note, '\n');
    hsp_text_add(note, "the first line looks like column names: use --header yes if it is");
    return HSP_OK;
}

/* Some gaps are allowed, so that a subset of the rows is recognised, too; sorted times, for instance, have more. */
static const hsp_kind *choose_numbers(const hsp_column_cells *c, hsp_text *note) {
    const hsp_profile *p = c->p;
    bool dense = p->greatest - p->least < 2 * (double)p->numbers;
    if (p->whole && p->ascending && dense && p->numbers >= HSP_LIKE_ID && p->missing == 0) {
        hsp_note_column(c, note);
        hsp_note_remedy(c, note, "numbers the rows, like an id: ignore it with --ignore ", "");
    }
    hsp_note_rounded(c, note);
    return &hsp_kind_numeric;
}

int hsp_choose_kind(const hsp_column_cells *c, hsp_text *note, const hsp_kind **out, hsp_error **err) {
    const hsp_profile *p = c->p;
    *out = &hsp_kind_ignored;
    if (p->missing == p->cells) {
        hsp_note_column(c, note);
        hsp_text_add(note, "is ignored: all its values are missing");
        return HSP_OK;
    }
    if (p->words == 0 && hsp_is_code_column(p)) return hsp_choose_codes(c, note, out, err);
    if (p->words == 0)
        *out = choose_numbers(c, note);
    else if (is_boolean(p))
        *out = &hsp_kind_boolean;
    else if (p->numbers == 0 && p->dates == p->words)
        *out = &hsp_kind_date;
    else if (c->f->schema.rules.marks.decimal == ',' && all_plain_numbers(p))
        return fail_plain(c, err);
    else if (all_broken_numbers(p))
        return fail_broken(c, err);
    else if (hsp_is_code_column(p))
        *out = choose_words(c, note);
    else if (p->numbers > 9 * (p->words - p->blanks) && p->distinct > FEW_NUMBERS)
        return fail_mixed(c, is_odd_word, p->numbers, "numbers", err);
    else if (hsp_has_missing_words(p))
        return hsp_fail_missing_words(c, err);
    else if (p->dates > 9 * (p->words - p->dates + p->numbers) && hsp_profile_levels(p) > FEW_NUMBERS)
        return fail_mixed(c, is_not_date, p->dates, "dates", err);
    else
        *out = choose_words(c, note);
    return HSP_OK;
}
