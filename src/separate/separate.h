/* Are two classes linearly separable? Searches for a plane, or for a witness that there is none; verify/proof.h checks what
 * is found. Cheap tests come first (one class only, equal rows of both classes, single columns, a perceptron), then
 * optimisation. */
#ifndef HSP_SEPARATE_SEPARATE_H
#define HSP_SEPARATE_SEPARATE_H

#include "halfspace.h"
#include "verify/proof/proof.h"

typedef struct hsp_separate_limits {
    double deadline; /* hsp_clock_seconds() at which to give up as undecided; INFINITY: never */
    uint64_t seed;
    const hsp_hooks *hooks; /* log: one line for each test tried (level 1); may be NULL */
    bool quick;             /* cheap tests only */
} hsp_separate_limits;

/* Fills *out, which the caller clears with hsp_proof_clear, also after a failure. A pending cancel (hsp_cancel_pending) ends
 * the search as undecided and stays pending. HSP_OK or HSP_EMEMORY. */
int hsp_separate(const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out, hsp_error **err);

#endif
