/* The description of a part of files: JSON that tells a process, here or on another machine that sees the files, which rows to
 * read and what all files have in common. */
#ifndef HSP_SOURCE_DESCRIPTION_H
#define HSP_SOURCE_DESCRIPTION_H

#include "data/schema.h"
#include "data/shape.h"
#include "halfspace.h"
#include "spool/table_plan.h"

/* Blocks of one file, which follow each other. */
typedef struct hsp_part_range {
    char *path;       /* owned */
    int64_t bytes;    /* of the whole file */
    int64_t from, to; /* text: places (see hsp_scan_block); .hsd: rows */
    int64_t line;     /* text: of the first row */
    bool whole;
    int64_t rows, nonzeros;
} hsp_part_range;

typedef struct hsp_description {
    bool stored; /* the files are .hsd; else text, and the members below hold */
    hsp_options *options;
    int64_t first_block, blocks, rows;
    int64_t features; /* of all files */
    hsp_part_range *range; /* owned */
    int64_t ranges;
    hsp_schema schema;
    hsp_shape shape; /* of all files */
    hsp_table_plan *table; /* owned: of tables; NULL: the files are numbers */
    char *assumed;
} hsp_description; /* {0} can be cleared */

int hsp_description_write(const hsp_description *d, char **out, hsp_error **err);
/* Everything is checked, except what reading the files will tell. Clear it also after a failure. */
int hsp_description_read(const char *text, hsp_description *out, hsp_error **err);
void hsp_description_clear(hsp_description *d);

#endif
