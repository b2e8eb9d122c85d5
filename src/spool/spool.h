/* Rows of text files stored as numbers, in memory or in a temporary file that is gone when the process ends: a second pass over
 * rows that were scanned writes each to its place, so memory holds only the pieces that are being parsed. */
#ifndef HSP_SPOOL_SPOOL_H
#define HSP_SPOOL_SPOOL_H

#include "base/map.h"
#include "data/block.h"
#include "data/data.h"
#include "data/digest_codes.h"
#include "data/schema.h"
#include "data/shape.h"
#include "halfspace.h"
#include "spool/scan.h"

/* Rows of a file from one place to another, see hsp_scan_block. */
typedef struct hsp_spool_range {
    const char *path; /* borrowed */
    int64_t from, to; /* to INT64_MAX: the end of the file */
    int64_t line;
    bool whole; /* all of the file: from and line are not used */
    int64_t rows, nonzeros;
} hsp_spool_range;

typedef struct hsp_spool_plan {
    const hsp_spool_range *range; /* borrowed, like the rest */
    int64_t ranges;
    const hsp_schema *schema;
    const hsp_shape *shape; /* of all rows of the scan, which may be more */
    const char *assumed;
    bool on_disk;
    const struct hsp_table_plan *table; /* of tables; NULL: the files are numbers */
} hsp_spool_plan;

/* Stores the rows of all ranges, one after the other; the layout and the coding are those of the shape. *map: the memory that
 * the arrays of the data are in, borrowed from the data. HSP_EINPUT: a file has changed since the scan. */
int hsp_spool_rows(const hsp_spool_plan *plan, const hsp_options *o, const hsp_hooks *hooks, hsp_map **map, hsp_data **out,
                   hsp_error **err);

/* ---- spool_files.c ---- */

/* The memory that --max-memory, or the machine, allows; and the part of it that rows may take. */
int64_t hsp_spool_limit(const hsp_options *o);
int64_t hsp_spool_budget(const hsp_options *o);
/* Stores all rows of the files that were scanned: on disk if they take more than the budget. */
int hsp_spool_files(const hsp_scan *scan, const hsp_options *o, const hsp_hooks *hooks, hsp_map **map, hsp_data **out,
                    hsp_error **err);

/* ---- spool_target.c ---- */

/* Memory or a file that is written in any order, by any thread, and then mapped. */
typedef struct hsp_spool_target {
    char *memory; /* owned until it is mapped; NULL: a file */
    int fd;
    int64_t size;
    const char *folder; /* of the file, static or of the environment */
    _Atomic(int) failed; /* errno of the first write that failed */
} hsp_spool_target;

/* HSP_EIO: the folder of temporary files (TMPDIR, else /var/tmp) has no room. */
int hsp_spool_target_open(hsp_spool_target *t, bool on_disk, int64_t size, hsp_error **err);
void hsp_spool_target_put(hsp_spool_target *t, int64_t at, const void *bytes, int64_t n);
/* Maps what was written; the target is closed in any case. */
int hsp_spool_target_map(hsp_spool_target *t, hsp_map **out, hsp_error **err);
void hsp_spool_target_close(hsp_spool_target *t);

/* ---- spool_encode.c ---- */

/* The rows of a block as they are stored; memory is reused. */
typedef struct hsp_spool_rows_of {
    hsp_codes codes;    /* those of the shape */
    int64_t *count;     /* owned: stored values of each row */
    unsigned char *id;  /* owned, by the ids of the shape */
    double *value;      /* owned */
    unsigned char *out; /* owned: the values in the coding of the shape */
    int64_t stored;
    bool wrong; /* a value or an id is not in the shape */
    int64_t count_capacity, id_capacity, value_capacity, out_capacity;
} hsp_spool_rows_of;

/* 0 or HSP_EMEMORY. */
int hsp_spool_encode(hsp_spool_rows_of *r, const hsp_shape *s, const hsp_block *b);
void hsp_spool_rows_free(hsp_spool_rows_of *r);

#endif
