/* The lengths of rows in columns of equal variance: which rows a sample for a preconditioner must not miss. */
#ifndef HSP_SOLVE_NEWTON_ROW_LENGTHS_H
#define HSP_SOLVE_NEWTON_ROW_LENGTHS_H

#include "design/design.h"

/* length_i (n) = (1 + mean over the columns of (x_ij - mean_j)^2 / variance_j) / 2; of sparse rows about 0. Their mean is 1,
 * and a row with the only entry of a column has at least n / (2 d). HSP_OK or HSP_EMEMORY. */
int hsp_row_lengths(const hsp_design *D, double *length);

#endif
