/* Which kind a column is, when nobody said. */
#ifndef HSP_TABLE_CHOOSE_KIND_H
#define HSP_TABLE_CHOOSE_KIND_H

#include "base/text.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "table/profile.h"
#include "table/rules.h"

/* The kind by what the column holds; what the user should know is added to `note`, each on a line of its own. HSP_EINPUT:
 * it holds numbers but for some words, which are named. */
int hsp_choose_kind(const hsp_column_cells *c, hsp_text *note, const hsp_kind **out, hsp_error **err);
/* Of a category that was found, once its levels are known: that there are too many of them to tell rows apart. */
void hsp_note_levels(const hsp_column_cells *c, int64_t levels, hsp_text *note);
/* Of a table of words without a header: that its first row, which no numbers below tell apart, may be one. */
void hsp_note_header(const hsp_frame *f, const hsp_profile *p, hsp_text *note);

#endif
