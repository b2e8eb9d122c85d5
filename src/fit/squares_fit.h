/* What least-squares and ridge share: from a fit to a problem of squares, and from its answer to results and report. */
#ifndef HSP_FIT_SQUARES_FIT_H
#define HSP_FIT_SQUARES_FIT_H

#include "fit/fit.h"
#include "halfspace.h"
#include "problem/squares.h"
#include "squares/squares_solve.h"

/* Solves, and fills weights, results, details, warnings and extras. */
int hsp_fit_squares(hsp_fit *f, bool ridge, hsp_error **err);

/* Leave-one-out figures: sums over the rows where it is defined. */
typedef struct hsp_loo {
    double press; /* sum of c_i (y_i - g_i)^2 over rows and outputs, g_i from the fit without row i */
    double rmse;  /* sqrt(press / sum of c) */
    double error; /* classification: share of rows on the wrong side */
    int64_t undefined;
} hsp_loo;

/* The report's own object, from all that is known; loo, scores and search may be NULL. */
int hsp_squares_details(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_loo *loo,
                        const double *scores, const hsp_squares_search *search, hsp_error **err);
/* One line for --verbose and, where something is amiss, more for the warnings. A search of count 0 is none. */
void hsp_squares_speak(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_squares_search *search);
/* Extras second-moment and cross-moment, for few columns. */
int hsp_squares_moments(hsp_fit *f, const hsp_squares *p, hsp_error **err);

#endif
