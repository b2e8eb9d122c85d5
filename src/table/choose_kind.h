/* Chooses the kind of a column for which no option gives one. */
#ifndef HSP_TABLE_CHOOSE_KIND_H
#define HSP_TABLE_CHOOSE_KIND_H

#include "base/text.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "table/profile.h"
#include "table/rules.h"

/* The kind by the cells of the column; warnings are added to `note`, one a line. HSP_EINPUT: almost all cells are numbers
 * (or dates); the message names the first other one. */
int hsp_choose_kind(const hsp_column_cells *c, hsp_text *note, const hsp_kind **out, hsp_error **err);
enum { HSP_LIKE_ID = 20 }; /* with this many rows, distinct values are not a coincidence */

/* Begins a line of the note: "column 'age' ". */
void hsp_note_column(const hsp_column_cells *c, hsp_text *note);
/* Adds `before` (which ends with an option), the column as it is typed, and `after`. */
void hsp_note_remedy(const hsp_column_cells *c, hsp_text *note, const char *before, const char *after);

/* Warns that a categorical column has too many levels to be useful. */
void hsp_note_levels(const hsp_column_cells *c, int64_t levels, hsp_text *note);
/* Warns that the first row of a table of words without a header may be a header. */
int hsp_note_header(const hsp_frame *f, const hsp_profile *p, hsp_text *note, hsp_error **err);

#endif
