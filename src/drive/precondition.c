/* The sample leaves out rows, so that the diagonal of a block may be too small, or 0 for a rare column: what all rows have
 * more is added. Without a factor columns are taken about their weighted means, where the intercept is independent of them. */
#include "drive/precondition.h"

#include "base/error.h"
#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "part/evaluated.h"

#include <math.h>
#include <string.h>

enum {
    MOST_COLUMNS = 2000,
    MOST_NUMBERS = 1 << 25, /* of all factors */
    ROWS_A_COLUMN = 5,      /* in a sample */
    FEWEST_ROWS = 1000
};

int hsp_precondition_new(hsp_drive_problem *p, hsp_precondition *out, hsp_error **err) {
    int64_t outputs = p->figures * p->width, m = p->d + 1;
    bool factors = p->d <= MOST_COLUMNS && outputs <= MOST_NUMBERS / (m * m);
    *out = (hsp_precondition){.p = p};
    if (!HSP_ALLOC_ZERO(out->diagonal, outputs * m) || !HSP_ALLOC_ZERO(out->mean, outputs * p->d) ||
        (factors && !HSP_ALLOC_ZERO(out->factor, outputs * m * m)) || !HSP_ALLOC_ZERO(out->from, outputs))
        return hsp_fail_memory(err);
    return HSP_OK;
}

void hsp_precondition_clear(hsp_precondition *s) {
    HSP_FREE(s->diagonal, s->mean, s->factor, s->from);
    *s = (hsp_precondition){0};
}

/* ---- making it ---- */

/* Output k from its sums (evaluated.h). */
static void take_diagonal(hsp_precondition *s, int64_t k, const double *sums) {
    const hsp_drive_problem *p = s->p;
    int64_t d = p->d;
    double *diagonal = s->diagonal + k * (d + 1), *mean = s->mean + k * d, mass = sums[2 * d];
    bool centred = hsp_drive_ridge(p, d) >= 0 && mass > 0;
    for (int64_t j = 0; j < d; j++) {
        mean[j] = centred ? sums[d + j] / mass : 0;
        double own = sums[j] - mean[j] * mean[j] * mass; /* of a constant column it is rounding */
        diagonal[j] = p->C * fmax(own, 1e-10 * sums[j]) + hsp_drive_ridge(p, j);
    }
    diagonal[d] = p->C * mass + fmax(0, hsp_drive_ridge(p, d));
}

/* C H + ridge of a packed block, whose diagonal becomes at least that of all rows; without coordinates that are fixed. */
static int64_t fill_matrix(const hsp_drive_problem *p, const double *H, const double *all, double shift, double *A) {
    int64_t d = p->d, m = hsp_drive_ridge(p, d) < 0 ? d : d + 1;
    for (int64_t j = 0; j < m; j++, H += j) {
        for (int64_t k = 0; k <= j; k++) A[j * m + k] = p->C * H[k];
        double own = H[j], whole = j < d ? all[j] : all[2 * d];
        A[j * m + j] = p->C * fmax(own, whole) * (1 + shift) + hsp_drive_ridge(p, j);
    }
    return m;
}

/* The factor of output k; false: there is none. */
static bool factorise(hsp_precondition *s, int64_t k, const double *H, const double *all) {
    int64_t size = s->p->d + 1;
    double *A = s->factor + k * size * size;
    for (double shift = 0; shift < 1; shift = shift == 0 ? 1e-12 : 100 * shift) {
        int64_t m = fill_matrix(s->p, H, all, shift, A);
        if (hsp_finite_f64(A, m * m) && hsp_cholesky(A, m) == 0) return true;
    }
    return false;
}

static bool is_zero(const hsp_drive_problem *p, int64_t count, double *const *theta) {
    for (int64_t f = 0; f < count; f++)
        for (int64_t j = 0; j < p->size; j++)
            if (theta[f][j] != 0) return false;
    return true;
}

/* The share of the rows that a sample has. */
static double share_of(const hsp_drive_problem *p) {
    int64_t wanted = ROWS_A_COLUMN * p->d > FEWEST_ROWS ? ROWS_A_COLUMN * p->d : FEWEST_ROWS, n = p->drive->agreed.count;
    return wanted < n ? (double)wanted / (double)n : 1;
}

int hsp_precondition_make(hsp_precondition *s, const int64_t *which, int64_t count, double *const *theta, hsp_error **err) {
    hsp_drive_problem *p = s->p;
    int64_t K = count * p->width, d = p->d;
    bool blocks = s->factor, alike = is_zero(p, count, theta);
    const double *sums;
    int status = hsp_drive_curvature(p, which, count, alike ? NULL : theta, blocks ? share_of(p) : 0, &sums, err);
    if (status) return status;
    for (int64_t k = 0; k < K; k++) {
        int64_t output = which[k / p->width] * p->width + k % p->width, first = which[0] * p->width;
        const double *own = sums + hsp_curvature_diagonal(d, k);
        take_diagonal(s, output, own);
        s->from[output] = -1;
        if (!blocks) continue;
        if (alike && k > 0)
            s->from[output] = s->from[first];
        else if (factorise(s, output, sums + hsp_curvature_block(K, d, k), own))
            s->from[output] = output;
    }
    s->made = true;
    return HSP_OK;
}

/* ---- applying it ---- */

/* In the coordinates w and b + mean.w the Hessian is nearly diagonal. */
static void divide(const hsp_precondition *s, int64_t k, const double *r, double *z) {
    int64_t d = s->p->d;
    const double *diagonal = s->diagonal + k * (d + 1), *mean = s->mean + k * d;
    for (int64_t j = 0; j < d; j++) z[j] = diagonal[j] > 0 ? (r[j] - mean[j] * r[d]) / diagonal[j] : 0;
    z[d] = (diagonal[d] > 0 ? r[d] / diagonal[d] : 0) - hsp_dot_f64(mean, z, d);
}

static void substitute(const hsp_precondition *s, int64_t from, const double *r, double *z) {
    int64_t size = s->p->d + 1, m = hsp_drive_ridge(s->p, s->p->d) < 0 ? size - 1 : size;
    memcpy(z, r, (size_t)size * sizeof *z);
    hsp_cholesky_solve(s->factor + from * size * size, m, z, 1);
}

/* The softmax loss does not change when all outputs move together, nor do the steps: their blocks alone would not say so. */
static void centre(const hsp_drive_problem *p, double *z) {
    int64_t size = p->d + 1, K = p->width;
    for (int64_t j = 0; j < size; j++) {
        double mean = 0;
        for (int64_t k = 0; k < K; k++) mean += z[k * size + j] / (double)K;
        for (int64_t k = 0; k < K; k++) z[k * size + j] -= mean;
    }
}

void hsp_precondition_apply(const hsp_precondition *s, int64_t figure, const double *r, double *z) {
    const hsp_drive_problem *p = s->p;
    int64_t size = p->d + 1;
    for (int64_t k = 0; k < p->width; k++) {
        int64_t output = figure * p->width + k;
        if (s->from[output] >= 0)
            substitute(s, s->from[output], r + k * size, z + k * size);
        else
            divide(s, output, r + k * size, z + k * size);
        if (hsp_drive_ridge(p, p->d) < 0) z[k * size + p->d] = 0;
    }
    if (p->joint) centre(p, z);
}
