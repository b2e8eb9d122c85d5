/* smoothed hinge: 0 for m >= 1, (1 - m)^2 / 2 for 0 <= m < 1, 1/2 - m below; dual alpha - alpha^2 / (2 k) on [0, k]. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    hsp_dd m = hsp_margin_at(y, g);
    if (m.hi < 0) return hsp_dd_add_double(hsp_dd_negative(m), 0.5);
    return hsp_dd_times_power(hsp_dd_square(hsp_slack_at(y, g)), 0.5);
}

static inline hsp_dd multiplier(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_times_power(hsp_dd_at_most(hsp_slack_at(y, g), 1), y);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_DERIVE(multiplier)
HSP_CLAIM_BOXED(1, 1)

const hsp_claim_loss HSP_CLAIM_ENTRY(smoothed_hinge) = {.name = "smoothed-hinge",
                                                        .shape = HSP_CLAIM_BOX,
                                                        .high = 1,
                                                        .ridge = 1,
                                                        .losses = losses,
                                                        .derive = derive,
                                                        .confine = confine,
                                                        .sums = sums};
