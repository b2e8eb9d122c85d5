#include "study/binning.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { FEWEST = 20, MOST = 80, FENCE = 4 };
static const long double squeeze = 1.5L;

/* Bins of equal width: edge i is origin + i width. */
typedef struct bin_grid {
    long double origin, width;
    int64_t bins;
} bin_grid;

typedef struct value_range {
    long double lo, hi;      /* range shown */
    long double least, most; /* range of all values */
    long double width;       /* Freedman-Diaconis bin width; 0: unknown */
} value_range;

/* Extends the range by the values of a group, without its outliers. */
static void cover_group(value_range *v, const double *sorted, int64_t count) {
    long double q1 = (long double)sorted[count / 4], q3 = (long double)sorted[count - 1 - count / 4], half = q3 - q1;
    long double lo = (long double)sorted[0], hi = (long double)sorted[count - 1];
    v->least = fminl(v->least, lo);
    v->most = fmaxl(v->most, hi);
    if (half > 0) {
        lo = fmaxl(lo, q1 - FENCE * half);
        hi = fminl(hi, q3 + FENCE * half);
        long double width = 2 * half / cbrtl((long double)count);
        if (v->width <= 0 || width < v->width) v->width = width;
    }
    v->lo = fminl(v->lo, lo);
    v->hi = fmaxl(v->hi, hi);
}

/* Leaving outliers out must make the range much smaller; otherwise all values are shown. */
static void take_in_all(value_range *v) {
    if (v->most - v->least > squeeze * (v->hi - v->lo)) return;
    v->lo = v->least;
    v->hi = v->most;
}

/* Widens a range that is empty or too narrow for distinct bin edges in double precision. A single value is shown together
 * with the threshold. */
static void reach_threshold(value_range *v, long double threshold) {
    if (v->lo == v->hi) {
        v->lo = fminl(v->lo, threshold);
        v->hi = fmaxl(v->hi, threshold);
        long double air = (v->hi - v->lo) / 8;
        v->lo -= air;
        v->hi += air;
    }
    long double size = fmaxl(fabsl(v->lo), fabsl(v->hi)), least = fmaxl(size * 4096 * (long double)DBL_EPSILON, 1e-300L);
    if (v->hi - v->lo >= least) return;
    long double air = v->hi > v->lo ? least : size > 0 ? size / 100 : 0.5L;
    v->lo -= air;
    v->hi += air;
}

/* The threshold is an edge, so that no bar covers both sides of it. */
static bin_grid lay_grid(const hsp_binning *h, value_range v) {
    long double t = (long double)h->threshold, range = v.hi - v.lo;
    bool near = t > v.lo - range && t < v.hi + range;
    if (near) v.lo = fminl(v.lo, t), v.hi = fmaxl(v.hi, t);
    range = v.hi - v.lo;
    long double wish = v.width > 0 ? ceill(range / v.width) : FEWEST;
    int64_t bins = h->bins ? h->bins : wish < FEWEST ? FEWEST : wish > MOST ? MOST : (int64_t)wish;
    if (!near || bins < 2) return (bin_grid){v.lo, range / (long double)bins, bins};
    int64_t left = (int64_t)roundl((t - v.lo) / range * (long double)bins);
    if (t > v.lo && left == 0) left = 1;
    if (t < v.hi && left == bins) left = bins - 1;
    long double width = 0;
    if (left > 0) width = fmaxl(width, (t - v.lo) / (long double)left);
    if (left < bins) width = fmaxl(width, (v.hi - t) / (long double)(bins - left));
    return (bin_grid){t - (long double)left * width, width, bins};
}

/* Bins are closed on the right: a value equal to the threshold is on the negative side. */
static int64_t bin_of(const bin_grid *g, const double *edge, double v) {
    long double at = ceill(((long double)v - g->origin) / g->width) - 1;
    int64_t b = at < 0 ? 0 : at >= (long double)g->bins ? g->bins - 1 : (int64_t)at;
    while (b > 0 && v <= edge[b]) b--; /* correct rounding errors */
    while (b + 1 < g->bins && v > edge[b + 1]) b++;
    return b;
}

static int add_counts(const hsp_binning *h, const bin_grid *g, hsp_study *s, hsp_error **err) {
    double *edge = hsp_study_add(s, "edges", g->bins + 1, 0, err);
    double *count = edge ? hsp_study_add(s, "counts", h->groups, g->bins, err) : NULL;
    if (!count) return HSP_EMEMORY;
    for (int64_t b = 0; b <= g->bins; b++) {
        long double at = g->origin + (long double)b * g->width;
        edge[b] = at > (long double)DBL_MAX ? DBL_MAX : at < -(long double)DBL_MAX ? -DBL_MAX : (double)at;
        if (fabsl(at - (long double)h->threshold) < g->width / 1e6L) edge[b] = h->threshold;
    }
    double below = 0, above = 0;
    for (int64_t i = 0; i < h->n; i++) {
        double v = h->value[i], c = h->weight ? h->weight[i] : 1;
        count[h->group[i] * g->bins + bin_of(g, edge, v)] += c;
        if (v < edge[0]) below += c;
        if (v > edge[g->bins]) above += c;
    }
    int status = hsp_study_set(s, "below", below, err);
    return status ? status : hsp_study_set(s, "above", above, err);
}

int hsp_binning_add(const hsp_binning *h, hsp_study *s, hsp_error **err) {
    value_range v = {.lo = INFINITY, .hi = -INFINITY, .least = INFINITY, .most = -INFINITY};
    double *sorted = hsp_alloc(h->n, sizeof *sorted);
    if (!sorted) return hsp_fail_memory(err);
    for (int64_t k = 0; k < h->groups; k++) {
        /* Sorts the values of one group. */
        int64_t count = 0;
        for (int64_t i = 0; i < h->n; i++)
            if (h->group[i] == k) sorted[count++] = h->value[i];
        qsort(sorted, (size_t)count, sizeof *sorted, hsp_ascending);
        if (count > 0) cover_group(&v, sorted, count);
    }
    hsp_free(sorted);
    take_in_all(&v);
    reach_threshold(&v, (long double)h->threshold);
    bin_grid g = lay_grid(h, v);
    return add_counts(h, &g, s, err);
}
