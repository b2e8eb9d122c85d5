#include "table/blank_words.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/number_form.h"
#include "table/spelling.h"

#include <math.h>

static bool is_blank(const hsp_block *b, const hsp_word *w) {
    return hsp_blank_word(b->words + w->from, w->length);
}

void hsp_blank_columns_begin(const hsp_table_rules *r, int64_t d, hsp_blank_column *column) {
    for (int64_t j = 0; j < d; j++) column[j].other = r->kind[j] && !r->kind[j]->as_is;
}

static void note_words(const hsp_block *b, hsp_blank_column *column) {
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t t = b->word_row[i]; t < b->word_row[i + 1]; t++) {
            const hsp_word *w = &b->word[t];
            hsp_blank_column *c = &column[w->column];
            if (c->other) continue;
            if (!isnan(hsp_block_number(b, i, w->column)))
                c->other = hsp_number_is_code(b->words + w->from, w->length);
            else if (is_blank(b, w))
                c->any = true;
            else
                c->other = true;
        }
}

static bool has_number(const hsp_block *b, int64_t j) {
    for (int64_t i = 0; i < b->rows; i++)
        if (!isnan(hsp_block_number(b, i, j))) return true;
    return false;
}

void hsp_blank_columns_note(const hsp_block *b, hsp_blank_column *column) {
    note_words(b, column);
    for (int64_t j = 0; j < b->d; j++)
        if (!column[j].number && !column[j].other) column[j].number = has_number(b, j);
}

void hsp_blank_words_remove(hsp_block *b, const hsp_blank_column *column) {
    int64_t kept = 0;
    for (int64_t i = 0, t = 0; i < b->rows; i++) {
        int64_t end = b->word_row[i + 1];
        for (; t < end; t++) {
            const hsp_word *w = &b->word[t];
            if (hsp_blank_column_is(&column[w->column]) && is_blank(b, w)) continue;
            b->word[kept++] = *w;
        }
        b->word_row[i + 1] = kept;
    }
    b->word_count = kept;
}

int hsp_blank_words_drop(hsp_frame *f, const hsp_table_rules *r, hsp_error **err) {
    int64_t d = f->schema.d;
    bool any = false;
    hsp_blank_column *column = hsp_alloc_zero(d + 1, sizeof *column);
    if (!column) return hsp_fail_memory(err);
    hsp_blank_columns_begin(r, d, column);
    for (int64_t k = 0; k < f->blocks; k++) note_words(&f->block[k], column);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; column[j].any && !column[j].other && !column[j].number && k < f->blocks; k++)
            column[j].number = has_number(&f->block[k], j);
        any = any || hsp_blank_column_is(&column[j]);
    }
    for (int64_t k = 0; any && k < f->blocks; k++) hsp_blank_words_remove(&f->block[k], column);
    hsp_free(column);
    return HSP_OK;
}
