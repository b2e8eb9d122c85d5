/* d > n: the weights are a combination of the rows, w = sum_i a_i z_i, and with a_i = sqrt(c_i) alpha_i
 *
 *     (M + mu I) alpha = sqrt(c) t,     M_ij = sqrt(c_i c_j) z_i.z_j.
 *
 * Centred rows make M singular along q = sqrt(c / S). The right-hand side and the solution have no component there, so a
 * multiple of q q' is added for Cholesky (deflation). A penalised intercept is one more column of ones. If M is too
 * ill-conditioned: the SVD of the rows themselves, which gives the solution of minimum norm. */
#include "base/error.h"
#include "base/memory.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "squares/squares_frame.h"

#include <float.h>
#include <string.h>

static bool is_free(const hsp_squares_frame *f) {
    return f->p->intercept == HSP_INTERCEPT_FREE;
}

static bool has_ones(const hsp_squares_frame *f) {
    return f->p->intercept == HSP_INTERCEPT_PENALISED;
}

/* M + mu I + deflation, scaled to a unit diagonal. Rows without weight get a unit row. */
static int scaled_products(hsp_squares_frame *f, double *M, double *s, double *deflation, hsp_error **err) {
    int64_t n = f->n;
    double trace;
    int status = hsp_frame_products(f, has_ones(f), M, &trace, err);
    if (status) return status;
    *deflation = is_free(f) ? (trace > 0 ? trace : 1) / (double)f->rows : 0;
    if (*deflation > 0) hsp_frame_deflate(f, *deflation, M);
    for (int64_t i = 0; i < n; i++) {
        M[i * n + i] += f->mu;
        if (!isfinite(M[i * n + i])) return hsp_frame_extreme(f->p, err);
        s[i] = hsp_frame_root(f, i) > 0 && M[i * n + i] > 0 ? 1 / sqrt(M[i * n + i]) : 0;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) M[i * n + j] *= s[i] * s[j];
        if (hsp_frame_root(f, i) == 0) M[i * n + i] = 1;
    }
    return HSP_OK;
}

/* Removes the component along q from each of the K vectors. */
static void remove_component(const hsp_squares_frame *f, double *B) {
    if (!is_free(f)) return;
    for (int64_t k = 0; k < f->K; k++) {
        double *v = B + k * f->n, dot = 0;
        for (int64_t i = 0; i < f->n; i++) dot += hsp_frame_root(f, i) * v[i];
        for (int64_t i = 0; i < f->n; i++) v[i] -= dot / f->S * hsp_frame_root(f, i);
    }
}

/* w (and b, when it is a weight) from alpha (K x n). */
static int combine(hsp_squares_frame *f, const double *alpha, hsp_squares_answer *a, hsp_error **err) {
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t k = 0; k < f->K; k++) f->R[i * f->K + k] = hsp_frame_root(f, i) * alpha[k * f->n + i];
    for (int64_t k = 0; has_ones(f) && k < f->K; k++) {
        a->b[k] = 0;
        for (int64_t i = 0; i < f->n; i++) a->b[k] += f->R[i * f->K + k];
    }
    return hsp_design_adjoint_many(f->E, f->R, f->K, a->w, err);
}

static double relative_step(const hsp_squares_frame *f, const double *step, const double *alpha) {
    double worst = 0;
    for (int64_t k = 0; k < f->K; k++) {
        double up = hsp_dot_f64(step + k * f->n, step + k * f->n, f->n);
        double down = hsp_dot_f64(alpha + k * f->n, alpha + k * f->n, f->n), ratio = up == 0 ? 0 : sqrt(up / down);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

/* Iterative refinement. alpha: K x n twice, the second half for steps. */
static int solve_and_refine(hsp_squares_frame *f, double *alpha, hsp_squares_answer *a, bool *converged, hsp_error **err) {
    enum { MOST = 10 };
    int64_t n = f->n, K = f->K;
    double *step = alpha + K * n, last = INFINITY;
    for (int64_t k = 0; k < K; k++)
        for (int64_t i = 0; i < n; i++) alpha[k * n + i] = hsp_frame_root(f, i) * f->T[i * K + k];
    remove_component(f, alpha);
    hsp_cholesky_solve_scaled(a->L, n, a->scale, alpha, K);
    remove_component(f, alpha);
    int status = combine(f, alpha, a, err);
    for (int t = 0; !status && !*converged && t < MOST; t++) {
        /* The residual of the equations at alpha, with w = Z'a computed from it: K x n. */
        status = hsp_design_scores_many(f->E, a->w, has_ones(f) ? a->b : NULL, f->K, f->R, err);
        for (int64_t k = 0; !status && k < f->K; k++)
            for (int64_t i = 0; i < f->n; i++) {
                int64_t at = i * f->K + k;
                step[k * f->n + i] = hsp_frame_root(f, i) * (f->T[at] - f->R[at]) - f->mu * alpha[k * f->n + i];
            }
        if (status) break;
        remove_component(f, step);
        hsp_cholesky_solve_scaled(a->L, n, a->scale, step, K);
        remove_component(f, step);
        double size = relative_step(f, step, alpha);
        if (!(size < last / 2)) break; /* NaN too */
        hsp_axpy_f64(1, step, alpha, K * n);
        status = combine(f, alpha, a, err);
        *converged = size < 4 * DBL_EPSILON;
        last = size;
    }
    if (last < 1e-10) *converged = true;
    return status;
}

/* c_i r_i = mu a_i: to full relative accuracy even where the fit is nearly exact. */
static int keep_residuals(const hsp_squares_frame *f, const double *alpha, hsp_squares_answer *a) {
    a->residuals = hsp_alloc(f->n * f->K, sizeof *a->residuals);
    if (!a->residuals) return HSP_EMEMORY;
    for (int64_t t = 0; t < f->n * f->K; t++) {
        int64_t i = t / f->K, k = t % f->K;
        a->residuals[t] = hsp_frame_root(f, i) > 0 ? f->mu * alpha[k * f->n + i] / hsp_frame_root(f, i) : NAN;
    }
    return HSP_OK;
}

int hsp_squares_by_dual(hsp_squares_frame *f, bool insist, hsp_squares_answer *a, hsp_error **err) {
    int64_t n = f->n;
    a->path = HSP_SQUARES_DUAL;
    a->L = hsp_alloc(n * n, sizeof *a->L);
    a->scale = hsp_alloc(n, sizeof *a->scale);
    double *alpha = hsp_alloc(2 * f->K * n, sizeof *alpha), rcond = 0;
    bool converged = false;
    int status = a->L && a->scale && alpha ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = scaled_products(f, a->L, a->scale, &a->deflation, err);
    if (!status) {
        double norm = hsp_matrix_norm1(a->L, n);
        int64_t bad = hsp_cholesky(a->L, n);
        if (bad == 0) rcond = hsp_cholesky_rcond(a->L, n, norm);
        if (bad < 0) status = hsp_factor_fail((int)bad, "", err);
        if (isnan(rcond)) status = hsp_fail_memory(err);
    }
    a->condition = rcond > 0 ? 1 / sqrt(rcond) : INFINITY;
    a->rank = f->mu > 0 ? f->d : f->rows - is_free(f);
    if (!status && rcond > (insist ? 1e-15 : HSP_SQUARES_RCOND)) status = solve_and_refine(f, alpha, a, &converged, err);
    if (!status && !converged) a->path = HSP_SQUARES_SVD;
    if (!status && converged && f->mu > 0 && keep_residuals(f, alpha, a)) status = hsp_fail_memory(err);
    hsp_free(alpha);
    return status;
}

/* ---- SVD of the rows ---- */

static void weights(hsp_squares_frame *f, int64_t few, int64_t wide, const double *sigma, const double *U, const double *Vt,
                    hsp_squares_answer *a) {
    memset(a->w, 0, (size_t)(f->K * f->d) * sizeof *a->w);
    for (int64_t k = 0; k < f->K; k++) {
        if (has_ones(f)) a->b[k] = 0;
        for (int64_t r = 0; r < a->rank; r++) {
            double u = 0;
            for (int64_t i = 0; i < f->n; i++) u += U[i * few + r] * hsp_frame_root(f, i) * f->T[i * f->K + k];
            u *= sigma[r] / (sigma[r] * sigma[r] + f->mu);
            hsp_axpy_f64(u, Vt + r * wide, a->w + k * f->d, f->d);
            if (has_ones(f)) a->b[k] += u * Vt[r * wide + f->d];
        }
    }
}

/* 1 - h_i; the left vectors are complete when n <= d, so no difference from 1 is needed. */
static void spare(const hsp_squares_frame *f, int64_t few, const double *sigma, const double *U, hsp_squares_answer *a) {
    for (int64_t i = 0; i < f->n; i++) {
        double rest = is_free(f) ? -hsp_frame_root(f, i) * hsp_frame_root(f, i) / f->S : 0, total = 0;
        for (int64_t r = 0; r < few; r++) {
            double u2 = U[i * few + r] * U[i * few + r];
            total += u2;
            rest += r < a->rank ? u2 * f->mu / (sigma[r] * sigma[r] + f->mu) : u2;
        }
        a->spare[i] = few < f->n ? rest + (1 - total) : rest;
    }
}

int hsp_squares_by_svd(hsp_squares_frame *f, hsp_squares_answer *a, hsp_error **err) {
    int64_t n = f->n, d = f->d, wide = d + has_ones(f), few = n < wide ? n : wide;
    double *A = hsp_alloc(n * wide, sizeof *A), *U = hsp_alloc(n * few, sizeof *U), *Vt = hsp_alloc(few * wide, sizeof *Vt);
    double *sigma = hsp_alloc(few, sizeof *sigma), *tile = hsp_alloc(d, sizeof *tile);
    a->spare = hsp_alloc(n, sizeof *a->spare);
    a->path = HSP_SQUARES_SVD;
    int status = A && U && Vt && sigma && tile && a->spare ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        /* The weighted rows, n x wide (with a column of ones when the intercept is a weight). */
        for (int64_t i = 0; i < f->n; i++) {
            double *row = A + i * wide, r = hsp_frame_root(f, i);
            hsp_frame_row(f, i, tile, row);
            if (has_ones(f)) row[f->d] = 1;
            for (int64_t j = 0; j < wide; j++) row[j] *= r;
        }
        status = hsp_svd(A, n, wide, sigma, U, Vt);
    }
    if (!status) {
        double most = (double)(n > wide ? n : wide), noise = 4 * sqrt(f->S * hsp_dot_f64(f->m, f->m, d));
        double floor = DBL_EPSILON * fmax(most * sigma[0], noise);
        for (a->rank = 0; a->rank < few && sigma[a->rank] > floor;) a->rank++;
        a->condition = a->rank > 0 ? sigma[0] / sigma[a->rank - 1] : 1;
        weights(f, few, wide, sigma, U, Vt, a);
        spare(f, few, sigma, U, a);
    }
    if (!status && f->mu == 0) { /* for the bound */
        for (int64_t r = 0; r < a->rank; r++) hsp_scale_f64(1 / sigma[r], Vt + r * wide, wide);
        a->T = Vt;
        Vt = NULL;
    }
    if (status == HSP_EMEMORY || status == HSP_ECANCELLED) hsp_factor_fail(status, "", err);
    if (status == HSP_EINTERNAL) status = hsp_frame_extreme(f->p, err);
    HSP_FREE(A, U, Vt, sigma, tile);
    return status;
}
