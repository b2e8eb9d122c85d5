/* Means, centred design, and the passes over it. */
#include "solve/squares_frame.h"

#include "base/memory.h"
#include "base/pool.h"
#include "design/gram.h"
#include "kernel/kernel.h"

#include <string.h>

bool hsp_frame_fits(int64_t rows, int64_t columns, int64_t copies) {
    double bytes = 8.0 * (double)rows * (double)columns * (double)copies;
    return bytes <= 0.5 * (double)hsp_memory_limit();
}

int hsp_frame_extreme(hsp_error **err) {
    return hsp_fail(err, HSP_EINPUT,
                    "the values are too large or too small to compute with: try --scale standard, or other units");
}

static double weight(const hsp_frame *f, int64_t i) {
    return f->p->c ? f->p->c[i] : 1;
}

/* ---- columns that do not vary, found exactly ---- */

/* Least and greatest value and number of values of each column, over a piece of the rows; pieces x d. */
typedef struct span {
    const hsp_frame *f;
    int64_t pieces;
    double *low, *high;
    int64_t *seen;
} span;

static int span_open(span *s, const hsp_frame *f) {
    *s = (span){.f = f, .pieces = f->p->design->slabs};
    s->low = hsp_alloc(s->pieces * f->d, sizeof *s->low);
    s->high = hsp_alloc(s->pieces * f->d, sizeof *s->high);
    s->seen = hsp_alloc(s->pieces * f->d, sizeof *s->seen);
    return s->low && s->high && s->seen ? HSP_OK : HSP_EMEMORY;
}

static void span_close(span *s) {
    hsp_free(s->low);
    hsp_free(s->high);
    hsp_free(s->seen);
}

static inline void widen(span *s, int64_t at, double v, int64_t times) {
    if (v < s->low[at]) s->low[at] = v;
    if (v > s->high[at]) s->high[at] = v;
    s->seen[at] += times;
}

static void span_piece(void *ctx, int64_t piece) {
    span *s = ctx;
    const hsp_frame *f = s->f;
    int64_t first = piece * f->d;
    for (int64_t j = 0; j < f->d; j++) {
        s->low[first + j] = INFINITY;
        s->high[first + j] = -INFINITY;
        s->seen[first + j] = 0;
    }
    for (int64_t i = f->n * piece / s->pieces, end = f->n * (piece + 1) / s->pieces; i < end; i++) {
        if (weight(f, i) == 0) continue;
        hsp_row r = hsp_matrix_row(f->p->design->x, i);
        for (int64_t t = 0; t < r.count; t++) widen(s, first + (r.id ? (int64_t)r.id[t] : t), hsp_row_value(r, t), 1);
    }
}

/* All pieces joined into the first, with the zeros that sparse rows do not store. */
static void span_rows(span *s) {
    int64_t d = s->f->d;
    hsp_pool_run(s->pieces, s->f->p->design->threads, span_piece, s);
    for (int64_t at = d; at < s->pieces * d; at++)
        if (s->seen[at] > 0) {
            widen(s, at % d, s->low[at], s->seen[at]);
            widen(s, at % d, s->high[at], 0);
        }
    for (int64_t j = 0; j < d; j++)
        if (s->seen[j] < s->f->rows) widen(s, j, 0, 0);
}

/* Squares of what is left after centring must be numbers: neither infinite nor lost below the least of them. */
static bool out_of_range(double low, double high, double factor) {
    double top = fmax(fabs(low), fabs(high)) * fabs(factor), width = (high - low) * fabs(factor);
    return top > 1e140 || (width > 0 && width < 1e-140);
}

/* The design's own value of a raw one. */
static double transformed(const hsp_design *D, int64_t j, double v) {
    return (v - (D->shift ? D->shift[j] : 0)) * (D->factor ? D->factor[j] : 1);
}

/* Which columns are constant; their mean is their value, to the last bit. */
static int find_constants(hsp_frame *f, hsp_error **err) {
    const hsp_design *D = f->p->design;
    span s;
    int status = span_open(&s, f) ? hsp_fail_memory(err) : HSP_OK;
    if (!status) span_rows(&s);
    bool free_b = f->p->intercept == HSP_INTERCEPT_FREE;
    for (int64_t j = 0; !status && j < f->d; j++) {
        if (out_of_range(s.low[j], s.high[j], D->factor ? D->factor[j] : 1)) status = hsp_frame_extreme(err);
        double value = transformed(D, j, s.low[j]);
        f->constant[j] = s.low[j] == s.high[j] && (free_b || value == 0);
        if (s.low[j] == s.high[j]) f->m[j] = value;
    }
    span_close(&s);
    return status;
}

/* ---- opening ---- */

static int allocate(hsp_frame *f) {
    f->constant = hsp_alloc_zero(f->d, sizeof *f->constant);
    f->shift = hsp_alloc_zero(f->d, sizeof *f->shift);
    f->factor = hsp_alloc_zero(f->d, sizeof *f->factor);
    f->m = hsp_alloc_zero(f->d, sizeof *f->m);
    f->y = hsp_alloc_zero(f->K, sizeof *f->y);
    f->T = hsp_alloc(f->n * f->K, sizeof *f->T);
    f->R = hsp_alloc(f->n * f->K, sizeof *f->R);
    if (f->p->c) f->root = hsp_alloc(f->n, sizeof *f->root);
    bool all = f->constant && f->shift && f->factor && f->m && f->y && f->T && f->R && (!f->p->c || f->root);
    return all ? HSP_OK : HSP_EMEMORY;
}

static int means(hsp_frame *f, hsp_error **err) {
    double mass;
    int status = hsp_design_group_sums(f->p->design, f->p->c, NULL, 1, &mass, f->m, err);
    if (status) return status;
    for (int64_t j = 0; j < f->d; j++) f->m[j] /= f->S;
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t k = 0; k < f->K; k++) f->y[k] += weight(f, i) * f->p->Y[i * f->K + k];
    for (int64_t k = 0; k < f->K; k++) f->y[k] /= f->S;
    return HSP_OK;
}

/* The design whose rows are x'_i - m; m becomes what is really taken out, after rounding. */
static int centred_design(hsp_frame *f, bool centre, hsp_error **err) {
    const hsp_design *D = f->p->design;
    for (int64_t j = 0; j < f->d; j++) {
        double shift = D->shift ? D->shift[j] : 0, factor = D->factor ? D->factor[j] : 1;
        f->factor[j] = factor;
        f->shift[j] = centre ? shift + f->m[j] / factor : shift;
        f->m[j] = centre ? (f->shift[j] - shift) * factor : 0;
        if (f->constant[j]) f->factor[j] = 0;
    }
    bool moved = centre || D->shift;
    return hsp_design_new(D->x, moved ? f->shift : NULL, f->factor, D->threads, &f->E, err);
}

int hsp_frame_open(hsp_frame *f, const hsp_squares *p, bool plain, hsp_error **err) {
    *f = (hsp_frame){.p = p, .n = p->design->n, .d = p->design->d, .K = p->K};
    f->S = hsp_squares_mass(p);
    f->mu = hsp_squares_mu(p);
    bool centre = p->intercept == HSP_INTERCEPT_FREE || (p->intercept == HSP_INTERCEPT_PENALISED && !plain);
    if (allocate(f)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < f->n; i++) {
        f->rows += weight(f, i) > 0;
        if (f->root) f->root[i] = sqrt(weight(f, i));
    }
    if (!(f->S > 0 && isfinite(f->S))) return hsp_frame_extreme(err);
    if (p->intercept == HSP_INTERCEPT_PENALISED && centre) {
        f->nu = f->mu;
        f->kappa = f->S * (f->nu / (f->S + f->nu));
    }
    int status = centre ? means(f, err) : HSP_OK;
    if (!status) status = find_constants(f, err);
    if (!status) status = centred_design(f, centre, err);
    double size = 0;
    for (int64_t t = 0; t < f->n * f->K; t++) {
        f->T[t] = p->Y[t] - f->y[t % f->K];
        if (fabs(p->Y[t]) > size) size = fabs(p->Y[t]);
    }
    if (!status && !(size < 1e140)) status = hsp_frame_extreme(err);
    return status;
}

void hsp_frame_close(hsp_frame *f) {
    hsp_design_free(f->E);
    hsp_free(f->shift);
    hsp_free(f->factor);
    hsp_free(f->constant);
    hsp_free(f->root);
    hsp_free(f->m);
    hsp_free(f->y);
    hsp_free(f->T);
    hsp_free(f->R);
    *f = (hsp_frame){0};
}

/* ---- passes ---- */

/* sum_i c_i R_i z_i; R is used up. */
static int weighted_adjoint(hsp_frame *f, double *out, hsp_error **err) {
    for (int64_t i = 0; f->p->c && i < f->n; i++)
        for (int64_t k = 0; k < f->K; k++) f->R[i * f->K + k] *= f->p->c[i];
    return hsp_design_adjoint_many(f->E, f->R, f->K, out, err);
}

int hsp_frame_moment(hsp_frame *f, double *out, hsp_error **err) {
    memcpy(f->R, f->T, (size_t)(f->n * f->K) * sizeof *f->R);
    int status = weighted_adjoint(f, out, err);
    for (int64_t k = 0; !status && f->kappa > 0 && k < f->K; k++)
        hsp_axpy_f64(f->kappa * f->y[k], f->m, out + k * f->d, f->d);
    return status;
}

int hsp_frame_residual(hsp_frame *f, const double *W, double *out, hsp_error **err) {
    int status = hsp_design_scores_many(f->E, W, NULL, f->K, f->R, err);
    if (status) return status;
    for (int64_t t = 0; t < f->n * f->K; t++) f->R[t] = f->T[t] - f->R[t];
    status = weighted_adjoint(f, out, err);
    for (int64_t k = 0; !status && k < f->K; k++) {
        const double *w = W + k * f->d;
        if (f->kappa > 0) hsp_axpy_f64(f->kappa * (f->y[k] - hsp_dot_f64(f->m, w, f->d)), f->m, out + k * f->d, f->d);
        hsp_axpy_f64(-f->mu, w, out + k * f->d, f->d);
    }
    return status;
}

void hsp_frame_row(const hsp_frame *f, int64_t i, double *tile, double *out) {
    const hsp_design *E = f->E;
    for (int64_t j = 0; j < f->d; j++) out[j] = E->p ? -E->p[j] : 0;
    hsp_row_axpy(1, hsp_design_row(E, i, tile), out);
}

void hsp_frame_intercepts(const hsp_frame *f, const double *W, double *b) {
    for (int64_t k = 0; k < f->K; k++) {
        double rest = f->y[k] - hsp_dot_f64(f->m, W + k * f->d, f->d);
        b[k] = f->kappa > 0 ? rest * (f->S / (f->S + f->nu)) : rest;
    }
}
