/* logistic: log(1 + exp(-m)), computed so that neither a large nor a small margin loses digits or overflows.
 * Conjugate: f*(-a) = a log a + (1 - a) log(1 - a) on [0, 1]. Blocks of rows use the vector kernels, a single row uses the C
 * library: the last bits differ, and the tests compare the two. */
#include "kernel/level.h"
#include "loss/loss.h"

#include <math.h>

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    double m = y * g;
    double e = exp(-fabs(m)); /* in (0, 1] */
    double value = log1p(e) + (m < 0 ? -m : 0);
    double p = m >= 0 ? e / (1 + e) : 1 / (1 + e); /* 1/(1 + exp(m)) */
    return (hsp_loss_at){value, -y * p};
}

static void batch(const hsp_loss *loss, const double *y, const double *g, int64_t rows, int64_t outputs, hsp_kink kink,
                  double *value, double *slope) {
    (void)loss, (void)outputs, (void)kink;
    hsp_level_now()->logistic(y, g, rows, value, slope, NULL);
}

/* p (1 - p) */
static double curvature(const hsp_loss *loss, double y, double g) {
    (void)loss, (void)y;
    double e = exp(-fabs(g));
    return e / ((1 + e) * (1 + e));
}

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    double a = y * r;
    double s = a > 0 ? a * log(a) : 0;
    if (a < 1) s += (1 - a) * log1p(-a);
    return -s;
}

static void second(const hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value, double *slope,
                   double *curve) {
    (void)loss;
    hsp_level_now()->logistic(y, g, rows, value, slope, curve);
}

static void duals(const hsp_loss *loss, const double *y, const double *r, int64_t rows, double *out) {
    (void)loss;
    hsp_level_now()->entropy(y, r, rows, out);
}

const hsp_loss hsp_loss_logistic = {.name = "logistic",
                                    .formula = "log(1 + exp(-m))",
                                    .help = "negative log-likelihood of P(y|x) = 1/(1 + exp(-m)): smooth, never zero",
                                    .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                              HSP_LOSS_POSITIVE | HSP_LOSS_ODDS | HSP_LOSS_CLASSES,
                                    .lipschitz = 0.25,
                                    HSP_LOSS_CURVED_SLOTS,
                                    .dual_low = 0,
                                    .dual_high = 1,
                                    .dual_shape = HSP_DUAL_ENTROPY};
