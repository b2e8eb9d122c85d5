/* The rules of a table in a model. */
#ifndef HSP_TABLE_RULES_JSON_H
#define HSP_TABLE_RULES_JSON_H

#include "base/json.h"
#include "base/json_read.h"
#include "table/rules.h"

/* Members of an object of their own; `text`: there are columns of text. The kinds that were asked for are with the columns.
 */
void hsp_table_rules_save(const hsp_table_rules *r, bool text, hsp_json *j);
/* Reads them back for a table of d columns, none of which is asked for yet. Clear *out also after a failure. */
int hsp_table_rules_load(const hsp_json_loader *l, int64_t d, hsp_table_rules *out);

#endif
