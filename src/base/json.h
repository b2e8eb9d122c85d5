/* A small streaming JSON writer over hsp_text. Commas and nesting are kept by the writer; keys come from the caller. A
 * non-finite number is written as null: nothing non-finite leaves the library. Parsing is Jansson's job. */
#ifndef HSP_BASE_JSON_H
#define HSP_BASE_JSON_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_json {
    hsp_text *out;
    bool comma; /* a value was written at this level */
} hsp_json;

/* Begin and end containers. `key` is NULL inside an array and at the top. */
void hsp_json_object(hsp_json *j, const char *key);
void hsp_json_object_end(hsp_json *j);
void hsp_json_array(hsp_json *j, const char *key);
void hsp_json_array_end(hsp_json *j);
void hsp_json_string(hsp_json *j, const char *key, const char *value); /* NULL value: null */
void hsp_json_number(hsp_json *j, const char *key, double value);
void hsp_json_int(hsp_json *j, const char *key, int64_t value);
void hsp_json_bool(hsp_json *j, const char *key, bool value);
void hsp_json_null(hsp_json *j, const char *key);
void hsp_json_raw(hsp_json *j, const char *key, const char *json); /* text that is JSON already */
void hsp_json_numbers(hsp_json *j, const char *key, const double *v, int64_t n);

#endif
