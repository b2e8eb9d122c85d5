/* Dense factorisations on the caller's thread. The order of every sum depends on the sizes alone: the same bits on every
 * processor. Matrices are row-major unless stated; symmetric ones have both triangles. */
#ifndef HSP_FACTOR_FACTOR_H
#define HSP_FACTOR_FACTOR_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdint.h>

/* Factorisations of at least this many rows or columns poll requests to cancel (base/clock.h), and end with HSP_ECANCELLED as
 * long as one is pending. Smaller ones take less than a second. */
enum { HSP_FACTOR_POLLED = 1000 };
bool hsp_factor_stopped(int64_t d);
/* The error of a factorisation that failed: out of memory, cancelled (takes the request), or that message. Returns the
 * status. */
int hsp_factor_fail(int status, const char *otherwise, hsp_error **err);

/* A = L L', L in place of the lower triangle; the strict upper triangle is unchanged. 0, the order k > 0 of the first
 * leading minor that is not positive definite, or HSP_ECANCELLED. */
int64_t hsp_cholesky(double *A, int64_t d);
/* Solves A x = b for `count` right-hand sides, each d contiguous numbers, in place. */
void hsp_cholesky_solve(const double *L, int64_t d, double *B, int64_t count);
/* Solves L x = b in place, likewise; |x|^2 = b' A^-1 b. */
void hsp_cholesky_forward(const double *L, int64_t d, double *B, int64_t count);
/* A x = b where L is the factor of diag(scale) A diag(scale), likewise. */
void hsp_cholesky_solve_scaled(const double *L, int64_t d, const double *scale, double *B, int64_t count);
/* The strict upper triangle of A becomes that of diag(scale) A diag(scale). */
void hsp_matrix_scale_upper(double *A, int64_t d, const double *scale);
/* The factor, in the lower triangle, of the matrix whose strict upper triangle A holds and whose diagonal is 1 + shift:
 * with the given shift, or the next of 0, first, 100 first, ... up to 1 that makes it positive definite. Returns the shift;
 * INFINITY: none did. */
double hsp_cholesky_shifted(double *A, int64_t d, double shift, double first);
/* The lower triangle becomes the factor of the identity. */
void hsp_cholesky_identity(double *A, int64_t d);
/* Estimate of 1 / (|A|_1 |A^-1|_1); norm is |A|_1 before it was factorised. NaN when out of memory. */
double hsp_cholesky_rcond(const double *L, int64_t d, double norm);
double hsp_matrix_norm1(const double *A, int64_t d); /* of a symmetric matrix */

/* A (not symmetric) becomes its inverse. 0, HSP_EMEMORY, HSP_ECANCELLED, or the order k > 0 of the first pivot that is 0 or not
 * finite. */
int64_t hsp_invert(double *A, int64_t d);

/* A = V' diag(e) V, symmetric: eigenvalues ascending, and row k of A becomes the k-th eigenvector. 0, HSP_EMEMORY,
 * HSP_ECANCELLED, or HSP_EINTERNAL when it does not converge. */
int hsp_eigen(double *A, int64_t d, double *e);

/* Singular values and right vectors of an n x d matrix (overwritten): A = U diag(s) Vt, s descending, min(n, d) of them;
 * Vt is min(n, d) x d; U (n x min(n, d)) may be NULL. 0, HSP_EMEMORY, HSP_ECANCELLED or
 * HSP_EINTERNAL. */
int hsp_svd(double *A, int64_t n, int64_t d, double *s, double *U, double *Vt);

/* QR with column pivoting of an n x d matrix (overwritten, column-major: column j at A + j n): the order of the columns,
 * and |R_jj| in that order (min(n, d) of them). R itself is left in the upper triangle of A. 0, HSP_EMEMORY,
 * HSP_ECANCELLED or HSP_EINTERNAL (numbers that are not finite). */
int hsp_pivoted_qr(double *A, int64_t n, int64_t d, int64_t *order, double *diagonal);

/* Updates a QR factorisation by rows, so that a matrix of any length can be factorised in blocks: R (d x d, upper,
 * column-major, its lower triangle unchanged) becomes the R of [R; B]. B is `count` x d, column-major (column j at
 * B + j count), and is overwritten. Start with R = 0. 0, HSP_EMEMORY or HSP_ECANCELLED. */
int hsp_qr_append(double *R, int64_t d, double *B, int64_t count);

#endif
