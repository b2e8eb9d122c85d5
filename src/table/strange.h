/* What was met in new rows that training had not: counted, said in one line, refused when that is asked for. */
#ifndef HSP_TABLE_STRANGE_H
#define HSP_TABLE_STRANGE_H

#include "base/json.h"
#include "base/text.h"
#include "halfspace.h"

/* Summed over rows. */
typedef struct hsp_strange {
    int64_t levels; /* cells with a level that the model does not have, and no other levels to count it among */
    int64_t words;  /* words of texts that the model does not have */
    int64_t filled; /* missing cells that were filled */
} hsp_strange;

/* The members unseen_levels, unseen_words, filled_cells, absent_columns and note (one line, or null). absent: columns that
 * are not there, and names of the first of them ("'age', ..."), or NULL. */
void hsp_strange_report(const hsp_strange *s, int64_t absent, const char *names, hsp_json *j);
/* HSP_EINPUT when that is more than --strict allows. */
int hsp_strange_check(const hsp_strange *s, const hsp_options *o, const char *file, hsp_error **err);

#endif
