/* modified Huber: max(0, 1 - m)^2 for m >= -1, -4 m below; dual alpha - alpha^2 / (4 k) on [0, 4 k]. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    hsp_dd m = hsp_margin_at(y, g);
    if (m.hi < -1) return hsp_dd_times_power(m, -4);
    return hsp_dd_square(hsp_slack_at(y, g));
}

static inline hsp_dd multiplier(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_times_power(hsp_dd_at_most(hsp_slack_at(y, g), 2), 2 * y);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_DERIVE(multiplier)
HSP_CLAIM_BOXED(4, 0.5)

const hsp_claim_loss HSP_CLAIM_ENTRY(modified_huber) = {.name = "modified-huber",
                                                        .shape = HSP_CLAIM_BOX,
                                                        .high = 4,
                                                        .ridge = 0.5,
                                                        .losses = losses,
                                                        .derive = derive,
                                                        .confine = confine,
                                                        .sums = sums};
