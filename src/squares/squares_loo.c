/* Leave-one-out from the factorisation. With x~ = (x, 1) and A~ the matrix of the normal equations including the penalty,
 * h_i = c_i x~_i' A~^-1 x~_i, and the residual of row i in the fit without it is r_i / (1 - h_i) (Allen 1974). Eliminating the
 * intercept from A~ gives
 *
 *     h_i / c_i = 1 / (S + nu) + |T (z_i + m nu / (S + nu))|^2,   T'T = A^-1, z = x - m     (no intercept: |T x_i|^2)
 *
 * and T x for all rows is a product of matrices, computed for a few rows of T at a time. In the dual form
 * 1 - h_i = mu (M + mu I)^-1_ii without the part of the deflation. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "problem/squares.h"
#include "squares/squares_frame.h"

#include <string.h>

/* Rows of T in one pass; rows of the design in a slice. */
enum { AT_ONCE = 64, SLICE = 4096 };

/* L^-1 column by column: row j of the result is L^-1 e_j. */
static double *invert_factor(const double *L, int64_t d) {
    double *I = hsp_alloc_zero(d * d, sizeof *I);
    if (!I) return NULL;
    for (int64_t j = 0; j < d; j++) I[j * d + j] = 1;
    hsp_cholesky_forward(L, d, I, d);
    return I;
}

/* `count` rows of T from `first` on; with a Cholesky factor, rows of L^-1 S. */
static void take_rows(const hsp_squares_answer *a, const double *inverse, int64_t d, int64_t first, int64_t count,
                      double *T) {
    for (int64_t r = 0; r < count; r++)
        for (int64_t j = 0; j < d; j++)
            T[r * d + j] = a->T ? a->T[(first + r) * d + j] : inverse[j * d + first + r] * a->scale[j];
}

/* Adds |T (z_i + part m)|^2 for the centred rows z_i to out. In slices of the rows, so that memory does not grow with them. */
static int add_lengths(const hsp_squares_frame *f, const hsp_squares_answer *a, double part, double *out, hsp_error **err) {
    int64_t n = f->n, d = f->d, total = a->T ? a->rank : d, most = n < SLICE ? n : SLICE;
    double *inverse = a->T ? NULL : invert_factor(a->L, d), *T = hsp_alloc(AT_ONCE * d, sizeof *T);
    double *scores = hsp_alloc(most * AT_ONCE, sizeof *scores), offset[AT_ONCE];
    int status = (a->T || inverse) && T && scores ? HSP_OK : hsp_fail_memory(err);
    for (int64_t first = 0; !status && first < total; first += AT_ONCE) {
        int64_t count = total - first < AT_ONCE ? total - first : AT_ONCE;
        take_rows(a, inverse, d, first, count, T);
        for (int64_t r = 0; r < count; r++) offset[r] = part > 0 ? part * hsp_dot_f64(T + r * d, f->m, d) : 0;
        for (int64_t from = 0; !status && from < n; from += SLICE) {
            hsp_matrix x;
            int64_t rows = n - from < SLICE ? n - from : SLICE;
            hsp_design E = hsp_design_slice(f->E, from, rows, &x);
            status = hsp_design_scores_many(&E, T, offset, count, scores, err);
            for (int64_t i = 0; !status && i < rows; i++)
                out[from + i] += hsp_dot_f64(scores + i * count, scores + i * count, count);
        }
    }
    HSP_FREE(inverse, T, scores);
    return status;
}

static int by_columns(const hsp_squares *p, const hsp_squares_answer *a, double *spare, hsp_error **err) {
    hsp_squares_frame f;
    int status = hsp_frame_open(&f, p, false, err);
    memset(spare, 0, (size_t)p->design->n * sizeof *spare);
    if (!status) status = add_lengths(&f, a, f.nu / (f.S + f.nu), spare, err);
    double own = p->intercept == HSP_INTERCEPT_NONE ? 0 : 1 / (f.S + f.nu);
    for (int64_t i = 0; !status && i < f.n; i++) spare[i] = 1 - hsp_squares_weight(p, i) * (spare[i] + own);
    hsp_frame_close(&f);
    return status;
}

/* The diagonal of (M + mu I)^-1, which is that of S L^-T L^-1 S. */
static int by_rows(const hsp_squares *p, const hsp_squares_answer *a, double *spare, hsp_error **err) {
    int64_t n = p->design->n;
    double S = hsp_squares_mass(p), mu = hsp_squares_mu(p);
    double *inverse = invert_factor(a->L, n);
    if (!inverse) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        double v = hsp_dot_f64(inverse + i * n, inverse + i * n, n) * a->scale[i] * a->scale[i];
        if (a->deflation > 0) v -= hsp_squares_weight(p, i) / S / (mu + a->deflation);
        spare[i] = hsp_squares_weight(p, i) > 0 ? mu * v : 1;
    }
    hsp_free(inverse);
    return HSP_OK;
}

int hsp_squares_spare(const hsp_squares *p, const hsp_squares_answer *a, double *spare, hsp_error **err) {
    int64_t n = p->design->n;
    int status = HSP_OK;
    if (a->path == HSP_SQUARES_LSMR)
        return hsp_fail(err, HSP_EINTERNAL,
                        "internal error, leave-one-out without a factorisation: please report this bug");
    if (a->spare)
        memcpy(spare, a->spare, (size_t)n * sizeof *spare);
    else
        status = a->path == HSP_SQUARES_DUAL ? by_rows(p, a, spare, err) : by_columns(p, a, spare, err);
    /* Cancellation leaves about ten digits of a difference from 1; products of the dual form are accurate. */
    double least = a->path == HSP_SQUARES_DUAL && hsp_squares_penalised(p) ? 0 : 1e-10;
    for (int64_t i = 0; !status && i < n; i++)
        if (!(spare[i] > least)) spare[i] = NAN;
    return status;
}
