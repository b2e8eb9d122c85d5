/* Multipliers are made feasible by scaling the heavier side, by a shift where they are not bounded, and for classes together
 * by mixing with a constant. As the dual is concave and 0 at 0, a share t of multipliers has at least that share of their
 * dual. */
#include "drive/checked_bound.h"

#include "part/checked.h"
#include "verify/loss/double_double.h"

#include <math.h>

static hsp_dd pair_at(const hsp_checked *c, int64_t at) {
    return (hsp_dd){c->sums[at], c->sums[at + 1]};
}

/* Of the weights of the problem's columns. */
static hsp_dd norm_of(const hsp_checked *c, const double *w) {
    hsp_dd R = {0, 0};
    for (int64_t j = 0; j < c->d; j++) {
        hsp_dd v = hsp_dd_of(w[j]);
        if (c->factor) v = hsp_dd_divide(v, hsp_dd_of(c->factor[j]));
        hsp_dd square = hsp_dd_scale(hsp_dd_multiply(v, v), (1 - c->rho) / 2);
        if (v.hi < 0) v = hsp_dd_negative(v);
        R = hsp_dd_add(R, hsp_dd_add(square, hsp_dd_scale(v, c->rho)));
    }
    return R;
}

static hsp_dd intercept_of(const hsp_checked *c, const double *w, double b) {
    hsp_dd sum = hsp_dd_of(b);
    for (int64_t j = 0; c->shift && j < c->d; j++) sum = hsp_dd_add(sum, hsp_two_product(c->shift[j], w[j]));
    return sum;
}

double hsp_checked_objective(const hsp_checked *c, int64_t k, const double *w, const double *b) {
    hsp_dd P = hsp_dd_scale(pair_at(c, c->joint ? 0 : hsp_check_pair(k, HSP_CHECK_LOSS)), c->C);
    for (int64_t l = c->joint ? 0 : k; l < (c->joint ? c->outputs : k + 1); l++) {
        hsp_dd own = intercept_of(c, w + l * c->d, b[l]);
        P = hsp_dd_add(P, norm_of(c, w + l * c->d));
        if (c->penalised) P = hsp_dd_add(P, hsp_dd_scale(hsp_dd_multiply(own, own), 0.5));
    }
    return hsp_dd_value(P);
}

/* v = t0 V0 + t1 V1, rounded: d pairs each at `at` in the sums; net: the sum of the multipliers of v. */
static void combine(const hsp_checked *c, int64_t at, hsp_dd t0, hsp_dd t1, hsp_dd net, double *v) {
    for (int64_t j = 0; j < c->d; j++) {
        hsp_dd a = hsp_dd_multiply(t0, pair_at(c, at + 2 * j)), b = hsp_dd_multiply(t1, pair_at(c, at + 2 * (c->d + j)));
        hsp_dd sum = hsp_dd_add(a, b);
        if (c->shift) sum = hsp_dd_subtract(sum, hsp_dd_scale(net, c->shift[j]));
        if (c->factor) sum = hsp_dd_scale(sum, c->factor[j]);
        v[j] = hsp_dd_value(sum);
    }
}

/* The conjugate of the penalty at share v: infinite beyond the L1 norm. */
static double conjugate(const double *v, int64_t size, double rho, double share) {
    double sum = 0;
    for (int64_t j = 0; j < size; j++) {
        double over = fabs(share * v[j]) - rho;
        if (over > 0 && rho == 1) return INFINITY;
        if (over > 0) sum += over * over;
    }
    return rho == 1 ? 0 : sum / (2 * (1 - rho));
}

/* The best share of multipliers with the vector v and the conjugate sum `dual`; tilt: what a penalised intercept costs. */
static double best_share(const hsp_checked *c, const double *v, int64_t size, double dual, double tilt) {
    double most = 0, square = 0, share = 1;
    static const double UNIT = 1e-13; /* for the rounding of the sums */
    for (int64_t j = 0; j < size; j++) {
        most = fmax(most, fabs(v[j]));
        square += v[j] * v[j];
    }
    if (c->rho == 1 && most > 1) share = (1 - 1e-15) / most;
    if (c->rho == 0 && square + tilt * tilt > 0) share = fmin(1, dual / (square + tilt * tilt));
    if (!(share > 0)) return 0;
    double cost = conjugate(v, size, c->rho, share) + share * share * tilt * tilt / 2;
    return fmax(0, share * dual - cost - UNIT * (fabs(dual) + cost));
}

static double bound_unbounded(const hsp_checked *c, int64_t k, double *v) {
    hsp_dd total = pair_at(c, hsp_check_pair(k, HSP_CHECK_TOTAL)), dual = pair_at(c, hsp_check_pair(k, HSP_CHECK_DUAL));
    hsp_dd shift = {0, 0};
    if (c->free) {
        hsp_dd labels = pair_at(c, hsp_check_pair(k, HSP_CHECK_LABELS));
        shift = hsp_dd_divide(total, pair_at(c, hsp_check_pair(k, HSP_CHECK_MASS)));
        hsp_dd change = hsp_dd_subtract(hsp_dd_times_power(total, 0.5), labels);
        dual = hsp_dd_add(dual, hsp_dd_multiply(shift, change));
    }
    hsp_dd net = total;
    if (c->free) net = hsp_dd_subtract(total, hsp_dd_multiply(shift, pair_at(c, hsp_check_pair(k, HSP_CHECK_MASS))));
    combine(c, hsp_check_vector(c->outputs, c->d, k, 0), hsp_dd_of(1), hsp_dd_negative(shift), net, v);
    return best_share(c, v, c->d, hsp_dd_value(dual), c->penalised ? hsp_dd_value(total) : 0);
}

static double bound_sides(const hsp_checked *c, int64_t k, double *v) {
    hsp_dd total[2], t[2] = {hsp_dd_of(1), hsp_dd_of(1)}, dual = {0, 0};
    for (int side = 0; side < 2; side++) total[side] = pair_at(c, hsp_check_pair(k, HSP_CHECK_TOTAL + side));
    int heavy = hsp_dd_compare(total[0], total[1]) < 0;
    if (c->free && total[heavy].hi > 0) t[heavy] = hsp_dd_divide(total[1 - heavy], total[heavy]);
    for (int side = 0; side < 2; side++)
        dual = hsp_dd_add(dual, hsp_dd_multiply(t[side], pair_at(c, hsp_check_pair(k, HSP_CHECK_DUAL + side))));
    hsp_dd net = hsp_dd_subtract(hsp_dd_multiply(t[0], total[0]), hsp_dd_multiply(t[1], total[1]));
    combine(c, hsp_check_vector(c->outputs, c->d, k, 0), t[0], t[1], net, v);
    double tilt = c->penalised ? hsp_dd_value(hsp_dd_subtract(total[0], total[1])) : 0;
    return best_share(c, v, c->d, hsp_dd_value(dual), tilt);
}

/* The share of a constant distribution with which the sums of the multipliers vanish, and the mass of all rows. */
static double mixing_share(const hsp_checked *c, double *mass) {
    double e = 0;
    *mass = 0;
    for (int64_t k = 0; k < c->outputs; k++) {
        double s = hsp_dd_value(pair_at(c, hsp_check_joint_class(k, 0)));
        double N = hsp_dd_value(pair_at(c, hsp_check_joint_class(k, 1)));
        *mass += N;
        if (s < 0) e = fmax(e, -s / (N - s));
    }
    return e > 0 ? fmin(1, e * (1 + 1e-12)) : 0;
}

static double bound_joint(const hsp_checked *c, double *v) {
    int64_t K = c->outputs, d = c->d;
    double M = 0, e = c->free ? mixing_share(c, &M) : 0, dual = hsp_dd_value(pair_at(c, 2)), entropy = 0, tilt = 0;
    double *all = v + K * d;
    for (int64_t j = 0; j < d; j++) {
        hsp_dd sum = {0, 0};
        for (int64_t k = 0; k < K; k++) sum = hsp_dd_add(sum, pair_at(c, hsp_check_joint_vector(K, d, k, 1) + 2 * j));
        all[j] = hsp_dd_value(sum);
        if (c->shift) all[j] -= c->shift[j] * M;
        if (c->factor) all[j] *= c->factor[j];
    }
    for (int64_t k = 0; k < K; k++) {
        double s = hsp_dd_value(pair_at(c, hsp_check_joint_class(k, 0)));
        double N = hsp_dd_value(pair_at(c, hsp_check_joint_class(k, 1)));
        double q = e > 0 ? fmax(0, (N + (1 - e) / e * s) / M) : 0;
        if (q > 0) entropy -= q * log(q);
        tilt += s * s;
        hsp_dd net = hsp_dd_of((1 - e) * s + e * N);
        combine(c, hsp_check_joint_vector(K, d, k, 0), hsp_dd_of(1 - e), hsp_dd_of(e), net, v + k * d);
        for (int64_t j = 0; j < d; j++) v[k * d + j] -= e * q * all[j];
    }
    if (e > 0) dual = (1 - e) * dual + e * M * entropy;
    return best_share(c, v, K * d, dual, c->penalised ? sqrt(tilt) : 0);
}

double hsp_checked_bound(const hsp_checked *c, int64_t k, double *scratch) {
    if (c->joint) return bound_joint(c, scratch);
    return c->unbounded ? bound_unbounded(c, k, scratch) : bound_sides(c, k, scratch);
}
