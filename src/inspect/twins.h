/* Columns and rows that occur more than once. Hashes find them, comparisons make sure; memory for them is O(n + d). */
#ifndef HSP_INSPECT_TWINS_H
#define HSP_INSPECT_TWINS_H

#include "data/matrix.h"
#include "halfspace.h"

/* twin[j]: the first column that holds the same numbers as column j, j itself when there is none before it. Columns for
 * which skip[j] is set (skip may be NULL) are left alone. HSP_OK or HSP_EMEMORY. */
int hsp_inspect_columns(const hsp_matrix *x, const bool *skip, int64_t *twin, hsp_error **err);

typedef struct hsp_equal_rows {
    int64_t repeated;    /* rows that hold the same numbers as a row before them, whatever the labels */
    int64_t conflicting; /* rows that hold the same numbers as a row of another class */
} hsp_equal_rows;

/* y: the class of each row, or NULL: then nothing conflicts. The same for any number of threads. HSP_OK or HSP_EMEMORY. */
int hsp_inspect_rows(const hsp_matrix *x, const int32_t *y, int threads, hsp_equal_rows *out, hsp_error **err);

#endif
