/* huber: (y - g)^2 / 2 for errors up to delta, delta |y - g| - delta^2 / 2 beyond: least squares with a bounded slope, so
 * that outliers have a bounded influence (Huber 1964). Conjugate: f*(-r) = -r y + r^2/2 on [-delta, delta]. */
#include "loss/loss.h"

#include <math.h>

/* With a = the error e clipped to [-delta, delta], the loss is a (e - a/2) and its slope a. */
static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)kink;
    double e = g - y, delta = loss->parameter, a = e > delta ? delta : e < -delta ? -delta : e;
    return (hsp_loss_at){a * (e - a / 2), a};
}

static double curvature(const hsp_loss *loss, double y, double g) {
    return fabs(g - y) < loss->parameter ? 1 : 0;
}

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    return r * y - r * r / 2;
}

HSP_LOSS_BATCH(batch, at)
HSP_LOSS_SECOND(second, at, curvature)
HSP_LOSS_DUALS(duals, dual)

static hsp_loss with_delta(double delta) {
    hsp_loss own = hsp_loss_huber;
    own.parameter = own.dual_high = delta;
    own.dual_low = -delta;
    return own;
}

const hsp_loss hsp_loss_huber = {.name = "huber",
                                 .formula = "r^2/2 to delta, then linear; r=y-g",
                                 .help = "squared loss, but linear for errors above --delta: robust to outliers",
                                 .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                           HSP_LOSS_PIECEWISE | HSP_LOSS_NUMBERS,
                                 .lipschitz = 1,
                                 HSP_LOSS_CURVED_SLOTS,
                                 .dual_low = -1.35,
                                 .dual_high = 1.35,
                                 .option = "delta",
                                 .parameter = 1.35,
                                 .with = with_delta};
