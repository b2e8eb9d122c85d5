/* The iterate of the stochastic solvers, represented so that an update costs no more than the entries of its row:
 *
 *     w = a (u - t p)        a: the product of all shrink factors; t: the part of centring (a sparse row is x' = z - p)
 *
 * Soft thresholds (L1) are kept as a running total and applied to a weight when it is next needed. The average of all
 * iterates is kept as A u - q. With centring or averaging, L1 cannot be deferred and costs d per step. */
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
    /* L1: the total of the thresholds (in units of u) and, for each weight, the total applied so far; eager: not deferred */
    bool l1, eager;
    double total, *applied; /* owned, as are u and q */
    /* averaging: sum of the iterates = A (u - t p) - (q - qt p); eager: q is the sum itself */
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
/* Adds the present point to the average. */
void hsp_iterate_count(hsp_iterate *it);
/* Normalises the representation (a = 1, t = 0, no thresholds pending): once an epoch, to limit rounding errors. */
void hsp_iterate_normalise(hsp_iterate *it);
/* The present weights (d), without normalising. */
void hsp_iterate_peek(const hsp_iterate *it, double *w);
/* Normalises, then writes the present point or the average. */
void hsp_iterate_export(hsp_iterate *it, bool average, hsp_point *out);

#endif
