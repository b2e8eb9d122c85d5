/* Two ways to prove that a witness exists on given rows. Both say *proven, or leave it false; `near` (k numbers, or NULL)
 * then has the multipliers found, scaled as proof.h has it; *unique: the rows leave no other choice, but for the scale.
 * Given multipliers are finite and not negative, not all 0. */
#ifndef HSP_VERIFY_PROOF_WITNESS_H
#define HSP_VERIFY_PROOF_WITNESS_H

#include "halfspace.h"
#include "verify/proof/proof.h"

typedef struct hsp_witness {
    const hsp_rows_by_side *q;
    const int64_t *row;
    const double *multiplier;
    int64_t k;
} hsp_witness;

/* In integers. *dear: not even tried, it would take longer than `seconds`. */
int hsp_witness_exact(const hsp_witness *w, double seconds, double *near, bool *unique, bool *proven, bool *dear,
                      hsp_error **err);
/* In floating point, by a verified solution of the equations (Rump 1999): only when they are independent. */
int hsp_witness_bounded(const hsp_witness *w, double *near, bool *unique, bool *proven, hsp_error **err);

/* The checks of proof.h, with the multipliers found. */
int hsp_witness_check(const hsp_witness *w, double *near, bool *unique, hsp_proof_kind *kind, hsp_error **err);

#endif
