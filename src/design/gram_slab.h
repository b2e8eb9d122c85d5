/* The Gram matrix of rows that come one by one: how a slab of a product, or a sweep that meets each row once, adds them up.
 */
#ifndef HSP_DESIGN_GRAM_SLAB_H
#define HSP_DESIGN_GRAM_SLAB_H

#include "data/matrix.h"
#include "design/feed.h"
#include "kernel/level.h"

typedef struct hsp_gram_slab {
    const hsp_feed *feed;
    hsp_product block;                  /* rows wait in its panels until there are enough for a product */
    double *plain, *weighted, *scratch; /* weighted NULL: all weights are 1 */
} hsp_gram_slab;

/* Numbers of memory (aligned to a line) that a slab needs while it is at work. */
int64_t hsp_gram_slab_memory(const hsp_feed *feed, bool weighted);
/* G (d x d) is cleared; its lower triangle is right after the end. */
void hsp_gram_slab_begin(hsp_gram_slab *s, const hsp_feed *feed, bool weighted, double *memory, double *G);
void hsp_gram_slab_add(hsp_gram_slab *s, int64_t i, double c);
/* Rows `from` to `to`, those with a weight in c (from row 0 on) alone. x: their numbers after the transform, d a row and
 * rows x_step apart, where those are to be had; or NULL. */
void hsp_gram_slab_add_rows(hsp_gram_slab *s, int64_t from, int64_t to, const double *c, const double *x, int64_t x_step);
void hsp_gram_slab_end(hsp_gram_slab *s);

/* Whether sparse rows are so full that spreading them out is faster than going through their pairs. */
bool hsp_design_spread_out(const hsp_matrix *x, const double *c);

/* Sparse rows of few columns: the products of row i with itself, weighted by c, into the lower triangle of G. quad and x
 * are scratch of a quarter of the columns, and of HSP_QUAD more than the columns. */
enum { HSP_PAIRS_COLUMNS = 256 };
void hsp_design_pairs(const hsp_design *D, const hsp_level *level, int64_t i, double c, uint32_t *quad, double *x,
                      double *G);

#endif
