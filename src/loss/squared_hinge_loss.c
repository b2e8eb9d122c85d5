/* squared hinge: max(0, 1 - m)^2. Conjugate: f*(-a) = -a + a^2/4 for a >= 0. */
#include "loss/loss.h"

#include <math.h>

enum { BLOCK = 256 };

static hsp_loss_at at(const hsp_loss *loss, double y, double g, hsp_kink kink) {
    (void)loss, (void)kink;
    double s = 1 - y * g;
    s = s < 0 ? 0 : s; /* NaN stays */
    return (hsp_loss_at){s * s, -2 * y * s};
}

static double curvature(const hsp_loss *loss, double y, double g) {
    (void)loss;
    return y * g < 1 ? 2 : 0;
}

static double dual(const hsp_loss *loss, double y, double r) {
    (void)loss;
    double a = y * r;
    return a - a * a / 4;
}

/* The slack is computed in a loop of its own: in one loop with the rest the compiler would branch per row and not
 * vectorise. */
static void second(const hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value, double *slope,
                   double *curve) {
    (void)loss;
    double s[BLOCK];
    for (int64_t i = 0; i < rows; i += BLOCK) {
        int64_t n = rows - i < BLOCK ? rows - i : BLOCK;
        for (int64_t l = 0; l < n; l++) {
            double slack = 1 - y[i + l] * g[i + l];
            s[l] = slack < 0 ? 0 : slack;
        }
        for (int64_t l = 0; value && l < n; l++) value[i + l] = s[l] * s[l];
        for (int64_t l = 0; curve && l < n; l++) curve[i + l] = s[l] > 0 ? 2 : 0;
        for (int64_t l = 0; slope && l < n; l++) slope[i + l] = -2 * y[i + l] * s[l];
    }
}

static void batch(const hsp_loss *loss, const double *y, const double *g, int64_t rows, int64_t outputs, hsp_kink kink,
                  double *value, double *slope) {
    (void)outputs, (void)kink;
    second(loss, y, g, rows, value, slope, NULL);
}

HSP_LOSS_DUALS(duals, dual)

const hsp_loss hsp_loss_squared_hinge = {.name = "squared-hinge",
                                         .formula = "max(0, 1 - m)^2",
                                         .help = "square of the hinge: smooth, penalises large violations more",
                                         .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                                   HSP_LOSS_PIECEWISE | HSP_LOSS_CLASSES,
                                         .lipschitz = 2,
                                         HSP_LOSS_CURVED_SLOTS,
                                         .dual_low = 0,
                                         .dual_high = INFINITY,
                                         .dual_shape = HSP_DUAL_BOX,
                                         .dual_ridge = 0.5};
