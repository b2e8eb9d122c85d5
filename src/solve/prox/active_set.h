/* Proximal Newton by columns for one output and an L1 term, in a working set (prox_newton_active.c). A step of the solver
 * chooses the weights that may move, minimises in them by a few quadratic models, each solved by coordinate descent and
 * conjugate gradients, and ends with the gradient in all columns, which also gives the lower bound.
 *
 * All that is by column counts the columns of the copy: those that can be proved to have no weight at the optimum are not
 * in it (columns.h). All slopes, curvatures and the gradient are of F, the mean form. */
#ifndef HSP_SOLVE_PROX_ACTIVE_SET_H
#define HSP_SOLVE_PROX_ACTIVE_SET_H

#include "design/columns.h"
#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/prox/coordinate.h"

#include <stdbool.h>

/* Columns that are equal, or that others add up to, leave the Hessian singular: for conjugate gradients its diagonal is
 * raised by this share. */
#define HSP_ACTIVE_STIFFNESS 1e-7

enum { HSP_ACTIVE_MOST_FACTOR = 4000 }; /* 128 MB */

/* See prox_newton_active_factor.c; all empty until it is wanted. */
typedef struct hsp_active_factor {
    int64_t count;           /* weights that it is of; 0: there is none */
    int64_t *place;          /* m: where in it a column is, or -1 */
    double *L;               /* count x count */
    double *x;               /* count: scratch */
    int64_t capacity, room;  /* of L and x; of the entries below */
    int64_t *start, *cursor; /* n + 2, n: entries by rows */
    uint32_t *spot;
    float *value;
} hsp_active_factor;

typedef struct hsp_active {
    hsp_problem *p;
    const hsp_rules *rules;
    int64_t n, m;    /* rows, columns of the copy */
    double t, ridge; /* t is on its way down to lambda rho: see descend_to in prox_newton_active.c */
    hsp_columns *columns;
    /* m each */
    double *w, *u;    /* the point, and where the model is least (u = w outside of the working set) */
    double *gw;       /* gradient of the smooth part at w */
    double *size;     /* sqrt(sum_i c_i x_ij^2) */
    double *unit;     /* 1 / sqrt(sum_i c_i z_ij^2): packed columns are in these units */
    double *recorded; /* X' reference */
    /* n each */
    double *c; /* c_i / sum_c */
    double *scores, *values, *slopes;
    double *root;         /* square roots of the model's curvatures */
    double *pairs;        /* 2 n: slopes and roots, in turn */
    double *extra;        /* curvature that the loss turned out to have further on */
    double *q;            /* root times the move of the scores by the columns, in the model */
    double *way;          /* how the scores move from (w, b) to (u, to_b) */
    double *trial, *next; /* scores tried, and their losses */
    double *reference;    /* slopes at which `recorded` was taken */
    double *alpha;        /* multipliers of the last bound */
    /* the intercept, and what the model knows of it: see prox_newton_columns.c */
    double b, gb, to_b, pull, S, M, offset, total;
    /* the working set: columns, ascending, and for each (m at most) */
    int64_t *set, set_count;
    double *V, *curvature, *limit;
    int64_t *from, *length; /* its packed entries */
    uint32_t *id;
    float *value;
    int64_t *order;                                      /* scratch: columns, or members */
    double *step, *rest, *aim, *product, *sloped, *tilt; /* of conjugate gradients, by place in the order */
    double *wide;                                        /* scratch by columns of the design; NULL: rows are not many */
    hsp_active_factor factor;
    double owed;    /* what conjugate gradients have cost since it was made */
    double outside; /* the largest violation of those not taken */
    bool cut, ready;
    double visited; /* stored numbers passed by since the step began */
    /* progress */
    double share;                    /* how exactly models are solved */
    double patience, least_patience; /* sweeps that a model is worth, and at least */
    bool apt;                        /* the last model was right */
    bool tired;                      /* the last one would have taken more */
    double damping;                  /* of the curvature where the loss is all but straight */
    double violated, first_violation, best_violation;
    int64_t idle;
    hsp_known known;
} hsp_active;

int hsp_active_init(hsp_active *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err);
void hsp_active_free(hsp_active *s);
hsp_step hsp_active_step(hsp_active *s, hsp_budget *budget);
static inline bool hsp_active_arrived(const hsp_active *s) {
    return s->t == s->p->lambda * s->p->rho;
}
void hsp_active_export(const hsp_active *s, hsp_point *out);

/* ---- parts ---- */

/* Values, slopes, curvatures and what follows from them, at the scores (prox_newton_active_rows.c). */
void hsp_active_derive(hsp_active *s);
/* out_i = sum_j z_ij v_j */
void hsp_active_score(hsp_active *s, const double *v, double *out);
/* sum_i c_i (loss at scores + share way) - (loss at scores); leaves trial and next. */
double hsp_active_try(hsp_active *s, double share);
/* Brings b to its optimum by Newton steps, then derives. */
void hsp_active_tune(hsp_active *s);
/* The gradient in all columns and what is violated; at the end of the way of t also what is known of the point. */
void hsp_active_measure(hsp_active *s);

/* The model (prox_newton_active_model.c): packs the working set at the present slopes, with the gradient in it; the largest
 * violation in it. */
double hsp_active_pack(hsp_active *s);
/* Sets u, to_b and way; leaves violations of the model's conditions below tol. */
void hsp_active_solve(hsp_active *s, double tol, hsp_budget *budget);

/* The factor of the Hessian in the members order[0 .. count), all with a curvature and a unit. What it costs, in numbers
 * visited. */
double hsp_active_factor_cost(const hsp_active *s, int64_t count);
bool hsp_active_factorise(hsp_active *s, int64_t count); /* false: it is not to be had */
/* out = (about the inverse of the model's Hessian) rest, for the members in the order; needs a factor. */
void hsp_active_precondition(hsp_active *s, int64_t count, const double *rest, double *out);
void hsp_active_factor_free(hsp_active_factor *f);

#endif
