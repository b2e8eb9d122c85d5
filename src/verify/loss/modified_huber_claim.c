/* Modified Huber loss: max(0, 1 - m)^2 for m >= -1, -4 m below; dual alpha - alpha^2 / (4 k) for alpha in [0, 4 k]. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(hsp_dd m) {
    return m.hi < -1 ? hsp_dd_times_power(m, -4) : hsp_dd_square(hsp_slack_at(m));
}

static inline hsp_dd multiplier(hsp_dd m) {
    return hsp_dd_times_power(hsp_dd_at_most(hsp_slack_at(m), 2), 2);
}

HSP_CLAIM_SMOOTH_BOX(modified_huber, "modified-huber", 4, 0.5)
