/* Perceptron loss: max(0, -m). Its dual gives no bound above 0. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(hsp_dd m) {
    return hsp_positive_part(hsp_dd_negative(m));
}

HSP_CLAIM_MARGIN_LOSSES(value)

const hsp_claim_loss HSP_CLAIM_ENTRY(perceptron) = {.name = "perceptron", .losses = losses};
