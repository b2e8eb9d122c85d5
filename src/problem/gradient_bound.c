/* With r_i = -slope_i / share_i,
 *
 *     v = sum_i k_i r_i x_i = -scale (gw - ridge w),
 *
 * which makes D of dual.c cheap. */
#include "problem/gradient_bound.h"

#include "kernel/kernel.h"

#include <math.h>

/* How far from 0 the sum of multipliers may be, relative to the sum of their absolute values. */
static const double ROUNDING = 1e-14;

/* Fills alpha. Returns the sum over outputs of the squared sums of the slopes; NaN when these must vanish and do not. */
static double find_multipliers(const hsp_problem *p, const double *share, double *alpha) {
    int64_t n = p->design->n, K = p->outputs;
    double square = 0;
    for (int64_t k = 0; k < K; k++) {
        double size = 0, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            double slope = p->slopes[i * K + k];
            size += fabs(slope);
            sum += slope;
            alpha[i * K + k] = share[i] > 0 ? -slope / share[i] : 0;
        }
        if (K == 1) sum = hsp_sum_f64(p->slopes, n);
        if (p->intercept == HSP_INTERCEPT_FREE && !(fabs(sum) <= ROUNDING * size)) return NAN;
        square += sum * sum;
    }
    return square;
}

double hsp_problem_bound_of_gradient(const hsp_problem *p, const double *w, const double *gw, int64_t count,
                                     const double *share, double *alpha, double *scratch) {
    int64_t n = p->design->n, K = p->outputs;
    double ridge = p->lambda * (1 - p->rho), top = 0, conjugate = 0, shrink = 1;
    if (!hsp_problem_has_dual(p)) return NAN;
    double tilt = find_multipliers(p, share, alpha);
    if (isnan(tilt)) return NAN;
    for (int64_t j = 0; j < count; j++) {
        double v = p->scale * fabs(gw[j] - ridge * w[j]), e = v - p->rho;
        if (v > top) top = v;
        if (e > 0) conjugate += e * e;
    }
    if (p->rho == 1 && top > 1) shrink = (1 - 1e-12) / top;
    hsp_scale_f64(shrink, alpha, n * K);
    if (K == 1) p->loss->duals(p->loss, p->y, alpha, n, scratch);
    for (int64_t i = 0; i < n && K > 1; i++) scratch[i] = p->loss->dual_many(p->y[i], alpha + i * K, K);
    double sum = p->scale * hsp_dot_f64(share, scratch, n);
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum -= shrink * shrink * p->scale * p->scale * tilt / 2;
    if (p->rho < 1) sum -= conjugate / (2 * (1 - p->rho));
    return sum > 0 && isfinite(sum) ? sum : NAN;
}
