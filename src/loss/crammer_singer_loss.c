/* crammer-singer: max_k (g_k + [k != y]) - g_y for K scores and the class y: the margin of the row's own class over the best
 * other one falls short of 1 by that much (Crammer and Singer 2001). With a tie the first of the largest counts. At the kink,
 * where the best other class is behind by exactly 1, `open` takes the slope 0. Conjugate: with q = e_y - r on the simplex,
 * f*(-r) = -(1 - q_y) = -r_y. */
#include "loss/loss.h"

#include <math.h>

/* The best class other than `own`; own itself when there is no other. */
static int64_t best_other(const double *g, int64_t own, int64_t outputs) {
    int64_t best = own;
    for (int64_t k = 0; k < outputs; k++)
        if (k != own && (best == own || g[k] > g[best])) best = k;
    return best;
}

static void batch(const hsp_loss *loss, const double *y, const double *g, int64_t rows, int64_t outputs, hsp_kink kink,
                  double *value, double *slope) {
    (void)loss;
    for (int64_t i = 0; i < rows; i++, g += outputs) {
        int64_t own = (int64_t)y[i], other = best_other(g, own, outputs);
        double lacks = other == own ? 0 : 1 - (g[own] - g[other]); /* NaN stays NaN */
        if (value) value[i] = lacks < 0 ? 0 : lacks;
        if (!slope) continue;
        double *s = slope + i * outputs;
        for (int64_t k = 0; k < outputs; k++) s[k] = 0;
        if (other == own || !(kink == HSP_KINK_CLOSED ? lacks >= 0 : lacks > 0)) continue;
        s[other] = 1;
        s[own] = -1;
    }
}

static double dual_many(double y, const double *r, int64_t outputs) {
    (void)outputs;
    return r[(int64_t)y];
}

/* Minus the slope of width log sum_k exp((g_k + [k != y]) / width). */
static void smoothed(double y, const double *g, int64_t outputs, double width, double *r) {
    int64_t own = (int64_t)y;
    double most = g[own], sum = 0;
    for (int64_t k = 0; k < outputs; k++) most = fmax(most, g[k] + (k != own));
    for (int64_t k = 0; k < outputs; k++) sum += r[k] = exp((g[k] + (k != own) - most) / width);
    for (int64_t k = 0; k < outputs; k++) r[k] = (k == own) - r[k] / sum;
}

const hsp_loss hsp_loss_crammer_singer = {
    .name = "crammer-singer",
    .formula = "max_k (g_k + [k != y]) - g_y",
    .help = "hinge of the score of the true class minus the best other score; set by --multiclass crammer-singer",
    .traits = HSP_LOSS_SLOPE | HSP_LOSS_DUAL | HSP_LOSS_KINKED | HSP_LOSS_MANY | HSP_LOSS_CLASSES,
    .batch = batch,
    .dual_many = dual_many,
    .smoothed = smoothed,
    .dual_low = 0,
    .dual_high = 1};
