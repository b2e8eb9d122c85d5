#include "solve/newton/newton_factor.h"

#include "factor/factor.h"
#include "halfspace.h"

#include <math.h>
#include <string.h>

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

int hsp_newton_cholesky(double *A, int64_t N, const double *scale, double least, bool strict, bool *exact) {
    hsp_matrix_scale_upper(A, N, scale);
    double norm = strict ? upper_norm(A, N) : 0;
    for (double shift = 0; (shift = hsp_cholesky_shifted(A, N, shift, least)) <= 1;
         shift = shift > 0 ? 100 * shift : least) {
        double rcond = strict ? hsp_cholesky_rcond(A, N, norm) : 1;
        *exact = shift == 0;
        if (isnan(rcond)) return HSP_EMEMORY;
        if (rcond > least / 10) return HSP_OK;
    }
    hsp_cholesky_identity(A, N); /* numbers that are not finite: steps along the scaled gradient */
    *exact = false;
    return HSP_OK;
}

int hsp_newton_factorise(double *A, int64_t N, double ridge, double *scale, bool *exact) {
    for (int64_t j = 0; j < N; j++) {
        double diagonal = A[j * N + j] + ridge;
        scale[j] = diagonal > 0 && isfinite(diagonal) ? 1 / sqrt(diagonal) : 0;
    }
    /* Without a penalty the step along flat directions of the Hessian is rounding, which a small shift amplifies. */
    return hsp_newton_cholesky(A, N, scale, ridge > 0 ? 1e-15 : 1e-11, !(ridge > 0), exact);
}

void hsp_newton_factor_solve(const double *A, int64_t N, const double *scale, const double *r, double *z) {
    memcpy(z, r, (size_t)N * sizeof *z);
    hsp_cholesky_solve_scaled(A, N, scale, z, 1);
}
