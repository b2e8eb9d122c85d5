/* Columns of codes: whole numbers that are spelt like names, such as postal codes and phone numbers. */
#ifndef HSP_TABLE_CODE_COLUMN_H
#define HSP_TABLE_CODE_COLUMN_H

#include "base/text.h"
#include "halfspace.h"
#include "table/kind.h"
#include "table/profile.h"

/* Whether the numbers of the column are codes: all are whole, and some have leading zeros or a plus sign before six or more
 * digits, or at least half have more than 15 digits. */
bool hsp_is_code_column(const hsp_profile *p);
/* The kind of a column of codes without words: categorical, or ignored if they are all distinct. Adds to the note why, and
 * the options that say otherwise. HSP_EMEMORY. */
int hsp_choose_codes(const hsp_column_cells *c, hsp_text *note, const hsp_kind **out, hsp_error **err);
/* Warns that a numeric column has some numbers of more than 15 digits. */
void hsp_note_rounded(const hsp_column_cells *c, hsp_text *note);

#endif
