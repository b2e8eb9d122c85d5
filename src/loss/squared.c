/* squared: (y - g)^2 / 2, which is (1 - m)^2 / 2 for y = -1, +1. Conjugate: f*(-a) = -a + a^2/2 for every a. */
#include "loss/loss.h"

#include <math.h>

static hsp_loss_at at(double y, double g, hsp_kink kink) {
    (void)kink;
    double r = g - y;
    return (hsp_loss_at){r * r / 2, r};
}

HSP_LOSS_BATCH(batch, at)

static double dual(double a) {
    return a - a * a / 2;
}

const hsp_loss hsp_loss_squared = {.name = "squared",
                                   .formula = "(y - g)^2 / 2",
                                   .help = "least squares: smooth, also punishes rows that are right by too much",
                                   .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL,
                                   .lipschitz = 1,
                                   .at = at,
                                   .batch = batch,
                                   .dual = dual,
                                   .dual_low = -INFINITY,
                                   .dual_high = INFINITY};
