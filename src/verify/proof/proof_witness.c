#include "verify/proof/witness.h"

#include <math.h>

/* Estimated seconds that exact arithmetic may take before error bounds are tried, and after they have failed. */
static const double first_seconds = 10, last_seconds = 60;

/* Rows in range, ascending and on a side; multipliers finite, >= 0, not all 0. */
static bool is_well_formed(const hsp_witness *w) {
    double top = 0;
    if (w->k < 1) return false;
    for (int64_t s = 0; s < w->k; s++) {
        int64_t i = w->row[s];
        if (i < 0 || i >= w->q->x->n || (s > 0 && i <= w->row[s - 1])) return false;
        if (w->q->y[i] != 1 && w->q->y[i] != -1) return false;
        if (!isfinite(w->multiplier[s]) || w->multiplier[s] < 0) return false;
        top = fmax(top, w->multiplier[s]);
    }
    return top > 0;
}

int hsp_witness_check(const hsp_witness *w, double *near, bool *unique, hsp_proof_kind *kind, hsp_error **err) {
    bool proven = false, expensive = false;
    *kind = HSP_PROOF_NONE;
    *unique = false;
    if (!is_well_formed(w)) return HSP_OK;
    int status = hsp_witness_exact(w, first_seconds, near, unique, &proven, &expensive, err);
    if (!status && proven) *kind = HSP_PROOF_EXACT;
    if (status || !expensive) return status;
    status = hsp_witness_bounded(w, near, unique, &proven, err);
    if (!status && proven) *kind = HSP_PROOF_BOUNDED;
    if (status || proven) return status;
    status = hsp_witness_exact(w, last_seconds, near, unique, &proven, &expensive, err);
    if (!status && proven) *kind = HSP_PROOF_EXACT;
    return status;
}

int hsp_proof_check_witness(const hsp_rows_by_side *q, const int64_t *row, const double *multiplier, int64_t count,
                            double *found, hsp_proof_kind *kind, hsp_error **err) {
    hsp_witness w = {q, row, multiplier, count};
    bool unique;
    return hsp_witness_check(&w, found, &unique, kind, err);
}
