/* Eigenvectors, singular vectors and QR. To LAPACK a row-major matrix is its transpose, so left and right singular vectors
 * swap and nothing is copied. The `_work` functions take workspaces from our allocator, in the size that LAPACK advises.
 * Numbers that are not finite are rejected: some of LAPACK's loops would not end. */
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/one_thread.h"

#include <lapacke.h>
#include <math.h>

static bool all_finite(const double *A, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(A[i])) return false;
    return true;
}

/* The size of a workspace from the answer to a query, a number in work[0]. */
static int64_t workspace_size(double best) {
    return best >= 1 && best < 9e15 ? (int64_t)ceil(best) : 1;
}

int hsp_eigen(double *A, int64_t d, double *e) {
    if (d <= 0) return HSP_OK;
    if (d > INT32_MAX || !all_finite(A, d * d)) return HSP_EINTERNAL;
    lapack_int N = (lapack_int)d, least = 0, info;
    double best = 0;
    info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', N, A, N, e, &best, -1, &least, -1);
    if (info != 0 || best > INT32_MAX) return HSP_EINTERNAL;
    double *work = hsp_alloc(workspace_size(best), sizeof *work);
    lapack_int *integers = hsp_alloc(least > 0 ? least : 1, sizeof *integers);
    int status = work && integers ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        hsp_one_thread_begin();
        info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', N, A, N, e, work, (lapack_int)workspace_size(best), integers,
                                   least);
        hsp_one_thread_end();
        if (info != 0 || !all_finite(e, d)) status = HSP_EINTERNAL;
    }
    HSP_FREE(work, integers);
    return status;
}

/* A (rows x columns, column-major) = U S Vt with min(rows, columns) of each. */
static int divide_and_conquer(double *A, lapack_int rows, lapack_int columns, double *s, double *U, double *Vt) {
    lapack_int rank = rows < columns ? rows : columns;
    double best = 0;
    lapack_int info =
        LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, columns, A, rows, s, U, rows, Vt, rank, &best, -1, NULL);
    if (info != 0 || best > INT32_MAX) return HSP_EINTERNAL;
    double *work = hsp_alloc(workspace_size(best), sizeof *work);
    lapack_int *integers = hsp_alloc(8 * (int64_t)rank, sizeof *integers);
    int status = work && integers ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        hsp_one_thread_begin();
        info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, columns, A, rows, s, U, rows, Vt, rank, work,
                                   (lapack_int)workspace_size(best), integers);
        hsp_one_thread_end();
        if (info != 0 || !all_finite(s, rank)) status = HSP_EINTERNAL;
    }
    HSP_FREE(work, integers);
    return status;
}

int hsp_svd(double *A, int64_t n, int64_t d, double *s, double *U, double *Vt) {
    if (n <= 0 || d <= 0) return HSP_OK;
    if (n > INT32_MAX || d > INT32_MAX || !all_finite(A, n * d)) return HSP_EINTERNAL;
    double *unused = NULL;
    if (!U) { /* LAPACK computes both or neither */
        U = unused = hsp_alloc(n * (n < d ? n : d), sizeof *U);
        if (!U) return HSP_EMEMORY;
    }
    int status = divide_and_conquer(A, (lapack_int)d, (lapack_int)n, s, Vt, U);
    hsp_free(unused);
    return status;
}

int hsp_pivoted_qr(double *A, int64_t n, int64_t d, int64_t *order, double *diagonal) {
    if (n <= 0 || d <= 0) return HSP_OK;
    if (n > INT32_MAX || d > INT32_MAX || !all_finite(A, n * d)) return HSP_EINTERNAL;
    int64_t rank = n < d ? n : d;
    double best = 0, *tau = hsp_alloc(rank, sizeof *tau), *work = NULL;
    lapack_int *pivot = hsp_alloc_zero(d, sizeof *pivot);
    int status = tau && pivot ? HSP_OK : HSP_EMEMORY;
    lapack_int N = (lapack_int)n, columns = (lapack_int)d, info = 0;
    if (!status) {
        info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, N, columns, A, N, pivot, tau, &best, -1);
        if (info != 0 || best > INT32_MAX) status = HSP_EINTERNAL;
    }
    if (!status && !(work = hsp_alloc(workspace_size(best), sizeof *work))) status = HSP_EMEMORY;
    if (!status) {
        hsp_one_thread_begin();
        info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, N, columns, A, N, pivot, tau, work, (lapack_int)workspace_size(best));
        hsp_one_thread_end();
        if (info != 0) status = HSP_EINTERNAL;
    }
    for (int64_t j = 0; !status && j < d; j++) order[j] = pivot[j] - 1;
    for (int64_t j = 0; !status && j < rank; j++) diagonal[j] = fabs(A[j * n + j]);
    HSP_FREE(tau, pivot, work);
    return status;
}

int hsp_qr_append(double *R, int64_t d, double *B, int64_t count) {
    enum { PANEL = 32 };
    if (d <= 0 || count <= 0) return HSP_OK;
    if (d > INT32_MAX || count > INT32_MAX) return HSP_EINTERNAL;
    lapack_int N = (lapack_int)d, M = (lapack_int)count, panel = d < PANEL ? N : PANEL;
    double *T = hsp_alloc(d * panel, sizeof *T), *work = hsp_alloc(d * panel, sizeof *work);
    int status = T && work ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        hsp_one_thread_begin();
        lapack_int info = LAPACKE_dtpqrt_work(LAPACK_COL_MAJOR, M, N, 0, panel, R, N, B, M, T, panel, work);
        hsp_one_thread_end();
        if (info != 0) status = HSP_EINTERNAL;
    }
    HSP_FREE(T, work);
    return status;
}
