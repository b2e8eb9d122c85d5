/* Weak duality, from the definitions: for every R with conjugate R* and every choice of multipliers r (rows x outputs),
 *
 *     min P  >=  C sum_i c_i dual(r_i) - sum_k R*(v_k),    v_k = C sum_i c_i r_ik x'_i,
 *
 * where dual(r) = min over g of loss(g) + r.g; a free intercept asks for sum_i c_i r_ik = 0, a penalised one costs half the
 * square of that sum. The multipliers are minus the slopes at the model's scores, repaired. */
#include "base/memory.h"
#include "verify/claim.h"

#include <string.h>

/* The scores g of a row -> minus the slopes of the loss, in place. NaN for a loss whose slope jumps. */
static void multipliers(const hsp_claim *c, int64_t i, int64_t k, double *g, int64_t outputs) {
    if (c->joint) {
        double top = g[0], sum = 0;
        for (int64_t l = 1; l < outputs; l++) top = fmax(top, g[l]);
        for (int64_t l = 0; l < outputs; l++) sum += g[l] = exp(g[l] - top);
        for (int64_t l = 0; l < outputs; l++) g[l] = (l == c->class[i]) - g[l] / sum;
        return;
    }
    double y = hsp_claim_label(c, i, k);
    if (strcmp(c->loss, "squared") == 0)
        g[0] = y - g[0];
    else if (strcmp(c->loss, "logistic") == 0)
        g[0] = y / (1 + exp(y * g[0]));
    else if (strcmp(c->loss, "squared-hinge") == 0)
        g[0] = 2 * y * fmax(0, 1 - y * g[0]);
    else
        g[0] = NAN;
}

static double entropy(double q) {
    return q > 0 ? -q * log(q) : 0;
}

/* min over g of loss(g) + r.g; minus infinity outside its domain. */
static double dual(const hsp_claim *c, int64_t i, int64_t k, const double *r, int64_t outputs) {
    if (c->joint) {
        double s = 0;
        for (int64_t l = 0; l < outputs; l++) {
            double q = (l == c->class[i]) - r[l];
            if (q < 0) return -INFINITY;
            s += entropy(q);
        }
        return s;
    }
    double y = hsp_claim_label(c, i, k), a = y * r[0];
    if (strcmp(c->loss, "squared") == 0) return r[0] * y - r[0] * r[0] / 2;
    if (strcmp(c->loss, "logistic") == 0) return a < 0 || a > 1 ? -INFINITY : entropy(a) + entropy(1 - a);
    return a < 0 ? -INFINITY : a - a * a / 4;
}

/* sum_i c_i r_ik must vanish for every k. Rows may be scaled (where a multiplier has a sign) or shifted (squared loss). */
static void repair(const hsp_claim *c, double *r, int64_t outputs) {
    int64_t n = c->data->x.n;
    double plus = 0, minus = 0, mass = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = hsp_claim_weight(c, i);
        mass += w;
        if (r[i * outputs] > 0)
            plus += w * r[i * outputs];
        else
            minus -= w * r[i * outputs];
    }
    if (strcmp(c->loss, "squared") == 0) {
        for (int64_t i = 0; i < n; i++) r[i] -= (plus - minus) / mass;
    } else if (!c->joint) {
        double least = fmin(plus, minus);
        for (int64_t i = 0; i < n; i++) r[i] *= r[i] > 0 ? least / fmax(plus, 1e-300) : least / fmax(minus, 1e-300);
    }
}

/* With q = [y = k] - r, which is on the simplex for every row: what the weighted column sums of q are, and what they lack.
 */
static void column_sums(const hsp_claim *c, const double *r, int64_t outputs, double *have, double *lack) {
    for (int64_t k = 0; k < outputs; k++) have[k] = lack[k] = 0;
    for (int64_t i = 0; i < c->data->x.n; i++)
        for (int64_t k = 0; k < outputs; k++) {
            double weight = hsp_claim_weight(c, i), rk = r[i * outputs + k];
            lack[k] += weight * rk;
            have[k] += weight * ((k == c->class[i]) - rk);
        }
}

/* Columns scaled to their sums, rows back to the simplex, in turn: iterative proportional fitting (Deming and Stephan
 * 1940), which has little to do near an optimum. */
static void repair_joint(const hsp_claim *c, double *r, int64_t outputs, double *have, double *lack) {
    for (int round = 0; round < 200; round++) {
        column_sums(c, r, outputs, have, lack);
        double worst = 0, all = 0;
        for (int64_t k = 0; k < outputs; k++) {
            worst = fmax(worst, fabs(lack[k]));
            all += have[k];
        }
        if (worst <= 1e-15 * all) return;
        for (int64_t i = 0; i < c->data->x.n; i++) {
            double *row = r + i * outputs, sum = 0;
            for (int64_t k = 0; k < outputs; k++) {
                double q = (k == c->class[i]) - row[k];
                sum += row[k] = have[k] > 0 ? q * (have[k] + lack[k]) / have[k] : q;
            }
            for (int64_t k = 0; k < outputs; k++) row[k] = (k == c->class[i]) - row[k] / sum;
        }
    }
}

/* v of output k: d numbers over the transformed columns; *tilt: C sum c_i r_ik. */
static void combine(const hsp_claim *c, const double *r, int64_t outputs, int64_t k, double *v, double *tilt) {
    const hsp_prepare *p = &c->m->prepare;
    int64_t d = p->schema.d;
    hsp_summation sum = {0, 0};
    for (int64_t j = 0; j < d; j++) v[j] = 0;
    for (int64_t i = 0; i < c->data->x.n; i++) {
        double a = c->C * hsp_claim_weight(c, i) * r[i * outputs + k];
        hsp_row x = hsp_matrix_row(&c->data->x, i);
        hsp_summation_add(&sum, a);
        for (int64_t t = 0; t < x.count; t++) {
            int64_t j = x.id ? (int64_t)x.id[t] : t;
            if (j < d) v[j] += a * hsp_row_value(x, t);
        }
    }
    *tilt = hsp_summation_value(&sum);
    for (int64_t j = 0; p->factor && j < d; j++) v[j] = (v[j] - (p->shift ? p->shift[j] * *tilt : 0)) * p->factor[j];
}

/* The largest share of v that L1 allows: R* is infinite beyond |v_j| = 1. */
static double allowed(const hsp_claim *c, const double *v) {
    double top = 1;
    for (int64_t j = 0; c->l1_share == 1 && j < c->m->prepare.schema.d; j++) top = fmax(top, fabs(v[j]));
    return top > 1 ? (1 - 1e-12) / top : 1;
}

static double conjugate(const hsp_claim *c, const double *v) {
    hsp_summation s = {0, 0};
    for (int64_t j = 0; c->l1_share < 1 && j < c->m->prepare.schema.d; j++) {
        double e = fmax(0, fabs(v[j]) - c->l1_share);
        hsp_summation_add(&s, e * e / (2 * (1 - c->l1_share)));
    }
    return hsp_summation_value(&s);
}

static double value(const hsp_claim *c, int64_t k, double *r, int64_t outputs, double *v) {
    double share = 1, cost = 0, tilt;
    for (int64_t l = 0; l < outputs; l++) {
        combine(c, r, outputs, l, v, &tilt);
        share = fmin(share, allowed(c, v));
        cost += conjugate(c, v);
        if (strcmp(c->intercept, "penalised") == 0) cost += tilt * tilt / 2;
    }
    if (share < 1) { /* only with L1, where the conjugate costs nothing */
        cost *= share * share;
        for (int64_t t = 0; t < c->data->x.n * outputs; t++) r[t] *= share;
    }
    hsp_summation s = {0, 0};
    for (int64_t i = 0; i < c->data->x.n; i++)
        hsp_summation_add(&s, c->C * hsp_claim_weight(c, i) * dual(c, i, k, r + i * outputs, outputs));
    return hsp_summation_value(&s) - cost;
}

int hsp_claim_bound(const hsp_claim *c, int64_t k, double *bound, hsp_error **err) {
    *bound = NAN;
    if (strcmp(c->penalty, "none") == 0) return HSP_OK;
    int64_t n = c->data->x.n, outputs = c->joint ? c->m->outputs : 1;
    double *r = hsp_alloc(n * outputs, sizeof *r), *v = hsp_alloc(c->m->prepare.schema.d + 1, sizeof *v);
    double *sums = hsp_alloc(2 * outputs, sizeof *sums);
    int status = r && v && sums ? HSP_OK : hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < n; i++) {
        for (int64_t l = 0; l < outputs; l++) r[i * outputs + l] = hsp_claim_score(c, i, c->joint ? l : k);
        multipliers(c, i, k, r + i * outputs, outputs);
    }
    if (!status && strcmp(c->intercept, "free") == 0) {
        if (c->joint)
            repair_joint(c, r, outputs, sums, sums + outputs);
        else
            repair(c, r, outputs);
    }
    if (!status) *bound = fmax(0, value(c, k, r, outputs, v));
    if (!status && isnan(r[0])) *bound = NAN;
    hsp_free(r);
    hsp_free(v);
    hsp_free(sums);
    return status;
}
