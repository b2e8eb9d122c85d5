/* Compiled once for each level of instructions; HSP_LEVEL is its name. */
#include "verify/claim/row_passes.h"

#include "kernel/form.h"

#include <math.h>

#define JOINED(a, b) a##b
#define LEVEL_NAME(level) JOINED(hsp_passes_, level)

enum { LANES = 8 };

/* ---- scores: Dot2 (Ogita, Rump and Oishi 2005), eight sums side by side ---- */

#define STEP(l, value, weight)                                         \
    do {                                                               \
        double x_ = (double)(value), w_ = (weight), p_ = x_ * w_;      \
        double s_ = hi[l] + p_, t_ = s_ - hi[l];                       \
        lo[l] += fma(x_, w_, -p_) + ((hi[l] - (s_ - t_)) + (p_ - t_)); \
        hi[l] = s_;                                                    \
    } while (0)

/* Adds pairwise. The low parts are small enough for plain addition. */
static inline hsp_dd join(double *hi, double *lo, double b) {
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            hsp_dd s = hsp_two_sum(hi[l], hi[l + half]);
            lo[l] = (lo[l] + lo[l + half]) + s.lo;
            hi[l] = s.hi;
        }
    return hsp_dd_add_double(hsp_two_sum(hi[0], lo[0]), b);
}

#define SCORE(form, id_type, COLUMN, type, VALUE)                                                  \
    static hsp_dd score_##form(hsp_row r, const double *w, double b) {                             \
        const id_type *id = r.id;                                                                  \
        const type *x = r.value;                                                                   \
        const double *table = r.table;                                                             \
        int64_t n = r.count, t = 0;                                                                \
        double hi[LANES] = {0}, lo[LANES] = {0};                                                   \
        (void)id, (void)x, (void)table;                                                            \
        for (; t + LANES <= n; t += LANES)                                                         \
            for (int l = 0; l < LANES; l++) STEP(l, VALUE(x, table, t + l), w[COLUMN(id, t + l)]); \
        for (int l = 0; t < n; t++, l++) STEP(l, VALUE(x, table, t), w[COLUMN(id, t)]);            \
        return join(hi, lo, b);                                                                    \
    }
HSP_EACH_FORM(SCORE)

#define SCORE_ENTRY(form, ...) score_##form,
static hsp_dd (*const score_of_form[HSP_FORMS])(hsp_row, const double *, double) = {HSP_EACH_FORM(SCORE_ENTRY)};

static void scores(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g) {
    for (int64_t i = 0; i < count; i++) {
        hsp_row r = hsp_matrix_row(x, first + i);
        g[i] = score_of_form[hsp_row_form(r)](r, w, b);
    }
}

/* ---- columns ---- */

#define GATHER(sum_hi, sum_lo, size, value)                                               \
    do {                                                                                  \
        double x_ = (double)(value), p_ = a * x_, e_ = fma(a, x_, -p_);                   \
        double s_ = (sum_hi) + p_, t_ = s_ - (sum_hi);                                    \
        double l_ = (sum_lo) + ((((sum_hi) - (s_ - t_)) + (p_ - t_)) + fma(low, x_, e_)); \
        (sum_hi) = s_ + l_;                                                               \
        (sum_lo) = l_ - ((sum_hi)-s_);                                                    \
        (size) += fabs(p_);                                                               \
    } while (0)

/* Dense rows: hi, lo and size are separate arrays. Sparse rows: the three numbers of a column are adjacent, starting at
 * hi. */
#define SPREAD(form, id_type, COLUMN, type, VALUE)                                                        \
    static void combine_##form(hsp_row r, double a, double low, double *restrict hi, double *restrict lo, \
                               double *restrict size) {                                                   \
        const type *x = r.value;                                                                          \
        const double *table = r.table;                                                                    \
        (void)x, (void)table;                                                                             \
        for (int64_t j = 0; j < r.count; j++) {                                                           \
            double h = hi[j], l = lo[j], s = size[j];                                                     \
            GATHER(h, l, s, VALUE(x, table, j));                                                          \
            hi[j] = h;                                                                                    \
            lo[j] = l;                                                                                    \
            size[j] = s;                                                                                  \
        }                                                                                                 \
    }
#define SCATTER(form, id_type, COLUMN, type, VALUE)                                                       \
    static void combine_##form(hsp_row r, double a, double low, double *restrict hi, double *restrict lo, \
                               double *restrict size) {                                                   \
        const id_type *id = r.id;                                                                         \
        const type *x = r.value;                                                                          \
        const double *table = r.table;                                                                    \
        (void)x, (void)table, (void)lo, (void)size;                                                       \
        for (int64_t t = 0; t < r.count; t++) {                                                           \
            double *to = hi + 3 * COLUMN(id, t);                                                          \
            GATHER(to[0], to[1], to[2], VALUE(x, table, t));                                              \
        }                                                                                                 \
    }
HSP_EACH_DENSE_FORM(SPREAD)
HSP_EACH_SPARSE_FORM(SCATTER)

#define COMBINE_ENTRY(form, ...) combine_##form,
static void (*const combine_of_form[HSP_FORMS])(hsp_row, double, double, double *restrict, double *restrict,
                                                double *restrict) = {HSP_EACH_FORM(COMBINE_ENTRY)};

static void combine(const hsp_matrix *x, int64_t first, int64_t count, const double *hi, const double *lo,
                    const hsp_audit_columns *to) {
    double *base = to->base, *low = base + to->offset, *size = low + to->offset;
    for (int64_t i = 0; i < count; i++) {
        if (hi[i] == 0) continue;
        hsp_row r = hsp_matrix_row(x, first + i);
        combine_of_form[hsp_row_form(r)](r, hi[i], lo[i], base, low, size);
    }
}

extern const hsp_passes LEVEL_NAME(HSP_LEVEL);
const hsp_passes LEVEL_NAME(HSP_LEVEL) = {.scores = scores, .combine = combine};
