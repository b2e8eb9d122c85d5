/* A list of claims and what became of them. */
#ifndef HSP_VERIFY_CLAIM_CHECKS_H
#define HSP_VERIFY_CLAIM_CHECKS_H

#include "base/json.h"
#include "base/text.h"

#include <jansson.h>

typedef struct hsp_checks {
    hsp_text list;      /* objects of JSON, with commas between them */
    hsp_text unchecked; /* strings of JSON: what nothing is known of */
    char *first_false;  /* one line, or NULL */
    bool failed;        /* out of memory */
    hsp_json list_json, unchecked_json;
} hsp_checks;

void hsp_checks_close(hsp_checks *c);
/* One check. claimed and found may be NULL: null. message NULL: "NAME is claimed to be CLAIMED, but is FOUND". */
void hsp_checks_add(hsp_checks *c, const char *name, const json_t *claimed, const json_t *found, bool holds,
                    const char *message);
/* Holds when both are the same: numbers to the last bit. */
void hsp_checks_same(hsp_checks *c, const char *name, const json_t *claimed, const json_t *found);
/* Numbers that may differ by the share `tolerance` (0: not at all); NaN is null. */
void hsp_checks_number(hsp_checks *c, const char *name, const json_t *claimed, double found, double tolerance);
void hsp_checks_text(hsp_checks *c, const char *name, const json_t *claimed, const char *found);
/* All members of both, one check for each leaf, named by its path; members in the NULL-ended list are passed over. */
void hsp_checks_tree(hsp_checks *c, const char *path, const json_t *claimed, const json_t *found, const char *const *skip);
/* A value that Jansson made for a check: NULL, of lack of memory, is noted. */
json_t *hsp_checks_made(hsp_checks *c, json_t *value);
/* A number; null when it is not finite. */
json_t *hsp_checks_real(hsp_checks *c, double value);
/* Something that nothing can be said of. */
void hsp_checks_unknown(hsp_checks *c, const char *what);

/* A value as it is, into JSON. */
void hsp_json_value(hsp_json *j, const char *key, const json_t *value);

#endif
