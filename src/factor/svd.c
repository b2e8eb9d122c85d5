/* Singular values and vectors by QR with column pivoting and one-sided Jacobi rotations of the rows of R: Z. Drmac, K.
 * Veselic, New fast and accurate Jacobi SVD algorithm, SIAM J. Matrix Anal. Appl. 29 (2008). With the pivoting few sweeps
 * are needed; with the eigenvectors of RR' in advance only two or three.
 *
 * A tall matrix M = QRP', J R = diag(s) W with J orthogonal and the rows of W orthonormal: M = (QJ') diag(s) (WP'). A wide
 * matrix is decomposed as its transpose. */
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/pivoting.h"
#include "factor/reflect.h"
#include "factor/scale.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ROWS of the rows at a time stay in the cache; FEW rows are rotated from the start. Squares below NEGLIGIBLE (of numbers
 * up to 1) count as 0. */
enum { ROWS = 8, MOST_SWEEPS = 60, FEW = 24 };
static const double NEGLIGIBLE = 1e-285;

typedef struct jacobi {
    int64_t k;
    double *R, *J;  /* k x k; J NULL: not wanted */
    double *square; /* of the rows of R */
    double tolerance;
    bool rotated;
} jacobi;

/* Makes rows p and q orthogonal, unless they are up to rounding. */
static void rotate_rows(jacobi *t, int64_t p, int64_t q) {
    int64_t k = t->k;
    double *x = t->R + p * k, *y = t->R + q * k, a = t->square[p], b = t->square[q];
    if (a == 0 || b == 0) return;
    double dot = hsp_dot_f64(x, y, k);
    if (fabs(dot) <= t->tolerance * sqrt(a) * sqrt(b)) return;
    double zeta = (a - b) / (2 * dot), tan = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + tan * tan), s = c * tan;
    const hsp_triangle_kernels *kernels = &hsp_level_now()->triangle;
    kernels->rotate_pair(k, c, s, x, y);
    if (t->J) kernels->rotate_pair(k, c, s, t->J + p * k, t->J + q * k);
    t->square[p] = a + tan * dot;
    t->square[q] = b - tan * dot;
    if (!(t->square[q] > 0.01 * b && t->square[p] > 0.01 * a)) {
        t->square[p] = hsp_dot_f64(x, x, k);
        t->square[q] = hsp_dot_f64(y, y, k);
    }
    t->rotated = true;
}

static void measure_rows(jacobi *t) {
    for (int64_t i = 0; i < t->k; i++) {
        double *x = t->R + i * t->k;
        t->square[i] = hsp_dot_f64(x, x, t->k);
        if (t->square[i] < NEGLIGIBLE) {
            t->square[i] = 0;
            memset(x, 0, (size_t)t->k * sizeof *x);
        }
    }
}

/* All pairs of rows, ROWS by ROWS of them. False: stopped. */
static bool sweep(jacobi *t) {
    for (int64_t i = 0; i < t->k; i += ROWS) {
        if (hsp_factor_stopped(t->k)) return false;
        for (int64_t j = i; j < t->k; j += ROWS)
            for (int64_t p = i; p < i + ROWS && p < t->k; p++)
                for (int64_t q = j > p ? j : p + 1; q < j + ROWS && q < t->k; q++) rotate_rows(t, p, q);
    }
    return true;
}

/* R <- V R, J <- V, where RR' = V' diag(e) V: rows that are nearly orthogonal, the longest first. The eigenvalues
 * themselves are not used: squares have lost the small ones. */
static int precondition(jacobi *t) {
    int64_t k = t->k;
    double *V = hsp_alloc_zero(k * k, sizeof *V), *X = hsp_alloc_zero(k * k, sizeof *X), *e = hsp_alloc(k, sizeof *e);
    int status = V && X && e ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        hsp_product_room room;
        hsp_factor_side rows = {t->R, k, true};
        hsp_product_open(&room, k);
        hsp_add_product(&room, k, k, k, 1, rows, rows, V, k, true);
        status = hsp_eigen(V, k, e); /* of the lower triangle */
        for (int64_t i = 0; !status && i < k; i++) memcpy(X + i * k, V + (k - 1 - i) * k, (size_t)k * sizeof *X);
        memset(V, 0, (size_t)(k * k) * sizeof *V);
        if (!status) {
            hsp_add_product(&room, k, k, k, 1, (hsp_factor_side){X, k, true}, (hsp_factor_side){t->R, k, false}, V, k,
                            false);
            memcpy(t->R, V, (size_t)(k * k) * sizeof *V);
            if (t->J) memcpy(t->J, X, (size_t)(k * k) * sizeof *X);
        }
        hsp_product_close(&room);
    }
    HSP_FREE(V, X, e);
    return status;
}

static int orthogonalise(jacobi *t) {
    t->tolerance = DBL_EPSILON * fmax(4, sqrt((double)t->k));
    for (int sweeps = 0; sweeps < MOST_SWEEPS; sweeps++) {
        t->rotated = false;
        measure_rows(t);
        if (!sweep(t)) return HSP_ECANCELLED;
        if (!t->rotated) return HSP_OK;
    }
    return HSP_EINTERNAL;
}

/* A unit vector orthogonal to the first `count` rows of W, which are orthonormal, into row `count`: the unit vector that is
 * farthest from them, less its part along them. */
static void complete_row(double *W, int64_t k, int64_t count) {
    double *w = W + count * k, least = INFINITY;
    int64_t at = 0;
    for (int64_t j = 0; j < k; j++) {
        double inside = 0;
        for (int64_t i = 0; i < count; i++) inside += W[i * k + j] * W[i * k + j];
        if (inside < least) least = inside, at = j;
    }
    memset(w, 0, (size_t)k * sizeof *w);
    w[at] = 1;
    for (int again = 0; again < 3; again++) {
        for (int64_t i = 0; i < count; i++) hsp_axpy_f64(-hsp_dot_f64(W + i * k, w, k), W + i * k, w, k);
        hsp_scale_f64(1 / hsp_length(w, k), w, k);
    }
}

/* s and the rows of W from those of R, descending; order[i]: the row of R that became row i. */
static void sort_rows(const jacobi *t, int64_t *order, double *s, double *W) {
    int64_t k = t->k, rank = 0;
    for (int64_t i = 0; i < k; i++) {
        double size = t->square[i];
        int64_t at = i;
        for (; at > 0 && t->square[order[at - 1]] < size; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int64_t i = 0; i < k; i++) {
        const double *x = t->R + order[i] * k;
        s[i] = t->square[order[i]] > 0 ? hsp_length(x, k) : 0;
        rank += s[i] > 0;
        for (int64_t j = 0; j < k; j++) W[i * k + j] = s[i] > 0 ? x[j] / s[i] : 0;
    }
    for (int64_t i = rank; i < k; i++) complete_row(W, k, i);
}

/* Rows of L (k x n): row i of J, row order[i], times Q', the reflections below the diagonal of M. */
static int multiply_basis(const jacobi *t, const int64_t *order, double *M, int64_t n, const double *tau, double *L) {
    int64_t k = t->k;
    double *work = hsp_alloc(2 * k * HSP_REFLECTIONS, sizeof *work);
    if (!work) return HSP_EMEMORY;
    for (int64_t i = 0; i < k; i++) {
        memcpy(L + i * n, t->J + order[i] * k, (size_t)k * sizeof *L);
        memset(L + i * n + k, 0, (size_t)(n - k) * sizeof *L);
    }
    for (int64_t j = 0; j < k; j++) {
        memset(M + j * n, 0, (size_t)j * sizeof *M);
        M[j * n + j] = 1;
    }
    hsp_product_room room;
    hsp_product_open(&room, n);
    for (int64_t j = (k - 1) / HSP_REFLECTIONS * HSP_REFLECTIONS; j >= 0; j -= HSP_REFLECTIONS) {
        int64_t count = k - j < HSP_REFLECTIONS ? k - j : HSP_REFLECTIONS;
        hsp_reflections h = {M + j * n + j, tau + j, count, n - j, n};
        hsp_reflect_rows(&room, &h, true, L + j, n, k, work);
    }
    hsp_product_close(&room);
    hsp_free(work);
    return HSP_OK;
}

/* M (n x k, n >= k, column-major, overwritten) = L' diag(s) W, where the columns of W are in the order of those of M; L (k
 * x n) may be NULL. */
static int decompose(double *M, int64_t n, int64_t k, double *s, double *L, double *W) {
    double *R = hsp_alloc_zero(k * k, sizeof *R), *J = L ? hsp_alloc_zero(k * k, sizeof *J) : NULL;
    double *work = hsp_alloc(4 * k, sizeof *work), *row = work + 3 * k;
    int64_t *order = hsp_alloc(2 * k, sizeof *order), *pivot = order + k;
    int status = R && (J || !L) && work && order ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        int e = hsp_scale_to_one(M, n * k);
        jacobi t = {.k = k, .R = R, .J = J, .square = work + k};
        status = hsp_pivot_columns(M, n, k, pivot, work, work + k, work + 2 * k);
        for (int64_t i = 0; !status && i < k; i++) {
            for (int64_t j = i; j < k; j++) R[i * k + j] = M[j * n + i];
            if (J) J[i * k + i] = 1;
        }
        if (!status && k > FEW) status = precondition(&t);
        if (!status) status = orthogonalise(&t);
        if (!status) sort_rows(&t, order, s, W);
        if (!status && L) status = multiply_basis(&t, order, M, n, work, L);
        for (int64_t i = 0; !status && i < k; i++) {
            memcpy(row, W + i * k, (size_t)k * sizeof *row);
            for (int64_t j = 0; j < k; j++) W[i * k + pivot[j]] = row[j];
        }
        if (!status) hsp_scale_back(s, k, e);
        if (!status && !hsp_all_finite(s, k)) status = HSP_EINTERNAL;
    }
    HSP_FREE(R, J, work, order);
    return status;
}

static void transpose(const double *from, int64_t rows, int64_t columns, double *to) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}

/* A is tall: its transpose, row-major, is A column-major. */
static int decompose_tall(const double *A, int64_t n, int64_t d, double *s, double *U, double *Vt) {
    double *M = hsp_alloc(n * d, sizeof *M), *L = U ? hsp_alloc(n * d, sizeof *L) : NULL;
    int status = M && (L || !U) ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        transpose(A, n, d, M);
        status = decompose(M, n, d, s, L, Vt);
        if (!status && U) transpose(L, d, n, U);
    }
    HSP_FREE(M, L);
    return status;
}

int hsp_svd(double *A, int64_t n, int64_t d, double *s, double *U, double *Vt) {
    if (n <= 0 || d <= 0) return HSP_OK;
    if (!hsp_all_finite(A, n * d)) return HSP_EINTERNAL;
    if (n >= d) return decompose_tall(A, n, d, s, U, Vt);
    double *W = hsp_alloc(n * n, sizeof *W);
    if (!W) return HSP_EMEMORY;
    int status = decompose(A, d, n, s, Vt, W);
    if (!status && U) transpose(W, n, n, U);
    hsp_free(W);
    return status;
}
