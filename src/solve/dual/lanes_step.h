/* The step of all lanes at one row. */
#ifndef HSP_SOLVE_DUAL_LANES_STEP_H
#define HSP_SOLVE_DUAL_LANES_STEP_H

#include "loss/loss.h"
#include "solve/dual/lanes.h"

/* What a lane is and where it stands. */
typedef struct hsp_lanes_state {
    double weight[HSP_LANES];                         /* C: weight of a row's loss, times its own */
    double upper[HSP_LANES];                          /* of a multiplier: C, or INFINITY (squared hinge) */
    double ridge[HSP_LANES];                          /* 1 / (2 C) (squared hinge), or 0 */
    double rho[HSP_LANES];                            /* stiffness of the intercept */
    double live[HSP_LANES];                           /* 1: at work, 0: not */
    double b[HSP_LANES], r[HSP_LANES], vc[HSP_LANES]; /* intercept, sum alpha_i y_i, v.c */
    /* slopes of this epoch; rows at a bound that slope beyond those of the last are left out */
    double top[HSP_LANES], bottom[HSP_LANES], high[HSP_LANES], low[HSP_LANES];
    double gap[HSP_LANES];    /* of this epoch: sum of the rows' shares of the gap, as they were visited */
    double moved[HSP_LANES];  /* of this epoch: multipliers that changed, and ... */
    double wanted[HSP_LANES]; /* ... rows that were not beyond */
} hsp_lanes_state;

/* A row: upper, ridge and weight are the state's own where its weight is 1. */
typedef struct hsp_lanes_visit {
    const double *weight, *upper, *ridge, *y;
    double norm;
    double *score; /* in: of the row, with the intercept; used up */
    double *alpha; /* in and out */
    double *delta; /* out: y times the change */
    double *logit; /* in and out, logistic: log(alpha / (weight - alpha)) */
} hsp_lanes_visit;

enum { HSP_LANES_MOVED = 1, HSP_LANES_WANTED = 2 }; /* a multiplier changed; some lane may want the row again soon */
typedef unsigned hsp_lanes_step(hsp_lanes_state *s, const hsp_lanes_visit *v);

/* That of a loss, for this processor: the same bits from each. */
hsp_lanes_step *hsp_lanes_step_of(const hsp_loss *loss);

#endif
