/* Files of rows that need not fit in memory: one pass over all of them finds where every block of HSP_SCAN_ROWS rows begins,
 * which columns and classes the files have together, and how much memory the rows take. All that readers check is checked, so
 * that a second pass finds the same rows. */
#ifndef HSP_SPOOL_SCAN_H
#define HSP_SPOOL_SCAN_H

#include "data/schema.h"
#include "data/shape.h"
#include "halfspace.h"
#include "read/reader.h"

enum { HSP_SCAN_ROWS = 16384 };

/* A block of rows of a file; only the last one of a file may be shorter. */
typedef struct hsp_scan_block {
    int64_t from;           /* place of the first row, see `place` of a reader */
    int64_t line;           /* of the file, on which it begins */
    int64_t rows, nonzeros; /* -0 is none */
} hsp_scan_block;

typedef struct hsp_scan_file {
    char *path;    /* owned */
    int64_t size;  /* bytes of the file */
    int64_t first; /* its first block */
    int64_t blocks, rows;
    bool compressed;
} hsp_scan_file;

typedef struct hsp_scan {
    const hsp_reader_kind *kind; /* of all files */
    hsp_scan_file *file;         /* owned */
    int64_t files;
    hsp_scan_block *block; /* owned */
    int64_t blocks, capacity;
    hsp_schema schema; /* of all files, encoded if they are tables */
    hsp_shape shape;
    struct hsp_table_plan *table; /* owned: of tables; NULL: the files are numbers */
    int64_t dropped, filled;      /* rows left out, and cells filled, for missing values */
    char *assumed; /* owned: one line */
} hsp_scan;        /* {0} can be cleared */

/* Reads all files once; tables several times, to learn how to encode them (table_plan.h). HSP_EINPUT names the file, and line
 * and column where there is one: it cannot be read, or the files differ in their columns. HSP_EUSAGE: a format or an option
 * that needs all rows at once. */
int hsp_scan_files(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks, hsp_scan *out,
                   hsp_error **err);
/* The same for files that must be numbers: HSP_EUSAGE if they are tables. */
int hsp_scan_files_of_numbers(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks,
                              hsp_scan *out, hsp_error **err);
void hsp_scan_clear(hsp_scan *s);

/* Checks that an open file is of a format that can be read in parts. */
int hsp_scan_check_kind(const hsp_reading *g, const char *path, hsp_error **err);

/* ---- scan_agree.c ---- */

/* Checks that a file has the columns of the first one. */
int hsp_scan_agree(const hsp_schema *first, const char *first_path, const hsp_schema *s, const char *path, hsp_error **err);

#endif
