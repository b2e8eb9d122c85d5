/* Points between two optima of a path with an L1 penalty, without a run. Let lambda = (1 - x) lambda_a + x lambda_b. The
 * multipliers
 *     r = (1 - x) r_a + x r_b
 * satisfy |sum_i c_i r_i x_ij| <= sum_c lambda in every column, because r_a and r_b do so for their lambda; and the other
 * conditions of the dual are convex. So r proves a bound without a pass over the columns, and the point
 *     w = (1 - x) w_a + x w_b,    with scores interpolated likewise,
 * costs nothing but its losses. Its gap is proved like any other: it is taken if the gap is within the tolerance, else
 * lambda is solved. Between two changes of the set of weights the error is of fourth order in the distance; with the
 * squared loss it is 0. */
#ifndef HSP_SELECT_PATH_BETWEEN_H
#define HSP_SELECT_PATH_BETWEEN_H

#include "halfspace.h"
#include "problem/problem.h"
#include "solve/prox/prox_path.h"

/* An optimum with all that is needed around it. The arrays are owned. */
typedef struct hsp_path_anchor {
    double lambda, b;
    double *w, *scores, *r; /* d, n and n */
    hsp_path_end end;
    bool known; /* scores and r are there */
} hsp_path_anchor;

int hsp_path_anchor_new(const hsp_problem *p, hsp_path_anchor *out, hsp_error **err);
void hsp_path_anchor_clear(hsp_path_anchor *a);
/* The last point of the path. */
void hsp_path_anchor_set(hsp_path_anchor *a, const hsp_prox_path *path, const hsp_problem *p, const hsp_path_end *end);
/* Sets `out` to the point between a and b at lambda, if its gap is at most tol; false: it is not. Uses the scratch of p,
 * whose scores and slopes are as before afterwards, and whose lambda must be that of the point. */
bool hsp_path_between(const hsp_path_anchor *a, const hsp_path_anchor *b, const hsp_problem *p, double tol,
                      hsp_path_anchor *out);
/* Sets `out` to the point beyond b on the line from a, at the lambda of p. Whether its objective is below that of b there:
 * then it is the better start of a run. */
bool hsp_path_beyond(const hsp_path_anchor *a, const hsp_path_anchor *b, const hsp_problem *p, hsp_path_anchor *out);

#endif
