/* zero-one: 1 when the predicted class is wrong. Reported, never optimised: its slope is zero wherever it has one. A score
 * of exactly 0 predicts the negative class. */
#include "loss/loss.h"

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    return (hsp_loss_at){(g > 0) == (y > 0) ? 0 : 1, 0};
}

HSP_LOSS_BATCH(batch, at)

const hsp_loss hsp_loss_zero_one = {.name = "zero-one",
                                    .formula = "1 if the class is wrong, else 0",
                                    .help = "error rate: reported only, not for --loss",
                                    .traits = HSP_LOSS_CLASSES,
                                    .at = at,
                                    .batch = batch};
