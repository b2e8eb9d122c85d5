/* Sums over the pairs of a row's entries, then rank-one corrections for centring. With z_i = factor * x_i, q = p + m of the
 * row's group, s and mass the sums of c_i z_i and c_i over the group:
 *     sum c (z - q)(z - q)' = sum c z z' - s q' - q (s - mass q)'
 * Rows are converted to quads (level.h) and multiplied: for few columns by slabs of rows, each with its own matrix; for many
 * by ranges of G's rows, where the cut does not change the order of the sums. */
#include "design/gram_sparse.h"

#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/gram_slab.h"
#include "design/pieces.h"
#include "kernel/form.h"
#include "kernel/level.h"

#include <string.h>

enum { RANGES = 32, CHUNKS = 16, STEP_QUADS = 1 << 15, STEP_ROWS = 1 << 12 };

/* The place of a quad: its row in the batch and its position in the row. */
typedef struct gram_place {
    uint32_t row, position;
} gram_place;

/* Some rows as quads. All arrays are owned; begin, quads and start are in the block of row. */
typedef struct batch {
    int64_t count;
    int64_t *row;   /* STEP_ROWS: the row of the design */
    int64_t *begin; /* STEP_ROWS: the start of its quads */
    int64_t *quads; /* STEP_ROWS: their number */
    uint32_t *quad;
    double *x;
    int64_t *start; /* the quads of all columns + 1: the start of the places of each */
    gram_place *place;
} batch;

typedef struct sparse {
    const hsp_design *D;
    const double *c;
    const hsp_level *level;
    double *G;
    /* ranges */
    int64_t capacity; /* quads of a batch */
    int64_t next;     /* row */
    batch batches[3]; /* in turn filled, sorted and multiplied */
    int64_t step;
    int64_t from[RANGES + 1]; /* quads of the ranges */
    /* centring */
    const double *mass, *sums, *q;
    int64_t groups;
} sparse;

/* Converts a row to quads; returns their number. */
#define QUADS(form, id_type, COLUMN, type, VALUE)                                                                 \
    static int64_t quads_##form(hsp_row r, const double *factor, uint32_t *restrict quad, double *restrict out) { \
        HSP_ROW_ENTRIES(id_type, type, r);                                                                        \
        int64_t count = 0;                                                                                        \
        for (int64_t t = 0; t < r.count; t++) {                                                                   \
            uint32_t j = (uint32_t)COLUMN(id, t), q = j / HSP_QUAD;                                               \
            if (count == 0 || quad[count - 1] != q) {                                                             \
                for (int l = 0; l < HSP_QUAD; l++) out[count * HSP_QUAD + l] = 0;                                 \
                quad[count++] = q;                                                                                \
            }                                                                                                     \
            double v = VALUE(x, table, t);                                                                        \
            out[(count - 1) * HSP_QUAD + j % HSP_QUAD] = factor ? v * factor[j] : v;                              \
        }                                                                                                         \
        return count;                                                                                             \
    }
HSP_EACH_SPARSE_FORM(QUADS)

#define QUADS_ENTRY(form, ...) quads_##form,
static int64_t (*const quads_of_form[])(hsp_row, const double *, uint32_t *restrict,
                                        double *restrict) = {HSP_EACH_SPARSE_FORM(QUADS_ENTRY)};

/* Converts row i to quads; returns their number, at most that of its entries and of the quads of all columns. */
static int64_t into_quads(const hsp_design *D, int64_t i, uint32_t *quad, double *x) {
    hsp_row r = hsp_matrix_row(D->x, i);
    return r.count > 0 ? quads_of_form[hsp_sparse_form(r.ids, (int)r.coding)](r, D->factor, quad, x) : 0;
}

static int64_t quads_of(int64_t d) {
    return (d + HSP_QUAD - 1) / HSP_QUAD;
}

static int64_t quads_at_most(const hsp_design *D, int64_t i) {
    int64_t count = hsp_matrix_row(D->x, i).count, all = quads_of(D->d);
    return count < all ? count : all;
}

/* ---- slabs ---- */

/* A row with equal values: G_jk += c for each pair, four rows of G at a time. Such rows are short and rarely fill quads, so
 * vectors would hold mostly zeros. */
#define ONES(name, id_type)                                                              \
    static void name(const id_type *id, int64_t count, double c, double *G, int64_t d) { \
        int64_t a = 0;                                                                   \
        for (; a + 4 <= count; a += 4) {                                                 \
            double *p = G + (int64_t)id[a] * d, *q = G + (int64_t)id[a + 1] * d;         \
            double *r = G + (int64_t)id[a + 2] * d, *s = G + (int64_t)id[a + 3] * d;     \
            for (int64_t b = 0; b <= a; b++) {                                           \
                int64_t k = (int64_t)id[b];                                              \
                p[k] += c, q[k] += c, r[k] += c, s[k] += c;                              \
            }                                                                            \
            q[id[a + 1]] += c, r[id[a + 1]] += c, s[id[a + 1]] += c;                     \
            r[id[a + 2]] += c, s[id[a + 2]] += c, s[id[a + 3]] += c;                     \
        }                                                                                \
        for (; a < count; a++)                                                           \
            for (int64_t b = 0; b <= a; b++) G[(int64_t)id[a] * d + id[b]] += c;         \
    }
ONES(ones_narrow, uint16_t)
ONES(ones_wide, uint32_t)

void hsp_design_pairs(const hsp_design *D, const hsp_level *level, int64_t i, double c, uint32_t *quad, double *x,
                      double *G) {
    hsp_row r = hsp_matrix_row(D->x, i);
    if (r.coding == HSP_CODING_ONE && !D->factor) {
        double one = r.table[0];
        if (r.ids == HSP_IDS_16)
            ones_narrow(r.id, r.count, c * one * one, G, D->d);
        else
            ones_wide(r.id, r.count, c * one * one, G, D->d);
        return;
    }
    level->pairs(quad, x, 0, into_quads(D, i, quad, x), c, G, D->d);
}

static void pairs_of_slab(void *ctx, const hsp_slabs *slabs, int64_t slab, double *x, double *G) {
    const sparse *s = ctx;
    int64_t d = s->D->d;
    uint32_t quad[HSP_PAIRS_COLUMNS / HSP_QUAD];
    memset(G, 0, (size_t)(d * d) * sizeof *G);
    for (int64_t i = slabs->begin[slab]; i < slabs->begin[slab + 1]; i++) {
        double c = s->c ? s->c[i] : 1;
        if (c != 0) hsp_design_pairs(s->D, s->level, i, c, quad, x, G);
    }
}

/* ---- ranges ---- */

/* A batch passes through three stages, one per step, followed by the next batches: its rows are converted to quads; the quads
 * are sorted by column; they are multiplied, four rows of G at a time, which stay in the L1 cache for the whole batch. */

/* Assigns rows and their places to the batch; the tasks compute the quads. */
static void plan_batch(sparse *s, batch *b) {
    int64_t used = 0;
    b->count = 0;
    for (; s->next < s->D->n && b->count < STEP_ROWS; s->next++) {
        if (s->c && s->c[s->next] == 0) continue;
        int64_t more = quads_at_most(s->D, s->next);
        if (b->count > 0 && used + more > s->capacity) break;
        b->row[b->count] = s->next;
        b->begin[b->count++] = used;
        used += more;
    }
}

static void fill_chunk(const sparse *s, const batch *b, int64_t chunk) {
    for (int64_t k = b->count * chunk / CHUNKS, end = b->count * (chunk + 1) / CHUNKS; k < end; k++)
        b->quads[k] = into_quads(s->D, b->row[k], b->quad + b->begin[k], b->x + b->begin[k] * HSP_QUAD);
}

/* Counting sort: the places of each quad, in the order of the rows. start[q + 1] first counts, then moves to the end of q. */
static void sort_batch(const sparse *s, const batch *b) {
    int64_t all = quads_of(s->D->d), sum = 0;
    for (int64_t q = 0; q <= all; q++) b->start[q] = 0;
    for (int64_t k = 0; k < b->count; k++)
        for (int64_t t = b->begin[k]; t < b->begin[k] + b->quads[k]; t++) b->start[b->quad[t] + 1]++;
    for (int64_t q = 1; q <= all; q++) {
        int64_t count = b->start[q];
        b->start[q] = sum;
        sum += count;
    }
    for (int64_t k = 0; k < b->count; k++)
        for (int64_t t = 0; t < b->quads[k]; t++)
            b->place[b->start[b->quad[b->begin[k] + t] + 1]++] = (gram_place){(uint32_t)k, (uint32_t)t};
}

static void multiply_range(const sparse *s, const batch *b, int64_t range) {
    if (b->count == 0) return;
    for (int64_t t = b->start[s->from[range]], end = b->start[s->from[range + 1]]; t < end; t++) {
        int64_t k = b->place[t].row, begin = b->begin[k], p = b->place[t].position;
        double c = s->c ? s->c[b->row[k]] : 1;
        s->level->pairs(b->quad + begin, b->x + begin * HSP_QUAD, p, p + 1, c, s->G, s->D->d);
    }
}

/* The longest task first. */
static void run_stage(void *ctx, int64_t task) {
    const sparse *s = ctx;
    if (task == 0)
        sort_batch(s, &s->batches[(s->step + 2) % 3]);
    else if (task <= CHUNKS)
        fill_chunk(s, &s->batches[s->step % 3], task - 1);
    else
        multiply_range(s, &s->batches[(s->step + 1) % 3], task - 1 - CHUNKS);
}

/* Ranges of about equal work: an entry costs as many products as its row has entries before it. Estimated from about 4096 rows;
 * the cut affects the time, not the result. */
static void cut_ranges(sparse *s, double *work) {
    const hsp_matrix *x = s->D->x;
    int64_t quads = quads_of(x->d), q = 0;
    double all = 0, seen = 0;
    for (int64_t k = 0; k < quads; k++) work[k] = 0;
    for (int64_t i = 0; i < x->n; i += 1 + x->n / 4096) {
        if (s->c && s->c[i] == 0) continue;
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) work[hsp_row_id(r, t) / HSP_QUAD] += (double)(t + 1);
    }
    for (int64_t k = 0; k < quads; k++) all += work[k];
    for (int64_t r = 1; r < RANGES; r++) {
        while (q < quads && seen < all * (double)r / RANGES) seen += work[q++];
        s->from[r] = q;
    }
    s->from[RANGES] = quads;
}

static int new_batch(int64_t capacity, int64_t quads, batch *b) {
    b->row = hsp_alloc(3 * STEP_ROWS + quads + 1, sizeof *b->row);
    b->quad = hsp_alloc(capacity, sizeof *b->quad);
    b->x = hsp_alloc(capacity * HSP_QUAD, sizeof *b->x);
    b->place = hsp_alloc(capacity, sizeof *b->place);
    if (!b->row || !b->quad || !b->x || !b->place) return HSP_EMEMORY;
    b->begin = b->row + STEP_ROWS;
    b->quads = b->begin + STEP_ROWS;
    b->start = b->quads + STEP_ROWS;
    return HSP_OK;
}

static int pairs_by_ranges(sparse *s) {
    int64_t d = s->D->d, longest = 0;
    for (int64_t i = 0; i < s->D->n; i++) longest = quads_at_most(s->D, i) > longest ? quads_at_most(s->D, i) : longest;
    s->capacity = longest > STEP_QUADS ? longest : STEP_QUADS;
    double *work = hsp_alloc(quads_of(d), sizeof *work);
    int status = work ? HSP_OK : HSP_EMEMORY;
    for (int k = 0; !status && k < 3; k++) status = new_batch(s->capacity, quads_of(d), &s->batches[k]);
    if (!status) {
        cut_ranges(s, work);
        memset(s->G, 0, (size_t)(d * d) * sizeof *s->G);
        bool more = true;
        for (int64_t left = 2; left > 0; left -= !more, s->step++) {
            plan_batch(s, &s->batches[s->step % 3]);
            more = s->batches[s->step % 3].count > 0;
            hsp_pool_run(1 + CHUNKS + RANGES, s->D->threads, run_stage, s);
        }
    }
    for (int k = 0; k < 3; k++) {
        HSP_FREE(s->batches[k].row, s->batches[k].quad, s->batches[k].x, s->batches[k].place);
    }
    hsp_free(work);
    return status;
}

/* ---- centring ---- */

enum { STRIP = 32 };

static void correct_strip(void *ctx, int64_t strip) {
    const sparse *s = ctx;
    int64_t d = s->D->d, bottom = (strip + 1) * STRIP < d ? (strip + 1) * STRIP : d;
    for (int64_t j = strip * STRIP; j < bottom; j++)
        for (int64_t g = 0; g < s->groups; g++) {
            const double *sum = s->sums + g * d, *q = s->q + g * d;
            double sj = sum[j], qj = q[j], mass = s->mass[g], *row = s->G + j * d;
            for (int64_t k = 0; k <= j; k++) row[k] -= sj * q[k] + qj * (sum[k] - mass * q[k]);
        }
}

static int centre(sparse *s, const double *centres, const int32_t *group) {
    const hsp_design *D = s->D;
    int64_t d = D->d, groups = s->groups;
    double *mass = hsp_alloc(groups + 2 * groups * d, sizeof *mass), *sums = mass ? mass + groups : NULL;
    if (!mass) return HSP_EMEMORY;
    double *q = sums + groups * d;
    int status = hsp_design_group_sums_stored(D, s->c, group, groups, mass, sums);
    if (!status) {
        for (int64_t g = 0; g < groups; g++)
            for (int64_t j = 0; j < d; j++) q[g * d + j] = (D->p ? D->p[j] : 0) + (centres ? centres[g * d + j] : 0);
        s->mass = mass, s->sums = sums, s->q = q;
        hsp_pool_run((d + STRIP - 1) / STRIP, D->threads, correct_strip, s);
    }
    hsp_free(mass);
    return status;
}

int hsp_design_gram_sparse(const hsp_design *D, const double *c, const double *centres, const int32_t *group,
                           int64_t groups, double *G) {
    sparse s = {.D = D, .c = c, .level = hsp_level_now(), .G = G, .groups = centres && group ? groups : 1};
    hsp_slabs slabs = hsp_design_cut(D->n, c, D->d <= HSP_PAIRS_COLUMNS ? hsp_design_copies(D->d) : 1);
    int status = slabs.count > 1 ? hsp_design_sum_slabs(&slabs, D->threads, D->d, D->d + HSP_QUAD, pairs_of_slab, &s, G)
                                 : pairs_by_ranges(&s);
    if (!status && (D->p || centres)) status = centre(&s, centres, s.groups > 1 ? group : NULL);
    if (!status) hsp_design_mirror(D->d, G, D->threads);
    return status;
}
