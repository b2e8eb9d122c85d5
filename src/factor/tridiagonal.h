/* The steps of hsp_eigen. Matrices are d x d with numbers of at most about 1. */
#ifndef HSP_FACTOR_TRIDIAGONAL_H
#define HSP_FACTOR_TRIDIAGONAL_H

#include <stdint.h>

/* A = Q T Q', T tridiagonal with the diagonal e and off[k] between k and k + 1 (d - 1 of them). Reads the lower triangle;
 * leaves there the reflections, with their tau (d). HSP_OK, HSP_EMEMORY or HSP_ECANCELLED. */
int hsp_tridiagonal(double *A, int64_t d, double *e, double *off, double *tau);
/* P (zeros) becomes Q'. A is overwritten. HSP_OK, HSP_EMEMORY or HSP_ECANCELLED. */
int hsp_tridiagonal_basis(double *A, int64_t d, const double *tau, double *P);
/* e becomes the eigenvalues, in no order, and P becomes V'P, where T = V diag(e) V'. off is overwritten. HSP_OK,
 * HSP_EMEMORY, HSP_ECANCELLED, or HSP_EINTERNAL: no convergence. */
int hsp_tridiagonal_solve(int64_t d, double *e, double *off, double *P);

#endif
