#include "solve/newton/newton_factor.h"
#include "halfspace.h"

#include "factor/factor.h"

#include <math.h>

/* |A|_1 of a symmetric matrix with a diagonal of ones, from its upper triangle. */
static double upper_norm(const double *A, int64_t N) {
    double most = 0;
    for (int64_t j = 0; j < N; j++) {
        double sum = 1;
        for (int64_t i = 0; i < j; i++) sum += fabs(A[i * N + j]);
        for (int64_t k = j + 1; k < N; k++) sum += fabs(A[j * N + k]);
        if (sum > most) most = sum;
    }
    return most;
}

/* The upper triangle keeps the matrix, for another try. */
int hsp_newton_cholesky(double *A, int64_t N, const double *scale, double least, bool strict, bool *exact) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i + 1; j < N; j++) A[i * N + j] *= scale[i] * scale[j];
    double norm = strict ? upper_norm(A, N) : 0;
    for (double shift = 0; shift <= 1; shift = shift > 0 ? 100 * shift : least) {
        for (int64_t i = 0; i < N; i++) {
            A[i * N + i] = 1 + shift;
            for (int64_t j = 0; j < i; j++) A[i * N + j] = A[j * N + i];
        }
        if (hsp_cholesky(A, N) != 0) continue;
        double rcond = strict ? hsp_cholesky_rcond(A, N, norm) : 1;
        *exact = shift == 0;
        if (isnan(rcond)) return HSP_EMEMORY;
        if (rcond > least / 10) return HSP_OK;
    }
    for (int64_t i = 0; i < N; i++) { /* numbers that are no numbers: steps along the scaled gradient */
        for (int64_t j = 0; j < i; j++) A[i * N + j] = 0;
        A[i * N + i] = 1;
    }
    *exact = false;
    return HSP_OK;
}

int hsp_newton_factorise(double *A, int64_t N, double ridge, double *scale, bool *exact) {
    for (int64_t j = 0; j < N; j++) {
        double diagonal = A[j * N + j] + ridge;
        scale[j] = diagonal > 0 && isfinite(diagonal) ? 1 / sqrt(diagonal) : 0;
    }
    /* Without a penalty nothing holds the step where the Hessian is flat but rounding, which a small shift blows up. */
    return hsp_newton_cholesky(A, N, scale, ridge > 0 ? 1e-15 : 1e-11, !(ridge > 0), exact);
}

void hsp_newton_factor_solve(const double *A, int64_t N, const double *scale, const double *r, double *z) {
    for (int64_t j = 0; j < N; j++) z[j] = r[j] * scale[j];
    hsp_cholesky_solve(A, N, z, 1);
    for (int64_t j = 0; j < N; j++) z[j] *= scale[j];
}
