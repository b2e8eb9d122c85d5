/* Checked access to the members of JSON from untrusted files. */
#ifndef HSP_BASE_JSON_READ_H
#define HSP_BASE_JSON_READ_H

#include "base/error.h"
#include "base/json_value.h"
#include "halfspace.h"

/* Reads an integer from 0 to 2^53 in any notation; false if v is anything else, or NULL. */
bool hsp_json_whole(const hsp_json_value *v, int64_t *out);
/* Reads 16 hexadecimal digits as written by hsp_hex; false if v is anything else, or NULL. */
bool hsp_json_hex(const hsp_json_value *v, uint64_t *out);

/* Reads the members of an object. A missing member and one of the wrong type give the same message, which names `file`. */
typedef struct hsp_json_loader {
    const hsp_json_value *from;
    const char *file;
    hsp_error **err;
} hsp_json_loader;

/* Fails because the member is invalid; HSP_EINPUT. */
int hsp_json_wrong(const hsp_json_loader *l, const char *key);
int hsp_json_load_whole(const hsp_json_loader *l, const char *key, int64_t most, int64_t *out);
/* Reads a string that must be one of the names; *out is its index. */
int hsp_json_load_name(const hsp_json_loader *l, const char *key, const char *const *names, int count, int *out);
/* Reads a string, or null (*out is unchanged) if nullable. The caller frees *out. */
int hsp_json_load_string(const hsp_json_loader *l, const char *key, bool nullable, char **out);
/* Reads `count` strings, each allocated separately. *out is allocated first and zeroed, so that it can be freed after a
 * failure. */
int hsp_json_load_strings(const hsp_json_loader *l, const char *key, int64_t count, char ***out);

#endif
