/* Hinge loss: max(0, 1 - m); dual alpha for alpha in [0, k]. */
#include "verify/loss/claim_rows.h"

HSP_CLAIM_MARGIN_LOSSES(hsp_slack_at)
HSP_CLAIM_BOXED(1, 0)

const hsp_claim_loss HSP_CLAIM_ENTRY(hinge) = {
    .name = "hinge", .shape = HSP_CLAIM_BOX, .high = 1, .losses = losses, .confine = confine, .sums = sums};
