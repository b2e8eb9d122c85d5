/* Cells of new rows that training had not seen: counted, reported in one line, an error with --strict. */
#ifndef HSP_TABLE_UNSEEN_H
#define HSP_TABLE_UNSEEN_H

#include "base/json.h"
#include "base/text.h"
#include "data/schema.h"
#include "data/unseen_levels.h"
#include "halfspace.h"

/* Adds a part. In the order of the rows the result does not depend on how they are divided. 0 or HSP_EMEMORY. */
int hsp_unseen_join(hsp_unseen *to, const hsp_unseen *part);
void hsp_unseen_clear(hsp_unseen *u); /* all counts become 0; by_value stays */

/* Writes the members unseen_levels, unseen_words, filled_cells, absent_columns, most_unseen_levels and note (one line, or
 * null). columns: of the table. absent: the number of columns that the file lacks; names: of the first of them ("'age',
 * ..."), or NULL. */
void hsp_unseen_report(const hsp_unseen *s, const hsp_schema *columns, int64_t absent, const char *names, hsp_json *j);
/* HSP_EINPUT: levels or words are unseen, and --strict is set. */
int hsp_unseen_check(const hsp_unseen *s, const hsp_schema *columns, const hsp_options *o, const char *file,
                     hsp_error **err);

#endif
