/* softmax: log sum_k exp(g_k) - g_y for K scores and the class y: minus the log-likelihood of P(k|x) = exp(g_k) / sum. With
 * p = P(.|x) the slope is p - e_y and the Hessian diag(p) - p p', whose eigenvalues are at most 1/2 (Boehning 1992).
 * Conjugate: with q = e_y - r on the simplex, f*(-r) = sum_k q_k log q_k. */
#include "loss/loss.h"

#include <math.h>

static void batch(const double *y, const double *g, int64_t rows, int64_t outputs, hsp_kink kink, double *value,
                  double *slope) {
    (void)kink;
    for (int64_t i = 0; i < rows; i++, g += outputs) {
        int64_t own = (int64_t)y[i], high = 0;
        for (int64_t k = 1; k < outputs; k++)
            if (g[k] > g[high]) high = k;
        double others = 0; /* of exp(g_k - g_high), but for that of `high` itself, which is 1 */
        for (int64_t k = 0; k < outputs; k++) {
            double e = exp(g[k] - g[high]);
            if (slope) slope[i * outputs + k] = e;
            if (k != high) others += e;
        }
        if (value) value[i] = log1p(others) + (g[high] - g[own]);
        if (!slope) continue;
        double *s = slope + i * outputs, total = 0; /* the own slope as minus the sum of the others: no digit is lost */
        for (int64_t k = 0; k < outputs; k++) {
            s[k] /= 1 + others;
            if (k != own) total += s[k];
        }
        s[own] = -total;
    }
}

static double dual_many(double y, const double *r, int64_t outputs) {
    int64_t own = (int64_t)y;
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++) {
        double q = k == own ? 1 - r[k] : -r[k];
        if (q > 0) sum -= k == own ? q * log1p(-r[k]) : q * log(q);
    }
    return sum;
}

const hsp_loss hsp_loss_softmax = {.name = "softmax",
                                   .formula = "log sum_k exp(g_k) - g_y",
                                   .help = "minus the log-likelihood of P(k|x) = exp(g_k)/sum: K classes in one problem",
                                   .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED |
                                             HSP_LOSS_POSITIVE | HSP_LOSS_MANY,
                                   .lipschitz = 0.5,
                                   .batch = batch,
                                   .dual_many = dual_many,
                                   .dual_low = 0,
                                   .dual_high = 1};
