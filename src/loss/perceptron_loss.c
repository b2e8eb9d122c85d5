/* perceptron: max(0, -m). The slope at the kink m = 0 is -1, so that a run can leave weights of zero. The conjugate is 0 on
 * [0, 1], so the dual bound is never above 0 and useless: it is left out. Weights of zero have no loss at all, so the best
 * point of a run is the one with the fewest mistakes. */
#include "loss/loss.h"

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    double m = y * g;
    return (hsp_loss_at){m < 0 ? -m : 0, m <= 0 ? -y : 0};
}

HSP_LOSS_BATCH(batch, at)

const hsp_loss hsp_loss_perceptron = {.name = "perceptron",
                                      .formula = "max(0, -m)",
                                      .help = "distance of a misclassified score from 0",
                                      .traits = HSP_LOSS_SLOPE | HSP_LOSS_TRIVIAL | HSP_LOSS_CLASSES,
                                      .at = at,
                                      .batch = batch};
