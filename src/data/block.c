#include "data/block.h"

#include "base/memory.h"

#include <string.h>

void hsp_block_reset(hsp_block *b, bool dense, int64_t d) {
    b->rows = b->dropped = 0;
    b->dense = dense;
    b->d = dense ? d : 0;
    b->labelled = b->weighted = b->table = false;
    b->met = (hsp_words_met){false, false};
    b->word_count = b->words_length = 0;
    b->line_base = 0;
    if (b->row) b->row[0] = 0;
    if (b->label) b->label[0] = 0;
}

int64_t hsp_block_tail(const hsp_block *b) {
    if (b->dense) return b->rows * b->d;
    return b->rows ? b->row[b->rows] : 0;
}

int hsp_block_reserve(hsp_block *b, int64_t values, int64_t label) {
    int64_t n = b->rows, tail = hsp_block_tail(b), text = n ? b->label[n] : 0;
    if (HSP_RESERVE(b->label, b->capacity.label, n + 2) || HSP_RESERVE(b->line, b->capacity.line, n + 1) ||
        HSP_RESERVE(b->column, b->capacity.column, n + 1) || HSP_RESERVE(b->value, b->capacity.value, tail + values) ||
        HSP_RESERVE(b->text, b->capacity.text, text + label) ||
        (!b->dense && HSP_RESERVE(b->row, b->capacity.row, n + 2)) ||
        (!b->dense && HSP_RESERVE(b->id, b->capacity.id, tail + values)) ||
        (b->weighted && HSP_RESERVE(b->weight, b->capacity.weight, n + 1)) ||
        (b->table && HSP_RESERVE(b->word_row, b->capacity.word_row, n + 2)))
        return HSP_EMEMORY;
    if (n == 0 && b->table) b->word_row[0] = 0;
    if (n == 0) b->label[0] = 0;
    if (n == 0 && !b->dense) b->row[0] = 0;
    return 0;
}

void hsp_block_close_row(hsp_block *b, int64_t values, const char *label, int64_t label_length, int64_t line) {
    int64_t n = b->rows, text = b->label[n];
    if (!b->dense) b->row[n + 1] = b->row[n] + values;
    if (b->table) b->word_row[n + 1] = b->word_count;
    if (label) {
        if (label_length > 0) memcpy(b->text + text, label, (size_t)label_length);
        text += label_length;
        b->labelled = true;
    }
    b->label[n + 1] = text;
    b->line[n] = line;
    b->column[n] = 1;
    b->rows = n + 1;
}

int64_t hsp_block_word_above(const hsp_block *b, int64_t column) {
    if (b->rows == 0) return -1;
    int64_t at = b->word_row[b->rows - 1] + b->word_count - b->word_row[b->rows];
    return at < b->word_row[b->rows] && b->word[at].column == column ? at : -1;
}

int hsp_block_add_again(hsp_block *b, int64_t above) {
    if (HSP_RESERVE(b->word, b->capacity.word, b->word_count + 1)) return HSP_EMEMORY;
    b->word[b->word_count++] = b->word[above];
    return 0;
}

int hsp_block_add_word(hsp_block *b, int64_t column, const char *text, int64_t length) {
    int64_t above = hsp_block_word_above(b, column);
    if (above >= 0 && b->word[above].length == length && memcmp(b->words + b->word[above].from, text, (size_t)length) == 0)
        return hsp_block_add_again(b, above);
    if (HSP_RESERVE(b->word, b->capacity.word, b->word_count + 1) ||
        HSP_RESERVE(b->words, b->capacity.words, b->words_length + length))
        return HSP_EMEMORY;
    b->word[b->word_count++] = (hsp_word){b->words_length, (uint32_t)length, (uint32_t)column};
    if (length > 0) memcpy(b->words + b->words_length, text, (size_t)length);
    b->words_length += length;
    return 0;
}

void hsp_block_free(hsp_block *b) {
    if (!b) return;
    HSP_FREE(b->row, b->id, b->value, b->text, b->label, b->line, b->column, b->weight, b->word_row, b->word, b->words,
             b->found.bits);
    *b = (hsp_block){0};
}
