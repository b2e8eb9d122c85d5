/* Solves the equations of a witness in floating point, with error bounds. For a square part A of them, an approximate
 * inverse R with |I - RA| < 1 proves that A is regular, and for the exact solution x
 *     |x - x~| <= |R (b - A x~)| / (1 - |I - RA|)
 * The residual is summed exactly; the error of the product RA is bounded by gamma_n |R| |A|. Multipliers that are positive
 * within their bounds are a proof, however R was computed. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "factor/factor.h"
#include "verify/proof/equations.h"
#include "verify/proof/exact.h"
#include "verify/proof/witness.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 2600, ROUNDS = 4 };

typedef struct square {
    const hsp_witness *w;
    hsp_equations e;
    int64_t r;         /* equations used, and unknowns solved for */
    int64_t *equation; /* which equations */
    int64_t *order;    /* k unknowns: the first r are solved for */
    int64_t *place;    /* k: of each unknown in `order` */
    int *shift;        /* k: powers of two that bring the unknowns near 1 */
    double *M;         /* r x k, scaled, row-major, columns as in `order` */
    double *A, *R;     /* r x r */
    double *x;         /* k: z, scaled, as in `order` */
    double *bound;     /* r: of the error of x */
    double *residual;  /* r */
} square;              /* owns its arrays */

/* Whether the column is the same on all rows: then sum z = 0 implies its equation. */
static bool is_constant(const hsp_equations *e, int64_t i) {
    int64_t begin = e->begin[i], end = e->begin[i + 1];
    if (end - begin < e->unknowns) return false;
    for (int64_t t = begin + 1; t < end; t++)
        if (e->value[t] != e->value[begin]) return false;
    return true;
}

static int square_new(square *s, const hsp_witness *w, bool *fits, hsp_error **err) {
    int64_t k = w->k;
    *s = (square){.w = w};
    *fits = false;
    if (k > MOST) return HSP_OK;
    int status = hsp_equations_new(w->q, w->row, k, &s->e, err);
    if (status) return status;
    if (!HSP_ALLOC(s->equation, s->e.count + 1)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < s->e.count; i++)
        if ((i == 0 && !w->q->origin) || w->q->origin || !is_constant(&s->e, i)) s->equation[s->r++] = i;
    int64_t r = s->r;
    if (r >= k || r == 0) return HSP_OK;
    if (!HSP_ALLOC(s->order, k) || !HSP_ALLOC(s->place, k) || !HSP_ALLOC(s->shift, k) || !HSP_ALLOC_ZERO(s->M, r * k) ||
        !HSP_ALLOC(s->A, r * r) || !HSP_ALLOC(s->R, r * r) || !HSP_ALLOC(s->x, k) || !HSP_ALLOC(s->bound, r) ||
        !HSP_ALLOC(s->residual, r))
        return hsp_fail_memory(err);
    *fits = true;
    return HSP_OK;
}

/* Fills M: scales unknowns by their multipliers, then equations by their largest coefficient, both by powers of two. False:
 * that is not exact. */
static bool fill_system(square *s) {
    int64_t k = s->w->k;
    for (int64_t i = 0; i < s->r; i++) {
        int64_t eq = s->equation[i], begin = s->e.begin[eq], end = s->e.begin[eq + 1];
        int top = INT32_MIN, e;
        for (int64_t t = begin; t < end; t++) {
            frexp(s->e.value[t], &e);
            e += s->shift[s->e.unknown[t]];
            top = e > top ? e : top;
        }
        for (int64_t t = begin; t < end; t++) {
            int32_t at = s->e.unknown[t];
            double v = ldexp(s->e.value[t], s->shift[at] - top);
            s->M[i * k + s->place[at]] = v;
            if (!(isfinite(v) && fabs(v) >= DBL_MIN)) return false;
        }
    }
    return true;
}

static void number_places(square *s) {
    for (int64_t t = 0; t < s->w->k; t++) s->place[s->order[t]] = t;
}

/* Chooses the unknowns to solve for: all but that of the largest multiplier; if r < k - 1, the first r of a QR
 * factorisation with column pivoting. */
static int choose_unknowns(square *s, hsp_error **err) {
    int64_t k = s->w->k, top = 0;
    for (int64_t t = 0; t < k; t++) {
        s->order[t] = t;
        if (s->w->multiplier[t] > s->w->multiplier[top]) top = t;
    }
    s->order[top] = k - 1;
    s->order[k - 1] = top;
    number_places(s);
    if (s->r == k - 1) return HSP_OK;
    double *copy = hsp_alloc(s->r * k, sizeof *copy), *diagonal = hsp_alloc(s->r, sizeof *diagonal);
    int64_t *found = hsp_alloc(k, sizeof *found);
    int status = copy && diagonal && found ? HSP_OK : hsp_fail_memory(err);
    if (!status && fill_system(s)) {
        for (int64_t i = 0; i < s->r; i++)
            for (int64_t t = 0; t < k; t++) copy[t * s->r + i] = s->M[i * k + t];
        int failed = hsp_pivoted_qr(copy, s->r, k, found, diagonal);
        if (failed == HSP_EMEMORY) status = hsp_fail_memory(err);
        for (int64_t t = 0; !failed && t < k; t++) copy[t] = (double)s->order[found[t]]; /* it has r k >= k numbers */
        for (int64_t t = 0; !failed && t < k; t++) s->order[t] = (int64_t)copy[t];
        number_places(s);
        memset(s->M, 0, (size_t)(s->r * k) * sizeof *s->M);
    }
    HSP_FREE(copy, diagonal, found);
    return status;
}

/* R: an approximate inverse of A. */
static bool invert(square *s, hsp_error **err, int *status) {
    memcpy(s->R, s->A, (size_t)(s->r * s->r) * sizeof *s->R);
    int64_t bad = hsp_invert(s->R, s->r);
    if (bad < 0) *status = hsp_factor_fail((int)bad, "", err);
    for (int64_t i = 0; bad == 0 && i < s->r * s->r; i++)
        if (!isfinite(s->R[i])) return false;
    return bad == 0;
}

/* residual = -M x, rounded from the exact sum; *error bounds the rounding error of its entries. */
static void find_residual(square *s, double *error) {
    int64_t k = s->w->k;
    *error = 0;
    for (int64_t i = 0; i < s->r; i++) {
        hsp_exact sum;
        hsp_exact_clear(&sum);
        for (int64_t t = 0; t < k; t++)
            if (s->M[i * k + t] != 0) hsp_exact_add_product(&sum, s->M[i * k + t], s->x[t]);
        double size = hsp_exact_round(&sum, true);
        s->residual[i] = hsp_exact_sign(&sum) > 0 ? -size : size;
        *error = fmax(*error, size * DBL_EPSILON + DBL_MIN);
    }
}

typedef struct product {
    const square *s;
    const double *sums; /* |A| 1 */
    double *norm;       /* r: upper bounds of the row sums of |I - RA| */
    double *scratch;    /* r numbers for each block */
    int64_t rows;       /* of a block */
} product;

static void bound_product_rows(void *ctx, int64_t block) {
    product *p = ctx;
    int64_t r = p->s->r, end = (block + 1) * p->rows < r ? (block + 1) * p->rows : r;
    double *c = p->scratch + block * r, n = (double)r + 8, u = DBL_EPSILON / 2;
    for (int64_t i = block * p->rows; i < end; i++) {
        const double *R = p->s->R + i * r;
        double far = 0, size = 0;
        memset(c, 0, (size_t)r * sizeof *c);
        for (int64_t j = 0; j < r; j++) {
            const double *A = p->s->A + j * r;
            double f = R[j];
            for (int64_t t = 0; t < r; t++) c[t] += f * A[t];
            size += fabs(f) * p->sums[j];
        }
        c[i] -= 1;
        for (int64_t t = 0; t < r; t++) far += fabs(c[t]);
        /* gamma_n |R||A|, the rounding of these sums themselves, and underflow */
        p->norm[i] = (far + n * u * (size + 1)) * (1 + 4 * n * u) + n * n * DBL_MIN;
    }
}

/* An upper bound of the largest row sum of |I - RA|; infinite if it is not below 1/2. */
static double distance_from_inverse(const square *s, hsp_error **err, int *status) {
    int64_t r = s->r, rows = 16, blocks = (r + rows - 1) / rows;
    double *sums = hsp_alloc(r, sizeof *sums), *norm = hsp_alloc(r, sizeof *norm),
           *scratch = hsp_alloc(blocks * r, sizeof *scratch), top = INFINITY;
    if (sums && norm && scratch && hsp_exact_ieee()) {
        for (int64_t i = 0; i < r; i++) {
            sums[i] = 0;
            for (int64_t j = 0; j < r; j++) sums[i] += fabs(s->A[i * r + j]);
        }
        product p = {s, sums, norm, scratch, rows};
        hsp_pool_run(blocks, s->w->q->threads, bound_product_rows, &p);
        top = 0;
        for (int64_t i = 0; i < r; i++) top = norm[i] < 0.5 ? fmax(top, norm[i]) : INFINITY; /* also for NaN */
    }
    if (!sums || !norm || !scratch) *status = hsp_fail_memory(err);
    HSP_FREE(sums, norm, scratch);
    return top;
}

/* Bounds on the error of x, all rounded up:
 *     |x_i - x~_i| <= |R residual|_i + |I - RA| / (1 - |I - RA|) max |R residual| */
static void find_bounds(square *s, double beta, double error) {
    double n = (double)s->r + 8, u = DBL_EPSILON / 2, top = 0;
    for (int64_t i = 0; i < s->r; i++) {
        double c = 0, size = 0, plain = 0;
        for (int64_t j = 0; j < s->r; j++) {
            double v = s->R[i * s->r + j] * s->residual[j];
            c += v;
            size += fabs(v);
            plain += fabs(s->R[i * s->r + j]);
        }
        s->bound[i] = (fabs(c) + n * u * size + plain * error) * (1 + 4 * n * u) + n * DBL_MIN;
        top = fmax(top, s->bound[i]); /* a bound of NaN fails its own row */
    }
    double more = beta / (1 - beta) * top * (1 + 8 * u);
    for (int64_t i = 0; i < s->r; i++) s->bound[i] = (s->bound[i] + more) * (1 + 8 * u);
}

static bool solve_with_bounds(square *s, hsp_error **err, int *status) {
    int64_t k = s->w->k, r = s->r;
    double error;
    for (int64_t i = 0; i < r; i++) memcpy(s->A + i * r, s->M + i * k, (size_t)r * sizeof *s->A);
    if (!invert(s, err, status)) return false;
    double beta = distance_from_inverse(s, err, status);
    if (!(beta < 0.5)) return false;
    for (int64_t t = 0; t < k; t++) {
        int64_t at = s->order[t];
        s->x[t] = s->w->q->y[s->w->row[at]] * ldexp(s->w->multiplier[at], -s->shift[at]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        find_residual(s, &error);
        for (int64_t i = 0; i < r; i++) {
            double change = 0;
            for (int64_t j = 0; j < r; j++) change += s->R[i * r + j] * s->residual[j];
            s->x[i] += change;
        }
    }
    for (int64_t t = 0; t < k; t++)
        if (!isfinite(s->x[t])) return false;
    find_residual(s, &error);
    find_bounds(s, beta, error);
    /* Multipliers that were solved for must be positive within their bounds; the given ones are exact. */
    for (int64_t t = 0; t < k; t++) {
        double m = s->w->q->y[s->w->row[s->order[t]]] * s->x[t];
        if (t < r ? !(m - s->bound[t] > 0) : !(m >= 0)) return false;
    }
    return true;
}

int hsp_witness_bounded(const hsp_witness *w, double *near, bool *unique, bool *proven, hsp_error **err) {
    square s;
    bool fits;
    *proven = *unique = false;
    int status = square_new(&s, w, &fits, err);
    if (!status && fits) {
        /* z_s = y_s m_s = x_s 2^shift_s, with x_s near 1. */
        for (int64_t t = 0; t < s.w->k; t++) {
            s.shift[t] = 0;
            if (s.w->multiplier[t] > 0) frexp(s.w->multiplier[t], &s.shift[t]);
            if (s.shift[t] < -300) s.shift[t] = -300;
        }
        status = choose_unknowns(&s, err);
        if (!status && fill_system(&s)) *proven = solve_with_bounds(&s, err, &status);
        if (*proven && near) {
            double total = 0;
            for (int64_t t = 0; t < s.w->k; t++) {
                int64_t at = s.order[t];
                near[at] = ldexp(fabs(s.x[t]), s.shift[at]);
                if (s.w->q->origin || s.w->q->y[s.w->row[at]] > 0) total += near[at];
            }
            for (int64_t t = 0; t < s.w->k; t++) near[t] /= total;
        }
        *unique = *proven && s.r == w->k - 1;
    }
    hsp_equations_clear(&s.e);
    HSP_FREE(s.equation, s.order, s.place, s.shift, s.M, s.A, s.R, s.x, s.bound, s.residual);
    return status;
}
