/* hinge: max(0, 1 - m). At the kink m = 1 every slope from -1 to 0 is a subgradient: open takes 0 (update on m < 1),
 * closed takes -1 (update on m <= 1). Conjugate: f*(-a) = -a on [0, 1]. */
#include "loss/loss.h"

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss;
    double m = y * g, s = 1 - m; /* computed before the comparison, so that blocks vectorise; NaN stays NaN */
    bool active = kink == HSP_KINK_CLOSED ? m <= 1 : m < 1;
    return (hsp_loss_at){s < 0 ? 0 : s, active ? -y : 0};
}

HSP_LOSS_BATCH(batch, at)

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    return y * r;
}

HSP_LOSS_DUALS(duals, dual)

const hsp_loss hsp_loss_hinge = {.name = "hinge",
                                 .formula = "max(0, 1 - m)",
                                 .help = "loss of the support vector machine: linear for m < 1, zero above",
                                 .traits = HSP_LOSS_SLOPE | HSP_LOSS_DUAL | HSP_LOSS_KINKED | HSP_LOSS_CLASSES,
                                 .at = at,
                                 .batch = batch,
                                 .dual = dual,
                                 .duals = duals,
                                 .dual_low = 0,
                                 .dual_high = 1,
                                 .dual_shape = HSP_DUAL_BOX};
