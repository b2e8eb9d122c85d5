/* Dual coordinate descent (Hsieh et al. 2008; logistic: Yu, Huang and Lin 2011). The program is that of margin.h, or the
 * logistic loss in its place:
 *
 *     dual       max  sum_i h_i(alpha_i) - |w|^2 / 2 (- t^2 / 2),
 *                w = sum_i alpha_i y_i x_i,   t = sum_i alpha_i y_i   (t = 0 when the intercept is free)
 *     box        h_i(a) = a - q_i a^2 / 2                                      0 <= a <= u_i
 *     logistic   h_i(a) = -a log(a / u_i) - (u_i - a) log(1 - a / u_i)         0 <= a <= u_i = C c_i
 *
 * The free intercept is an equation, t = 0, kept by an augmented Lagrangian: its multiplier is the intercept, moved after
 * each epoch by rho times what is missing. Since t is 0 at the optimum, any c may be taken from all rows without changing
 * it: with c about the mean of the rows the coordinates are far better conditioned, and sparse rows stay sparse, for with
 * v = sum alpha_j y_j z_j and r = sum alpha_j y_j
 *
 *     w.(z_i - c) = v.z_i - r c.z_i - v.c + r c.c.
 *
 * A design that is centred itself (x_i = z_i - p) is the same with c = p; a penalised intercept is a column of ones.
 *
 * Rows are visited by buckets of neighbours in random order, all that belongs to a row in one line of the cache. Rows at a
 * bound that will stay there are left out, and when half of them are, the others are packed. How far the end is an epoch
 * tells by the way: rows' own shares of the gap, as they are visited, add up to an estimate, so that the gap itself, worth
 * a pass or two over all rows, is looked at when it matters. */
#ifndef HSP_SOLVE_DUAL_ASCENT_H
#define HSP_SOLVE_DUAL_ASCENT_H

#include "base/rng.h"
#include "design/packed.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

#include <stdbool.h>

/* What belongs to a row: a line of the cache, for each visit is a wait for memory. */
typedef struct hsp_ascent_item {
    double alpha;
    double y, upper, ridge;
    double norm; /* |z_i - c|^2 + rho + q_i: the curvature along a coordinate */
    double cz;   /* c.z_i */
    double last; /* logistic: log(alpha / (u - alpha)); else the slope of the dual at the last visit */
    bool out;    /* no longer takes part */
} hsp_ascent_item;

/* Rows by place: all of them, or those that were packed again. */
typedef struct hsp_ascent_rows {
    hsp_packed *x;
    hsp_ascent_item *item;
    int64_t *home; /* of a part: the places among all */
} hsp_ascent_rows;

/* An epoch that is over: the estimate of the gap, and numbers visited so far. */
typedef struct hsp_ascent_mark {
    int64_t epoch;
    double gap, work;
} hsp_ascent_mark;

enum { HSP_ASCENT_MARKS = 256 };
/* Up to so many columns methods of second order solve a system in the columns. */
enum { HSP_ASCENT_FEW_COLUMNS = 3000 };
/* A gap from which the finish of margins is sure. */
#define HSP_ASCENT_NEAR 1e-6

typedef struct hsp_ascent {
    const hsp_margin *m;
    hsp_problem *p; /* NULL: there is none; else objectives are its */
    bool logistic;
    bool lonely; /* a free intercept and one class: nothing to do */
    bool warm;   /* began with given multipliers */
    bool newton; /* a method of second order for smooth losses may take over */
    double aim;  /* relative gap that is asked for: a look when it may have been reached; 0: by the epochs alone */
    hsp_rng rng;
    hsp_ascent_rows all, part, *now; /* part.x NULL: cannot be made; now: which of them */
    int64_t rows;                    /* that count */
    int64_t loaded;                  /* places of `all` whose items are there */
    double *v, r;                    /* d: sum alpha_i y_i z_i; sum alpha_i y_i */
    double *c;                       /* d: taken from all rows; NULL: 0 */
    double cc, vc;                   /* c.c and v.c */
    double b, rho;                   /* the intercept of the rows less c, and its stiffness; penalised: 0 and 1 */
    int64_t *order;                  /* n: places of `now`; the first `active` take part; ascending */
    int64_t active, *bucket;
    int64_t few;           /* epochs, up to now, with at most half of the rows of `now` */
    int64_t settled;       /* epochs since rows were packed, or all taken back */
    double high, low;      /* of the slopes in the last epoch: rows at a bound that slope beyond them are left out */
    double top, bottom;    /* of the slopes in this epoch */
    double share, value;   /* rows' shares of the gap in this epoch, and the value of the augmented dual */
    int64_t updates;       /* multipliers that have moved */
    int64_t at;            /* buckets visited in this epoch */
    int64_t within;        /* rows visited in the next one; not 0 only while a watched run pauses */
    int64_t epoch;         /* finished */
    double work, looking;  /* numbers visited in epochs, and in looks */
    double estimate;       /* of the relative gap, by the last epoch */
    double before;         /* by the one before */
    double ratio;          /* of a gap to what was expected of it */
    int64_t next_look;     /* epoch of the next look */
    int64_t recomputed;    /* epoch in which v was made anew */
    double gap;            /* at the last look */
    bool measured;         /* what follows, and the gap, are of the present point */
    double *w, *scores;    /* d, n: of the present multipliers; w is v itself where the design is not centred */
    double best_b, own_b;  /* best for them, and that of the augmented Lagrangian */
    double primal, dual;   /* objectives */
    hsp_evaluation figure; /* where there is a problem */
    double *scratch;       /* 2 n */
    hsp_ascent_mark past[HSP_ASCENT_MARKS];
    int64_t marks;
    int slow; /* looks without hope, one after the other */
} hsp_ascent;

/* start NULL: multipliers of 0. HSP_OK or HSP_EMEMORY. The state begins as zeros; `p` may be NULL for margins. */
int hsp_ascent_init(hsp_ascent *s, const hsp_margin *m, hsp_problem *p, bool logistic, double aim,
                    const hsp_margin_point *start, uint64_t seed, hsp_error **err);
void hsp_ascent_free(hsp_ascent *s);
/* An epoch, or what the budget lets of it. QUIET: nothing was measured; MORE: the gap was, or the budget is out; DONE: no
 * slope is left; STALLED: another method would be there
 * sooner; FAILED; ENDLESS: logistic with one class. */
hsp_step hsp_ascent_epoch(hsp_ascent *s, hsp_budget *budget);
/* The weights (d) and the intercept of the present point, in the design's units, without touching it. */
void hsp_ascent_peek(const hsp_ascent *s, double *w, double *b);
/* The gap of the present point, with w, best_b, scores and objectives; at once when it is known. Multipliers are moved a
 * little, where the intercept is free, so that they sum to 0. */
void hsp_ascent_measure(hsp_ascent *s);
/* The multipliers in the order of the design. */
void hsp_ascent_alpha(const hsp_ascent *s, double *alpha);
/* Epochs, as they are now, and numbers to visit, from here to a relative gap, at the pace of the later half of the run;
 * INFINITY: never. */
double hsp_ascent_need(const hsp_ascent *s, double gap, double *work);
/* Roughly what so many steps of the finish of margins take from a settled point, in the same numbers: each some passes over
 * the rows and a factorisation, by columns or by the rows inside their boxes, where 20 numbers cost what one does in a
 * pass. */
double hsp_ascent_finish(const hsp_ascent *s, int steps);

/* ---- parts ---- */

/* Items of all places below `until`, and their rows. */
void hsp_ascent_load(hsp_ascent *s, int64_t until);
/* All rows take part, in the whole copy. */
void hsp_ascent_reactivate(hsp_ascent *s);
/* After a look: rows that were left out and should not have been take part again. */
void hsp_ascent_take_back(hsp_ascent *s);
/* Those that were left out go behind the others, which are packed when they have become few. */
void hsp_ascent_compact(hsp_ascent *s);
/* The multipliers of a part to their places among all. */
void hsp_ascent_settle(hsp_ascent *s);
/* v, r and v.c from the settled multipliers, against the drift of many small steps. */
void hsp_ascent_recompute(hsp_ascent *s);
/* Visits places; the rows at `next` will be next. */
typedef void hsp_ascent_visit(hsp_ascent *s, const int64_t *place, int64_t count, const int64_t *next, int64_t upcoming);
hsp_ascent_visit hsp_ascent_visit_box, hsp_ascent_visit_logistic;

#endif
