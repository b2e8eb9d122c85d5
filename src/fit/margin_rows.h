/* The rows of svm and hard-svm as a quadratic program (solve/margin/margin.h). */
#ifndef HSP_FIT_MARGIN_ROWS_H
#define HSP_FIT_MARGIN_ROWS_H

#include "design/design.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "problem/margin_values.h"
#include "problem/problem.h"

typedef struct hsp_margin_rows {
    hsp_margin program;    /* over the arrays below */
    double *upper, *ridge; /* n; ridge NULL: 0 */
    double *alpha;         /* n */
    double *scores;        /* n */
    double *scratch;       /* 2 n */
} hsp_margin_rows;

/* The program of a problem with the hinge or the squared hinge; y is borrowed from the problem. Always clear it. */
int hsp_margin_rows_new(const hsp_problem *p, hsp_margin_rows *out, hsp_error **err);
/* The program of a hard margin: labels y (n, borrowed); rows with c_i = 0 are ignored. */
int hsp_margin_rows_hard(const hsp_design *design, const double *y, const double *c, hsp_intercept intercept,
                         hsp_margin_rows *out, hsp_error **err);
void hsp_margin_rows_clear(hsp_margin_rows *rows);

/* Whether interior point is suitable: the d x d work of a step is small, or there are so many rows that the Gram matrix
 * dominates. */
bool hsp_margin_few_columns(const hsp_design *design);

#endif
