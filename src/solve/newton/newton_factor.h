/* Cholesky factors of Hessians, regularised where they are singular up to rounding. */
#ifndef HSP_SOLVE_NEWTON_NEWTON_FACTOR_H
#define HSP_SOLVE_NEWTON_NEWTON_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

/* A (N x N, upper triangle) <- the Cholesky factor of diag(scale) A diag(scale) with a diagonal of ones, to which nothing,
 * `least` or more is added until it can be factorised and, if `strict`, is far enough from singular. *exact: nothing was
 * added. HSP_OK or HSP_EMEMORY. */
int hsp_newton_cholesky(double *A, int64_t N, const double *scale, double least, bool strict, bool *exact);
/* Likewise for A (N x N, both triangles) + ridge I; sets scale (N) so that the diagonal becomes ones. */
int hsp_newton_factorise(double *A, int64_t N, double ridge, double *scale, bool *exact);
/* z = A^-1 r by the factor. */
void hsp_newton_factor_solve(const double *A, int64_t N, const double *scale, const double *r, double *z);

#endif
