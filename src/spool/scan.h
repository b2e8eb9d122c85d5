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
    hsp_schema schema; /* of all files */
    hsp_shape shape;
    char *assumed; /* owned: one line */
} hsp_scan;        /* {0} can be cleared */

/* Reads all files once. HSP_EINPUT names the file, and line and column where there is one: it cannot be read, the files
 * differ in their columns, or cells are not numbers. HSP_EUSAGE: a format or an option that needs all rows at once. */
int hsp_scan_files(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks, hsp_scan *out,
                   hsp_error **err);
void hsp_scan_clear(hsp_scan *s);

/* ---- scan_agree.c ---- */

/* Checks that a file has the columns of the first one. */
int hsp_scan_agree(const hsp_schema *first, const char *first_path, const hsp_schema *s, const char *path, hsp_error **err);

#endif
