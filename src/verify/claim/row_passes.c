/* Compiled once for each level of instructions; HSP_LEVEL is its name. */
#include "verify/claim/row_passes.h"

#include "kernel/form.h"
#include "verify/loss/claim_lanes.h"

#include <math.h>

#define JOINED(a, b) a##b
#define LEVEL_NAME(level) JOINED(hsp_passes_, level)

/* ---- values: WIDTH of them from t on, or the first n ---- */

/* Forms of which the compiler loads one value after the other. */
#define EACH_OTHER_DENSE_FORM(X)                    \
    X(dense_code, uint8_t, HSP_CODE_AT)             \
    X(dense_one, uint8_t, HSP_ONE_AT)               \
    X(dense_i16, int16_t, HSP_VALUE_AT)             \
    X(dense_i32, int32_t, HSP_VALUE_AT)             \
    X(dense_i64, int64_t, HSP_VALUE_AT)             \
    X(step_f64, double, HSP_STEP_VALUE_AT)          \
    X(step_f32, float, HSP_STEP_VALUE_AT)           \
    X(step_code, uint8_t, HSP_STEP_CODE_AT)         \
    X(step_i16, int16_t, HSP_STEP_VALUE_AT)         \
    X(step_i32, int32_t, HSP_STEP_VALUE_AT)         \
    X(step_i64, int64_t, HSP_STEP_VALUE_AT)
#define VALUES(form, type, VALUE)                                                                   \
    INLINE lanes values_##form(const type *x, const double *table, int64_t t) {                     \
        lanes v;                                                                                    \
        (void)x, (void)t, (void)table;                                                              \
        for (int l = 0; l < WIDTH; l++) v[l] = VALUE(x, table, t + l);                              \
        return v;                                                                                   \
    }                                                                                               \
    INLINE lanes values_some_##form(const type *x, const double *table, int64_t t, int64_t n) {     \
        lanes v = {0};                                                                              \
        (void)x, (void)t, (void)table;                                                              \
        for (int l = 0; l < n; l++) v[l] = VALUE(x, table, t + l);                                  \
        return v;                                                                                   \
    }
EACH_OTHER_DENSE_FORM(VALUES)

INLINE lanes values_dense_f64(const double *x, const double *table, int64_t t) {
    (void)table;
    return load(x + t);
}

INLINE lanes values_some_dense_f64(const double *x, const double *table, int64_t t, int64_t n) {
    (void)table;
    return load_some(x + t, n);
}

INLINE lanes values_dense_f32(const float *x, const double *table, int64_t t) {
    (void)table;
    return load_single(x + t);
}

INLINE lanes values_some_dense_f32(const float *x, const double *table, int64_t t, int64_t n) {
    (void)table;
    return load_some_single(x + t, n);
}

/* The first n of WIDTH values, and zeros. */
INLINE lanes load_up_to(const double *p, int64_t n) {
    return n == WIDTH ? load(p) : load_some(p, n);
}

#define VALUES_UP_TO(form, id_type, COLUMN, type, VALUE)                                          \
    INLINE lanes values_up_to_##form(const type *x, const double *table, int64_t t, int64_t n) {  \
        return n == WIDTH ? values_##form(x, table, t) : values_some_##form(x, table, t, n);      \
    }
HSP_EACH_DENSE_FORM(VALUES_UP_TO)

/* ---- scores: Dot2 (Ogita, Rump and Oishi 2005), eight sums side by side ---- */

enum { SUMS = 8, VECTORS = SUMS / WIDTH };

/* Some processors add and multiply in different units. A third of the additions as 1 a + b, which rounds alike, keeps both
 * busy. */
INLINE lanes plus(lanes a, lanes b) {
    return fused(a, all(1), b);
}
INLINE lanes minus(lanes a, lanes b) {
    return fused(a, all(1), -b);
}
#define PLUS_ONE(a, b) ((a) + (b))
#define MINUS_ONE(a, b) ((a) - (b))

/* A pair of zeros changes no sum. */
#define STEP(v, value, weight)                                                        \
    do {                                                                              \
        lanes x_ = (value), w_ = (weight), p_ = x_ * w_;                              \
        lanes s_ = hi[v] + p_, t_ = minus(s_, hi[v]);                                 \
        lo[v] += plus(fused(x_, w_, -p_), (hi[v] - (s_ - t_)) + minus(p_, t_));       \
        hi[v] = s_;                                                                   \
    } while (0)

typedef double quad __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));

/* Adds pairwise. The low parts are small enough for plain addition. */
INLINE hsp_dd join(const lanes *hi, const lanes *lo, double b) {
    quad h[2], l[2];
    memcpy(h, hi, sizeof h);
    memcpy(l, lo, sizeof l);
    quad s4 = h[0] + h[1], t4 = s4 - h[0], r4 = (l[0] + l[1]) + ((h[0] - (s4 - t4)) + (h[1] - t4));
    pair h0 = {s4[0], s4[1]}, h1 = {s4[2], s4[3]}, l0 = {r4[0], r4[1]}, l1 = {r4[2], r4[3]};
    pair s2 = h0 + h1, t2 = s2 - h0, r2 = (l0 + l1) + ((h0 - (s2 - t2)) + (h1 - t2));
    hsp_dd s = hsp_two_sum(s2[0], s2[1]);
    return hsp_dd_add_double(hsp_two_sum(s.hi, (r2[0] + r2[1]) + s.lo), b);
}

#define SCORE(form, id_type, COLUMN, type, VALUE)                                                              \
    static hsp_dd score_##form(hsp_row r, const double *w, double b) {                                         \
        const type *x = r.value;                                                                               \
        const double *table = r.table;                                                                         \
        int64_t n = r.count, t = 0;                                                                            \
        lanes hi[VECTORS] = {{0}}, lo[VECTORS] = {{0}};                                                        \
        for (; t + SUMS <= n; t += SUMS)                                                                       \
            for (int v = 0; v < VECTORS; v++)                                                                  \
                STEP(v, values_##form(x, table, t + v * WIDTH), load(w + t + v * WIDTH));                      \
        for (int v = 0; v < VECTORS && t < n; v++, t += WIDTH)                                                 \
            if (t + WIDTH <= n)                                                                                \
                STEP(v, values_##form(x, table, t), load(w + t));                                              \
            else                                                                                               \
                STEP(v, values_some_##form(x, table, t, n - t), load_some(w + t, n - t));                      \
        return join(hi, lo, b);                                                                                \
    }
HSP_EACH_DENSE_FORM(SCORE)

/* Sparse rows: the weights are far apart, and loaded one by one. What is left at the end of a row is added one by one. */
#if defined(__AVX512F__)
#define LANES_OF(F, a, b, t)                                                                                       \
    ((lanes){F(a, b, t), F(a, b, t + 1), F(a, b, t + 2), F(a, b, t + 3), F(a, b, t + 4), F(a, b, t + 5), F(a, b, t + 6), \
             F(a, b, t + 7)})
#elif defined(__AVX2__)
#define LANES_OF(F, a, b, t) ((lanes){F(a, b, t), F(a, b, t + 1), F(a, b, t + 2), F(a, b, t + 3)})
#else
#define LANES_OF(F, a, b, t) ((lanes){F(a, b, t), F(a, b, t + 1)})
#endif
#define WEIGHT_OF(w, id, t) ((w)[(int64_t)(id)[t]])
#define ADD_PRODUCT(high, low, value, weight)                          \
    do {                                                               \
        double x_ = (value), w_ = (weight), p_ = x_ * w_;              \
        double s_ = (high) + p_, t_ = s_ - (high);                     \
        (low) += fma(x_, w_, -p_) + (((high) - (s_ - t_)) + (p_ - t_)); \
        (high) = s_;                                                   \
    } while (0)
#define SPARSE_SUMS(form, id_type, COLUMN, type, VALUE)                                                 \
    static void sums_##form(hsp_row r, const double *w, double *high, double *low) {                    \
        HSP_ROW_ENTRIES(id_type, type, r);                                                              \
        int64_t n = r.count, t = 0;                                                                     \
        lanes hi[VECTORS] = {{0}}, lo[VECTORS] = {{0}};                                                 \
        for (; t + SUMS <= n; t += SUMS)                                                                \
            for (int v = 0; v < VECTORS; v++)                                                           \
                STEP(v, LANES_OF(VALUE, x, table, t + v * WIDTH), LANES_OF(WEIGHT_OF, w, id, t + v * WIDTH)); \
        memcpy(high, hi, sizeof hi);                                                                    \
        memcpy(low, lo, sizeof lo);                                                                     \
        for (int l = 0; t < n; t++, l++) ADD_PRODUCT(high[l], low[l], VALUE(x, table, t), WEIGHT_OF(w, id, t)); \
    }
HSP_EACH_SPARSE_FORM(SPARSE_SUMS)

#define SUMS_ENTRY(form, ...) sums_##form,
typedef void sums_of_row(hsp_row r, const double *w, double *high, double *low);
static sums_of_row *const sums_of_form[HSP_SPARSE_FORMS] = {HSP_EACH_SPARSE_FORM(SUMS_ENTRY)};

static hsp_dd score_sparse(hsp_row r, const double *w, double b) {
    double high[SUMS], low[SUMS];
    lanes hi[VECTORS], lo[VECTORS];
    sums_of_form[hsp_sparse_form(r.ids, (int)r.coding)](r, w, high, low);
    memcpy(hi, high, sizeof hi);
    memcpy(lo, low, sizeof lo);
    return join(hi, lo, b);
}

/* Rows, eight together: a vector holds the eight sums of a row, and then, transposed, one sum of each row, so that all
 * are joined at once. The same operations on the same numbers. */
#if defined(__AVX512F__)
enum { EIGHT = 8 };
_Static_assert((int)SUMS == (int)EIGHT && (int)WIDTH == (int)EIGHT, "a vector for a row");

INLINE void transpose(lanes *v) {
    __m512d a[EIGHT], b[EIGHT];
    for (int k = 0; k < EIGHT; k += 2) {
        a[k] = _mm512_unpacklo_pd((__m512d)v[k], (__m512d)v[k + 1]);
        a[k + 1] = _mm512_unpackhi_pd((__m512d)v[k], (__m512d)v[k + 1]);
    }
    for (int k = 0; k < EIGHT; k += 4)
        for (int l = 0; l < 2; l++) {
            b[k + l] = _mm512_shuffle_f64x2(a[k + l], a[k + 2 + l], 0x88);
            b[k + 2 + l] = _mm512_shuffle_f64x2(a[k + l], a[k + 2 + l], 0xdd);
        }
    for (int l = 0; l < 4; l++) {
        v[l] = (lanes)_mm512_shuffle_f64x2(b[l], b[4 + l], 0x88);
        v[4 + l] = (lanes)_mm512_shuffle_f64x2(b[l], b[4 + l], 0xdd);
    }
}

/* Sums k and k + half of each row become sum k. */
INLINE void join_halves(lanes *hi, lanes *lo, int half) {
    for (int k = 0; k < half; k++) {
        lanes s = hi[k] + hi[k + half], t = s - hi[k];
        lo[k] = (lo[k] + lo[k + half]) + ((hi[k] - (s - t)) + (hi[k + half] - t));
        hi[k] = s;
    }
}

INLINE void join_eight(lanes *hi, lanes *lo, double b, hsp_dd *g) {
    transpose(hi);
    transpose(lo);
    join_halves(hi, lo, 4);
    join_halves(hi, lo, 2);
    hsp_dd_lanes s = lanes_two_sum(hi[0], hi[1]);
    s = lanes_add_double(lanes_two_sum(s.hi, (lo[0] + lo[1]) + s.lo), all(b));
    for (int i = 0; i < EIGHT; i++) g[i] = (hsp_dd){s.hi[i], s.lo[i]};
}

#define SCORE_EIGHT(form, id_type, COLUMN, type, VALUE)                                                         \
    static void score_eight_##form(hsp_row r, int64_t step, const double *w, double b, hsp_dd *g) {             \
        const type *x = r.value;                                                                                \
        const double *table = r.table;                                                                          \
        int64_t n = r.count, t = 0;                                                                             \
        lanes hi[EIGHT] = {{0}}, lo[EIGHT] = {{0}};                                                             \
        for (; t + SUMS <= n; t += SUMS) {                                                                      \
            lanes wt = load(w + t);                                                                             \
            _Pragma("GCC unroll 8") for (int v = 0; v < EIGHT; v++) {                                           \
                __builtin_prefetch(x + (v + EIGHT) * step + t);                                                 \
                STEP(v, values_##form(x + v * step, table, t), wt);                                             \
            }                                                                                                   \
        }                                                                                                       \
        if (t < n) {                                                                                            \
            lanes wt = load_some(w + t, n - t);                                                                 \
            _Pragma("GCC unroll 8") for (int v = 0; v < EIGHT; v++)                                             \
                STEP(v, values_some_##form(x + v * step, table, t, n - t), wt);                                 \
        }                                                                                                       \
        join_eight(hi, lo, b, g);                                                                               \
    }
SCORE_EIGHT(dense_f64, uint32_t, HSP_COLUMN_ALL, double, HSP_VALUE_AT)
SCORE_EIGHT(dense_f32, uint32_t, HSP_COLUMN_ALL, float, HSP_VALUE_AT)
SCORE_EIGHT(dense_code, uint32_t, HSP_COLUMN_ALL, uint8_t, HSP_CODE_AT)

typedef void score_eight(hsp_row r, int64_t step, const double *w, double b, hsp_dd *g);
static score_eight *const eight_of_coding[HSP_DENSE_CODINGS] = {score_eight_dense_f64, score_eight_dense_f32,
                                                                 score_eight_dense_code};

static void score_eight_sparse(const hsp_matrix *x, int64_t first, const double *w, double b, hsp_dd *g) {
    double high[EIGHT][SUMS], low[EIGHT][SUMS];
    lanes hi[EIGHT], lo[EIGHT];
    for (int k = 0; k < EIGHT; k++) {
        hsp_row r = hsp_matrix_row(x, first + k);
        sums_of_form[hsp_sparse_form(r.ids, (int)r.coding)](r, w, high[k], low[k]);
    }
    for (int k = 0; k < EIGHT; k++) hi[k] = load(high[k]), lo[k] = load(low[k]);
    join_eight(hi, lo, b, g);
}

/* As many rows as can be scored eight at a time. */
static int64_t score_eights(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g) {
    score_eight *score = x->dense ? eight_of_coding[hsp_matrix_coding(x)] : NULL;
    int64_t i = 0;
    for (; !x->dense && i + EIGHT <= count; i += EIGHT) score_eight_sparse(x, first + i, w, b, g + i);
    for (; score && i + EIGHT <= count; i += EIGHT)
        score(hsp_matrix_row(x, first + i), hsp_matrix_stride(x), w, b, g + i);
    return i;
}
#else
static int64_t score_eights(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g) {
    (void)x, (void)first, (void)count, (void)w, (void)b, (void)g;
    return 0;
}
#endif

#define SCORE_ENTRY(form, ...) score_##form,
static hsp_dd (*const score_dense[HSP_DENSE_CODINGS])(hsp_row, const double *, double) = {HSP_EACH_DENSE_FORM(SCORE_ENTRY)};

static void scores(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g) {
    for (int64_t i = score_eights(x, first, count, w, b, g); i < count; i++) {
        hsp_row r = hsp_matrix_row(x, first + i);
        g[i] = r.id ? score_sparse(r, w, b) : score_dense[r.coding](r, w, b);
    }
}

/* ---- columns ---- */

/* h + l += (a + low) x, size += |a x|; also of vectors. */
#define GATHER(type, FMA, ABS, PLUS, MINUS, h, l, size, value, a, low)                      \
    do {                                                                                    \
        type x_ = (value), p_ = (a)*x_, e_ = FMA(a, x_, -p_);                               \
        type s_ = (h) + p_, t_ = MINUS(s_, h);                                              \
        type l_ = (l) + PLUS((((h) - (s_ - t_)) + MINUS(p_, t_)), FMA(low, x_, e_));        \
        (h) = s_ + l_;                                                                      \
        (l) = l_ - MINUS(h, s_);                                                            \
        (size) = PLUS(ABS(p_), size);                                                       \
    } while (0)

/* Dense rows: hi, lo and size are separate arrays; some rows at a time, so that sums stay in registers, and some vectors of
 * columns side by side, as each sum waits for the one before: also the last ones, without the columns beyond the end. The rows
 * `ahead` bytes further are prefetched: the processor does not foresee them. */
enum { TOGETHER = 8, ABREAST = WIDTH == 8 ? 7 : 2 };

/* The columns of a vector that begins `left` before the end. */
INLINE int64_t columns_of(int64_t left) {
    return left < 0 ? 0 : left < WIDTH ? left : WIDTH;
}

#define SPREAD(form, id_type, COLUMN, type, VALUE)                                                                  \
    INLINE void spread_##form(const bool whole, const hsp_row *r, int rows, int64_t j, const double *a,             \
                              const double *low, double *hi, double *lo, double *size, int64_t ahead) {             \
        const double *table = r->table;                                                                             \
        int64_t left = r->count - j;                                                                                \
        lanes h[ABREAST], l[ABREAST], s[ABREAST];                                                                   \
        _Pragma("GCC unroll 8") for (int v = 0; v < ABREAST; v++) {                                                 \
            int64_t at = j + v * WIDTH, n = columns_of(left - v * WIDTH);                                           \
            h[v] = whole ? load(hi + at) : load_up_to(hi + at, n);                                                  \
            l[v] = whole ? load(lo + at) : load_up_to(lo + at, n);                                                  \
            s[v] = whole ? load(size + at) : load_up_to(size + at, n);                                              \
        }                                                                                                           \
        for (int i = 0; i < rows; i++) {                                                                            \
            lanes ai = all(a[i]), lowi = all(low[i]);                                                               \
            _Pragma("GCC unroll 8") for (int v = 0; v < ABREAST; v++) {                                             \
                int64_t at = j + v * WIDTH, n = columns_of(left - v * WIDTH);                                       \
                __builtin_prefetch((const char *)r[i].value + ahead + at * (int64_t)sizeof(type));                  \
                lanes x = whole ? values_##form(r[i].value, table, at)                                              \
                                : values_up_to_##form(r[i].value, table, at, n);                                    \
                GATHER(lanes, fused, absolute, plus, minus, h[v], l[v], s[v], x, ai, lowi);                         \
            }                                                                                                       \
        }                                                                                                           \
        _Pragma("GCC unroll 8") for (int v = 0; v < ABREAST; v++) {                                                 \
            int64_t at = j + v * WIDTH, n = columns_of(left - v * WIDTH);                                           \
            if (whole || n == WIDTH)                                                                                \
                store(hi + at, h[v]), store(lo + at, l[v]), store(size + at, s[v]);                                 \
            else if (n > 0)                                                                                         \
                store_some(hi + at, h[v], n), store_some(lo + at, l[v], n), store_some(size + at, s[v], n);         \
        }                                                                                                           \
    }                                                                                                               \
    static void combine_##form(const hsp_row *r, int rows, const double *a, const double *low, double *hi,          \
                               double *lo, double *size, int64_t ahead) {                                           \
        int64_t n = r->count, j = 0;                                                                                \
        for (; j + ABREAST * WIDTH <= n; j += ABREAST * WIDTH)                                                      \
            spread_##form(true, r, rows, j, a, low, hi, lo, size, ahead);                                           \
        for (; j < n; j += ABREAST * WIDTH) spread_##form(false, r, rows, j, a, low, hi, lo, size, ahead);          \
    }
HSP_EACH_DENSE_FORM(SPREAD)

/* Sparse rows: the three numbers of a column are adjacent, starting at hi. With many columns they are far from the cache. */
enum { AHEAD = 16 };
#define SCATTER(form, id_type, COLUMN, type, VALUE)                                                     \
    static void combine_##form(hsp_row r, double a, double low, double *restrict hi) {                  \
        HSP_ROW_ENTRIES(id_type, type, r);                                                              \
        for (int64_t t = 0; t < r.count; t++) {                                                         \
            if (t + AHEAD < r.count) __builtin_prefetch(hi + 3 * COLUMN(id, t + AHEAD), 1);             \
            double *to = hi + 3 * COLUMN(id, t);                                                        \
            GATHER(double, fma, fabs, PLUS_ONE, MINUS_ONE, to[0], to[1], to[2], VALUE(x, table, t), a, low); \
        }                                                                                               \
    }
HSP_EACH_SPARSE_FORM(SCATTER)

#define COMBINE_ENTRY(form, ...) combine_##form,
typedef void combine_of_coding(const hsp_row *r, int rows, const double *a, const double *low, double *hi, double *lo,
                               double *size, int64_t ahead);
typedef void combine_of_form(hsp_row r, double a, double low, double *restrict hi);
static combine_of_coding *const combine_dense[HSP_DENSE_CODINGS] = {HSP_EACH_DENSE_FORM(COMBINE_ENTRY)};
static combine_of_form *const combine_sparse[HSP_SPARSE_FORMS] = {HSP_EACH_SPARSE_FORM(COMBINE_ENTRY)};

static void combine(const hsp_matrix *x, int64_t first, int64_t count, const double *hi, const double *lo,
                    const hsp_audit_columns *to) {
    double *base = to->base, *low = base + to->offset, *size = low + to->offset;
    double a[TOGETHER], a_low[TOGETHER];
    int64_t ahead = TOGETHER * hsp_matrix_stride(x) * (int64_t)hsp_matrix_value_size(x);
    hsp_row r[TOGETHER];
    int rows = 0;
    for (int64_t i = 0; i < count; i++) {
        if (hi[i] == 0) continue;
        r[rows] = hsp_matrix_row(x, first + i);
        if (r[rows].id) {
            combine_sparse[hsp_sparse_form(r[rows].ids, (int)r[rows].coding)](r[rows], hi[i], lo[i], base);
            continue;
        }
        a[rows] = hi[i];
        a_low[rows++] = lo[i];
        if (rows < TOGETHER) continue;
        combine_dense[r->coding](r, rows, a, a_low, base, low, size, ahead);
        rows = 0;
    }
    if (rows > 0) combine_dense[r->coding](r, rows, a, a_low, base, low, size, ahead);
}

/* ---- multipliers ---- */

INLINE hsp_dd_lanes repeated(hsp_dd v) {
    return (hsp_dd_lanes){all(v.hi), all(v.lo)};
}

INLINE void store_pair(double *hi, double *lo, hsp_dd_lanes v, int64_t n) {
    if (n >= WIDTH)
        store(hi, v.hi), store(lo, v.lo);
    else
        store_some(hi, v.hi, n), store_some(lo, v.lo, n);
}

static void scale(int64_t count, const double *a, const hsp_dd t[2], double *hi, double *lo) {
    hsp_dd_lanes up = repeated(t[0]), down = repeated(t[1]);
    for (int64_t i = 0; i < count; i += WIDTH) {
        lanes v = i + WIDTH <= count ? load(a + i) : load_some(a + i, count - i);
        store_pair(hi + i, lo + i, lanes_scale(lanes_choose(v < 0, down, up), v), count - i);
    }
}

static void shift(int64_t count, const double *a, const double *c, double C, hsp_dd by, double *hi, double *lo) {
    hsp_dd_lanes each = repeated(by);
    for (int64_t i = 0; i < count; i += WIDTH) {
        bool whole = i + WIDTH <= count;
        lanes v = whole ? load(a + i) : load_some(a + i, count - i), w = whole ? load(c + i) : load_some(c + i, count - i);
        hsp_dd_lanes k = lanes_two_product(all(C), w);
        store_pair(hi + i, lo + i, lanes_subtract((hsp_dd_lanes){v, all(0)}, lanes_multiply(each, k)), count - i);
    }
}

/* ---- columns: their terms by vectors, some columns at a time, then added one after the other ---- */

enum { COLUMNS = 64 }; /* at a time, a multiple of WIDTH */

/* Terms of columns: arrays of high and of low parts. */
typedef struct column_terms {
    double hi[COLUMNS], lo[COLUMNS];
} column_terms;

INLINE void store_terms(column_terms *to, int64_t j, hsp_dd_lanes v) {
    store(to->hi + j, v.hi);
    store(to->lo + j, v.lo);
}

INLINE hsp_dd_lanes lanes_square(hsp_dd_lanes v) {
    return lanes_multiply(v, v);
}

/* `some` columns from `first` on, and zeros. */
INLINE void take_columns(const hsp_audit_columns *v, int64_t first, int64_t some, column_terms *sum, double *size) {
    const double *base = v->base + first * v->step;
    for (int64_t j = 0; j < some; j++) {
        sum->hi[j] = base[j * v->step];
        sum->lo[j] = base[j * v->step + v->offset];
        size[j] = base[j * v->step + 2 * v->offset];
    }
    for (int64_t j = some; j < COLUMNS; j++) sum->hi[j] = sum->lo[j] = size[j] = 0;
}

static void pull(const hsp_audit_columns *v, const double *w, double unit, hsp_pull_sums *sums) {
    hsp_pull_sums s = *sums;
    for (int64_t first = 0; first < v->d; first += COLUMNS) {
        column_terms sum, residual, conjugate;
        double size[COLUMNS], error[COLUMNS], weight[COLUMNS] = {0};
        int64_t some = v->d - first < COLUMNS ? v->d - first : COLUMNS;
        memcpy(weight, w + first, (size_t)some * sizeof *w);
        if (v->step == 3)
            take_columns(&(hsp_audit_columns){v->base, v->d, 3, 1}, first, some, &sum, size);
        else
            take_columns(v, first, some, &sum, size);
        for (int64_t j = 0; j < some; j += WIDTH) {
            hsp_dd_lanes at = {load(sum.hi + j), load(sum.lo + j)};
            lanes away = (load(size + j) + absolute(at.hi)) * unit, top = absolute(at.hi) + away;
            hsp_dd_lanes off = lanes_add(lanes_negative(at), (hsp_dd_lanes){load(weight + j), all(0)});
            hsp_dd_lanes above = lanes_add_double(lanes_choose(at.hi < 0, lanes_negative(at), at), all(0));
            hsp_dd_lanes cost = lanes_square(above), none = {all(0), all(0)};
            cost = lanes_choose(above.hi > 0, (hsp_dd_lanes){cost.hi * 0.5, cost.lo * 0.5}, none);
            store_terms(&residual, j, lanes_square(off));
            store_terms(&conjugate, j, cost);
            store(error + j, away * (top + away));
            store(size + j, top);
        }
        for (int64_t j = 0; j < some; j++) {
            s.residual = hsp_dd_add(s.residual, (hsp_dd){residual.hi[j], residual.lo[j]});
            s.conjugate = hsp_dd_add(s.conjugate, (hsp_dd){conjugate.hi[j], conjugate.lo[j]});
            s.error += error[j];
            if (size[j] > s.top) s.top = size[j];
        }
    }
    *sums = s;
}

static void squares(int64_t count, const double *w, hsp_dd *norm, hsp_dd *half) {
    hsp_dd sum = *norm, halves = *half;
    for (int64_t first = 0; first < count; first += COLUMNS) {
        column_terms square, each;
        double weight[COLUMNS] = {0};
        int64_t some = count - first < COLUMNS ? count - first : COLUMNS;
        memcpy(weight, w + first, (size_t)some * sizeof *w);
        for (int64_t j = 0; j < some; j += WIDTH) {
            hsp_dd_lanes v = lanes_square((hsp_dd_lanes){load(weight + j), all(0)});
            store_terms(&square, j, v);
            v = lanes_multiply((hsp_dd_lanes){all(1), all(0)}, v);
            store_terms(&each, j, (hsp_dd_lanes){v.hi * 0.5, v.lo * 0.5});
        }
        for (int64_t j = 0; j < some; j++) {
            if (weight[j] == 0) continue;
            sum = hsp_dd_add(sum, (hsp_dd){square.hi[j], square.lo[j]});
            halves = hsp_dd_add(halves, (hsp_dd){each.hi[j], each.lo[j]});
        }
    }
    *norm = sum;
    *half = halves;
}

extern const hsp_passes LEVEL_NAME(HSP_LEVEL);
const hsp_passes LEVEL_NAME(HSP_LEVEL) = {
    .scores = scores, .combine = combine, .scale = scale, .shift = shift, .pull = pull, .squares = squares};
