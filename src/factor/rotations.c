/* Eigenvalues of a tridiagonal matrix by implicit QL and QR iterations (W. Kahan, J. Wilkinson; EISPACK's imtql2). Their
 * rotations are collected and applied to the eigenvectors some columns at a time, which stay in the cache for many of them
 * (F. Van Zee, R. van de Geijn, G. Quintana-Orti, Restructuring the tridiagonal and bidiagonal QR algorithms for
 * performance, ACM TOMS 40 (2014)). */
#include "base/memory.h"
#include "factor/factor.h"
#include "factor/tridiagonal.h"
#include "kernel/level.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS = 64, MOST_SWEEPS = 60 /* for each eigenvalue */ };

typedef struct sweep {
    int64_t low, count; /* rows low to low + count */
    bool down;
} sweep;

typedef struct iteration {
    int64_t d;
    double *e, *off;
    double *P;
    double *c, *s; /* SWEEPS x d: sweep k at k d, by the lower row less `low` */
    double *tile;  /* d rows of HSP_ROTATED numbers */
    sweep sweeps[SWEEPS];
    int64_t collected;
} iteration;

/* Applies what was collected. */
static void rotate_rows(iteration *q) {
    int64_t d = q->d;
    for (int64_t j = 0; j < d; j += HSP_ROTATED) {
        int64_t n = d - j < HSP_ROTATED ? d - j : HSP_ROTATED;
        for (int64_t i = 0; i < d; i++) memcpy(q->tile + i * HSP_ROTATED, q->P + i * d + j, (size_t)n * sizeof *q->tile);
        for (int64_t k = 0; k < q->collected; k++) {
            const sweep *w = q->sweeps + k;
            hsp_rotations r = {w->count, w->down, q->c + k * d, q->s + k * d, q->tile + w->low * HSP_ROTATED};
            hsp_level_now()->triangle.rotate(&r);
        }
        for (int64_t i = 0; i < d; i++) memcpy(q->P + i * d + j, q->tile + i * HSP_ROTATED, (size_t)n * sizeof *q->tile);
    }
    q->collected = 0;
}

/* sqrt(x^2 + y^2). Not hypot, whose bits depend on the C library and the processor. */
static double length(double x, double y) {
    double square = x * x + y * y;
    if (square > 1e-280) return sqrt(square);
    x = ldexp(x, 500), y = ldexp(y, 500);
    return ldexp(sqrt(x * x + y * y), -500);
}

static bool negligible(const iteration *q, int64_t k) {
    double off = fabs(q->off[k]), a = fabs(q->e[k]), b = fabs(q->e[k + 1]);
    return off <= DBL_EPSILON * sqrt(a) * sqrt(b) || off <= DBL_EPSILON * DBL_EPSILON * (a + b) ||
           off < DBL_MIN / DBL_EPSILON;
}

/* One sweep from `end` back to `start`, which converges first; between them no off-diagonal is negligible. QL when
 * start < end, QR else: the same with the order of rows reversed. */
static void chase(iteration *q, int64_t start, int64_t end) {
    int64_t step = start < end ? 1 : -1, low = step > 0 ? start : end, count = step * (end - start);
    double *e = q->e, *off = q->off, *cs = q->c + q->collected * q->d, *ss = q->s + q->collected * q->d;
#define BETWEEN(i) ((i) - (step < 0)) /* the index of the off-diagonal between i and i + step */
    double g = (e[start + step] - e[start]) / (2 * off[BETWEEN(start)]), r = length(g, 1), s = 1, c = 1, p = 0;
    g = e[end] - e[start] + off[BETWEEN(start)] / (g + copysign(r, g));
    for (int64_t i = end - step;; i -= step) {
        double f = s * off[BETWEEN(i)], b = c * off[BETWEEN(i)];
        r = length(f, g);
        if (i != end - step) off[BETWEEN(i + step)] = r;
        c = r > 0 ? g / r : 1; /* r = 0: nothing to rotate, the off-diagonal is 0 and splits the matrix */
        s = r > 0 ? f / r : 0;
        g = e[i + step] - p;
        r = (e[i] - g) * s + 2 * c * b;
        p = s * r;
        e[i + step] = g + p;
        g = c * r - b;
        int64_t at = (step > 0 ? i : i - 1) - low;
        cs[at] = c;
        ss[at] = step > 0 ? -s : s;
        if (i == start) break;
    }
    e[start] -= p;
    off[BETWEEN(start)] = g;
#undef BETWEEN
    q->sweeps[q->collected++] = (sweep){low, count, step > 0};
    if (q->collected == SWEEPS) rotate_rows(q);
}

/* The block of rows low to high, whose off-diagonals are not negligible at first: eigenvalues from its smaller end. */
static int solve_block(iteration *q, int64_t low, int64_t high) {
    int64_t left = MOST_SWEEPS * (high - low + 1);
    bool up = fabs(q->e[high]) < fabs(q->e[low]); /* the last row converges first */
    while (low < high) {
        if (left-- == 0) return HSP_EINTERNAL;
        if (q->collected == 0 && hsp_factor_stopped(q->d)) return HSP_ECANCELLED;
        if (!up) {
            int64_t m = low;
            while (m < high && !negligible(q, m)) m++;
            if (m < high) q->off[m] = 0;
            if (m == low)
                low++;
            else
                chase(q, low, m);
        } else {
            int64_t m = high;
            while (m > low && !negligible(q, m - 1)) m--;
            if (m > low) q->off[m - 1] = 0;
            if (m == high)
                high--;
            else
                chase(q, high, m);
        }
    }
    return HSP_OK;
}

int hsp_tridiagonal_solve(int64_t d, double *e, double *off, double *P) {
    iteration *q = hsp_alloc_zero(1, sizeof *q);
    double *work = hsp_alloc_zero(2 * SWEEPS * d + HSP_ROTATED * d, sizeof *work);
    int status = q && work ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        q->d = d, q->e = e, q->off = off, q->P = P;
        q->c = work, q->s = work + SWEEPS * d, q->tile = q->s + SWEEPS * d;
        for (int64_t low = 0; !status && low < d;) {
            int64_t high = low;
            while (high < d - 1 && !negligible(q, high)) high++;
            status = solve_block(q, low, high);
            low = high + 1;
        }
        if (!status) rotate_rows(q);
    }
    HSP_FREE(q, work);
    return status;
}
