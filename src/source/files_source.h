/* Blocks of rows that are stored: in data files (.hsd), or made from text by the spool. */
#ifndef HSP_SOURCE_FILES_SOURCE_H
#define HSP_SOURCE_FILES_SOURCE_H

#include "base/map.h"
#include "data/data.h"
#include "halfspace.h"
#include "part/part.h"
#include "read/hsd.h"
#include "source/description.h"

/* Rows that are in one place. */
typedef struct hsp_stored_rows {
    hsp_data *data; /* owned; its arrays are in the map */
    hsp_map *map;   /* borrowed from the data */
} hsp_stored_rows;

/* Rows of one file, which begin a block. */
typedef struct hsp_stretch {
    int64_t place;       /* of the stored rows */
    int64_t row, rows;   /* among them */
    int64_t first;       /* its first block in the part */
} hsp_stretch;

typedef struct hsp_files_source {
    hsp_description about; /* owned */
    hsp_stored_rows *stored; /* owned */
    int64_t stored_count;
    hsp_stretch *stretch; /* owned: one for each range of the description */
    int64_t at;           /* the stretch of the last block */
    hsp_stretch opened;   /* the rows of the last block */
    bool sparing;         /* the rows take more memory than they may: pages are given back */
} hsp_files_source;

/* Opens the files of a description, which it takes over, and checks them. */
int hsp_files_source_open(hsp_description *about, hsp_files_source **out, hsp_error **err);
void hsp_files_source_close(void *self);
/* The functions of a source of blocks over it. */
hsp_block_source hsp_files_source_blocks(hsp_files_source *s);

/* ---- stored_check.c ---- */

/* Checks the rows `from` to `to` of a data file with their digests, block by block, so that few pages are in memory. */
int hsp_stored_check(const hsp_hsd *f, int64_t from, int64_t to, int threads, bool sparing, hsp_error **err);
/* Advises the system on the pages of some rows. */
void hsp_stored_want(const hsp_stored_rows *s, int64_t row, int64_t rows);
void hsp_stored_spare(const hsp_stored_rows *s, int64_t row, int64_t rows);

#endif
