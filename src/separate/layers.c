/* Single columns that separate the classes: strictly, or weakly, with all positive rows at or above a threshold t and all
 * negative ones at or below it. The rows off t in a weak column are separated and peeled off as a layer; other columns may
 * separate those that are left. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "separate/search.h"
#include "verify/proof/proof.h"

#include <math.h>

enum { LAYERS = 100 };

/* Least and greatest value of each column on each side, and how many are stored. Owns its arrays. */
typedef struct side_ranges {
    double *low[2], *high[2];
    int64_t *count[2];
    int64_t rows[2];
} side_ranges;

static void clear_ranges(side_ranges *g) {
    for (int k = 0; k < 2; k++) HSP_FREE(g->low[k], g->high[k], g->count[k]);
}

static int make_ranges(side_ranges *g, int64_t d) {
    *g = (side_ranges){0};
    for (int k = 0; k < 2; k++)
        if (!HSP_ALLOC(g->low[k], d + 1) || !HSP_ALLOC(g->high[k], d + 1) || !HSP_ALLOC(g->count[k], d + 1))
            return HSP_EMEMORY;
    return HSP_OK;
}

static void find_ranges(const hsp_rows_by_side *q, side_ranges *g) {
    int64_t d = q->x->d;
    for (int k = 0; k < 2; k++) {
        g->rows[k] = 0;
        for (int64_t j = 0; j < d; j++) g->low[k][j] = INFINITY, g->high[k][j] = -INFINITY, g->count[k][j] = 0;
    }
    for (int64_t i = 0; i < q->x->n; i++) {
        if (!q->y[i]) continue;
        int k = q->y[i] > 0;
        hsp_row r = hsp_matrix_row(q->x, i);
        g->rows[k]++;
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            double v = hsp_row_value(r, t);
            g->low[k][j] = fmin(g->low[k][j], v);
            g->high[k][j] = fmax(g->high[k][j], v);
            g->count[k][j]++;
        }
    }
    for (int k = 0; k < 2; k++)
        for (int64_t j = 0; j < d; j++)
            if (g->count[k][j] < g->rows[k]) {
                g->low[k][j] = fmin(g->low[k][j], 0);
                g->high[k][j] = fmax(g->high[k][j], 0);
            }
}

/* How column j separates: 1 strictly, 0 weakly, -1 not. sign: which side is above; below and above: the ends of the gap. */
static int splits(const side_ranges *g, bool origin, int64_t j, int *sign, double *below, double *above) {
    for (*sign = 1; *sign >= -1; *sign -= 2) {
        int k = *sign > 0;
        *below = g->rows[1 - k] > 0 ? g->high[1 - k][j] : -INFINITY;
        *above = g->rows[k] > 0 ? g->low[k][j] : INFINITY;
        if (origin) {
            *below = *below > 0 ? INFINITY : *below;
            *above = *above < 0 ? -INFINITY : *above;
            if (*below < 0 && *above > 0) return 1;
            double least = fmin(g->low[0][j], g->low[1][j]), most = fmax(g->high[0][j], g->high[1][j]);
            if (*below <= 0 && *above >= 0 && (least < 0 || most > 0)) {
                *below = *above = 0;
                return 0;
            }
            continue;
        }
        if (*below < *above) return 1;
        if (*below == *above && (g->low[1 - k][j] < *below || g->high[k][j] > *above)) return 0;
    }
    return -1;
}

/* Doubles a and b with a x + b < 0 up to `below` and > 0 from `above` on. A slope of 1 if possible; with others the
 * threshold -b / a falls elsewhere between adjacent doubles. Tiny numbers are scaled by a power of two. */
static bool find_slope(double below, double above, double *a, double *b) {
    static const double slopes[] = {1, 0.75, 1.0 / 3, 0.6, 0.51, 0.3, 0.9999, 0.87, 0.63, 0.57};
    double top = fmax(fabs(below), fabs(above));
    int e = top > 0 && top < 0x1p-900 ? -ilogb(top) : 0;
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
        *a = ldexp(slopes[k], e > 1000 ? 1000 : e);
        *b = -(*a * below / 2 + *a * above / 2);
        if (isfinite(*b) && fma(*a, below, *b) < 0 && fma(*a, above, *b) > 0) return true;
    }
    return false;
}

static int try_column(hsp_search *s, int64_t j, int sign, double below, double above, hsp_error **err) {
    double a = 1, b = 0;
    bool accepted;
    if (!s->q->origin && !find_slope(below, above, &a, &b)) return HSP_OK;
    double *w = hsp_alloc_zero(s->q->x->d + 1, sizeof *w);
    if (!w) return hsp_fail_memory(err);
    w[j] = sign * a;
    int status = hsp_search_enter(s, w, sign * b, "one-column", &accepted, err);
    hsp_free(w);
    return status;
}

int hsp_search_column(hsp_search *s, hsp_error **err) {
    side_ranges g;
    int status = make_ranges(&g, s->q->x->d) ? hsp_fail_memory(err) : HSP_OK;
    int64_t best = -1;
    double widest = 0, below = 0, above = 0, from = 0, to = 0;
    int best_sign = 1, sign = 1;
    if (!status) find_ranges(s->q, &g);
    for (int64_t j = 0; !status && j < s->q->x->d; j++) {
        if (splits(&g, s->q->origin, j, &sign, &below, &above) != 1) continue;
        double gap = s->q->origin ? fmin(above, -below) : above - below;
        if (best >= 0 && !(gap > widest)) continue;
        best = j, widest = gap, best_sign = sign, from = below, to = above;
    }
    clear_ranges(&g);
    if (best >= 0) status = try_column(s, best, best_sign, from, to, err);
    if (best >= 0)
        hsp_search_log(s, "column %lld alone separates the classes", (long long)best + 1);
    else
        hsp_search_log(s, "no single column separates the classes");
    return status;
}

/* ---- layers ---- */

static int make_layers(hsp_search *s) {
    int64_t n = s->q->x->n, d = s->q->x->d;
    hsp_layers *l = &s->layers;
    if (!HSP_ALLOC(l->level, d + 1) || !HSP_ALLOC(l->sign, d + 1) || !HSP_ALLOC(l->t, d + 1) ||
        !HSP_ALLOC(l->factor, d + 1) || !HSP_ALLOC(l->row, n + 1))
        return HSP_EMEMORY;
    for (int64_t j = 0; j < d; j++) l->level[j] = -1;
    for (int64_t i = 0; i < n; i++) l->row[i] = -1;
    return HSP_OK;
}

/* Gives the columns that separate the core the present level; how many. For strict ones t is the middle of the gap. */
static int64_t mark_columns(hsp_search *s, const side_ranges *g) {
    hsp_layers *l = &s->layers;
    int64_t marked = 0;
    for (int64_t j = 0; j < s->q->x->d; j++) {
        int sign;
        double below, above;
        if (l->level[j] >= 0 || splits(g, s->q->origin, j, &sign, &below, &above) < 0) continue;
        double t = s->q->origin ? 0 : below == above ? above : below / 2 + above / 2;
        double size = fmax(fmax(g->high[0][j], g->high[1][j]) - t, t - fmin(g->low[0][j], g->low[1][j]));
        if (!(size > 0 && size < INFINITY) || !isfinite(t)) continue;
        int e = ilogb(size);
        l->level[j] = l->count;
        l->sign[j] = (int8_t)sign;
        l->t[j] = t;
        l->factor[j] = ldexp(1, e > 1000 ? -1000 : e < -1000 ? 1000 : -e);
        marked++;
    }
    return marked;
}

/* Removes rows whose values in the columns of the present layer are not all t from the core; how many. */
static int64_t peel_rows(hsp_search *s, double *at) {
    hsp_layers *l = &s->layers;
    int64_t gone = 0, d = s->q->x->d;
    int64_t not_zero = 0; /* columns of the layer with t != 0 */
    for (int64_t j = 0; j < d; j++) {
        at[j] = l->level[j] == l->count ? l->t[j] : NAN;
        not_zero += at[j] != 0 && !isnan(at[j]);
    }
    for (int64_t i = 0; i < s->q->x->n; i++) {
        if (!s->y[i]) continue;
        hsp_row r = hsp_matrix_row(s->q->x, i);
        bool off = false;
        int64_t met = 0;
        for (int64_t t = 0; t < r.count && !off; t++) {
            double v = at[hsp_row_id(r, t)];
            if (isnan(v)) continue;
            off = hsp_row_value(r, t) != v;
            met += v != 0;
        }
        if (!off && met == not_zero) continue;
        l->row[i] = l->count;
        s->y[i] = 0;
        gone++;
    }
    return gone;
}

static bool one_sided(const hsp_search *s) {
    bool seen[2] = {false, false};
    for (int64_t i = 0; i < s->q->x->n; i++)
        if (s->y[i]) seen[s->y[i] > 0] = true;
    return s->q->origin ? s->left == 0 : !(seen[0] && seen[1]);
}

/* Enters what the layers prove by themselves: that all rows are separated, or that a known witness lies on their plane. */
static int conclude_layers(hsp_search *s, hsp_error **err) {
    bool accepted = false;
    int64_t d = s->q->x->d;
    if (s->out->count > 0) return hsp_search_layers_weak(s, false, s->out->method, err);
    if (!one_sided(s)) return HSP_OK;
    double *w = hsp_alloc_zero(d + 1, sizeof *w);
    if (!w) return hsp_fail_memory(err);
    int status = hsp_search_plane(s, w, "columns", &accepted, err);
    hsp_free(w);
    return status;
}

int hsp_search_layers(hsp_search *s, hsp_error **err) {
    side_ranges g;
    int64_t d = s->q->x->d, gone = 1, before = s->left;
    double *at = hsp_alloc(d + 1, sizeof *at);
    int status = make_ranges(&g, d) || !at || make_layers(s) ? hsp_fail_memory(err) : HSP_OK;
    while (!status && gone > 0 && s->layers.count < LAYERS && !one_sided(s) && !hsp_search_stop(s)) {
        find_ranges(&s->core, &g);
        if (mark_columns(s, &g) == 0) break;
        gone = peel_rows(s, at);
        s->left -= gone;
        s->layers.count++;
    }
    clear_ranges(&g);
    hsp_free(at);
    if (status || s->layers.count == 0) return status;
    hsp_search_log(s, "%d layers of columns decide %lld rows, %lld are left", s->layers.count,
                   (long long)(before - s->left), (long long)s->left);
    return conclude_layers(s, err);
}

/* The margins of row i for the plane of the layer and for (w, b). */
static void two_scores(const hsp_search *s, int64_t i, int32_t layer, double constant, const double *w, double b,
                       double *mine, double *others) {
    const hsp_layers *l = &s->layers;
    hsp_row r = hsp_matrix_row(s->q->x, i);
    long double a = constant, g = b;
    for (int64_t t = 0; t < r.count; t++) {
        int64_t j = hsp_row_id(r, t);
        double v = hsp_row_value(r, t);
        g += (long double)v * w[j];
        if (l->level[j] == layer) a += (long double)v * (l->sign[j] * l->factor[j]);
    }
    *mine = (double)(s->q->y[i] * a);
    *others = (double)(s->q->y[i] * g);
}

double hsp_layers_place(const hsp_search *s, const double *w) {
    long double below = -INFINITY, above = INFINITY;
    if (s->q->origin) return 0;
    for (int64_t i = 0; i < s->q->x->n; i++) {
        if (!s->y[i]) continue;
        double mine, g;
        two_scores(s, i, -2, 0, w, 0, &mine, &g);
        if (s->y[i] > 0 && g < above) above = g;
        if (s->y[i] < 0 && -g > below) below = -g;
    }
    if (above < INFINITY && below > -INFINITY) return (double)-(below / 2 + above / 2);
    /* rows of one side only, or none */
    return above < INFINITY ? (double)(1 - above) : below > -INFINITY ? (double)(-1 - below) : 0;
}

void hsp_layers_extend(const hsp_search *s, double *w, double *b) {
    const hsp_layers *l = &s->layers;
    int64_t n = s->q->x->n, d = s->q->x->d;
    for (int32_t layer = l->count - 1; layer >= 0; layer--) {
        double need = 0, constant = 0;
        for (int64_t j = 0; j < d; j++)
            if (l->level[j] == layer) constant -= l->sign[j] * l->factor[j] * l->t[j];
        bool any = false;
        for (int64_t i = 0; i < n; i++) {
            if (l->row[i] != layer) continue;
            double mine, others;
            two_scores(s, i, layer, constant, w, *b, &mine, &others);
            if (mine > 0 && -others / mine > need) need = -others / mine;
            any |= others <= 0;
        }
        double K = any ? 2 * need + (need > 0 ? 0 : 1) : 0;
        for (int64_t j = 0; j < d; j++)
            if (l->level[j] == layer) w[j] += K * l->sign[j] * l->factor[j];
        *b += K * constant;
    }
}
