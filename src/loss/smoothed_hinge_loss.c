/* smoothed hinge: the hinge with its kink rounded off over a width of 1: 0 for m >= 1, (1 - m)^2 / 2 for 0 <= m < 1, and
 * 1/2 - m below (Rennie and Srebro 2005). Conjugate: f*(-a) = -a + a^2/2 on [0, 1]. */
#include "loss/loss.h"

/* With s = max(0, 1 - m) and a = min(s, 1) the loss is a (s - a/2), and minus its slope in m is a. */
static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    double s = 1 - y * g, a;
    s = s < 0 ? 0 : s; /* NaN stays */
    a = s > 1 ? 1 : s;
    return (hsp_loss_at){a * (s - a / 2), -y * a};
}

static double curvature(const hsp_loss *loss, double y, double g) {
    (void)loss;
    return y * g > 0 && y * g < 1 ? 1 : 0;
}

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    double a = y * r;
    return a - a * a / 2;
}

HSP_LOSS_BATCH(batch, at)
HSP_LOSS_SECOND(second, at, curvature)
HSP_LOSS_DUALS(duals, dual)

const hsp_loss hsp_loss_smoothed_hinge = {.name = "smoothed-hinge",
                                          .formula = "m<0: 1/2 - m, else max(0,1-m)^2/2",
                                          .help = "hinge with a smoothed kink: smooth, linear for m < 0",
                                          .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                                    HSP_LOSS_PIECEWISE | HSP_LOSS_CLASSES,
                                          .lipschitz = 1,
                                          HSP_LOSS_CURVED_SLOTS,
                                          .dual_low = 0,
                                          .dual_high = 1,
                                          .dual_shape = HSP_DUAL_BOX,
                                          .dual_ridge = 1};
