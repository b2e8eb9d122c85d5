/* The lower bound from the slopes at a point whose gradient is known: no pass over the data. dual.c computes the bound from
 * any other multipliers. */
#ifndef HSP_PROBLEM_GRADIENT_BOUND_H
#define HSP_PROBLEM_GRADIENT_BOUND_H

#include "problem/problem.h"

/* w and gw: `count` weights and the gradient of the smooth part of F there; problem->slopes: the slopes that
 * hsp_problem_gradient leaves. share: n, c_i / sum_c. Where R is |w|_1 they are scaled into its dual ball; the gradient of a
 * column known to lie inside the ball may be any value inside, or be left out with its weight, 0. alpha (n x outputs): gets
 * the multipliers that prove the bound; scratch: n. NaN when there is no dual, when the intercept is free and the multipliers
 * do not sum to 0 up to rounding, or when the bound would not be positive. */
double hsp_problem_bound_of_gradient(const hsp_problem *p, const double *w, const double *gw, int64_t count,
                                     const double *share, double *alpha, double *scratch);

#endif
