/* The transforms that are learnt from the sorted numbers of a column: ranks and bins. */
#include "base/memory.h"
#include "table/transform.h"

#include <math.h>

/* The last knot that is not above x; -1: none. */
static int64_t find_knot(const hsp_transform *t, double x) {
    int64_t low = -1, high = t->knots - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (t->knot[middle] <= x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- rank ---- */

/* Equal numbers in sorted order: from `begin`, below `end`. */
typedef struct tie {
    int64_t begin, end;
} tie;

static tie next_tie(const double *sorted, int64_t n, int64_t begin) {
    tie out = {begin, begin + 1};
    while (out.end < n && sorted[out.end] == sorted[begin]) out.end++;
    return out;
}

static void add_knot(hsp_transform *t, const double *sorted, int64_t n, tie of) {
    t->knot[t->knots] = sorted[of.begin] + 0.0; /* -0 becomes 0: JSON would lose the sign */
    t->rank[t->knots++] = ((double)of.begin + (double)of.end) / (2 * (double)n);
}

/* The rank of a number is the share of the training numbers below it, plus half of those equal to it. The numbers at even
 * steps of the rank are knots. Those that fill two or more steps are frequent, and the rank leaps there: their neighbours are
 * knots too, so that ranks between knots are exact within one step. */
static int learn_rank(hsp_transform *t, const double *sorted, int64_t n) {
    int64_t room = n < HSP_RANK_KNOTS ? n : HSP_RANK_KNOTS, step = 0;
    if (!HSP_ALLOC(t->knot, room + 1) || !HSP_ALLOC(t->rank, room + 1)) return HSP_EMEMORY;
    tie last = {0, 0};
    bool last_is_knot = true, last_is_frequent = false;
    for (int64_t i = 0; i < n; i = last.end) {
        tie of = next_tie(sorted, n, i);
        int64_t steps = 0;
        for (; step <= HSP_RANK_STEPS && step * (n - 1) / HSP_RANK_STEPS < of.end; step++) steps++;
        bool is_knot = steps > 0 || last_is_frequent;
        if (steps > 1 && !last_is_knot) add_knot(t, sorted, n, last);
        if (is_knot) add_knot(t, sorted, n, of);
        last = of;
        last_is_knot = is_knot;
        last_is_frequent = steps > 1;
    }
    return 0;
}

/* Linear between the knots, constant outside of them. */
static double apply_rank(const hsp_transform *t, double x) {
    if (t->knots == 0) return 0.5;
    int64_t k = find_knot(t, x);
    if (k < 0) return t->rank[0];
    if (k == t->knots - 1) return t->rank[k];
    double a = t->knot[k], b = t->knot[k + 1];
    double share = (x / 2 - a / 2) / (b / 2 - a / 2); /* halved: the difference may overflow */
    return fmin(t->rank[k] + share * (t->rank[k + 1] - t->rank[k]), t->rank[k + 1]);
}

/* ---- bins ---- */

static bool valid_bins(const double *argument) {
    return argument[0] >= 2 && argument[0] <= HSP_BINS_MOST && floor(argument[0]) == argument[0];
}

/* An interval begins at the number at each N-th of the sorted numbers. Equal ones are one, and none begins at the smallest
 * number: nothing would be left for the first interval. */
static int learn_bins(hsp_transform *t, const double *sorted, int64_t n) {
    int64_t bins = (int64_t)t->rule.argument[0];
    if (!HSP_ALLOC(t->knot, bins)) return HSP_EMEMORY;
    for (int64_t k = 1; n > 0 && k < bins; k++) {
        double v = sorted[k * n / bins] + 0.0;
        if (v > (t->knots > 0 ? t->knot[t->knots - 1] : sorted[0])) t->knot[t->knots++] = v;
    }
    return 0;
}

static double apply_bins(const hsp_transform *t, double x) {
    return (double)(find_knot(t, x) + 1);
}

const hsp_transform_kind hsp_transform_rank = {
    .name = "rank", .form = "rank", .most = HSP_RANK_KNOTS, .learn = learn_rank, .apply = apply_rank};
const hsp_transform_kind hsp_transform_bins = {.name = "bins",
                                               .form = "bins:N (N from 2 to 1000)",
                                               .arguments = 1,
                                               .intervals = true,
                                               .most = HSP_BINS_MOST - 1,
                                               .valid = valid_bins,
                                               .learn = learn_bins,
                                               .apply = apply_bins};
