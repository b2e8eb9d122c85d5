/* Smoothed hinge loss: 0 for m >= 1, (1 - m)^2 / 2 for 0 <= m < 1, 1/2 - m below; dual alpha - alpha^2 / (2 k) for alpha in
 * [0, k]. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(hsp_dd m) {
    if (m.hi < 0) return hsp_dd_add_double(hsp_dd_negative(m), 0.5);
    return hsp_dd_times_power(hsp_dd_square(hsp_slack_at(m)), 0.5);
}

static inline hsp_dd multiplier(hsp_dd m) {
    return hsp_dd_at_most(hsp_slack_at(m), 1);
}

HSP_CLAIM_SMOOTH_BOX(smoothed_hinge, "smoothed-hinge", 1, 1)
