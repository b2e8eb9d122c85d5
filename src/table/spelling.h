/* The words of cells: canonical spelling, and how messages quote them. */
#ifndef HSP_TABLE_SPELLING_H
#define HSP_TABLE_SPELLING_H

#include "base/text.h"
#include "data/data.h"
#include "data/schema.h"
#include "data/table_frame.h"

/* The word of a cell without surrounding blanks, its length in *n; NULL: the cell is not a word. */
static inline const char *hsp_cell_word(hsp_cell cell, int64_t *n) {
    const char *s = hsp_cell_is_number(cell) ? NULL : cell.text;
    *n = cell.length;
    if (s) hsp_label_trim(&s, n);
    return s;
}

/* The canonical spelling (hsp_label_canonical) of the *n bytes at s, its length in *n, by which the levels of models up to
 * format 4 are compared. It is a part of s, except for numbers, which are written to `spare`; codes like 007 stay as they
 * are. NULL: no memory. */
const char *hsp_spell(const char *s, int64_t *n, hsp_text *spare);
/* Whether the n bytes are a word that stands for a missing value where numbers are expected (None, #N/A, -), in any case. */
bool hsp_blank_word(const char *s, int64_t n);
/* Whether the n bytes are UTF-8 without a NUL. */
bool hsp_spelt_utf8(const char *s, int64_t n);
/* 0: false, no, f, n; 1: true, yes, t, y, in any case; -1: neither. *pair, unless NULL: which of the four pairs. */
int hsp_spelt_truth(const char *s, int64_t n, int *pair);

/* The beginning of a cell for a message (hsp_excerpt). */
const char *hsp_show_cell(char buf[HSP_EXCERPT], hsp_cell cell);

/* Whether the n bytes can be typed in single quotes as an entry of an option's list. */
bool hsp_can_type(const char *s, int64_t n);
/* Adds column j as it is typed after an option: its name, quoted for the shell if needed, or its number if it has no name
 * that can be typed. */
void hsp_type_column(hsp_text *t, const hsp_schema *s, int64_t j);

/* The line of the first cell of column j that is not missing and for which `test` is true; 0: none. *file: where it is, if the
 * frame knows. The text of the cell is in the frame, or valid until the next search. */
int64_t hsp_frame_first(const hsp_frame *f, int64_t j, bool (*test)(hsp_cell cell, const void *ctx), const void *ctx,
                        hsp_cell *out, const char **file);

#endif
