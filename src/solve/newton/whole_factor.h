/* The Hessian of hessian.h as a matrix, with the intercepts eliminated, and its Cholesky factor: a preconditioner that leaves
 * only rounding errors to conjugate gradients. */
#ifndef HSP_SOLVE_NEWTON_WHOLE_FACTOR_H
#define HSP_SOLVE_NEWTON_WHOLE_FACTOR_H

#include "solve/newton/hessian.h"

typedef struct hsp_whole_factor {
    const hsp_hessian *H; /* borrowed */
    int64_t size;         /* K d */
    double *A;            /* size x size; all arrays are owned */
    double *G;            /* d x d: one block; NULL for one output */
    double *scale;        /* size */
    double *h;            /* n: weights of a block */
    double *m;            /* d: centre */
    double *border;       /* size x K: the intercepts' part; NULL for one output */
    double *solved;       /* size x K */
} hsp_whole_factor;

/* HSP_OK or HSP_EMEMORY; call hsp_whole_factor_free in any case. */
int hsp_whole_factor_init(hsp_whole_factor *s, const hsp_hessian *H);
void hsp_whole_factor_free(hsp_whole_factor *s);
/* Sums and factorises the present curvature of H: HSP_OK or HSP_EMEMORY. `factor` is an hsp_whole_factor. */
int hsp_whole_factor_make(void *factor);
/* z = the Hessian's inverse times r, up to rounding: for hsp_inner.precondition. */
void hsp_whole_factor_solve(void *factor, const double *r, double *z);

#endif
