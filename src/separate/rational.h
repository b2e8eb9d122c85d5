/* The distance of the two hulls, in integers: a linear program solved by the simplex method without rounding. With a_i the
 * rows of cone.h (here scaled by powers of two only) and c_j, r_i powers of two, the program and its dual are
 *
 *     min sum |z_j|   with   sum m_i a_ij = c_j z_j,   sum m_i r_i = 1,   m >= 0
 *     max tau         with   a_i.v >= tau r_i,   |c_j v_j| <= 1
 *
 * If the least distance is 0, m is a witness on at most p + 1 rows, a vertex; else v is a plane. r_i is about the size of
 * what is summed in a_i.v, so that this plane suffers least from rounding. */
#ifndef HSP_SEPARATE_RATIONAL_H
#define HSP_SEPARATE_RATIONAL_H

#include "base/integer.h"
#include "halfspace.h"
#include "verify/proof/proof.h"

/* The role of a row. FREE_SIGN: its multiplier may be negative, so that planes contain the row. */
typedef enum hsp_role { HSP_ROLE_OUT, HSP_ROLE_COUNTS, HSP_ROLE_FREE_SIGN } hsp_role;

typedef struct hsp_rational {
    int64_t n, p;              /* rows of the data; coordinates: columns that are not 0, and 1 unless through the origin */
    int64_t *column;           /* p: of the data; -1: the intercept */
    int64_t *low;              /* p: coordinate j of the rows is that of the data 2^-low */
    int64_t *scale;            /* n: a_i was divided by 2^scale */
    int64_t *top;              /* p: c_j = 2^top */
    int64_t *weight;           /* n: r_i = 2^weight */
    int8_t *role;              /* n, hsp_role; to be set between solutions */
    hsp_integer *A;            /* n x p */
    hsp_integer_memory memory; /* of all integers; failed: no solution counts */
    double bits;               /* of a row's longest number, at most */
    double seconds;            /* spent so far, estimated from sizes alone */
    double most;               /* limit on `seconds` */
    /* the solution */
    int64_t r;               /* p + 1 */
    int64_t *basis;          /* r */
    hsp_integer *adjugate;   /* r x r: determinant x the inverse of the basis */
    hsp_integer determinant; /* > 0 */
    hsp_integer *price;      /* r: of the coordinates, and of the sum; over the determinant */
    hsp_integer *m;          /* n: multipliers, over the determinant */
    hsp_integer *direction;  /* r */
    hsp_integer part, other;
    bool ready; /* determinant, part and other are initialised */
} hsp_rational; /* owns its arrays */

typedef enum hsp_rational_end { HSP_RATIONAL_WITNESS, HSP_RATIONAL_PLANE, HSP_RATIONAL_STOPPED } hsp_rational_end;

/* Estimated seconds for a solution; INFINITY if it is too large or has numbers that are not finite. HSP_OK or HSP_EMEMORY. */
int hsp_rational_estimate(const hsp_rows_by_side *q, double *seconds, hsp_error **err);
/* Rows on a side count. HSP_OK or HSP_EMEMORY; call hsp_rational_free in either case. */
int hsp_rational_new(hsp_rational *l, const hsp_rows_by_side *q, double most, hsp_error **err);
void hsp_rational_free(hsp_rational *l);
/* At least one row must count. WITNESS: m has the multipliers (those of rows of free sign may be negative). PLANE: v is
 * -price. STOPPED: by `most`, by stop(ctx), or because memory ran out. */
hsp_rational_end hsp_rational_solve(hsp_rational *l, bool (*stop)(const void *ctx), const void *ctx);

/* After a plane: sets r_i to about the size of what was summed for row i and c_j to that of its weight. The next solution is
 * a plane that suffers less from rounding. */
void hsp_rational_reweigh(hsp_rational *l);

/* The plane of a solution in doubles, w (d): each weight times a factor, which the number `scale` selects, and rounded.
 * False: doubles do not have the range. Scale 0 comes first; it divides the prices by their greatest common divisor. */
bool hsp_rational_round(hsp_rational *l, int scale, double *w, int64_t d);
/* b for w, in the middle between the classes, by exact sums; false: w leaves no gap between them. */
bool hsp_rational_place(hsp_rational *l, const hsp_rows_by_side *q, const double *w, double *b);
/* Rounds one weight after the other and solves for the remaining ones each time; *fits: that succeeded. *left: the seconds
 * that it may take; those it took are subtracted. */
int hsp_rational_round_in_turn(const hsp_rows_by_side *q, double *left, int scale, bool (*stop)(const void *ctx),
                               const void *ctx, double *w, double *b, bool *fits, hsp_error **err);

#endif
