/* A matrix that grows block by block, written by several threads. While it grows it stays near the smaller layout and the
 * smallest coding, and it ends in these: the result depends on the numbers alone. Changes are made in place, so that the
 * peak memory is near the size of the result. */
#ifndef HSP_DATA_STORE_H
#define HSP_DATA_STORE_H

#include "data/digest.h"
#include "data/shape.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HSP_NARROW = 65536 }; /* columns that ids of 16 bits can tell apart */

typedef struct hsp_store {
    hsp_matrix m; /* owned; columns are ids minus `base`, d is one more than the largest; CSR stores -0, too; no table */
    int64_t row_capacity;                /* offsets */
    int64_t id_capacity, value_capacity; /* bytes */
    int base;                            /* subtracted from the ids of sparse blocks: 1 as long as none is 0, else 0 */
    int64_t entries;                     /* non-zeros and -0 */
    int64_t next_change;                 /* rows before which the layout stays, so that the work is linear */
    bool sparse;                         /* the blocks are sparse */
    bool minus_zero;                     /* -0 has a code */
    bool finished;                       /* no more blocks: CSR needs no code for -0 */
    hsp_codes codes;
    atomic_int known;    /* numbers with codes, for digests; above 256: codes are not used */
    atomic_bool inexact; /* some number is not exact in float */
    pthread_mutex_t lock;
    pthread_cond_t idle;
    int writers; /* blocks that are placed and not yet written */
} hsp_store;

void hsp_store_begin(hsp_store *s); /* initialises a zeroed store */
void hsp_store_hints(const hsp_store *s, hsp_digest_hints *h);
/* Waits until every block that was placed is written; only then may arrays move. */
void hsp_store_wait(hsp_store *s);
/* Gives the block its place. All blocks must be sparse, or dense with the same width. 0 or HSP_EMEMORY; after a failure the
 * store can only be freed. */
int hsp_store_place(hsp_store *s, const hsp_block *b, hsp_digest *g);
/* Threads may write blocks concurrently. When the caller no longer needs the block it calls hsp_store_written. */
void hsp_store_write(const hsp_store *s, const hsp_block *b, const hsp_digest *g);
void hsp_store_written(hsp_store *s);
/* Makes column 0 the id `base` (all ids are in base .. base+d-1), brings the matrix into its final form and hands it over;
 * the store is then empty. 0 or HSP_EMEMORY. */
int hsp_store_finish(hsp_store *s, int64_t d, int base, hsp_matrix *out);
void hsp_store_free(hsp_store *s);
/* Counts a block instead of placing it. Then: the final layout and coding of d columns. 0 or HSP_EMEMORY. */
void hsp_store_count(hsp_store *s, const hsp_block *b, hsp_digest *g);
int hsp_store_shape(hsp_store *s, int64_t d, hsp_shape *out);

/* ---- store_layout.c: changes in place, while no block is being written ---- */

/* The smallest coding of `values` values, given the numbers so far. */
hsp_coding hsp_store_coding(const hsp_store *s, bool dense, double values);
/* Changes to a coding that holds the numbers so far. */
int hsp_store_recode(hsp_store *s, hsp_coding to);
int hsp_store_widen_ids(hsp_store *s);
/* Adds `shift`, 0 or 1, to all columns; dense rows become d wide, at least `shift` more than before. */
int hsp_store_shift(hsp_store *s, int shift, int64_t d);
int hsp_store_to_csr(hsp_store *s);
int hsp_store_to_dense(hsp_store *s);
void hsp_store_drop_zeros(hsp_store *s); /* CSR: drops -0 */
int hsp_store_reserve_rows(hsp_store *s, int64_t rows);
int hsp_store_reserve_ids(hsp_store *s, int64_t count);
int hsp_store_reserve_values(hsp_store *s, int64_t count);

#endif
