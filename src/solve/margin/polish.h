/* The parts of hsp_margin_polish: proximal point on the dual, which is the augmented Lagrangian of the primal (Rockafellar
 * 1976), solved by a semismooth Newton method. With the multipliers c as the centre and a radius sigma > 0,
 *
 *     min over (w, b)   |w|^2 / 2 (+ b^2 / 2) + sum_i theta_i(1 - y_i g_i),
 *     theta_i(s) = max over 0 <= a <= u_i of  a s - q_i a^2 / 2 - (a - c_i)^2 / (2 sigma)
 *
 * is convex, piecewise quadratic and has a continuous slope:
 *
 *     theta'  = a_i = clip((c_i + sigma s) / (1 + sigma q_i)),
 *     theta'' = sigma / (1 + sigma q_i) for the rows F strictly inside their box, and 0 for all others.
 *
 * The multipliers of its solution are the next centre. Rows off the margin are exactly at 0 or u_i after the first few
 * centres. */
#ifndef HSP_SOLVE_MARGIN_POLISH_H
#define HSP_SOLVE_MARGIN_POLISH_H

#include "design/packed.h"
#include "halfspace.h"
#include "problem/margin_values.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

/* The Newton system with the intercept eliminated,
 *
 *     H = I + sum over F of D_i (x_i - m)(x_i - m)'  (+ a multiple of m m' for a penalised intercept),
 *
 * where m is the mean of F weighted by D. Solved by conjugate gradients with one of three preconditioners, of which the
 * first two are the inverse up to rounding. */
typedef enum hsp_polish_way {
    HSP_POLISH_COLUMNS, /* Cholesky of H: d x d */
    HSP_POLISH_ROWS,    /* Cholesky of D^-1 + X_F X_F', by Woodbury's formula: |F| x |F| */
    HSP_POLISH_DIAGONAL /* Jacobi */
} hsp_polish_way;

/* Sparse rows for many products (polish_product.c); owns what it points to. */
typedef struct hsp_polish_copy {
    hsp_packed *everywhere; /* all rows in place; NULL: dense */
    hsp_packed *together;   /* F, copied; NULL: not enough memory */
    int64_t products;       /* with this F so far */
    int64_t slabs;
    double *sums; /* slabs x d */
} hsp_polish_copy;

/* The preconditioner. A factor is kept as long as F has changed little since it was computed. Owns its arrays. */
typedef struct hsp_polish_factor {
    hsp_polish_way way;
    bool needed;   /* the diagonal has failed as a preconditioner */
    bool exact;    /* it is the inverse up to rounding */
    bool made;     /* there is a factor, by `way`, ... */
    double *curve; /* n: ... of this D */
    double *mean;  /* d: m of the factor */
    double *scale; /* d: columns to a diagonal of ones */
    double *A;     /* d x d; NULL: never by columns */
} hsp_polish_factor;

/* The factor by rows. Inner products of rows are kept until the pool is full: F changes little from step to step. Owns its
 * arrays. */
typedef struct hsp_polish_pool {
    int64_t capacity;     /* in rows; 0: never by rows */
    int64_t count;        /* rows in the pool */
    int64_t *member;      /* capacity: which rows */
    int64_t *slot;        /* n: where in the pool; -1: not there */
    int64_t f;            /* rows of the factor, ... */
    int64_t *rows;        /* capacity: ... their numbers, ... */
    int64_t *place;       /* capacity: ... their slots, ... */
    double S;             /* ... and the sum of their D */
    double *K, *M;        /* capacity x capacity: inner products, and the factor */
    double *scale;        /* capacity */
    double *mean_product; /* capacity */
    double *dense_row;    /* d: one row as a dense vector */
    double *origin;       /* d: subtracted from dense rows before they are multiplied; NULL: 0 */
} hsp_polish_pool;

typedef struct hsp_polish_system {
    const hsp_margin *m; /* borrowed */
    int64_t f, *rows;    /* F, ascending; owned, n */
    double *curve;       /* n, owned: D_i; 0 outside F */
    double S, stiff;     /* the sum of D, without and with the intercept's own curvature; stiff 0: no intercept */
    double *ones;        /* d, owned: sum of D_i x_i */
    double tolerance;    /* of the residual, measured by the preconditioner, relative */
    hsp_polish_copy copy;
    hsp_polish_factor factor;
    hsp_polish_pool pool;
    /* scratch, owned */
    double *t;         /* n */
    double *r, *z, *s; /* d */
    double *Hs;        /* d */
    double *tile;      /* d */
} hsp_polish_system;

int hsp_polish_system_init(hsp_polish_system *y, const hsp_margin *m, hsp_error **err);
void hsp_polish_system_free(hsp_polish_system *y);
/* Prepares the system for curve, f and rows: HSP_OK or HSP_EMEMORY. `flat`: the intercept's curvature when F is empty. */
int hsp_polish_system_set(hsp_polish_system *y, double flat);
/* x ~ -H^-1 (g - ones gb / stiff), and in *square its squared length measured by H: twice the predicted decrease. HSP_OK or
 * HSP_EMEMORY, since it computes a new factor when the old one is not good enough. */
int hsp_polish_system_solve(hsp_polish_system *y, const double *g, double gb, double *x, double *square,
                            hsp_budget *budget);

/* t_k = w.x'_i over some rows, and w += sum of t_k x'_i. */
void hsp_polish_scores(const hsp_polish_system *y, const int64_t *rows, int64_t f, const double *w, double *t);
void hsp_polish_adjoint(const hsp_polish_system *y, const int64_t *rows, int64_t f, const double *t, double *w);

/* out = H v. */
void hsp_polish_product(hsp_polish_system *y, const double *v, double *out);
int hsp_polish_product_init(hsp_polish_system *y, hsp_error **err);
void hsp_polish_product_free(hsp_polish_system *y);

/* By rows, polish_rows.c. */
int hsp_polish_rows_init(hsp_polish_system *y, int64_t capacity, hsp_error **err);
void hsp_polish_rows_free(hsp_polish_system *y);
/* HSP_OK or HSP_EMEMORY; *regular: it could be factorised. */
int hsp_polish_rows_set(hsp_polish_system *y, bool *regular);
void hsp_polish_rows_precondition(hsp_polish_system *y, const double *r, double *z);

/* ---- the inner problem ---- */

typedef enum hsp_polish_move {
    HSP_POLISH_MOVED,
    HSP_POLISH_SOLVED, /* the slope is 0 up to rounding */
    HSP_POLISH_FAILED,
    HSP_POLISH_MEMORY
} hsp_polish_move;

typedef struct hsp_polish_inner {
    const hsp_margin *m;
    hsp_polish_system system;
    double sigma;    /* the radius */
    double *centre;  /* n */
    double *a;       /* n: multipliers at the present point */
    double *w, b;    /* d: the present point */
    double *scores;  /* n: X w */
    double *g, gb;   /* d: slope */
    double *held;    /* n: multipliers ... */
    double *v;       /* d: ... and their combination; all arrays are owned */
    int patched;     /* updates since the whole sum was computed */
    double *dw, db;  /* d: step */
    double *dscores; /* n */
    double *e, *raw; /* n: along the step: see lay_out */
    double *rate;    /* n */
    bool fresh;      /* the system is not that of this sigma */
    bool whole;      /* the last step was a whole one */
    int same;        /* consecutive steps with one F */
    double length;   /* of the last step, measured by H */
    double excess;   /* sum of psi_i(s) - (a_i s - q_i a_i^2 / 2) at the margins s: the rows' part of the gap */
} hsp_polish_inner;

int hsp_polish_inner_init(hsp_polish_inner *p, const hsp_margin *m, hsp_error **err);
void hsp_polish_inner_free(hsp_polish_inner *p);
/* One Newton step with an exact line search. The multipliers `a` are those of the point before the step. SOLVED: they are the
 * solution's, or their infeasibility is small compared with their excess; the next centre would not profit from more. */
hsp_polish_move hsp_polish_newton(hsp_polish_inner *p, hsp_budget *budget);

/* ---- the multipliers themselves ---- */

typedef struct hsp_polish_exact {
    const hsp_margin *m;
    double *alpha;   /* n; all arrays are owned */
    double *v, b;    /* d: their combination */
    double *scores;  /* n: X v */
    double *size;    /* d: sum of alpha_i |x_ij| */
    double sum;      /* of alpha_i */
    double unit;     /* rounding error allowed in a sum over the rows whose terms have absolute values that sum to 1 */
    double *scratch; /* 2 n */
    double *g, *dw;  /* d */
} hsp_polish_exact;

int hsp_polish_exact_init(hsp_polish_exact *x, const hsp_margin *m, hsp_error **err);
void hsp_polish_exact_free(hsp_polish_exact *x);
/* Copies multipliers, balances them by changing those inside their boxes, and combines them. */
void hsp_polish_exact_take(hsp_polish_exact *x, const double *a, double b);
/* The largest violation of the optimality conditions, as a multiple of the allowed rounding error: at most 1 is optimal. */
double hsp_polish_exact_excess(hsp_polish_exact *x);
/* Newton steps that put the rows of F exactly on the margin, with the present factor of the system. `excess` is that before;
 * returns that after. */
double hsp_polish_exact_refine(hsp_polish_exact *x, hsp_polish_system *y, double excess, hsp_budget *budget);

/* A free intercept and fewer than two classes with rows that count: the solution is w = 0 with multipliers of 0. */
bool hsp_polish_one_class(const hsp_margin *m);

#endif
