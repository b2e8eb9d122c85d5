/* A matrix that grows block by block. It keeps to the smaller of the two layouts while it grows and ends in it, and begins
 * with float, going over to double when the first value comes that float cannot hold. All changes of layout are made in
 * place, so that the peak stays near the size of the result. */
#ifndef HSP_DATA_STORE_H
#define HSP_DATA_STORE_H

#include "data/block.h"
#include "data/matrix.h"

typedef struct hsp_store {
    hsp_matrix m; /* columns are ids as the blocks have them; d: one more than the largest so far */
    int64_t row_capacity, id_capacity, value_capacity;
    uint32_t least; /* smallest id so far, of sparse blocks */
    int64_t quiet;  /* the layout is left alone until there are so many rows: keeps the work linear */
    bool sparse;    /* the blocks are sparse */
} hsp_store;        /* {0} is an empty one */

/* 0 or HSP_EMEMORY. All blocks of one store must be of one kind, and dense ones of one width. After a failure the store
 * can only be freed. */
int hsp_store_add(hsp_store *s, const hsp_block *b);
/* Takes `base` off the ids (all must be in base .. base+d-1), brings the rows into their final layout and hands the matrix
 * over; the store is empty afterwards. 0 or HSP_EMEMORY. */
int hsp_store_finish(hsp_store *s, int64_t d, int base, hsp_matrix *out);
void hsp_store_free(hsp_store *s);

#endif
