/* The weighted Gram matrix of some columns of a block. */
#ifndef HSP_PART_COLUMN_GRAM_H
#define HSP_PART_COLUMN_GRAM_H

#include "halfspace.h"
#include "part/answer.h"

/* The columns of the request: out, packed as in evaluated.h, becomes the lower triangle of sum_i h_i (x_i, 1)(x_i, 1)'. h: n.
 * 0 or HSP_EMEMORY. */
int hsp_part_column_gram(hsp_answer *a, const hsp_part_block *b, double *h, double *out, hsp_error **err);

#endif
