/* Dual coordinate descent (Hsieh et al. 2008; logistic: Yu, Huang and Lin 2011) for one problem, or for several over the
 * same rows. A problem is the program of margin_values.h, or the same with the logistic loss:
 *
 *     dual       max  sum_i h_i(alpha_i) - |w|^2 / 2 (- t^2 / 2),   w = sum_i alpha_i y_i x_i,  t = sum_i alpha_i y_i
 *     box        h_i(a) = a - q_i a^2 / 2                                         0 <= a <= u_i
 *     entropy    h_i(a) = -a log(a / u_i) - (u_i - a) log(1 - a / u_i)            0 <= a <= u_i = C c_i
 *
 * A free intercept is the constraint t = 0, enforced by an augmented Lagrangian: its multiplier is the intercept, which moves
 * by rho t after each epoch. Since t is 0 at the optimum, any c may be subtracted from all rows without changing it. With c
 * about the mean of the rows the problem is far better conditioned, and sparse rows stay sparse: with v = sum alpha_j y_j z_j
 * and r = sum alpha_j y_j
 *
 *     w.(z_i - c) = v.z_i - r c.z_i - v.c + r c.c.
 *
 * A design that is centred itself (x_i = z_i - p) is the same with c = p.
 *
 * A penalised intercept is a column of ones, which adds -t^2 / 2 to the dual: with many rows the worst conditioned
 * direction of all. There b = t at the optimum, so t is held at the present intercept as a free one's is at 0, and r above
 * is t less that value. As a rule b hardly moves when t does, so that the value can follow b after each epoch (`steered`),
 * by shorter ways where it overshoots. With weak multipliers or large ridges, and where that does not settle, the column is
 * kept as it is.
 *
 * Rows are visited in buckets of neighbours in random order, with all data of a row in one place. Beside a column of ones
 * neighbours that always follow one another cost up to twice as many epochs, and single rows are visited in random order.
 * Rows at a bound that will stay there are left out (shrinking), and when half of them are, the others are packed. Each
 * epoch estimates the gap as the sum of the rows' shares at their visits; the gap itself, which costs a pass or two over
 * all rows, is measured only when it matters.
 *
 * A row may have columns of its own (design/frequent.h), whose squares sum to s_i, and which no other row needs. They add s_i
 * alpha_i to its margin and s_i alpha_i^2 to |w|^2: for a box that is the same as a ridge q_i + s_i.
 *
 * Problems that differ only in labels, C and row weights (the classes of one-vs-rest) are solved in the lanes of vector
 * registers: one pass along a sparse row serves all of them, since their v are interleaved, HSP_LANES at each column. They
 * share rows, order, buckets and epochs; a row is left out when no lane needs it. Everything but the visit itself is written
 * once, for any width: 1 or HSP_LANES. */
#ifndef HSP_SOLVE_DUAL_ASCENT_H
#define HSP_SOLVE_DUAL_ASCENT_H

#include "base/rng.h"
#include "design/design.h"
#include "design/packed.h"
#include "halfspace.h"
#include "kernel/level.h"
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

enum { HSP_LANES = HSP_LANES_SPARSE };
/* With fewer rows steps are those of the textbook, since there is nothing to save: no intercept is held, no step is longer. */
enum { HSP_ASCENT_SMALL = 500 };
/* Below this gap the finish (hsp_margin_polish) is reliable. */
#define HSP_ASCENT_NEAR 1e-6
/* Slopes of the dual below the first are rounding; multipliers below the second become 0, for the accuracy of the dual. */
#define HSP_ASCENT_ROUNDING 1e-14
#define HSP_ASCENT_LEAST 1e-290

/* ---- rows ---- */

/* The data of a row, in one block of memory, since each visit waits for it: one cache line for one problem. */
typedef struct hsp_ascent_item {
    double *alpha, *last, *y, *upper, *ridge; /* one for each lane; last: entropy: log(alpha / (u - alpha)); else the slope
                                                 of the dual at the last visit. ridge: entropy: the row's own (see below) */
    double *norm;                             /* |z_i - c|^2 */
    double *cz;                               /* c.z_i */
    double *out;                              /* 1: left out */
} hsp_ascent_item;

/* Rows by place: all of them, or the packed active ones. */
typedef struct hsp_ascent_rows {
    hsp_packed *x; /* owned */
    double *item;  /* owned: hsp_ascent_stride numbers for each place */
    int64_t *home; /* owned, of a part: the places among all */
} hsp_ascent_rows;

static inline int64_t hsp_ascent_stride(int width) {
    return (5 * width + 3 + 7) / 8 * 8;
}

static inline hsp_ascent_item hsp_ascent_at(const hsp_ascent_rows *R, int64_t place, int width) {
    double *e = R->item + place * hsp_ascent_stride(width), *own = e + 5 * width;
    return (hsp_ascent_item){e, e + width, e + 2 * width, e + 3 * width, e + 4 * width, own, own + 1, own + 2};
}

/* Calls an inlined function with the width, its last argument, as a constant: for loops over all items. */
#define HSP_ASCENT_INLINE static inline __attribute__((always_inline))
#define HSP_ASCENT_BY_WIDTH(s, call, ...) ((s)->width == 1 ? call(s, __VA_ARGS__, 1) : call(s, __VA_ARGS__, HSP_LANES))

/* The rows that count in some lane, and which of them are active. */
typedef struct hsp_ascent_set {
    hsp_ascent_rows all, part, *now; /* now: one of the two; part.x NULL: not enough memory for packed rows */
    int64_t rows;                    /* that count */
    int64_t loaded;                  /* places of `all` whose items are initialised */
    int64_t *order;                  /* owned, n: places of `now`; the first `active` are active; ascending */
    int64_t active, *bucket;         /* bucket: owned, n */
    int64_t *turn;                   /* owned, n; the active places in the order of this epoch; NULL: buckets of neighbours */
    int64_t few;                     /* consecutive epochs with at most half of the rows of `now` active */
    int64_t unchanged;               /* epochs since rows were packed or reactivated */
} hsp_ascent_set;

/* ---- lanes ---- */

/* What visits read and change, for each lane. */
typedef struct hsp_ascent_moving {
    double live[HSP_LANES];                 /* 1: running, 0: not */
    double b[HSP_LANES], rho[HSP_LANES];    /* the intercept for rows less c, and the penalty; not steered: 0, 1 */
    double r[HSP_LANES], vc[HSP_LANES];     /* sum alpha_i y_i; v.c */
    double held[HSP_LANES];                 /* steered: where r is held: 0, or at the estimate of a penalised intercept */
    double pull[HSP_LANES], off[HSP_LANES]; /* the part of the way that it moves to a new estimate; how far it was off */
    double high[HSP_LANES], low[HSP_LANES]; /* of the slopes in the last epoch: rows at a bound beyond them are left out */
    double top[HSP_LANES], bottom[HSP_LANES]; /* of the slopes in this epoch */
    double share[HSP_LANES];                  /* rows' shares of the gap in this epoch */
    double value[HSP_LANES];                  /* of the augmented dual */
    double updates[HSP_LANES];                /* multipliers changed in this epoch */
    double over[HSP_LANES];                   /* boxes: steps are so many times those to the best multiplier of a row */
    double work;                              /* numbers visited in epochs */
    double until_measured;                    /* ... before the last measurement */
    bool steered;                             /* r is held at a value by a multiplier, the intercept */
} hsp_ascent_moving;

/* A finished epoch: the estimate of the gap, and numbers visited so far. */
typedef struct hsp_ascent_mark {
    int64_t epoch;
    double gap, work;
} hsp_ascent_mark;

enum { HSP_ASCENT_MARKS = 256 };

/* The progress of a lane. */
typedef struct hsp_ascent_pace {
    double estimate; /* of the relative gap, by the last epoch */
    double before;   /* by the one before */
    double ratio;    /* of a measured gap to the expected one */
    hsp_ascent_mark past[HSP_ASCENT_MARKS];
    int64_t marks;
    int slow;  /* consecutive marks at which progress was hopeless */
    bool warm; /* warm start */
    bool rose; /* the last estimate was above the one before */
} hsp_ascent_pace;

/* The figures of a lane's point at the last measurement. */
typedef struct hsp_ascent_figures {
    double gap;
    double *w, *scores;   /* owned: d, n; w is v itself for one problem whose design is not centred; lean: w is NULL */
    double best_b, own_b; /* the best intercept for them, and that of the augmented Lagrangian */
    double square;        /* lean: |w|^2 */
    bool bounded;         /* lean: some multipliers are at their bounds */
    struct {              /* lean: the best primal point so far, and the best bound; the gap is theirs */
        double primal, dual, b, square; /* b: the intercept; square: |w|^2 */
        double *scores, *alpha;         /* owned, n each: X w; w combines these multipliers */
        double *trial;                  /* owned, n: scratch */
    } best;
    double primal, dual; /* objectives */
    hsp_evaluation at;   /* where there is a problem */
} hsp_ascent_figures;

typedef struct hsp_ascent_lane {
    const hsp_margin *m;
    bool one_sided; /* a free intercept and one class: nothing to solve */
    hsp_ascent_pace pace;
    hsp_ascent_figures figures;
} hsp_ascent_lane;

/* ---- the method ---- */

/* The problems to solve. All borrowed; must outlive the ascent, except for the starts. */
typedef struct hsp_ascent_task {
    int64_t count;       /* of problems: 1, or up to HSP_LANES over one design of sparse rows with one loss and intercept */
    const hsp_margin *m; /* one for each; all with the same aim */
    /* One for each; NULL: multipliers of 0. Without weights (w NULL) its intercept is that of moving.b. */
    const hsp_margin_point *const *start;
    bool entropy; /* the logistic loss */
    bool lean;    /* only scores are wanted: no weights are kept, and nothing is exported */
    bool distant; /* lean: no start of a loss with a box is worth measuring */
    uint64_t seed;
} hsp_ascent_task;

typedef struct hsp_ascent {
    const hsp_design *design;
    hsp_intercept intercept;
    int width, count;
    bool entropy;
    bool followed; /* a second-order method for smooth losses may take over */
    double aim;    /* relative gap to reach; 0: measured only at fixed epochs */
    hsp_rng rng;
    hsp_ascent_set set;
    hsp_ascent_moving moving;
    double *v_memory, *v;  /* owned: d x width, aligned: sum alpha_i y_i z_i, of all lanes */
    double *c, cc;         /* owned, d: subtracted from all rows, NULL: 0; c.c */
    double *scratch;       /* owned: 2 n */
    double *repair;        /* owned: n x width; lean only, NULL: it is not */
    hsp_ascent_lane *lane; /* owned: count */
    int64_t epoch;         /* finished */
    int64_t at;            /* buckets visited in the next one */
    int64_t within;        /* rows visited in the next bucket; not 0 only while a watched run pauses */
    int64_t recomputed;    /* epoch in which v was last computed from the multipliers */
    int64_t next_measure;  /* epoch of the next measurement */
    int64_t last_measure;  /* ... and of the last */
    double measuring;      /* numbers visited for measurements */
    bool measured;         /* the figures of the lanes are those of the present point */
} hsp_ascent;

/* HSP_OK or HSP_EMEMORY. The state begins as zeros. */
int hsp_ascent_init(hsp_ascent *s, const hsp_ascent_task *task, hsp_error **err);
void hsp_ascent_free(hsp_ascent *s);
/* An epoch, or the part of it that the budget allows; fills in the result for each running lane. QUIET: nothing was measured;
 * MORE: the gap was, or the budget is out; DONE: all slopes are 0 up to rounding; STALLED: another method would be faster;
 * FAILED, which ends the lane; ENDLESS: logistic with one class. */
void hsp_ascent_epoch(hsp_ascent *s, hsp_budget *budget, hsp_step *result);
/* The weights (d) and the intercept of the present point of a single problem, in the design's units, without any change. */
void hsp_ascent_peek(const hsp_ascent *s, double *w, double *b);
/* Measures the gap of the present points, with w, best_b, scores and objectives, unless that is done. With a free intercept
 * the multipliers are changed slightly so that alpha_i y_i sum to 0. */
void hsp_ascent_measure(hsp_ascent *s);
/* The part of hsp_ascent_measure that is of its own when lean; and its duals alone, which leave the point unmeasured. */
void hsp_ascent_measure_lean(hsp_ascent *s);
void hsp_ascent_measure_duals(hsp_ascent *s);
/* The weights (d) of a lane as of its multipliers. */
void hsp_ascent_weights(const hsp_ascent *s, int lane, double *w);
/* The multipliers of a lane in the order of the design. */
void hsp_ascent_alpha(const hsp_ascent *s, int64_t lane, double *alpha);
/* The present point of a lane, measured. */
void hsp_ascent_export(hsp_ascent *s, int64_t lane, hsp_margin_point *out);
/* Epochs of the present size, and numbers to visit, from here to a relative gap, at the pace of the later half of the run;
 * INFINITY: never. */
double hsp_ascent_need(const hsp_ascent *s, int64_t lane, double gap, double *work);
/* The approximate cost of this many steps of the finish from a lane's present point, in numbers visited: each step takes some
 * passes over the rows and a factorisation, by columns or by the rows inside their boxes, of which 20 operations cost as much
 * as one number of a pass. */
double hsp_ascent_finish(const hsp_ascent *s, int64_t lane, int steps);

/* ---- parts ---- */

static inline bool hsp_ascent_live(const hsp_ascent *s, int64_t lane) {
    return s->moving.live[lane] > 0;
}
/* Whether the losses have a continuous slope. A hinge stays one when some rows have columns of their own, as ridges. */
static inline bool hsp_ascent_smooth(const hsp_ascent *s) {
    const hsp_margin *m = s->lane[0].m;
    bool kinked = s->repair && !(m->problem->loss->traits & HSP_LOSS_SMOOTH);
    return s->entropy || (m->ridge && !kinked);
}
/* The dual of a lane less what its visits increase, moving.value: D(alpha) = sum_i h_i - |v|^2 / 2 (- r^2 / 2) less the terms
 * that hold r. */
double hsp_ascent_held_terms(const hsp_ascent *s, int64_t lane);
/* Goes on with the column of ones of a penalised intercept as it is. */
void hsp_ascent_let_go(hsp_ascent *s);
/* The intercept of the augmented Lagrangian for the rows themselves. */
double hsp_ascent_intercept(const hsp_ascent *s, int64_t lane);
/* The number of running lanes. */
int64_t hsp_ascent_at_work(const hsp_ascent *s);
/* v += delta_k x in each lane k, for the row at a place. */
void hsp_ascent_add_row(hsp_ascent *s, const hsp_ascent_rows *R, int64_t place, const double *delta);
/* The kernels' form of a packed sparse row. */
int hsp_ascent_form(const hsp_packed *P);
/* Initialises the items of all places below `until`. */
void hsp_ascent_load(hsp_ascent *s, int64_t until);
/* Makes all rows active. */
void hsp_ascent_reactivate(hsp_ascent *s);
/* After a measurement: reactivates rows that should not have been left out. */
void hsp_ascent_take_back(hsp_ascent *s);
/* Removes the rows left out from the active ones, and packs these when they have become few. */
void hsp_ascent_compact(hsp_ascent *s);
/* Copies the multipliers of the packed rows to their places among all rows; and back. */
void hsp_ascent_copy_home(hsp_ascent *s);
void hsp_ascent_copy_out(hsp_ascent *s);
/* Computes v, r and v.c from the multipliers of `all`, to remove the rounding errors of many updates. */
void hsp_ascent_recompute(hsp_ascent *s);
/* Visits the rows at `place`, and prefetches those at `next`. */
typedef void hsp_ascent_visit(hsp_ascent *s, const int64_t *place, int64_t count, const int64_t *next, int64_t upcoming);
hsp_ascent_visit hsp_ascent_visit_box, hsp_ascent_visit_entropy; /* one problem */
hsp_ascent_visit hsp_ascent_visit_lanes;                         /* several */
/* The score of the row at a place of `now`, of a single problem. */
double hsp_ascent_score(const hsp_ascent *s, int64_t place);

#endif
