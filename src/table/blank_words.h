/* Words that stand for missing values (hsp_blank_word) in columns that are otherwise numeric. */
#ifndef HSP_TABLE_BLANK_WORDS_H
#define HSP_TABLE_BLANK_WORDS_H

#include "data/table_frame.h"
#include "halfspace.h"
#include "table/rules.h"

/* Makes such words missing in every column whose other cells are numbers, but not codes, and for which the rules ask no other
 * kind than numeric. */
int hsp_blank_words_drop(hsp_frame *f, const hsp_table_rules *r, hsp_error **err);

#endif
