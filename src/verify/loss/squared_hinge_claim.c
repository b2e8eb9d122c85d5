/* squared hinge: max(0, 1 - m)^2; dual alpha - alpha^2 / (4 k) for alpha >= 0. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_square(hsp_slack_at(y, g));
}

static inline hsp_dd multiplier(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_times_power(hsp_slack_at(y, g), 2 * y);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_DERIVE(multiplier)
HSP_CLAIM_BOXED(INFINITY, 0.5)

const hsp_claim_loss HSP_CLAIM_ENTRY(squared_hinge) = {.name = "squared-hinge",
                                                       .shape = HSP_CLAIM_BOX,
                                                       .high = INFINITY,
                                                       .ridge = 0.5,
                                                       .losses = losses,
                                                       .derive = derive,
                                                       .confine = confine,
                                                       .sums = sums};
