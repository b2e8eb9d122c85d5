/* Symmetric positive semidefinite matrices of an explanation: eigenvalues, rank, null directions, solutions. */
#ifndef HSP_EXPLAIN_SYMMETRIC_H
#define HSP_EXPLAIN_SYMMETRIC_H

#include "explain/derivation.h"
#include "halfspace.h"

/* All arrays are scratch of the derivation. Rank and solutions are those of D A D with the diagonal 1, so that they do not
 * depend on the units of the columns. */
typedef struct hsp_symmetric {
    int64_t d, rank;
    double *e;        /* d: eigenvalues of A, descending */
    double *null;     /* (d - rank) x d: combinations of the columns that are 0; each has its own column with the factor 1 */
    int64_t *pivot;   /* d - rank: that column */
    double condition; /* largest over smallest eigenvalue; infinite if A is singular */
    double *V, *s;    /* eigenvectors (rows) and eigenvalues, ascending, of D A D */
    double *scale;    /* d: the diagonal of D */
} hsp_symmetric;

/* hsp_eigen (factor.h) with an error message. */
int hsp_symmetric_eigen(double *A, int64_t d, double *e, hsp_error **err);
int hsp_symmetric_new(hsp_derivation *v, const double *A, int64_t d, hsp_symmetric *out, hsp_error **err);
/* Sets elements to 0 that are only rounding errors beside the diagonal. */
void hsp_symmetric_chop(double *A, int64_t d);
/* x (d) = a solution of A x = r; the null directions of D A D get nothing. */
void hsp_symmetric_solve(const hsp_symmetric *S, const double *r, double *x);
/* A sentence with the eigenvalues of the matrix called `of`, and the value `name`: all of them, or the six largest and the six
 * smallest. */
void hsp_symmetric_describe(hsp_derivation *v, const hsp_symmetric *S, const char *of, const char *name);
/* One line for each null direction: "x_3 = 2 x_1 + 5". ones: column 0 is the row of ones. Also the value `null`: one row for
 * each, with all columns up to HSP_TABLE_WIDTH, else those of the shown features. */
void hsp_symmetric_describe_null(hsp_derivation *v, const hsp_symmetric *S, bool ones);

#endif
