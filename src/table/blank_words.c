#include "table/blank_words.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/number_form.h"
#include "table/spelling.h"

#include <math.h>

/* The words of one column so far. */
typedef struct blank_column {
    bool any;   /* some are blank words */
    bool other; /* some are not, or a number is a code: the column keeps all of them */
} blank_column;

static bool is_blank(const hsp_block *b, const hsp_word *w) {
    return hsp_blank_word(b->words + w->from, w->length);
}

/* Notes the words of a block. */
static void note_words(const hsp_block *b, blank_column *column) {
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t t = b->word_row[i]; t < b->word_row[i + 1]; t++) {
            const hsp_word *w = &b->word[t];
            blank_column *c = &column[w->column];
            if (c->other) continue;
            if (!isnan(hsp_block_number(b, i, w->column)))
                c->other = hsp_number_is_code(b->words + w->from, w->length);
            else if (is_blank(b, w))
                c->any = true;
            else
                c->other = true;
        }
}

static bool has_number(const hsp_frame *f, int64_t j) {
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++)
            if (!isnan(hsp_block_number(&f->block[k], i, j))) return true;
    return false;
}

/* Removes the blank words of the columns whose words are all blank. */
static void drop_words(hsp_block *b, const blank_column *column) {
    int64_t kept = 0;
    for (int64_t i = 0, t = 0; i < b->rows; i++) {
        int64_t end = b->word_row[i + 1];
        for (; t < end; t++) {
            const hsp_word *w = &b->word[t];
            if (column[w->column].any && is_blank(b, w)) continue;
            b->word[kept++] = *w;
        }
        b->word_row[i + 1] = kept;
    }
    b->word_count = kept;
}

int hsp_blank_words_drop(hsp_frame *f, const hsp_table_rules *r, hsp_error **err) {
    int64_t d = f->schema.d;
    bool any = false;
    blank_column *column = hsp_alloc_zero(d + 1, sizeof *column);
    if (!column) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) column[j].other = r->kind[j] && !r->kind[j]->as_is;
    for (int64_t k = 0; k < f->blocks; k++) note_words(&f->block[k], column);
    for (int64_t j = 0; j < d; j++) {
        column[j].any = column[j].any && !column[j].other && has_number(f, j);
        any = any || column[j].any;
    }
    for (int64_t k = 0; any && k < f->blocks; k++) drop_words(&f->block[k], column);
    hsp_free(column);
    return HSP_OK;
}
