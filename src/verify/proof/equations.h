/* The equations that the multipliers m of a witness must satisfy, in integers. With the unknowns z_s = y_s m_s for row s of
 * the witness:
 *     sum_s z_s x_sj = 0   for each column j that is not 0 in all its rows
 *     sum_s z_s = 0        unless planes go through the origin */
#ifndef HSP_VERIFY_PROOF_EQUATIONS_H
#define HSP_VERIFY_PROOF_EQUATIONS_H

#include "base/integer.h"
#include "halfspace.h"
#include "verify/proof/proof.h"

enum { HSP_EQUATIONS_MOST = 4096 }; /* with more unknowns exact arithmetic is not tried */

/* Each equation is scaled by a power of two, so that its coefficients are mantissa 2^shift with shift >= 0. Owns its
 * arrays. */
typedef struct hsp_equations {
    int64_t unknowns, count;
    int64_t *begin;    /* count + 1 */
    int64_t *column;   /* of each equation; -1: sum z = 0 */
    int32_t *unknown;  /* of each coefficient; ascending in an equation */
    int64_t *mantissa; /* odd */
    int16_t *shift;
    double *value; /* the coefficients as they were read */
} hsp_equations;

/* The equations of the rows row[0 .. k-1]. HSP_OK or HSP_EMEMORY; call hsp_equations_clear in either case. */
int hsp_equations_new(const hsp_rows_by_side *q, const int64_t *row, int64_t k, hsp_equations *out, hsp_error **err);
void hsp_equations_clear(hsp_equations *e);
/* Coefficient t as an integer. */
void hsp_equations_coefficient(const hsp_equations *e, int64_t t, hsp_integer out);
/* log2 of a bound on the Euclidean length of equation i. */
double hsp_equations_bits(const hsp_equations *e, int64_t i);
/* Whether z solves equation i exactly; sum and part are scratch. */
bool hsp_equations_holds(const hsp_equations *e, int64_t i, hsp_integer *z, hsp_integer sum, hsp_integer part);

/* Finds equations that are independent modulo a prime, and as many unknowns that they determine; unknowns that come first
 * in `order` are preferred. equation and unknown (k numbers each) receive them, *rank their number: at most k - 1, since a
 * solution other than 0 exists only then. Rank -1: it would take longer than `seconds`, estimated from the sizes alone. */
int hsp_equations_pivots(const hsp_equations *e, const int64_t *order, int prime, double seconds, int64_t *equation,
                         int64_t *unknown, int64_t *rank, hsp_error **err);

#endif
