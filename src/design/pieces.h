/* How the heavy passes are cut: by the data alone, so that the result never depends on the number of threads. */
#ifndef HSP_DESIGN_PIECES_H
#define HSP_DESIGN_PIECES_H

#include "design/gram.h"

#include <stdatomic.h>

enum { HSP_SLABS_MOST = 32 };

/* Consecutive rows, each slab with its own sums, joined in order: slab s is rows begin[s] to begin[s + 1]. */
typedef struct hsp_slabs {
    int64_t count;
    int64_t begin[HSP_SLABS_MOST + 1];
} hsp_slabs;

/* Rows with c_i != 0; c NULL: all. */
int64_t hsp_design_active(int64_t n, const double *c);
/* A power of two of slabs, at most `most`, of equally many active rows each, and 512 of them at least. */
hsp_slabs hsp_design_cut(int64_t n, const double *c, int64_t most);
/* How many d x d matrices the slabs of a Gram product may have, the caller's one included: 1 when d is large, where the
 * matrix is cut into tiles instead. */
int64_t hsp_design_copies(int64_t d);

/* G_jk for k > j from G_kj. */
void hsp_design_mirror(int64_t d, double *G, int threads);
/* Lower triangle of G += the copies (each d x d), in order. */
void hsp_design_join(int64_t d, double *G, const double *copies, int64_t count, int threads);

/* The first line of the cache (64 bytes) from p on; memory for it has HSP_LINE numbers more than are used. */
enum { HSP_LINE = 8 };
static inline double *hsp_design_aligned(double *p) {
    return (double *)(((uintptr_t)p + 63) / 64 * 64);
}

/* Scratch for as many tasks as run at once; which of them a task gets does not matter. */
typedef struct hsp_slots {
    int64_t count, size;
    double *memory, *first; /* as it was given; aligned */
    atomic_flag *taken;
} hsp_slots;

/* `size` doubles each. 0 or HSP_EMEMORY; the slots are fit to be freed in any case. */
int hsp_slots_new(int64_t tasks, int threads, int64_t size, hsp_slots *out);
void hsp_slots_free(hsp_slots *s);
double *hsp_slots_take(hsp_slots *s);
void hsp_slots_give(hsp_slots *s, const double *slot);

/* Lower triangle of G (size x size) += sum over blocks of A' B, where A and B are the panels that `pack` fills: one step
 * packs a few blocks while those of the step before are multiplied, tile by tile of G, so that no thread waits for the
 * other kind of work and G is never copied. */
typedef struct hsp_tiling {
    int64_t size;
    double *G;
    int threads;
    bool weighted;  /* A differs from B */
    int64_t pieces; /* that the packing of a block is cut into */
    void *ctx;
    /* The number of rows of the next block, at most HSP_BLOCK_DEPTH; 0: there are no more. `block` is where it will be. */
    int64_t (*next)(void *ctx, int64_t block);
    /* b, and a when weighted, have `step` numbers from one panel to the next. */
    void (*pack)(void *ctx, int64_t block, int64_t piece, int64_t step, double *a, double *b);
} hsp_tiling;

enum { HSP_TILING_BLOCKS = 16 }; /* `block` is below it */

/* G is cleared first and mirrored at the end. 0 or HSP_EMEMORY. */
int hsp_design_tiles(const hsp_tiling *t);

#endif
