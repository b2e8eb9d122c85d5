/* Columns and classes as JSON: how they stand in the headers of models and of data files. */
#ifndef HSP_DATA_SCHEMA_JSON_H
#define HSP_DATA_SCHEMA_JSON_H

#include "base/json.h"
#include "base/json_read.h"
#include "data/data.h"

/* Writes a list of strings. */
void hsp_names_save(hsp_json *j, const char *key, char *const *name, int64_t count);
/* A list of at least `least` labels, canonical and ascending as data made them; clear *out also after a failure. */
int hsp_classes_load(const hsp_json_loader *l, const char *key, int64_t least, hsp_classes *out);

/* Writes the member `schema`. */
void hsp_schema_save(const hsp_schema *s, hsp_json *j);
/* Reads it back; `room` bounds the number of features (what the file has place for). Clear *out also after a failure. */
int hsp_schema_load(const hsp_json_loader *l, int64_t room, hsp_schema *out);

#endif
