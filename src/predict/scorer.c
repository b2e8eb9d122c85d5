/* A score is one sum in the order of the columns, a chain of dependent additions. So two sparse or four dense rows, or
 * sixteen outputs, are summed in parallel, each in its own order. */
#include "predict/scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "kernel/level.h"

#include <math.h>
#include <string.h>

enum { FOUR = 4, SIXTEEN = 16 };
#define COPY_LIMIT ((int64_t)1 << 27) /* numbers: larger models are scored as they are */

static int transpose_weights(hsp_scorer *s, hsp_error **err) {
    int64_t lanes = (s->outputs + FOUR - 1) / FOUR * FOUR;
    if (s->outputs == 1 || s->d == 0 || lanes > COPY_LIMIT / s->d) return 0;
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

int hsp_scorer_init(hsp_scorer *s, const hsp_model *m, bool project, hsp_error **err) {
    *s = (hsp_scorer){.m = m, .project = project, .d = m->prepare.schema.d, .outputs = m->outputs, .w = m->w, .b = m->b};
    if (project) {
        const hsp_extra *directions = hsp_model_extra(m, "directions");
        s->outputs = directions->rows;
        s->w = directions->data;
        s->b = hsp_model_extra(m, "direction-offsets")->data;
    }
    return s->w ? transpose_weights(s, err) : HSP_OK;
}

void hsp_scorer_clear(hsp_scorer *s) {
    hsp_free(s->side);
    *s = (hsp_scorer){0};
}

void hsp_scorer_scratch_free(hsp_scorer_scratch *scratch) {
    HSP_FREE(scratch->id, scratch->value);
    *scratch = (hsp_scorer_scratch){0};
}

int hsp_scorer_reserve(hsp_scorer_scratch *scratch, int64_t d) {
    /* One more: dense_row writes a value before it knows whether to keep it. */
    int status = hsp_reserve((void **)&scratch->id, &scratch->id_capacity, d + 1, sizeof *scratch->id);
    return status ? status : hsp_reserve((void **)&scratch->value, &scratch->value_capacity, d + 1, sizeof *scratch->value);
}

/* ---- rows ---- */

/* A sparse row without the columns that the model does not have, which are at the end. */
typedef struct entries {
    const uint32_t *id;
    const double *value;
    int64_t count;
} entries;

static entries sparse_row(const hsp_scorer *s, const hsp_block *block, int64_t i, int64_t *unseen) {
    int64_t begin = block->row[i], count = block->row[i + 1] - begin;
    entries x = {block->id + begin, block->value + begin, count};
    while (x.count > 0 && (int64_t)x.id[x.count - 1] >= s->d) x.count--;
    *unseen += count - x.count;
    return x;
}

/* The number of columns of a dense row that the model has. */
static int64_t known_columns(const hsp_scorer *s, const hsp_block *block) {
    return block->d < s->d ? block->d : s->d;
}

/* Whether four numbers are 0 or -0. */
static bool all_zero(const double *x) {
    uint64_t bits[FOUR];
    memcpy(bits, x, sizeof bits);
    return (bits[0] | bits[1] | bits[2] | bits[3]) << 1 == 0;
}

/* The non-zeros of a dense row: zeros do not change a sum. */
static entries dense_row(const hsp_scorer *s, const hsp_block *block, int64_t i, hsp_scorer_scratch *scratch) {
    const double *x = block->value + i * block->d;
    int64_t count = 0, d = known_columns(s, block);
    for (int64_t from = 0; from < d; from += FOUR) {
        if (from + FOUR <= d && all_zero(x + from)) continue;
        for (int64_t j = from; j < from + FOUR && j < d; j++) {
            scratch->id[count] = (uint32_t)j;
            scratch->value[count] = x[j];
            count += x[j] != 0;
        }
    }
    return (entries){scratch->id, scratch->value, count};
}

/* By the model's own functions, which handle sums that overflow. */
static void score_slowly(const hsp_scorer *s, const hsp_block *block, int64_t i, double *out) {
    int64_t begin = block->dense ? 0 : block->row[i];
    hsp_row x = block->dense ? hsp_row_dense(block->d, block->value + i * block->d)
                             : hsp_row_sparse(block->row[i + 1] - begin, block->id + begin, block->value + begin);
    if (s->project)
        hsp_model_project(s->m, x, out);
    else
        hsp_model_score_row(s->m, x, out);
}

/* ---- one output ---- */

static double finish(const double *w, entries x, int64_t from, double sum) {
    for (int64_t t = from; t < x.count; t++) sum += w[x.id[t]] * x.value[t];
    return sum;
}

static void score_two(const double *w, entries x, entries y, double *out) {
    int64_t both = x.count < y.count ? x.count : y.count;
    double s = 0, t = 0;
    for (int64_t k = 0; k < both; k++) {
        s += w[x.id[k]] * x.value[k];
        t += w[y.id[k]] * y.value[k];
    }
    out[0] = finish(w, x, both, s);
    out[1] = finish(w, y, both, t);
}

static int64_t score_sparse(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last, double *out) {
    int64_t unseen = 0, i = first;
    for (; i + 2 <= last; i += 2) {
        entries x = sparse_row(s, block, i, &unseen), y = sparse_row(s, block, i + 1, &unseen);
        score_two(s->w, x, y, out + i - first);
    }
    if (i < last) out[i - first] = finish(s->w, sparse_row(s, block, i, &unseen), 0, 0);
    return unseen;
}

static void score_dense(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last, double *out) {
    int64_t d = known_columns(s, block), i = first;
    const double *w = s->w;
    for (; i + FOUR <= last; i += FOUR) {
        const double *a = block->value + i * block->d, *b = a + block->d, *c = b + block->d, *e = c + block->d;
        double p = 0, q = 0, r = 0, t = 0;
        for (int64_t j = 0; j < d; j++) {
            p += w[j] * a[j];
            q += w[j] * b[j];
            r += w[j] * c[j];
            t += w[j] * e[j];
        }
        out[i - first] = p, out[i - first + 1] = q, out[i - first + 2] = r, out[i - first + 3] = t;
    }
    for (; i < last; i++) {
        const double *x = block->value + i * block->d;
        double sum = 0;
        for (int64_t j = 0; j < d; j++) sum += w[j] * x[j];
        out[i - first] = sum;
    }
}

/* ---- several outputs ---- */

/* Four numbers, unaligned. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* FOURS * 4 sums of a row; w: their weights at the first column. No fused multiply-add at any level. */
#define SUM_LANES(NAME, FOURS)                                                                             \
    static void NAME(const double *w, int64_t lanes, entries x, double *out) {                             \
        four sum[FOURS] = {{0}};                                                                           \
        for (int64_t t = 0; t < x.count; t++) {                                                            \
            const four *u = (const four *)(w + (int64_t)x.id[t] * lanes);                                  \
            double v = x.value[t];                                                                         \
            _Pragma("GCC unroll 4") for (int l = 0; l < (FOURS); l++) sum[l] += u[l] * (four){v, v, v, v}; \
        }                                                                                                  \
        for (int l = 0; l < (FOURS); l++) ((four *)out)[l] = sum[l];                                       \
    }

typedef void sum_lanes(const double *w, int64_t lanes, entries x, double *out);

#define ALL_LANES(LEVEL)          \
    SUM_LANES(four_##LEVEL, 1)    \
    SUM_LANES(eight_##LEVEL, 2)   \
    SUM_LANES(twelve_##LEVEL, 3)  \
    SUM_LANES(sixteen_##LEVEL, 4) \
    static sum_lanes *const lanes_##LEVEL[] = {four_##LEVEL, eight_##LEVEL, twelve_##LEVEL, sixteen_##LEVEL};

ALL_LANES(plain)
#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target("avx2")
ALL_LANES(avx2)
#pragma GCC pop_options
#endif

static sum_lanes *const *lanes_now(void) {
#ifdef __x86_64__
    if (strcmp(hsp_level_now()->name, "plain") != 0) return lanes_avx2;
#endif
    return lanes_plain;
}

static int64_t score_lanes(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last,
                           hsp_scorer_scratch *scratch, double *out) {
    sum_lanes *const *sums = lanes_now();
    int64_t unseen = 0, K = s->outputs;
    for (int64_t i = first; i < last; i++, out += K) {
        entries x = block->dense ? dense_row(s, block, i, scratch) : sparse_row(s, block, i, &unseen);
        for (int64_t k = 0; k < K; k += SIXTEEN) {
            int64_t fours = s->lanes - k < SIXTEEN ? (s->lanes - k) / FOUR : FOUR;
            double sum[SIXTEEN];
            sums[fours - 1](s->side + k, s->lanes, x, sum);
            for (int64_t l = 0; l < SIXTEEN && k + l < K; l++) out[k + l] = sum[l];
        }
    }
    return unseen;
}

/* A network is scored row by row. Returns the number of values in columns that it does not have. */
static int64_t score_network(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last, double *out) {
    int64_t unseen = 0;
    for (int64_t i = first; i < last; i++, out += s->outputs) {
        score_slowly(s, block, i, out);
        if (!block->dense) sparse_row(s, block, i, &unseen);
    }
    return unseen;
}

int64_t hsp_scorer_rows(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last,
                        hsp_scorer_scratch *scratch, double *out) {
    int64_t K = s->outputs, unseen = block->dense ? (last - first) * (block->d - known_columns(s, block)) : 0;
    if (s->m->network && !s->project) return unseen + score_network(s, block, first, last, out);
    if (s->side)
        unseen += score_lanes(s, block, first, last, scratch, out);
    else if (K > 1)
        for (int64_t i = first; i < last; i++) score_slowly(s, block, i, out + (i - first) * K);
    else if (block->dense)
        score_dense(s, block, first, last, out);
    else
        unseen += score_sparse(s, block, first, last, out);
    if (K > 1 && !s->side) return unseen;
    for (int64_t i = first; i < last; i++, out += K) {
        bool finite = true;
        for (int64_t k = 0; k < K; k++) finite = isfinite(out[k] += s->b[k]) && finite;
        if (!finite) score_slowly(s, block, i, out);
    }
    return unseen;
}
