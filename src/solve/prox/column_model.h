/* The quadratic model of prox_newton.h by the columns of the design, in a working set of weights that may move. Numbers of
 * columns and weights are those of the copy of the design by columns (columns.h), which leaves out columns proved to have no
 * weight at the optimum. A step of the solver chooses the working set from the gradient, minimises a few models in it, and
 * computes the gradient in all columns at its end.
 *
 *     working_set.c        which weights may move; scores and gradient by columns
 *     column_model.c       the model, packed, and coordinate descent in it
 *     member_gradients.c   conjugate gradients in the weights that are not zero
 *     member_factor.c      a factor of their Hessian, as a preconditioner */
#ifndef HSP_SOLVE_PROX_COLUMN_MODEL_H
#define HSP_SOLVE_PROX_COLUMN_MODEL_H

#include "design/columns.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/prox/prox_newton.h"

/* Linearly dependent columns make the Hessian singular: for conjugate gradients its diagonal is raised by this share. */
#define HSP_COLUMN_STIFFNESS 1e-7

enum { HSP_COLUMN_MOST_FACTOR = 4000 }; /* 128 MB */

/* All arrays of these structs are owned by the hsp_column_model. */

/* Members ascend by column, then by output; "member a" is number a of them. */
typedef struct hsp_working_set {
    int64_t count;
    int64_t *weight, *column;      /* the number of the weight; its column */
    double *V;                     /* K each: sum_i H_i e_k z_ij */
    double *curvature, *threshold; /* second derivative of the model; for the weight */
    int64_t *from, *length;        /* the packed entries; members of one column share them */
    uint32_t *id;                  /* packed: row */
    float *value;                  /* packed: z_ij in units of the column, times the root of the curvature if rows.roots */
    int64_t *order;                /* scratch: members, in the order of a sweep */
    double outside;                /* the largest violation of weights that are not members */
} hsp_working_set;

/* The gradient when it was last computed in all columns, for screening. */
typedef struct hsp_column_screen {
    double *size;      /* sqrt(sum_i c_i x_ij^2), of the columns */
    double *recorded;  /* X' reference, of the weights */
    double *reference; /* n x K slopes */
    double *moved;     /* K: |slopes - reference|, each row in units of sqrt(c_i); negative: unknown */
    bool ready;
} hsp_column_screen;

/* Vectors of conjugate gradients, in the order of the members. */
typedef struct hsp_member_gradients {
    double *step, *rest, *aim, *product, *sloped, *tilt; /* sum of steps, residual, direction, H x direction, M^-1 x
                                                            residual; slopes of the model at the start */
    double owed;                                         /* work since the last factor */
} hsp_member_gradients;

/* See member_factor.c; empty until it is needed. */
typedef struct hsp_member_factor {
    int64_t count;             /* weights in it; 0: there is no factor */
    int64_t *place;            /* K d: where in it a weight is, or -1 */
    double *L;                 /* count x count */
    double *x;                 /* count: scratch */
    int64_t *output;           /* count */
    int64_t capacity, entries; /* of L, x and output; of spot and value */
    int64_t *start, *cursor;   /* n + 2, n: entries by rows */
    uint32_t *spot;
    float *value;
} hsp_member_factor;

typedef struct hsp_column_model {
    hsp_columns *columns; /* owned */
    double *unit;         /* d: 1 / sqrt(sum_i c_i z_ij^2): packed columns are in these units */
    double *wide;         /* columns of the design: scratch; NULL: rows are not many, or there are several outputs */
    double *pairs;        /* 2 n: slopes and roots, in turn; NULL for several outputs */
    double *q;            /* n x K: H_i sum_j z_ij delta_j; with roots, root_i sum_j z_ij delta_j */
    double *offset;       /* K: o, see column_model.c; and behind it K: T */
    double *total;        /* borrowed: where T begins */
    double *pull;         /* K: sum_i of the slopes */
    double *follow;       /* 4 K: what hsp_member_follow leaves, and sums of such */
    hsp_working_set set;
    hsp_column_screen screen;
    hsp_member_gradients gradients;
    hsp_member_factor factor;
    double work;                     /* stored numbers visited since the step began */
    double share;                    /* of the violations that the solution of a model may leave */
    double patience, least_patience; /* work on a model, in sweeps: at most, and the least that this may become */
    bool apt;                        /* the last model predicted the change of F well */
    bool tired;                      /* the last solution was stopped by `patience` */
} hsp_column_model;

/* Creates s->columns with the copy of the design, and sets s->d; the caller frees it, after a failure too. */
int hsp_column_model_copy(hsp_prox *s, hsp_error **err);
/* The rest of it, when the arrays of s are there. */
int hsp_column_model_init(hsp_prox *s, hsp_error **err);
void hsp_column_model_free(hsp_column_model *C); /* NULL is allowed */
/* Packs the working set at the present slopes and curvatures, with its gradient. Returns the largest violation in it. */
double hsp_column_model_pack(hsp_prox *s);
/* Sets s->move; leaves violations of the model's conditions below tol. */
void hsp_column_model_solve(hsp_prox *s, double tol, hsp_budget *budget);
/* A step of this share of the move changed F `by` where the model had `predicted`: adapts how accurately the next model is
 * solved. */
void hsp_column_model_adapt(hsp_prox *s, double share, double by, double predicted);

/* working_set.c. The first t on the path down to lambda rho, or the next. */
void hsp_working_set_lower_threshold(hsp_prox *s);
/* Chooses the members from the gradient at (w, b). */
void hsp_working_set_choose(hsp_prox *s);
/* out (n x K) = sum_j z_ij v_j: K d weights. */
void hsp_columns_score(hsp_prox *s, const double *v, double *out);
/* p->scores, from (w, b). */
void hsp_columns_score_point(hsp_prox *s);
/* C->pull, from p->slopes. */
void hsp_columns_sum_slopes(const hsp_prox *s);
/* The gradient in all columns, at p->slopes. */
void hsp_columns_gradient(hsp_prox *s);

/* ---- parts of the model ---- */

static inline int64_t hsp_member_output(const hsp_prox *s, int64_t a) {
    return s->K == 1 ? 0 : s->columns->set.weight[a] / s->d;
}
/* From packed units to the column's. */
static inline double hsp_member_stretch(const hsp_column_model *C, int64_t a) {
    double unit = C->unit[C->set.column[a]];
    return unit > 0 ? 1 / unit : 0;
}
/* V - p_j S e_k: that of the column x = z - p. With a free intercept p has no effect, and is left out. */
static inline double hsp_member_centred(const hsp_prox *s, int64_t a, int64_t l) {
    const hsp_column_model *C = s->columns;
    double V = C->set.V[a * s->K + l];
    if (s->p->intercept == HSP_INTERCEPT_FREE || !C->columns->p) return V;
    return V - C->columns->p[C->set.column[a]] * s->rows.S[hsp_member_output(s, a) * s->K + l];
}
/* The change of o and T when member a moves by 1: K numbers each, in C->follow. */
void hsp_member_follow(const hsp_prox *s, int64_t a);
/* to[id[t]] += by value[t]; the ids differ. */
void hsp_entries_add(double by, const uint32_t *id, const float *value, int64_t count, double *to);
/* sum_i z_ij rows_ik of member a, and rows (as q in hsp_column_model) when it moves. */
double hsp_member_dot(const hsp_prox *s, int64_t a, const double *rows);
void hsp_member_add(const hsp_prox *s, double by, int64_t a, double *rows);
double hsp_member_slope(const hsp_prox *s, int64_t a);
/* Steps by conjugate gradients until no weight becomes zero any more, or `most` numbers were visited. */
void hsp_member_gradients_descend(hsp_prox *s, double tol, double most);

/* The factor of the Hessian in the members order[0 .. count), all with a curvature and a unit. Its cost in numbers visited. */
double hsp_member_factor_cost(const hsp_prox *s, int64_t count);
bool hsp_member_factorise(hsp_prox *s, int64_t count); /* false: out of memory, or not positive definite */
/* out = (about the inverse of the model's Hessian) rest, for the members in the order; needs a factor. */
void hsp_member_precondition(hsp_prox *s, int64_t count, const double *rest, double *out);
void hsp_member_factor_free(hsp_member_factor *f);

#endif
