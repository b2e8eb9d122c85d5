/* The Gram matrix by tiles. In each step a tile is one task, which adds the blocks in order: the result does not depend on the
 * threads. */
#include "base/memory.h"
#include "base/pool.h"
#include "design/pieces.h"
#include "kernel/level.h"

#include <string.h>

/* A tile of 96 columns and 128 rows of both factors is 200 KB (of floats half as much): it stays in the L2 cache. */
enum { TILE = 4 * HSP_WIDTH_MOST, HALF = HSP_TILING_BLOCKS / 2, STEP_BYTES = 1 << 20 };

typedef struct tiling_state {
    const hsp_tiling *t;
    const hsp_level *level;
    int64_t step;          /* from panel to panel */
    int64_t blocks;        /* of a half, at most */
    char *a, *b;           /* two halves, packed and multiplied in turn, or one; a is b unless weighted */
    int64_t size;          /* bytes of the panels of a block */
    int64_t half;          /* the one being packed */
    int64_t packed;        /* its blocks */
    int64_t filled;        /* blocks that are multiplied */
    int64_t from;          /* the first of them */
    int64_t depth[HSP_TILING_BLOCKS];
} tiling_state;

static void multiply_tile(const tiling_state *s, int64_t tile) {
    int64_t i = 0, size = s->t->size, from = s->from;
    while ((i + 1) * (i + 2) / 2 <= tile) i++;
    int64_t j = tile - i * (i + 1) / 2, i0 = i * TILE, j0 = j * TILE;
    int64_t i1 = i0 + TILE < size ? i0 + TILE : size, j1 = j0 + TILE < size ? j0 + TILE : size;
    hsp_product p = {.a_step = s->step, .b_step = s->step, .c = s->t->G, .c_step = size, .lower = i == j};
    hsp_product_single q = {.a_step = s->step, .b_step = s->step, .c = s->t->G, .c_step = size, .lower = i == j};
    p.i0 = q.i0 = i0, p.i1 = q.i1 = i1, p.j0 = q.j0 = j0, p.j1 = q.j1 = j1;
    for (int64_t k = from; k < from + s->filled; k++) {
        const void *a = s->a + k * s->size, *b = s->b + k * s->size;
        p.depth = q.depth = s->depth[k];
        if (s->t->single) {
            q.a = a, q.b = b;
            s->level->single.multiply(&q);
        } else {
            p.a = a, p.b = b;
            s->level->multiply(&p);
        }
    }
}

static void run_task(void *ctx, int64_t task) {
    const tiling_state *s = ctx;
    const hsp_tiling *t = s->t;
    if (task >= s->packed * t->pieces) {
        multiply_tile(s, task - s->packed * t->pieces);
        return;
    }
    int64_t block = s->half * s->blocks + task / t->pieces;
    t->pack(t->ctx, block, task % t->pieces, s->step, s->a + block * s->size, s->b + block * s->size);
}

/* The next blocks, into the half that is being packed. */
static void begin_blocks(tiling_state *s) {
    s->packed = 0;
    for (int64_t k = s->half * s->blocks, end = k + s->blocks; k < end; k++) {
        if ((s->depth[k] = s->t->next(s->t->ctx, k)) == 0) break;
        s->packed++;
    }
}

static void run_tasks(tiling_state *s) {
    int64_t across = (s->t->size + TILE - 1) / TILE, tiles = s->filled > 0 ? across * (across + 1) / 2 : 0;
    hsp_pool_run(s->packed * s->t->pieces + tiles, s->t->threads, run_task, s);
}

/* One half is packed while the other is multiplied. */
static void run_side_by_side(tiling_state *s) {
    do {
        begin_blocks(s);
        run_tasks(s);
        s->filled = s->packed;
        s->from = s->half * s->blocks;
        s->half = 1 - s->half;
    } while (s->filled > 0);
}

/* One half, packed and then multiplied. */
static void run_in_turn(tiling_state *s) {
    for (begin_blocks(s); s->packed > 0; begin_blocks(s)) {
        s->filled = 0;
        run_tasks(s);
        s->filled = s->packed;
        s->packed = 0;
        run_tasks(s);
    }
}

int hsp_design_tiles(const hsp_tiling *t) {
    tiling_state s = {.t = t, .level = hsp_level_now()};
    int64_t width = s.level->width * (t->single ? HSP_SINGLE : 1), of = t->single ? sizeof(float) : sizeof(double);
    s.step = HSP_BLOCK_DEPTH * width;
    s.size = (t->size + width - 1) / width * s.step * of;
    s.blocks = s.size > 0 ? STEP_BYTES / s.size : 1;
    s.blocks = s.blocks < 1 ? 1 : s.blocks < HALF ? s.blocks : HALF;
    bool in_turn = t->lean || t->threads <= 1;
    int64_t all = (in_turn ? 1 : 2) * s.blocks * s.size;
    double *memory = hsp_alloc((t->weighted ? 2 : 1) * all + HSP_LINE * (int64_t)sizeof *memory, 1);
    if (!memory) return HSP_EMEMORY;
    s.b = (char *)hsp_design_aligned(memory);
    s.a = t->weighted ? s.b + all : s.b;
    memset(t->G, 0, (size_t)(t->size * t->size) * sizeof *t->G);
    if (in_turn)
        run_in_turn(&s);
    else
        run_side_by_side(&s);
    hsp_design_mirror(t->size, t->G, t->threads);
    hsp_free(memory);
    return HSP_OK;
}
