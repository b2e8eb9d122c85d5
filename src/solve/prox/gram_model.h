/* The quadratic model of prox_newton.h as a matrix in all weights: see gram_model.c. */
#ifndef HSP_SOLVE_PROX_GRAM_MODEL_H
#define HSP_SOLVE_PROX_GRAM_MODEL_H

#include "halfspace.h"
#include "solve/loop/solver.h"
#include "solve/prox/coordinate.h"
#include "solve/prox/prox_newton.h"

/* Owns all its arrays. */
typedef struct hsp_gram_model {
    hsp_quadratic quadratic;
    double *centre, *sum;   /* d: subtracted from the rows; sums of a pass */
    double *cross;          /* m x K, m = K d: sum_i H_i[k, l] (x_ij - centre_j) */
    double *delta;          /* m */
    double *block, *weight; /* d x d and n: scratch */
    double *base, *used; /* one output: the Gram matrix about the centre, d x d, and the n curvatures it was built with */
    bool based;          /* there is such a matrix */
    double line;         /* largest relative error allowed in those curvatures */
    int64_t age;         /* steps since the matrix was last computed from all rows */
    double ridge;        /* on the diagonal of quadratic.A */
    bool lasting;        /* one output: the matrix stays as it is until a step makes little progress */
    bool due;            /* that has happened */
} hsp_gram_model;

/* Creates s->gram; the caller frees it, after a failure too. */
int hsp_gram_model_init(hsp_prox *s, hsp_error **err);
void hsp_gram_model_free(hsp_gram_model *G); /* NULL is allowed */
/* Takes the matrix of a model of the same rows for the first `before` columns; `known` is not changed. Dense rows of doubles,
 * one output. HSP_OK or HSP_EMEMORY. */
int hsp_gram_model_extend(hsp_prox *s, const hsp_gram_model *known, int64_t before, hsp_error **err);
/* Sets s->move; leaves violations of the model's conditions below tol. False: out of memory. */
bool hsp_gram_model_solve(hsp_prox *s, double tol, hsp_budget *budget);
/* Whether the next model has the curvatures of the last, so that nobody needs those of the point. */
static inline bool hsp_gram_model_keeps(const hsp_gram_model *G) {
    return G->lasting && G->based && !G->due;
}
/* The last step made little progress: allow smaller errors in the next matrix. */
void hsp_gram_model_sharpen(hsp_gram_model *G);

#endif
