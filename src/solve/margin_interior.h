/* The linear system of an interior-point step, with the intercept eliminated:
 *
 *     (I + X' W (X - 1 m')) dw = r,    m = X' W 1 / (S + kappa),   S = sum of W,
 *
 * W the rows' weights, kappa 1 for a penalised intercept and 0 for a free one (m = 0 without). A Cholesky factor of the
 * matrix, from the rows that weigh enough to matter and scaled to a diagonal of ones, preconditions conjugate gradients
 * over all rows: what the factor lacks by rounding, by a shift that made it positive definite or by the rows left out, a
 * few products with the data repair. */
#ifndef HSP_SOLVE_MARGIN_INTERIOR_H
#define HSP_SOLVE_MARGIN_INTERIOR_H

#include "solve/margin.h"

typedef struct hsp_interior_system {
    const hsp_design *D;
    bool offset;            /* there is an intercept */
    double kappa;           /* its penalty */
    double *W;              /* n: the caller fills it in */
    double S;               /* their sum, by hsp_interior_system_set */
    double drop;            /* rows below this share of the largest weight are left out of the factor */
    double enough;          /* conjugate gradients end where the residual has fallen to this share */
    double *A;              /* d x d: below the diagonal the factor, above it the scaled matrix */
    double *scale;          /* d */
    double *m;              /* d: centre */
    double *t;              /* n */
    double *r, *z, *p, *Hp; /* d each */
} hsp_interior_system;

/* HSP_EUSAGE when the machine has no room for d x d numbers, with the remedy; HSP_EMEMORY. */
int hsp_interior_system_init(hsp_interior_system *s, const hsp_margin *m, hsp_error **err);
void hsp_interior_system_free(hsp_interior_system *s);
/* The factor for the weights in W: HSP_OK or HSP_EMEMORY. */
int hsp_interior_system_set(hsp_interior_system *s);
/* Solves for the right-hand sides X'e - w of the weights and sum of e - kappa b of the intercept (e: n, used up): dw (d)
 * and db; change (n) = X dw + db. At most `most` products with the data. Returns the share of the residual that was left
 * before the last of them, measured by the factor. */
double hsp_interior_system_solve(hsp_interior_system *s, double *e, const double *w, double b, int most, double *dw,
                                 double *db, double *change);

#endif
