/* squared: (y - g)^2 / 2 for any y, which is (1 - m)^2 / 2 for y = -1, +1. Conjugate: f*(-r) = -r y + r^2/2 for every r. */
#include "loss/loss.h"

#include <math.h>

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    double r = g - y;
    return (hsp_loss_at){r * r / 2, r};
}

HSP_LOSS_BATCH(batch, at)

static double curvature(const hsp_loss *loss, double y, double g) {
    (void)loss, (void)y, (void)g;
    return 1;
}

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    return r * y - r * r / 2;
}

HSP_LOSS_SECOND(second, at, curvature)
HSP_LOSS_DUALS(duals, dual)

const hsp_loss hsp_loss_squared = {.name = "squared",
                                   .formula = "(y - g)^2 / 2",
                                   .help = "least squares: smooth, also penalises rows far on the right side",
                                   .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                             HSP_LOSS_PIECEWISE | HSP_LOSS_CLASSES | HSP_LOSS_NUMBERS,
                                   .lipschitz = 1,
                                   HSP_LOSS_CURVED_SLOTS,
                                   .dual_low = -INFINITY,
                                   .dual_high = INFINITY};
