#include "design/gram_slab.h"

#include <string.h>

enum { STRIP = 4 * HSP_WIDTH_MOST };

static int64_t panel_numbers(const hsp_feed *feed) {
    int64_t width = feed->level->width;
    return (feed->q.d + width - 1) / width * width * HSP_BLOCK_DEPTH;
}

int64_t hsp_gram_slab_memory(const hsp_feed *feed, bool weighted) {
    return (weighted ? 2 : 1) * panel_numbers(feed) + hsp_feed_scratch(feed);
}

void hsp_gram_slab_begin(hsp_gram_slab *s, const hsp_feed *feed, bool weighted, double *memory, double *G) {
    int64_t d = feed->q.d, numbers = panel_numbers(feed), step = HSP_BLOCK_DEPTH * feed->level->width;
    *s = (hsp_gram_slab){.feed = feed, .plain = memory, .weighted = weighted ? memory + numbers : NULL};
    s->scratch = memory + (weighted ? 2 : 1) * numbers;
    s->block = (hsp_product){.a_step = step, .b = s->plain, .b_step = step, .c = G, .c_step = d, .lower = true};
    s->block.a = weighted ? s->weighted : s->plain;
    s->moved = hsp_feed_moved(feed->D, &s->stored) && !feed->group;
    hsp_feed_prepare(feed, s->scratch);
    memset(G, 0, (size_t)(d * d) * sizeof *G);
}

/* Lower triangle of G += A'B, a strip of A at a time. */
static void multiply_block(hsp_gram_slab *s) {
    hsp_product p = s->block;
    int64_t d = s->feed->q.d;
    for (p.i0 = 0; p.i0 < d; p.i0 += STRIP) {
        p.i1 = p.i0 + STRIP < d ? p.i0 + STRIP : d;
        p.j1 = p.i1;
        s->feed->level->multiply(&p);
    }
    s->block.depth = 0;
}

void hsp_gram_slab_add(hsp_gram_slab *s, int64_t i, double c) {
    int64_t width = s->feed->level->width, k = s->block.depth++;
    hsp_feed_row(s->feed, i, s->block.b_step, s->plain + k * width, c, s->weighted ? s->weighted + k * width : NULL,
                 s->scratch);
    if (s->block.depth == HSP_BLOCK_DEPTH) multiply_block(s);
}

void hsp_gram_slab_add_rows(hsp_gram_slab *s, int64_t from, int64_t to, const double *c, const double *x, int64_t x_step) {
    for (int64_t i = from, end; i < to; i = end) {
        for (end = i; end < to && (!c || c[end] != 0); end++)
            if (!x && !s->moved) hsp_gram_slab_add(s, end, c ? c[end] : 1);
        for (int64_t at = i; (x || s->moved) && at < end;) {
            /* Rows from `at` to end, all with a weight, as far as the panels have room. */
            const hsp_level *level = s->feed->level;
            int64_t k = s->block.depth * level->width, room = HSP_BLOCK_DEPTH - s->block.depth;
            int64_t rows = end - at < room ? end - at : room;
            const double *weight = c ? c + at : NULL, *centres = s->feed->centres;
            double *weighted = s->weighted ? s->weighted + k : NULL;
            if (s->moved)
                level->moved.pack(&s->stored, hsp_matrix_row(s->feed->D->x, at).value, rows, centres, level->width,
                                  s->block.b_step, s->plain + k, weight, weighted);
            else
                level->pack_rows(rows, s->feed->q.d, x + (at - from) * x_step, x_step, centres, s->block.b_step,
                                 s->plain + k, weight, weighted);
            s->block.depth += rows;
            if (s->block.depth == HSP_BLOCK_DEPTH) multiply_block(s);
            at += rows;
        }
        while (end < to && c[end] == 0) end++;
    }
}

void hsp_gram_slab_end(hsp_gram_slab *s) {
    if (s->block.depth > 0) multiply_block(s);
}
