/* Means, centred design, and the passes over it. */
#include "squares/squares_frame.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <string.h>

bool hsp_frame_fits(int64_t rows, int64_t columns, int64_t copies) {
    double bytes = 8.0 * (double)rows * (double)columns * (double)copies;
    return bytes <= 0.5 * (double)hsp_memory_limit();
}

/* ---- numbers out of the range of double ---- */

/* Scaling helps unless the columns are scaled already. */
static const char *advice(const hsp_squares *p) {
    return p->design->factor ? "use other units" : "use other units, or --scale standard";
}

static int blame_column(const hsp_squares *p, int64_t j, bool large, hsp_error **err) {
    const char *size = large ? "large" : "small";
    char buf[64];
    if (!p->schema)
        return hsp_fail(err, HSP_EINPUT, "column %lld has values too %s to compute with: %s", (long long)j + 1, size,
                        advice(p));
    return hsp_fail(err, HSP_EINPUT, "column '%s' has values too %s to compute with: %s",
                    hsp_schema_feature(p->schema, j, buf), size, advice(p));
}

int hsp_frame_extreme(const hsp_squares *p, hsp_error **err) {
    int status = hsp_squares_check(p, 1e70, err);
    if (status) return status;
    return hsp_fail(err, HSP_EINPUT, "the values of the columns are too large or too small to compute with: %s", advice(p));
}

/* ---- columns that do not vary, found exactly ---- */

/* Smallest and largest value and number of values of each column, over a piece of the rows; pieces x d. Owns its arrays. */
typedef struct row_span {
    const hsp_squares_frame *f;
    int64_t pieces;
    double *low, *high;
    double *tile; /* dense: decoded rows, likewise */
    int64_t *seen;
    bool *varies;           /* d: found to vary in a sample of the rows; not examined further */
    int64_t *left, columns; /* dense: the columns that are still examined */
} row_span;

static inline void widen(row_span *s, int64_t at, double v, int64_t times) {
    if (v < s->low[at]) s->low[at] = v;
    if (v > s->high[at]) s->high[at] = v;
    s->seen[at] += times;
}

/* All columns of a dense row: a loop that the compiler vectorises. */
static void widen_all(hsp_row r, double *tile, double *restrict low, double *restrict high) {
    const double *v = r.value;
    if (r.coding != HSP_CODING_F64) {
        hsp_row_decode(r, 0, r.count, NULL, tile);
        v = tile;
    }
    for (int64_t j = 0; j < r.count; j++) {
        low[j] = v[j] < low[j] ? v[j] : low[j];
        high[j] = v[j] > high[j] ? v[j] : high[j];
    }
}

/* The span of rows `row` to `end`, in a piece. Returns how many have weight. */
static int64_t span_dense(row_span *s, int64_t piece, int64_t row, int64_t end) {
    int64_t d = s->f->d, first = piece * d, rows = 0;
    for (int64_t i = row; s->columns > 0 && i < end; i++) {
        if (hsp_squares_weight(s->f->p, i) == 0) continue;
        rows++;
        hsp_row r = hsp_matrix_row(s->f->p->design->x, i);
        if (s->columns == d)
            widen_all(r, s->tile + first, s->low + first, s->high + first);
        else
            for (int64_t e = 0; e < s->columns; e++) widen(s, first + s->left[e], hsp_row_value(r, s->left[e]), 0);
    }
    for (int64_t e = 0; e < s->columns; e++) s->seen[first + s->left[e]] = rows;
    return rows;
}

static int64_t span_some(row_span *s, int64_t piece, int64_t row, int64_t end) {
    const hsp_squares_frame *f = s->f;
    int64_t first = piece * f->d, rows = 0;
    for (int64_t j = 0; j < f->d; j++) {
        s->low[first + j] = INFINITY;
        s->high[first + j] = -INFINITY;
        s->seen[first + j] = 0;
    }
    if (f->p->design->x->dense) return span_dense(s, piece, row, end);
    for (int64_t i = row; i < end; i++) {
        if (hsp_squares_weight(f->p, i) == 0) continue;
        rows++;
        hsp_row r = hsp_matrix_row(f->p->design->x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            if (!s->varies[j]) widen(s, first + j, hsp_row_value(r, t), 1);
        }
    }
    return rows;
}

static void span_piece(void *ctx, int64_t piece) {
    row_span *s = ctx;
    span_some(s, piece, s->f->n * piece / s->pieces, s->f->n * (piece + 1) / s->pieces);
}

/* Floats times a moderate factor cannot leave the range of double, so a column found to vary needs no further check. */
static void span_sample(row_span *s) {
    enum { SAMPLE = 1024 };
    const hsp_design *D = s->f->p->design;
    for (int64_t j = 0; s->left && j < D->d; j++) s->left[j] = j;
    s->columns = D->d;
    if (D->x->dtype != HSP_FLOAT32 || D->n <= 4 * SAMPLE) return;
    int64_t rows = span_some(s, 0, 0, SAMPLE);
    s->columns = 0;
    for (int64_t j = 0; j < D->d; j++) {
        if (s->seen[j] < rows) widen(s, j, 0, 0);
        double factor = D->factor ? fabs(D->factor[j]) : 1;
        s->varies[j] = s->low[j] < s->high[j] && factor < 1e80 && factor > 1e-80;
        if (s->left && !s->varies[j]) s->left[s->columns++] = j;
    }
}

/* The span of all rows, in the first piece, with the zeros that sparse rows do not store. */
static void span_rows(row_span *s) {
    int64_t d = s->f->d;
    span_sample(s);
    hsp_pool_run(s->pieces, s->f->p->design->threads, span_piece, s);
    for (int64_t at = d; at < s->pieces * d; at++)
        if (s->seen[at] > 0) {
            widen(s, at % d, s->low[at], s->seen[at]);
            widen(s, at % d, s->high[at], 0);
        }
    for (int64_t j = 0; j < d; j++) {
        if (s->seen[j] < s->f->rows) widen(s, j, 0, 0);
        if (s->varies[j]) s->high[j] = 1; /* above the 0 just added */
    }
}

/* Squares of centred values must neither overflow nor underflow. */
static bool too_large(double low, double high, double factor) {
    return fmax(fabs(low), fabs(high)) * fabs(factor) > HSP_SQUARES_LARGEST;
}

/* Finds the constant columns; their mean is their value, to the last bit. */
static int find_constants(hsp_squares_frame *f, hsp_error **err) {
    const hsp_design *D = f->p->design;
    row_span s = {.f = f, .pieces = D->slabs};
    s.seen = hsp_alloc(s.pieces * f->d, sizeof *s.seen);
    s.varies = hsp_alloc_zero(f->d, sizeof *s.varies);
    s.left = D->x->dense ? hsp_alloc(f->d, sizeof *s.left) : NULL;
    bool allocated = s.seen && s.varies && (s.left || !D->x->dense) &&
                     HSP_ALLOC_DOUBLES(s.pieces * f->d, &s.low, &s.high) &&
                     HSP_ALLOC_DOUBLES(D->x->dense ? s.pieces * f->d : -1, &s.tile);
    int status = allocated ? HSP_OK : hsp_fail_memory(err);
    if (!status) span_rows(&s);
    bool free_b = f->p->intercept == HSP_INTERCEPT_FREE;
    for (int64_t j = 0; !status && j < f->d; j++) {
        double factor = D->factor ? D->factor[j] : 1;
        bool large = too_large(s.low[j], s.high[j], factor);
        bool narrow = s.high[j] > s.low[j] && (s.high[j] - s.low[j]) * fabs(factor) < 1 / HSP_SQUARES_LARGEST;
        if (large || narrow) status = blame_column(f->p, j, large, err);
        double value = (s.low[j] - (D->shift ? D->shift[j] : 0)) * factor; /* in the design's units */
        f->constant[j] = s.low[j] == s.high[j] && (free_b || value == 0);
        if (s.low[j] == s.high[j]) f->m[j] = value;
    }
    HSP_FREE(s.low, s.high, s.tile, s.seen, s.varies, s.left);
    return status;
}

/* ---- the frame ---- */

static bool allocate_frame(hsp_squares_frame *f) {
    f->constant = hsp_alloc_zero(f->d, sizeof *f->constant);
    f->sums = hsp_alloc_zero(f->K, sizeof *f->sums);
    return f->constant && f->sums && HSP_ALLOC_DOUBLES(f->d, &f->shift, &f->factor, &f->m) &&
           HSP_ALLOC_DOUBLES(f->K, &f->y) && HSP_ALLOC_DOUBLES(f->n * f->K, &f->T, &f->R) &&
           HSP_ALLOC_DOUBLES(f->p->c ? f->n : -1, &f->root);
}

/* A few groups of rows with equal targets: their sums give the means and, without another pass, the moment. Only for sparse
 * rows: dense ones are centred before anything is summed. */
static int group_means(hsp_squares_frame *f, hsp_error **err) {
    const hsp_squares *p = f->p;
    int64_t G = p->groups;
    if (!(f->group = hsp_alloc_zero(G * (1 + f->d + f->K), sizeof *f->group))) return hsp_fail_memory(err);
    double *sums = f->group + G, *codes = sums + G * f->d;
    int status = hsp_design_group_sums(p->design, p->c, p->group, G, f->group, sums, err);
    for (int64_t i = 0; !status && i < f->n; i++) {
        double *code = codes + p->group[i] * f->K;
        if (code[0] == 0) memcpy(code, p->Y + i * f->K, (size_t)f->K * sizeof *code);
    }
    for (int64_t g = 0; !status && g < G; g++) {
        hsp_axpy_f64(1 / f->S, sums + g * f->d, f->m, f->d);
        hsp_axpy_f64(f->group[g] / f->S, codes + g * f->K, f->y, f->K);
    }
    return status;
}

static int means(hsp_squares_frame *f, hsp_error **err) {
    enum { MOST = 65536 };
    double mass;
    if (f->p->group && !f->p->design->x->dense && f->p->groups * f->d <= MOST) return group_means(f, err);
    int status = hsp_design_group_sums(f->p->design, f->p->c, NULL, 1, &mass, f->m, err);
    if (status) return status;
    for (int64_t j = 0; j < f->d; j++) f->m[j] /= f->S;
    for (int64_t i = 0; i < f->n; i++) {
        double c = hsp_squares_weight(f->p, i);
        for (int64_t k = 0; k < f->K; k++) f->y[k] += c * f->p->Y[i * f->K + k];
    }
    for (int64_t k = 0; k < f->K; k++) f->y[k] /= f->S;
    return HSP_OK;
}

/* The design whose rows are x'_i - m; m becomes what is really subtracted, after rounding. */
static int centred_design(hsp_squares_frame *f, bool centre, hsp_error **err) {
    const hsp_design *D = f->p->design;
    for (int64_t j = 0; j < f->d; j++) {
        double shift = D->shift ? D->shift[j] : 0, factor = D->factor ? D->factor[j] : 1;
        f->factor[j] = factor;
        f->shift[j] = centre ? shift + f->m[j] / factor : shift;
        f->m[j] = centre ? (f->shift[j] - shift) * factor : 0;
        if (f->constant[j]) f->factor[j] = 0;
    }
    bool moved = centre || D->shift, plain = !D->x->dense && !D->factor;
    /* Constant columns of zeros need no factor to be removed; sparse rows without factors need no copy. */
    for (int64_t j = 0; plain && j < f->d; j++) plain = !f->constant[j] || f->shift[j] == 0;
    return hsp_design_new(D->x, moved ? f->shift : NULL, plain ? NULL : f->factor, D->threads, &f->E, err);
}

int hsp_frame_open(hsp_squares_frame *f, const hsp_squares *p, bool plain, hsp_error **err) {
    *f = (hsp_squares_frame){.p = p, .n = p->design->n, .d = p->design->d, .K = p->K};
    f->S = hsp_squares_mass(p);
    f->mu = hsp_squares_mu(p);
    bool centre = p->intercept == HSP_INTERCEPT_FREE || (p->intercept == HSP_INTERCEPT_PENALISED && !plain);
    if (!allocate_frame(f)) return hsp_fail_memory(err);
    f->rows = hsp_squares_rows(p);
    for (int64_t i = 0; f->root && i < f->n; i++) f->root[i] = sqrt(p->c[i]);
    int status = hsp_squares_check(p, HSP_SQUARES_LARGEST, err);
    if (status) return status;
    if (p->intercept == HSP_INTERCEPT_PENALISED && centre) {
        f->nu = f->mu;
        f->kappa = f->S * (f->nu / (f->S + f->nu));
    }
    if (centre) status = means(f, err);
    if (!status) status = find_constants(f, err);
    if (!status) status = centred_design(f, centre, err);
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t k = 0; k < f->K; k++) f->T[i * f->K + k] = p->Y[i * f->K + k] - f->y[k];
    return status;
}

int hsp_frame_open_passes(hsp_squares_frame *f, const hsp_squares *p, bool plain, hsp_error **err) {
    int status = hsp_frame_open(f, p, plain, err);
    if (status || f->K > 1 || !f->E->x->dense) return status;
    if (!HSP_ALLOC_DOUBLES(f->n, &f->scores)) return hsp_fail_memory(err);
    return hsp_sweep_new(f->E, hsp_sweep_has_gram(f->E), &f->sweep, err);
}

void hsp_frame_close(hsp_squares_frame *f) {
    hsp_sweep_free(f->sweep);
    hsp_design_free(f->E);
    HSP_FREE(f->shift, f->factor, f->constant, f->root, f->m, f->y, f->T, f->R, f->scores, f->group, f->sums);
    *f = (hsp_squares_frame){0};
}

/* ---- passes ---- */

int hsp_frame_products(const hsp_squares_frame *f, bool ones, double *M, double *trace, hsp_error **err) {
    int64_t n = f->n;
    *trace = 0;
    int status = hsp_design_outer(f->E, NULL, M, err);
    for (int64_t i = 0; !status && i < n; i++) {
        for (int64_t j = 0; j < n; j++) M[i * n + j] = (M[i * n + j] + ones) * hsp_frame_root(f, i) * hsp_frame_root(f, j);
        *trace += M[i * n + i];
    }
    return status;
}

void hsp_frame_deflate(const hsp_squares_frame *f, double amount, double *M) {
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t j = 0; j < f->n; j++) M[i * f->n + j] += amount / f->S * hsp_frame_root(f, i) * hsp_frame_root(f, j);
}

/* c t, the weights of the rows in the moment. */
static const double *weighted_targets(hsp_squares_frame *f) {
    for (int64_t t = 0; f->p->c && t < f->n * f->K; t++) f->R[t] = f->p->c[t / f->K] * f->T[t];
    return f->p->c ? f->R : f->T;
}

/* sum_g M_g (y_g - y) (mean_g - m) */
static void moment_of_groups(const hsp_squares_frame *f, double *out) {
    int64_t G = f->p->groups;
    const double *sums = f->group + G, *codes = sums + G * f->d;
    for (int64_t k = 0; k < f->K; k++)
        for (int64_t j = 0; j < f->d; j++) {
            double sum = 0;
            for (int64_t g = 0; g < G; g++)
                sum += (codes[g * f->K + k] - f->y[k]) * (sums[g * f->d + j] - f->group[g] * f->m[j]);
            out[k * f->d + j] = f->constant[j] ? 0 : sum;
        }
}

int hsp_frame_moment(hsp_squares_frame *f, double *out, hsp_error **err) {
    int status = HSP_OK;
    if (f->group) {
        moment_of_groups(f, out);
    } else if (f->sweep) {
        hsp_pass q = {.scored = true, .scores = f->scores, .r = weighted_targets(f), .pull_r = out};
        status = hsp_sweep_run(f->sweep, &q, err);
    } else {
        status = hsp_design_adjoint_many(f->E, weighted_targets(f), f->K, out, err);
    }
    for (int64_t k = 0; !status && f->kappa > 0 && k < f->K; k++)
        hsp_axpy_f64(f->kappa * f->y[k], f->m, out + k * f->d, f->d);
    return status;
}

int hsp_frame_gram(hsp_squares_frame *f, double *A, double *moment, hsp_error **err) {
    int64_t d = f->d;
    int status;
    if (f->sweep && hsp_sweep_has_gram(f->E)) {
        double *sums = f->p->c ? hsp_alloc(d, sizeof *sums) : NULL;
        hsp_pass q = {.scored = true, .scores = f->scores, .r = weighted_targets(f), .pull_r = moment, .G = A};
        q.h = f->p->c, q.sums = sums;
        status = f->p->c && !sums ? hsp_fail_memory(err) : hsp_sweep_run(f->sweep, &q, err);
        hsp_free(sums);
        for (int64_t k = 0; !status && f->kappa > 0 && k < f->K; k++)
            hsp_axpy_f64(f->kappa * f->y[k], f->m, moment + k * d, d);
    } else {
        status = hsp_design_gram(f->E, f->p->c, NULL, NULL, 1, A, err);
        if (!status) status = hsp_frame_moment(f, moment, err);
    }
    for (int64_t j = 0; !status && f->kappa > 0 && j < d; j++) hsp_axpy_f64(f->kappa * f->m[j], f->m, A + j * d, d);
    return status;
}

static void weigh_residuals(void *ctx, int64_t block, int64_t from, int64_t to) {
    const hsp_squares_frame *f = ctx;
    (void)block;
    for (int64_t i = from; i < to; i++) f->R[i] = hsp_squares_weight(f->p, i) * (f->T[i] - f->scores[i]);
}

/* Scores, residuals and their pull in one pass, or in a pass each. */
static int pull_residuals(hsp_squares_frame *f, const double *W, double *out, hsp_error **err) {
    if (f->sweep) {
        hsp_pass q = {.w = W, .scores = f->scores, .ctx = f, .weigh = weigh_residuals, .r = f->R, .pull_r = out};
        int status = hsp_sweep_run(f->sweep, &q, err);
        return status ? status : hsp_squares_sum(f->p, f->T, f->y, f->scores, NULL, f->sums, err);
    }
    int status = hsp_design_scores_many(f->E, W, NULL, f->K, f->R, err);
    if (!status) status = hsp_squares_sum(f->p, f->T, f->y, f->R, f->R, f->sums, err);
    return status ? status : hsp_design_adjoint_many(f->E, f->R, f->K, out, err);
}

int hsp_frame_residual(hsp_squares_frame *f, const double *W, double *out, hsp_error **err) {
    int status = pull_residuals(f, W, out, err);
    for (int64_t k = 0; !status && k < f->K; k++) {
        const double *w = W + k * f->d;
        if (f->kappa > 0) hsp_axpy_f64(f->kappa * (f->y[k] - hsp_dot_f64(f->m, w, f->d)), f->m, out + k * f->d, f->d);
        hsp_axpy_f64(-f->mu, w, out + k * f->d, f->d);
    }
    return status;
}

void hsp_frame_row(const hsp_squares_frame *f, int64_t i, double *tile, double *out) {
    const hsp_design *E = f->E;
    for (int64_t j = 0; j < f->d; j++) out[j] = E->p ? -E->p[j] : 0;
    hsp_row_axpy(1, hsp_design_row(E, i, tile), out);
}

void hsp_frame_intercepts(const hsp_squares_frame *f, const double *W, double *b) {
    for (int64_t k = 0; k < f->K; k++) {
        double rest = f->y[k] - hsp_dot_f64(f->m, W + k * f->d, f->d);
        b[k] = f->kappa > 0 ? rest * (f->S / (f->S + f->nu)) : rest;
    }
}
