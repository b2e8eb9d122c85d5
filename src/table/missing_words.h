/* Unknown spellings of missing values: a few words, often repeated, in a column that is otherwise numeric. */
#ifndef HSP_TABLE_MISSING_WORDS_H
#define HSP_TABLE_MISSING_WORDS_H

#include "halfspace.h"
#include "table/kind.h"
#include "table/profile.h"

/* Whether the words of the column look like spellings of missing values: at most five different ones, each repeated, among
 * more different numbers than a category has. */
bool hsp_has_missing_words(const hsp_profile *p);
/* HSP_EINPUT: names the words and the option that makes them missing. */
int hsp_fail_missing_words(const hsp_column_cells *c, hsp_error **err);

#endif
