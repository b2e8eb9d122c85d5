/* Words that stand for missing values (hsp_blank_word) in columns that are otherwise numeric. */
#ifndef HSP_TABLE_BLANK_WORDS_H
#define HSP_TABLE_BLANK_WORDS_H

#include "data/block.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "table/rules.h"

/* Makes such words missing in every column whose other cells are numbers, but not codes, and for which the rules ask no other
 * kind than numeric. */
int hsp_blank_words_drop(hsp_frame *f, const hsp_table_rules *r, hsp_error **err);

/* The same block by block: what the words of a column are so far. */
typedef struct hsp_blank_column {
    bool any;    /* some are blank words */
    bool other;  /* some are not, or a number is a code: the column keeps all of them */
    bool number; /* some cell is a number */
} hsp_blank_column;

/* column: d, zeros. All blocks are noted before the first words are removed. */
void hsp_blank_columns_begin(const hsp_table_rules *r, int64_t d, hsp_blank_column *column);
void hsp_blank_columns_note(const hsp_block *b, hsp_blank_column *column);
static inline bool hsp_blank_column_is(const hsp_blank_column *c) {
    return c->any && !c->other && c->number;
}
void hsp_blank_words_remove(hsp_block *b, const hsp_blank_column *column);

#endif
