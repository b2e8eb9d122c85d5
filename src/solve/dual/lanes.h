/* Several problems over the same rows, solved side by side by dual coordinate descent: the classes of one-vs-rest, and
 * whatever else differs in labels, C and row weights alone. Weights lie interleaved, HSP_LANES of them at each column, so
 * that one walk along a row serves all: its columns and values are read once, and each column is one line of the cache.
 *
 * A problem is |w|^2 / 2 + C sum_i c_i loss(y_i, w.x_i + b) with the hinge, the squared hinge or the logistic loss, over
 * sparse rows. See ascent.h for the free intercept and how one problem is solved; here a row is left out when no lane wants
 * it. */
#ifndef HSP_SOLVE_DUAL_LANES_H
#define HSP_SOLVE_DUAL_LANES_H

#include "data/matrix.h"
#include "design/design.h"
#include "design/packed.h"
#include "halfspace.h"
#include "kernel/level.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

#include <stdbool.h>

enum { HSP_LANES = HSP_LANES_SPARSE };

/* The rows, shuffled and packed, and what all lanes share of them. Read only once it is made: any number of threads. */
typedef struct hsp_lanes_rows {
    const hsp_design *design; /* borrowed */
    hsp_packed *packed;
    hsp_intercept intercept;
    const double *weight; /* n, borrowed: of the rows, where lanes have no other; NULL: all 1 */
    double *c, cc;        /* d: taken from all rows; NULL: 0 */
    double *cz, *norm;    /* by place: c.z_i and |z_i - c|^2 */
    double size;          /* mean of the norms */
} hsp_lanes_rows;

/* Whether lanes can be had: sparse rows, a pure L2 penalty, one of the losses. */
bool hsp_lanes_take(const hsp_problem *p);
/* weight: those of most lanes, or NULL. *out is NULL when there is no room for a copy of the rows: no error. */
int hsp_lanes_rows_new(const hsp_design *design, const double *weight, hsp_intercept intercept, uint64_t seed,
                       hsp_lanes_rows **out, hsp_error **err);
void hsp_lanes_rows_free(hsp_lanes_rows *R);
/* The row at a place. */
static inline hsp_row hsp_lanes_row(const hsp_lanes_rows *R, int64_t place) {
    return hsp_matrix_row(&R->packed->x, place);
}

typedef struct hsp_lane {
    int64_t id;       /* the caller's own */
    const double *y;  /* n: -1 or +1 */
    const double *c;  /* n: weights of the rows; NULL: all 1 */
    double C;         /* above 0 */
    hsp_point *point; /* with alpha. In: the start; out: the last point looked at, and the multipliers of its bound */
    hsp_outcome *out; /* stop NULL: not at the tolerance, and no limit was met: another solver goes on from the point */
    bool lonely;      /* it was left since too few lanes were still at work, not for want of progress */
} hsp_lane;

typedef struct hsp_lanes_rules {
    const hsp_loss *loss;
    double tol;         /* relative gap at which a lane ends */
    int64_t max_epochs; /* negative: no limit */
    double deadline;    /* hsp_clock_seconds(); INFINITY: none */
    uint64_t seed;
    int64_t least; /* so few lanes at work, and the rest is left */
    /* After each look at a lane, from the thread that solves it: true asks to stop all. NULL: nobody looks. */
    bool (*look)(void *ctx, const hsp_lane *lane, hsp_evaluation at);
    void *ctx;
} hsp_lanes_rules;

/* Solves at most HSP_LANES problems on the calling thread. out->epochs, updates, steps, seconds go on from what they are;
 * out->start is filled in when epochs is 0. */
int hsp_lanes_run(const hsp_lanes_rows *R, const hsp_lanes_rules *rules, hsp_lane *lanes, int64_t count, hsp_error **err);

#endif
