/* Column statistics of dense and sparse matrices, accurate at any scale.
 *
 * Three passes over the stored values: extremes and counts; the mean; the squared deviations from it, minus the square of
 * their sum (the corrected two-pass algorithm: Chan, Golub, LeVeque, The American Statistician 37, 1983). Each column is
 * measured in units of a power of two near its largest value, which is exact and keeps the squares of 1e300 or of subnormal
 * numbers in range. Zeros that CSR does not store are added as (n - stored) copies of one number. */
#include "base/memory.h"
#include "data/matrix.h"
#include "prepare/prepare.h"

#include <float.h>
#include <math.h>

/* Of each column: what the passes share. Owns its arrays. */
typedef struct stats_work {
    int64_t *stored; /* number of stored values */
    double *inverse; /* 1 / unit, the unit being 2^exponent */
    double *drift;   /* sum of deviations: zero except for rounding */
} stats_work;

static void pass_extremes(const hsp_matrix *x, hsp_column_stats *s, stats_work *work) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            double v = hsp_row_value(r, t);
            if (work->stored[j] == 0 || v < s->min[j]) s->min[j] = v;
            if (work->stored[j] == 0 || v > s->max[j]) s->max[j] = v;
            work->stored[j]++;
        }
    }
    for (int64_t j = 0; j < x->d; j++) {
        if (work->stored[j] < x->n) { /* columns without stored values have 0, 0 already */
            s->min[j] = fmin(s->min[j], 0);
            s->max[j] = fmax(s->max[j], 0);
        }
        double size = fmax(fabs(s->min[j]), fabs(s->max[j]));
        int exponent = size > 0 ? ilogb(size) : 0;
        /* 2^1000 and 2^-1000 are doubles, and numbers beyond them still have squares in range. */
        exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
        work->inverse[j] = scalbn(1.0, -exponent);
    }
}

static void pass_mean(const hsp_matrix *x, hsp_column_stats *s, const stats_work *work) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            s->mean[j] += hsp_row_value(r, t) * work->inverse[j];
        }
    }
    for (int64_t j = 0; j < x->d; j++) s->mean[j] /= (double)x->n;
}

static void pass_deviations(const hsp_matrix *x, hsp_column_stats *s, stats_work *work) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            double deviation = hsp_row_value(r, t) * work->inverse[j] - s->mean[j];
            work->drift[j] += deviation;
            s->sd[j] += deviation * deviation;
        }
    }
}

/* Computes the statistics from the sums in units of 2^exponent. */
static void finish_columns(const hsp_matrix *x, hsp_column_stats *s, const stats_work *work) {
    double n = (double)x->n;
    for (int64_t j = 0; j < x->d; j++) {
        if (s->min[j] >= s->max[j]) { /* constant: exactly so, whatever the sums say */
            s->mean[j] = s->min[j];
            s->sd[j] = 0;
            continue;
        }
        double zeros = n - (double)work->stored[j], mean = s->mean[j];
        double drift = work->drift[j] - zeros * mean;
        double squares = s->sd[j] + zeros * mean * mean - drift * drift / n;
        double unit = 1 / work->inverse[j];
        s->sd[j] = fmin(sqrt(fmax(squares, 0) / n) * unit, DBL_MAX);
        s->mean[j] = fmin(fmax(mean * unit, s->min[j]), s->max[j]);
    }
}

int hsp_column_stats_fit(const hsp_matrix *x, hsp_column_stats *out) {
    int64_t d = x->d;
    stats_work work = {0};
    hsp_column_stats s = {0};
    int status = 0;
    if (!HSP_ALLOC_ZERO(work.stored, d) || !HSP_ALLOC_ZERO(work.inverse, d) || !HSP_ALLOC_ZERO(work.drift, d) ||
        !HSP_ALLOC_ZERO(s.mean, d) || !HSP_ALLOC_ZERO(s.sd, d) || !HSP_ALLOC_ZERO(s.min, d) || !HSP_ALLOC_ZERO(s.max, d)) {
        status = HSP_EMEMORY;
    } else if (x->n > 0) {
        pass_extremes(x, &s, &work);
        pass_mean(x, &s, &work);
        pass_deviations(x, &s, &work);
        finish_columns(x, &s, &work);
    }
    HSP_FREE(work.stored, work.inverse, work.drift);
    if (status) hsp_column_stats_clear(&s);
    *out = s;
    return status;
}

void hsp_column_stats_clear(hsp_column_stats *s) {
    HSP_FREE(s->mean, s->sd, s->min, s->max);
    *s = (hsp_column_stats){0};
}

double hsp_scale_ratio(const hsp_column_stats *s, int64_t d, const bool *counted) {
    double least = INFINITY, most = 0;
    for (int64_t j = 0; j < d; j++) {
        if (s->sd[j] <= 0 || (counted && !counted[j])) continue;
        least = fmin(least, s->sd[j]);
        most = fmax(most, s->sd[j]);
    }
    return most > 0 ? fmin(most / least, DBL_MAX) : 1;
}
