/* Are two classes linearly separable? The search for a plane, or for a witness that there is none; what it finds is proven
 * by verify/proof.h before it is said. Cheap tests first (one class; the same row with both labels; one column; a
 * perceptron), then optimisation. */
#ifndef HSP_SEPARATE_SEPARATE_H
#define HSP_SEPARATE_SEPARATE_H

#include "halfspace.h"
#include "verify/proof/proof.h"

typedef struct hsp_separate_limits {
    double deadline; /* hsp_clock_seconds() at which to give up: undecided; INFINITY: never */
    uint64_t seed;
    const hsp_hooks *hooks; /* log: one line for each test tried (level 1); may be NULL */
    bool quick;             /* cheap tests only */
} hsp_separate_limits;

/* *out is filled, and to be cleared with hsp_proof_clear, also when this fails. A cancel (hsp_cancel_pending) ends it as
 * undecided; it is not consumed. HSP_OK or HSP_EMEMORY. */
int hsp_separate(const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out, hsp_error **err);

#endif
