/* The rows' coordinates within their span, and 1, are the columns of a linear program
 *     C m = (0, 1),  m >= 0
 * of which m is a feasible point. Crossover to a vertex pushes the multipliers of rows outside a basis to 0, one by one
 * (Bixby and Saltzman 1994). */
#include "separate/vertex.h"

#include "base/error.h"
#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

typedef struct basis {
    int64_t k, r;    /* rows; coordinates with the last one, 1 */
    double *C;       /* k x r: row j is column j of the program */
    double *inverse; /* r x r */
    double *work;    /* r x r and more */
    double *x;       /* r: values of the rows in the basis */
    double *beta;    /* r */
    int64_t *in;     /* r: the rows in the basis */
    int64_t *order;  /* k */
    bool *basic;     /* k */
} basis;

/* Fills C with the coordinates in the span of the rows; r is its dimension plus 1. */
static int find_span_coordinates(basis *b, const double *X, int64_t q) {
    int64_t k = b->k, few = k < q ? k : q;
    double *copy = hsp_alloc(k * q + 1, sizeof *copy), *s = hsp_alloc(few + 1, sizeof *s);
    double *Vt = hsp_alloc(few * q + 1, sizeof *Vt);
    int status = copy && s && Vt ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        memcpy(copy, X, (size_t)(k * q) * sizeof *copy);
        status = hsp_svd(copy, k, q, s, NULL, Vt);
    }
    int64_t rank = 0;
    while (!status && rank < few && s[rank] > 1e-10 * s[0]) rank++;
    b->r = rank + 1;
    if (!status && !(b->C = hsp_alloc(k * b->r, sizeof *b->C))) status = HSP_EMEMORY;
    for (int64_t i = 0; !status && i < k; i++) {
        for (int64_t a = 0; a < rank; a++) b->C[i * b->r + a] = hsp_dot_f64(X + i * q, Vt + a * q, q);
        b->C[i * b->r + rank] = 1;
    }
    HSP_FREE(copy, s, Vt);
    return status;
}

/* The first basis: independent rows with large multipliers, by QR with column pivoting. */
static int choose_basis(basis *b, const double *m) {
    int64_t k = b->k, r = b->r;
    double *scaled = hsp_alloc(k * r, sizeof *scaled), *diagonal = hsp_alloc(r, sizeof *diagonal);
    int status = scaled && diagonal ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        for (int64_t i = 0; i < k; i++)
            for (int64_t a = 0; a < r; a++) scaled[i * r + a] = m[i] * b->C[i * r + a];
        status = hsp_pivoted_qr(scaled, r, k, b->order, diagonal);
    }
    if (!status && k < r) status = HSP_EINTERNAL;
    for (int64_t a = 0; !status && a < r; a++) {
        b->in[a] = b->order[a];
        b->basic[b->order[a]] = true;
    }
    HSP_FREE(scaled, diagonal);
    return status;
}

/* Inverts the matrix of the basic columns by Gauss-Jordan elimination with row pivoting. */
static int invert_basis(basis *b) {
    int64_t r = b->r;
    double *M = b->work, *I = b->inverse;
    for (int64_t i = 0; i < r; i++)
        for (int64_t a = 0; a < r; a++) {
            M[i * r + a] = b->C[b->in[a] * r + i];
            I[i * r + a] = i == a;
        }
    for (int64_t c = 0; c < r; c++) {
        int64_t best = c;
        for (int64_t i = c + 1; i < r; i++)
            if (fabs(M[i * r + c]) > fabs(M[best * r + c])) best = i;
        double pivot = M[best * r + c];
        if (!(fabs(pivot) > 1e-200)) return HSP_EINTERNAL;
        for (int64_t a = 0; a < r; a++) {
            double t = M[c * r + a];
            M[c * r + a] = M[best * r + a] / pivot;
            M[best * r + a] = best == c ? M[c * r + a] : t;
            t = I[c * r + a];
            I[c * r + a] = I[best * r + a] / pivot;
            I[best * r + a] = best == c ? I[c * r + a] : t;
        }
        for (int64_t i = 0; i < r; i++) {
            double f = i == c ? 0 : M[i * r + c];
            if (f == 0) continue;
            hsp_axpy_f64(-f, M + c * r + c, M + i * r + c, r - c);
            hsp_axpy_f64(-f, I + c * r, I + i * r, r);
        }
    }
    return HSP_OK;
}

/* Computes the multipliers of the basic rows from those of the others. */
static void update_values(basis *b, const double *m) {
    int64_t r = b->r;
    memset(b->beta, 0, (size_t)r * sizeof *b->beta);
    b->beta[r - 1] = 1;
    for (int64_t i = 0; i < b->k; i++)
        if (!b->basic[i] && m[i] > 0) hsp_axpy_f64(-m[i], b->C + i * r, b->beta, r);
    for (int64_t a = 0; a < r; a++) b->x[a] = hsp_dot_f64(b->inverse + a * r, b->beta, r);
}

/* Pushes the multiplier of row j to 0; if that of a basic row reaches 0 first, j takes its place in the basis. */
static void push_out(basis *b, int64_t j, double *m) {
    int64_t r = b->r, leaves = -1;
    double t = m[j];
    for (int64_t a = 0; a < r; a++) b->beta[a] = hsp_dot_f64(b->inverse + a * r, b->C + j * r, r);
    /* Harris's ratio test (1973): the step with a small tolerance; then the largest pivot among the blocking rows. */
    for (int64_t a = 0; a < r; a++)
        if (b->beta[a] < -1e-11) t = fmin(t, (fmax(b->x[a], 0) + 1e-13) / -b->beta[a]);
    if (t < m[j])
        for (int64_t a = 0; a < r; a++)
            if (b->beta[a] < -1e-11 && fmax(b->x[a], 0) <= t * -b->beta[a] && (leaves < 0 || b->beta[a] < b->beta[leaves]))
                leaves = a;
    if (leaves >= 0) t = fmax(b->x[leaves], 0) / -b->beta[leaves];
    for (int64_t a = 0; a < r; a++) b->x[a] += t * b->beta[a];
    if (leaves < 0) {
        m[j] = 0;
        return;
    }
    b->basic[b->in[leaves]] = false;
    m[b->in[leaves]] = 0;
    b->in[leaves] = j;
    b->basic[j] = true;
    b->x[leaves] = m[j] - t;
    double *row = b->inverse + leaves * r;
    hsp_scale_f64(1 / b->beta[leaves], row, r);
    for (int64_t a = 0; a < r; a++)
        if (a != leaves && b->beta[a] != 0) hsp_axpy_f64(-b->beta[a], row, b->inverse + a * r, r);
}

static int push_all(basis *b, double *m) {
    int64_t pushed = 0;
    int status = invert_basis(b);
    if (status) return status;
    update_values(b, m);
    for (int64_t e = b->k - 1; e >= 0; e--) {
        int64_t j = b->order[e];
        if (b->basic[j] || m[j] == 0) continue;
        push_out(b, j, m);
        if (++pushed % 200 == 0) {
            if ((status = invert_basis(b))) return status;
            update_values(b, m);
        }
    }
    if ((status = invert_basis(b))) return status;
    update_values(b, m);
    return HSP_OK;
}

int hsp_vertex_find(const double *X, int64_t k, int64_t q, double *m, hsp_error **err) {
    basis b = {.k = k};
    double sum = 0;
    for (int64_t i = 0; i < k; i++) sum += m[i];
    for (int64_t i = 0; i < k; i++) m[i] /= sum;
    int status = find_span_coordinates(&b, X, q);
    int64_t r = b.r;
    if (!status) {
        if (!HSP_ALLOC(b.inverse, r * r) || !HSP_ALLOC(b.work, r * r) || !HSP_ALLOC(b.x, r) || !HSP_ALLOC(b.beta, r) ||
            !HSP_ALLOC(b.in, r) || !HSP_ALLOC(b.order, k) || !HSP_ALLOC_ZERO(b.basic, k))
            status = HSP_EMEMORY;
    }
    if (!status) status = choose_basis(&b, m);
    if (!status) status = push_all(&b, m);
    if (!status) {
        for (int64_t i = 0; i < k; i++) m[i] = 0;
        for (int64_t a = 0; a < r; a++) m[b.in[a]] = fmax(b.x[a], 0);
        for (int64_t a = 0; a < r; a++)
            if (!isfinite(b.x[a]) || b.x[a] < -1e-6) status = HSP_EINTERNAL;
    }
    HSP_FREE(b.C, b.inverse, b.work, b.x, b.beta, b.in, b.order, b.basic);
    return status == HSP_EMEMORY ? hsp_fail_memory(err) : status;
}
