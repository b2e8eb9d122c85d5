/* The inverse by LU factorisation with partial pivoting, by blocks of rows. */
#include "base/memory.h"
#include "factor/add_product.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 };

static void swap_rows(double *A, int64_t d, int64_t a, int64_t b) {
    for (int64_t j = 0; j < d; j++) {
        double t = A[a * d + j];
        A[a * d + j] = A[b * d + j];
        A[b * d + j] = t;
    }
}

/* Columns j to `end`, all rows below; whole rows are swapped. */
static int64_t factorise_panel(double *A, int64_t d, int64_t j, int64_t end, int64_t *order) {
    for (int64_t k = j; k < end; k++) {
        int64_t at = k;
        for (int64_t i = k + 1; i < d; i++)
            if (fabs(A[i * d + k]) > fabs(A[at * d + k])) at = i;
        double pivot = A[at * d + k];
        if (!(fabs(pivot) > 0 && isfinite(pivot))) return k + 1;
        if (at != k) {
            int64_t t = order[k];
            swap_rows(A, d, k, at);
            order[k] = order[at];
            order[at] = t;
        }
        for (int64_t i = k + 1; i < d; i++) {
            double f = A[i * d + k] /= pivot;
            for (int64_t c = k + 1; c < end; c++) A[i * d + c] -= f * A[k * d + c];
        }
    }
    return 0;
}

/* A = P'LU in place, the order of the rows in `order`. */
static int64_t factorise(hsp_product_room *room, double *A, int64_t d, int64_t *order) {
    for (int64_t j = 0; j < d; j += BLOCK) {
        int64_t end = j + BLOCK < d ? j + BLOCK : d, rest = d - end;
        int64_t bad = hsp_factor_stopped(d) ? HSP_ECANCELLED : factorise_panel(A, d, j, end, order);
        if (bad) return bad;
        for (int64_t k = j + 1; k < end; k++)
            for (int64_t p = j; p < k; p++) hsp_axpy_f64(-A[k * d + p], A + p * d + end, A + k * d + end, rest);
        hsp_add_product(room, rest, rest, end - j, -1, (hsp_factor_side){A + end * d + j, d, true},
                        (hsp_factor_side){A + j * d + end, d, false}, A + end * d + end, d, false);
    }
    return 0;
}

/* L U X = X in place. */
static void substitute(hsp_product_room *room, const double *A, int64_t d, double *X) {
    for (int64_t j = 0; j < d; j += BLOCK) {
        int64_t end = j + BLOCK < d ? j + BLOCK : d;
        for (int64_t k = j + 1; k < end; k++)
            for (int64_t p = j; p < k; p++) hsp_axpy_f64(-A[k * d + p], X + p * d, X + k * d, d);
        hsp_add_product(room, d - end, d, end - j, -1, (hsp_factor_side){A + end * d + j, d, true},
                        (hsp_factor_side){X + j * d, d, false}, X + end * d, d, false);
    }
    for (int64_t j = (d - 1) / BLOCK * BLOCK; j >= 0; j -= BLOCK) {
        int64_t end = j + BLOCK < d ? j + BLOCK : d;
        for (int64_t k = end - 1; k >= j; k--) {
            for (int64_t p = k + 1; p < end; p++) hsp_axpy_f64(-A[k * d + p], X + p * d, X + k * d, d);
            for (int64_t c = 0; c < d; c++) X[k * d + c] /= A[k * d + k];
        }
        hsp_add_product(room, j, d, end - j, -1, (hsp_factor_side){A + j, d, true}, (hsp_factor_side){X + j * d, d, false},
                        X, d, false);
    }
}

int64_t hsp_invert(double *A, int64_t d) {
    if (d <= 0) return 0;
    double *X = hsp_alloc_zero(d * d, sizeof *X);
    int64_t *order = hsp_alloc(d, sizeof *order), bad = HSP_EMEMORY;
    if (X && order) {
        hsp_product_room room;
        hsp_product_open(&room, d);
        for (int64_t i = 0; i < d; i++) order[i] = i;
        bad = factorise(&room, A, d, order);
        if (!bad) {
            for (int64_t i = 0; i < d; i++) X[i * d + order[i]] = 1;
            substitute(&room, A, d, X);
            memcpy(A, X, (size_t)(d * d) * sizeof *A);
        }
        hsp_product_close(&room);
    }
    HSP_FREE(X, order);
    return bad;
}
