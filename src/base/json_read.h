/* What Jansson's values are worth: looks at JSON from files that nobody vouches for. */
#ifndef HSP_BASE_JSON_READ_H
#define HSP_BASE_JSON_READ_H

#include "base/error.h"
#include "halfspace.h"

#include <jansson.h>

/* Parses `size` bytes. Jansson takes lack of memory for bad syntax in places: what fails is parsed once more, and is bad
 * when it fails again although there is memory for as many bytes. 0, and *out is the caller's to json_decref; HSP_EMEMORY;
 * HSP_EINPUT, and *why (which may be NULL) tells. */
int hsp_json_parse(const char *text, size_t size, size_t flags, json_t **out, json_error_t *why);

/* A whole number from 0 to 2^53, however it is written; false when v is anything else, or NULL. */
bool hsp_json_whole(const json_t *v, int64_t *out);
/* Sixteen hexadecimal digits, as hsp_hex writes them; false when v is anything else, or NULL. */
bool hsp_json_hex(const json_t *v, uint64_t *out);

/* The members of an object; what is missing or of the wrong type has one message, which names `file`. */
typedef struct hsp_json_loader {
    const json_t *from;
    const char *file;
    hsp_error **err;
} hsp_json_loader;

/* Says that the member is not valid; HSP_EINPUT. */
int hsp_json_wrong(const hsp_json_loader *l, const char *key);
int hsp_json_load_whole(const hsp_json_loader *l, const char *key, int64_t most, int64_t *out);
/* A string that is one of the names: which. */
int hsp_json_load_name(const hsp_json_loader *l, const char *key, const char *const *names, int count, int *out);
/* A string, or null (*out is left alone) where that is allowed. *out is the caller's to free. */
int hsp_json_load_string(const hsp_json_loader *l, const char *key, bool nullable, char **out);
/* `count` strings, each its own; *out is set at once and zeroed, so that a half-filled one can be cleared. */
int hsp_json_load_strings(const hsp_json_loader *l, const char *key, int64_t count, char ***out);

#endif
