/* Eigenvalues and eigenvectors of a symmetric matrix: reflections to tridiagonal form (tridiagonal.c), whose product is
 * formed, then rotations (rotations.c) of its rows. */
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/scale.h"
#include "factor/tridiagonal.h"

#include <math.h>
#include <string.h>

/* The rows of P into A in ascending order of the eigenvalues. */
static void sort_rows(int64_t d, double *e, const double *P, int64_t *order, double *A) {
    for (int64_t k = 0; k < d; k++) {
        int64_t at = k;
        for (; at > 0 && e[order[at - 1]] > e[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    for (int64_t k = 0; k < d; k++) memcpy(A + k * d, P + order[k] * d, (size_t)d * sizeof *A);
}

int hsp_eigen(double *A, int64_t d, double *e) {
    if (d <= 0) return HSP_OK;
    if (!hsp_all_finite(A, d * d)) return HSP_EINTERNAL;
    double *P = hsp_alloc_zero(d * d, sizeof *P), *off = hsp_alloc(2 * d, sizeof *off);
    int64_t *order = hsp_alloc(d, sizeof *order);
    int status = P && off && order ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        int power = hsp_scale_to_one(A, d * d);
        status = hsp_tridiagonal(A, d, e, off, off + d);
        if (!status) status = hsp_tridiagonal_basis(A, d, off + d, P);
        if (!status) status = hsp_tridiagonal_solve(d, e, off, P);
        if (!status) {
            sort_rows(d, e, P, order, A);
            memcpy(off, e, (size_t)d * sizeof *e);
            for (int64_t k = 0; k < d; k++) e[k] = off[order[k]];
            hsp_scale_back(e, d, power);
            if (!hsp_all_finite(e, d)) status = HSP_EINTERNAL;
        }
    }
    HSP_FREE(P, off, order);
    return status;
}
