/* The quadratic model of an objective in a few columns, with an L1 norm, and its least point. */
#ifndef HSP_DRIVE_SPARSE_MODEL_H
#define HSP_DRIVE_SPARSE_MODEL_H

#include <stdint.h>

/* In the steps s of m weights and an intercept, the last:
 *
 *     slope.s + s' H s / 2 + sum_j rho |w_j + s_j| + ridge_j (w_j + s_j)^2 / 2
 *
 * H is packed (lower triangle, row after row) times C. */
typedef struct hsp_sparse_model {
    int64_t m; /* weights; m + 1 unknowns */
    double C, rho;
    const double *H;
    const double *slope; /* m + 1 */
    const double *w;     /* m + 1 */
    double ridge;        /* of the weights; of the intercept: */
    double ridge_b;      /* negative: it does not move */
    double *full, *factor; /* (m + 1)^2 each: scratch */
    double *step, *pull;   /* m + 1: the result, and H s */
    double *move;          /* m + 1: scratch */
    int64_t *active;       /* m + 1: scratch */
} hsp_sparse_model;

/* Minimises until no slope is off by more than `enough`, nearly. Returns the fall that the step promises. */
double hsp_sparse_model_minimise(hsp_sparse_model *q, double enough);

#endif
