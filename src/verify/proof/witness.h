/* Two ways to prove that a witness exists on given rows. If *proven, `near` (k numbers, or NULL) has the multipliers of the
 * solution in doubles, scaled as in proof.h, and *unique is whether the rows admit no other solution up to a factor; else
 * `near` is untouched. It may be the given multipliers, which are finite and >= 0, not all 0. */
#ifndef HSP_VERIFY_PROOF_WITNESS_H
#define HSP_VERIFY_PROOF_WITNESS_H

#include "halfspace.h"
#include "verify/proof/proof.h"

/* All borrowed. */
typedef struct hsp_witness {
    const hsp_rows_by_side *q;
    const int64_t *row;
    const double *multiplier;
    int64_t k;
} hsp_witness;

/* In integers. *expensive: not tried, since it would take longer than `seconds`. */
int hsp_witness_exact(const hsp_witness *w, double seconds, double *near, bool *unique, bool *proven, bool *expensive,
                      hsp_error **err);
/* In floating point, by a verified solution of the equations (Rump 1999), which must be independent. */
int hsp_witness_bounded(const hsp_witness *w, double *near, bool *unique, bool *proven, hsp_error **err);

/* hsp_proof_check_witness, with `near` and *unique as above. */
int hsp_witness_check(const hsp_witness *w, double *near, bool *unique, hsp_proof_kind *kind, hsp_error **err);

#endif
