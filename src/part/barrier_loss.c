#include "part/barrier_loss.h"

#include <math.h>

/* With q = 1 - m and r = sqrt(q^2 + 4 t^2): s = (r + 2 t + q) / 2 and u = s - q = (r + 2 t - q) / 2; the multiplier is t / u,
 * which is (1 + q / (r + 2 t)) / 2. The smaller of s and u is taken from s u = t (r + 2 t), without cancellation. */
typedef struct barrier_terms {
    double q, r, s, u;
} barrier_terms;

static barrier_terms terms_of(double m, double t) {
    double q = 1 - m, r = hypot(q, 2 * t), larger = (r + 2 * t + fabs(q)) / 2, smaller = t * (r + 2 * t) / larger;
    return (barrier_terms){q, r, q > 0 ? larger : smaller, q > 0 ? smaller : larger};
}

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    double t = loss->parameter;
    barrier_terms b = terms_of(y * g, t);
    (void)kink;
    return (hsp_loss_at){b.s - t * log(b.s) - t * log(b.u), -y * t / b.u};
}

static double curvature(const hsp_loss *loss, double y, double g) {
    double t = loss->parameter, q = 1 - y * g, r = hypot(q, 2 * t);
    return t / (r * (r + 2 * t));
}

HSP_LOSS_BATCH(batch, at)
HSP_LOSS_SECOND(second, at, curvature)

/* Of the hinge, whose bound is wanted. */
static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    return y * r;
}

HSP_LOSS_DUALS(duals, dual)

static hsp_loss with(double parameter) {
    hsp_loss loss = hsp_loss_barrier;
    loss.parameter = parameter;
    return loss;
}

const hsp_loss hsp_loss_barrier = {.name = "barrier",
                                   .formula = "min_s s - t log s - t log(s - 1 + m)",
                                   .help = "hinge with a logarithmic barrier",
                                   .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                             HSP_LOSS_CLASSES,
                                   HSP_LOSS_CURVED_SLOTS,
                                   .dual_low = 0,
                                   .dual_high = 1,
                                   .option = "barrier",
                                   .parameter = 1,
                                   .with = with};
