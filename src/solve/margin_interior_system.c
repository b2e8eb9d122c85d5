/* See margin_interior.h. */
#include "solve/margin_interior.h"

#include "base/memory.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <math.h>

int hsp_interior_system_init(hsp_interior_system *s, const hsp_margin *m, hsp_error **err) {
    const hsp_design *D = m->design;
    int64_t n = D->n, d = D->d;
    *s = (hsp_interior_system){.D = D,
                               .offset = m->intercept != HSP_INTERCEPT_NONE,
                               .kappa = m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0,
                               .drop = 1e-6,
                               .enough = 1e-6};
    double room = (double)hsp_memory_limit() / sizeof(double), side = (double)d + 1;
    if (2 * side * side > room) /* the product needs copies or tiles besides */
        return hsp_fail(err, HSP_EUSAGE, "interior-point: a matrix of %lld x %lld numbers has no room: use another solver",
                        (long long)d, (long long)d);
    s->W = hsp_alloc_zero(n, sizeof *s->W);
    s->t = hsp_alloc(n, sizeof *s->t);
    s->A = hsp_alloc(d * d, sizeof *s->A);
    s->scale = hsp_alloc(d, sizeof *s->scale);
    s->m = hsp_alloc(d, sizeof *s->m);
    s->r = hsp_alloc(d, sizeof *s->r);
    s->z = hsp_alloc(d, sizeof *s->z);
    s->p = hsp_alloc(d, sizeof *s->p);
    s->Hp = hsp_alloc(d, sizeof *s->Hp);
    return s->W && s->t && s->A && s->scale && s->m && s->r && s->z && s->p && s->Hp ? HSP_OK : hsp_fail_memory(err);
}

void hsp_interior_system_free(hsp_interior_system *s) {
    hsp_free(s->W);
    hsp_free(s->t);
    hsp_free(s->A);
    hsp_free(s->scale);
    hsp_free(s->m);
    hsp_free(s->r);
    hsp_free(s->z);
    hsp_free(s->p);
    hsp_free(s->Hp);
}

/* ---- the factor ---- */

/* A <- its scaled Cholesky factor. The upper triangle keeps the matrix, for another try with a larger shift. */
static void factorise(hsp_interior_system *s) {
    int64_t d = s->D->d;
    double *A = s->A;
    for (int64_t j = 0; j < d; j++) {
        double diagonal = A[j * d + j] + 1;
        s->scale[j] = diagonal > 0 && isfinite(diagonal) ? 1 / sqrt(diagonal) : 0;
    }
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i + 1; j < d; j++) A[i * d + j] *= s->scale[i] * s->scale[j];
    for (double shift = 0; shift <= 1; shift = shift > 0 ? 100 * shift : 1e-15) {
        for (int64_t i = 0; i < d; i++) {
            A[i * d + i] = 1 + shift;
            for (int64_t j = 0; j < i; j++) A[i * d + j] = A[j * d + i];
        }
        if (hsp_cholesky(A, d) == 0) return;
    }
    for (int64_t i = 0; i < d; i++) { /* numbers that are no numbers: the diagonal has to do */
        for (int64_t j = 0; j < i; j++) A[i * d + j] = 0;
        A[i * d + i] = 1;
    }
}

/* The rows' weights in t, those that hardly matter left out; their sum. */
static double select_rows(hsp_interior_system *s) {
    int64_t n = s->D->n;
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, s->W[i]);
    for (int64_t i = 0; i < n; i++) s->t[i] = s->W[i] >= s->drop * most ? s->W[i] : 0;
    return hsp_sum_f64(s->t, n);
}

int hsp_interior_system_set(hsp_interior_system *s) {
    const hsp_design *D = s->D;
    double S = select_rows(s), *m = s->offset ? s->m : NULL;
    s->S = hsp_sum_f64(s->W, D->n);
    if (m) {
        hsp_design_adjoint(D, s->t, m);
        hsp_scale_f64(S > 0 ? 1 / S : 0, m, D->d);
    }
    int status = hsp_design_gram(D, s->t, m, NULL, 1, s->A, NULL);
    if (status) return status;
    if (s->kappa > 0) { /* a penalised intercept gives back a part of what centring takes away */
        double back = S / (S + s->kappa) * s->kappa;
        for (int64_t j = 0; j < D->d; j++) hsp_axpy_f64(back * m[j], m, s->A + j * D->d, D->d);
    }
    factorise(s);
    return HSP_OK;
}

/* ---- the solution ---- */

static void precondition(const hsp_interior_system *s, const double *r, double *z) {
    int64_t d = s->D->d;
    for (int64_t j = 0; j < d; j++) z[j] = r[j] * s->scale[j];
    hsp_cholesky_solve(s->A, d, z, 1);
    for (int64_t j = 0; j < d; j++) z[j] *= s->scale[j];
}

/* The intercept that goes with the scores t = X v, for the right-hand side rb. */
static double intercept_of(const hsp_interior_system *s, const double *t, double rb) {
    if (!s->offset || !(s->S + s->kappa > 0)) return 0;
    return (rb - hsp_dot_f64(s->W, t, s->D->n)) / (s->S + s->kappa);
}

/* r = X'(e - W beta) - w with the intercept's own right-hand side rb eliminated; e is used up. */
static double reduce(hsp_interior_system *s, double *e, const double *w, double b) {
    int64_t n = s->D->n, d = s->D->d;
    double rb = 0;
    if (s->offset) {
        rb = hsp_sum_f64(e, n) - s->kappa * b;
        hsp_axpy_f64(-rb / (s->S + s->kappa), s->W, e, n);
    }
    hsp_design_adjoint(s->D, e, s->r);
    hsp_axpy_f64(-1, w, s->r, d);
    return rb;
}

/* v'Hv for t = X v; leaves W (t + beta) in t. */
static double curvature(hsp_interior_system *s, const double *v) {
    int64_t n = s->D->n;
    double beta = intercept_of(s, s->t, 0), sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double t = s->t[i] + beta;
        s->t[i] = s->W[i] * t;
        sum += s->t[i] * t;
    }
    return sum + hsp_dot_f64(v, v, s->D->d) + s->kappa * beta * beta;
}

double hsp_interior_system_solve(hsp_interior_system *s, double *e, const double *w, double b, int most, double *dw,
                                 double *db, double *change) {
    int64_t n = s->D->n, d = s->D->d;
    double *r = s->r, *z = s->z, *p = s->p, rb = reduce(s, e, w, b);
    precondition(s, r, z);
    double rz = hsp_dot_f64(r, z, d), first = rz;
    for (int64_t j = 0; j < d; j++) p[j] = z[j], dw[j] = 0;
    for (int64_t i = 0; i < n; i++) change[i] = 0;
    for (int k = 0; k < most && rz > s->enough * s->enough * first; k++) {
        hsp_design_scores(s->D, p, 0, s->t);
        for (int64_t i = 0; i < n; i++) e[i] = s->t[i];
        double step = rz / curvature(s, p), before = rz;
        hsp_axpy_f64(step, p, dw, d);
        hsp_axpy_f64(step, e, change, n);
        if (k + 1 == most) break;
        hsp_design_adjoint(s->D, s->t, s->Hp);
        hsp_axpy_f64(1, p, s->Hp, d);
        hsp_axpy_f64(-step, s->Hp, r, d);
        precondition(s, r, z);
        rz = hsp_dot_f64(r, z, d);
        for (int64_t j = 0; j < d; j++) p[j] = z[j] + rz / before * p[j];
    }
    *db = intercept_of(s, change, rb);
    for (int64_t i = 0; i < n; i++) change[i] += *db;
    return first > 0 ? sqrt(fmax(rz, 0) / first) : 0;
}
