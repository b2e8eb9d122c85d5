/* Least squares and ridge for several targets with one factorisation, by the method that suits the shape of the data:
 *
 *   gram  n >= d: the centred Gram matrix, scaled to a unit diagonal, and Cholesky; refined with residuals from the rows
 *   qr    the same when the Gram matrix is too ill-conditioned: QR of the rows themselves, in blocks, then SVD of R
 *   dual  d > n (ridge: d >= n - 1): the n x n matrix of inner products and Cholesky, refined likewise
 *   svd   the same when that one is too ill-conditioned: SVD of the rows
 *   lsmr  neither d x d nor n x n is affordable: iterations with products only
 *
 * Where columns (or rows) depend on one another and nothing is penalised, the answer is that of minimum |w|. */
#ifndef HSP_SQUARES_SQUARES_SOLVE_H
#define HSP_SQUARES_SQUARES_SOLVE_H

#include "halfspace.h"
#include "problem/squares.h"

typedef enum hsp_squares_path {
    HSP_SQUARES_AUTO,
    HSP_SQUARES_GRAM,
    HSP_SQUARES_QR,
    HSP_SQUARES_DUAL,
    HSP_SQUARES_SVD,
    HSP_SQUARES_LSMR
} hsp_squares_path;

const char *hsp_squares_path_name(hsp_squares_path path);
/* The method that `auto` chooses for these rows. */
hsp_squares_path hsp_squares_choose_path(const hsp_squares *p);

enum { HSP_SQUARES_KEPT = 64 }; /* the most columns whose sums are kept */

typedef struct hsp_squares_answer {
    double *w, *b;                /* K x d and K */
    double *scores;               /* n x K, at that point; may be NULL when the problem is unscored */
    hsp_squares_figures *figures; /* K */
    double *excess;               /* K: P - P* or a bound of it; NaN where there is none */
    bool measured;                /* figures and excess are filled in */
    hsp_squares_path path;        /* the method used */
    double condition;             /* estimate for the factorised matrix: columns centred, of unit length; NaN: unknown */
    int64_t rank;                 /* -1 unknown */
    int64_t iterations;           /* lsmr */
    double reached; /* lsmr: relative duality gap (ridge) or residual of the normal equations (least squares) */
    int64_t *constant, constants;   /* columns that do not vary (free intercept) or are zero: weight 0 without a penalty */
    int64_t *dependent, dependents; /* columns that are combinations of the others: least squares only */
    /* The factorisation, kept for leave-one-out: A^-1 (or a pseudo-inverse) = T'T, ... */
    double *L,
        *scale;    /* ... as Cholesky factor of the scaled Gram (d x d) or of the scaled matrix of products (n x n), ... */
    double *T;     /* ... or as `rank` rows of d */
    double *spare; /* svd: 1 - leverage of each row */
    double *residuals; /* dual, ridge: n x K, more accurate than from the scores; NaN for rows without weight; else NULL */
    double deflation;  /* dual: the amount of hsp_frame_deflate. All arrays are owned */
    /* gram, with few columns and a free intercept: sums over the rows, with z = x - mean and t = y - mean. Else NULL. */
    double *gram, *cross, *mean; /* d x d: sum of c z z'; K x d: of c t z; d */
} hsp_squares_answer;

/* tol: the relative duality gap that lsmr must reach. */
int hsp_squares_solve(const hsp_squares *p, hsp_squares_path path, double tol, hsp_squares_answer *out, hsp_error **err);
void hsp_squares_answer_clear(hsp_squares_answer *a);

/* 1 - h_i of each row, h_i its leverage including the intercept: the residual of row i when it is left out of the fit (with
 * the same C) is r_i / (1 - h_i). NaN where h_i = 1: without the row its direction is undetermined. Not after lsmr:
 * HSP_EINTERNAL. */
int hsp_squares_spare(const hsp_squares *p, const hsp_squares_answer *a, double *spare, hsp_error **err);

/* Ridge: the lambda with the least leave-one-out squared error, over a grid and then a finer one around its best, at the cost
 * of one eigen-decomposition. Ignores p->C. */
typedef struct hsp_squares_search {
    double *lambda, *error; /* ascending; sum over outputs of c_i (y_i - g_i)^2, divided by the sum of c */
    int64_t count;
    double best;
} hsp_squares_search;

int hsp_squares_search_lambda(const hsp_squares *p, hsp_squares_search *out, hsp_error **err);
void hsp_squares_search_clear(hsp_squares_search *s);

#endif
