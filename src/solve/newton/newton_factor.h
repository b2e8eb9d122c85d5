/* The linear systems of newton_one.h by a Cholesky factor of the Gram matrix, for few columns. Where the matrix is cheap it
 * is made anew for each step, and the factor alone solves. Where it costs as much as many products with the Hessian, a
 * factor serves for several steps, the first ones from a sample of the rows, as the preconditioner of conjugate gradients.
 */
#ifndef HSP_SOLVE_NEWTON_NEWTON_FACTOR_H
#define HSP_SOLVE_NEWTON_NEWTON_FACTOR_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_one.h"

#include <stdbool.h>

/* A (N x N, both triangles) + ridge <- its Cholesky factor with columns scaled to a diagonal of ones, more and more being
 * added to that until it can be factorised. *exact: nothing had to be. 0 or HSP_EMEMORY. */
int hsp_newton_factorise(double *A, int64_t N, double ridge, double *scale, bool *exact);
/* z = A^-1 r by the factor. */
void hsp_newton_factor_solve(const double *A, int64_t N, const double *scale, const double *r, double *z);

typedef struct hsp_newton_factor {
    hsp_newton_one one;
    double *scale;    /* d */
    double *diagonal; /* d; NULL unless the Gram matrix is dear */
    double *sums;     /* likewise */
    int64_t many;     /* so many products cost as much as half a Gram matrix; 0: it is cheap */
    bool made;        /* there is a factor */
    bool sampled;     /* of a sample of rows */
} hsp_newton_factor;

int hsp_newton_factor_init(hsp_newton_factor *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start,
                           hsp_error **err);
void hsp_newton_factor_free(hsp_newton_factor *s);
hsp_step hsp_newton_factor_step(hsp_newton_factor *s, hsp_budget *budget);

#endif
