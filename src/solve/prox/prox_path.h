/* The optima of one problem for a decreasing sequence of lambda, by proximal Newton: each run continues from the last point,
 * with all that the solver has learnt (columns, matrices, gradients). */
#ifndef HSP_SOLVE_PROX_PROX_PATH_H
#define HSP_SOLVE_PROX_PROX_PATH_H

#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

typedef struct hsp_prox_path hsp_prox_path;

/* What is known at the end of a run. */
typedef struct hsp_path_end {
    hsp_evaluation at;
    double bound, gap; /* NaN: unknown */
    hsp_stop stop;     /* GAP, NO_PROGRESS, DIVERGED, MAX_SECONDS or CANCELLED */
    int64_t steps;     /* of the solver */
} hsp_path_end;

/* Whether runs gain by continuing this way: an L1 part, or a Hessian that is worth keeping from one lambda to the next. */
bool hsp_prox_path_suits(const hsp_problem *p);
/* p is posed at the smallest lambda of the path and stays borrowed: its lambda changes. Starts at weights of zero. */
int hsp_prox_path_new(hsp_problem *p, const hsp_rules *rules, hsp_prox_path **out, hsp_error **err);
void hsp_prox_path_free(hsp_prox_path *path);
/* Solves at lambda, from the last point. The weights of a tolerance that was missed are the best found. */
int hsp_prox_path_solve(hsp_prox_path *path, double lambda, double deadline, hsp_path_end *end, hsp_error **err);
/* The next run starts at this point instead of the last: d weights, the intercept, and the scores there (NULL: not known). */
void hsp_prox_path_start(hsp_prox_path *path, const double *w, double b, const double *scores);
/* The last point: d weights of the design, and the intercept. */
void hsp_prox_path_point(const hsp_prox_path *path, double *w, double *b);

/* The scores at the last point and the feasible multipliers that prove its bound, n each, borrowed until the next run. False:
 * the bound was proved in another way. */
bool hsp_prox_path_rows(const hsp_prox_path *path, const double **scores, const double **multipliers);

/* Sets C, lambda and the scale of a problem with a penalty. */
void hsp_prox_path_pose(hsp_problem *p, double lambda);

#endif
