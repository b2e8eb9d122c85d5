/* Finds equal columns and equal rows. Hashes give candidates, comparisons confirm them; memory is O(n + d). */
#ifndef HSP_INSPECT_TWINS_H
#define HSP_INSPECT_TWINS_H

#include "data/matrix.h"
#include "halfspace.h"

/* twin[j]: the first column with the same values as column j; j itself if none comes before it. Skips columns with skip[j]
 * set (skip may be NULL). Returns HSP_OK or HSP_EMEMORY. */
int hsp_inspect_columns(const hsp_matrix *x, const bool *skip, int64_t *twin, hsp_error **err);

typedef struct hsp_equal_rows {
    int64_t repeated;    /* rows with the same values as an earlier row, whatever the labels */
    int64_t conflicting; /* rows with the same values as a row of another class */
    int64_t errors;      /* of them that every classifier gets wrong: those outside the largest class of their group */
} hsp_equal_rows;

/* y: the class of each row, or NULL: then nothing conflicts. The result is the same for any number of threads. Returns
 * HSP_OK or HSP_EMEMORY. */
int hsp_inspect_rows(const hsp_matrix *x, const int32_t *y, int threads, hsp_equal_rows *out, hsp_error **err);

#endif
