/* The linear system of interior.h. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/margin/interior.h"

#include <math.h>
#include <string.h>

/* A pivot of the scaled matrix below this means that rounding errors of the factor matter. */
static const double SMALL_PIVOT = 1e-9;
/* Products with the matrix in one solution, and the relative residual at which they end. */
enum { MOST_REPAIRS = 8 };
static const double REPAIRED = 1e-10;

int hsp_interior_system_init(hsp_interior_system *s, const hsp_margin *m, hsp_error **err) {
    const hsp_design *D = m->design;
    int64_t n = D->n, d = D->d;
    *s = (hsp_interior_system){.D = D,
                               .offset = m->intercept != HSP_INTERCEPT_NONE,
                               .kappa = m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0,
                               .drop = 1e-6,
                               .enough = 1e-6};
    double most = (double)hsp_memory_limit() / sizeof(double), side = (double)d + 1;
    if (2 * side * side > most) /* the product needs copies or tiles as well */
        return hsp_fail(
            err, HSP_EUSAGE,
            "interior-point needs a matrix of %lld x %lld numbers, more than fits in memory: use another solver",
            (long long)d, (long long)d);
    bool allocated = HSP_ALLOC_DOUBLES(n, &s->t) && HSP_ALLOC_DOUBLES(d * d, &s->A) &&
                     HSP_ALLOC_DOUBLES(d, &s->scale, &s->m, &s->r, &s->z, &s->p, &s->Hp, &s->x);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

void hsp_interior_system_free(hsp_interior_system *s) {
    HSP_FREE(s->t, s->A, s->scale, s->m, s->r, s->z, s->p, s->Hp, s->x);
}

/* ---- the factor ---- */

/* The least pivot of a factor, squared. */
static double least_pivot(const double *A, int64_t d) {
    double least = 1;
    for (int64_t j = 0; j < d; j++) least = fmin(least, A[j * d + j] * A[j * d + j]);
    return least;
}

/* A <- its scaled Cholesky factor. The upper triangle keeps the scaled matrix, for products. */
static void factorise(hsp_interior_system *s) {
    int64_t d = s->D->d;
    double *A = s->A;
    for (int64_t j = 0; j < d; j++) {
        double diagonal = A[j * d + j] + 1;
        s->scale[j] = diagonal > 0 && isfinite(diagonal) ? 1 / sqrt(diagonal) : 0;
    }
    hsp_matrix_scale_upper(A, d, s->scale);
    double shift = hsp_cholesky_shifted(A, d, 0, 1e-15);
    s->doubtful = shift > 0 || least_pivot(A, d) < SMALL_PIVOT;
    if (shift > 1) hsp_cholesky_identity(A, d); /* numbers that are not finite: the diagonal has to do */
}

int hsp_interior_system_set(hsp_interior_system *s, double heaviest) {
    const hsp_design *D = s->D;
    double least = s->drop * heaviest, *m = s->offset ? s->m : NULL;
    s->rows = 0;
    for (int64_t i = 0; i < D->n; i++) {
        bool in = s->W[i] >= least;
        s->t[i] = in ? s->W[i] : 0;
        s->rows += in;
    }
    for (int64_t j = 0; m && j < D->d; j++) m[j] = s->S > 0 ? s->XW[j] / s->S : 0;
    int status = hsp_design_gram(D, s->t, m, NULL, 1, s->A, NULL);
    if (status) return status;
    if (s->kappa > 0) { /* a penalised intercept undoes a part of the centring */
        double back = s->S / (s->S + s->kappa) * s->kappa;
        for (int64_t j = 0; j < D->d; j++) hsp_axpy_f64(back * m[j], m, s->A + j * D->d, D->d);
    }
    factorise(s);
    return HSP_OK;
}

/* ---- the solution ---- */

static void precondition(const hsp_interior_system *s, const double *r, double *z) {
    memcpy(z, r, (size_t)s->D->d * sizeof *z);
    hsp_cholesky_solve_scaled(s->A, s->D->d, s->scale, z, 1);
}

double hsp_interior_system_norm2(hsp_interior_system *s, const double *v) {
    precondition(s, v, s->z);
    return hsp_dot_f64(v, s->z, s->D->d);
}

/* out = (I + A) v by the matrix, x scratch. */
static void multiply_by_matrix(hsp_interior_system *s, const double *v, double *out) {
    int64_t d = s->D->d;
    double *x = s->x;
    for (int64_t j = 0; j < d; j++) out[j] = x[j] = s->scale[j] > 0 ? v[j] / s->scale[j] : 0;
    for (int64_t i = 0; i < d; i++) {
        const double *row = s->A + i * d + i + 1;
        out[i] += hsp_dot_f64(row, x + i + 1, d - i - 1);
        hsp_axpy_f64(x[i], row, out + i + 1, d - i - 1);
    }
    for (int64_t j = 0; j < d; j++) out[j] = s->scale[j] > 0 ? out[j] / s->scale[j] : 0;
}

/* The same by the data. */
static void multiply_by_data(hsp_interior_system *s, const double *v, double *out) {
    int64_t n = s->D->n, d = s->D->d;
    hsp_design_scores(s->D, v, 0, s->t);
    double beta = s->offset && s->S + s->kappa > 0 ? -hsp_dot_f64(s->XW, v, d) / (s->S + s->kappa) : 0;
    for (int64_t i = 0; i < n; i++) s->t[i] = s->W[i] * (s->t[i] + beta);
    hsp_design_adjoint(s->D, s->t, out);
    hsp_axpy_f64(1, v, out, d);
}

/* Conjugate gradients from dw = 0; s->r is the right-hand side and becomes the residual. Returns the share of the residual
 * that the first product left, which measures the accuracy of the factor. */
static double conjugate_gradients(hsp_interior_system *s, void (*product)(hsp_interior_system *, const double *, double *),
                                  int most, double enough, double *dw) {
    int64_t d = s->D->d;
    double *r = s->r, *z = s->z, *p = s->p, left = 0;
    precondition(s, r, z);
    double rz = hsp_dot_f64(r, z, d), first = rz;
    for (int64_t j = 0; j < d; j++) p[j] = z[j], dw[j] = 0;
    for (int k = 0; k < most && rz > enough * enough * first; k++) {
        product(s, p, s->Hp);
        double step = rz / hsp_dot_f64(p, s->Hp, d), before = rz;
        if (!isfinite(step)) break;
        hsp_axpy_f64(step, p, dw, d);
        hsp_axpy_f64(-step, s->Hp, r, d);
        precondition(s, r, z);
        rz = hsp_dot_f64(r, z, d);
        if (k == 0) left = sqrt(fmax(rz, 0) / first);
        for (int64_t j = 0; j < d; j++) p[j] = z[j] + rz / before * p[j];
    }
    return left;
}

double hsp_interior_system_solve(hsp_interior_system *s, const double *r, double rb, int most, double *dw) {
    int64_t d = s->D->d;
    double stiff = s->S + s->kappa, back = s->offset && stiff > 0 ? rb / stiff : 0, left = 0;
    for (int64_t j = 0; j < d; j++) s->r[j] = r[j] - (s->offset ? back * s->XW[j] : 0);
    if (most > 0)
        left = conjugate_gradients(s, multiply_by_data, most, s->enough, dw);
    else if (s->doubtful)
        conjugate_gradients(s, multiply_by_matrix, MOST_REPAIRS, REPAIRED, dw);
    else
        precondition(s, s->r, dw);
    return left;
}

double hsp_interior_system_intercept(const hsp_interior_system *s, const double *change, double rb) {
    if (!s->offset || !(s->S + s->kappa > 0)) return 0;
    return (rb - hsp_dot_f64(s->W, change, s->D->n)) / (s->S + s->kappa);
}
