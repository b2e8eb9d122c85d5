/* modified Huber: max(0, 1 - m)^2 for m >= -1, -4 m below: the squared hinge, but linear for rows far on the wrong side
 * (Zhang 2004). Conjugate: f*(-a) = -a + a^2/4 on [0, 4]. */
#include "loss/loss.h"

/* With s = max(0, 1 - m) and t = min(s, 2) the loss is t (2 s - t), and minus its slope in m is 2 t. */
static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    double s = 1 - y * g, t;
    s = s < 0 ? 0 : s; /* NaN stays */
    t = s > 2 ? 2 : s;
    return (hsp_loss_at){t * (2 * s - t), -2 * y * t};
}

static double curvature(const hsp_loss *loss, double y, double g) {
    (void)loss;
    return y * g > -1 && y * g < 1 ? 2 : 0;
}

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    double a = y * r;
    return a - a * a / 4;
}

HSP_LOSS_BATCH(batch, at)
HSP_LOSS_SECOND(second, at, curvature)
HSP_LOSS_DUALS(duals, dual)

const hsp_loss hsp_loss_modified_huber = {.name = "modified-huber",
                                          .formula = "m<-1: -4 m, else max(0, 1 - m)^2",
                                          .help = "squared hinge, but linear for m < -1: smooth, robust to outliers",
                                          .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                                    HSP_LOSS_PIECEWISE | HSP_LOSS_CLASSES,
                                          .lipschitz = 2,
                                          HSP_LOSS_CURVED_SLOTS,
                                          .dual_low = 0,
                                          .dual_high = 4,
                                          .dual_shape = HSP_DUAL_BOX,
                                          .dual_ridge = 0.5};
