/* X'R for several columns of R. Dense: a task is a range of columns and a slab of rows, a product by tiles; or, with few
 * columns of R, a slab of rows as they are stored or decoded. Sparse: a pass over the rows for eight
 * outputs, adjacent in memory at each column; several slabs if their sums are small against the data, else groups of eight
 * outputs in parallel. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/feed.h"
#include "design/pieces.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <string.h>

enum { RANGE = 16 * HSP_WIDTH_MOST, MOST_SLABS = 8, MOST_OUTPUTS = 20, TILE_ROWS = 64 };

struct hsp_adjoint_plan {
    const hsp_design *D;
    const double *R; /* borrowed during a pass, as is `out` */
    int64_t K;
    int64_t ranges; /* of columns, or groups of outputs */
    int64_t lanes;  /* sparse: outputs of a group */
    double *out;
    double *more; /* owned: sums of slabs 1 and up (dense) or of all (sparse) */
    hsp_slabs slabs;
    hsp_slots slots;
    bool moved; /* dense rows that are transformed on the way */
};

/* The sums of the slabs must be small against the data. */
static int64_t slabs_for(const hsp_design *D, int64_t numbers) {
    int64_t most = D->x->stored / (16 * (numbers > 0 ? numbers : 1));
    return most < MOST_SLABS ? most : MOST_SLABS;
}

/* ---- dense ---- */

static void dense_task(void *ctx, int64_t task) {
    hsp_adjoint_plan *p = ctx;
    const hsp_design *D = p->D;
    int64_t slab = task / p->ranges, from = task % p->ranges * RANGE, columns = from + RANGE < D->d ? RANGE : D->d - from;
    hsp_feed feed = hsp_feed_new(D, from, columns, NULL, NULL);
    int64_t width = feed.level->width, step = HSP_BLOCK_DEPTH * width, K = p->K;
    double *a = hsp_slots_take(&p->slots), *b = a + (K + width - 1) / width * step;
    hsp_product q = {.a = a, .a_step = step, .b = b, .b_step = step, .c_step = D->d, .i1 = K, .j1 = columns};
    q.c = (slab == 0 ? p->out : p->more + (slab - 1) * K * D->d) + from;
    for (int64_t k = 0; k < K; k++) memset(q.c + k * D->d, 0, (size_t)columns * sizeof *q.c);
    for (int64_t row = p->slabs.begin[slab], end = p->slabs.begin[slab + 1]; row < end; row += q.depth) {
        q.depth = row + HSP_BLOCK_DEPTH < end ? HSP_BLOCK_DEPTH : end - row;
        feed.level->pack_rows(q.depth, K, p->R + row * K, K, NULL, step, a, NULL, NULL);
        hsp_feed_rows(&feed, row, q.depth, step, b, NULL, NULL, NULL);
        feed.level->multiply(&q);
    }
    hsp_slots_give(&p->slots, a);
}

static void moved_task(void *ctx, int64_t slab) {
    hsp_adjoint_plan *p = ctx;
    int64_t begin = p->slabs.begin[slab], end = p->slabs.begin[slab + 1], size = p->K * p->D->d, count;
    double *out = slab == 0 ? p->out : p->more + (slab - 1) * size, *tile = hsp_slots_take(&p->slots);
    hsp_feed feed = hsp_feed_new(p->D, 0, p->D->d, NULL, NULL);
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t from = begin; from < end; from += count) {
        hsp_moved_rows rows;
        count = end - from < TILE_ROWS ? end - from : TILE_ROWS;
        const void *x = hsp_feed_as_stored(&feed, from, count, tile, &rows);
        feed.level->moved.pulls_many(&rows, x, count, p->R + from * p->K, p->K, out);
    }
    hsp_slots_give(&p->slots, tile);
}

static int plan_dense(hsp_adjoint_plan *p) {
    const hsp_design *D = p->D;
    int64_t size = p->K * D->d;
    p->moved = hsp_feed_movable(D) && p->K <= MOST_OUTPUTS;
    if (p->moved) {
        hsp_moved_rows rows;
        p->ranges = 1;
        p->slabs = hsp_design_cut(D->n, NULL, slabs_for(D, size));
        p->more = hsp_alloc((p->slabs.count - 1) * size, sizeof *p->more);
        return hsp_slots_new(p->slabs.count, D->threads, hsp_feed_moved(D, &rows) ? 1 : TILE_ROWS * D->d, &p->slots);
    }
    p->ranges = (D->d + RANGE - 1) / RANGE;
    p->slabs = hsp_design_cut(D->n, NULL, p->ranges >= MOST_SLABS ? 1 : slabs_for(D, size));
    int64_t tasks = p->ranges * p->slabs.count, rows = (p->K + 2 * HSP_WIDTH_MOST + (D->d < RANGE ? D->d : RANGE));
    p->more = hsp_alloc((p->slabs.count - 1) * size, sizeof *p->more);
    return hsp_slots_new(tasks, D->threads, HSP_BLOCK_DEPTH * rows, &p->slots);
}

/* ---- sparse ---- */

static void sparse_task(void *ctx, int64_t task) {
    hsp_adjoint_plan *p = ctx;
    const hsp_design *D = p->D;
    const hsp_level *level = hsp_level_now();
    int64_t slab = task / p->ranges, first = task % p->ranges * p->lanes;
    int64_t used = first + p->lanes < p->K ? p->lanes : p->K - first;
    double *sums = p->more + task * D->d * p->lanes, *r = hsp_slots_take(&p->slots);
    memset(sums, 0, (size_t)(D->d * p->lanes) * sizeof *sums);
    memset(r, 0, (size_t)p->lanes * sizeof *r);
    for (int64_t i = p->slabs.begin[slab]; i < p->slabs.begin[slab + 1]; i++) {
        hsp_row x = hsp_matrix_row(D->x, i);
        bool any = false;
        for (int64_t k = 0; k < used; k++) any |= (r[k] = p->R[i * p->K + first + k]) != 0;
        if (!any || x.count == 0) continue;
        level->scatter[hsp_row_form(x)](x.count, x.id, x.value, x.table, r, p->lanes, sums);
    }
    hsp_slots_give(&p->slots, r);
}

/* Adds the slabs in order, then applies factor and centring; sums R's columns in the order of the rows. */
static void join_sparse(const hsp_adjoint_plan *p) {
    const hsp_design *D = p->D;
    int64_t lanes = p->lanes;
    for (int64_t k = 0; k < p->K; k++) {
        double *out = p->out + k * D->d, all = 0;
        for (int64_t j = 0; j < D->d; j++) {
            double s = 0;
            for (int64_t slab = 0; slab < p->slabs.count; slab++)
                s += p->more[((slab * p->ranges + k / lanes) * D->d + j) * lanes + k % lanes];
            out[j] = D->factor ? s * D->factor[j] : s;
        }
        if (!D->p) continue;
        for (int64_t i = 0; i < D->n; i++) all += p->R[i * p->K + k];
        hsp_axpy_f64(-all, D->p, out, D->d);
    }
}

/* With one slab, threads share the outputs in groups; with several, a task computes all outputs. */
static int plan_sparse(hsp_adjoint_plan *p) {
    const hsp_design *D = p->D;
    int64_t all = (p->K + HSP_LANES_SPARSE - 1) / HSP_LANES_SPARSE * HSP_LANES_SPARSE;
    p->slabs = hsp_design_cut(D->n, NULL, slabs_for(D, all * D->d));
    p->lanes = p->slabs.count > 1 ? all : HSP_LANES_SPARSE;
    p->ranges = all / p->lanes;
    int64_t tasks = p->ranges * p->slabs.count;
    p->more = hsp_alloc(tasks * D->d * p->lanes, sizeof *p->more);
    return hsp_slots_new(tasks, D->threads, p->lanes, &p->slots);
}

int hsp_adjoint_plan_new(const hsp_design *D, int64_t K, hsp_adjoint_plan **out, hsp_error **err) {
    *out = NULL;
    hsp_adjoint_plan *p = hsp_alloc_zero(1, sizeof *p);
    if (!p) return hsp_fail_memory(err);
    *p = (hsp_adjoint_plan){.D = D, .K = K};
    int status = D->x->dense ? plan_dense(p) : plan_sparse(p);
    if (status || !p->more) {
        hsp_adjoint_plan_free(p);
        return hsp_fail_memory(err);
    }
    *out = p;
    return HSP_OK;
}

void hsp_adjoint_plan_free(hsp_adjoint_plan *p) {
    if (!p) return;
    hsp_slots_free(&p->slots);
    HSP_FREE(p->more, p);
}

void hsp_adjoint_plan_run(hsp_adjoint_plan *p, const double *R, double *out) {
    bool dense = p->D->x->dense;
    p->R = R;
    p->out = out;
    hsp_pool_run(p->ranges * p->slabs.count, p->D->threads, p->moved ? moved_task : dense ? dense_task : sparse_task, p);
    if (dense) {
        int64_t size = p->K * p->D->d;
        for (int64_t s = 1; s < p->slabs.count; s++) hsp_axpy_f64(1, p->more + (s - 1) * size, p->out, size);
    } else
        join_sparse(p);
}

int hsp_design_adjoint_many(const hsp_design *D, const double *R, int64_t K, double *out, hsp_error **err) {
    if (K == 1) {
        hsp_design_adjoint(D, R, out);
        return HSP_OK;
    }
    hsp_adjoint_plan *p;
    int status = hsp_adjoint_plan_new(D, K, &p, err);
    if (!status) hsp_adjoint_plan_run(p, R, out);
    hsp_adjoint_plan_free(p);
    return status;
}
