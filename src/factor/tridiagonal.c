/* Reduction to tridiagonal form, from the last row up, so that reflections and matrix rows are contiguous: PANEL rows at a
 * time, whose effect on the rest of the matrix is one product (J. Dongarra, D. Sorensen, S. Hammarling, Block reduction of
 * matrices to condensed forms, J. Comput. Appl. Math. 27 (1989)). The other half of the work is a product with a vector for
 * each row. */
#include "factor/tridiagonal.h"

#include "base/memory.h"
#include "factor/factor.h"
#include "factor/reflect.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <string.h>

enum { PANEL = 32 };

/* Rows i of V = A (a reflection of i numbers) and of W (w of the same): A - V'W - W'V is the matrix so far. `last` is the
 * end of the panel, W its rows from `first` on. */
static void update_row(double *A, int64_t d, int64_t i, int64_t first, int64_t last, const double *W) {
    double *row = A + i * d;
    for (int64_t p = last - 1; p > i; p--) {
        const double *v = A + p * d, *w = W + (p - first) * d;
        double a = v[i], b = w[i];
        hsp_axpy_f64(-a, w, row, i + 1);
        hsp_axpy_f64(-b, v, row, i + 1);
    }
}

/* w = tau (A v - half of its part along v), the second vector of the update by reflection v of length i. */
static void second_vector(const double *A, int64_t d, int64_t i, int64_t first, int64_t last, double tau, const double *W,
                          double *w) {
    const double *v = A + i * d;
    hsp_level_now()->triangle.symmetric(i, A, d, v, w);
    for (int64_t p = last - 1; p > i; p--) {
        const double *other = A + p * d, *second = W + (p - first) * d;
        double a = hsp_dot_f64(second, v, i), b = hsp_dot_f64(other, v, i);
        hsp_axpy_f64(-a, other, w, i);
        hsp_axpy_f64(-b, second, w, i);
    }
    hsp_scale_f64(tau, w, i);
    hsp_axpy_f64(-0.5 * tau * hsp_dot_f64(w, v, i), v, w, i);
}

int hsp_tridiagonal(double *A, int64_t d, double *e, double *off, double *tau) {
    double *W = hsp_alloc(PANEL * d, sizeof *W);
    if (!W) return HSP_EMEMORY;
    hsp_product_room room;
    hsp_product_open(&room, d);
    bool stopped = false;
    for (int64_t last = d; last > 1 && !(stopped = hsp_factor_stopped(d));) {
        int64_t first = last - PANEL > 1 ? last - PANEL : 1;
        for (int64_t i = last - 1; i >= first; i--) {
            double *row = A + i * d, *w = W + (i - first) * d;
            update_row(A, d, i, first, last, W);
            e[i] = row[i];
            tau[i] = hsp_reflector(row + i - 1, row, i - 1);
            off[i - 1] = row[i - 1];
            row[i - 1] = 1;
            second_vector(A, d, i, first, last, tau[i], W, w);
        }
        hsp_factor_side V = {A + first * d, d, false}, second = {W, d, false};
        hsp_add_product(&room, first, first, last - first, -1, V, second, A, d, true);
        hsp_add_product(&room, first, first, last - first, -1, second, V, A, d, true);
        last = first;
    }
    e[0] = A[0];
    hsp_product_close(&room);
    hsp_free(W);
    return stopped ? HSP_ECANCELLED : HSP_OK;
}

/* Q' = H_1 H_2 ...: blocks of reflections, each on the leading part that is not yet a row of the identity. */
int hsp_tridiagonal_basis(double *A, int64_t d, const double *tau, double *P) {
    double *work = hsp_alloc(2 * d * HSP_REFLECTIONS, sizeof *work);
    if (!work) return HSP_EMEMORY;
    hsp_product_room room;
    hsp_product_open(&room, d);
    for (int64_t i = 0; i < d; i++) P[i * d + i] = 1;
    bool stopped = false;
    for (int64_t first = 1; first < d && !(stopped = hsp_factor_stopped(d)); first += HSP_REFLECTIONS) {
        int64_t end = first + HSP_REFLECTIONS < d ? first + HSP_REFLECTIONS : d, m = end - 1;
        for (int64_t i = first; i < end; i++) memset(A + i * d + i, 0, (size_t)(m - i) * sizeof *A);
        hsp_reflections h = {A + first * d, tau + first, end - first, m, d};
        hsp_reflect_rows(&room, &h, false, P, d, m, work);
    }
    hsp_product_close(&room);
    hsp_free(work);
    return stopped ? HSP_ECANCELLED : HSP_OK;
}
