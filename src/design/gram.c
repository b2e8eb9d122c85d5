/* The weighted Gram matrix: the choice of the method, and the methods for dense rows. Few columns: slabs of rows, each with its
 * own matrix, which stays in the cache. Many columns: tiles of one matrix. */
#include "design/gram.h"

#include "base/error.h"
#include "base/memory.h"
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
    /* tiles only */
    int64_t row; /* the next */
    int64_t rows[HSP_TILING_BLOCKS][HSP_BLOCK_DEPTH];
    int64_t depth[HSP_TILING_BLOCKS];
    double *scratch; /* owned: of the feed, shared by all threads */
} gram;

/* ---- slabs ---- */

static void gram_of_slab(void *ctx, const hsp_slabs *slabs, int64_t slab, double *scratch, double *G) {
    const gram *g = ctx;
    hsp_gram_slab s;
    int64_t room = hsp_feed_room(&g->feed), end = slabs->begin[slab + 1];
    double tile[HSP_FEED_TILE];
    hsp_gram_slab_begin(&s, &g->feed, g->c != NULL, scratch, G);
    if (s.moved) {
        hsp_gram_slab_add_rows(&s, slabs->begin[slab], end, g->c, NULL, 0);
        hsp_gram_slab_end(&s);
        return;
    }
    for (int64_t i = slabs->begin[slab], rows; room > 0 && i < end; i += rows) {
        rows = end - i < room ? end - i : room;
        hsp_feed_decode(&g->feed, i, rows, tile, g->D->d);
        hsp_gram_slab_add_rows(&s, i, i + rows, g->c, tile, g->D->d);
    }
    for (int64_t i = slabs->begin[slab]; room == 0 && i < end; i++)
        if (!g->c || g->c[i] != 0) hsp_gram_slab_add(&s, i, g->c ? g->c[i] : 1);
    hsp_gram_slab_end(&s);
}

static int gram_by_slabs(gram *g, const hsp_slabs *slabs) {
    const hsp_design *D = g->D;
    int64_t scratch = hsp_gram_slab_memory(&g->feed, g->c != NULL);
    int status = hsp_design_sum_slabs(slabs, D->threads, D->d, scratch, gram_of_slab, g, g->G);
    if (!status) hsp_design_mirror(D->d, g->G, D->threads);
    return status;
}

/* ---- tiles ---- */

enum { PIECES = 8 };

/* The next active rows. */
static int64_t next_block(void *ctx, int64_t block) {
    gram *g = ctx;
    int64_t depth = 0;
    for (; g->row < g->D->n && depth < HSP_BLOCK_DEPTH; g->row++)
        if (!g->c || g->c[g->row] != 0) g->rows[block][depth++] = g->row;
    return g->depth[block] = depth;
}

static void pack_piece(void *ctx, int64_t block, int64_t piece, int64_t step, void *panels_a, void *panels_b) {
    const gram *g = ctx;
    double *a = panels_a, *b = panels_b;
    int64_t width = g->feed.level->width, depth = g->depth[block];
    const int64_t *rows = g->rows[block];
    for (int64_t k = depth * piece / PIECES, end = depth * (piece + 1) / PIECES, run; k < end; k += run) {
        for (run = 1; k + run < end && rows[k + run] == rows[k] + run;) run++;
        hsp_feed_rows(&g->feed, rows[k], run, step, b + k * width, g->c, g->c ? a + k * width : NULL, g->scratch);
    }
}

static int gram_by_tiles(gram *g) {
    const hsp_design *D = g->D;
    hsp_tiling t = {.size = D->d, .G = g->G, .threads = D->threads, .weighted = g->c != NULL, .pieces = PIECES};
    t.ctx = g, t.next = next_block, t.pack = pack_piece;
    int64_t needed = hsp_feed_scratch(&g->feed);
    if (needed > 0) {
        g->scratch = hsp_alloc(needed, sizeof *g->scratch);
        if (!g->scratch) return HSP_EMEMORY;
        hsp_feed_prepare(&g->feed, g->scratch);
    }
    int status = hsp_design_tiles(&t);
    hsp_free(g->scratch);
    return status;
}

/* Measured: a product of a stored value and a quad (level.h) takes about 32 times as long as a product in a tile. Dense rows
 * are also centred before they are multiplied. A sample of about 4096 rows is enough. */
bool hsp_design_nearly_dense(const hsp_matrix *x, const double *c) {
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
    if (!D->x->dense && !hsp_design_nearly_dense(D->x, c)) {
        status = hsp_design_gram_sparse(D, c, centres, group, groups, G);
    } else {
        gram g; /* field by field: the rows of its blocks are 16 KB, which only the tiles use */
        g.D = D, g.c = c, g.feed = hsp_feed_new(D, 0, D->d, centres, group), g.G = G, g.row = 0, g.scratch = NULL;
        hsp_slabs slabs = hsp_design_cut(D->n, c, hsp_design_copies(D->d));
        status = slabs.count > 1 ? gram_by_slabs(&g, &slabs) : gram_by_tiles(&g);
    }
    return status ? hsp_fail_memory(err) : HSP_OK;
}
