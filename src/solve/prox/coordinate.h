/* A quadratic with an L1 term, in few variables and to high accuracy:
 *
 *     minimise  q(u) = u'A u / 2 + c'u + sum_j t_j |u_j|,
 *
 * A symmetric, positive semidefinite, with both triangles. Coordinate descent finds the u that are zero. Where columns are
 * nearly dependent it converges slowly, so it alternates with Newton steps in the variables that are not zero, each with an
 * exact line search of the (piecewise quadratic) function. Every step lowers q. */
#ifndef HSP_SOLVE_PROX_COORDINATE_H
#define HSP_SOLVE_PROX_COORDINATE_H

#include "halfspace.h"
#include "penalty/penalty.h"
#include "solve/loop/solver.h"

typedef struct hsp_quadratic {
    int64_t capacity, m;  /* most variables, and their number */
    double *t;            /* >= 0; all arrays are owned */
    double *A;            /* m x m */
    double *u;            /* the point: in, and out */
    double *r;            /* A u + c: in, and out */
    double *L;            /* scratch: capacity x capacity, and the rest capacity each */
    double *step, *along; /* a Newton step s, and A s */
    int64_t *in;          /* the variables it moves */
    bool near;            /* the start is near the minimum */
} hsp_quadratic;

int hsp_quadratic_init(hsp_quadratic *Q, int64_t capacity, hsp_error **err);
void hsp_quadratic_free(hsp_quadratic *Q);
/* The violation of the optimality condition of u_j: |r_j + t sign(u_j)|, at zero max(0, |r_j| - t). */
static inline double hsp_l1_violation(double u, double r, double t) {
    double v = u > 0 ? r + t : u < 0 ? r - t : r > t ? r - t : r >= -t ? 0 : r + t; /* NaN stays NaN */
    return v < 0 ? -v : v;
}
/* The u_j that minimises q when its slope there is r and its curvature a > 0. */
static inline double hsp_l1_minimum(double u, double r, double a, double t) {
    return hsp_soft(a * u - r, t) / a;
}
/* Polls the clock and the cancel flag now, for work that is not counted in rows. */
static inline bool hsp_budget_poll(hsp_budget *budget) {
    budget->polled = budget->steps - 256;
    return hsp_budget_out(budget);
}
/* Descends until no condition is violated by more than tol, rounding stops the progress, `most` sweeps are done, or the
 * budget (which may be NULL) is out. Returns the largest violation left. */
double hsp_quadratic_descend(hsp_quadratic *Q, double tol, int64_t most, hsp_budget *budget);

#endif
