/* n >= d and ill-conditioned: without products of columns. The rows, centred, times the root of their weight, with columns
 * scaled to unit length, go block by block into a QR factorisation, with the targets as further columns; then the SVD of R,
 * d x d.
 *
 * Rank: the k-th singular value counts when it is above the rounding errors of the data. Scaled column j has noise of eps g_j,
 * where g_j is its length before centring over that after; along the singular vector v_k this is at most
 * eps sum_j g_j |v_kj|.
 *
 * The norm is minimised in the columns' own units, not in the scaled ones: from any solution the part in the null space (of
 * the unscaled matrix) is subtracted. Its basis comes from pivoted QR, which also finds the dependent columns. */
#include "base/error.h"
#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "squares/squares_frame.h"

#include <float.h>
#include <string.h>

typedef struct triangle {
    int64_t d, K, wide; /* wide = d + K */
    double *R;          /* wide x wide, column-major */
    double *s;          /* d: column scales; 1 for constant ones */
    double *g;          /* d: noise of each column */
} triangle;

/* Lengths of the columns, from the rows: there may be no Gram matrix. */
static void column_lengths(const hsp_squares_frame *f, triangle *q, double *tile, double *z) {
    for (int64_t j = 0; j < f->d; j++) q->s[j] = f->mu + f->kappa * f->m[j] * f->m[j];
    for (int64_t i = 0; i < f->n; i++) {
        double r = hsp_frame_root(f, i);
        if (r == 0) continue;
        hsp_frame_row(f, i, tile, z);
        for (int64_t j = 0; j < f->d; j++) q->s[j] += r * z[j] * (r * z[j]);
    }
    for (int64_t j = 0; j < f->d; j++) {
        double length2 = q->s[j];
        q->s[j] = length2 > 0 ? 1 / sqrt(length2) : 1;
        q->g[j] = length2 > 0 ? sqrt(1 + f->S * f->m[j] * f->m[j] / length2) : 1;
    }
}

typedef struct stack {
    double *B; /* block, column-major with `capacity` rows to a column */
    int64_t capacity, used;
} stack;

static int flush(triangle *q, stack *b) {
    int64_t used = b->used;
    if (used > 0 && used < b->capacity) /* columns closer together */
        for (int64_t j = 1; j < q->wide; j++) memmove(b->B + j * used, b->B + j * b->capacity, (size_t)used * sizeof *b->B);
    b->used = 0;
    return hsp_qr_append(q->R, q->wide, b->B, used);
}

/* One row: factor a, x (NULL: 0) and targets t (NULL: 0). */
static int push_row(triangle *q, stack *b, double a, const double *x, const double *t) {
    double *at = b->B + b->used;
    for (int64_t j = 0; j < q->d; j++) at[j * b->capacity] = x ? a * x[j] * q->s[j] : 0;
    for (int64_t k = 0; k < q->K; k++) at[(q->d + k) * b->capacity] = t ? a * t[k] : 0;
    return ++b->used == b->capacity ? flush(q, b) : HSP_OK;
}

static int factorise_rows(const hsp_squares_frame *f, triangle *q, double *tile, double *z) {
    stack b = {.capacity = q->wide > 256 ? q->wide : 256};
    if (!(b.B = hsp_alloc(b.capacity * q->wide, sizeof *b.B))) return HSP_EMEMORY;
    int status = HSP_OK;
    for (int64_t i = 0; !status && i < f->n; i++) {
        if (hsp_frame_root(f, i) == 0) continue;
        hsp_frame_row(f, i, tile, z);
        status = push_row(q, &b, hsp_frame_root(f, i), z, f->T + i * f->K);
    }
    if (!status && f->kappa > 0) status = push_row(q, &b, sqrt(f->kappa), f->m, f->y);
    memset(z, 0, (size_t)f->d * sizeof *z);
    for (int64_t j = 0; !status && f->mu > 0 && j < f->d; j++) {
        z[j] = 1;
        status = push_row(q, &b, sqrt(f->mu), z, NULL);
        z[j] = 0;
    }
    if (!status) status = flush(q, &b);
    hsp_free(b.B);
    return status;
}

/* ---- singular values ---- */

static int64_t rank_of(const triangle *q, const double *sigma, const double *Vt) {
    int64_t d = q->d, rank = 0;
    double floor = (double)(d > 32 ? d : 32) * DBL_EPSILON * sigma[0];
    for (int64_t k = 0; k < d; k++) {
        double noise = 0;
        for (int64_t j = 0; j < d; j++) noise += q->g[j] * fabs(Vt[k * d + j]);
        noise *= 8 * DBL_EPSILON;
        if (!(sigma[k] > (noise > floor ? noise : floor))) break;
        rank++;
    }
    return rank;
}

/* T_k = v_k S / sigma_k; w = T' U' (Q't) for each output. */
static void solve_by_triangle(const triangle *q, const double *sigma, const double *U, const double *Vt,
                              hsp_squares_answer *a) {
    int64_t d = q->d;
    for (int64_t k = 0; k < a->rank; k++)
        for (int64_t j = 0; j < d; j++) a->T[k * d + j] = Vt[k * d + j] * q->s[j] / sigma[k];
    memset(a->w, 0, (size_t)(q->K * d) * sizeof *a->w);
    for (int64_t o = 0; o < q->K; o++) {
        const double *t = q->R + (d + o) * q->wide;
        for (int64_t k = 0; k < a->rank; k++) {
            double u = 0;
            for (int64_t i = 0; i < d; i++) u += U[i * d + k] * t[i];
            hsp_axpy_f64(u, a->T + k * d, a->w + o * d, d);
        }
    }
}

/* ---- the null space ---- */

/* Coefficients of dependent column p (its place in the order) by the independent ones: R11 x = R12. */
static void back_substitute(const double *R, int64_t d, int64_t rank, int64_t p, double *x) {
    for (int64_t i = rank - 1; i >= 0; i--) {
        double v = R[p * d + i];
        for (int64_t j = i + 1; j < rank; j++) v -= R[j * d + i] * x[j];
        x[i] = v / R[i * d + i];
    }
}

/* An orthonormal basis N (d - rank rows of d) of the null space of the unscaled matrix. */
static void null_basis(const triangle *q, const double *R, const int64_t *order, int64_t rank, double *x, double *N) {
    int64_t d = q->d;
    for (int64_t p = rank; p < d; p++) {
        double *v = N + (p - rank) * d, top = 1;
        back_substitute(R, d, rank, p, x);
        for (int64_t i = 0; i < rank; i++) top = fmax(top, fabs(x[i]));
        memset(v, 0, (size_t)d * sizeof *v);
        /* Without rounding errors, which unfavourable units would magnify: they would relate independent columns. */
        for (int64_t i = 0; i < rank; i++)
            if (fabs(x[i]) > 1e3 * DBL_EPSILON * top) v[order[i]] = -x[i] * q->s[order[i]];
        v[order[p]] = q->s[order[p]];
        hsp_scale_f64(1 / sqrt(hsp_dot_f64(v, v, d)), v, d);
        for (int again = 0; again < 2; again++)
            for (int64_t e = 0; e < p - rank; e++) hsp_axpy_f64(-hsp_dot_f64(N + e * d, v, d), N + e * d, v, d);
        double length = sqrt(hsp_dot_f64(v, v, d));
        hsp_scale_f64(length > 0 ? 1 / length : 0, v, d);
    }
}

static int name_dependent(const hsp_squares_frame *f, const int64_t *order, hsp_squares_answer *a) {
    a->dependent = hsp_alloc(f->d - a->rank, sizeof *a->dependent);
    if (!a->dependent) return HSP_EMEMORY;
    for (int64_t p = a->rank; p < f->d; p++) {
        if (f->constant[order[p]]) continue;
        int64_t at = a->dependents++; /* in the order of the columns */
        for (; at > 0 && a->dependent[at - 1] > order[p]; at--) a->dependent[at] = a->dependent[at - 1];
        a->dependent[at] = order[p];
    }
    return HSP_OK;
}

/* The pivoted R of the triangle, the null space, the names. *N: d - rank rows, the caller's. */
static int find_null_space(const hsp_squares_frame *f, const triangle *q, hsp_squares_answer *a, double **N) {
    int64_t d = f->d;
    double *R = hsp_alloc_zero(d * d, sizeof *R), *x = hsp_alloc(2 * d, sizeof *x);
    int64_t *order = hsp_alloc(d, sizeof *order);
    *N = hsp_alloc((d - a->rank) * d, sizeof **N);
    int status = R && x && order && *N ? HSP_OK : HSP_EMEMORY;
    for (int64_t j = 0; !status && j < d; j++) memcpy(R + j * d, q->R + j * q->wide, (size_t)(j + 1) * sizeof *R);
    if (!status) status = hsp_pivoted_qr(R, d, d, order, x);
    if (!status) null_basis(q, R, order, a->rank, x, *N);
    if (!status) status = name_dependent(f, order, a);
    HSP_FREE(R, x, order);
    return status;
}

/* ---- together ---- */

static int decompose_triangle(hsp_squares_frame *f, triangle *q, hsp_squares_answer *a, double **N, hsp_error **err) {
    int64_t d = f->d;
    double *A = hsp_alloc_zero(d * d, sizeof *A), *U = hsp_alloc(d * d, sizeof *U), *Vt = hsp_alloc(d * d, sizeof *Vt);
    double *sigma = hsp_alloc(d, sizeof *sigma);
    int status = A && U && Vt && sigma ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; !status && i < d; i++)
        for (int64_t j = i; j < d; j++) A[i * d + j] = q->R[j * q->wide + i];
    if (!status) status = hsp_svd(A, d, d, sigma, U, Vt);
    if (!status) {
        a->rank = rank_of(q, sigma, Vt);
        a->condition = a->rank > 0 ? sigma[0] / sigma[a->rank - 1] : 1;
        a->T = hsp_alloc(a->rank > 0 ? a->rank * d : 1, sizeof *a->T);
        if (!a->T) status = HSP_EMEMORY;
    }
    if (!status) solve_by_triangle(q, sigma, U, Vt, a);
    if (!status && a->rank < d) status = find_null_space(f, q, a, N);
    if (status == HSP_EMEMORY || status == HSP_ECANCELLED) hsp_factor_fail(status, "", err);
    if (status == HSP_EINTERNAL) status = hsp_frame_extreme(f->p, err);
    HSP_FREE(A, U, Vt, sigma);
    return status;
}

int hsp_squares_by_qr(hsp_squares_frame *f, hsp_squares_answer *a, hsp_error **err) {
    int64_t d = f->d;
    triangle q = {.d = d, .K = f->K, .wide = d + f->K};
    double *tile = NULL, *z = NULL, *N = NULL;
    bool allocated = HSP_ALLOC_DOUBLES(q.wide * q.wide, &q.R) && HSP_ALLOC_DOUBLES(d, &q.s, &q.g, &tile, &z);
    int status = allocated ? HSP_OK : hsp_fail_memory(err);
    a->path = HSP_SQUARES_QR;
    if (!status) {
        column_lengths(f, &q, tile, z);
        status = factorise_rows(f, &q, tile, z);
        if (status) hsp_factor_fail(status, "", err);
    }
    if (!status) status = decompose_triangle(f, &q, a, &N, err);
    if (!status && N) {
        for (int again = 0; again < 2; again++)
            for (int64_t k = 0; k < f->K; k++)
                for (int64_t e = 0; e < d - a->rank; e++)
                    hsp_axpy_f64(-hsp_dot_f64(N + e * d, a->w + k * d, d), N + e * d, a->w + k * d, d);
    }
    HSP_FREE(q.R, q.s, q.g, tile, z, N);
    return status;
}
