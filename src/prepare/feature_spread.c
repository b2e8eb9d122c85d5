/* Means and standard deviations of the features in one pass, for the model. With the pivot p_j, the first value of column j
 * (0 for CSR, whose zeros then add nothing),
 *
 *     s = sum (x_i - p),   q = sum (x_i - p)^2,   n var = q - s^2 / n.
 *
 * Cancellation is harmless unless the spread is small beside the distance of the mean from the pivot. That, and values whose
 * squares are out of range, is left to the three passes of column_stats.c. */
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "kernel/form.h"
#include "kernel/level.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

/* Dense rows, a few at a time, with as many columns as a task has: long pieces of rows, which are read faster. Doubles and
 * floats as they are, others decoded. */
enum { NUMBERS = 4096, COLUMNS = 256, ROUND = 32 };

typedef struct spread_sums {
    const hsp_matrix *x;
    int64_t columns; /* of a task */
    double *pivot;   /* d, owned; NULL for CSR: 0 */
    double *s, *q;   /* d, the caller's */
} spread_sums;

/* ---- dense rows: tasks are groups of columns, each summed in the order of the rows ---- */

/* Adds the columns from `from` on, d of them, of the rows `first` to `last` - 1. */
static void add_dense_rows(const spread_sums *sums, int64_t from, int64_t d, int64_t first, int64_t last) {
    const hsp_matrix *x = sums->x;
    const hsp_level *level = hsp_level_now();
    int64_t stride = hsp_matrix_stride(x);
    double decoded[NUMBERS], *s = sums->s + from, *q = sums->q + from;
    const double *pivot = sums->pivot + from;
    hsp_coding coding = hsp_matrix_coding(x);
    for (int64_t i = first, rows, most = NUMBERS / d; i < last; i += rows) {
        rows = last - i < most ? last - i : most;
        const void *at = hsp_row_at(hsp_matrix_row(x, i), from);
        if (coding == HSP_CODING_F64) {
            level->spread(rows, d, at, stride, pivot, s, q);
        } else if (coding == HSP_CODING_F32) {
            level->single.spread(rows, d, at, stride, pivot, s, q);
        } else {
            for (int64_t k = 0; k < rows; k++) hsp_row_decode(hsp_matrix_row(x, i + k), from, d, NULL, decoded + k * d);
            level->spread(rows, d, decoded, d, pivot, s, q);
        }
    }
}

static void add_dense_columns(void *ctx, int64_t task) {
    const spread_sums *sums = ctx;
    int64_t from = task * sums->columns, left = sums->x->d - from;
    add_dense_rows(sums, from, left < sums->columns ? left : sums->columns, 0, sums->x->n);
}

/* ---- sparse rows ---- */

/* s and q of a column, side by side: one store adds to both. */
typedef double sum_pair __attribute__((vector_size(16), aligned(8)));
typedef void add_rows_of_form(const hsp_matrix *x, sum_pair *sums);

#define ADD_ROWS(form, id_type, COLUMN, type, VALUE)                            \
    static void add_rows_##form(const hsp_matrix *m, sum_pair *restrict sums) { \
        const double *table = m->table;                                         \
        HSP_ENTRIES(id_type, (const void *)m->id, type, m->value);              \
        const int64_t end = m->row[m->n];                                       \
        for (int64_t t = m->row[0]; t < end; t++) {                             \
            double v = VALUE(x, table, t);                                      \
            sums[COLUMN(id, t)] += (sum_pair){v, v * v};                        \
        }                                                                       \
    }
#define ADD_ROWS_ENTRY(form, ...) add_rows_##form,
HSP_EACH_SPARSE_FORM(ADD_ROWS)
static add_rows_of_form *const adders[] = {
    HSP_EACH_SPARSE_FORM(ADD_ROWS_ENTRY)}; /* forms of sparse rows follow dense ones */

static int add_sparse_rows(const spread_sums *sums) {
    const hsp_matrix *x = sums->x;
    sum_pair *pairs = hsp_alloc_zero(x->d, sizeof *pairs);
    if (!pairs) return HSP_EMEMORY;
    adders[hsp_sparse_form(x->ids, (int)hsp_matrix_coding(x))](x, pairs);
    for (int64_t j = 0; j < x->d; j++) {
        sums->s[j] = pairs[j][0];
        sums->q[j] = pairs[j][1];
    }
    hsp_free(pairs);
    return 0;
}

/* ---- both ---- */

/* Turns the sums into means and sds; false if they are too inaccurate for that. */
static bool finish_sums(const spread_sums *sums) {
    const hsp_matrix *x = sums->x;
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

int hsp_feature_spread(const hsp_matrix *x, int threads, double *mean, double *sd) {
    spread_sums sums = {.x = x, .s = mean, .q = sd};
    int status = 0;
    memset(mean, 0, (size_t)x->d * sizeof *mean);
    memset(sd, 0, (size_t)x->d * sizeof *sd);
    if (x->n == 0) return 0;
    if (x->dense) {
        sums.pivot = hsp_alloc(x->d, sizeof *sums.pivot);
        if (!sums.pivot) return HSP_EMEMORY;
        hsp_row_decode(hsp_matrix_row(x, 0), 0, x->d, NULL, sums.pivot);
        int64_t share = (x->d + threads - 1) / (threads > 1 ? threads : 1);
        sums.columns = share < COLUMNS ? (share + ROUND - 1) / ROUND * ROUND : COLUMNS;
        hsp_pool_run((x->d + sums.columns - 1) / sums.columns, threads, add_dense_columns, &sums);
    } else {
        status = add_sparse_rows(&sums);
    }
    if (!status && !finish_sums(&sums)) status = measure_exactly(x, mean, sd);
    hsp_free(sums.pivot);
    return status;
}

/* ---- dense rows that come some at a time ---- */

static spread_sums sums_of(const hsp_spreading *s) {
    return (spread_sums){.x = s->x, .s = s->mean, .q = s->sd, .pivot = s->pivot};
}

void hsp_spreading_begin(const hsp_spreading *s) {
    memset(s->mean, 0, (size_t)s->x->d * sizeof *s->mean);
    memset(s->sd, 0, (size_t)s->x->d * sizeof *s->sd);
    if (s->x->n > 0) hsp_row_decode(hsp_matrix_row(s->x, 0), 0, s->x->d, NULL, s->pivot);
}

void hsp_spreading_rows(const hsp_spreading *s, int64_t from, int64_t to) {
    const spread_sums sums = sums_of(s);
    for (int64_t j = 0; j < s->x->d; j += COLUMNS)
        add_dense_rows(&sums, j, s->x->d - j < COLUMNS ? s->x->d - j : COLUMNS, from, to);
}

int hsp_spreading_end(const hsp_spreading *s) {
    const spread_sums sums = sums_of(s);
    return s->x->n == 0 || finish_sums(&sums) ? HSP_OK : measure_exactly(s->x, s->mean, s->sd);
}
