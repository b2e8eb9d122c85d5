/* The parts of hsp_margin_interior: the equations of the rows, and the linear system that remains.
 *
 * With s_i the multiplier of alpha_i >= 0, xi_i that of alpha_i <= u_i (the slack of the soft margin) and z_i = u_i -
 * alpha_i, the conditions of optimality are
 *
 *     w = sum_i alpha_i y_i x_i,   kappa b = sum_i alpha_i y_i,   y_i g_i + q_i alpha_i - 1 = s_i - xi_i,
 *     s_i alpha_i = xi_i z_i = mu k_i,   all four positive,
 *
 * with mu driven to 0. The row's share k_i is the size of its multiplier, u_i (1 / q_i without a bound), so that the method is
 * invariant to C; but at least the mean of all sizes: products of a row of small weight that had to fall in proportion to the
 * weight would shorten every step (the parameter of the barrier is the ratio of the largest k_i to the smallest). */
#ifndef HSP_SOLVE_MARGIN_INTERIOR_H
#define HSP_SOLVE_MARGIN_INTERIOR_H

#include "design/design.h"
#include "halfspace.h"
#include "problem/margin_values.h"
#include "solve/margin/margin.h"

/* ---- the rows ---- */

enum { HSP_INTERIOR_CHUNK = 512, HSP_INTERIOR_BLOCKS = 64 };

/* The columns of R, whose products with X' are computed in one pass over the data: the weights W, the multipliers y alpha,
 * those of the positive rows, and the right-hand sides y W side. */
typedef enum hsp_interior_of { HSP_OF_WEIGHTS, HSP_OF_ALPHA, HSP_OF_PLUS, HSP_OF_SIDE, HSP_OF } hsp_interior_of;

/* Sums over all rows, made block by block and added in order. */
typedef struct hsp_interior_sums {
    double products;      /* s alpha + xi z */
    double plus, minus;   /* alpha of either class */
    double ridge_plus;    /* q alpha^2 of either class */
    double ridge_minus;   /* ... */
    double weights, side; /* W, y W side */
    double heaviest;      /* the largest W */
    double second;        /* a step of length t leaves the products (1 - t) products - t^2 second */
    double e;             /* of the right-hand side of a correction */
    double shortest;      /* 1 / the longest step that keeps everything positive */
    double broken;        /* 0; NaN: the direction is not finite */
} hsp_interior_sums;

typedef struct hsp_interior_rows {
    const hsp_margin *m;
    int64_t blocks;
    /* k_i; k_i or 0 without a bound; q_i; 1 or 0, whether the row counts: of all rows, or, where all rows are alike, of one
     * chunk that serves for all */
    bool alike;
    double *k, *kx, *q, *on;
    double size;                /* of multipliers with neither bound nor ridge */
    double total;               /* of the k_i, over both bounds */
    double *alpha, *z, *s, *xi; /* n each; without a bound xi is 0 and z so large that no step matters */
    double b, *scores;          /* n: X w */
    double *W, *side;           /* n: 1 / (q + s / alpha + xi / z); 1 - y (score + b) - q alpha */
    double *R;                  /* n x HSP_OF */
    double *e;                  /* n: right-hand side of a correction, y W (cs / alpha - cx / z) */
    /* the present direction, and one that may be better */
    struct hsp_interior_direction {
        double *cs, *cx; /* n: targets of the linear equations for s alpha and xi z */
        double *change;  /* n: of X w */
        double *step;    /* n: of alpha */
        double *dw, db;  /* d */
        double *r, rb;   /* d: right-hand side */
    } now, other;
    double goal, t; /* arguments of the loops */
    double *memory; /* owned: all arrays */
    hsp_interior_sums part[HSP_INTERIOR_BLOCKS];
} hsp_interior_rows;

int hsp_interior_rows_init(hsp_interior_rows *r, const hsp_margin *m, hsp_error **err);
void hsp_interior_rows_free(hsp_interior_rows *r);
/* Initialises the rows' variables for the scores and b: the third condition and products of mu k_i determine them, except for
 * hard margins. */
void hsp_interior_rows_begin(hsp_interior_rows *r, double mu);
/* Moves by t along the present direction (b too), and computes W, side and R again. */
hsp_interior_sums hsp_interior_rows_move(hsp_interior_rows *r, double t);
/* The predictor, with the target 0 for all products, from its dw and db: `step`, `second`, `shortest`. */
hsp_interior_sums hsp_interior_rows_predict(hsp_interior_rows *r);
/* The corrector's targets: goal k_i, less the second-order terms of the predictor; e. */
hsp_interior_sums hsp_interior_rows_correct(hsp_interior_rows *r, double goal);
/* Like predict, with the targets of `dir`. */
hsp_interior_sums hsp_interior_rows_aim(hsp_interior_rows *r, struct hsp_interior_direction *dir);
/* The targets of `other`: those of `now`, corrected where a step of length t would leave products far from goal k_i; e of
 * the difference. */
hsp_interior_sums hsp_interior_rows_centre(hsp_interior_rows *r, double goal, double t);

/* ---- the linear system ----
 *
 *     (I + sum_i W_i (x_i - m)(x_i - m)' + ...) dw = r,    m = X' W 1 / S,   S = sum of W,
 *
 * which remains in w once the intercept is eliminated; a penalised one (kappa 1, else 0) undoes a part of the centring. Only
 * rows of sufficient weight enter the matrix, which is scaled to a diagonal of ones and factorised (Cholesky). Conjugate
 * gradients with the matrix correct errors of the factor (rounding, or a shift that made it positive definite); conjugate
 * gradients with the data correct errors of the matrix, where needed. */
typedef struct hsp_interior_system {
    const hsp_design *D;
    bool offset;                /* there is an intercept */
    double kappa;               /* its penalty */
    const double *W;            /* n */
    double S;                   /* their sum */
    const double *XW;           /* d: X' W 1 */
    double drop;                /* rows below this share of the largest weight are left out of the matrix */
    double enough;              /* conjugate gradients end where the residual has fallen to this share */
    double *A;                  /* d x d: below the diagonal the factor, above it the scaled matrix; owned, as all below */
    double *scale;              /* d */
    double *m;                  /* d: centre */
    double *t;                  /* n */
    double *r, *z, *p, *Hp, *x; /* d each */
    bool doubtful;              /* the factor is poor: shifted, or with a pivot near 0 */
    int64_t rows;               /* in the matrix */
} hsp_interior_system;

/* HSP_EUSAGE, with the remedy, when d x d numbers do not fit into memory; HSP_EMEMORY. */
int hsp_interior_system_init(hsp_interior_system *s, const hsp_margin *m, hsp_error **err);
void hsp_interior_system_free(hsp_interior_system *s);
/* The factor for W, the largest of which is `heaviest`, S and XW: HSP_OK or HSP_EMEMORY. */
int hsp_interior_system_set(hsp_interior_system *s, double heaviest);
/* dw for the right-hand sides r (d) and rb, with at most `most` products with the data: 0 where the matrix is accurate
 * enough. Returns the share of the residual that the first of them left, measured by the factor; 0 without any. */
double hsp_interior_system_solve(hsp_interior_system *s, const double *r, double rb, int most, double *dw);
/* The change of the intercept for a change of the scores. */
double hsp_interior_system_intercept(const hsp_interior_system *s, const double *change, double rb);
/* v' M^-1 v for the factor's matrix M. */
double hsp_interior_system_norm2(hsp_interior_system *s, const double *v);

#endif
