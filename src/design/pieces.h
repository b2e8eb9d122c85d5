/* How the passes over all rows are cut: by the data alone, so that the result does not depend on the number of threads. */
#ifndef HSP_DESIGN_PIECES_H
#define HSP_DESIGN_PIECES_H

#include "design/gram.h"

#include <stdatomic.h>

enum { HSP_SLABS_MOST = 32 };

/* Slabs of consecutive rows, each with its own sums, which are added in order: slab s is rows begin[s] to begin[s + 1] - 1. */
typedef struct hsp_slabs {
    int64_t count;
    int64_t begin[HSP_SLABS_MOST + 1];
} hsp_slabs;

/* The number of active rows, c_i != 0; c NULL: all are. */
int64_t hsp_design_active(int64_t n, const double *c);
/* Cuts the rows into slabs: a power of two, at most `most`, with equally many active rows, at least 512 each. */
hsp_slabs hsp_design_cut(int64_t n, const double *c, int64_t most);
/* The number of d x d matrices that the slabs of a Gram matrix may have, including the result: 1 for large d, where tiles of
 * the result are computed instead. */
int64_t hsp_design_copies(int64_t d);

/* Copies the lower triangle of G to the upper one. */
void hsp_design_mirror(int64_t d, double *G, int threads);
/* Lower triangle of G += those of the copies (each d x d), in order. */
void hsp_design_join(int64_t d, double *G, const double *copies, int64_t count, int threads);

/* p rounded up to a cache line (64 bytes); the block must have HSP_LINE numbers more than are used. */
enum { HSP_LINE = 8 };
static inline double *hsp_design_aligned(double *p) {
    return (double *)(((uintptr_t)p + 63) / 64 * 64);
}

/* Scratch for as many tasks as run at once; a task takes any free slot. */
typedef struct hsp_slots {
    int64_t count, size;
    double *memory, *first; /* owned; the first slot in it, aligned */
    atomic_flag *taken;     /* owned */
} hsp_slots;

/* `size` doubles each. 0 or HSP_EMEMORY; free them also after a failure. */
int hsp_slots_new(int64_t tasks, int threads, int64_t size, hsp_slots *out);
void hsp_slots_free(hsp_slots *s);
double *hsp_slots_take(hsp_slots *s);
void hsp_slots_give(hsp_slots *s, const double *slot);

/* The sum of a d x d matrix over the slabs: `task` sets the lower triangle of G to the sum over the rows of a slab; scratch
 * has `size` numbers, aligned. The lower triangle of the result is set. 0 or HSP_EMEMORY. */
typedef void hsp_slab_task(void *ctx, const hsp_slabs *slabs, int64_t slab, double *scratch, double *G);
int hsp_design_sum_slabs(const hsp_slabs *slabs, int threads, int64_t d, int64_t size, hsp_slab_task *task, void *ctx,
                         double *G);

/* Lower triangle of G (size x size) = sum over blocks of A' B, where A and B are the panels that `pack` fills. A step packs
 * a few blocks and multiplies those of the step before (one thread: these), by tiles of G, so that threads share both kinds of
 * work and G needs no copies. */
typedef struct hsp_tiling {
    int64_t size;
    double *G;
    int threads;
    bool weighted;  /* A differs from B */
    bool single;    /* the panels hold floats (level.h) */
    bool lean;      /* half of the memory: blocks are packed, then multiplied */
    int64_t pieces; /* tasks into which the packing of a block is cut */
    void *ctx;
    /* The number of rows of the next block, at most HSP_BLOCK_DEPTH; 0: no more blocks. block: its index in memory. */
    int64_t (*next)(void *ctx, int64_t block);
    /* Fills a part of the panels b, and a when weighted; panels are `step` numbers apart. Numbers are doubles or floats. */
    void (*pack)(void *ctx, int64_t block, int64_t piece, int64_t step, void *a, void *b);
} hsp_tiling;

enum { HSP_TILING_BLOCKS = 16 }; /* `block` is below it */

/* Fills both triangles of G. 0 or HSP_EMEMORY. */
int hsp_design_tiles(const hsp_tiling *t);

#endif
