/* The isotonic map: the non-decreasing function of the score with the least weighted squares, by pooling adjacent violators
 * [1], which is exact. Rows of one score are one point. Between two points the map is linear, beyond them constant, as in
 * scikit-learn's IsotonicRegression(out_of_bounds="clip").
 *
 * [1] M. Ayer, H. D. Brunk, G. M. Ewing, W. T. Reid, E. Silverman. An empirical distribution function for sampling with
 *     incomplete information. Annals of Mathematical Statistics 26, 1955. */
#include "base/error.h"
#include "base/memory.h"
#include "calibrate/calibration.h"

#include <math.h>

/* Neighbouring points that have one value. */
typedef struct block {
    double mass, hits;  /* sums of the weights, of all rows and of those of the class */
    double first, last; /* scores */
} block;

/* Whether the mean of a is not below that of b: by products, which are exact for counts. */
static bool violates(const block *a, const block *b) {
    return a->hits * b->mass >= b->hits * a->mass;
}

/* Points in order of the score, pooled as they come. Returns the number of blocks. */
static int64_t pool(const hsp_calibration_rows *rows, const int64_t *order, block *blocks) {
    int64_t count = 0;
    for (int64_t i = 0, next; i < rows->n; i = next) {
        double g = rows->score[order[i]];
        block b = {.first = g, .last = g};
        for (next = i; next < rows->n && rows->score[order[next]] == g; next++) {
            double c = rows->weight ? rows->weight[order[next]] : 1;
            b.mass += c;
            b.hits += rows->class[order[next]] ? c : 0;
        }
        while (count > 0 && violates(&blocks[count - 1], &b)) {
            const block *before = &blocks[--count];
            b.mass += before->mass;
            b.hits += before->hits;
            b.first = before->first;
        }
        blocks[count++] = b;
    }
    return count;
}

static int fit_isotonic(const hsp_calibration_rows *rows, hsp_calibration_pair **pairs, int64_t *count, const char **odd,
                        hsp_error **err) {
    int64_t n = rows->n, *order = hsp_alloc(n, sizeof *order), knots = 0;
    block *blocks = hsp_alloc(n, sizeof *blocks);
    hsp_calibration_pair *out = NULL;
    int status = order && blocks && !hsp_calibration_order(rows->score, n, order) ? HSP_OK : hsp_fail_memory(err);
    int64_t used = status ? 0 : pool(rows, order, blocks);
    out = status ? NULL : hsp_alloc(2 * used, sizeof *out);
    if (!status && !out) status = hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < used; k++) {
        double p = fmin(1, blocks[k].hits / blocks[k].mass);
        if (knots > 0 && p < out[knots - 1][1]) p = out[knots - 1][1]; /* two means that differ by rounding */
        for (int end = 0; end < (blocks[k].first < blocks[k].last ? 2 : 1); end++, knots++) {
            out[knots][0] = end ? blocks[k].last : blocks[k].first;
            out[knots][1] = p;
        }
    }
    if (!status && used == 1 && n > 1)
        *odd = "the scores of rows that were not trained on do not rank the classes better than chance: all have one "
               "probability";
    HSP_FREE(order, blocks);
    *pairs = out ? hsp_shrink(out, knots, sizeof *out) : NULL;
    *count = knots;
    return status;
}

/* The knots before and after a score by bisection, and the line between them. */
static void probabilities_at(const hsp_calibration_pair *pairs, int64_t count, double g, double *p, double *rest) {
    int64_t low = 0, high = count - 1;
    if (!(g > pairs[low][0])) high = low;
    if (g >= pairs[high][0]) low = high;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (pairs[middle][0] <= g)
            low = middle;
        else
            high = middle;
    }
    double from = pairs[low][1], to = pairs[high][1];
    *p = from;
    if (to > from) {
        /* halves, so that the difference of two scores stays finite */
        double share = (g / 2 - pairs[low][0] / 2) / (pairs[high][0] / 2 - pairs[low][0] / 2);
        *p = fmin(to, fmax(from, from + share * (to - from)));
    }
    *rest = 1 - *p;
}

static bool is_isotonic(const hsp_calibration_pair *pairs, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (pairs[i][1] < 0 || pairs[i][1] > 1) return false;
        if (i > 0 && (pairs[i][0] <= pairs[i - 1][0] || pairs[i][1] < pairs[i - 1][1])) return false;
    }
    return true;
}

const hsp_calibration_method hsp_calibration_isotonic = {
    .name = "isotonic", .knots = true, .fit = fit_isotonic, .at = probabilities_at, .fits = is_isotonic};
