/* A table in record batches as the reader sees it: roles of the columns, what their types declare, and which are copied as
 * numbers (arrow_table.c); its rows (arrow_row.c). */
#ifndef HSP_READ_ARROW_TABLE_H
#define HSP_READ_ARROW_TABLE_H

#include "data/schema.h"
#include "halfspace.h"
#include "read/arrow.h"
#include "read/csv.h"
#include "read/reader.h"

#include <stdbool.h>

/* Columns of numbers are copied as they are; other cells, and numbers whose spelling may matter, are read as cells of a CSV
 * file. So that both give the same data, all decisions are those of the CSV reader. */
typedef struct hsp_arrow_table {
    hsp_csv_table csv;
    hsp_arrow_batches batches;
    hsp_arrow_findings *found; /* owned: of each column; of ignored ones empty */
    int64_t *number, numbers;  /* owned: columns that are copied as numbers */
    int64_t *spelt, spelts;    /* owned: columns that are read as text, by feature */
    int64_t target, weight;    /* columns; -1: none */
    bool plain;                /* for a model whose features are numbers: truth values are 0 and 1 */
} hsp_arrow_table;             /* {0} can be cleared */

/* Determines the columns of the batches. *own: the options with what the types declare added (columns with a dictionary
 * of numbers or dates are categorical), for the caller to free; NULL: as o. */
int hsp_arrow_table_make(hsp_arrow_table *t, const hsp_options *o, const hsp_schema *known, hsp_options **own,
                         hsp_error **err);
void hsp_arrow_table_clear(hsp_arrow_table *t);

/* The cell in row i of the part, without the blanks round it, as between the delimiters of a CSV file; empty: missing.
 * buf: HSP_ARROW_SPELT bytes. */
hsp_csv_view hsp_arrow_view(const hsp_arrow_part *p, int64_t i, char *buf);

/* Reads the rows of the parcel's chunk to its block. line: of the first, from 1. */
int hsp_arrow_read_rows(const hsp_arrow_table *t, hsp_parcel *p, int64_t line, hsp_error **err);
/* The cells of the column of groups or times in the rows of the parcel. 0 or HSP_EMEMORY. */
int hsp_arrow_side_cells(const hsp_arrow_table *t, const hsp_parcel *p, hsp_side side, hsp_kept *out);

#endif
