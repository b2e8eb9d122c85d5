/* A Gram matrix to which rows are added one by one: for a slab of hsp_design_gram, or for a sweep. */
#ifndef HSP_DESIGN_GRAM_SLAB_H
#define HSP_DESIGN_GRAM_SLAB_H

#include "data/matrix.h"
#include "design/feed.h"
#include "kernel/level.h"

typedef struct hsp_gram_slab {
    const hsp_feed *feed;
    hsp_product block;                  /* collects rows in its panels for a product */
    double *plain, *weighted, *scratch; /* weighted NULL: all weights are 1 */
    bool moved;                         /* rows are packed as they are stored */
    hsp_moved_rows stored;
} hsp_gram_slab;

/* Numbers of memory that a slab needs, aligned to a cache line. */
int64_t hsp_gram_slab_memory(const hsp_feed *feed, bool weighted);
/* Clears G (d x d). Its lower triangle is complete after the end. */
void hsp_gram_slab_begin(hsp_gram_slab *s, const hsp_feed *feed, bool weighted, double *memory, double *G);
void hsp_gram_slab_add(hsp_gram_slab *s, int64_t i, double c);
/* Adds the rows `from` to `to` - 1 with c_i != 0; c counts from row 0; NULL, if not weighted: all. x: their transformed
 * numbers, rows x_step apart; or NULL, then they are computed: some rows at a time if `moved`, else one by one. */
void hsp_gram_slab_add_rows(hsp_gram_slab *s, int64_t from, int64_t to, const double *c, const double *x, int64_t x_step);
void hsp_gram_slab_end(hsp_gram_slab *s);

/* Whether sparse rows are so full that treating them as dense is faster than the products of pairs of entries. */
bool hsp_design_nearly_dense(const hsp_matrix *x, const double *c);

/* Sparse rows of few columns: adds c x_i x_i' to the lower triangle of G. Scratch: quad, a quarter of the columns; x, HSP_QUAD
 * more than the columns. */
enum { HSP_PAIRS_COLUMNS = 256 };
void hsp_design_pairs(const hsp_design *D, const hsp_level *level, int64_t i, double c, uint32_t *quad, double *x,
                      double *G);

#endif
