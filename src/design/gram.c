/* The weighted Gram matrix: which way, and the way of dense rows. Few columns: slabs of rows, each with a matrix of its own
 * that stays in cache. Many: tiles of the one matrix. */
#include "design/gram.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/gram_slab.h"
#include "design/gram_sparse.h"
#include "design/pieces.h"
#include "kernel/level.h"

typedef struct gram {
    const hsp_design *D;
    const double *c;
    hsp_feed feed;
    double *G;
    /* slabs */
    hsp_slabs slabs;
    hsp_slots slots;
    double *copies; /* of slabs 1 and up */
    /* tiles */
    int64_t row; /* the next */
    int64_t rows[HSP_TILING_BLOCKS][HSP_BLOCK_DEPTH];
    int64_t depth[HSP_TILING_BLOCKS];
    double *scratch; /* for each block and piece */
} gram;

/* Fills a block with active rows from *row on, below `end`; how many. */
static int64_t take_rows(const double *c, int64_t *row, int64_t end, int64_t *rows) {
    int64_t depth = 0;
    for (; *row < end && depth < HSP_BLOCK_DEPTH; ++*row)
        if (!c || c[*row] != 0) rows[depth++] = *row;
    return depth;
}

/* ---- slabs ---- */

static void gram_of_slab(void *ctx, int64_t slab) {
    gram *g = ctx;
    int64_t d = g->D->d;
    double *memory = hsp_slots_take(&g->slots);
    hsp_gram_slab s;
    hsp_gram_slab_begin(&s, &g->feed, g->c != NULL, memory, slab == 0 ? g->G : g->copies + (slab - 1) * d * d);
    for (int64_t i = g->slabs.begin[slab]; i < g->slabs.begin[slab + 1]; i++)
        if (!g->c || g->c[i] != 0) hsp_gram_slab_add(&s, i, g->c ? g->c[i] : 1);
    hsp_gram_slab_end(&s);
    hsp_slots_give(&g->slots, memory);
}

static int gram_by_slabs(gram *g) {
    const hsp_design *D = g->D;
    int64_t d = D->d;
    int status = hsp_slots_new(g->slabs.count, D->threads, hsp_gram_slab_memory(&g->feed, g->c != NULL), &g->slots);
    if (!status && !(g->copies = hsp_alloc((g->slabs.count - 1) * d * d, sizeof *g->copies))) status = HSP_EMEMORY;
    if (!status) {
        hsp_pool_run(g->slabs.count, D->threads, gram_of_slab, g);
        hsp_design_join(d, g->G, g->copies, g->slabs.count - 1, D->threads);
        hsp_design_mirror(d, g->G, D->threads);
    }
    hsp_free(g->copies);
    hsp_slots_free(&g->slots);
    return status;
}

/* ---- tiles ---- */

enum { PIECES = 8 };

static int64_t next_block(void *ctx, int64_t block) {
    gram *g = ctx;
    return g->depth[block] = take_rows(g->c, &g->row, g->D->n, g->rows[block]);
}

static void pack_piece(void *ctx, int64_t block, int64_t piece, int64_t step, double *a, double *b) {
    const gram *g = ctx;
    int64_t width = g->feed.level->width, depth = g->depth[block];
    double *scratch = g->scratch ? g->scratch + (block * PIECES + piece) * g->D->d : NULL;
    for (int64_t k = depth * piece / PIECES, end = depth * (piece + 1) / PIECES; k < end; k++) {
        int64_t i = g->rows[block][k];
        hsp_feed_row(&g->feed, i, step, b + k * width, g->c ? g->c[i] : 1, g->c ? a + k * width : NULL, scratch);
    }
}

static int gram_by_tiles(gram *g) {
    const hsp_design *D = g->D;
    hsp_tiling t = {.size = D->d, .G = g->G, .threads = D->threads, .weighted = g->c != NULL, .pieces = PIECES};
    t.ctx = g, t.next = next_block, t.pack = pack_piece;
    int64_t needed = hsp_feed_scratch(&g->feed);
    if (needed > 0) {
        g->scratch = hsp_alloc(HSP_TILING_BLOCKS * PIECES * needed, sizeof *g->scratch);
        if (!g->scratch) return HSP_EMEMORY;
        for (int64_t k = 0; k < HSP_TILING_BLOCKS * PIECES; k++) hsp_feed_prepare(&g->feed, g->scratch + k * needed);
    }
    int status = hsp_design_tiles(&t);
    hsp_free(g->scratch);
    return status;
}

/* Whether sparse rows are so full that spreading them out is faster: a product of a stored value and a quad (level.h) costs
 * about 32 times what a product in a tile does, measured. Spread out, they are centred before they are multiplied, too.
 * Some four thousand rows say enough. */
bool hsp_design_spread_out(const hsp_matrix *x, const double *c) {
    double products = 0, seen = 0;
    for (int64_t i = 0; i < x->n; i += 1 + x->n / 4096) {
        if (c && c[i] == 0) continue;
        hsp_row r = hsp_matrix_row(x, i);
        int64_t quads = r.count > 0;
        for (int64_t t = 1; t < r.count; t++) quads += hsp_row_id(r, t) / HSP_QUAD != hsp_row_id(r, t - 1) / HSP_QUAD;
        products += (double)r.count * (double)quads;
        seen++;
    }
    return 32 * products > seen * (double)x->d * (double)x->d;
}

int hsp_design_gram(const hsp_design *D, const double *c, const double *centres, const int32_t *group, int64_t groups,
                    double *G, hsp_error **err) {
    int status;
    if (!D->x->dense && !hsp_design_spread_out(D->x, c)) {
        status = hsp_design_gram_sparse(D, c, centres, group, groups, G);
    } else {
        gram g = {.D = D, .c = c, .feed = hsp_feed_new(D, 0, D->d, centres, group), .G = G};
        g.slabs = hsp_design_cut(D->n, c, hsp_design_copies(D->d));
        status = g.slabs.count > 1 ? gram_by_slabs(&g) : gram_by_tiles(&g);
    }
    return status ? hsp_fail_memory(err) : HSP_OK;
}
