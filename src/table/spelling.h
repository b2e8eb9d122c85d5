/* Words of cells: their canonical spelling, and how messages show them. */
#ifndef HSP_TABLE_SPELLING_H
#define HSP_TABLE_SPELLING_H

#include "base/text.h"
#include "data/schema.h"
#include "data/table_frame.h"

/* The canonical spelling (hsp_label_canonical) of the *n bytes at s, and its length in *n: inside s, but for what may be a
 * number, which is written to `spare`; a code, as 007, stays as it stands. NULL: no memory. */
const char *hsp_spell(const char *s, int64_t *n, hsp_text *spare);
/* Whether the n bytes are UTF-8 without a NUL. */
bool hsp_spelt_utf8(const char *s, int64_t n);
/* -1: neither; 0: false, no, f, n; 1: true, yes, t, y, in capitals or not. *pair, when not NULL: which of the four. */
int hsp_spelt_truth(const char *s, int64_t n, int *pair);

/* The beginning of a cell for a message (hsp_excerpt), whatever it holds. */
const char *hsp_show_cell(char buf[HSP_EXCERPT], hsp_cell cell);

/* Whether the n bytes can be an entry of an option's list, in single quotes. */
bool hsp_can_type(const char *s, int64_t n);
/* Column j as one types it after an option: its name, quoted for the shell where that is needed, or its number where it
 * has no name or none that can be typed. */
void hsp_type_column(hsp_text *t, const hsp_schema *s, int64_t j);

/* The first cell of column j, missing ones apart, that `test` is true of: its line; 0: there is none. */
int64_t hsp_frame_first(const hsp_frame *f, int64_t j, bool (*test)(hsp_cell cell, const void *ctx), const void *ctx,
                        hsp_cell *out);

#endif
