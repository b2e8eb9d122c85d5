/* The normal equations of least squares and ridge, (A + lambda I) theta = r, with the row of ones for the intercept. */
#ifndef HSP_EXPLAIN_NORMAL_EQUATIONS_H
#define HSP_EXPLAIN_NORMAL_EQUATIONS_H

#include "explain/derivation.h"
#include "halfspace.h"

#include <stdbool.h>

/* All arrays are scratch of the derivation. */
typedef struct hsp_normal_equations {
    bool ridge, ones;    /* ones: the intercept is a weight of the row of ones */
    bool singular;       /* A, without lambda */
    bool all;            /* A is computed for all columns, not only for the shown ones */
    double lambda, C;    /* 0 and NaN without a penalty */
    int64_t p;           /* columns of A: d, and the ones */
    double *A, *r;       /* p x p and outputs x p: the notes' A and b, before lambda */
    double *mean;        /* d: mean row */
    double *S, *s;       /* d x d and outputs x d: A and r about the means, with a free intercept; else those of A */
    double *target_mean; /* outputs */
    double *theta;       /* outputs x p */
    double *w, *b;       /* outputs x d and outputs: the same in parts */
} hsp_normal_equations;

/* Allocates, and sums A and r over the rows; lambda is set before. */
int hsp_normal_equations_sum(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err);
/* Fills theta, w and b. If the equations have many solutions, it is that of minimum |w|. */
int hsp_normal_equations_solve(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err);
/* The largest component of (A + lambda I) theta - r. */
double hsp_normal_equations_residual(const hsp_derivation *v, const hsp_normal_equations *q);
/* The largest component of r. */
double hsp_normal_equations_size(const hsp_normal_equations *q, int64_t outputs);
/* |w| and the mean loss of output v->k with another lambda, from the eigenvalues e (ascending) and eigenvectors V (rows) of S.
 * spread: the mean square of the targets, about their mean if the intercept is free. */
void hsp_normal_equations_at(const hsp_derivation *v, const hsp_normal_equations *q, const double *e, const double *V,
                             double lambda, double spread, double out[2]);

#endif
