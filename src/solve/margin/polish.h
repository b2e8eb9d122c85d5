/* The inside of hsp_margin_polish: proximal point on the dual, which is the augmented Lagrangian of the primal (Rockafellar
 * 1976), solved by a semismooth Newton method. With the multipliers c as the centre and a radius sigma > 0,
 *
 *     min over (w, b)   |w|^2 / 2 (+ b^2 / 2) + sum_i theta_i(1 - y_i g_i),
 *     theta_i(s) = max over 0 <= a <= u_i of  a s - q_i a^2 / 2 - (a - c_i)^2 / (2 sigma)
 *
 * is convex with a continuous slope and quadratic in pieces: theta' = a_i = clip((c_i + sigma s) / (1 + sigma q_i)),
 * theta'' = sigma / (1 + sigma q_i) for the rows F strictly inside their box and 0 for all others. Its solution's
 * multipliers are the next centre. Rows off the margin are exactly at 0 or u_i after the first few centres. */
#ifndef HSP_SOLVE_MARGIN_POLISH_H
#define HSP_SOLVE_MARGIN_POLISH_H

#include "design/packed.h"
#include "halfspace.h"
#include "problem/margin_values.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

/* The Newton system with the intercept eliminated,
 *
 *     H = I + sum over F of D_i (x_i - m)(x_i - m)'  (+ the part of m that a penalised intercept gives back),
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
    hsp_packed *everywhere; /* all rows, where they are; NULL: dense */
    hsp_packed *together;   /* F, copied; NULL: no room */
    int64_t products;       /* with this F so far */
    int64_t slabs;
    double *sums; /* slabs x d */
} hsp_polish_copy;

/* The preconditioner. A factor serves as long as F is nearly that of which it was made. Owns its arrays. */
typedef struct hsp_polish_factor {
    hsp_polish_way way;
    bool needed;   /* there were systems that the diagonal did not help to solve */
    bool exact;    /* it is the inverse up to rounding */
    bool made;     /* there is a factor, by `way`, ... */
    double *curve; /* n: ... of this D */
    double *mean;  /* d: m of the factor */
    double *scale; /* d: columns to a diagonal of ones */
    double *A;     /* d x d; NULL: never by columns */
} hsp_polish_factor;

/* The factor by rows. Products of rows are kept as long as there is room: F changes little from step to step. Owns its
 * arrays. */
typedef struct hsp_polish_pool {
    int64_t room, count;  /* rows that fit, and those present; room 0: never by rows */
    int64_t *member;      /* room: which rows */
    int64_t *slot;        /* n: where in the pool; -1: not there */
    int64_t f;            /* rows of the factor, ... */
    int64_t *rows;        /* room: ... which they are, ... */
    int64_t *place;       /* room: ... their slots, ... */
    double S;             /* ... and the sum of their D */
    double *K, *M;        /* room x room: products, and the factor */
    double *scale;        /* room */
    double *mean_product; /* room */
    double *dense_row;    /* d: one row laid out */
    double *origin;       /* d: taken from dense rows before they are multiplied; NULL: 0 */
} hsp_polish_pool;

typedef struct hsp_polish_system {
    const hsp_margin *m; /* borrowed */
    int64_t f, *rows;    /* F, ascending; owned, room for n */
    double *curve;       /* n, owned: D_i; 0 off F */
    double S, stiff;     /* the sum of D, and with what the intercept's own curvature adds; stiff 0: no intercept */
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
/* Makes the system ready for curve, f and rows: HSP_OK or HSP_EMEMORY. `flat`: the intercept's curvature when F is empty.
 */
int hsp_polish_system_set(hsp_polish_system *y, double flat);
/* x ~ -H^-1 (g - ones gb / stiff), and in *square its length measured by H: twice the decrease it promises. HSP_OK or
 * HSP_EMEMORY, for it makes a new factor when the old one does not serve. */
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
int hsp_polish_rows_init(hsp_polish_system *y, int64_t room, hsp_error **err);
void hsp_polish_rows_free(hsp_polish_system *y);
/* HSP_OK or HSP_EMEMORY; *regular: it could be factorised. */
int hsp_polish_rows_set(hsp_polish_system *y, bool *regular);
void hsp_polish_rows_precondition(hsp_polish_system *y, const double *r, double *z);

/* ---- the inner problem ---- */

typedef enum hsp_polish_move {
    HSP_POLISH_MOVED,
    HSP_POLISH_SOLVED, /* the slope is 0 as far as rounding lets it be */
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
    double *v;       /* d: ... whose combination this is, as it was summed up */
    int patched;     /* times since it was summed up wholly */
    double *dw, db;  /* d: step */
    double *dscores; /* n */
    double *e, *raw; /* n: along the step: see lay_out */
    double *rate;    /* n */
    bool fresh;      /* the system is not that of this sigma */
    bool whole;      /* the last step was a whole one */
    int same;        /* steps with one F, one after the other */
    double length;   /* of the last step, measured by H */
    double excess;   /* sum of psi_i(s) - (a_i s - q_i a_i^2 / 2): what the multipliers lack for the margins s */
} hsp_polish_inner;

int hsp_polish_inner_init(hsp_polish_inner *p, const hsp_margin *m, hsp_error **err);
void hsp_polish_inner_free(hsp_polish_inner *p);
/* One Newton step with an exact line search. Multipliers `a` are those of the point before the step: of the solution when
 * it says SOLVED, which it does, too, when what keeps them from being feasible is small beside what they lack: a centre
 * need not be better than what the next one will make of it. */
hsp_polish_move hsp_polish_newton(hsp_polish_inner *p, hsp_budget *budget);

/* ---- the multipliers themselves ---- */

typedef struct hsp_polish_exact {
    const hsp_margin *m;
    double *alpha;   /* n */
    double *v, b;    /* d: their combination */
    double *scores;  /* n: X v */
    double *size;    /* d: sum of alpha_i |x_ij| */
    double sum;      /* of alpha_i */
    double unit;     /* what rounding excuses in a sum over the rows whose terms' sizes sum up to 1: some square roots of
                        their number */
    double *scratch; /* 2 n */
    double *g, *dw;  /* d */
} hsp_polish_exact;

int hsp_polish_exact_init(hsp_polish_exact *x, const hsp_margin *m, hsp_error **err);
void hsp_polish_exact_free(hsp_polish_exact *x);
/* Takes multipliers, makes them balance by those inside their boxes, and combines them. */
void hsp_polish_exact_take(hsp_polish_exact *x, const double *a, double b);
/* How far they are from the conditions of optimality, as a multiple of what rounding excuses: 1 and below is optimal. */
double hsp_polish_exact_excess(hsp_polish_exact *x);
/* Newton steps for the rows of F to be on the margin exactly, with the factor that the system has: from this excess to that
 * which is returned. */
double hsp_polish_exact_refine(hsp_polish_exact *x, hsp_polish_system *y, double excess, hsp_budget *budget);

/* A free intercept and fewer than two classes with rows that count: w = 0 and no multipliers, whatever the rows. */
bool hsp_polish_one_class(const hsp_margin *m);

#endif
