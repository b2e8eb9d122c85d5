/* The dual bound. With k_i = C c_i and r_i in the domain of the loss's conjugate,
 *
 *     D(r) = sum_i k_i dual(y_i, r_i) - R*(v),   v = sum_i k_i r_i x_i,
 *
 * is at most the optimum of P for every r with sum_i k_i r_i = 0 (free intercept), by Fenchel duality. Without an intercept
 * there is no such condition; a penalised one subtracts (sum_i k_i r_i)^2 / 2 instead. Without a penalty R* is 0 at v = 0
 * and infinite elsewhere. With K outputs r_i has K numbers, v is K x d and the conditions hold for each output.
 *
 * At the optimum r_i = -dloss/dg, so minus the slope is the candidate at any point. Where the loss has a kink the slope
 * jumps and is a poor candidate: the hinge is smoothed over a few widths and the best bound is taken. The bound is valid
 * whatever the candidate. */
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "problem/multipliers.h"
#include "problem/problem.h"

#include <math.h>

/* How far from 0 a sum that must vanish may be, relative to the sum of the absolute values of its terms. */
static const double ROUNDING = 1e-9;
/* Multipliers below this count as 0: their logarithms and products would be inaccurate. */
static const double NOTHING = 1e-290;

static double clip(double a, double low, double high) {
    return a < low ? low : a > high ? high : a;
}

/* ---- candidates, in p->slopes ---- */

typedef struct dual_rows {
    hsp_problem *p;
    double width;
} dual_rows;

static void over_rows(hsp_problem *p, double width, void (*task)(void *ctx, int64_t block)) {
    hsp_pool_run(hsp_block_count(p->design->n), p->design->threads, task, &(dual_rows){p, width});
}

/* Minus the slopes at the scores, or those of the loss smoothed over a width. */
static void propose_block(void *ctx, int64_t block) {
    const dual_rows *t = ctx;
    hsp_problem *p = t->p;
    int64_t i, count = hsp_block_rows(p->design->n, block, &i), K = p->outputs;
    double *r = p->slopes + i * K;
    const double *y = p->y + i, *g = p->scores + i * K;
    if (p->loss->traits & HSP_LOSS_SMOOTH) {
        p->loss->batch(p->loss, y, g, count, K, p->kink, NULL, r);
        for (int64_t e = 0; e < count * K; e++) r[e] = -r[e];
    } else if (K == 1) {
        for (int64_t e = 0; e < count; e++) r[e] = y[e] * (0.5 + (1 - y[e] * g[e]) / t->width);
    } else {
        for (int64_t e = 0; e < count; e++) p->loss->smoothed(y[e], g + e * K, K, t->width, r + e * K);
    }
}

/* Regression: the bounds are symmetric, r in [-high, high]. */
static bool has_range(const hsp_loss *loss) {
    return loss->dual_low < 0 && isfinite(loss->dual_low);
}

/* Several outputs: see below. */
static void clip_block(void *ctx, int64_t block) {
    hsp_problem *p = ((const dual_rows *)ctx)->p;
    int64_t first, count = hsp_block_rows(p->design->n, block, &first), K = p->outputs;
    double *r = p->slopes + first * K;
    for (int64_t i = first; i < first + count; i++, r += K) {
        int64_t own = (int64_t)p->y[i];
        double others = 0;
        for (int64_t k = 0; k < K; k++) {
            if (k == own) continue;
            r[k] = clip(r[k], -1, 0);
            if (r[k] > -NOTHING) r[k] = 0;
            others -= r[k];
        }
        double s = others > 1 ? 1 / others : 1;
        for (int64_t k = 0; s < 1 && k < K; k++) r[k] *= s;
        r[own] = others * s;
    }
}

/* Clips to y r in [low, high], r in [low, high], or e_y - r on the simplex. */
static void clip_to_domain(hsp_problem *p) {
    const hsp_loss *loss = p->loss;
    int64_t n = p->design->n, K = p->outputs;
    double *r = p->slopes;
    if (K == 1) {
        if (loss->dual_low == -INFINITY && loss->dual_high == INFINITY) return;
        bool range = has_range(loss);
        for (int64_t i = 0; i < n; i++) {
            double side = range ? 1 : p->y[i], a = clip(side * r[i], loss->dual_low, loss->dual_high);
            r[i] = fabs(a) < NOTHING ? 0 : side * a;
        }
        return;
    }
    over_rows(p, 0, clip_block);
}

/* Makes sum k_i r_i = 0: by a shift where r may be any number, else by scaling down the class (or the sign) with the larger
 * sum. */
static void balance_one(hsp_problem *p) {
    int64_t n = p->design->n;
    double plus = 0, minus = 0, total = 0, *r = p->slopes;
    const double *side = has_range(p->loss) ? r : p->y;
    for (int64_t i = 0; i < n; i++) {
        double k = hsp_row_weight(p, i);
        total += k;
        if (side[i] > 0)
            plus += k * r[i];
        else
            minus -= k * r[i];
    }
    if (p->loss->dual_low == -INFINITY) {
        double shift = (plus - minus) / total;
        for (int64_t i = 0; i < n; i++) r[i] -= shift;
        return;
    }
    if (fabs(plus - minus) <= 1e-14 * (plus + minus)) return; /* balanced already: those at a bound stay there */
    double light = plus < minus ? plus : minus;
    double up = plus > 0 ? light / plus : 0, down = minus > 0 ? light / minus : 0;
    for (int64_t i = 0; i < n; i++) r[i] *= side[i] > 0 ? up : down;
}

/* The same for K classes. The probabilities q_i = e_y - r_i have the total T_k = sum_i k_i q_ik for class k, which must equal
 * the weight of its rows, N_k. Where T_k is too large they are scaled by N_k / T_k; what a row loses goes to the classes with
 * too small a total, in proportion to what those lack. In terms of r the excess T_k - N_k is -sum_i k_i r_ik. */
static void balance_many(hsp_problem *p) {
    int64_t n = p->design->n, K = p->outputs;
    double *r = p->slopes, *T = p->v, *excess = p->tilt, lack = 0;
    for (int64_t k = 0; k < K; k++) T[k] = excess[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        double c = hsp_row_weight(p, i);
        for (int64_t k = 0; k < K; k++) {
            T[k] += c * ((k == (int64_t)p->y[i]) - r[i * K + k]);
            excess[k] -= c * r[i * K + k];
        }
    }
    for (int64_t k = 0; k < K; k++) lack -= excess[k] < 0 ? excess[k] : 0;
    if (!(lack > 0)) return;
    for (int64_t i = 0; i < n; i++, r += K) {
        double freed = 0;
        for (int64_t k = 0; k < K; k++) {
            if (!(excess[k] > 0) || !(T[k] > 0)) continue;
            double q = (k == (int64_t)p->y[i]) - r[k], less = q * fmin(excess[k] / T[k], 1);
            freed += less;
            r[k] += less;
        }
        for (int64_t k = 0; k < K; k++)
            if (excess[k] < 0) r[k] += freed * excess[k] / lack;
    }
}

/* ---- the value ---- */

static void duals_block(void *ctx, int64_t block) {
    hsp_problem *p = ((const dual_rows *)ctx)->p;
    int64_t i, count = hsp_block_rows(p->design->n, block, &i), K = p->outputs;
    const double *r = p->slopes + i * K;
    if (K == 1)
        p->loss->duals(p->loss, p->y + i, r, count, p->values + i);
    else
        for (int64_t e = 0; e < count; e++) p->values[i + e] = p->loss->dual_many(p->y[i + e], r + e * K, K);
}

/* sum_i k_i dual(s r_i); scales the multipliers. */
static double sum_duals(hsp_problem *p, double s) {
    int64_t n = p->design->n;
    if (s != 1) hsp_scale_f64(s, p->slopes, n * p->outputs);
    over_rows(p, 0, duals_block);
    return p->C * (p->c ? hsp_dot_f64(p->c, p->values, n) : hsp_sum_f64(p->values, n));
}

/* Scratch for the products k_i r_i, which are needed until p->v is known. */
static double *products(hsp_problem *p) {
    return p->outputs == 1 ? p->values : p->scores;
}

/* p->v = sum_i k_i r_i x_i and p->tilt = sum_i k_i r_i. */
static void combine_rows(hsp_problem *p) {
    int64_t n = p->design->n, K = p->outputs;
    double *r = p->slopes, *kr = products(p);
    for (int64_t k = 0; k < K; k++) p->tilt[k] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < K; k++) {
            kr[i * K + k] = hsp_row_weight(p, i) * r[i * K + k];
            p->tilt[k] += kr[i * K + k];
        }
    hsp_problem_adjoint(p, kr, p->v);
}

/* Whether v is 0 up to rounding. With an intercept each column is measured from its mean: far from 0 its products are so
 * large that rounding could explain any v. Row by row, since the passes do not compute sums of absolute values. Overwrites
 * v. */
static bool vanishes(hsp_problem *p) {
    const hsp_design *D = p->design;
    const double *kr = products(p), *mean = p->centre;
    int64_t K = p->outputs;
    for (int64_t k = 0; k < K; k++) {
        double total = 0, *v = p->v + k * D->d;
        for (int64_t i = 0; i < D->n; i++) total += fabs(kr[i * K + k]);
        if (fabs(p->tilt[k]) > ROUNDING * total && p->intercept != HSP_INTERCEPT_NONE) return false;
        for (int64_t j = 0; j < D->d; j++) {
            double from = mean ? mean[j] : 0;                /* of a stored zero: x' = -p, less the mean */
            double zero = fabs((D->p ? D->p[j] : 0) + from); /* and sums of a constant are rounded, too */
            v[j] = fabs(v[j] - from * p->tilt[k]) - (ROUNDING + 2e-15) * total * zero;
        }
        for (int64_t i = 0; i < D->n; i++) {
            double t = ROUNDING * fabs(kr[i * K + k]);
            if (t == 0) continue;
            hsp_row row = hsp_design_row(D, i, NULL);
            for (int64_t e = 0; e < row.count; e++) {
                int64_t j = hsp_row_id(row, e);
                double from = (D->p ? D->p[j] : 0) + (mean ? mean[j] : 0);
                v[j] -= t * (fabs(hsp_row_value(row, e) - from) - fabs(from));
            }
        }
        for (int64_t j = 0; j < D->d; j++)
            if (!(v[j] <= 0)) return false;
    }
    return true;
}

/* D at the multipliers in p->slopes, which become feasible. Overwrites the scores if there are several outputs. */
static double dual_value(hsp_problem *p) {
    int64_t size = p->outputs * p->design->d;
    clip_to_domain(p);
    if (p->intercept == HSP_INTERCEPT_FREE && p->outputs == 1) balance_one(p);
    if (p->intercept == HSP_INTERCEPT_FREE && p->outputs > 1) balance_many(p);
    combine_rows(p);
    if (!p->penalty->penalises) return vanishes(p) ? sum_duals(p, 1) : NAN;
    double s = 1, top = 0;
    for (int64_t j = 0; p->rho == 1 && j < size; j++) top = fabs(p->v[j]) > top ? fabs(p->v[j]) : top;
    if (top > 1) s = (1 - 1e-12) / top; /* L1: R* is finite only where |v|_inf <= 1 */
    double sum = sum_duals(p, s);
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum -= s * s * hsp_dot_f64(p->tilt, p->tilt, p->outputs) / 2;
    return p->rho == 1 ? sum : sum - hsp_penalty_conjugate(p->v, size, p->rho);
}

/* Multipliers of 0 always prove the bound 0: losses and penalties are never negative. */
static double at_least_zero(hsp_problem *p, double D) {
    if (isfinite(D) && D > 0) return D;
    for (int64_t t = 0; t < p->design->n * p->outputs; t++) p->slopes[t] = 0;
    return 0;
}

double hsp_problem_dual_of(hsp_problem *p, const double *r) {
    if (!(p->loss->traits & HSP_LOSS_DUAL)) return NAN;
    for (int64_t t = 0; t < p->design->n * p->outputs; t++) p->slopes[t] = r[t];
    double D = dual_value(p);
    return isnan(D) && !p->penalty->penalises ? NAN : at_least_zero(p, D);
}

/* Clips r to [0, high] on the side of each row, into p->slopes, and sums it by sides: in four lanes without branches, as the
 * sides alternate at random. */
static void clip_by_sides(hsp_problem *p, const double *r, double *plus, double *minus) {
    int64_t n = p->design->n;
    double high = p->loss->dual_high, up[4] = {0}, down[4] = {0};
    for (int64_t i = 0; i < n; i++) {
        double y = p->y[i], a = y * r[i], k = p->c ? p->c[i] : 1;
        a = a > high ? high : a;
        a = a < NOTHING ? 0 : a;
        p->slopes[i] = y * a;
        up[i % 4] += k * a * (0.5 + 0.5 * y);
        down[i % 4] += k * a * (0.5 - 0.5 * y);
    }
    *plus = (up[0] + up[1]) + (up[2] + up[3]);
    *minus = (down[0] + down[1]) + (down[2] + down[3]);
}

/* What clip_to_domain and balance_one do, in fewer passes, for classes whose multipliers are bounded below by 0. */
static void begin_by_sides(hsp_problem *p, const double *r) {
    double plus, minus;
    clip_by_sides(p, r, &plus, &minus);
    if (p->intercept != HSP_INTERCEPT_FREE || fabs(plus - minus) <= 1e-14 * (plus + minus)) return;
    double light = plus < minus ? plus : minus;
    double up = plus > 0 ? light / plus : 0, down = minus > 0 ? light / minus : 0;
    for (int64_t i = 0; i < p->design->n; i++) p->slopes[i] *= p->y[i] > 0 ? up : down;
}

void hsp_problem_dual_begin(hsp_problem *p, const double *r) {
    if (p->loss->dual_low == 0) {
        begin_by_sides(p, r);
        return;
    }
    for (int64_t i = 0; i < p->design->n; i++) p->slopes[i] = r[i];
    clip_to_domain(p);
    if (p->intercept == HSP_INTERCEPT_FREE) balance_one(p);
}

double hsp_problem_dual_end(hsp_problem *p, double top, double conjugate) {
    double s = p->rho == 1 && top > 1 ? (1 - 1e-12) / top : 1;
    return at_least_zero(p, sum_duals(p, s) - (p->rho < 1 ? conjugate : 0));
}

/* With a kink: of those smoothed over the width. */
static double bound_of_slopes(hsp_problem *p, double width) {
    over_rows(p, width, propose_block);
    return at_least_zero(p, dual_value(p));
}

double hsp_problem_dual_bound(hsp_problem *p, const double *w, const double *b) {
    if (!hsp_problem_has_dual(p)) return NAN;
    hsp_problem_scores(p, w, b, p->scores);
    if (p->loss->traits & HSP_LOSS_SMOOTH) return bound_of_slopes(p, p->width);
    const double tries[] = {p->width / 3, p->width, p->width * 3};
    double best = 0, last = 0;
    for (int t = 0; t < 3; t++) {
        last = bound_of_slopes(p, tries[t]);
        if (last <= best) continue;
        best = last;
        p->width = tries[t];
    }
    return last == best ? best : bound_of_slopes(p, p->width); /* again, for its multipliers */
}
