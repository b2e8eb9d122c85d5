/* Parts of a data set, which answer requests (docs/parts.md). A part has a source of blocks of HSP_PART_ROWS rows: rows in
 * memory (source_of_data.c) or files. It keeps nothing of a fit between two requests. */
#ifndef HSP_PART_PART_H
#define HSP_PART_PART_H

#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "halfspace.h"
#include "table/encoding.h"

/* Rows of a block. Borrowed from the source until they are released. */
typedef struct hsp_part_rows {
    hsp_matrix x;           /* n rows; ids are below d */
    const int32_t *y;       /* the class of each row, in `classes`; NULL: no labels */
    const double *target;   /* NULL: none */
    const double *weight;   /* NULL: all 1 */
    const hsp_classes *classes; /* of the source, or of the block alone; in canonical spelling and sorted */
    void *owned;            /* of the source */
} hsp_part_rows;

/* What a source says of its columns, without the rows. */
typedef struct hsp_source_columns {
    const hsp_schema *schema;           /* borrowed; of svmlight d is not final: the blocks tell */
    const struct hsp_encoding *encoding; /* of a table as features, borrowed; NULL: the features are the columns */
    const char *file;                   /* for messages, borrowed; NULL: memory */
} hsp_source_columns;

/* What all parts have agreed on, before any block is opened for a fit. */
typedef struct hsp_agreed {
    int64_t features; /* of all parts; a part of sparse rows may have fewer */
    int base;         /* svmlight: the id of the first column */
} hsp_agreed;

/* A source of blocks. All functions but `close` return 0 or a negative hsp_status with *err set; an error that names a file
 * and a line is passed to the user as it is. One thread at a time. */
typedef struct hsp_block_source {
    void *self;
    int64_t first_block; /* the global number of block 0 */
    int64_t blocks;
    /* Reads what is needed to know the columns. */
    int (*columns)(void *self, hsp_source_columns *out, hsp_error **err);
    /* Called before the first block of each request that has an agreement; a source whose ids would change re-reads them. */
    int (*agree)(void *self, const hsp_agreed *agreed, hsp_error **err);
    /* The rows of block k, from 0. Blocks are opened in ascending order, 0 to blocks - 1 in each pass, one at a time: a source
     * may read ahead, and begins again when block 0 is opened. Without an agreement before it the ids are those that the source
     * assumes by itself. */
    int (*open)(void *self, int64_t k, hsp_part_rows *out, hsp_error **err);
    void (*release)(void *self, hsp_part_rows *rows);
    void (*close)(void *self);
} hsp_block_source;

/* Makes a part of a source, which it closes, also after a failure. Options: threads. */
int hsp_part_of_source(const hsp_block_source *source, const hsp_options *o, hsp_part **out, hsp_error **err);

#endif
