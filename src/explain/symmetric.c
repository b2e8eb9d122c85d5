#include "explain/symmetric.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "factor/factor.h"
#include "moments/class_moments.h"

#include <math.h>
#include <string.h>

enum { MOST_DIRECTIONS = 4, MOST_TERMS = 6, ENDS = 6 };

/* ---- null directions ---- */

static void swap_rows(double *N, int64_t d, int64_t a, int64_t b) {
    for (int64_t j = 0; a != b && j < d; j++) {
        double t = N[a * d + j];
        N[a * d + j] = N[b * d + j];
        N[b * d + j] = t;
    }
}

/* Gives each row a column of its own, from the last column on, by Gauss-Jordan elimination: the row says how that column
 * depends on the earlier ones. */
static void reduce_rows(double *N, int64_t rows, int64_t d, int64_t *pivot) {
    for (int64_t r = 0, j = d - 1; r < rows && j >= 0; j--) {
        int64_t best = r;
        double most = 0;
        for (int64_t i = r; i < rows; i++)
            if (fabs(N[i * d + j]) > fabs(N[best * d + j])) best = i;
        for (int64_t i = r * d; i < rows * d; i++) most = fmax(most, fabs(N[i]));
        if (!(fabs(N[best * d + j]) > 1e-3 * most)) continue;
        swap_rows(N, d, r, best);
        double top = N[r * d + j];
        for (int64_t t = 0; t < d; t++) N[r * d + t] /= top;
        for (int64_t i = 0; i < rows; i++) {
            double f = N[i * d + j];
            for (int64_t t = 0; i != r && t < d; t++) N[i * d + t] -= f * N[r * d + t];
        }
        pivot[r++] = j;
    }
}

static int find_null(hsp_derivation *v, hsp_symmetric *S, hsp_error **err) {
    int64_t d = S->d, rows = d - S->rank;
    S->null = hsp_derivation_zeros(v, rows * d + 1);
    S->pivot = (int64_t *)hsp_derivation_zeros(v, rows + 1);
    if (!S->null || !S->pivot) return hsp_fail_memory(err);
    memcpy(S->null, S->V, (size_t)(rows * d) * sizeof *S->null);
    reduce_rows(S->null, rows, d, S->pivot);
    for (int64_t r = 0; r < rows; r++) {
        double unit = S->scale[S->pivot[r]];
        for (int64_t j = 0; j < d; j++) {
            double f = S->null[r * d + j];
            S->null[r * d + j] = fabs(f) < 1e-8 ? 0 : f * S->scale[j] / unit;
        }
    }
    return HSP_OK;
}

/* ---- eigenvalues ---- */

int hsp_symmetric_eigen(double *A, int64_t d, double *e, hsp_error **err) {
    int status = hsp_eigen(A, d, e);
    return status ? hsp_factor_fail(status, "the eigenvalues did not converge: try --scale standard", err) : HSP_OK;
}

/* Fills V with D A D. */
static void scale_matrix(hsp_symmetric *S, const double *A) {
    int64_t d = S->d;
    for (int64_t j = 0; j < d; j++) S->scale[j] = A[j * d + j] > 0 ? 1 / sqrt(A[j * d + j]) : 1;
    for (int64_t i = 0; i < d * d; i++) S->V[i] = A[i] * S->scale[i / d] * S->scale[i % d];
}

int hsp_symmetric_new(hsp_derivation *v, const double *A, int64_t d, hsp_symmetric *out, hsp_error **err) {
    double *copy = hsp_derivation_zeros(v, d * d);
    *out = (hsp_symmetric){.d = d, .e = hsp_derivation_zeros(v, d), .V = hsp_derivation_zeros(v, d * d)};
    out->s = hsp_derivation_zeros(v, d);
    out->scale = hsp_derivation_zeros(v, d);
    if (!copy || !out->e || !out->V || !out->s || !out->scale) return hsp_fail_memory(err);
    memcpy(copy, A, (size_t)(d * d) * sizeof *copy);
    scale_matrix(out, A);
    int status = hsp_symmetric_eigen(copy, d, out->e, err);
    if (!status) status = hsp_symmetric_eigen(out->V, d, out->s, err);
    if (status) return status;
    for (int64_t j = 0; j < d / 2; j++) {
        double t = out->e[j];
        out->e[j] = out->e[d - 1 - j];
        out->e[d - 1 - j] = t;
    }
    for (int64_t j = 0; j < d; j++) out->rank += out->s[j] > HSP_WITHIN_SINGULAR * out->s[d - 1];
    out->condition = out->rank < d ? INFINITY : out->e[0] / out->e[d - 1];
    return find_null(v, out, err);
}

void hsp_symmetric_chop(double *A, int64_t d) {
    for (int64_t i = 0; i < d * d; i++)
        if (fabs(A[i]) < 1e-14 * sqrt(fabs(A[i / d * d + i / d] * A[i % d * d + i % d]))) A[i] = 0;
}

void hsp_symmetric_solve(const hsp_symmetric *S, const double *r, double *x) {
    int64_t d = S->d;
    for (int64_t j = 0; j < d; j++) x[j] = 0;
    for (int64_t a = d - S->rank; a < d; a++) {
        double t = 0;
        for (int64_t j = 0; j < d; j++) t += S->V[a * d + j] * S->scale[j] * r[j];
        t /= S->s[a];
        for (int64_t j = 0; j < d; j++) x[j] += t * S->V[a * d + j] * S->scale[j];
    }
}

/* ---- words ---- */

void hsp_symmetric_describe(hsp_derivation *v, const hsp_symmetric *S, const char *of, const char *name) {
    hsp_exposition *e = &v->text;
    bool all = S->d <= 2 * ENDS;
    double ends[2 * ENDS];
    for (int64_t j = 0; j < 2 * ENDS && j < S->d; j++)
        ends[j] = all || j < ENDS ? S->e[j] : S->e[S->d - 2 * ENDS + j];
    int64_t n = all ? S->d : 2 * ENDS;
    /* what is below the rounding of the largest is 0 */
    for (int64_t j = 0; j < n; j++)
        if (ends[j] < 1e-15 * S->e[0]) ends[j] = 0;
    HSP_SAY(e, all ? "The eigenvalues of %2 are `%1`." : "The six largest and the six smallest eigenvalues of %2 are `%1`.",
            vector(ends, n), phrase(of));
    if (S->rank == S->d)
        HSP_SAY(e, "The condition number, largest over smallest, is `%1`: the inverse exists.", number(S->condition));
    else
        HSP_SAY(e, "The rank is %1 of %2: the matrix is singular, and its inverse does not exist.", whole(S->rank),
                whole(S->d));
    hsp_exposition_vector(e, name, ends, n);
    hsp_exposition_number(e, "rank", (double)S->rank);
}

/* "x_3", or with the row of ones as column 0 nothing for it. */
static void add_symbol(hsp_text *t, bool tex, int64_t column, bool ones) {
    if (ones && column == 0) return;
    hsp_text_format(t, tex ? "x_{%lld}" : "x_%lld", (long long)(column + !ones));
}

static void add_direction(hsp_text *t, bool tex, const hsp_symmetric *S, int64_t r, bool ones) {
    int64_t terms = 0;
    add_symbol(t, tex, S->pivot[r], ones);
    hsp_text_add(t, " =");
    for (int64_t j = 0; j < S->d; j++) {
        double f = -S->null[r * S->d + j];
        if (f == 0 || j == S->pivot[r]) continue;
        if (terms == MOST_TERMS) hsp_text_add(t, tex ? " + \\dots" : " + ...");
        if (terms++ >= MOST_TERMS) continue;
        if (f < 0 || terms > 1) hsp_text_add(t, f < 0 ? " -" : " +");
        hsp_text_char(t, ' ');
        bool factor = fabs(fabs(f) - 1) > 1e-9, constant = ones && j == 0;
        if (factor || constant) hsp_exposition_digits(t, tex, fabs(f));
        if (factor && !constant) hsp_text_char(t, ' ');
        add_symbol(t, tex, j, ones);
    }
    if (!terms) hsp_text_add(t, " 0");
}

static void put_null(hsp_derivation *v, const hsp_symmetric *S, bool ones, int64_t rows) {
    int64_t columns = v->count + ones;
    double *part = hsp_derivation_zeros(v, rows * columns);
    for (int64_t i = 0; part && i < rows * columns; i++) {
        int64_t j = i % columns;
        part[i] = S->null[i / columns * S->d + (ones && j == 0 ? 0 : v->shown[j - ones] + ones)];
    }
    hsp_exposition_matrix(&v->text, "null", part, rows, columns);
}

void hsp_symmetric_describe_null(hsp_derivation *v, const hsp_symmetric *S, bool ones) {
    int64_t rows = S->d - S->rank, most = rows < MOST_DIRECTIONS ? rows : MOST_DIRECTIONS;
    if (!rows) return;
    HSP_SAY(&v->text, rows == 1 ? "One column depends on the others, in every row:" : "%1 columns depend on the others, in "
                                                                                      "every row:", whole(rows));
    for (int64_t r = 0; r < most; r++) {
        hsp_text line = {0};
        add_direction(&line, false, S, r, ones);
        hsp_text_char(&line, '~');
        add_direction(&line, true, S, r, ones);
        HSP_FORMULA(&v->text, line.s ? line.s : "");
        v->text.failed |= line.failed;
        hsp_text_free(&line);
    }
    if (rows > most)
        HSP_SAY(&v->text, rows - most == 1 ? "One more is left out here." : "The other %1 are left out here.",
                whole(rows - most));
    put_null(v, S, ones, most);
}
