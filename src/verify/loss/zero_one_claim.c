/* Zero-one loss: 1 if the predicted class is wrong. A score of 0 predicts the negative class. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_of((g.hi > 0) == (y > 0) ? 0 : 1);
}

HSP_CLAIM_LOSSES(value)

const hsp_claim_loss HSP_CLAIM_ENTRY(zero_one) = {.name = "zero-one", .losses = losses};
