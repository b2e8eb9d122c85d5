/* The blocks of C are cut by their sizes, and every number of C is one chain of sums whatever the blocks: the same bits for
 * any amount of memory. A block on the diagonal of a lower triangle goes through a copy, because the tiles also write above
 * it. */
#include "factor/add_product.h"

#include "base/memory.h"
#include "kernel/level.h"

#include <string.h>

/* Outputs of a block: its packed numbers, with HSP_PRODUCT_DEPTH for each, fit the second cache. */
enum { BLOCK = 384, DIAGONAL = HSP_PRODUCT_LEAST };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void hsp_product_open(hsp_product_room *room, int64_t d) {
    int64_t padded = (d + HSP_WIDTH_MOST - 1) / HSP_WIDTH_MOST * HSP_WIDTH_MOST;
    room->most = least(padded, BLOCK);
    room->large = room->most > HSP_PRODUCT_LEAST ? hsp_alloc(2 * room->most * HSP_PRODUCT_DEPTH, sizeof(double)) : NULL;
    if (!room->large) room->most = HSP_PRODUCT_LEAST;
    room->a = room->large ? room->large : room->few;
    room->b = room->a + room->most * HSP_PRODUCT_DEPTH;
}

void hsp_product_close(hsp_product_room *room) {
    hsp_free(room->large);
}

/* Outputs from `first` on, terms from k on. */
static void pack(const hsp_level *level, hsp_factor_side side, int64_t first, int64_t count, int64_t k, int64_t depth,
                 double sign, double *out) {
    int64_t step = depth * level->width;
    if (side.across)
        level->triangle.pack_across(count, depth, side.x + first * side.step + k, side.step, sign, step, out);
    else
        level->triangle.pack_along(count, depth, side.x + k * side.step + first, side.step, sign, step, out);
}

/* A block of C whose corner is on the diagonal. */
static void multiply_diagonal(const hsp_level *level, hsp_product *p, double *C, int64_t c_step) {
    double copy[DIAGONAL * DIAGONAL];
    int64_t m = p->i1 - p->i0, n = p->j1 - p->j0;
    hsp_product q = *p;
    q.a += p->i0 / level->width * p->a_step;
    q.b += p->j0 / level->width * p->b_step;
    q.c = copy, q.c_step = DIAGONAL, q.i0 = q.j0 = 0, q.i1 = m, q.j1 = n, q.lower = true;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) copy[i * DIAGONAL + j] = j <= i ? C[(p->i0 + i) * c_step + p->j0 + j] : 0;
    level->multiply(&q);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n && j <= i; j++) C[(p->i0 + i) * c_step + p->j0 + j] = copy[i * DIAGONAL + j];
}

/* The part of a square block on the diagonal that is in the lower triangle: by columns, first the corner, then what is
 * below. */
static void multiply_lower(const hsp_level *level, hsp_product *p, double *C, int64_t c_step) {
    int64_t m = p->i1, n = p->j1;
    for (int64_t j = 0; j < n; j += DIAGONAL) {
        p->j0 = p->i0 = j;
        p->j1 = least(j + DIAGONAL, n);
        p->i1 = least(j + DIAGONAL, m);
        multiply_diagonal(level, p, C, c_step);
        p->i0 = p->i1;
        p->i1 = m;
        p->c = C;
        p->c_step = c_step;
        if (p->i0 < m) level->multiply(p);
    }
}

void hsp_add_product(hsp_product_room *room, int64_t m, int64_t n, int64_t depth, double sign, hsp_factor_side A,
                     hsp_factor_side B, double *C, int64_t c_step, bool lower) {
    const hsp_level *level = hsp_level_now();
    int64_t most = room->most;
    for (int64_t k = 0; k < depth; k += HSP_PRODUCT_DEPTH) {
        int64_t terms = least(HSP_PRODUCT_DEPTH, depth - k), step = terms * level->width;
        for (int64_t j = 0; j < n; j += most) {
            int64_t columns = least(most, n - j);
            pack(level, B, j, columns, k, terms, 1, room->b);
            for (int64_t i = lower ? j : 0; i < m; i += most) {
                hsp_product p = {.depth = terms,
                                 .a = room->a,
                                 .a_step = step,
                                 .b = room->b,
                                 .b_step = step,
                                 .c = C + i * c_step + j,
                                 .c_step = c_step,
                                 .i1 = least(most, m - i),
                                 .j1 = columns};
                pack(level, A, i, p.i1, k, terms, sign, room->a);
                if (lower && i == j)
                    multiply_lower(level, &p, C + i * c_step + j, c_step);
                else
                    level->multiply(&p);
            }
        }
    }
}
