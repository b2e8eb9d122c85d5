/* Means and standard deviations of the features in one pass, for the model. With the pivot p_j, the first value of column j
 * (0 for CSR, whose zeros then add nothing),
 *
 *     s = sum (x_i - p),   q = sum (x_i - p)^2,   n var = q - s^2 / n.
 *
 * Cancellation is harmless unless the spread is small beside the distance of the mean from the pivot. That, and values whose
 * squares are out of range, is left to the three passes of column_stats.c. */
#include "base/memory.h"
#include "data/matrix.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

enum { TILE = 1024 };

typedef struct spread_sums {
    double *pivot; /* d, owned; NULL for CSR: 0 */
    double *s, *q; /* d, the caller's */
} spread_sums;

static void add_dense_rows(const hsp_matrix *x, const spread_sums *sums) {
    double value[TILE];
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t from = 0; from < x->d; from += TILE) {
            int64_t count = hsp_row_decode(r, from, TILE, NULL, value);
            double *restrict s = sums->s + from, *restrict q = sums->q + from;
            const double *p = sums->pivot + from;
            for (int64_t j = 0; j < count; j++) {
                double t = value[j] - p[j];
                s[j] += t;
                q[j] += t * t;
            }
        }
    }
}

static void add_sparse_rows(const hsp_matrix *x, const spread_sums *sums) {
    double value[TILE];
    uint32_t id[TILE];
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        int64_t count;
        for (int64_t from = 0; (count = hsp_row_decode(r, from, TILE, id, value)) > 0; from += count) {
            for (int64_t t = 0; t < count; t++) {
                sums->s[id[t]] += value[t];
                sums->q[id[t]] += value[t] * value[t];
            }
        }
    }
}

/* Turns the sums into means and sds; false if they are too inaccurate for that. */
static bool finish_sums(const hsp_matrix *x, const spread_sums *sums) {
    double n = (double)x->n;
    for (int64_t j = 0; j < x->d; j++) {
        double s = sums->s[j], q = sums->q[j], squares = q - s * (s / n);
        bool flat = s == 0 && q == 0;
        if (!flat && !(q >= 1e-280 && q <= 1e280 && squares >= 1e-6 * q)) return false;
        sums->s[j] = (sums->pivot ? sums->pivot[j] : 0) + s / n;
        sums->q[j] = flat ? 0 : sqrt(squares / n);
        if (!isfinite(sums->s[j])) return false;
    }
    return true;
}

static int measure_exactly(const hsp_matrix *x, double *mean, double *sd) {
    hsp_column_stats stats;
    int status = hsp_column_stats_fit(x, &stats);
    if (status) return status;
    memcpy(mean, stats.mean, (size_t)x->d * sizeof *mean);
    memcpy(sd, stats.sd, (size_t)x->d * sizeof *sd);
    hsp_column_stats_clear(&stats);
    return 0;
}

int hsp_feature_spread(const hsp_matrix *x, double *mean, double *sd) {
    spread_sums sums = {.s = mean, .q = sd};
    memset(mean, 0, (size_t)x->d * sizeof *mean);
    memset(sd, 0, (size_t)x->d * sizeof *sd);
    if (x->n == 0) return 0;
    if (x->dense) {
        sums.pivot = hsp_alloc(x->d, sizeof *sums.pivot);
        if (!sums.pivot) return HSP_EMEMORY;
        hsp_row_decode(hsp_matrix_row(x, 0), 0, x->d, NULL, sums.pivot);
        add_dense_rows(x, &sums);
    } else {
        add_sparse_rows(x, &sums);
    }
    int status = finish_sums(x, &sums) ? 0 : measure_exactly(x, mean, sd);
    hsp_free(sums.pivot);
    return status;
}
