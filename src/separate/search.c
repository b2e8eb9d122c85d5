#include "separate/search.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/matrix.h"
#include "verify/proof/exact.h"
#include "verify/proof/proof_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

int hsp_search_begin(hsp_search *s, const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out,
                     hsp_error **err) {
    int64_t n = q->x->n, d = q->x->d;
    *s = (hsp_search){.q = q, .limits = limits, .out = out, .core = *q};
    *out = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = 0, .upper = NAN};
    if (!HSP_ALLOC(s->y, n + 1) || !HSP_ALLOC(s->w, d + 1) || !HSP_ALLOC(s->score, n + 1)) return hsp_fail_memory(err);
    memcpy(s->y, q->y, (size_t)n);
    s->core.y = s->y;
    for (int64_t i = 0; i < n; i++) s->left += s->y[i] != 0;
    s->rows = s->left;
    return HSP_OK;
}

void hsp_search_end(hsp_search *s) {
    HSP_FREE(s->y, s->w, s->score, s->layers.level, s->layers.sign, s->layers.t, s->layers.factor, s->layers.row);
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

/* Scales the largest weight to about 1 by a power of two, or above if the smallest would lose digits. False: not a plane.
 */
static bool normalise_plane(double *w, int64_t d, double *b) {
    enum { LEAST = -960, MOST = 960 };
    double top = 0, low = INFINITY;
    for (int64_t j = 0; j < d; j++) {
        if (!isfinite(w[j])) return false;
        top = fmax(top, fabs(w[j]));
        if (w[j] != 0) low = fmin(low, fabs(w[j]));
    }
    if (!(top > 0)) return false;
    int e = -ilogb(top), least = LEAST - ilogb(low), most = MOST - ilogb(top);
    if (e < least) e = least < most ? least : most;
    for (int64_t j = 0; j < d; j++) w[j] = ldexp(w[j], e);
    if (b) *b = ldexp(*b, e);
    return true;
}

/* b in the middle between the classes; false: w leaves no gap between them. */
static bool place_intercept(const hsp_search *s, double *b) {
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

int hsp_search_enter(hsp_search *s, const double *w, double b, const char *method, bool *accepted, hsp_error **err) {
    int64_t d = s->q->x->d;
    double margin;
    hsp_proof_kind kind = hsp_proof_check_plane(s->q, w, b, &margin);
    *accepted = false;
    if (kind == HSP_PROOF_NONE) return HSP_OK;
    double *kept = hsp_alloc(d + 1, sizeof *kept);
    if (!kept) return hsp_fail_memory(err);
    memcpy(kept, w, (size_t)d * sizeof *kept);
    hsp_proof_clear(s->out);
    *s->out = (hsp_proof){.verdict = HSP_SEPARABLE,
                          .kind = kind,
                          .method = method,
                          .w = kept,
                          .b = b,
                          .margin = isfinite(margin) && margin > 0 ? margin : NAN,
                          .lower = NAN,
                          .upper = NAN};
    s->decided = *accepted = true;
    return HSP_OK;
}

int hsp_search_plane(hsp_search *s, const double *w, const char *method, bool *accepted, hsp_error **err) {
    int64_t d = s->q->x->d;
    double b = 0;
    *accepted = false;
    memcpy(s->w, w, (size_t)d * sizeof *w);
    if (s->layers.count > 0) {
        b = hsp_layers_place(s, s->w);
        hsp_layers_extend(s, s->w, &b);
    }
    if (!normalise_plane(s->w, d, NULL)) return HSP_OK;
    /* Scores without b, in long double because of cancellation. */
    for (int64_t i = 0; i < s->q->x->n; i++) {
        long double sum = 0;
        hsp_row r = s->q->y[i] ? hsp_matrix_row(s->q->x, i) : (hsp_row){0};
        for (int64_t t = 0; t < r.count; t++) sum += (long double)hsp_row_value(r, t) * s->w[hsp_row_id(r, t)];
        s->score[i] = sum;
    }
    if (!place_intercept(s, &b)) return HSP_OK;
    return hsp_search_enter(s, s->w, b, method, accepted, err);
}

/* ---- witnesses ---- */

static int keep_witness(hsp_proof *p, const int64_t *row, const double *multiplier, int64_t count) {
    int64_t *rows = hsp_alloc(count, sizeof *rows);
    double *m = hsp_alloc(count, sizeof *m);
    if (!rows || !m) {
        HSP_FREE(rows, m);
        return HSP_EMEMORY;
    }
    memcpy(rows, row, (size_t)count * sizeof *rows);
    memcpy(m, multiplier, (size_t)count * sizeof *m);
    HSP_FREE(p->row, p->multiplier);
    p->row = rows;
    p->multiplier = m;
    p->count = count;
    return HSP_OK;
}

int hsp_search_witness(hsp_search *s, const int64_t *row, const double *multiplier, int64_t count, const char *method,
                       bool *accepted, hsp_error **err) {
    hsp_proof_kind kind = HSP_PROOF_NONE;
    *accepted = false;
    int status = hsp_proof_check_witness(s->q, row, multiplier, count, NULL, &kind, err);
    if (status || kind == HSP_PROOF_NONE) return status;
    *accepted = true;
    if (s->out->verdict == HSP_TOUCHING) return HSP_OK;
    if (keep_witness(s->out, row, multiplier, count)) return hsp_fail_memory(err);
    s->out->verdict = HSP_NOT_SEPARABLE;
    s->out->kind = kind;
    s->out->method = method;
    s->out->lower = s->out->upper = s->out->margin = NAN;
    return HSP_OK;
}

/* ---- planes through witnesses ---- */

/* size: the largest distance of each column from its value in row `from` (through the origin: from 0). */
static void find_sizes(const hsp_search *s, int64_t from, double *size) {
    const hsp_matrix *x = s->q->x;
    double *at = s->w; /* scratch */
    memset(at, 0, (size_t)x->d * sizeof *at);
    hsp_row base = hsp_matrix_row(x, from);
    for (int64_t t = 0; t < base.count; t++) at[hsp_row_id(base, t)] = hsp_row_value(base, t);
    for (int64_t j = 0; j < x->d; j++) size[j] = x->dense ? 0 : fabs(at[j]);
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = s->q->y[i] ? hsp_matrix_row(x, i) : (hsp_row){0};
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            size[j] = fmax(size[j], fabs(hsp_row_value(r, t) - (s->q->origin ? 0 : at[j])));
        }
    }
}

/* log2(|w_j| size_j), which cannot overflow. */
static double log_size(double w, double size) {
    return w == 0 || size == 0 ? -INFINITY : log2(fabs(w)) + log2(size);
}

/* The ten columns with the largest |w_j| size_j. */
static void rank_columns(hsp_proof *p, const double *w, const double *size, int64_t d) {
    p->column_count = 0;
    for (int64_t j = 0; j < d; j++) {
        double mine = log_size(w[j], size[j]);
        if (mine == -INFINITY) continue;
        int64_t k = p->column_count < 10 ? p->column_count++ : 10;
        for (; k > 0 && mine > log_size(w[p->columns[k - 1]], size[p->columns[k - 1]]); k--)
            if (k < 10) p->columns[k] = p->columns[k - 1];
        if (k < 10) p->columns[k] = j;
    }
}

/* Sets weights to 0 whose |w_j| size_j is below 2^-30 of the largest; false: there are none. */
static bool drop_small_weights(double *w, const double *size, int64_t d) {
    double top = -INFINITY;
    bool any = false;
    for (int64_t j = 0; j < d; j++) top = fmax(top, log_size(w[j], size[j]));
    for (int64_t j = 0; j < d; j++) {
        if (w[j] == 0 || log_size(w[j], size[j]) > top - 30) continue;
        w[j] = 0;
        any = true;
    }
    return any;
}

/* Planes through a witness: the one on trial, w, the checker's version of it, and the best so far. */
typedef struct weak_trial {
    double *w, *plane, *best, *size; /* d each */
    double b;                        /* of `best`, as the following */
    int64_t strict;                  /* rows off the plane */
    bool exact;                      /* the doubles are the exact plane */
    hsp_proof_kind kind;
} weak_trial;

/* Whether the rows are exactly on the plane. */
static bool contains(const hsp_search *s, const double *w, double b, const int64_t *row, int64_t count) {
    for (int64_t t = 0; t < count; t++) {
        hsp_exact sum;
        hsp_exact_clear(&sum);
        hsp_rows_exact(&sum, hsp_matrix_row(s->q->x, row[t]), w, 1);
        hsp_exact_add(&sum, b);
        if (hsp_exact_sign(&sum) != 0) return false;
    }
    return true;
}

static int try_weak(const hsp_search *s, const hsp_weak *k, weak_trial *t, hsp_error **err) {
    hsp_proof_kind kind;
    int64_t strict = 0, d = s->q->x->d;
    double b = 0;
    if (!normalise_plane(t->w, d, NULL)) return HSP_OK;
    int status = hsp_proof_check_touching(s->q, t->w, k->row, k->count, &kind, &strict, t->plane, &b, err);
    if (status || kind == HSP_PROOF_NONE || strict < t->strict) return status;
    /* Whole numbers stay: only weights outside 1 to 1e6 are scaled. */
    double top = 0;
    for (int64_t j = 0; j < d; j++) top = fmax(top, fabs(t->plane[j]));
    if (!(top >= 1 && top < 1e6) && !normalise_plane(t->plane, d, &b)) return HSP_OK;
    /* The rounded plane is another plane: it must be checked, too. */
    double again;
    status = hsp_proof_check_touching(s->q, t->plane, k->row, k->count, &kind, &strict, t->w, &again, err);
    if (status || kind == HSP_PROOF_NONE) return status;
    bool exact = contains(s, t->plane, b, k->row, k->count);
    if (strict < t->strict || (strict == t->strict && (t->exact || !exact))) return HSP_OK;
    t->exact = exact;
    memcpy(t->best, t->plane, (size_t)d * sizeof *t->best);
    t->b = b;
    t->strict = strict;
    t->kind = kind;
    return HSP_OK;
}

static int enter_weak(hsp_search *s, const hsp_weak *k, const weak_trial *t, bool *accepted, hsp_error **err) {
    hsp_proof_kind other = HSP_PROOF_NONE;
    hsp_proof *p = s->out;
    int64_t d = s->q->x->d;
    int status = hsp_proof_check_witness(s->q, k->row, k->multiplier, k->count, NULL, &other, err);
    if (status || other == HSP_PROOF_NONE) return status;
    double *kept = hsp_alloc(d + 1, sizeof *kept);
    if (!kept || (k->row != p->row && keep_witness(p, k->row, k->multiplier, k->count))) {
        hsp_free(kept);
        return hsp_fail_memory(err);
    }
    memcpy(kept, t->best, (size_t)d * sizeof *kept);
    hsp_free(p->w);
    p->w = kept;
    p->b = t->b;
    p->verdict = HSP_TOUCHING;
    p->kind = other == HSP_PROOF_BOUNDED ? other : t->kind;
    p->method = k->method;
    p->margin = 0;
    p->lower = p->upper = NAN;
    rank_columns(p, kept, t->size, d);
    s->strict = t->strict;
    s->exact = t->exact;
    *accepted = true;
    return HSP_OK;
}

/* w = the given weights, extended to all rows if they are those of the core. */
static void set_weak_plane(const hsp_search *s, const hsp_weak *k, double *w) {
    memcpy(w, k->w, (size_t)s->q->x->d * sizeof *w);
    if (!k->core || s->layers.count == 0) return;
    long double g = 0;
    hsp_row first = hsp_matrix_row(s->q->x, k->row[0]);
    for (int64_t t = 0; !s->q->origin && t < first.count; t++)
        g -= (long double)hsp_row_value(first, t) * w[hsp_row_id(first, t)];
    double b = (double)g;
    hsp_layers_extend(s, w, &b);
}

int hsp_search_weak(hsp_search *s, const hsp_weak *k, bool *accepted, hsp_error **err) {
    int64_t d = s->q->x->d, had = s->strict;
    double *w = hsp_alloc(4 * (d + 1), sizeof *w);
    *accepted = false;
    if (!w) return hsp_fail_memory(err);
    weak_trial t = {.w = w, .plane = w + d, .best = w + 2 * d, .size = w + 3 * d, .strict = had, .exact = s->exact};
    bool known = s->exact;
    int status = HSP_OK;
    find_sizes(s, k->row[0], t.size);
    set_weak_plane(s, k, t.w);
    if (drop_small_weights(t.w, t.size, d) && k->expected >= 0) status = try_weak(s, k, &t, err);
    if (!status && (k->expected < 0 || t.strict < k->expected || !t.exact)) {
        set_weak_plane(s, k, t.w);
        status = try_weak(s, k, &t, err);
    }
    if (!status && (t.strict > had || t.exact != known)) status = enter_weak(s, k, &t, accepted, err);
    if (!status && s->out->verdict == HSP_TOUCHING && k->expected >= 0 && s->strict >= k->expected)
        s->decided = *accepted = true;
    hsp_free(w);
    return status;
}

int hsp_search_layers_weak(hsp_search *s, bool complete, const char *method, hsp_error **err) {
    int64_t d = s->q->x->d;
    bool accepted = false;
    if (s->layers.count == 0 || s->out->count == 0) return HSP_OK;
    double *w = hsp_alloc_zero(d + 1, sizeof *w);
    if (!w) return hsp_fail_memory(err);
    hsp_proof *p = s->out;
    hsp_weak k = {w, true, complete ? s->rows - s->left : -1, p->row, p->multiplier, p->count, method};
    int status = hsp_search_weak(s, &k, &accepted, err);
    if (!status && !accepted && p->verdict != HSP_TOUCHING) { /* the plane of the first layer alone */
        const hsp_layers *l = &s->layers;
        for (int64_t j = 0; j < d; j++) w[j] = l->level[j] == 0 ? l->sign[j] * l->factor[j] : 0;
        k = (hsp_weak){w, false, -1, p->row, p->multiplier, p->count, method};
        status = hsp_search_weak(s, &k, &accepted, err);
    }
    hsp_free(w);
    return status;
}

/* ---- bounds ---- */

int hsp_by_rank(const void *a, const void *b) {
    const hsp_ranked_row *p = a, *q = b;
    return p->key != q->key ? (p->key < q->key) - (p->key > q->key) : (p->row > q->row) - (p->row < q->row);
}

/* The error of a sum of k products is at most (k + 4) u times the sum of their sizes, including the rounding of the shares;
 * all that follows is rounded up. */
int hsp_search_bound(hsp_search *s, const double *m, hsp_error **err) {
    const hsp_matrix *x = s->q->x;
    long double sum[2] = {0, 0}, square = 0, u = LDBL_EPSILON, rows = (long double)s->rows + 16;
    for (int64_t i = 0; i < x->n; i++)
        if (s->y[i] && m[i] > 0) sum[s->q->origin ? 0 : s->y[i] > 0] += m[i];
    if (!(sum[0] > 0) || (!s->q->origin && !(sum[1] > 0)) || !isfinite((double)(sum[0] + sum[1]))) return HSP_OK;
    long double *z = hsp_alloc_zero(2 * x->d + 1, sizeof *z), *size = z + x->d;
    if (!z) return hsp_fail_memory(err);
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = s->y[i] && m[i] > 0 ? hsp_matrix_row(x, i) : (hsp_row){0};
        long double share = r.count ? s->y[i] * (m[i] / sum[s->q->origin ? 0 : s->y[i] > 0]) : 0;
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            long double v = share * hsp_row_value(r, t);
            z[j] += v;
            size[j] += fabsl(v);
        }
    }
    for (int64_t j = 0; j < x->d; j++) {
        long double most = fabsl(z[j]) + 2 * rows * u * size[j] + rows * LDBL_MIN;
        square += most * most;
    }
    double bound = (double)(sqrtl(square) * (1 + ((long double)x->d + 16) * u) / (s->q->origin ? 1 : 2));
    bound = nextafter(bound * (1 + DBL_EPSILON), INFINITY);
    if (hsp_exact_ieee() && isfinite(bound) && !(bound >= s->out->upper)) s->out->upper = bound;
    hsp_free(z);
    return HSP_OK;
}
