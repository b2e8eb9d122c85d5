/* Products of rows with rows. Dense: the Gram matrix of the transpose, by blocks of columns. Sparse: a row is expanded and
 * multiplied by the rows up to it; with q = p + m,
 *     (z_i - q).(z_j - q) = z_i.z_j - q.z_i - q.z_j + q.q */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/feed.h"
#include "design/pieces.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <string.h>

typedef struct outer {
    const hsp_design *D;
    const double *m;
    double *A;
    int64_t blocks_seen; /* dense */
    int64_t from[HSP_TILING_BLOCKS];
    const double *q; /* sparse; or NULL */
    double *qz;      /* n: q.z_i */
    double qq;
    hsp_slots slots;
} outer;

/* ---- dense ---- */

static int64_t next_columns(void *ctx, int64_t block) {
    outer *o = ctx;
    int64_t from = o->from[block] = o->blocks_seen * HSP_BLOCK_DEPTH, left = o->D->d - from;
    if (left <= 0) return 0;
    o->blocks_seen++;
    return left < HSP_BLOCK_DEPTH ? left : HSP_BLOCK_DEPTH;
}

/* A piece is a panel: `width` rows as its columns. */
static void pack_rows(void *ctx, int64_t block, int64_t piece, int64_t step, void *a, void *b) {
    (void)a;
    outer *o = ctx;
    int64_t from = o->from[block], left = o->D->d - from, depth = left < HSP_BLOCK_DEPTH ? left : HSP_BLOCK_DEPTH;
    hsp_feed feed = hsp_feed_new(o->D, from, depth, o->m, NULL);
    int64_t width = feed.level->width, first = piece * width;
    double *panel = (double *)b + piece * step, row[HSP_BLOCK_DEPTH + HSP_WIDTH_MOST];
    for (int64_t l = 0; l < width; l++) {
        if (first + l < o->D->n)
            hsp_feed_row(&feed, first + l, width, row, 1, NULL, NULL);
        else
            memset(row, 0, sizeof row);
        for (int64_t k = 0; k < depth; k++) panel[k * width + l] = row[k];
    }
}

static int outer_dense(outer *o) {
    int64_t width = hsp_level_now()->width;
    hsp_tiling t = {.size = o->D->n, .G = o->A, .threads = o->D->threads, .pieces = (o->D->n + width - 1) / width};
    t.ctx = o, t.next = next_columns, t.pack = pack_rows;
    return hsp_design_tiles(&t);
}

/* ---- sparse ---- */

enum { STRIP = 16 };

static void outer_strip(void *ctx, int64_t strip) {
    outer *o = ctx;
    const hsp_design *D = o->D;
    int64_t n = D->n, d = D->d, end = (strip + 1) * STRIP < n ? (strip + 1) * STRIP : n;
    double *work = hsp_slots_take(&o->slots), *tile = work + d;
    memset(work, 0, (size_t)d * sizeof *work);
    for (int64_t i = strip * STRIP; i < end; i++) {
        hsp_row r = hsp_design_row(D, i, tile);
        for (int64_t t = 0; t < r.count; t++) work[hsp_row_id(r, t)] = hsp_row_value(r, t);
        for (int64_t j = 0; j <= i; j++) {
            double s = hsp_row_dot(hsp_design_row(D, j, tile), work);
            o->A[i * n + j] = o->q ? s - o->qz[i] - o->qz[j] + o->qq : s;
        }
        r = hsp_matrix_row(D->x, i);
        for (int64_t t = 0; t < r.count; t++) work[hsp_row_id(r, t)] = 0;
    }
    hsp_slots_give(&o->slots, work);
}

/* Computes q, q.z_i of all rows and q.q. */
static int set_corrections(outer *o, double *tile) {
    const hsp_design *D = o->D;
    double *q = hsp_alloc(D->d + D->n, sizeof *q);
    if (!q) return HSP_EMEMORY;
    for (int64_t j = 0; j < D->d; j++) q[j] = (D->p ? D->p[j] : 0) + (o->m ? o->m[j] : 0);
    o->q = q;
    o->qz = q + D->d;
    o->qq = hsp_dot_f64(q, q, D->d);
    for (int64_t i = 0; i < D->n; i++) o->qz[i] = hsp_row_dot(hsp_design_row(D, i, tile), q);
    return HSP_OK;
}

static int outer_sparse(outer *o) {
    const hsp_design *D = o->D;
    int64_t strips = (D->n + STRIP - 1) / STRIP;
    int status = hsp_slots_new(strips, D->threads, 2 * D->d, &o->slots);
    if (!status && (D->p || o->m)) status = set_corrections(o, o->slots.first);
    if (!status) {
        hsp_pool_run(strips, D->threads, outer_strip, o);
        hsp_design_mirror(D->n, o->A, D->threads);
    }
    hsp_free((void *)o->q);
    hsp_slots_free(&o->slots);
    return status;
}

int hsp_design_outer(const hsp_design *D, const double *m, double *A, hsp_error **err) {
    outer o = {.D = D, .m = m, .A = A};
    return (D->x->dense ? outer_dense(&o) : outer_sparse(&o)) ? hsp_fail_memory(err) : HSP_OK;
}
