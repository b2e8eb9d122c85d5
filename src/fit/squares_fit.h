/* What least-squares and ridge share: posing the least-squares problem of a fit, and storing and reporting its solution. */
#ifndef HSP_FIT_SQUARES_FIT_H
#define HSP_FIT_SQUARES_FIT_H

#include "fit/fit.h"
#include "halfspace.h"
#include "problem/squares.h"
#include "squares/squares_solve.h"

/* Solves, and fills in weights, results, details, warnings and extras. */
int hsp_fit_squares(hsp_fit *f, bool ridge, hsp_error **err);

/* Leave-one-out figures: sums over the rows where it is defined. */
typedef struct hsp_loo {
    double press; /* sum of c_i (y_i - g_i)^2 over rows and outputs, g_i from the fit without row i */
    double rmse;  /* sqrt(press / sum of c) */
    double error; /* classification: share of misclassified rows */
    int64_t undefined;
} hsp_loo;

/* Builds the report's member "ridge" or "least_squares"; loo, scores and search may be NULL. */
int hsp_squares_details(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_loo *loo,
                        const double *scores, const hsp_squares_search *search, hsp_error **err);
/* Logs one line for --verbose and adds warnings about problems. A search with count 0 means that there was none. */
void hsp_squares_log(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_squares_search *search);
/* Adds the extras second-moment and cross-moment if there are few columns. */
int hsp_squares_moments(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, hsp_error **err);

#endif
