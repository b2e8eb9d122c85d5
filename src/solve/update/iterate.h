/* The moving point of the stochastic solvers, so written that a step costs no more than the row that it visits:
 *
 *     w = a (u - t p)        a: all the multiplicative shrinking; t: what centring adds to a sparse row (x' = z - p)
 *
 * Soft thresholds (L1) are kept as a running total and applied to a weight when it is next needed. The average of all
 * iterates is kept as A u - q. With centring or averaging, L1 cannot wait and costs d per step. */
#ifndef HSP_SOLVE_UPDATE_ITERATE_H
#define HSP_SOLVE_UPDATE_ITERATE_H

#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "problem/point.h"

typedef struct hsp_iterate {
    const hsp_design *D;
    double *u, a, t, b;
    double pu; /* p.u */
    /* L1, lazily: threshold total (in units of u) and, for each weight, the total up to which it was applied */
    bool l1, eager;
    double total, *applied;
    /* averaging: sum of the iterates = A (u - t p) - (q - qt p); eagerly q is the sum itself */
    bool averaging;
    double *q, A, qt, sum_b, count;
} hsp_iterate;

int hsp_iterate_init(hsp_iterate *it, const hsp_design *D, const hsp_point *start, bool l1, bool averaging,
                     hsp_error **err);
void hsp_iterate_free(hsp_iterate *it);

/* g_i = w.x'_i + b. row is hsp_design_row(D, i, ...). */
double hsp_iterate_score(hsp_iterate *it, int64_t i, hsp_row row);
/* w += c x'_i */
void hsp_iterate_add(hsp_iterate *it, int64_t i, hsp_row row, double c);
/* w *= s */
void hsp_iterate_shrink(hsp_iterate *it, double s);
/* w = soft(w, t) */
void hsp_iterate_threshold(hsp_iterate *it, double t);
/* Counts the present point into the average. */
void hsp_iterate_count(hsp_iterate *it);
/* Brings w to plain form (a = 1, t = 0, no thresholds pending): once an epoch, against the drift of rounding. */
void hsp_iterate_settle(hsp_iterate *it);
/* The present weights, d of them, and nothing is settled by it. */
void hsp_iterate_peek(const hsp_iterate *it, double *w);
/* Writes the present point (after settling) or the average. */
void hsp_iterate_export(hsp_iterate *it, bool average, hsp_point *out);

#endif
