/* Rows of a block in the other layout. All parts compute with the layout that they agreed on, as dense and sparse rows are
 * summed in different orders: else bits would depend on how rows were divided before they were stored. */
#ifndef HSP_PART_RELAYOUT_H
#define HSP_PART_RELAYOUT_H

#include "data/matrix.h"

/* A copy of d columns, dense or sparse, as doubles; the caller clears it. 0 or HSP_EMEMORY. */
int hsp_part_relayout(const hsp_matrix *x, int64_t d, bool dense, hsp_matrix *out);
/* The number of values that are not 0. */
int64_t hsp_part_nonzeros(const hsp_matrix *x);
/* The layout for so many values that are not 0 of n rows. */
bool hsp_part_prefers_dense(int64_t nonzeros, int64_t n, int64_t d);

#endif
