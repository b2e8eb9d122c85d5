/* The multipliers r of a point give the bound
 *
 *     D = -R*(v) + C sum_i c_i dual_i(r_i),   v = C sum_i c_i r_i x_i
 *
 * if they are feasible: a free intercept needs sum_i c_i r_i = 0, and the L1 norm |v_j| <= 1. They are mixed with constants
 * that repair them, r' = (1 - e) r + e q. As dual is concave, dual(r') >= (1 - e) dual(r) + e dual(q), and v' needs only the
 * sums of the rows of each class: no further round, and next to nothing is lost where e is small, near the optimum. */
#include "drive/bound.h"

#include "kernel/kernel.h"
#include "loss/loss.h"
#include "option/choices.h"
#include "penalty/penalty.h"

#include <math.h>

/* The constant that a class gets: the one with the largest dual. */
static double best_constant(const hsp_loss *loss, double *dual) {
    const double tries[] = {0.5, 1, 2, loss->dual_high};
    double best = 0;
    *dual = 0;
    for (int k = 0; k < 4; k++) {
        if (!(tries[k] <= loss->dual_high) || isinf(tries[k])) continue;
        double v = loss->dual(loss, 1, tries[k]);
        if (v > *dual) *dual = v, best = tries[k];
    }
    return best;
}

/* Mixes the lighter side with a constant: v (d) and the conjugate sum change in place. s: sum_i c_i r_i. False: impossible. */
static bool repair_two(const hsp_drive_problem *p, int64_t figure, double s, double *v, double *sum) {
    int64_t groups = p->drive->agreed.groups, positive = p->positive[figure];
    double dual, q = best_constant(p->stated, &dual), N = 0;
    for (int64_t k = 0; k < groups; k++)
        if ((k == positive) == (s < 0)) N += p->mass[k];
    if (!(q * N > 0)) return false;
    double e = fabs(s) / (fabs(s) + q * N), sign = s < 0 ? 1 : -1;
    hsp_scale_f64(1 - e, v, p->d);
    for (int64_t k = 0; k < groups; k++)
        if ((k == positive) == (s < 0)) hsp_axpy_f64(e * p->C * sign * q, p->class_sums + k * p->d, v, p->d);
    *sum = (1 - e) * *sum + e * N * dual;
    return true;
}

/* The probabilities of all rows are mixed with a constant distribution q, so that their sums become the masses N_k:
 *     q_k = (e N_k + (1 - e) s_k) / (e M),   s_k = sum_i c_i r_ik */
static bool repair_joint(const hsp_drive_problem *p, const double *gradient, double *v, double *sum) {
    int64_t K = p->width, d = p->d;
    double e = 0, M = 0, entropy = 0;
    for (int64_t k = 0; k < K; k++) {
        double s = -gradient[k * (d + 1) + d];
        M += p->mass[k];
        if (s < 0) e = fmax(e, -s / (p->mass[k] - s));
    }
    if (e == 0) return true;
    e = fmin(1, e * (1 + 1e-12)); /* no q_k below 0 by rounding */
    hsp_scale_f64(1 - e, v, K * d);
    for (int64_t k = 0; k < K; k++) {
        double s = -gradient[k * (d + 1) + d], q = fmax(0, (p->mass[k] + (1 - e) / e * s) / M);
        if (q > 0) entropy -= q * log(q);
        hsp_axpy_f64(e * p->C, p->class_sums + k * d, v + k * d, d);
        for (int64_t l = 0; l < K; l++) hsp_axpy_f64(-e * p->C * q, p->class_sums + l * d, v + k * d, d);
    }
    *sum = (1 - e) * *sum + e * M * entropy;
    return true;
}

/* Squares have multipliers of any sign: theirs less their mean, exactly. */
static void repair_squares(const hsp_drive_problem *p, int64_t figure, double s, double *v, double *sum) {
    int64_t groups = p->drive->agreed.groups;
    double mean = s / p->sum_c, targets = p->positive ? 0 : p->target_sum;
    for (int64_t k = 0; k < groups; k++) {
        if (p->positive) targets += k == p->positive[figure] ? p->mass[k] : -p->mass[k];
        hsp_axpy_f64(-p->C * mean, p->class_sums + k * p->d, v, p->d);
    }
    *sum += mean * (s / 2 - targets);
}

/* Makes multipliers feasible for a free intercept; false: that is not known. */
static bool repair_intercept(const hsp_drive_problem *p, int64_t figure, const double *gradient, double *v, double *sum) {
    double s = -gradient[p->d];
    if (p->joint) return repair_joint(p, gradient, v, sum);
    if (isinf(p->stated->dual_low) && isinf(p->stated->dual_high)) {
        repair_squares(p, figure, s, v, sum);
        return true;
    }
    return p->positive && (s == 0 || repair_two(p, figure, s, v, sum));
}

static double largest(const double *v, int64_t n) {
    double most = 0;
    for (int64_t j = 0; j < n; j++) most = fmax(most, fabs(v[j]));
    return most;
}

/* The multipliers may also be mixed with 0, whose dual is 0, minus the least loss: the largest of s sum - R*(s v) over the
 * shares s. With an L1 norm s is at most 1 / max |v_j|. */
static double best_share(const hsp_drive_problem *p, double *v, int64_t size, double square, double sum) {
    double most = p->rho > 0 ? largest(v, size) : 0, s = 1;
    if (!(sum > 0)) return 0;
    if (p->rho == 1) {
        if (most > 1) s = 1 / (most * (1 + 1e-15));
        if (square > 0) s = fmin(s, sum / square);
    } else if (p->rho == 0) {
        s = fmin(1, sum / (hsp_dot_f64(v, v, size) + square));
    }
    hsp_scale_f64(s, v, size);
    double bound = s * sum - hsp_penalty_conjugate(v, size, p->rho) - s * s * square / 2;
    return bound > 0 ? bound : 0;
}

double hsp_drive_bound(hsp_drive_problem *p, int64_t figure, const double *gradient, double dual) {
    int64_t d = p->d, K = p->width;
    double *v = p->conjugate, sum = dual, square = 0;
    if (!isfinite(dual) || p->plain) return NAN;
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < d; j++) v[k * d + j] = -p->C * gradient[k * (d + 1) + j];
    for (int64_t k = 0; p->intercept == HSP_INTERCEPT_PENALISED && k < K; k++) {
        double v0 = p->C * gradient[k * (d + 1) + d];
        square += v0 * v0;
    }
    if (p->intercept == HSP_INTERCEPT_FREE && !repair_intercept(p, figure, gradient, v, &sum)) return NAN;
    return best_share(p, v, K * d, square, p->C * sum);
}
