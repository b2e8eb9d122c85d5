/* The inside of hsp_margin_interior: the rows' own equations, and the linear system that they leave.
 *
 * With s_i the multiplier of alpha_i >= 0, xi_i that of alpha_i <= u_i (the slack of the soft margin) and z_i = u_i -
 * alpha_i, the conditions of optimality are
 *
 *     w = sum_i alpha_i y_i x_i,   kappa b = sum_i alpha_i y_i,   y_i g_i + q_i alpha_i - 1 = s_i - xi_i,
 *     s_i alpha_i = xi_i z_i = mu k_i,   all four positive,
 *
 * with mu driven to 0. The row's own share k_i is the size of its multiplier, u_i (1 / q_i without a bound), so that all
 * that follows is the same for any C; but no less than the mean of them all: a light row whose products fell as fast as its
 * weight says would hold up every step (the barrier's parameter is the ratio of the largest k_i to the least). */
#ifndef HSP_SOLVE_MARGIN_INTERIOR_H
#define HSP_SOLVE_MARGIN_INTERIOR_H

#include "design/design.h"
#include "halfspace.h"
#include "problem/margin_values.h"
#include "solve/margin/margin.h"

/* ---- the rows ---- */

enum { HSP_INTERIOR_CHUNK = 512, HSP_INTERIOR_BLOCKS = 64 };

/* What the combinations of the rows are wanted of, side by side for one walk over the data: the weights W, the multipliers
 * y alpha, those of the positive rows, and the right-hand sides y W side. */
typedef enum hsp_interior_of { HSP_OF_WEIGHTS, HSP_OF_ALPHA, HSP_OF_PLUS, HSP_OF_SIDE, HSP_OF } hsp_interior_of;

/* Sums over all rows, joined block by block in order. */
typedef struct hsp_interior_sums {
    double products;      /* s alpha + xi z */
    double plus, minus;   /* alpha of either class */
    double ridge_plus;    /* q alpha^2 of either class */
    double ridge_minus;   /* ... */
    double weights, side; /* W, y W side */
    double heaviest;      /* the largest W */
    double second;        /* what a step of length t leaves of the products: (1 - t) products - t^2 second */
    double e;             /* of the right-hand side of a correction */
    double shortest;      /* 1 / the longest step that leaves nothing below 0 */
    double broken;        /* 0, or not a number: the direction is not finite */
} hsp_interior_sums;

typedef struct hsp_interior_rows {
    const hsp_margin *m;
    int64_t blocks;
    /* k_i; k_i or 0 without a bound; q_i; 1 or 0, whether the row counts: for all rows, or, where rows are alike, of one
     * chunk that stands for all */
    bool alike;
    double *k, *kx, *q, *on;
    double size;                /* of the multipliers that neither bound nor ridge hold */
    double total;               /* of the k_i, over both bounds */
    double *alpha, *z, *s, *xi; /* n each; without a bound xi is 0 and z beyond all steps */
    double b, *scores;          /* n: X w */
    double *W, *side;           /* n: 1 / (q + s / alpha + xi / z); 1 - y (score + b) - q alpha */
    double *R;                  /* n x HSP_OF */
    double *e;                  /* n: right-hand side of a correction, y W (cs / alpha - cx / z) */
    /* directions: the one at hand, and one that may be the better */
    struct hsp_interior_way {
        double *cs, *cx; /* n: what the linear equations aim at in s alpha and xi z */
        double *change;  /* n: of X w */
        double *step;    /* n: of alpha */
        double *dw, db;  /* d */
        double *r, rb;   /* d: right-hand side */
    } now, other;
    double goal, t; /* arguments of the loops */
    double *memory;
    hsp_interior_sums part[HSP_INTERIOR_BLOCKS];
} hsp_interior_rows;

int hsp_interior_rows_init(hsp_interior_rows *r, const hsp_margin *m, hsp_error **err);
void hsp_interior_rows_free(hsp_interior_rows *r);
/* The rows' variables that go with the scores and b: the third condition and products of mu k_i determine them but for hard
 * margins. */
void hsp_interior_rows_begin(hsp_interior_rows *r, double mu);
/* Goes t along the direction at hand (b too), and makes W, side and R anew. */
hsp_interior_sums hsp_interior_rows_move(hsp_interior_rows *r, double t);
/* The direction that aims at products of 0, from its dw and db: `step`, `second`, `shortest`. */
hsp_interior_sums hsp_interior_rows_predict(hsp_interior_rows *r);
/* Products to aim at: goal k_i, and what the direction overlooks; e. */
hsp_interior_sums hsp_interior_rows_correct(hsp_interior_rows *r, double goal);
/* Like predict, for the products that `way` aims at. */
hsp_interior_sums hsp_interior_rows_aim(hsp_interior_rows *r, struct hsp_interior_way *way);
/* other's products: those of `now`, corrected where a step of length t would leave them far from goal k_i; e of the
 * difference. */
hsp_interior_sums hsp_interior_rows_centre(hsp_interior_rows *r, double goal, double t);

/* ---- the linear system ----
 *
 *     (I + sum_i W_i (x_i - m)(x_i - m)' + ...) dw = r,    m = X' W 1 / S,   S = sum of W,
 *
 * what the rows leave in w once the intercept is eliminated; a penalised one (kappa 1, else 0) gives back a part of m. Its
 * Cholesky factor is that of the rows that weigh enough to matter, scaled to a diagonal of ones. What the factor lacks by
 * rounding or by a shift that made it positive definite, conjugate gradients with the matrix itself repair; what the matrix
 * lacks, conjugate gradients with the data, where that was found to be needed. */
typedef struct hsp_interior_system {
    const hsp_design *D;
    bool offset;                /* there is an intercept */
    double kappa;               /* its penalty */
    const double *W;            /* n */
    double S;                   /* their sum */
    const double *XW;           /* d: X' W 1 */
    double drop;                /* rows below this share of the largest weight are left out of the matrix */
    double enough;              /* conjugate gradients end where the residual has fallen to this share */
    double *A;                  /* d x d: below the diagonal the factor, above it the scaled matrix */
    double *scale;              /* d */
    double *m;                  /* d: centre */
    double *t;                  /* n */
    double *r, *z, *p, *Hp, *x; /* d each */
    bool doubtful;              /* the factor is poor: shifted, or with a pivot near 0 */
    int64_t rows;               /* in the matrix */
} hsp_interior_system;

/* HSP_EUSAGE when the machine has no room for d x d numbers, with the remedy; HSP_EMEMORY. */
int hsp_interior_system_init(hsp_interior_system *s, const hsp_margin *m, hsp_error **err);
void hsp_interior_system_free(hsp_interior_system *s);
/* The factor for W, the largest of which is `heaviest`, S and XW: HSP_OK or HSP_EMEMORY. */
int hsp_interior_system_set(hsp_interior_system *s, double heaviest);
/* dw for the right-hand sides r (d) and rb. `most` products with the data: 0 where the matrix is good enough. Returns the
 * share of the residual that the first of them left, measured by the factor; 0 without any. */
double hsp_interior_system_solve(hsp_interior_system *s, const double *r, double rb, int most, double *dw);
/* The change of the intercept that goes with that of the scores. */
double hsp_interior_system_intercept(const hsp_interior_system *s, const double *change, double rb);
/* v' M^-1 v for the factor's matrix M. */
double hsp_interior_system_norm2(hsp_interior_system *s, const double *v);

#endif
