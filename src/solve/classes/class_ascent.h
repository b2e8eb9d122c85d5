/* Dual block coordinate ascent for the crammer-singer loss (Keerthi et al. 2008, A sequential dual method for large scale
 * multi-class linear SVMs). The dual gives row i parts u_ik >= 0 of its weight k_i = C c_i, sum_k u_ik = k_i:
 *
 *     max  sum_i (k_i - u_iy) - sum_k |w_k|^2 / 2,   w_k = sum_i beta_ik x_i,   beta_ik = k_i [k = y_i] - u_ik
 *
 * A visit to a row solves for its K parts exactly: a projection onto a simplex (simplex.h). Free intercepts are K constraints
 *
 *     t_k = sum_i beta_ik = 0,
 *
 * enforced by an augmented Lagrangian: its multipliers are the intercepts, which move by rho t_k after each epoch. The
 * penalty rho acts like a column of ones; a penalised intercept is that column with rho = 1 and no multiplier.
 *
 * Rows whose weight belongs to one class, by more than the rows that still change are off, are left out until the others have
 * settled (shrinking). Each epoch estimates the gap as the sum over the rows of
 *
 *     k_i max_k (g_ik + [k != y_i]) - sum_k u_ik (g_ik + [k != y_i])
 *
 * at their visits. The gap itself costs passes over all rows and is measured, by run.c, only when it matters. */
#ifndef HSP_SOLVE_CLASSES_CLASS_ASCENT_H
#define HSP_SOLVE_CLASSES_CLASS_ASCENT_H

#include "base/rng.h"
#include "halfspace.h"
#include "kernel/level.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

/* Rows still visited, and the limit beyond which they are left out. */
typedef struct hsp_class_visits {
    int64_t *order;        /* owned, n: rows with weight; the first `active` are visited */
    int64_t count, active; /* rows with weight, and those visited */
    int64_t at;            /* position in the present epoch */
    double limit, worst;   /* of the last epoch, and of this one: how far rows are from optimal, in scores */
} hsp_class_visits;

typedef struct hsp_class_ascent {
    hsp_problem *p;
    int64_t K, lanes;       /* lanes: K padded; K itself for dense rows */
    const hsp_level *level; /* kernels for sparse rows */
    hsp_rng rng;
    hsp_class_visits rows;
    double *v;              /* owned: sum_i beta_ik z_i; sparse: d x lanes, dense: K x d */
    double *u;              /* owned: n x K */
    double *norm;           /* owned: n: |x_i|^2 */
    double *tile;           /* owned: d */
    double *g, *before;     /* owned: lanes: scores of a row with the loss's ones; its parts, then their change */
    double *b, *t, *vp;     /* owned: lanes: multipliers, sums of beta, v.p of a centred design */
    double rho;             /* 0: no intercept */
    double share, dual;     /* sums over the present epoch: rows' shares of the gap; sum_i k_i - u_iy, kept up to date */
    double estimate, value; /* by the last whole epoch: of the gap, and of the dual */
    bool whole;             /* that epoch visited all rows */
    int64_t epoch;
} hsp_class_ascent;

/* The state begins as zeros. Starts from the multipliers of `start`, if it has any. HSP_OK or HSP_EMEMORY; call free in any
 * case. */
int hsp_class_ascent_init(hsp_class_ascent *s, hsp_problem *p, uint64_t seed, const hsp_point *start, hsp_error **err);
void hsp_class_ascent_free(hsp_class_ascent *s);
/* Visits the active rows, or as many as the budget allows. True: the epoch is complete. */
bool hsp_class_ascent_epoch(hsp_class_ascent *s, hsp_budget *budget);
/* Makes all rows active, and computes v from the multipliers again, to remove the rounding errors of many updates. */
void hsp_class_ascent_refresh(hsp_class_ascent *s);
/* Weights and intercepts of the present multipliers, and the multipliers r unless alpha is NULL. */
void hsp_class_ascent_export(const hsp_class_ascent *s, hsp_point *out);

#endif
