/* Columns and classes as JSON, in the headers of models and data files. */
#ifndef HSP_DATA_SCHEMA_JSON_H
#define HSP_DATA_SCHEMA_JSON_H

#include "base/json.h"
#include "base/json_read.h"
#include "data/data.h"

/* Writes a list of strings. */
void hsp_names_save(hsp_json *j, const char *key, char *const *name, int64_t count);
/* Reads at least `least` labels, which must be canonical and sorted. Clear *out also after a failure. */
int hsp_classes_load(const hsp_json_loader *l, const char *key, int64_t least, hsp_classes *out);

/* Writes the member `schema`. */
void hsp_schema_save(const hsp_schema *s, hsp_json *j);
/* Reads it back, with at most `most` features (bounded by the size of the file). Clear *out also after a failure. */
int hsp_schema_load(const hsp_json_loader *l, int64_t most, hsp_schema *out);

#endif
