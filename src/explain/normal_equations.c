#include "explain/normal_equations.h"

#include "base/error.h"
#include "design/design.h"
#include "design/gram.h"
#include "explain/symmetric.h"
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

/* ---- sums over the rows ---- */

/* mean, A's part of the features and r's, divided by the sum of weights. */
static int sum_moments(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err) {
    int64_t n = v->rows.n, d = v->rows.d;
    double mass, *cy = hsp_derivation_zeros(v, n);
    if (!cy) return hsp_fail_memory(err);
    int status = hsp_design_group_sums(v->design, v->rows.c, NULL, 1, &mass, q->mean, err);
    hsp_scale_f64(1 / v->rows.mass, q->mean, d);
    const double *centre = q->ones && v->intercept == HSP_INTERCEPT_FREE ? q->mean : NULL;
    if (!status && q->all) status = hsp_design_gram(v->design, v->rows.c, centre, NULL, 1, q->S, err);
    if (!status && q->all) hsp_scale_f64(1 / v->rows.mass, q->S, d * d);
    for (int64_t k = 0; !status && k < v->outputs; k++) {
        hsp_derivation_choose(v, k);
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += v->rows.c[i] * v->rows.y[i];
        q->target_mean[k] = sum /= v->rows.mass;
        for (int64_t i = 0; i < n; i++) cy[i] = v->rows.c[i] / v->rows.mass * (v->rows.y[i] - (centre ? sum : 0));
        hsp_design_adjoint(v->design, cy, q->s + k * d);
        /* about the mean row too: sum c (y - ybar) = 0 up to rounding */
        double rest = hsp_sum_f64(cy, n);
        for (int64_t j = 0; centre && j < d; j++) q->s[k * d + j] -= rest * centre[j];
    }
    return status;
}

/* A column that does not vary leaves rounding errors in S: they become 0. */
static void clean_constants(const hsp_derivation *v, hsp_normal_equations *q) {
    int64_t d = v->rows.d;
    for (int64_t j = 0; j < d; j++) {
        if (q->S[j * d + j] > 1e-24 * q->mean[j] * q->mean[j]) continue;
        for (int64_t i = 0; i < d; i++) q->S[i * d + j] = q->S[j * d + i] = 0;
        for (int64_t k = 0; k < v->outputs; k++) q->s[k * d + j] = 0;
    }
}

/* A and r with the row of ones, from the moments. */
static void border(const hsp_derivation *v, hsp_normal_equations *q) {
    int64_t d = v->rows.d, p = q->p, o = q->ones;
    bool centred = o && v->intercept == HSP_INTERCEPT_FREE;
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            q->A[(i + o) * p + j + o] = q->S[i * d + j] + (centred ? q->mean[i] * q->mean[j] : 0);
    for (int64_t j = 0; o && j < d; j++) q->A[j + 1] = q->A[(j + 1) * p] = q->mean[j];
    if (o) q->A[0] = 1;
    for (int64_t k = 0; k < v->outputs; k++) {
        if (o) q->r[k * p] = q->target_mean[k];
        for (int64_t j = 0; j < d; j++)
            q->r[k * p + j + o] = q->s[k * d + j] + (centred ? q->target_mean[k] * q->mean[j] : 0);
    }
}

static int allocate(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err) {
    int64_t d = v->rows.d, K = v->outputs;
    q->ones = v->intercept != HSP_INTERCEPT_NONE;
    q->p = d + q->ones;
    q->all = d <= HSP_EXPLAIN_COLUMNS;
    int64_t square = q->all ? q->p * q->p : 1;
    q->A = hsp_derivation_zeros(v, square);
    q->S = hsp_derivation_zeros(v, square);
    q->r = hsp_derivation_zeros(v, K * q->p);
    q->s = hsp_derivation_zeros(v, K * d);
    q->mean = hsp_derivation_zeros(v, d);
    q->target_mean = hsp_derivation_zeros(v, K);
    q->theta = hsp_derivation_zeros(v, K * q->p);
    q->w = hsp_derivation_zeros(v, K * d);
    q->b = hsp_derivation_zeros(v, K);
    return q->A && q->S && q->r && q->s && q->mean && q->target_mean && q->theta && q->w && q->b ? HSP_OK
                                                                                               : hsp_fail_memory(err);
}

int hsp_normal_equations_sum(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err) {
    int64_t k = v->k;
    int status = allocate(v, q, err);
    if (!status) status = sum_moments(v, q, err);
    hsp_derivation_choose(v, k);
    if (status || !q->all) return status;
    clean_constants(v, q);
    border(v, q);
    hsp_symmetric_chop(q->A, q->p);
    return HSP_OK;
}

/* ---- the solution ---- */

/* Takes the null directions out of w: of all solutions the one of minimum |w|. */
static int shorten(hsp_derivation *v, const hsp_symmetric *S, double *w, hsp_error **err) {
    int64_t d = S->d, rows = d - S->rank;
    double *N = hsp_derivation_zeros(v, rows * d + 1);
    if (!N) return hsp_fail_memory(err);
    memcpy(N, S->null, (size_t)(rows * d) * sizeof *N);
    for (int64_t r = 0; r < rows; r++) {
        double *u = N + r * d;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t t = 0; t < r; t++) hsp_axpy_f64(-hsp_dot_f64(N + t * d, u, d), N + t * d, u, d);
        hsp_scale_f64(1 / sqrt(hsp_dot_f64(u, u, d)), u, d);
        hsp_axpy_f64(-hsp_dot_f64(u, w, d), u, w, d);
    }
    return HSP_OK;
}

/* Solves about the means, where a free intercept is eliminated: b = ybar - w.xbar. */
int hsp_normal_equations_solve(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err) {
    int64_t d = v->rows.d, p = q->p;
    bool centred = q->ones && v->intercept == HSP_INTERCEPT_FREE, border_too = q->ones && !centred;
    int64_t size = border_too ? p : d;
    double *M = hsp_derivation_zeros(v, size * size), *x = hsp_derivation_zeros(v, size);
    hsp_symmetric S;
    if (!M || !x) return hsp_fail_memory(err);
    memcpy(M, border_too ? q->A : q->S, (size_t)(size * size) * sizeof *M);
    for (int64_t j = 0; j < size; j++) M[j * size + j] += q->lambda;
    int status = hsp_symmetric_new(v, M, size, &S, err);
    for (int64_t k = 0; !status && k < v->outputs; k++) {
        hsp_symmetric_solve(&S, border_too ? q->r + k * p : q->s + k * d, x);
        if (S.rank < size) status = shorten(v, &S, x, err);
        memcpy(q->w + k * d, x + border_too, (size_t)d * sizeof *x);
        q->b[k] = border_too ? x[0] : centred ? q->target_mean[k] - hsp_dot_f64(q->w + k * d, q->mean, d) : 0;
        if (q->ones) q->theta[k * p] = q->b[k];
        memcpy(q->theta + k * p + q->ones, q->w + k * d, (size_t)d * sizeof *x);
    }
    return status;
}

double hsp_normal_equations_residual(const hsp_derivation *v, const hsp_normal_equations *q) {
    double most = 0;
    for (int64_t k = 0; k < v->outputs; k++)
        for (int64_t i = 0; i < q->p; i++) {
            double sum = hsp_dot_f64(q->A + i * q->p, q->theta + k * q->p, q->p) - q->r[k * q->p + i];
            bool free_intercept = q->ones && i == 0 && v->intercept == HSP_INTERCEPT_FREE;
            most = fmax(most, fabs(sum + (free_intercept ? 0 : q->lambda * q->theta[k * q->p + i])));
        }
    return most;
}

double hsp_normal_equations_size(const hsp_normal_equations *q, int64_t outputs) {
    double most = 0;
    for (int64_t i = 0; i < outputs * q->p; i++) most = fmax(most, fabs(q->r[i]));
    return most;
}

void hsp_normal_equations_at(const hsp_derivation *v, const hsp_normal_equations *q, const double *e, const double *V,
                             double lambda, double spread, double out[2]) {
    int64_t d = v->rows.d;
    const double *s = q->s + v->k * d;
    double norm = 0, loss = spread;
    for (int64_t a = 0; a < d; a++) {
        double t = hsp_dot_f64(V + a * d, s, d), x = e[a] + lambda > 1e-13 * e[d - 1] ? t / (e[a] + lambda) : 0;
        norm += x * x;
        loss += x * x * e[a] - 2 * x * t;
    }
    out[0] = sqrt(norm);
    out[1] = loss / 2;
}
