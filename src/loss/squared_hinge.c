/* squared hinge: max(0, 1 - m)^2. Conjugate: f*(-a) = -a + a^2/4 for a >= 0. */
#include "loss/loss.h"

#include <math.h>

static hsp_loss_at at(double y, double g, hsp_kink kink) {
    (void)kink;
    double s = 1 - y * g;
    return s > 0 ? (hsp_loss_at){s * s, -2 * y * s} : (hsp_loss_at){0, 0};
}

HSP_LOSS_BATCH(batch, at)

static double curvature(double y, double g) {
    return y * g < 1 ? 2 : 0;
}

static double dual(double y, double r) {
    double a = y * r;
    return a - a * a / 4;
}

HSP_LOSS_SECOND(second, at, curvature)
HSP_LOSS_DUALS(duals, dual)

const hsp_loss hsp_loss_squared_hinge = {.name = "squared-hinge",
                                         .formula = "max(0, 1 - m)^2",
                                         .help = "the hinge squared: smooth, punishes large violations harder",
                                         .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED,
                                         .lipschitz = 2,
                                         .at = at,
                                         .batch = batch,
                                         .curvature = curvature,
                                         .second = second,
                                         .dual = dual,
                                         .duals = duals,
                                         .dual_low = 0,
                                         .dual_high = INFINITY};
