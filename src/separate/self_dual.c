#include "separate/self_dual.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

static double *numbers(int64_t count) {
    return hsp_alloc(count > 0 ? count : 1, sizeof(double));
}

int hsp_self_dual_init(hsp_self_dual *t, const hsp_cone *c, const double *Z, int64_t q, const bool *out, hsp_error **err) {
    int64_t n = c->n, p = c->p, d = c->d;
    *t = (hsp_self_dual){.cone = c, .Z = Z, .q = Z ? q : p, .own = *c, .mu = 1};
    q = t->q;
    hsp_self_dual_system *A = &t->system;
    hsp_self_dual_change *to = &t->change;
    double **const of_rows[] = {&t->rho,     &t->m, &t->s,   &t->av, &t->missing, &t->scratch,
                                &to->target, &A->W, &to->av, &to->s, &to->m,      &to->pull};
    double **const of_columns[] = {&t->v, &A->mean, &A->right, &to->v, &A->left, &A->jacobi};
    bool whole = true;
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) whole &= (*of_rows[k] = numbers(n)) != NULL;
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++) whole &= (*of_columns[k] = numbers(p)) != NULL;
    whole &= (A->G = numbers(d * d)) != NULL && (A->H = numbers(q * q)) != NULL;
    if (Z) whole &= (A->T = numbers(q * p)) != NULL && (A->TG = numbers(q * p)) != NULL;
    if (!whole) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        t->rho[i] = out && out[i] ? 0 : c->rho[i];
        t->rows += t->rho[i] != 0;
        t->m[i] = t->s[i] = 1;
        t->av[i] = 0;
    }
    memset(t->v, 0, (size_t)p * sizeof *t->v);
    t->own.rho = t->rho;
    return HSP_OK;
}

void hsp_self_dual_free(hsp_self_dual *t) {
    hsp_self_dual_system *A = &t->system;
    hsp_self_dual_change *to = &t->change;
    HSP_FREE(t->rho, t->v, t->m, t->s, t->av, t->missing, t->scratch, A->W, A->mean, A->right, A->left, A->G, A->jacobi,
             A->H, A->T, A->TG, to->v, to->av, to->m, to->s, to->target, to->pull);
    *t = (hsp_self_dual){0};
}

/* ---- the system A'WA, with the intercept accepted out by the weighted mean: v = (w, b) becomes (w, b + mean.w) ---- */

/* Rows of T: those of Z after that change; then H = T diag(G, mass) T'. */
static void reduce_to_basis(hsp_self_dual *t) {
    int64_t p = t->cone->p, d = t->cone->d, q = t->q;
    memcpy(t->system.T, t->Z, (size_t)(q * p) * sizeof *t->system.T);
    for (int64_t k = 0; k < q; k++) {
        double *row = t->system.T + k * p;
        if (t->cone->free) row[d] += hsp_dot_f64(row, t->system.mean, d);
        for (int64_t j = 0; j < d; j++) t->system.TG[k * p + j] = hsp_dot_f64(t->system.G + j * d, row, d);
        if (t->cone->free) t->system.TG[k * p + d] = t->system.mass * row[d];
    }
    for (int64_t k = 0; k < q; k++)
        for (int64_t l = 0; l <= k; l++)
            t->system.H[k * q + l] = t->system.H[l * q + k] = hsp_dot_f64(t->system.TG + k * p, t->system.T + l * p, p);
}

static void embed(hsp_self_dual *t) {
    int64_t p = t->cone->p, d = t->cone->d;
    for (int64_t j = 0; j < d; j++) memcpy(t->system.H + j * p, t->system.G + j * d, (size_t)d * sizeof *t->system.H);
    if (!t->cone->free) return;
    for (int64_t j = 0; j < d; j++) t->system.H[j * p + d] = t->system.H[d * p + j] = 0;
    t->system.H[d * p + d] = t->system.mass;
}

/* Factorises H scaled to a unit diagonal; if that fails, with a growing ridge. Coordinates without a trace in H get 0. */
static int factorise_normal_matrix(hsp_self_dual *t) {
    int64_t q = t->q;
    double more = 0;
    for (int attempt = 0; attempt < 6; attempt++, more = more == 0 ? 1e-15 * (double)(q + 10) : 30 * more) {
        if (t->Z)
            reduce_to_basis(t);
        else
            embed(t);
        double top = 0;
        for (int64_t k = 0; k < q; k++) top = fmax(top, t->system.H[k * q + k]);
        for (int64_t k = 0; k < q; k++) {
            double h = t->system.H[k * q + k];
            t->system.jacobi[k] = h > 1e-30 * top ? 1 / sqrt(h) : 0;
        }
        for (int64_t k = 0; k < q; k++)
            for (int64_t l = 0; l < q; l++) t->system.H[k * q + l] *= t->system.jacobi[k] * t->system.jacobi[l];
        for (int64_t k = 0; k < q; k++) t->system.H[k * q + k] = 1 + more;
        if (hsp_cholesky(t->system.H, q) == 0) return HSP_OK;
    }
    return HSP_EINTERNAL;
}

static int make_system(hsp_self_dual *t, hsp_error **err) {
    const hsp_cone *c = t->cone;
    for (int64_t i = 0; i < c->n; i++) {
        t->system.W[i] = t->rho[i] != 0 ? t->m[i] / t->s[i] : 0;
        t->change.target[i] = t->system.W[i] * t->rho[i] * t->rho[i];
    }
    int status = HSP_OK;
    if (c->free) status = hsp_design_group_sums(c->design, t->change.target, NULL, 1, &t->system.mass, t->system.mean, err);
    for (int64_t j = 0; c->free && j < c->d; j++) t->system.mean[j] /= t->system.mass;
    if (!status)
        status = hsp_design_gram(c->design, t->change.target, c->free ? t->system.mean : NULL, NULL, 1, t->system.G, err);
    return status ? status : factorise_normal_matrix(t);
}

/* x (p) = H^-1 y (p), y is overwritten. */
static void solve_once(hsp_self_dual *t, double *y, double *x) {
    int64_t p = t->cone->p, d = t->cone->d, q = t->q;
    if (!t->Z && t->cone->free) hsp_axpy_f64(-y[d], t->system.mean, y, d);
    if (t->Z) { /* acts on v itself */
        for (int64_t k = 0; k < q; k++) x[k] = hsp_dot_f64(t->Z + k * p, y, p);
        memcpy(y, x, (size_t)q * sizeof *y);
    }
    for (int64_t k = 0; k < q; k++) y[k] *= t->system.jacobi[k];
    hsp_cholesky_solve(t->system.H, q, y, 1);
    for (int64_t k = 0; k < q; k++) y[k] *= t->system.jacobi[k];
    if (t->Z) {
        memset(x, 0, (size_t)p * sizeof *x);
        for (int64_t k = 0; k < q; k++) hsp_axpy_f64(y[k], t->Z + k * p, x, p);
    } else {
        memcpy(x, y, (size_t)p * sizeof *x);
        if (t->cone->free) x[d] -= hsp_dot_f64(t->system.mean, x, d);
    }
}

static double size_of(const double *x, int64_t n) {
    double top = 0;
    for (int64_t i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
    return top;
}

/* dv with  A'WA dv = A' r,  and adv = A dv; refined, since the weights span many orders of magnitude. */
static void solve_refined(hsp_self_dual *t) {
    int64_t n = t->cone->n, p = t->cone->p;
    hsp_cone_adjoint(&t->own, t->change.pull, t->scratch, t->system.right);
    solve_once(t, t->system.right, t->change.v);
    hsp_cone_apply(&t->own, t->change.v, t->change.av);
    double before = INFINITY;
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < n; i++) t->change.s[i] = t->change.pull[i] - t->system.W[i] * t->change.av[i];
        hsp_cone_adjoint(&t->own, t->change.s, t->scratch, t->system.right);
        double now = size_of(t->system.right, p);
        if (!(now < 0.5 * before) || now == 0) break;
        before = now;
        solve_once(t, t->system.right, t->system.left);
        for (int64_t j = 0; j < p; j++) t->change.v[j] += t->system.left[j];
        hsp_cone_apply(&t->own, t->change.v, t->change.av);
    }
}

/* ---- a step ---- */

/* The direction towards  m s = sigma mu,  minus the product of the predictor's changes if `corrected`. */
static void find_change(hsp_self_dual *t, double sigma, bool corrected) {
    double eta = 1 - sigma;
    int64_t n = t->cone->n;
    for (int64_t i = 0; i < n; i++) {
        if (t->rho[i] == 0) {
            t->change.pull[i] = t->change.target[i] = 0;
            continue;
        }
        t->change.target[i] = sigma * t->mu - t->m[i] * t->s[i] - (corrected ? t->change.m[i] * t->change.s[i] : 0);
        t->change.pull[i] = t->change.target[i] / t->s[i] + eta * (t->system.W[i] * t->missing[i] + t->m[i]);
    }
    solve_refined(t);
    for (int64_t i = 0; i < n; i++) {
        t->change.s[i] = t->rho[i] != 0 ? t->change.av[i] - eta * t->missing[i] : 0;
        t->change.m[i] = t->rho[i] != 0 ? t->change.target[i] / t->s[i] - t->system.W[i] * t->change.s[i] : 0;
    }
}

static double longest(const hsp_self_dual *t) {
    double a = INFINITY;
    for (int64_t i = 0; i < t->cone->n; i++) {
        if (t->change.m[i] < 0) a = fmin(a, -t->m[i] / t->change.m[i]);
        if (t->change.s[i] < 0) a = fmin(a, -t->s[i] / t->change.s[i]);
    }
    return a;
}

static int take_step(hsp_self_dual *t) {
    double a = fmin(1, 0.995 * longest(t)), sum = 0;
    if (!(a > 1e-9)) return HSP_EINTERNAL;
    for (int64_t j = 0; j < t->cone->p; j++) t->v[j] += a * t->change.v[j];
    if (!isfinite(size_of(t->v, t->cone->p))) return HSP_EINTERNAL;
    for (int64_t i = 0; i < t->cone->n; i++) {
        if (t->rho[i] == 0) continue;
        t->m[i] += a * t->change.m[i];
        t->s[i] += a * t->change.s[i];
        sum += t->m[i] * t->s[i];
    }
    t->mu = sum / (double)t->rows;
    return isfinite(t->mu) && t->mu > 0 ? HSP_OK : HSP_EINTERNAL;
}

int hsp_self_dual_step(hsp_self_dual *t, hsp_error **err) {
    int64_t n = t->cone->n;
    if (t->rows == 0 || t->q == 0) return HSP_EINTERNAL;
    for (int64_t i = 0; i < n; i++) t->missing[i] = t->rho[i] != 0 ? t->s[i] - t->av[i] : 0;
    int status = make_system(t, err);
    if (status) return status;
    find_change(t, 0, false);
    /* The centring depends on how much of the gap the predictor would leave. */
    double a = fmin(1, longest(t)), sum = 0;
    for (int64_t i = 0; i < n; i++)
        if (t->rho[i] != 0) sum += (t->m[i] + a * t->change.m[i]) * (t->s[i] + a * t->change.s[i]);
    double ratio = sum / (double)t->rows / t->mu;
    find_change(t, fmin(0.9, fmax(1e-4, ratio * ratio * ratio)), true);
    status = take_step(t);
    if (status) return status;
    hsp_cone_apply(&t->own, t->v, t->av);
    t->least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        if (t->rho[i] != 0) t->least = fmin(t->least, t->av[i]);
    return HSP_OK;
}
