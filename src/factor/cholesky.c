/* Cholesky factorisation. LAPACK is column-major: the lower triangle of a row-major symmetric matrix is the upper one there,
 * and A = U'U with U = L' in the same memory. LAPACK's `_work` functions neither allocate nor check for NaN. */
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/one_thread.h"

#include <lapacke.h>
#include <math.h>

/* Right-hand sides per call, whose number must fit a lapack_int. */
enum { AT_ONCE = 1 << 20 };

/* The order of the first leading minor whose last row is not finite; 0: all are. */
static int64_t first_not_finite(const double *A, int64_t d) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++)
            if (!isfinite(A[i * d + j])) return i + 1;
    return 0;
}

int64_t hsp_cholesky(double *A, int64_t d) {
    if (d <= 0) return 0;
    if (d > INT32_MAX) return d; /* exceeds any memory */
    int64_t bad = first_not_finite(A, d);
    if (bad) return bad;
    hsp_one_thread_begin();
    lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)d, A, (lapack_int)d);
    hsp_one_thread_end();
    if (info != 0) return info > 0 ? info : 1;
    for (int64_t i = 0; i < d; i++)
        if (!(A[i * d + i] > 0 && isfinite(A[i * d + i]))) return i + 1;
    return 0;
}

/* A x = b, or L x = b when forward. */
static void solve_sides(const double *L, int64_t d, double *B, int64_t count, bool forward) {
    if (d <= 0) return;
    lapack_int N = (lapack_int)d;
    hsp_one_thread_begin();
    for (int64_t k = 0; k < count; k += AT_ONCE) {
        lapack_int sides = (lapack_int)(count - k < AT_ONCE ? count - k : AT_ONCE);
        if (forward)
            LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'T', 'N', N, sides, L, N, B + k * d, N);
        else
            LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', N, sides, L, N, B + k * d, N);
    }
    hsp_one_thread_end();
}

void hsp_cholesky_solve(const double *L, int64_t d, double *B, int64_t count) {
    solve_sides(L, d, B, count, false);
}

void hsp_cholesky_forward(const double *L, int64_t d, double *B, int64_t count) {
    solve_sides(L, d, B, count, true);
}

static void scale_rows(double *B, int64_t d, const double *scale, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        for (int64_t j = 0; j < d; j++) B[k * d + j] *= scale[j];
}

void hsp_cholesky_solve_scaled(const double *L, int64_t d, const double *scale, double *B, int64_t count) {
    scale_rows(B, d, scale, count);
    hsp_cholesky_solve(L, d, B, count);
    scale_rows(B, d, scale, count);
}

void hsp_matrix_scale_upper(double *A, int64_t d, const double *scale) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = i + 1; j < d; j++) A[i * d + j] *= scale[i] * scale[j];
}

double hsp_cholesky_shifted(double *A, int64_t d, double shift, double first) {
    for (; shift <= 1; shift = shift > 0 ? 100 * shift : first) {
        for (int64_t i = 0; i < d; i++) {
            A[i * d + i] = 1 + shift;
            for (int64_t j = 0; j < i; j++) A[i * d + j] = A[j * d + i];
        }
        if (hsp_cholesky(A, d) == 0) return shift;
    }
    return INFINITY;
}

void hsp_cholesky_identity(double *A, int64_t d) {
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < i; j++) A[i * d + j] = 0;
        A[i * d + i] = 1;
    }
}

double hsp_cholesky_rcond(const double *L, int64_t d, double norm) {
    if (d <= 0) return 1;
    if (!(norm > 0 && isfinite(norm))) return 0;
    double rcond = NAN, *work = hsp_alloc(3 * d, sizeof *work);
    lapack_int *integers = hsp_alloc(d, sizeof *integers);
    if (work && integers) {
        hsp_one_thread_begin();
        lapack_int info =
            LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'U', (lapack_int)d, L, (lapack_int)d, norm, &rcond, work, integers);
        hsp_one_thread_end();
        if (info != 0 || !isfinite(rcond)) rcond = 0;
    }
    HSP_FREE(work, integers);
    return rcond;
}

double hsp_matrix_norm1(const double *A, int64_t d) {
    double top = 0;
    for (int64_t i = 0; i < d; i++) {
        double sum = 0;
        for (int64_t j = 0; j < d; j++) sum += fabs(A[i * d + j]);
        if (!(sum <= top)) top = sum; /* not sum > top: NaN is kept */
        if (isnan(top)) break;
    }
    return top;
}
