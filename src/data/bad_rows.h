/* Rows that cannot be parsed or encoded, collected instead of stopping at the first: --bad-rows skip. */
#ifndef HSP_DATA_BAD_ROWS_H
#define HSP_DATA_BAD_ROWS_H

#include "base/text.h"
#include "halfspace.h"

typedef struct hsp_bad_row {
    int64_t line;    /* from 1 in its piece */
    int64_t column;  /* byte of the line, from 1; 0: unknown */
    int64_t message; /* where its text begins */
} hsp_bad_row;

/* Those of a piece. */
typedef struct hsp_bad_rows {
    hsp_bad_row *row; /* owned */
    int64_t count, capacity;
    hsp_text text; /* the messages without their places, a NUL after each */
} hsp_bad_rows;    /* {0} is empty, and can be freed */

/* Adds the row of an error, which is freed. 0 or HSP_EMEMORY. */
int hsp_bad_rows_add(hsp_bad_rows *b, hsp_error *e);
/* Sorts by line. */
void hsp_bad_rows_sort(hsp_bad_rows *b);
void hsp_bad_rows_clear(hsp_bad_rows *b); /* keeps the memory */
void hsp_bad_rows_free(hsp_bad_rows *b);

#endif
