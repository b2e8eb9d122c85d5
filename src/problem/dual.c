/* The dual bound. With k_i = C c_i and a_i in the domain of the loss's conjugate,
 *
 *     D(a) = sum_i k_i dual(a_i) - R*(v),   v = sum_i k_i a_i y_i x_i,
 *
 * is at most the optimum of P for every a with sum_i k_i a_i y_i = 0 (free intercept), by Fenchel duality; without an
 * intercept there is no such condition, and a penalised one costs (sum_i k_i a_i y_i)^2 / 2 instead. At the optimum
 * a_i = -loss'(m_i), so that is the candidate at any point; where the loss has a kink the slope jumps and is a poor
 * candidate, so the hinge is smoothed over a few widths and the best bound is taken. Whatever the candidate, the bound is
 * true. */
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <math.h>

static double weight(const hsp_problem *p, int64_t i) {
    return p->C * (p->c ? p->c[i] : 1);
}

static double clip(double a, double low, double high) {
    return a < low ? low : a > high ? high : a;
}

/* Candidate multipliers into p->slopes, from the scores. */
static void propose(hsp_problem *p, double width) {
    const hsp_loss *loss = p->loss;
    int64_t n = p->design->n;
    double *a = p->slopes;
    if (loss->traits & HSP_LOSS_SMOOTH) {
        loss->batch(p->y, p->scores, n, p->kink, NULL, a);
        for (int64_t i = 0; i < n; i++) a[i] = clip(-p->y[i] * a[i], loss->dual_low, loss->dual_high);
    } else {
        for (int64_t i = 0; i < n; i++)
            a[i] = clip(0.5 + (1 - p->y[i] * p->scores[i]) / width, loss->dual_low, loss->dual_high);
    }
}

/* Makes sum k_i a_i y_i = 0: by a shift where a may have any sign, else by scaling the heavier class down. */
static void balance(hsp_problem *p) {
    int64_t n = p->design->n;
    double plus = 0, minus = 0, total = 0, *a = p->slopes;
    for (int64_t i = 0; i < n; i++) {
        double k = weight(p, i);
        total += k;
        if (p->y[i] > 0)
            plus += k * a[i];
        else
            minus += k * a[i];
    }
    if (p->loss->dual_low < 0) {
        double shift = (plus - minus) / total;
        for (int64_t i = 0; i < n; i++) a[i] -= p->y[i] * shift;
        return;
    }
    double light = plus < minus ? plus : minus;
    double up = plus > 0 ? light / plus : 0, down = minus > 0 ? light / minus : 0;
    for (int64_t i = 0; i < n; i++) a[i] *= p->y[i] > 0 ? up : down;
}

static double largest(const double *v, int64_t d) {
    double top = 0;
    for (int64_t j = 0; j < d; j++)
        if (fabs(v[j]) > top) top = fabs(v[j]);
    return top;
}

/* D at the multipliers in p->slopes, which are used up. */
static double value(hsp_problem *p) {
    const hsp_design *D = p->design;
    double *a = p->slopes, *r = p->values, tilt = 0;
    for (int64_t i = 0; i < D->n; i++) {
        r[i] = weight(p, i) * a[i] * p->y[i];
        tilt += r[i];
    }
    hsp_design_adjoint(D, r, p->v);
    double s = 1;
    if (p->rho == 1) { /* R* is finite only where |v|_inf <= 1: shrink into it, a hair inside */
        double top = largest(p->v, D->d);
        if (top > 1) s = (1 - 1e-12) / top;
    }
    double sum = 0;
    for (int64_t i = 0; i < D->n; i++) sum += weight(p, i) * p->loss->dual(s * a[i]);
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum -= s * s * tilt * tilt / 2;
    return p->rho == 1 ? sum : sum - hsp_penalty_conjugate(p->v, D->d, p->rho);
}

static double bound_at(hsp_problem *p, double width) {
    propose(p, width);
    if (p->intercept == HSP_INTERCEPT_FREE) balance(p);
    double D = value(p);
    return isfinite(D) && D > 0 ? D : 0; /* 0 is a bound too: losses and penalties are never negative */
}

double hsp_problem_dual_bound(hsp_problem *p, const double *w, double b) {
    if (!hsp_problem_has_dual(p)) return NAN;
    hsp_design_scores(p->design, w, b, p->scores);
    if (p->loss->traits & HSP_LOSS_SMOOTH) return bound_at(p, 0);
    const double tries[] = {p->width / 3, p->width, p->width * 3};
    double best = 0;
    for (int t = 0; t < 3; t++) {
        double D = bound_at(p, tries[t]);
        if (D > best) {
            best = D;
            p->width = tries[t];
        }
    }
    return best;
}
