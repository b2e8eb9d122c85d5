/* The three scalings of the multipliers of a row, and their conversions. With k_i = C c_i, the weight of the row's loss in
 * the objective:
 *
 *     name     is                                        where                              in terms of r
 *     r        -dloss/dg, signed, without the weight     points (point->alpha), run.c,      r
 *                                                        hsp_problem_dual_of
 *     alpha    in [0, u_i], u_i = dual_high k_i          solve/margin, solve/dual           y k r
 *     beta     w = sum_i beta_i x_i (pure L2 penalty)    models, their files, verify        k r
 */
#ifndef HSP_PROBLEM_MULTIPLIERS_H
#define HSP_PROBLEM_MULTIPLIERS_H

#include "problem/problem.h"

/* k_i. */
static inline double hsp_row_weight(const hsp_problem *p, int64_t i) {
    return p->C * (p->c ? p->c[i] : 1);
}

static inline double hsp_alpha_of_r(double y, double weight, double r) {
    return y * r * weight;
}

static inline double hsp_r_of_alpha(double y, double weight, double alpha) {
    return weight > 0 ? y * (alpha / weight) : 0;
}

static inline double hsp_beta_of_r(double weight, double r) {
    return weight * r;
}

#endif
