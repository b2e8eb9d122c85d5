/* Cholesky factorisation by blocks: the block on the diagonal, the rows below it by forward substitution, then the rest of
 * the lower triangle less their products. The order of all sums depends on d alone. */
#include "base/memory.h"
#include "factor/add_product.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <math.h>
#include <string.h>

/* Columns of a block; of one in a block; beyond BLOCKED columns there are blocks. With FEW right-hand sides or less each is
 * solved alone. */
enum { BLOCK = 96, INNER = 24, BLOCKED = 192, FEW = 3 };

/* The order of the first leading minor whose last row is not finite; 0: all are. */
static int64_t first_not_finite(const double *A, int64_t d) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++)
            if (!isfinite(A[i * d + j])) return i + 1;
    return 0;
}

/* d <= INNER columns, one by one. */
static int64_t factorise_columns(double *A, int64_t step, int64_t d) {
    double column[INNER];
    for (int64_t k = 0; k < d; k++) {
        double pivot = A[k * step + k];
        if (!(pivot > 0 && isfinite(pivot))) return k + 1;
        A[k * step + k] = pivot = sqrt(pivot);
        for (int64_t i = k + 1; i < d; i++) A[i * step + k] = column[i] = A[i * step + k] / pivot;
        for (int64_t i = k + 1; i < d; i++)
            for (int64_t j = k + 1; j <= i; j++) A[i * step + j] -= column[i] * column[j];
    }
    return 0;
}

static int64_t factorise_blocks(hsp_product_room *room, double *A, int64_t step, int64_t d) {
    if (d <= INNER) return factorise_columns(A, step, d);
    const hsp_level *level = hsp_level_now();
    int64_t width = d > BLOCKED ? BLOCK : INNER;
    for (int64_t j = 0; j < d; j += width) {
        double *corner = A + j * step + j;
        if (hsp_factor_stopped(d)) return HSP_ECANCELLED;
        int64_t block = d - j < width ? d - j : width, rest = d - j - block;
        int64_t bad = factorise_blocks(room, corner, step, block);
        if (bad) return bad < 0 ? bad : j + bad;
        if (rest == 0) break;
        double *below = corner + block * step;
        hsp_triangle t = {.d = block, .l_step = step, .l = corner, .count = rest, .x_step = step, .x = below};
        level->triangle.forward(&t);
        hsp_factor_side rows = {below, step, true};
        hsp_add_product(room, rest, rest, block, -1, rows, rows, below + block, step, true);
    }
    return 0;
}

int64_t hsp_cholesky(double *A, int64_t d) {
    if (d <= 0) return 0;
    int64_t bad = first_not_finite(A, d);
    if (bad) return bad;
    hsp_product_room room;
    hsp_product_open(&room, d);
    bad = factorise_blocks(&room, A, d, d);
    hsp_product_close(&room);
    return bad;
}

/* ---- right-hand sides ---- */

static void forward_one(const double *L, int64_t d, double *x) {
    for (int64_t i = 0; i < d; i++) x[i] = (x[i] - hsp_dot_f64(L + i * d, x, i)) / L[i * d + i];
}

static void backward_one(const double *L, int64_t d, double *x) {
    for (int64_t i = d - 1; i >= 0; i--) {
        x[i] /= L[i * d + i];
        hsp_axpy_f64(-x[i], L + i * d, x, i);
    }
}

/* By blocks of unknowns, for all sides. */
static void forward_many(hsp_product_room *room, const double *L, int64_t d, double *B, int64_t count) {
    for (int64_t k = 0; k < d; k += BLOCK) {
        int64_t block = d - k < BLOCK ? d - k : BLOCK, end = k + block;
        hsp_triangle t = {.d = block, .l_step = d, .l = L + k * d + k, .count = count, .x_step = d, .x = B + k};
        hsp_level_now()->triangle.forward(&t);
        hsp_add_product(room, count, d - end, block, -1, (hsp_factor_side){B + k, d, true},
                        (hsp_factor_side){L + end * d + k, d, true}, B + end, d, false);
    }
}

static void backward_many(hsp_product_room *room, const double *L, int64_t d, double *B, int64_t count) {
    for (int64_t k = (d - 1) / BLOCK * BLOCK; k >= 0; k -= BLOCK) {
        int64_t block = d - k < BLOCK ? d - k : BLOCK;
        hsp_triangle t = {.d = block, .l_step = d, .l = L + k * d + k, .count = count, .x_step = d, .x = B + k};
        hsp_level_now()->triangle.backward(&t);
        hsp_add_product(room, count, k, block, -1, (hsp_factor_side){B + k, d, true},
                        (hsp_factor_side){L + k * d, d, false}, B, d, false);
    }
}

/* A x = b, or L x = b when forward. */
static void solve_sides(const double *L, int64_t d, double *B, int64_t count, bool forward) {
    if (d <= 0 || count <= 0) return;
    if (count <= FEW) {
        for (int64_t k = 0; k < count; k++) {
            forward_one(L, d, B + k * d);
            if (!forward) backward_one(L, d, B + k * d);
        }
        return;
    }
    hsp_product_room room;
    hsp_product_open(&room, d > count ? d : count);
    forward_many(&room, L, d, B, count);
    if (!forward) backward_many(&room, L, d, B, count);
    hsp_product_close(&room);
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

static void take_signs(int64_t d, const double *v, double *x) {
    for (int64_t i = 0; i < d; i++) x[i] = v[i] >= 0 ? 1 : -1;
}

static double norm_of(int64_t d, const double *v) {
    double sum = 0;
    for (int64_t i = 0; i < d; i++) sum += fabs(v[i]);
    return sum;
}

static int64_t greatest(int64_t d, const double *v) {
    int64_t at = 0;
    for (int64_t i = 1; i < d; i++)
        if (fabs(v[i]) > fabs(v[at])) at = i;
    return at;
}

/* v = A^-1 x */
static void apply_inverse(const double *L, int64_t d, const double *x, double *v) {
    memcpy(v, x, (size_t)d * sizeof *v);
    solve_sides(L, d, v, 1, false);
}

/* A lower bound of |A^-1|_1, mostly within a factor of 3: the gradient of |A^-1 x|_1, a convex function, leads from vertex
 * to vertex of the unit ball. W. Hager 1984; N. Higham, FORTRAN codes for estimating the one-norm of a real or complex
 * matrix, ACM TOMS 14 (1988), whose last vector catches matrices for which that ends early. x, v: d numbers each. */
static double inverse_norm(const double *L, int64_t d, double *x, double *v) {
    enum { MOST_STEPS = 5 };
    for (int64_t i = 0; i < d; i++) x[i] = 1 / (double)d;
    apply_inverse(L, d, x, v);
    double best = norm_of(d, v);
    if (d == 1) return best;
    take_signs(d, v, x);
    for (int step = 1; step < MOST_STEPS; step++) {
        apply_inverse(L, d, x, v);
        int64_t at = greatest(d, v);
        memset(x, 0, (size_t)d * sizeof *x);
        x[at] = 1;
        apply_inverse(L, d, x, v);
        double now = norm_of(d, v);
        if (!(now > best)) break;
        best = now;
        take_signs(d, v, x);
    }
    for (int64_t i = 0; i < d; i++) x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (double)(d - 1));
    apply_inverse(L, d, x, v);
    double other = 2 * norm_of(d, v) / (3 * (double)d);
    return other > best ? other : best;
}

double hsp_cholesky_rcond(const double *L, int64_t d, double norm) {
    if (d <= 0) return 1;
    if (!(norm > 0 && isfinite(norm))) return 0;
    double *work = hsp_alloc(2 * d, sizeof *work);
    if (!work) return NAN;
    double rcond = 1 / inverse_norm(L, d, work, work + d) / norm;
    hsp_free(work);
    return isfinite(rcond) ? rcond : 0;
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
