/* The rules of a table in a model. */
#ifndef HSP_TABLE_RULES_JSON_H
#define HSP_TABLE_RULES_JSON_H

#include "base/json.h"
#include "base/json_read.h"
#include "table/rules.h"

/* Writes the member "cross", a list of pairs of columns, unless there are none. */
void hsp_crosses_save(int64_t (*cross)[2], int64_t count, hsp_json *j);
/* Reads it back for a table of d columns; an absent one leaves *cross and *count alone. */
int hsp_crosses_load(const hsp_json_loader *l, int64_t d, int64_t (**cross)[2], int64_t *count);
/* Writes the member "rules"; text: there are text columns. The kinds that were asked for are stored with the columns. */
void hsp_table_rules_save(const hsp_table_rules *r, bool text, hsp_json *j);
/* Reads it back for a table of d columns, without their kinds and transforms, which are stored with the columns. Clear
 * *out also after a failure. */
int hsp_table_rules_load(const hsp_json_loader *l, int64_t d, hsp_table_rules *out);

#endif
