/* The lower bound of multipliers that are the slopes at a point, where the gradient there is known already: no pass over
 * the data (dual.c has the bound of any other multipliers). */
#ifndef HSP_PROBLEM_GRADIENT_BOUND_H
#define HSP_PROBLEM_GRADIENT_BOUND_H

#include "problem/problem.h"

/* w and gw (outputs x d): a point and the gradient of the smooth part of F there; problem->slopes: the slopes that
 * hsp_problem_gradient leaves. share: n, c_i / sum_c. Where R is |w|_1 they are scaled into its dual ball. alpha (n x
 * outputs): the multipliers that give the bound; scratch: n. A column whose gradient is known only to lie inside of the
 * ball may have any gradient inside. NaN when there is no dual, when their sum does not vanish but for rounding although
 * the intercept is free, or when the bound would not be positive. */
double hsp_problem_bound_of_gradient(const hsp_problem *p, const double *w, const double *gw, const double *share,
                                     double *alpha, double *scratch);

#endif
