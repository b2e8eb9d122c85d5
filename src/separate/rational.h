/* The distance of the two hulls, in integers: a linear program solved by the simplex method without any rounding. With a_i
 * the rows of cone.h (here scaled by powers of two only) and c_j, r_i powers of two,
 *
 *     min sum |z_j|   with   sum m_i a_ij = c_j z_j,   sum m_i r_i = 1,   m >= 0,
 *
 * whose dual is   max tau  with  a_i.v >= tau r_i,  |c_j v_j| <= 1.   If the least distance is 0, m is a witness on as few
 * rows as a vertex has, p + 1 at most; else v is a plane, of all planes the one that rounding harms least: r_i is about the
 * size of what is summed in a_i.v. */
#ifndef HSP_SEPARATE_RATIONAL_H
#define HSP_SEPARATE_RATIONAL_H

#include "halfspace.h"
#include "verify/proof/proof.h"

#include <gmp.h>

/* What becomes of a row. FREE_SIGN: its multiplier may be negative, so that planes contain it. */
typedef enum hsp_role { HSP_ROLE_OUT, HSP_ROLE_COUNTS, HSP_ROLE_FREE_SIGN } hsp_role;

typedef struct hsp_rational {
    int64_t n, p;    /* rows of the data; coordinates: columns that are not 0, and 1 unless through the origin */
    int64_t *column; /* p: of the data; -1: the intercept */
    int64_t *low;    /* p: coordinate j of the rows is that of the data 2^-low */
    int64_t *scale;  /* n: a_i was divided by 2^scale */
    int64_t *top;    /* p: c_j = 2^top */
    int64_t *weight; /* n: r_i = 2^weight */
    int8_t *role;    /* n, hsp_role; to be set between solutions */
    mpz_t *A;        /* n x p */
    double bits;     /* of a row's longest number, at most */
    double seconds;  /* that were spent, by an estimate that does not look at the clock */
    double most;     /* that may be */
    /* the solution */
    int64_t r;         /* p + 1 */
    int64_t *basis;    /* r */
    mpz_t *adjugate;   /* r x r: determinant x the inverse of the basis */
    mpz_t determinant; /* > 0 */
    mpz_t *price;      /* r: of the coordinates, and of the sum; over the determinant */
    mpz_t *m;          /* n: multipliers, over the determinant */
    mpz_t *direction;  /* r */
    mpz_t part, other;
    bool ready; /* the four integers are initialised */
} hsp_rational;

typedef enum hsp_rational_end { HSP_RATIONAL_WITNESS, HSP_RATIONAL_PLANE, HSP_RATIONAL_STOPPED } hsp_rational_end;

/* Seconds that a solution may take, as estimated from sizes alone; INFINITY: the numbers are not finite. */
double hsp_rational_estimate(const hsp_rows_by_side *q);
/* HSP_OK or HSP_EMEMORY; hsp_rational_free in any case. Rows that are on a side count. */
int hsp_rational_new(hsp_rational *l, const hsp_rows_by_side *q, double most, hsp_error **err);
void hsp_rational_free(hsp_rational *l);
/* At least one row must count. WITNESS: m has the multipliers (negative ones for rows of free sign). PLANE: -price is v.
 * STOPPED: by `most`, or because stop(ctx) said so. */
hsp_rational_end hsp_rational_solve(hsp_rational *l, bool (*stop)(const void *ctx), const void *ctx);

/* After a plane: r_i becomes about the size of what was summed for row i, c_j about that of its weight. Another solution is
 * then a plane that rounding harms less. */
void hsp_rational_reweigh(hsp_rational *l);

/* The plane of a solution in doubles. There are as many ways to round it as there are scales: `go` counts them.
 * w (d numbers): each weight rounded; false when doubles do not reach so far. The first leaves the prices with their common
 * factor taken out. */
bool hsp_rational_round(hsp_rational *l, int go, double *w, int64_t d);
/* b for w, in the middle between the classes, which are summed exactly; false when there is no gap between them. */
bool hsp_rational_place(hsp_rational *l, const hsp_rows_by_side *q, const double *w, double *b);
/* One weight after the other is rounded, and the rest made up for it by another solution; *fits when that succeeds. *left:
 * the seconds that it may take, less those it took. */
int hsp_rational_round_in_turn(const hsp_rows_by_side *q, double *left, int go, bool (*stop)(const void *ctx),
                               const void *ctx, double *w, double *b, bool *fits, hsp_error **err);

#endif
