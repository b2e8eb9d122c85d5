/* Where the sums of several slabs would be large against the data, there is only one slab. Then threads compute the scores
 * block by block, and each of the (up to three) sums is one task: the same sums in the same order. */
#include "design/sweep.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/gram_slab.h"
#include "design/pieces.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <string.h>

enum { NUMBERS_IN_BLOCK = 1 << 14, FEWEST_ROWS = 32, SUMS = 3 };

/* How Gram matrices are computed: in the pass, from dense rows or from pairs of entries, or after it. */
typedef enum way { WAY_NONE, WAY_DENSE, WAY_PAIRS, WAY_AFTER } way;

struct hsp_sweep {
    const hsp_design *D;
    int64_t rows, blocks; /* rows per block; number of blocks */
    int64_t slabs;
    way way;
    int64_t tile;  /* numbers of the transformed or decoded rows of a block; 0: rows are used as stored */
    bool moved;    /* dense rows of floats or doubles: passes transform them on the way */
    hsp_moved_rows rows_as_stored;
    double *sums;  /* owned: (slabs - 1) x SUMS x d */
    double *grams; /* owned: (slabs - 1) x d x d */
    hsp_slots slots;
};

typedef struct task {
    hsp_sweep *s;
    hsp_pass *q;
    hsp_feed feed;
    const double *weight[SUMS]; /* s, r and h of the pass ... */
    double *sum[SUMS];          /* ... and the sums of the rows by them */
    double constant;            /* of the scores */
    /* products */
    const double *h, *v;
    double *t, *out;
    /* squares */
    const double *from;
    double *first;
} task;

/* ---- making ---- */

int64_t hsp_sweep_blocks(const hsp_sweep *s) {
    return s->blocks;
}

int64_t hsp_sweep_begin(const hsp_sweep *s, int64_t block) {
    return block * s->rows < s->D->n ? block * s->rows : s->D->n;
}

/* The block of each group of `every` is chosen by SplitMix64's mix of the group's number. */
bool hsp_sweep_drawn(int64_t block, int64_t every) {
    if (every <= 1) return true;
    uint64_t z = (uint64_t)(block / every) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)every) == block % every;
}

static int64_t slab_begin(const hsp_sweep *s, int64_t slab) {
    return s->blocks * slab / s->slabs;
}

static void cut_blocks(hsp_sweep *s) {
    const hsp_matrix *x = s->D->x;
    int64_t each = x->n > 0 ? x->stored / x->n : 0, rows = NUMBERS_IN_BLOCK / (each > 0 ? each : 1);
    s->rows = rows < FEWEST_ROWS ? FEWEST_ROWS : rows > HSP_SWEEP_ROWS ? HSP_SWEEP_ROWS : rows;
    s->blocks = (x->n + s->rows - 1) / s->rows;
    /* Dense rows are read several times, so they are decoded once. */
    bool coded = x->dense && x->n > 0 && hsp_matrix_row(x, 0).coding != HSP_CODING_F64;
    if (!s->D->factor && !coded) return;
    s->moved = hsp_feed_moved(s->D, &s->rows_as_stored);
    for (int64_t b = 0; b < s->blocks; b++) {
        int64_t from = hsp_sweep_begin(s, b), to = hsp_sweep_begin(s, b + 1);
        int64_t stored = x->dense ? (to - from) * x->d : x->row[to] - x->row[from];
        if (stored > s->tile) s->tile = stored;
    }
}

static way way_of(const hsp_design *D, bool gram) {
    if (!gram) return WAY_NONE;
    if (D->x->dense) return hsp_design_copies(D->d) > 1 ? WAY_DENSE : WAY_AFTER;
    return D->d <= HSP_PAIRS_COLUMNS && !hsp_design_nearly_dense(D->x, NULL) ? WAY_PAIRS : WAY_AFTER;
}

bool hsp_sweep_has_gram(const hsp_design *D) {
    return way_of(D, true) == WAY_DENSE;
}

/* Scratch of a task: the tile, then that of the Gram matrix. */
static int64_t scratch_of(const hsp_sweep *s) {
    hsp_feed feed = hsp_feed_new(s->D, 0, s->D->d, NULL, NULL);
    int64_t gram = s->way == WAY_DENSE ? hsp_gram_slab_memory(&feed, true) : s->way == WAY_PAIRS ? s->D->d + HSP_QUAD : 0;
    return (s->tile + HSP_LINE) / HSP_LINE * HSP_LINE + gram;
}

int hsp_sweep_new(const hsp_design *D, bool gram, hsp_sweep **out, hsp_error **err) {
    *out = NULL;
    hsp_sweep *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    s->D = D;
    s->way = way_of(D, gram);
    cut_blocks(s);
    bool with = s->way == WAY_DENSE || s->way == WAY_PAIRS;
    s->slabs = with ? hsp_design_cut(D->n, NULL, hsp_design_copies(D->d)).count : D->slabs;
    if (s->slabs > s->blocks) s->slabs = s->blocks > 0 ? s->blocks : 1;
    int status = hsp_slots_new(s->slabs > 1 ? s->slabs : s->blocks, D->threads, scratch_of(s), &s->slots);
    s->sums = hsp_alloc((s->slabs - 1) * SUMS * D->d, sizeof *s->sums);
    s->grams = hsp_alloc(with ? (s->slabs - 1) * D->d * D->d : 0, sizeof *s->grams);
    if (status || !s->sums || !s->grams) {
        hsp_sweep_free(s);
        return hsp_fail_memory(err);
    }
    *out = s;
    return HSP_OK;
}

void hsp_sweep_free(hsp_sweep *s) {
    if (!s) return;
    hsp_slots_free(&s->slots);
    HSP_FREE(s->sums, s->grams, s);
}

/* ---- the pass ---- */

/* Sum k of a slab; slab 0 adds to the caller's array. */
static double *sum_of(const task *t, int64_t slab, int k) {
    return slab == 0 ? t->sum[k] : t->s->sums + ((slab - 1) * SUMS + k) * t->s->D->d;
}

/* Row i of the block that begins with row `from`, as stored or in the filled tile. Computed each time: an array of rows would
 * be slower to read. */
static inline hsp_row row_of(const hsp_sweep *s, int64_t from, int64_t i, double *tile) {
    const hsp_matrix *x = s->D->x;
    hsp_row r = hsp_matrix_row(x, i);
    return s->tile == 0 ? r : hsp_row_with(r, tile + (x->dense ? (i - from) * x->d : x->row[i] - x->row[from]));
}

static void fill_tile(const hsp_sweep *s, int64_t from, int64_t to, double *tile) {
    for (int64_t i = from; s->tile > 0 && i < to; i++) {
        hsp_row r = hsp_matrix_row(s->D->x, i);
        double *out = (double *)(uintptr_t)row_of(s, from, i, tile).value;
        if (s->D->factor)
            hsp_design_transform(s->D, r, out);
        else
            hsp_row_decode(r, 0, r.count, NULL, out);
    }
}

/* Row i as it is stored. */
static const void *stored_at(const hsp_sweep *s, int64_t i) {
    return hsp_matrix_row(s->D->x, i).value;
}

/* tile NULL: rows that are transformed on the way, here and in add_rows. */
static void score_rows(const task *t, int64_t from, int64_t to, double *tile) {
    const hsp_pass *q = t->q;
    if (q->scored) return;
    if (q->w && !tile) {
        hsp_level_now()->moved.scores(&t->s->rows_as_stored, stored_at(t->s, from), to - from, q->w, q->scores + from);
        for (int64_t i = from; i < to; i++) q->scores[i] += t->constant;
    } else if (q->w)
        for (int64_t i = from; i < to; i++) q->scores[i] = hsp_row_dot(row_of(t->s, from, i, tile), q->w) + t->constant;
    else
        for (int64_t i = from; i < to; i++) q->scores[i] = t->constant;
}

/* Dense rows of a block as transformed doubles, plain_step apart; NULL: not available. */
static const double *plain_rows(const hsp_sweep *s, int64_t from, const double *tile) {
    const hsp_matrix *x = s->D->x;
    if (!x->dense) return NULL;
    if (s->tile > 0) return tile;
    hsp_row r = hsp_matrix_row(x, from);
    return r.coding == HSP_CODING_F64 ? r.value : NULL;
}

/* Rows in the tile are contiguous; stored ones may not be, when a file has more columns than features. */
static int64_t plain_step(const hsp_sweep *s) {
    return s->tile > 0 ? s->D->d : hsp_matrix_stride(s->D->x);
}

static inline void add_row(const double *weight, int64_t i, hsp_row x, double *sum) {
    if (weight && weight[i] != 0) hsp_row_axpy(weight[i], x, sum);
}

/* Rows that are not plain; weights may be NULL. Without a loop over the sums, whose end is hard to predict. */
static void add_stored_rows(const hsp_sweep *s, const double *const *weight, double *const *sum, int64_t from, int64_t to,
                            double *tile) {
    _Static_assert(SUMS == 3, "each sum has its line below");
    for (int64_t i = from; i < to; i++) {
        hsp_row x = row_of(s, from, i, tile);
        add_row(weight[0], i - from, x, sum[0]);
        add_row(weight[1], i - from, x, sum[1]);
        add_row(weight[2], i - from, x, sum[2]);
    }
}

/* Adds the rows of a block to the sums `first` to `last` - 1 of a slab. */
static void add_rows(const task *t, int64_t slab, int first, int last, int64_t from, int64_t to, double *tile) {
    const hsp_sweep *s = t->s;
    const double *plain = tile ? plain_rows(s, from, tile) : NULL, *weight[SUMS] = {NULL};
    double *sum[SUMS] = {NULL};
    int count = 0;
    for (int k = first; k < last; k++)
        if (t->weight[k]) weight[count] = t->weight[k] + from, sum[count++] = sum_of(t, slab, k);
    if (!tile)
        for (int k = 0; k < count; k++)
            hsp_level_now()->moved.pulls(&s->rows_as_stored, stored_at(s, from), to - from, weight[k], sum[k]);
    else if (plain)
        hsp_level_now()->pulls(to - from, s->D->d, plain, plain_step(s), count, weight, sum);
    else
        add_stored_rows(s, weight, sum, from, to, tile);
}

static void pass_slab(void *ctx, int64_t slab) {
    task *t = ctx;
    hsp_sweep *s = t->s;
    const hsp_pass *q = t->q;
    int64_t d = s->D->d;
    double *tile = hsp_slots_take(&s->slots), *more = tile + (s->tile + HSP_LINE) / HSP_LINE * HSP_LINE;
    double *G = slab == 0 ? q->G : s->grams + (slab - 1) * d * d;
    uint32_t quad[HSP_PAIRS_COLUMNS / HSP_QUAD];
    hsp_gram_slab gram;
    bool dense = q->G && s->way == WAY_DENSE, pairs = q->G && s->way == WAY_PAIRS, moved = s->moved;
    for (int k = 0; k < SUMS; k++)
        if (t->weight[k]) memset(sum_of(t, slab, k), 0, (size_t)d * sizeof(double));
    if (dense) hsp_gram_slab_begin(&gram, &t->feed, q->h != NULL, more, G);
    if (pairs) memset(G, 0, (size_t)(d * d) * sizeof *G);
    for (int64_t b = slab_begin(s, slab); b < slab_begin(s, slab + 1); b++) {
        if (!hsp_sweep_drawn(b, q->every)) continue;
        int64_t from = hsp_sweep_begin(s, b), to = hsp_sweep_begin(s, b + 1);
        if (!moved) fill_tile(s, from, to, tile);
        score_rows(t, from, to, moved ? NULL : tile);
        if (q->weigh) q->weigh(q->ctx, b, from, to);
        add_rows(t, slab, 0, SUMS, from, to, moved ? NULL : tile);
        if (dense) hsp_gram_slab_add_rows(&gram, from, to, q->h, moved ? NULL : plain_rows(s, from, tile), plain_step(s));
        for (int64_t i = from; pairs && i < to; i++)
            if (q->h[i] != 0) hsp_design_pairs(s->D, t->feed.level, i, q->h[i], quad, more, G);
    }
    if (dense) hsp_gram_slab_end(&gram);
    hsp_slots_give(&s->slots, tile);
}

/* One slab on several threads: first the scores by blocks, ... */
static void pass_block(void *ctx, int64_t b) {
    task *t = ctx;
    hsp_sweep *s = t->s;
    if (!hsp_sweep_drawn(b, t->q->every)) return;
    int64_t from = hsp_sweep_begin(s, b), to = hsp_sweep_begin(s, b + 1);
    double *tile = hsp_slots_take(&s->slots);
    if (t->q->w && !t->q->scored && !s->moved) fill_tile(s, from, to, tile);
    score_rows(t, from, to, s->moved ? NULL : tile);
    hsp_slots_give(&s->slots, tile);
    if (t->q->weigh) t->q->weigh(t->q->ctx, b, from, to);
}

/* ... then one task for each sum. */
static void pass_sum(void *ctx, int64_t which) {
    const task *t = ctx;
    hsp_sweep *s = t->s;
    if (!t->weight[which]) return;
    memset(t->sum[which], 0, (size_t)s->D->d * sizeof(double));
    double *tile = hsp_slots_take(&s->slots);
    for (int64_t b = 0; b < s->blocks; b++) {
        if (!hsp_sweep_drawn(b, t->q->every)) continue;
        int64_t from = hsp_sweep_begin(s, b), to = hsp_sweep_begin(s, b + 1);
        if (!s->moved) fill_tile(s, from, to, tile);
        add_rows(t, 0, (int)which, (int)which + 1, from, to, s->moved ? NULL : tile);
    }
    hsp_slots_give(&s->slots, tile);
}

/* ---- joining ---- */

/* The sum of the weights of all rows, or of those in the sample. */
static double total(const hsp_sweep *s, const hsp_pass *q, const double *weight) {
    double sum = 0;
    if (q->every <= 1) return hsp_sum_f64(weight, s->D->n);
    for (int64_t b = 0; b < s->blocks; b++)
        if (hsp_sweep_drawn(b, q->every))
            sum += hsp_sum_f64(weight + hsp_sweep_begin(s, b), hsp_sweep_begin(s, b + 1) - hsp_sweep_begin(s, b));
    return sum;
}

static void join_gram(const task *t) {
    const hsp_sweep *s = t->s;
    const hsp_pass *q = t->q;
    hsp_design_join(s->D->d, q->G, s->grams, s->slabs - 1, s->D->threads);
    if (!q->h) {
        hsp_design_mirror(s->D->d, q->G, s->D->threads);
        return;
    }
    /* The sums so far are G' = sum h v v' with v = x - near (dense) or v = z (sparse). With e = sum h v / mass,
     *     centred at the mean:            G' - mass e e'
     *     at 0, sparse (dense: near = 0): G' - (sum h z) p' - p (sum h x)'. */
    const hsp_design *D = s->D;
    int64_t d = D->d;
    const double *p = D->p;
    for (int64_t j = 0; j < d; j++) {
        double *row = q->G + j * d, pj = p ? p[j] : 0, nj = s->way == WAY_DENSE && q->near ? q->near[j] : 0;
        double sj = q->sums[j] + q->mass * (pj - nj), ej = sj / q->mass; /* sum h v, and e */
        if (q->centred && q->mass > 0)
            for (int64_t k = 0; k <= j; k++) {
                double nk = s->way == WAY_DENSE && q->near ? q->near[k] : 0;
                row[k] -= ej * (q->sums[k] + q->mass * ((p ? p[k] : 0) - nk));
            }
        else if (p)
            for (int64_t k = 0; k <= j; k++) row[k] -= sj * p[k] + pj * q->sums[k];
    }
    hsp_design_mirror(s->D->d, q->G, s->D->threads);
}

/* After the pass, by the way that suits the data. */
static int gram_after(const hsp_sweep *s, hsp_pass *q) {
    int64_t d = s->D->d;
    if (!q->centred || !(q->mass > 0)) return hsp_design_gram(s->D, q->h, NULL, NULL, 1, q->G, NULL);
    hsp_scale_f64(1 / q->mass, q->sums, d);
    int status = hsp_design_gram(s->D, q->h, q->sums, NULL, 1, q->G, NULL);
    hsp_scale_f64(q->mass, q->sums, d);
    return status;
}

int hsp_sweep_run(hsp_sweep *s, hsp_pass *q, hsp_error **err) {
    const hsp_design *D = s->D;
    if (!q->centred) q->near = NULL;
    task t = {.s = s,
              .q = q,
              .feed = hsp_feed_new(D, 0, D->d, q->near, NULL),
              .weight = {q->s, q->r, q->h},
              .sum = {q->pull_s, q->pull_r, q->sums},
              .constant = q->b};
    if (D->p && q->w) t.constant -= hsp_dot_f64(D->p, q->w, D->d);
    if (s->slabs == 1 && D->threads > 1 && s->blocks > 1 && s->way != WAY_DENSE && s->way != WAY_PAIRS) {
        hsp_pool_run(s->blocks, D->threads, pass_block, &t);
        hsp_pool_run(SUMS, D->threads, pass_sum, &t);
    } else {
        hsp_pool_run(s->slabs, D->threads, pass_slab, &t);
    }
    q->mass = q->h ? total(s, q, q->h) : 0;
    for (int k = 0; k < SUMS; k++) {
        if (!t.weight[k]) continue;
        for (int64_t slab = 1; slab < s->slabs; slab++) hsp_axpy_f64(1, sum_of(&t, slab, k), t.sum[k], D->d);
        /* Sparse rows are z - p: the sums so far are of z. */
        if (D->p) hsp_axpy_f64(t.weight[k] == q->h ? -q->mass : -total(s, q, t.weight[k]), D->p, t.sum[k], D->d);
    }
    if (!q->G) return HSP_OK;
    if (s->way != WAY_AFTER) join_gram(&t);
    return s->way == WAY_AFTER && gram_after(s, q) ? hsp_fail_memory(err) : HSP_OK;
}

/* ---- products ---- */

/* t_i of rows `from` to `to` - 1 of floats or doubles, and their sum out; NULL: only t. A few rows at a time, which stay in the
 * L1 cache for both; groups of rows without weight are not read. */
static void product_of_moved(const task *t, int64_t from, int64_t to, double *out) {
    enum { GROUP = 8 };
    const hsp_sweep *s = t->s;
    const hsp_level *level = hsp_level_now();
    for (int64_t i = from; i < to; i += GROUP) {
        int64_t count = to - i < GROUP ? to - i : GROUP;
        bool any = false;
        for (int64_t k = i; k < i + count; k++) any |= t->h[k] != 0;
        if (!any) {
            memset(t->t + i, 0, (size_t)count * sizeof *t->t);
            continue;
        }
        level->moved.scores(&s->rows_as_stored, stored_at(s, i), count, t->v, t->t + i);
        for (int64_t k = i; k < i + count; k++) t->t[k] = t->h[k] == 0 ? 0 : t->h[k] * (t->t[k] + t->constant);
        if (out) level->moved.pulls(&s->rows_as_stored, stored_at(s, i), count, t->t + i, out);
    }
}

static void product_slab(void *ctx, int64_t slab) {
    const task *t = ctx;
    hsp_sweep *s = t->s;
    const hsp_design *D = s->D;
    int64_t from = hsp_sweep_begin(s, slab_begin(s, slab)), to = hsp_sweep_begin(s, slab_begin(s, slab + 1));
    double *tile = hsp_slots_take(&s->slots), *out = slab == 0 ? t->out : s->sums + (slab - 1) * SUMS * D->d;
    memset(out, 0, (size_t)D->d * sizeof *out);
    if (s->moved) product_of_moved(t, from, to, out);
    for (int64_t i = from; i < to && !s->moved; i++) {
        t->t[i] = 0;
        if (t->h[i] == 0) continue;
        hsp_row x = hsp_design_row(D, i, tile);
        t->t[i] = t->h[i] * (hsp_row_dot(x, t->v) + t->constant);
        hsp_row_axpy(t->t[i], x, out);
    }
    hsp_slots_give(&s->slots, tile);
}

static void product_block(void *ctx, int64_t b) {
    const task *t = ctx;
    hsp_sweep *s = t->s;
    if (s->moved) {
        product_of_moved(t, hsp_sweep_begin(s, b), hsp_sweep_begin(s, b + 1), NULL);
        return;
    }
    double *tile = hsp_slots_take(&s->slots);
    for (int64_t i = hsp_sweep_begin(s, b); i < hsp_sweep_begin(s, b + 1); i++)
        t->t[i] = t->h[i] == 0 ? 0 : t->h[i] * (hsp_row_dot(hsp_design_row(s->D, i, tile), t->v) + t->constant);
    hsp_slots_give(&s->slots, tile);
}

static void product_rest(const task *t) {
    const hsp_design *D = t->s->D;
    memset(t->out, 0, (size_t)D->d * sizeof *t->out);
    for (int64_t i = 0; i < D->n; i++)
        if (t->t[i] != 0) hsp_row_axpy(t->t[i], hsp_design_row(D, i, NULL), t->out);
}

double hsp_sweep_product(hsp_sweep *s, const double *h, const double *v, double offset, double *t, double *out) {
    const hsp_design *D = s->D;
    task k = {.s = s, .h = h, .v = v, .t = t, .out = out, .constant = offset};
    if (D->p) k.constant -= hsp_dot_f64(D->p, v, D->d);
    if (s->slabs == 1 && D->threads > 1) {
        hsp_pool_run(s->blocks, D->threads, product_block, &k);
        product_rest(&k);
    } else {
        hsp_pool_run(s->slabs, D->threads, product_slab, &k);
    }
    for (int64_t j = 1; j < s->slabs; j++) hsp_axpy_f64(1, s->sums + (j - 1) * SUMS * D->d, out, D->d);
    double sum = hsp_sum_f64(t, D->n);
    if (D->p) hsp_axpy_f64(-sum, D->p, out, D->d);
    return sum;
}

/* ---- squares ---- */

enum { CHUNK = 256 };

static void add_squares(int64_t count, double h, const double *restrict value, double *restrict first,
                        double *restrict out) {
    for (int64_t e = 0; e < count; e++) {
        double hx = h * value[e];
        first[e] += hx;
        out[e] += hx * value[e];
    }
}

static void square_row(hsp_row x, double h, const double *from, double *first, double *out) {
    uint32_t id[CHUNK];
    double value[CHUNK];
    for (int64_t at = 0, count; (count = hsp_row_decode(x, at, CHUNK, x.id ? id : NULL, value)) > 0; at += count)
        if (x.id)
            for (int64_t e = 0; e < count; e++) {
                double hx = h * value[e];
                first[id[e]] += hx;
                out[id[e]] += hx * value[e];
            }
        else {
            for (int64_t e = 0; from && e < count; e++) value[e] -= from[at + e];
            add_squares(count, h, value, first + at, out + at);
        }
}

static void squares_slab(void *ctx, int64_t slab) {
    const task *t = ctx;
    hsp_sweep *s = t->s;
    int64_t d = s->D->d, to = hsp_sweep_begin(s, slab_begin(s, slab + 1));
    double *tile = hsp_slots_take(&s->slots), *sums = s->sums + (slab - 1) * SUMS * d;
    double *first = slab == 0 ? t->first : sums, *out = slab == 0 ? t->out : sums + d;
    for (int64_t j = 0; j < d; j++) first[j] = out[j] = 0;
    for (int64_t i = hsp_sweep_begin(s, slab_begin(s, slab)); i < to; i++)
        if (t->h[i] != 0) square_row(hsp_design_row(s->D, i, tile), t->h[i], t->from, first, out);
    hsp_slots_give(&s->slots, tile);
}

void hsp_sweep_squares(hsp_sweep *s, const double *h, const double *from, double *first, double *out) {
    int64_t d = s->D->d;
    task k = {.s = s, .h = h, .from = from, .first = first, .out = out};
    hsp_pool_run(s->slabs, s->D->threads, squares_slab, &k);
    for (int64_t j = 1; j < s->slabs; j++) {
        hsp_axpy_f64(1, s->sums + (j - 1) * SUMS * d, first, d);
        hsp_axpy_f64(1, s->sums + (j - 1) * SUMS * d + d, out, d);
    }
}
