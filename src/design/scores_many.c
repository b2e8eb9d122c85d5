/* XW' for several rows of W: blocks of rows, each decoded once for all outputs. Dense rows of floats and doubles are used as
 * they are stored, unless outputs are so many that decoded rows are faster. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/feed.h"
#include "design/pieces.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <string.h>

enum { TILE_NUMBERS = 1 << 15, SPARSE_ROWS = 512, STORED_ROWS = 256, MOST_OUTPUTS = 20 };

struct hsp_scores_plan {
    const hsp_design *D;
    hsp_feed feed;
    bool direct;          /* dense doubles, used as stored */
    bool moved;           /* dense rows that are transformed on the way, w as it is given */
    int64_t rows, blocks; /* rows per block; number of blocks */
    int64_t K;
    int64_t lanes;    /* sparse: K padded */
    double *memory;   /* owned: holds w and constant */
    double *w;        /* dense: panels of W'; sparse: d x lanes, times the factor */
    double *constant; /* K */
    double *out;      /* borrowed during a pass */
    hsp_slots slots;
};

static void dense_block(void *ctx, int64_t block) {
    hsp_scores_plan *p = ctx;
    const hsp_design *D = p->D;
    int64_t begin = block * p->rows, end = begin + p->rows < D->n ? begin + p->rows : D->n, d = D->d, K = p->K;
    int64_t width = p->feed.level->width, step = (d + width - 1) / width * width;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = 0; k < K; k++) p->out[i * K + k] = p->constant[k];
    if (p->direct) {
        p->feed.level->scores(end - begin, d, hsp_matrix_row(D->x, begin).value, hsp_matrix_stride(D->x), p->w, K,
                              p->out + begin * K);
        return;
    }
    double *tile = hsp_slots_take(&p->slots);
    if (p->moved) {
        hsp_moved_rows rows;
        const void *first = hsp_feed_as_stored(&p->feed, begin, end - begin, tile, &rows);
        p->feed.level->moved.scores_many(&rows, first, end - begin, p->w, K, p->out + begin * K);
    } else {
        hsp_feed_decode(&p->feed, begin, end - begin, tile, step);
        p->feed.level->scores(end - begin, d, tile, step, p->w, K, p->out + begin * K);
    }
    hsp_slots_give(&p->slots, tile);
}

static void sparse_block(void *ctx, int64_t block) {
    hsp_scores_plan *p = ctx;
    int64_t begin = block * p->rows, end = begin + p->rows < p->D->n ? begin + p->rows : p->D->n;
    double *acc = hsp_slots_take(&p->slots);
    for (int64_t i = begin; i < end; i++) {
        hsp_row r = hsp_matrix_row(p->D->x, i);
        memset(acc, 0, (size_t)p->lanes * sizeof *acc);
        if (r.count > 0) p->feed.level->gather[hsp_row_form(r)](r.count, r.id, r.value, r.table, p->w, p->lanes, acc);
        for (int64_t k = 0; k < p->K; k++) p->out[i * p->K + k] = acc[k] + p->constant[k];
    }
    hsp_slots_give(&p->slots, acc);
}

/* Cuts the rows into blocks. Returns the numbers of scratch of a block. */
static int64_t cut_blocks(hsp_scores_plan *p) {
    const hsp_design *D = p->D;
    if (!D->x->dense) {
        p->rows = SPARSE_ROWS;
        p->blocks = (D->n + p->rows - 1) / p->rows;
        return p->lanes;
    }
    int64_t width = p->feed.level->width, step = (D->d + width - 1) / width * width;
    p->rows = step > 0 ? TILE_NUMBERS / step / 8 * 8 : 8;
    p->rows = p->rows < 8 ? 8 : p->rows > SPARSE_ROWS ? SPARSE_ROWS : p->rows;
    hsp_moved_rows stored;
    bool as_stored = hsp_feed_moved(D, &stored) && p->moved;
    if (as_stored) p->rows = STORED_ROWS;
    p->blocks = (D->n + p->rows - 1) / p->rows;
    return p->direct || as_stored ? 1 : p->rows * step;
}

int hsp_scores_plan_new(const hsp_design *D, int64_t K, hsp_scores_plan **out, hsp_error **err) {
    *out = NULL;
    hsp_scores_plan *p = hsp_alloc_zero(1, sizeof *p);
    if (!p) return hsp_fail_memory(err);
    *p = (hsp_scores_plan){.D = D, .feed = hsp_feed_new(D, 0, D->d, NULL, NULL), .K = K};
    p->moved = hsp_feed_movable(D) && K <= MOST_OUTPUTS;
    p->direct = D->x->dense && hsp_matrix_coding(D->x) == HSP_CODING_F64 && !D->factor && !p->moved;
    p->lanes = (K + HSP_LANES_SPARSE - 1) / HSP_LANES_SPARSE * HSP_LANES_SPARSE;
    int64_t width = p->feed.level->width, columns = D->x->dense ? (K + width - 1) / width * width : p->lanes;
    int64_t scratch = cut_blocks(p);
    int status = hsp_slots_new(p->blocks, D->threads, scratch, &p->slots);
    p->memory = hsp_alloc(columns * D->d + K + HSP_LINE, sizeof *p->memory);
    if (status || !p->memory) {
        hsp_scores_plan_free(p);
        return hsp_fail_memory(err);
    }
    p->w = hsp_design_aligned(p->memory);
    p->constant = p->w + columns * D->d;
    *out = p;
    return HSP_OK;
}

void hsp_scores_plan_free(hsp_scores_plan *p) {
    if (!p) return;
    hsp_slots_free(&p->slots);
    HSP_FREE(p->memory, p);
}

void hsp_scores_plan_run(hsp_scores_plan *p, const double *W, const double *b, double *out) {
    const hsp_design *D = p->D;
    p->out = out;
    /* W' in the layout of the kernels, padded with zeros. */
    int64_t width = D->x->dense ? p->feed.level->width : p->lanes;
    if (p->moved) memcpy(p->w, W, (size_t)(p->K * D->d) * sizeof *W);
    for (int64_t first = 0; first < p->K && !p->moved; first += width)
        for (int64_t j = 0; j < D->d; j++) {
            double *to = p->w + first * D->d + j * width;
            for (int64_t k = 0; k < width; k++) to[k] = first + k < p->K ? W[(first + k) * D->d + j] : 0;
            if (!D->x->dense && D->factor) hsp_scale_f64(D->factor[j], to, width);
        }
    for (int64_t k = 0; k < p->K; k++) p->constant[k] = (b ? b[k] : 0) - (D->p ? hsp_dot_f64(D->p, W + k * D->d, D->d) : 0);
    hsp_pool_run(p->blocks, D->threads, D->x->dense ? dense_block : sparse_block, p);
}

int hsp_design_scores_many(const hsp_design *D, const double *W, const double *b, int64_t K, double *out, hsp_error **err) {
    if (K == 1) {
        hsp_design_scores(D, W, b ? b[0] : 0, out);
        return HSP_OK;
    }
    hsp_scores_plan *p;
    int status = hsp_scores_plan_new(D, K, &p, err);
    if (!status) hsp_scores_plan_run(p, W, b, out);
    hsp_scores_plan_free(p);
    return status;
}
