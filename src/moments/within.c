/* The inverse of a within-class covariance, by Cholesky where it is regular and by eigenvectors where it is not, both after
 * scaling the columns to unit variance: Jacobi scaling is within a factor d of the best diagonal scaling (van der Sluis 1969),
 * and makes the result independent of the units of the columns. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "moments/class_moments.h"

#include <math.h>
#include <string.h>

int hsp_within_new(double *S, int64_t d, hsp_within *out, hsp_error **err) {
    *out = (hsp_within){.d = d,
                        .A = S,
                        .scale = hsp_alloc(d, sizeof(double)),
                        .tile = hsp_alloc((2 * HSP_WITHIN_AT_ONCE + 1) * d, sizeof(double))};
    if (!out->scale || !out->tile) return hsp_fail_memory(err);
    out->diagonal = out->tile + 2 * HSP_WITHIN_AT_ONCE * d;
    for (int64_t j = 0; j < d; j++) {
        double root = sqrt(S[j * d + j]);
        out->scale[j] = root > 0 ? 1 / root : 0;
        out->varying += root > 0;
        if (!isfinite(root) || !isfinite(out->scale[j]))
            return hsp_fail(err, HSP_EINPUT, "the covariances are too large or too small to compute with: use other units");
    }
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) S[i * d + j] = S[i * d + j] * out->scale[i] * out->scale[j];
        out->diagonal[i] = 1;
    }
    return HSP_OK;
}

void hsp_within_clear(hsp_within *W) {
    HSP_FREE(W->A, W->scale, W->e, W->null, W->tile);
    *W = (hsp_within){0};
}

/* Restores A from above the diagonal, with the ridge. */
static void restore_matrix(hsp_within *W, double ridge) {
    int64_t d = W->d;
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < i; j++) W->A[i * d + j] = W->A[j * d + i];
        W->A[i * d + i] = W->diagonal[i] + ridge;
    }
    W->ridge = ridge;
}

int hsp_within_cholesky(hsp_within *W, double ridge, bool *regular, hsp_error **err) {
    restore_matrix(W, ridge);
    W->rank = W->varying;
    W->rcond = 0;
    double norm = hsp_matrix_norm1(W->A, W->d);
    if (hsp_cholesky(W->A, W->d) == 0) W->rcond = hsp_cholesky_rcond(W->A, W->d, norm);
    *regular = W->rcond > HSP_WITHIN_SINGULAR;
    return isnan(W->rcond) ? hsp_fail_memory(err) : HSP_OK;
}

/* r = b - A x, with A from above the diagonal; each entry of A is used for both its places. */
static void residual_of_solution(const hsp_within *W, const double *b, const double *x, double *r) {
    int64_t d = W->d;
    for (int64_t i = 0; i < d; i++) r[i] = b[i] - (W->diagonal[i] + W->ridge) * x[i];
    for (int64_t i = 0; i < d; i++) {
        const double *above = W->A + i * d + i + 1;
        r[i] -= hsp_dot_f64(above, x + i + 1, d - i - 1);
        hsp_axpy_f64(-x[i], above, r + i + 1, d - i - 1);
    }
}

static int eigen(hsp_within *W, hsp_error **err) {
    int64_t d = W->d;
    restore_matrix(W, 0);
    for (int64_t j = 0; j < d; j++)
        if (W->scale[j] == 0) W->A[j * d + j] = 0;
    W->e = hsp_alloc(d, sizeof *W->e);
    int status = W->e ? hsp_eigen(W->A, d, W->e) : HSP_EMEMORY;
    if (status) return hsp_factor_fail(status, "cannot compute the eigenvalues of the covariance: try --shrinkage auto", err);
    W->rank = 0;
    for (int64_t i = 0; i < d; i++) {
        if (!(W->e[i] > HSP_WITHIN_SINGULAR * W->e[d - 1])) W->e[i] = 0;
        W->rank += W->e[i] > 0;
    }
    return HSP_OK;
}

/* ---- a small null space ----
 * All eigenvectors of a large A cost more than the passes over the rows. If A is singular only in a few directions N, which
 * inverse iteration finds, A + N'N is regular, and its inverse is the pseudo-inverse on the complement of N. */

enum { FEW = 16, LARGE = 64, ROUNDS = 3 };
#define TINY_RIDGE 1e-10
/* Eigenvalues must be below HSP_WITHIN_SINGULAR or above this, relative to |A|, so that the null space is well defined. */
#define CLEAR 1e-7

/* Makes the rows orthonormal by Gram-Schmidt, twice for accuracy. False: they are dependent. */
static bool orthonormalise(double *N, int64_t count, int64_t d) {
    for (int64_t i = 0; i < count; i++) {
        double *v = N + i * d;
        for (int64_t round = 0; round < 2; round++) {
            for (int64_t l = 0; l < i; l++) hsp_axpy_f64(-hsp_dot_f64(N + l * d, v, d), N + l * d, v, d);
            double norm = sqrt(hsp_dot_f64(v, v, d));
            if (!(norm > 0 && isfinite(norm))) return false;
            hsp_scale_f64(1 / norm, v, d);
        }
    }
    return true;
}

/* Rotates the rows of N so that N A N' is diagonal; theta gets its entries, ascending. AN: FEW x d, scratch. */
static bool diagonalise(const hsp_within *W, double *N, double *AN, double *theta) {
    int64_t d = W->d;
    double T[FEW * FEW];
    memset(W->tile, 0, (size_t)d * sizeof *W->tile);
    for (int64_t i = 0; i < FEW; i++) residual_of_solution(W, W->tile, N + i * d, AN + i * d); /* -A v */
    for (int64_t i = 0; i < FEW; i++)
        for (int64_t l = 0; l < FEW; l++)
            T[i * FEW + l] = -hsp_dot_f64(N + (i < l ? i : l) * d, AN + (i < l ? l : i) * d, d);
    if (hsp_eigen(T, FEW, theta)) return false;
    memset(AN, 0, (size_t)(FEW * d) * sizeof *AN);
    for (int64_t i = 0; i < FEW; i++)
        for (int64_t l = 0; l < FEW; l++) hsp_axpy_f64(T[i * FEW + l], N + l * d, AN + i * d, d);
    memcpy(N, AN, (size_t)(FEW * d) * sizeof *N);
    return true;
}

/* An orthonormal basis of the null space of A, first in N. Returns its dimension, or 0 when that is not small or not well
 * defined. */
static int64_t find_null(hsp_within *W, double *N, double *AN) {
    int64_t d = W->d, count = 0;
    double theta[FEW], norm;
    hsp_rng r = hsp_rng_new(1, 0);
    restore_matrix(W, TINY_RIDGE);
    norm = hsp_matrix_norm1(W->A, d);
    if (hsp_cholesky(W->A, d) != 0) return 0;
    for (int64_t i = 0; i < FEW * d; i++) N[i] = W->scale[i % d] > 0 ? hsp_rng_normal(&r) : 0;
    for (int round = 0; round < ROUNDS; round++) {
        hsp_cholesky_solve(W->A, d, N, FEW);
        if (!orthonormalise(N, FEW, d)) return 0;
    }
    W->ridge = 0;
    if (!diagonalise(W, N, AN, theta)) return 0;
    while (count < FEW && theta[count] < HSP_WITHIN_SINGULAR * norm) count++;
    return count < FEW && theta[count] > CLEAR * norm ? count : 0;
}

/* Factorises A + N'N. False: not possible; A is then unchanged above the diagonal. */
static bool deflate(hsp_within *W, hsp_error **err, int *status) {
    int64_t d = W->d, count = 0;
    if (W->varying < LARGE) return false;
    double *N = hsp_alloc(2 * FEW * d, sizeof *N);
    if (!N) {
        *status = hsp_fail_memory(err);
        return false;
    }
    count = find_null(W, N, N + FEW * d);
    if (count == 0) {
        hsp_free(N);
        return false;
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < d; i++) {
            const double *v = N + k * d;
            W->diagonal[i] += v[i] * v[i];
            hsp_axpy_f64(v[i], v + i + 1, W->A + i * d + i + 1, d - i - 1);
        }
    W->null = N;
    W->nullity = count;
    bool regular = false;
    *status = hsp_within_cholesky(W, 0, &regular, err);
    W->rank = W->varying - count;
    return true;
}

int hsp_within_pseudo(hsp_within *W, hsp_error **err) {
    int status = HSP_OK;
    if (deflate(W, err, &status) || status) return status;
    return eigen(W, err);
}

static void project_out_null(const hsp_within *W, double *b) {
    for (int64_t k = 0; k < W->nullity; k++) {
        const double *v = W->null + k * W->d;
        hsp_axpy_f64(-hsp_dot_f64(v, b, W->d), v, b, W->d);
    }
}

static void scale_columns(const hsp_within *W, double *b) {
    for (int64_t j = 0; j < W->d; j++) b[j] *= W->scale[j];
}

/* Several at once, since the large factor is read once for all of them. */
static void solve_some(hsp_within *W, double *B, int64_t count) {
    int64_t d = W->d;
    double *X = W->tile, *R = W->tile + HSP_WITHIN_AT_ONCE * d;
    for (int64_t k = 0; k < count; k++) {
        scale_columns(W, B + k * d);
        project_out_null(W, B + k * d);
    }
    memcpy(X, B, (size_t)(count * d) * sizeof *X);
    hsp_cholesky_solve(W->A, d, X, count);
    for (int64_t k = 0; k < count; k++) residual_of_solution(W, B + k * d, X + k * d, R + k * d);
    hsp_cholesky_solve(W->A, d, R, count);
    for (int64_t k = 0; k < count; k++) {
        double *x = X + k * d;
        hsp_axpy_f64(1, R + k * d, x, d);
        project_out_null(W, x);
        for (int64_t j = 0; j < d; j++) B[k * d + j] = x[j] * W->scale[j];
    }
}

/* b = V' diag(1/e) V b over the positive eigenvalues. */
static void pseudo_solve_one(hsp_within *W, double *b) {
    int64_t d = W->d;
    double *x = W->tile;
    scale_columns(W, b);
    for (int64_t j = 0; j < d; j++) x[j] = 0;
    for (int64_t i = 0; i < d; i++)
        if (W->e[i] > 0) hsp_axpy_f64(hsp_dot_f64(W->A + i * d, b, d) / W->e[i], W->A + i * d, x, d);
    for (int64_t j = 0; j < d; j++) b[j] = x[j] * W->scale[j];
}

void hsp_within_solve(hsp_within *W, double *B, int64_t count) {
    for (int64_t k = 0; W->e && k < count; k++) pseudo_solve_one(W, B + k * W->d);
    for (int64_t k = 0; !W->e && k < count; k += HSP_WITHIN_AT_ONCE)
        solve_some(W, B + k * W->d, count - k < HSP_WITHIN_AT_ONCE ? count - k : HSP_WITHIN_AT_ONCE);
}

void hsp_within_whiten(hsp_within *W, double *B, int64_t count) {
    int64_t d = W->d;
    for (int64_t k = 0; k < count; k++) {
        double *b = B + k * d;
        scale_columns(W, b);
        project_out_null(W, b);
        for (int64_t i = 0; W->e && i < d; i++)
            W->tile[i] = W->e[i] > 0 ? hsp_dot_f64(W->A + i * d, b, d) / sqrt(W->e[i]) : 0;
        for (int64_t i = 0; W->e && i < d; i++) b[i] = W->tile[i];
    }
    if (!W->e) hsp_cholesky_forward(W->A, d, B, count);
}
