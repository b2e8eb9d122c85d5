/* perceptron: max(0, -m). Its dual bounds nothing. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_positive_part(hsp_dd_negative(hsp_margin_at(y, g)));
}

HSP_CLAIM_LOSSES(value)

const hsp_claim_loss HSP_CLAIM_ENTRY(perceptron) = {.name = "perceptron", .losses = losses};
