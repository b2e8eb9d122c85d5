/* Metrics of a ranking. Equal scores share one threshold: rows with the same score are never ordered by chance or by their
 * position in the file. */
#include "eval/metrics.h"

#include "calibrate/calibration.h"

#include <math.h>
#include <string.h>

/* One step of merge sort: merges sorted runs of `width` in v into runs of twice that width in out. */
static void merge_runs(const hsp_ranked *v, hsp_ranked *out, int64_t n, int64_t width) {
    for (int64_t begin = 0; begin < n; begin += 2 * width) {
        int64_t middle = begin + width < n ? begin + width : n;
        int64_t end = middle + width < n ? middle + width : n;
        int64_t i = begin, j = middle;
        for (int64_t k = begin; k < end; k++) {
            bool left = j >= end || (i < middle && v[i].score <= v[j].score);
            out[k] = left ? v[i++] : v[j++];
        }
    }
}

void hsp_rank_sort(hsp_ranked *v, hsp_ranked *spare, int64_t n) {
    hsp_ranked *from = v, *to = spare;
    for (int64_t width = 1; width < n; width *= 2) {
        merge_runs(from, to, n, width);
        hsp_ranked *swap = from;
        from = to;
        to = swap;
    }
    if (from != v) memcpy(v, from, (size_t)n * sizeof *v);
}

/* The Mann-Whitney statistic: the share of pairs (positive, negative) in the right order. A tie counts one half. A pair is
 * weighted by the product of its rows' weights. */
double hsp_rank_auc(const hsp_ranked *v, int64_t n) {
    double below = 0, positives = 0, pairs = 0;
    for (int64_t i = 0, next; i < n; i = next) {
        double p = 0, q = 0;
        for (next = i; next < n && v[next].score == v[i].score; next++) {
            p += v[next].positive;
            q += v[next].negative;
        }
        pairs += p * (below + q / 2);
        positives += p;
        below += q;
    }
    return positives > 0 && below > 0 ? pairs / (positives * below) : (double)NAN;
}

/* Summed over the thresholds t from the highest score down,
 *
 *     AP = sum_t (R_t - R_{t-1}) P_t,
 *
 * where P_t and R_t are precision and recall of "score >= t". Equal scores share one threshold and nothing is interpolated.
 * This is scikit-learn's average_precision_score. */
double hsp_rank_average_precision(const hsp_ranked *v, int64_t n) {
    double taken = 0, hits = 0, sum = 0;
    for (int64_t i = n - 1, next; i >= 0; i = next) {
        double p = 0;
        for (next = i; next >= 0 && v[next].score == v[i].score; next--) {
            p += v[next].positive;
            taken += v[next].positive + v[next].negative;
        }
        hits += p;
        if (p > 0) sum += p * (hits / taken);
    }
    return hits > 0 ? sum / hits : (double)NAN;
}

double hsp_rank_calibration_error(const hsp_ranked *v, int64_t n) {
    hsp_calibration_bins b = {0};
    for (int64_t i = 0; i < n; i++) b.all += v[i].positive + v[i].negative;
    for (int64_t i = 0; i < n; i++) {
        bool last = i == n - 1;
        hsp_calibration_bin(&b, v[i].score, v[i].positive, v[i].negative, last || v[i + 1].score != v[i].score, last);
    }
    return b.all > 0 ? b.error : (double)NAN;
}
