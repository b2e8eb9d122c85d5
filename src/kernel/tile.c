/* Matrix products by tiles (register_tile.h), and products with sparse rows, compiled for each level (of_level.h). */
#include "kernel/of_level.h"
#include "kernel/register_tile.h"

#include <stddef.h>

#define TEXT(a) #a
#define TEXT_VALUE(a) TEXT(a)

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* A panel of B stays in the L1 cache for all panels of A. Vectors beyond the last column, or above the diagonal of a lower
 * triangle, are left out: with few columns these are many. */
static void multiply(const hsp_product *p) {
    for (int64_t j = p->j0; j < p->j1; j += WIDTH) {
        const double *b = p->b + (j / WIDTH) * p->b_step;
        for (int64_t i = p->i0; i < p->i1; i += HEIGHT) {
            if (p->lower && i + HEIGHT <= j) continue;
            const double *a = p->a + (i / WIDTH) * p->a_step + i % WIDTH;
            double *c = p->c + i * p->c_step + j;
            int64_t m = least(HEIGHT, p->i1 - i), n = least(WIDTH, p->j1 - j);
            int64_t used = p->lower ? least(n, i + HEIGHT - j) : n;
            if (used <= LANES)
                tile(HEIGHT, 1, p->depth, a, 1, WIDTH, b, c, p->c_step, m, least(n, LANES));
            else if (used <= 2 * LANES)
                tile(HEIGHT, 2, p->depth, a, 1, WIDTH, b, c, p->c_step, m, least(n, 2 * LANES));
            else
                tile(HEIGHT, VECTORS, p->depth, a, 1, WIDTH, b, c, p->c_step, m, n);
        }
    }
}

/* ---- rows into panels ---- */

/* Columns j to j + n of a row, n <= WIDTH; the rest of the panel is 0. */
#define PACK_PANEL(n, VALUE)                                                 \
    do {                                                                     \
        double v[WIDTH] = {0};                                               \
        for (int64_t l = 0; l < (n); l++) v[l] = VALUE(x, table, j + l);     \
        if (q->shift)                                                        \
            for (int64_t l = 0; l < (n); l++) v[l] -= q->shift[j + l];       \
        if (q->factor)                                                       \
            for (int64_t l = 0; l < (n); l++) v[l] *= q->factor[j + l];      \
        if (q->centre)                                                       \
            for (int64_t l = 0; l < (n); l++) v[l] -= q->centre[j + l];      \
        for (int64_t l = 0; l < WIDTH; l++) out[l] = v[l];                   \
        if (weighted)                                                        \
            for (int64_t l = 0; l < WIDTH; l++) weighted[l] = weight * v[l]; \
    } while (0)

#define PACK(form, id_type, COLUMN, type, VALUE)                                                                     \
    static void pack_##form(const hsp_decode *q, const void *values, const double *table, int64_t step, double *out, \
                            double weight, double *weighted) {                                                       \
        const type *x = values;                                                                                      \
        int64_t j = 0;                                                                                               \
        (void)x, (void)table;                                                                                        \
        for (; j + WIDTH <= q->d; j += WIDTH, out += step) {                                                         \
            PACK_PANEL(WIDTH, VALUE);                                                                                \
            if (weighted) weighted += step;                                                                          \
        }                                                                                                            \
        if (j < q->d) PACK_PANEL(q->d - j, VALUE);                                                                   \
    }
HSP_EACH_DENSE_FORM(PACK)

/* ---- scores ---- */

/* One panel of outputs, one chunk of columns, all rows: `height` rows at a time, the rest one by one. */
INLINE void scores_of_panel(const int height, const int vectors, int64_t rows, int64_t depth, const double *x,
                            int64_t x_step, const double *w, int64_t n, double *out, int64_t K) {
    int64_t i = 0;
    for (; i + height <= rows; i += height)
        tile(height, vectors, depth, x + i * x_step, x_step, 1, w, out + i * K, K, height, n);
    for (; i < rows; i++) tile(1, vectors, depth, x + i * x_step, x_step, 1, w, out + i * K, K, 1, n);
}

static void scores(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *w, int64_t K, double *out) {
    for (int64_t k = 0; k < K; k += WIDTH, w += d * WIDTH) {
        int64_t n = least(WIDTH, K - k);
        for (int64_t j = 0; j < d; j += CHUNK) {
            int64_t depth = least(CHUNK, d - j);
            const double *wj = w + j * WIDTH;
            if (n > 2 * LANES)
                scores_of_panel(HEIGHT, 3, rows, depth, x + j, x_step, wj, n, out + k, K);
            else if (n > LANES)
                scores_of_panel(HEIGHT, 2, rows, depth, x + j, x_step, wj, n, out + k, K);
            else
                scores_of_panel(8, 1, rows, depth, x + j, x_step, wj, n, out + k, K);
        }
    }
}

/* ---- sparse rows ---- */

enum { GROUP = HSP_LANES_SPARSE / LANES }; /* vectors in a group of lanes */

/* Two groups at a time: enough independent chains to hide latency, and one pass over the row for 16 outputs. */
#define GATHER(GROUPS, COLUMN, VALUE)                                                                  \
    do {                                                                                               \
        vec s[2 * GROUP];                                                                              \
        for (int v = 0; v < (GROUPS)*GROUP; v++) s[v] = load(acc + v * LANES);                         \
        for (int64_t t = 0; t < count; t++) {                                                          \
            const double *at = w + COLUMN(id, t) * lanes, value = VALUE(x, table, t);                  \
            for (int v = 0; v < (GROUPS)*GROUP; v++) s[v] = fma_of(value, load(at + v * LANES), s[v]); \
        }                                                                                              \
        for (int v = 0; v < (GROUPS)*GROUP; v++) store(acc + v * LANES, s[v]);                         \
    } while (0)

#define GATHER_ALL(form, id_type, COLUMN, type, VALUE)                                                                  \
    static void gather_##form(int64_t count, const void *ids, const void *values, const double *table, const double *w, \
                              int64_t lanes, double *acc) {                                                             \
        HSP_ENTRIES(id_type, ids, type, values);                                                                        \
        int64_t k = 0;                                                                                                  \
        for (; k + 2 * HSP_LANES_SPARSE <= lanes; k += 2 * HSP_LANES_SPARSE) {                                          \
            GATHER(2, COLUMN, VALUE);                                                                                   \
            acc += 2 * HSP_LANES_SPARSE;                                                                                \
            w += 2 * HSP_LANES_SPARSE;                                                                                  \
        }                                                                                                               \
        if (k < lanes) GATHER(1, COLUMN, VALUE);                                                                        \
    }
HSP_EACH_SPARSE_FORM(GATHER_ALL)

#define SCATTER(GROUPS, COLUMN, VALUE)                                                                      \
    do {                                                                                                    \
        vec s[2 * GROUP];                                                                                   \
        for (int v = 0; v < (GROUPS)*GROUP; v++) s[v] = load(r + v * LANES);                                \
        for (int64_t t = 0; t < count; t++) {                                                               \
            double *at = w + COLUMN(id, t) * lanes, value = VALUE(x, table, t);                             \
            for (int v = 0; v < (GROUPS)*GROUP; v++, at += LANES) store(at, fma_of(value, s[v], load(at))); \
        }                                                                                                   \
    } while (0)

#define SCATTER_ALL(form, id_type, COLUMN, type, VALUE)                                                                  \
    static void scatter_##form(int64_t count, const void *ids, const void *values, const double *table, const double *r, \
                               int64_t lanes, double *w) {                                                               \
        HSP_ENTRIES(id_type, ids, type, values);                                                                         \
        int64_t k = 0;                                                                                                   \
        for (; k + 2 * HSP_LANES_SPARSE <= lanes; k += 2 * HSP_LANES_SPARSE) {                                           \
            SCATTER(2, COLUMN, VALUE);                                                                                   \
            r += 2 * HSP_LANES_SPARSE;                                                                                   \
            w += 2 * HSP_LANES_SPARSE;                                                                                   \
        }                                                                                                                \
        if (k < lanes) SCATTER(1, COLUMN, VALUE);                                                                        \
    }
HSP_EACH_SPARSE_FORM(SCATTER_ALL)

/* ---- pairs ---- */

/* Four columns at a time at every level: a quad of a sparse row is rarely full, eight columns would hold more zeros. */
#ifdef __AVX2__
typedef __m256d four;

INLINE four load_four(const double *p) {
    return _mm256_loadu_pd(p);
}

INLINE void fma_four(double a, four b, double *c) {
    _mm256_storeu_pd(c, _mm256_fmadd_pd(_mm256_set1_pd(a), b, _mm256_loadu_pd(c)));
}
#else
typedef const double *four;

INLINE four load_four(const double *p) {
    return p;
}

INLINE void fma_four(double a, four b, double *c) {
    for (int l = 0; l < HSP_QUAD; l++) c[l] = __builtin_fma(a, b[l], c[l]);
}
#endif

/* Adds to `rows` rows of G at once: each its a times the quads before position p. */
INLINE void pairs_of_rows(const int rows, const double *a, double *const *row, const uint32_t *quad, const double *x,
                          int64_t p) {
    for (int64_t q = 0; q < p; q++) {
        four b = load_four(x + q * HSP_QUAD);
        int64_t at = (int64_t)quad[q] * HSP_QUAD;
#pragma GCC unroll 4
        for (int l = 0; l < rows; l++) fma_four(a[l], b, row[l] + at);
    }
}

/* The quad on the diagonal is added one by one, so that nothing is written beyond it or beyond the last column. */
static void pairs(const uint32_t *quad, const double *x, int64_t first, int64_t last, double c, double *G, int64_t d) {
    for (int64_t p = first; p < last; p++) {
        const double *own = x + p * HSP_QUAD;
        int64_t j = (int64_t)quad[p] * HSP_QUAD;
        double a[HSP_QUAD], *row[HSP_QUAD];
        int rows = 0;
        for (int l = 0; l < HSP_QUAD; l++) {
            if (own[l] == 0) continue;
            a[rows] = c * own[l];
            row[rows] = G + (j + l) * d;
            for (int k = 0; k <= l; k++) row[rows][j + k] = __builtin_fma(a[rows], own[k], row[rows][j + k]);
            rows++;
        }
        switch (rows) {
        case 1:
            pairs_of_rows(1, a, row, quad, x, p);
            break;
        case 2:
            pairs_of_rows(2, a, row, quad, x, p);
            break;
        case 3:
            pairs_of_rows(3, a, row, quad, x, p);
            break;
        case 4:
            pairs_of_rows(4, a, row, quad, x, p);
            break;
        default:
            break;
        }
    }
}

#define NO_ENTRY(form, ...) NULL,
#define PACK_ENTRY(form, ...) pack_##form,
#define GATHER_ENTRY(form, ...) gather_##form,
#define SCATTER_ENTRY(form, ...) scatter_##form,

extern const hsp_level HSP_OF_LEVEL(hsp_level_);
const hsp_level HSP_OF_LEVEL(hsp_level_) = {
    .name = TEXT_VALUE(HSP_LEVEL),
    .width = WIDTH,
    .pack = {HSP_EACH_DENSE_FORM(PACK_ENTRY)},
    .pulls = HSP_OF_LEVEL(hsp_pulls_),
    .pack_rows = HSP_OF_LEVEL(hsp_pack_rows_),
    .multiply = multiply,
    .scores = scores,
    .gather = {HSP_EACH_DENSE_FORM(NO_ENTRY) HSP_EACH_SPARSE_FORM(GATHER_ENTRY)},
    .scatter = {HSP_EACH_DENSE_FORM(NO_ENTRY) HSP_EACH_SPARSE_FORM(SCATTER_ENTRY)},
    .pairs = pairs,
    .moved = {HSP_OF_LEVEL(hsp_moved_scores_), HSP_OF_LEVEL(hsp_moved_pulls_), HSP_OF_LEVEL(hsp_many_scores_),
              HSP_OF_LEVEL(hsp_many_pulls_), HSP_OF_LEVEL(hsp_moved_pack_)},
    .single = {HSP_OF_LEVEL(hsp_pack_single_), HSP_OF_LEVEL(hsp_multiply_single_), HSP_OF_LEVEL(hsp_spread_single_)},
    .hash = {HSP_OF_LEVEL(hsp_hash_open_), HSP_OF_LEVEL(hsp_hash_add_), HSP_OF_LEVEL(hsp_hash_close_),
             HSP_OF_LEVEL(hsp_hash_cells_), HSP_OF_LEVEL(hsp_hash_single_cells_)},
    .triangle = {HSP_OF_LEVEL(hsp_triangle_forward_), HSP_OF_LEVEL(hsp_triangle_backward_), HSP_OF_LEVEL(hsp_pack_across_),
                 HSP_OF_LEVEL(hsp_pack_along_), HSP_OF_LEVEL(hsp_rotate_), HSP_OF_LEVEL(hsp_rotate_pair_),
                 HSP_OF_LEVEL(hsp_symmetric_)},
    .dense = &HSP_DENSE_ROWS,
    .logistic = HSP_OF_LEVEL(hsp_logistic_),
    .entropy = HSP_OF_LEVEL(hsp_entropy_),
    .exps = HSP_OF_LEVEL(hsp_exps_),
    .tally = HSP_OF_LEVEL(hsp_tally_),
    .spread = HSP_OF_LEVEL(hsp_spread_),
    .present = HSP_OF_LEVEL(hsp_present_),
    .log1ps = HSP_OF_LEVEL(hsp_log1ps_),
    .tanhs = HSP_OF_LEVEL(hsp_tanhs_),
    .adam = HSP_OF_LEVEL(hsp_adam_),
};
