/* The Gram matrix of dense rows with products in single precision, by tiles of one matrix. The columns are multiplied by
 * powers of two, so that their values are near 1 in a sample of the rows: products neither overflow nor vanish. Rows are
 * multiplied by the roots of their weights, so that both factors of a product are the same numbers, which are kept once. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/gram.h"
#include "design/pieces.h"
#include "kernel/level.h"

#include <math.h>

enum { PIECES = 8, SAMPLE = 256, TOGETHER = 8 }; /* pieces of a block; rows of the sample; rows that are decoded at a time */

typedef struct gram_single {
    const hsp_design *D;
    const double *c, *centre;
    double *scale; /* d, owned */
    int64_t row;   /* the next */
    int64_t rows[HSP_TILING_BLOCKS][HSP_BLOCK_DEPTH];
    int64_t depth[HSP_TILING_BLOCKS];
    hsp_slots slots; /* TOGETHER rows each */
} gram_single;

/* Row i, transformed. */
static void decode_row(const hsp_design *D, int64_t i, double *out) {
    hsp_row r = hsp_matrix_row(D->x, i);
    if (D->factor)
        hsp_design_transform(D, r, out);
    else
        hsp_row_decode(r, 0, r.count, NULL, out);
}

static void find_scale(gram_single *g) {
    const hsp_design *D = g->D;
    double *row = hsp_slots_take(&g->slots);
    for (int64_t j = 0; j < D->d; j++) g->scale[j] = 0;
    for (int64_t i = 0; i < D->n; i += 1 + D->n / SAMPLE) {
        if (g->c && g->c[i] == 0) continue;
        decode_row(D, i, row);
        for (int64_t j = 0; j < D->d; j++) {
            double v = fabs(row[j] - (g->centre ? g->centre[j] : 0));
            if (v > g->scale[j]) g->scale[j] = v;
        }
    }
    for (int64_t j = 0; j < D->d; j++) {
        int exponent = 0;
        if (g->scale[j] > 0 && isfinite(g->scale[j])) frexp(g->scale[j], &exponent);
        g->scale[j] = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    }
    hsp_slots_give(&g->slots, row);
}

static int64_t next_block(void *ctx, int64_t block) {
    gram_single *g = ctx;
    int64_t depth = 0;
    for (; g->row < g->D->n && depth < HSP_BLOCK_DEPTH; g->row++)
        if (!g->c || g->c[g->row] != 0) g->rows[block][depth++] = g->row;
    return g->depth[block] = depth;
}

static void pack_piece(void *ctx, int64_t block, int64_t piece, int64_t step, void *same, void *panels) {
    gram_single *g = ctx;
    (void)same;
    int64_t d = g->D->d, width = HSP_SINGLE * hsp_level_now()->width, depth = g->depth[block];
    double *tile = hsp_slots_take(&g->slots), weight[TOGETHER];
    float *to = panels;
    for (int64_t k = depth * piece / PIECES, end = depth * (piece + 1) / PIECES, rows; k < end; k += rows) {
        rows = end - k < TOGETHER ? end - k : TOGETHER;
        for (int64_t i = 0; i < rows; i++) {
            decode_row(g->D, g->rows[block][k + i], tile + i * d);
            weight[i] = g->c ? sqrt(g->c[g->rows[block][k + i]]) : 1;
        }
        hsp_level_now()->single.pack(rows, d, tile, d, g->centre, g->scale, weight, step, to + k * width);
    }
    hsp_slots_give(&g->slots, tile);
}

/* With weights, for Newton's method, which holds a dozen numbers of each row beside the matrix: with little memory. */
static int sum_single(gram_single *g, double *G) {
    const hsp_design *D = g->D;
    int64_t d = D->d;
    find_scale(g);
    hsp_tiling t = {.size = d, .G = G, .threads = D->threads, .single = true, .lean = g->c != NULL, .pieces = PIECES};
    t.ctx = g, t.next = next_block, t.pack = pack_piece;
    int status = hsp_design_tiles(&t);
    for (int64_t j = 0; !status && j < d; j++)
        for (int64_t k = 0; k < d; k++) G[j * d + k] = G[j * d + k] / g->scale[j] / g->scale[k];
    return status;
}

int hsp_design_gram_single(const hsp_design *D, const double *c, const double *centre, double *G, hsp_error **err) {
    gram_single g = {.D = D, .c = c, .centre = centre};
    g.scale = hsp_alloc(D->d, sizeof *g.scale);
    int status = hsp_slots_new(HSP_TILING_BLOCKS * PIECES, D->threads, TOGETHER * D->d, &g.slots);
    if (!status) status = g.scale ? sum_single(&g, G) : HSP_EMEMORY;
    hsp_slots_free(&g.slots);
    hsp_free(g.scale);
    return status ? hsp_fail_memory(err) : HSP_OK;
}
