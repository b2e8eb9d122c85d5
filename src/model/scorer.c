/* A score is one sum in the order of the columns, a chain of dependent additions. So two sparse or eight dense rows, or
 * sixteen outputs, are summed side by side, each in its own order. Zeros do not change a sum. */
#include "model/scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "kernel/form.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <math.h>
#include <string.h>

enum {
    FOUR = 4,
    EIGHT = HSP_CHAIN_ROWS, /* dense rows at a time */
    SIXTEEN = 16,
    CHUNK = 256 /* columns that are decoded at a time */
};
#define COPY_LIMIT ((int64_t)1 << 27) /* numbers: larger models are scored as they are */

static int transpose_weights(hsp_scorer *s, int64_t values, hsp_error **err) {
    int64_t lanes = (s->outputs + FOUR - 1) / FOUR * FOUR;
    if (s->outputs == 1 || s->d == 0 || lanes > COPY_LIMIT / s->d || values < s->d) return 0;
    s->lanes = lanes;
    s->side = hsp_alloc_zero(s->d * lanes, sizeof *s->side);
    if (!s->side) return hsp_fail_memory(err);
    enum { TILE = 64 }; /* columns at a time, whose weights stay in the cache */
    for (int64_t from = 0; from < s->d; from += TILE) {
        int64_t to = from + TILE < s->d ? from + TILE : s->d;
        for (int64_t k = 0; k < s->outputs; k++) {
            for (int64_t j = from; j < to; j++) s->side[j * lanes + k] = s->w[k * s->d + j];
        }
    }
    return 0;
}

int hsp_scorer_init(hsp_scorer *s, const hsp_model *m, bool project, int64_t values, hsp_error **err) {
    *s = (hsp_scorer){.m = m, .project = project, .d = m->prepare.schema.d, .outputs = m->outputs, .w = m->w, .b = m->b};
    if (project) {
        const hsp_extra *directions = hsp_model_extra(m, "directions");
        s->outputs = directions->rows;
        s->w = directions->data;
        s->b = hsp_model_extra(m, "direction-offsets")->data;
    }
    return s->w ? transpose_weights(s, values, err) : HSP_OK;
}

void hsp_scorer_clear(hsp_scorer *s) {
    hsp_free(s->side);
    *s = (hsp_scorer){0};
}

/* Row i without the columns that the model does not have. */
static hsp_row known_row(const hsp_scorer *s, const hsp_matrix *x, int64_t i, int64_t *unseen) {
    hsp_row r = hsp_matrix_row(x, i);
    int64_t known = hsp_model_known(s->m, r);
    *unseen += r.count - known;
    r.count = known;
    return r;
}

/* By the model's own functions, which handle sums that overflow. */
static void score_slowly(const hsp_scorer *s, hsp_row r, double *out) {
    if (s->project)
        hsp_model_project(s->m, r, out);
    else
        hsp_model_score_row(s->m, r, out);
}

/* ---- one output, sparse rows ---- */

/* Two rows of a form. */
#define SUM_TWO(form, id_type, COLUMN, type, VALUE)                                               \
    static void two_##form(const double *w, hsp_row p, hsp_row q, double *out) {                  \
        const id_type *id = p.id, *id2 = q.id;                                                    \
        const type *x = p.value, *y = q.value;                                                    \
        const double *table = p.table;                                                            \
        int64_t both = p.count < q.count ? p.count : q.count, t = 0;                              \
        double s = 0, r = 0;                                                                      \
        (void)x, (void)y, (void)table;                                                            \
        for (; t < both; t++) {                                                                   \
            s += w[COLUMN(id, t)] * VALUE(x, table, t);                                           \
            r += w[COLUMN(id2, t)] * VALUE(y, table, t);                                          \
        }                                                                                         \
        for (int64_t k = t; k < p.count; k++) s += w[COLUMN(id, k)] * VALUE(x, table, k);         \
        for (int64_t k = t; k < q.count; k++) r += w[COLUMN(id2, k)] * VALUE(y, table, k);        \
        out[0] = s, out[1] = r;                                                                   \
    }

HSP_EACH_SPARSE_FORM(SUM_TWO)

#define TWO_ENTRY(form, ...) two_##form,
static void (*const sums_of_two[HSP_SPARSE_FORMS])(const double *, hsp_row, hsp_row,
                                                   double *) = {HSP_EACH_SPARSE_FORM(TWO_ENTRY)};

/* Adds the intercepts; a sum that overflows is computed again. */
static void end_sums(const hsp_scorer *s, hsp_row r, double *out) {
    bool finite = true;
    for (int64_t k = 0; k < s->outputs; k++) finite = isfinite(out[k] += s->b[k]) && finite;
    if (!finite) score_slowly(s, r, out);
}

static int64_t score_sparse(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out) {
    int64_t unseen = 0, i = first;
    for (; i + 2 <= last; i += 2, out += 2) {
        hsp_row r = known_row(s, x, i, &unseen), next = known_row(s, x, i + 1, &unseen);
        sums_of_two[hsp_sparse_form(x->ids, (int)r.coding)](s->w, r, next, out);
        end_sums(s, r, out);
        end_sums(s, next, out + 1);
    }
    if (i < last) score_slowly(s, known_row(s, x, i, &unseen), out);
    return unseen;
}

/* ---- dense rows ---- */

/* Adds n columns of eight rows, from `from` on, to the sums of all outputs. */
static void add_columns(const hsp_scorer *s, hsp_chains_of_coding *chains, const void *const *x, int64_t from, int64_t n,
                        double *out) {
    int64_t K = s->outputs;
    for (int64_t k = 0; k < K; k += HSP_CHAINS)
        chains(x, n, s->w + k * s->d + from, s->d, K - k < HSP_CHAINS ? K - k : HSP_CHAINS, out + k, K);
}

/* Eight rows. Doubles and floats as they are stored, other codings through a tile of doubles. */
static void sum_eight(const hsp_scorer *s, const hsp_row *r, double *out) {
    const void *x[EIGHT];
    double tile[EIGHT * CHUNK];
    bool stored = r->coding == HSP_CODING_F64 || r->coding == HSP_CODING_F32;
    int64_t n = r->count, width = stored ? n : CHUNK;
    memset(out, 0, (size_t)(EIGHT * s->outputs) * sizeof *out);
    for (int64_t from = 0; from < n; from += width) {
        for (int k = 0; k < EIGHT; k++) {
            x[k] = stored ? r[k].value : tile + k * CHUNK;
            if (!stored) hsp_row_decode(r[k], from, CHUNK, NULL, tile + k * CHUNK);
        }
        add_columns(s, hsp_chains[stored && r->coding == HSP_CODING_F32], x, from, n - from < width ? n - from : width, out);
    }
}

/* As many rows of these as are full eights: how many. */
static int64_t score_eights(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out,
                            int64_t *unseen) {
    int64_t i = first;
    int64_t known = x->d < s->d ? x->d : s->d, step = hsp_matrix_stride(x) * (int64_t)hsp_matrix_value_size(x);
    for (; i + EIGHT <= last; i += EIGHT) {
        hsp_row r[EIGHT];
        r[0] = hsp_matrix_row(x, i);
        *unseen += EIGHT * (r[0].count - known);
        r[0].count = known;
        for (int k = 1; k < EIGHT; k++) {
            r[k] = r[0];
            r[k].value = (const char *)r[0].value + k * step;
        }
        sum_eight(s, r, out);
        for (int k = 0; k < EIGHT; k++, out += s->outputs) end_sums(s, r[k], out);
    }
    return i - first;
}

static int64_t score_dense(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out) {
    int64_t unseen = 0, done = score_eights(s, x, first, last, out, &unseen);
    for (int64_t i = first + done; i < last; i++)
        score_slowly(s, known_row(s, x, i, &unseen), out + (i - first) * s->outputs);
    return unseen;
}

/* ---- several outputs, by the non-zeros ---- */

/* Four numbers, unaligned. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Adds entries of a row to 4 FOURS sums; w: their weights at the first column. No fused multiply-add at any level. */
#define ADD_ENTRIES(NAME, FOURS)                                                                                   \
    static void NAME(const double *w, int64_t lanes, int64_t count, const uint32_t *id, const double *x, double *acc) { \
        four sum[FOURS];                                                                                           \
        for (int l = 0; l < (FOURS); l++) sum[l] = ((four *)acc)[l];                                               \
        for (int64_t t = 0; t < count; t++) {                                                                      \
            const four *u = (const four *)(w + (int64_t)id[t] * lanes);                                            \
            double v = x[t];                                                                                       \
            _Pragma("GCC unroll 4") for (int l = 0; l < (FOURS); l++) sum[l] += u[l] * (four){v, v, v, v};         \
        }                                                                                                          \
        for (int l = 0; l < (FOURS); l++) ((four *)acc)[l] = sum[l];                                               \
    }

typedef void add_entries(const double *w, int64_t lanes, int64_t count, const uint32_t *id, const double *x, double *acc);

#define LANE_KERNELS(LEVEL)           \
    ADD_ENTRIES(entries_1_##LEVEL, 1) \
    ADD_ENTRIES(entries_2_##LEVEL, 2) \
    ADD_ENTRIES(entries_3_##LEVEL, 3) \
    ADD_ENTRIES(entries_4_##LEVEL, 4) \
    static add_entries *const lanes_##LEVEL[] = {entries_1_##LEVEL, entries_2_##LEVEL, entries_3_##LEVEL, entries_4_##LEVEL};

LANE_KERNELS(plain)
#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target("avx2")
LANE_KERNELS(avx2)
#pragma GCC pop_options
#endif

static add_entries *const *lanes_now(void) {
#ifdef __x86_64__
    if (strcmp(hsp_level_now()->name, "plain") != 0) return lanes_avx2;
#endif
    return lanes_plain;
}

/* Whether four numbers are 0 or -0. */
static bool all_zero(const double *x) {
    uint64_t bits[FOUR];
    memcpy(bits, x, sizeof bits);
    return (bits[0] | bits[1] | bits[2] | bits[3]) << 1 == 0;
}

/* Up to CHUNK entries of a row from index `from` on, without the zeros of a dense one. */
typedef struct entries {
    int64_t count;
    uint32_t id[CHUNK + 1]; /* one more: a value is written before it is known whether it is kept */
    double value[CHUNK + 1];
} entries;

static void decode_entries(hsp_row r, int64_t from, entries *e) {
    if (r.id) {
        e->count = hsp_row_decode(r, from, CHUNK, e->id, e->value);
        return;
    }
    double x[CHUNK];
    int64_t n = hsp_row_decode(r, from, CHUNK, NULL, x);
    e->count = 0;
    for (int64_t begin = 0; begin < n; begin += FOUR) {
        if (begin + FOUR <= n && all_zero(x + begin)) continue;
        for (int64_t j = begin; j < begin + FOUR && j < n; j++) {
            e->id[e->count] = (uint32_t)(from + j);
            e->value[e->count] = x[j];
            e->count += x[j] != 0;
        }
    }
}

/* All outputs of one row. */
static void sum_row(const hsp_scorer *s, add_entries *const *kernels, hsp_row r, double *out) {
    entries e;
    memset(out, 0, (size_t)s->outputs * sizeof *out);
    for (int64_t from = 0; from < r.count; from += CHUNK) {
        decode_entries(r, from, &e);
        for (int64_t k = 0; k < s->outputs; k += SIXTEEN) {
            int64_t fours = s->lanes - k < SIXTEEN ? (s->lanes - k) / FOUR : FOUR, some = s->outputs - k;
            double acc[SIXTEEN] = {0};
            size_t size = (size_t)(some < SIXTEEN ? some : SIXTEEN) * sizeof *acc;
            memcpy(acc, out + k, size);
            kernels[fours - 1](s->side + k, s->lanes, e.count, e.id, e.value, acc);
            memcpy(out + k, acc, size);
        }
    }
}

/* Whether to sum eight dense rows at once, which does not skip zeros: by a few rows. */
static bool is_full(const hsp_matrix *x, int64_t first, int64_t last) {
    int64_t zeros = 0, cells = 0;
    if (!x->dense) return false;
    for (int64_t i = first; i < last; i += (last - first) / FOUR + 1) {
        double value[CHUNK];
        int64_t n = hsp_row_decode(hsp_matrix_row(x, i), 0, CHUNK, NULL, value);
        cells += n;
        for (int64_t j = 0; j < n; j++) zeros += value[j] == 0;
    }
    return 2 * zeros < cells;
}

static int64_t score_lanes(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out) {
    add_entries *const *kernels = lanes_now();
    int64_t unseen = 0, i = first, K = s->outputs;
    if (is_full(x, first, last)) i += score_eights(s, x, first, last, out, &unseen);
    for (; i < last; i++) {
        hsp_row r = known_row(s, x, i, &unseen);
        double *to = out + (i - first) * K;
        sum_row(s, kernels, r, to);
        end_sums(s, r, to);
    }
    return unseen;
}

/* Networks, and models that are too large or rows that are too few for another layout of the weights: row by row. */
static int64_t score_rows(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out) {
    int64_t unseen = 0;
    for (int64_t i = first; i < last; i++, out += s->outputs) score_slowly(s, known_row(s, x, i, &unseen), out);
    return unseen;
}

int64_t hsp_scorer_rows(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out) {
    if (s->side) return score_lanes(s, x, first, last, out);
    if (!s->w || s->outputs > 1) return score_rows(s, x, first, last, out);
    return x->dense ? score_dense(s, x, first, last, out) : score_sparse(s, x, first, last, out);
}
