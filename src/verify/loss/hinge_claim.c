/* hinge: max(0, 1 - m); dual alpha on [0, k]. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_slack_at(y, g);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_BOXED(1, 0)

const hsp_claim_loss HSP_CLAIM_ENTRY(hinge) = {
    .name = "hinge", .shape = HSP_CLAIM_BOX, .high = 1, .losses = losses, .confine = confine, .sums = sums};
