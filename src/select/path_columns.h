/* The columns that a path needs: all but those that are proved to have no weight at any lambda of it, and those that are
 * like an earlier one.
 *
 * The optimum is unique if the columns are in general position (Tibshirani 2013, The lasso problem and uniqueness).
 * Columns that are equal or opposite, or differ by a constant beside a free intercept, may share their weight in any way,
 * and a path would jump between solutions. So the first of them gets all the weight. */
#ifndef HSP_SELECT_PATH_COLUMNS_H
#define HSP_SELECT_PATH_COLUMNS_H

#include "design/narrow.h"
#include "halfspace.h"
#include "problem/problem.h"

/* p: with an L1 part, posed at the smallest lambda. Sets out->design to a design of the columns that are needed, or to
 * NULL: all are. The caller clears it, after a failure too. */
int hsp_path_columns(const hsp_problem *p, hsp_narrow *out, hsp_error **err);

#endif
