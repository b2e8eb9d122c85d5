#include "separate/search.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

int hsp_search_begin(hsp_search *s, const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out,
                     hsp_error **err) {
    int64_t n = q->x->n, d = q->x->d;
    *s = (hsp_search){.q = q, .limits = limits, .out = out, .core = *q};
    *out = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = 0, .upper = NAN};
    s->y = hsp_alloc(n + 1, sizeof *s->y);
    s->w = hsp_alloc(d + 1, sizeof *s->w);
    s->score = hsp_alloc(n + 1, sizeof *s->score);
    if (!s->y || !s->w || !s->score) return hsp_fail_memory(err);
    memcpy(s->y, q->y, (size_t)n);
    s->core.y = s->y;
    for (int64_t i = 0; i < n; i++) s->left += s->y[i] != 0;
    return HSP_OK;
}

void hsp_search_end(hsp_search *s) {
    hsp_free(s->y);
    hsp_free(s->w);
    hsp_free(s->score);
    hsp_free(s->layers.level);
    hsp_free(s->layers.sign);
    hsp_free(s->layers.t);
    hsp_free(s->layers.factor);
    hsp_free(s->layers.row);
    *s = (hsp_search){0};
}

bool hsp_search_stop(const hsp_search *s) {
    return hsp_cancel_pending() || hsp_clock_seconds() >= s->limits->deadline;
}

void hsp_search_log(const hsp_search *s, const char *format, ...) {
    const hsp_hooks *hooks = s->limits->hooks;
    if (!hooks || !hooks->log) return;
    hsp_text line = {0};
    va_list arguments;
    va_start(arguments, format);
    hsp_text_add(&line, "separability: ");
    hsp_text_vformat(&line, format, arguments);
    va_end(arguments);
    if (!line.failed) hooks->log(hooks->user, 1, line.s);
    hsp_text_free(&line);
}

/* ---- planes ---- */

/* Largest weight near 1, by a power of two; false when that cannot be. */
static bool normalise(double *w, int64_t d, double *b) {
    double top = 0;
    for (int64_t j = 0; j < d; j++) {
        if (!isfinite(w[j])) return false;
        top = fmax(top, fabs(w[j]));
    }
    if (!(top > 0)) return false;
    int e = -ilogb(top);
    for (int64_t j = 0; j < d; j++) w[j] = ldexp(w[j], e);
    if (b) *b = ldexp(*b, e);
    return true;
}

/* Scores of all rows without b; in long double, since much may cancel. */
static void score(hsp_search *s, const double *w) {
    for (int64_t i = 0; i < s->q->x->n; i++) {
        long double sum = 0;
        hsp_row r = s->q->y[i] ? hsp_matrix_row(s->q->x, i) : (hsp_row){0};
        for (int64_t t = 0; t < r.count; t++) sum += (long double)hsp_row_value(r, t) * w[r.id ? r.id[t] : t];
        s->score[i] = sum;
    }
}

/* b in the middle between the classes; false when there is no room between them. */
static bool place(const hsp_search *s, double *b) {
    long double below = -INFINITY, above = INFINITY; /* -b is between them */
    for (int64_t i = 0; i < s->q->x->n; i++) {
        if (s->q->y[i] > 0 && s->score[i] < above) above = s->score[i];
        if (s->q->y[i] < 0 && s->score[i] > below) below = s->score[i];
    }
    *b = 0;
    if (s->q->origin) return above > 0 && below < 0;
    if (above == INFINITY || below == -INFINITY) return false;
    *b = (double)-(below / 2 + above / 2);
    return below < above;
}

int hsp_search_plane(hsp_search *s, const double *w, const char *method, bool *taken, hsp_error **err) {
    int64_t d = s->q->x->d;
    double b = 0, margin = NAN;
    hsp_proof_kind kind = HSP_PROOF_NONE;
    *taken = false;
    memcpy(s->w, w, (size_t)d * sizeof *w);
    if (s->layers.count > 0) {
        int status = hsp_layers_extend(s, s->w, &b, err);
        if (status) return status;
    }
    if (!normalise(s->w, d, NULL)) return HSP_OK;
    score(s, s->w);
    if (!place(s, &b)) return HSP_OK;
    int status = hsp_proof_check_plane(s->q, s->w, b, &kind, &margin, err);
    if (status || kind == HSP_PROOF_NONE) return status;
    double *kept = hsp_alloc(d + 1, sizeof *kept);
    if (!kept) return hsp_fail_memory(err);
    memcpy(kept, s->w, (size_t)d * sizeof *kept);
    hsp_proof_clear(s->out);
    *s->out = (hsp_proof){.verdict = HSP_SEPARABLE,
                          .kind = kind,
                          .method = method,
                          .w = kept,
                          .b = b,
                          .margin = margin,
                          .lower = NAN,
                          .upper = NAN};
    s->settled = *taken = true;
    return HSP_OK;
}

/* ---- witnesses ---- */

static int keep_witness(hsp_proof *p, const int64_t *row, const double *multiplier, int64_t count) {
    int64_t *rows = hsp_alloc(count, sizeof *rows);
    double *m = hsp_alloc(count, sizeof *m);
    if (!rows || !m) {
        hsp_free(rows);
        hsp_free(m);
        return HSP_EMEMORY;
    }
    memcpy(rows, row, (size_t)count * sizeof *rows);
    memcpy(m, multiplier, (size_t)count * sizeof *m);
    hsp_free(p->row);
    hsp_free(p->multiplier);
    p->row = rows;
    p->multiplier = m;
    p->count = count;
    return HSP_OK;
}

int hsp_search_witness(hsp_search *s, const int64_t *row, const double *multiplier, int64_t count, const char *method,
                       bool *taken, hsp_error **err) {
    hsp_proof_kind kind = HSP_PROOF_NONE;
    *taken = false;
    int status = hsp_proof_check_witness(s->q, row, multiplier, count, &kind, err);
    if (status || kind == HSP_PROOF_NONE) return status;
    if (keep_witness(s->out, row, multiplier, count)) return hsp_fail_memory(err);
    s->out->verdict = HSP_NOT_SEPARABLE;
    s->out->kind = kind;
    s->out->method = method;
    s->out->lower = s->out->upper = s->out->margin = NAN;
    *taken = true;
    return HSP_OK;
}

/* The ten columns whose weights matter most; those that hardly do are left out. */
static void name_columns(hsp_proof *p, const double *w, const double *size, int64_t d) {
    double top = 0;
    for (int64_t j = 0; j < d; j++) top = fmax(top, fabs(w[j]) * size[j]);
    p->column_count = 0;
    for (int64_t j = 0; j < d; j++) {
        double mine = fabs(w[j]) * size[j];
        if (!(mine > 1e-6 * top)) continue;
        int64_t k = p->column_count < 10 ? p->column_count++ : 10;
        for (; k > 0 && mine > fabs(w[p->columns[k - 1]]) * size[p->columns[k - 1]]; k--)
            if (k < 10) p->columns[k] = p->columns[k - 1];
        if (k < 10) p->columns[k] = j;
    }
}

int hsp_search_weak(hsp_search *s, const double *w, const double *size, const int64_t *row, const double *multiplier,
                    int64_t count, const char *method, bool *taken, hsp_error **err) {
    int64_t strict = 0, d = s->q->x->d;
    hsp_proof_kind kind = HSP_PROOF_NONE, other = HSP_PROOF_NONE;
    *taken = false;
    if (w != s->w) memcpy(s->w, w, (size_t)d * sizeof *w);
    if (!normalise(s->w, d, NULL)) return HSP_OK;
    int status = hsp_proof_check_touching(s->q, s->w, row, count, &kind, &strict, err);
    if (status || kind == HSP_PROOF_NONE || strict == 0) return status;
    status = hsp_proof_check_witness(s->q, row, multiplier, count, &other, err);
    if (status || other == HSP_PROOF_NONE) return status;
    long double b = 0;
    hsp_row first = hsp_matrix_row(s->q->x, row[0]);
    for (int64_t t = 0; !s->q->origin && t < first.count; t++)
        b -= (long double)hsp_row_value(first, t) * s->w[first.id ? first.id[t] : t];
    hsp_proof *p = s->out;
    double *kept = hsp_alloc(d + 1, sizeof *kept);
    if (!kept || (row != p->row && keep_witness(p, row, multiplier, count))) {
        hsp_free(kept);
        return hsp_fail_memory(err);
    }
    memcpy(kept, s->w, (size_t)d * sizeof *kept);
    hsp_free(p->w);
    p->w = kept;
    p->b = (double)b;
    p->verdict = HSP_TOUCHING;
    p->kind = other == HSP_PROOF_BOUNDED ? other : kind;
    p->method = method;
    p->margin = 0;
    p->lower = p->upper = NAN;
    name_columns(p, kept, size, d);
    s->settled = *taken = true;
    return HSP_OK;
}

int hsp_search_bound(hsp_search *s, const double *m, hsp_error **err) {
    const hsp_matrix *x = s->q->x;
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < x->n; i++)
        if (s->y[i] && m[i] > 0) sum[s->q->origin ? 0 : s->y[i] > 0] += m[i];
    long double *z = hsp_alloc_zero(x->d + 1, sizeof *z), square = 0;
    if (!z) return hsp_fail_memory(err);
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = s->y[i] && m[i] > 0 ? hsp_matrix_row(x, i) : (hsp_row){0};
        double share = s->y[i] * m[i] / sum[s->q->origin ? 0 : s->y[i] > 0];
        for (int64_t t = 0; t < r.count; t++) z[r.id ? r.id[t] : t] += (long double)share * hsp_row_value(r, t);
    }
    for (int64_t j = 0; j < x->d; j++) square += z[j] * z[j];
    double bound = (double)sqrtl(square) / (s->q->origin ? 1 : 2);
    if (isfinite(bound) && !(bound >= s->out->upper)) s->out->upper = bound * (1 + 1e-12);
    hsp_free(z);
    return HSP_OK;
}
