/* X'r for r that moves little from one call to the next, in the columns where |X'r|_j might exceed a threshold. By the
 * inequality of Cauchy and Schwarz an entry differs from the one that was recorded by at most
 *     sqrt(sum_i c_i x_ij^2) sqrt(sum_i (r_i - recorded r_i)^2 / c_i),
 * and where this keeps it inside, it is not computed (the spheres of Ndiaye, Fercoq, Gramfort and Salmon 2017, around any
 * point). */
#ifndef HSP_SOLVE_PROX_COLUMN_SCREEN_H
#define HSP_SOLVE_PROX_COLUMN_SCREEN_H

#include "design/columns.h"
#include "halfspace.h"
#include "problem/problem.h"

typedef struct hsp_column_screen_of hsp_column_screen_of;

/* c: n weights of sum 1, borrowed, as is the problem, which has one output and sparse rows. */
int hsp_column_screen_new(const hsp_problem *p, const double *c, hsp_column_screen_of **out, hsp_error **err);
void hsp_column_screen_free(hsp_column_screen_of *s);
/* Its copy of the design. */
const hsp_columns *hsp_column_screen_columns(const hsp_column_screen_of *s);
/* out_j = sum_i r_i x_ij, or any number of at most the threshold where that is known to be so, too. place, if not NULL:
 * where it is not negative, out_j is known already. */
void hsp_column_screen_adjoint(hsp_column_screen_of *s, hsp_problem *p, const double *r, double threshold,
                               const int32_t *place, double *out);

#endif
