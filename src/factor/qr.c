/* QR factorisations: with column pivoting, column by column; and of rows appended to a triangle, by blocks of columns. */
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/pivoting.h"
#include "factor/reflect.h"
#include "factor/scale.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PANEL = 32 };

/* ---- with column pivoting (P. Businger, G. Golub 1965) ---- */

static void swap_columns(double *A, int64_t n, int64_t a, int64_t b) {
    for (int64_t i = 0; i < n; i++) {
        double t = A[a * n + i];
        A[a * n + i] = A[b * n + i];
        A[b * n + i] = t;
    }
}

/* The length of column j below row k from the one before, or measured where too many digits of it cancelled: Z. Drmac, Z.
 * Bujanovic, On the failure of rank-revealing QR factorization software, ACM TOMS 35 (2008). last: when it was measured. */
static void shorten(const double *A, int64_t n, int64_t k, int64_t j, double *length, double *last) {
    if (length[j] == 0) return;
    double f = A[j * n + k] / length[j], left = fmax(0, (1 + f) * (1 - f)), ratio = length[j] / last[j];
    if (left * ratio * ratio <= sqrt(DBL_EPSILON))
        length[j] = last[j] = hsp_length(A + j * n + k + 1, n - k - 1);
    else
        length[j] *= sqrt(left);
}

int hsp_pivot_columns(double *A, int64_t n, int64_t d, int64_t *order, double *tau, double *length, double *last) {
    int64_t rank = n < d ? n : d;
    for (int64_t j = 0; j < d; j++) {
        order[j] = j;
        length[j] = last[j] = hsp_length(A + j * n, n);
    }
    for (int64_t k = 0; k < rank; k++) {
        int64_t top = k;
        if (k % PANEL == 0 && hsp_factor_stopped(n < d ? d : n)) return HSP_ECANCELLED;
        for (int64_t j = k + 1; j < d; j++)
            if (length[j] > length[top]) top = j;
        if (top != k) {
            int64_t t = order[k];
            swap_columns(A, n, k, top);
            order[k] = order[top];
            order[top] = t;
            length[top] = length[k];
            last[top] = last[k];
        }
        double *v = A + k * n + k;
        tau[k] = hsp_reflector(v, v + 1, n - k - 1);
        for (int64_t j = k + 1; j < d; j++) {
            double *a = A + j * n + k, f = tau[k] * (a[0] + hsp_dot_f64(v + 1, a + 1, n - k - 1));
            a[0] -= f;
            hsp_axpy_f64(-f, v + 1, a + 1, n - k - 1);
            shorten(A, n, k, j, length, last);
        }
    }
    return HSP_OK;
}

int hsp_pivoted_qr(double *A, int64_t n, int64_t d, int64_t *order, double *diagonal) {
    if (n <= 0 || d <= 0) return HSP_OK;
    if (!hsp_all_finite(A, n * d)) return HSP_EINTERNAL;
    int64_t rank = n < d ? n : d;
    double *work = hsp_alloc(rank + 2 * d, sizeof *work);
    if (!work) return HSP_EMEMORY;
    int e = hsp_scale_to_one(A, n * d);
    int status = hsp_pivot_columns(A, n, d, order, work, work + rank, work + rank + d);
    hsp_free(work);
    if (status) return status;
    if (e != 0) hsp_scale_back(A, n * d, e);
    for (int64_t j = 0; j < rank; j++) diagonal[j] = fabs(A[j * n + j]);
    return HSP_OK;
}

/* ---- rows appended ---- */

typedef struct appended {
    double *R, *B;
    int64_t d, count;
    double *T, *W, *Z; /* PANEL x PANEL; two of PANEL x d */
    hsp_product_room room;
} appended;

/* Columns j to end, one reflection each, of R_jj and the column of B. */
static void reduce_panel(appended *q, int64_t j, int64_t end, double *tau) {
    for (int64_t k = j; k < end; k++) {
        double *v = q->B + k * q->count;
        tau[k - j] = hsp_reflector(q->R + k * q->d + k, v, q->count);
        for (int64_t c = k + 1; c < end; c++) {
            double *r = q->R + c * q->d + k, *b = q->B + c * q->count, f = tau[k - j] * (*r + hsp_dot_f64(v, b, q->count));
            *r -= f;
            hsp_axpy_f64(-f, v, b, q->count);
        }
    }
}

/* The columns after the panel: W = T' (R + V'B) of its rows, R -= W, B -= V W. */
static void reduce_rest(appended *q, int64_t j, int64_t end, const double *tau) {
    int64_t k = end - j, rest = q->d - end;
    /* The unit parts of the reflections are orthogonal to each other: only the parts in B count. */
    hsp_reflections h = {q->B + j * q->count, tau, k, q->count, q->count};
    if (rest == 0) return;
    hsp_reflections_triangle(&h, q->T);
    hsp_factor_side V = {q->B + j * q->count, q->count, true}, rows = {q->B + end * q->count, q->count, true};
    for (int64_t p = 0; p < k; p++)
        for (int64_t c = 0; c < rest; c++) q->W[p * rest + c] = q->R[(end + c) * q->d + j + p];
    hsp_add_product(&q->room, k, rest, q->count, 1, V, rows, q->W, rest, false);
    memset(q->Z, 0, (size_t)(k * rest) * sizeof *q->Z);
    hsp_add_product(&q->room, k, rest, k, 1, (hsp_factor_side){q->T, k, false}, (hsp_factor_side){q->W, rest, false}, q->Z,
                    rest, false);
    for (int64_t p = 0; p < k; p++)
        for (int64_t c = 0; c < rest; c++) q->R[(end + c) * q->d + j + p] -= q->Z[p * rest + c];
    hsp_add_product(&q->room, rest, q->count, k, -1, (hsp_factor_side){q->Z, rest, false},
                    (hsp_factor_side){V.x, q->count, false}, q->B + end * q->count, q->count, false);
}

int hsp_qr_append(double *R, int64_t d, double *B, int64_t count) {
    if (d <= 0 || count <= 0) return HSP_OK;
    int64_t panel = d < PANEL ? d : PANEL;
    double tau[PANEL], *work = hsp_alloc(panel * panel + 2 * panel * d, sizeof *work);
    if (!work) return HSP_EMEMORY;
    appended q = {.R = R, .B = B, .d = d, .count = count, .T = work, .W = work + panel * panel};
    q.Z = q.W + panel * d;
    hsp_product_open(&q.room, d > count ? d : count);
    bool stopped = false;
    for (int64_t j = 0; j < d && !(stopped = hsp_factor_stopped(d)); j += PANEL) {
        int64_t end = j + PANEL < d ? j + PANEL : d;
        reduce_panel(&q, j, end, tau);
        reduce_rest(&q, j, end, tau);
    }
    hsp_product_close(&q.room);
    hsp_free(work);
    return stopped ? HSP_ECANCELLED : HSP_OK;
}
