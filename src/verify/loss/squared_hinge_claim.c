/* Squared hinge loss: max(0, 1 - m)^2; dual alpha - alpha^2 / (4 k) for alpha >= 0. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(hsp_dd m) {
    return hsp_dd_square(hsp_slack_at(m));
}

static inline hsp_dd multiplier(hsp_dd m) {
    return hsp_dd_times_power(hsp_slack_at(m), 2);
}

HSP_CLAIM_SMOOTH_BOX(squared_hinge, "squared-hinge", INFINITY, 0.5)
