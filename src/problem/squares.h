/* The squared loss with several targets over one design: what least squares and ridge minimise, output by output,
 *
 *     P(w, b) = |w|^2 / 2 + C sum_i c_i (y_i - g_i)^2 / 2,   g_i = w.x_i + b      (ridge; b^2 / 2 more: penalised)
 *     P(w, b) =               sum_i c_i (y_i - g_i)^2 / 2                         (least squares)
 *
 * and how far a point is from the optimum, recomputed from the rows for all outputs in one pass each way (X w and X' r). */
#ifndef HSP_PROBLEM_SQUARES_H
#define HSP_PROBLEM_SQUARES_H

#include "data/schema.h"
#include "design/design.h"
#include "halfspace.h"
#include "problem/problem.h"

#include <math.h>

typedef struct hsp_squares {
    const hsp_design *design;
    int64_t K;       /* outputs */
    const double *Y; /* n x K */
    const double *c; /* n row weights, or NULL: all 1 */
    hsp_intercept intercept;
    double C;                 /* NaN: no penalty */
    bool regression;          /* no error rate */
    bool unscored;            /* the scores at the solution are not needed: saves a pass over the rows */
    const hsp_schema *schema; /* names of the columns for messages; NULL: numbers */
    const int32_t *group;     /* n, in 0 .. groups - 1: rows of one group have the same targets; NULL: not known */
    int64_t groups;
} hsp_squares;

static inline bool hsp_squares_penalised(const hsp_squares *p) {
    return !isnan(p->C);
}
static inline double hsp_squares_weight(const hsp_squares *p, int64_t i) {
    return p->c ? p->c[i] : 1;
}
/* Numbers up to this can be squared and summed without overflow. */
#define HSP_SQUARES_LARGEST 1e140

double hsp_squares_mass(const hsp_squares *p);  /* sum of c */
int64_t hsp_squares_rows(const hsp_squares *p); /* with positive weight */
/* HSP_EINPUT when a target exceeds `limit`, a weight its square (or all are below the inverse of that), or when the sum of
 * the weights overflows. */
int hsp_squares_check(const hsp_squares *p, double limit, hsp_error **err);
/* The weight of |w|^2 / 2 against the plain sum of squares: 1 / C, or 0. */
static inline double hsp_squares_mu(const hsp_squares *p) {
    return hsp_squares_penalised(p) ? 1 / p->C : 0;
}

/* Weighted sums over the rows of one output: r^2, r, 1 for rows on the wrong side, (|y| + |g|)^2. */
typedef struct hsp_squares_sums {
    double squares, residuals, wrong, size;
} hsp_squares_sums;

/* All outputs in one loop over the rows, in fixed blocks: the same bits for any number of threads. g = scores + offset (K;
 * NULL: 0; scores NULL: g = 0) and r = T - scores, where T (n x K) is Y - offset. R, unless NULL, gets c r and may be the
 * scores themselves. */
int hsp_squares_sum(const hsp_squares *p, const double *T, const double *offset, const double *scores, double *R,
                    hsp_squares_sums *out, hsp_error **err);

/* One output at a point. */
typedef struct hsp_squares_figures {
    hsp_evaluation at;
    double excess; /* ridge: P - D, which is never negative; least squares: what a better intercept alone could gain */
    double tilt;   /* the part of it that a better free intercept could gain */
    double size;   /* sqrt(sum c (|y| + |g|)^2): the scale of rounding errors in the residuals */
} hsp_squares_figures;

/* The figures that follow from the sums; excess is the tilt alone. */
hsp_squares_figures hsp_squares_figures_of(const hsp_squares *p, hsp_squares_sums s, double mass, const double *w,
                                           double b);
/* Fills scores (n x K) and pull (K x d) = sum_i c_i r_i x_i with the residuals r, less their mean when the intercept is
 * free. The dual value of ridge at the multipliers r is
 *
 *     D = C sum c_i (r_i y_i - r_i^2 / 2) - |C pull|^2 / 2     (penalised: - (C sum c_i r_i)^2 / 2)
 *
 * and P - D = |w - C pull|^2 / 2 + the intercept's part, a sum of squares without cancellation. */
int hsp_squares_measure(const hsp_squares *p, const double *W, const double *b, double *scores, double *pull,
                        hsp_squares_figures *out, hsp_error **err);
/* The figures of all outputs at w = 0, b = 0: K. */
int hsp_squares_at_zero(const hsp_squares *p, hsp_evaluation *out, hsp_error **err);

#endif
