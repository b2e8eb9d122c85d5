/* A list of claims and the result of checking each. */
#ifndef HSP_VERIFY_CLAIM_CHECKS_H
#define HSP_VERIFY_CLAIM_CHECKS_H

#include "base/json.h"
#include "base/report.h"
#include "halfspace.h"

typedef struct hsp_checks {
    hsp_json list;      /* of objects {claim, claimed, found, holds} */
    hsp_json unchecked; /* of texts: claims that were not checked */
    char *first_false;  /* owned: one line, or NULL */
    bool failed;        /* out of memory */
} hsp_checks;

void hsp_checks_open(hsp_checks *c);
void hsp_checks_close(hsp_checks *c);
/* Adds one check. claimed and found may be NULL: null. message NULL: "NAME is claimed to be CLAIMED, but is FOUND". */
void hsp_checks_add(hsp_checks *c, const char *name, const hsp_report *claimed, const hsp_report *found, bool holds,
                    const char *message);
/* Holds if both are the same: numbers to the last bit. */
void hsp_checks_same(hsp_checks *c, const char *name, const hsp_report *claimed, const hsp_report *found);
/* Numbers may differ by `tolerance` relative to `found` (0: not at all); NaN is null. */
void hsp_checks_number(hsp_checks *c, const char *name, const hsp_report *claimed, double found, double tolerance);
/* Compares whole trees, member by member, except members named in `skip` (ends with NULL; may be NULL). */
void hsp_checks_tree(hsp_checks *c, const char *path, const hsp_report *claimed, const hsp_report *found,
                     const char *const *skip);
/* The same, but lists members that are claimed, not null and not found as unchecked. */
void hsp_checks_known(hsp_checks *c, const char *path, const hsp_report *claimed, const hsp_report *found,
                      const char *const *skip);
/* Lists a claim that cannot be checked. */
void hsp_checks_unknown(hsp_checks *c, const char *what);

#endif
