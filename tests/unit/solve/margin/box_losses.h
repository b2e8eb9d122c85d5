/* Two losses whose dual is a box with both a bound and a ridge: what solvers of margins must take without being told. */
#ifndef HSP_TESTS_UNIT_SOLVE_MARGIN_BOX_LOSSES_H
#define HSP_TESTS_UNIT_SOLVE_MARGIN_BOX_LOSSES_H

#include "loss/loss.h"

#include <math.h>
#include <stddef.h>

/* psi(s) = max over 0 <= a <= high of a s - ridge a^2 / 2, of the slack s = 1 - y g. */
static hsp_loss_at box_at(double y, double g, double high, double ridge) {
    double s = 1 - y * g, a = fmin(fmax(s / ridge, 0), high);
    return (hsp_loss_at){a * s - ridge * a * a / 2, -y * a};
}

static double box_curve(double y, double g, double high, double ridge) {
    double s = 1 - y * g;
    return s > 0 && s < ridge * high ? 1 / ridge : 0;
}

#define BOX_LOSS(prefix, HIGH, RIDGE)                                                                                    \
    static hsp_loss_at prefix##_at(double y, double g, hsp_kink kink) {                                                  \
        (void)kink;                                                                                                      \
        return box_at(y, g, HIGH, RIDGE);                                                                                \
    }                                                                                                                    \
    static double prefix##_curvature(double y, double g) {                                                               \
        return box_curve(y, g, HIGH, RIDGE);                                                                             \
    }                                                                                                                    \
    static double prefix##_dual(double y, double r) {                                                                    \
        return y * r - RIDGE * (y * r) * (y * r) / 2;                                                                    \
    }                                                                                                                    \
    HSP_LOSS_BATCH(prefix##_batch, prefix##_at)                                                                          \
    HSP_LOSS_SECOND(prefix##_second, prefix##_at, prefix##_curvature)                                                    \
    HSP_LOSS_DUALS(prefix##_duals, prefix##_dual)                                                                        \
    static const hsp_loss prefix##_loss = {.name = #prefix,                                                              \
                                           .formula = "",                                                                \
                                           .help = "",                                                                   \
                                           .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED, \
                                           .lipschitz = 1 / RIDGE,                                                       \
                                           .at = prefix##_at,                                                            \
                                           .batch = prefix##_batch,                                                      \
                                           .curvature = prefix##_curvature,                                              \
                                           .second = prefix##_second,                                                    \
                                           .dual = prefix##_dual,                                                        \
                                           .duals = prefix##_duals,                                                      \
                                           .dual_low = 0,                                                                \
                                           .dual_high = HIGH,                                                            \
                                           .dual_shape = HSP_DUAL_BOX,                                                   \
                                           .dual_ridge = RIDGE};

BOX_LOSS(smoothed, 1.0, 1.0)
BOX_LOSS(huberised, 4.0, 0.5)

#endif
