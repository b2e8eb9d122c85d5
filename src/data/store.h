/* A matrix that grows block by block, written by several threads. It keeps to the smaller of the two layouts and to the
 * smallest coding while it grows, and ends in them: what it ends in depends on the numbers alone. All changes are made in
 * place, so that the peak stays near the size of the result. */
#ifndef HSP_DATA_STORE_H
#define HSP_DATA_STORE_H

#include "data/digest.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HSP_NARROW = 65536 }; /* columns that ids of 16 bits can tell apart */

typedef struct hsp_store {
    hsp_matrix m; /* columns are ids less `base`, d: one more than the largest so far; CSR has also the -0; no table */
    int64_t row_capacity;                /* offsets */
    int64_t id_capacity, value_capacity; /* bytes */
    int base;                            /* 0 or 1: taken off the ids of sparse blocks, 1 as long as none is 0 */
    int64_t entries;                     /* non-zeros and -0 */
    int64_t quiet;                       /* the layout is left alone until there are so many rows: keeps the work linear */
    bool sparse;                         /* the blocks are sparse */
    bool minus;                          /* -0 has a code */
    bool ended;                          /* no more blocks: CSR needs no code for -0 */
    hsp_codes codes;
    atomic_int known;    /* numbers that have codes, for those who make digests; above 256: given up */
    atomic_bool inexact; /* some number is not exact in float */
    pthread_mutex_t lock;
    pthread_cond_t idle;
    int writers; /* blocks that are placed and not yet written */
} hsp_store;

void hsp_store_begin(hsp_store *s); /* over zeroed memory */
/* What digests need not look for. */
void hsp_store_hints(const hsp_store *s, hsp_digest_hints *h);
/* Waits until every block that was placed is written: only then may arrays move. */
void hsp_store_wait(hsp_store *s);
/* Gives the block its place. 0 or HSP_EMEMORY. All blocks of one store must be of one kind, and dense ones of one width.
 * After a failure the store can only be freed. */
int hsp_store_place(hsp_store *s, const hsp_block *b, hsp_digest *g);
/* Several threads at once. The caller then calls hsp_store_written, when he himself is done with the block too. */
void hsp_store_write(const hsp_store *s, const hsp_block *b, const hsp_digest *g);
void hsp_store_written(hsp_store *s);
/* Makes the columns begin at `base` (all ids are in base .. base+d-1), brings the rows into their final form and hands the
 * matrix over; the store is empty afterwards. 0 or HSP_EMEMORY. */
int hsp_store_finish(hsp_store *s, int64_t d, int base, hsp_matrix *out);
void hsp_store_free(hsp_store *s);

/* ---- store_layout.c: changes in place; nobody may be writing ---- */

/* The smallest coding of so many values, with their numbers so far. */
hsp_coding hsp_store_coding(const hsp_store *s, bool dense, double values);
/* To a coding that holds the numbers so far. */
int hsp_store_recode(hsp_store *s, hsp_coding to);
int hsp_store_widen_ids(hsp_store *s);
/* Adds `shift`, 0 or 1, to all columns; dense rows become d wide, which is at least so many more. */
int hsp_store_shift(hsp_store *s, int shift, int64_t d);
int hsp_store_to_csr(hsp_store *s);
int hsp_store_to_dense(hsp_store *s);
void hsp_store_drop_zeros(hsp_store *s); /* CSR: the -0 go */
int hsp_store_reserve_rows(hsp_store *s, int64_t rows);
int hsp_store_reserve_ids(hsp_store *s, int64_t count);
int hsp_store_reserve_values(hsp_store *s, int64_t count);

#endif
