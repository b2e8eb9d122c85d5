/* X'r of dense rows from a copy of them in single precision, in which a pass moves half of the bytes. The columns are copied
 * about their means, and the error of a sum has a bound by the inequality of Cauchy and Schwarz: what is returned is at least
 * as large as the truth, by a millionth or so, which is enough to prove that a column may stay out. */
#ifndef HSP_SOLVE_PROX_SINGLE_SCREEN_H
#define HSP_SOLVE_PROX_SINGLE_SCREEN_H

#include "design/design.h"
#include "halfspace.h"

typedef struct hsp_single_screen hsp_single_screen;

/* Whether the copy makes passes faster. */
bool hsp_single_screen_suits(const hsp_design *D);
/* *out is NULL without an error, too: some numbers are too large, or the copy would take too much memory. */
int hsp_single_screen_new(const hsp_design *D, hsp_single_screen **out, hsp_error **err);
void hsp_single_screen_free(hsp_single_screen *s); /* NULL is allowed */
/* |sum_i r_i x'_ij| <= |out_j| <= that and a bound of the error; the signs agree unless out_j is within that bound. */
void hsp_single_screen_adjoint(const hsp_single_screen *s, const double *r, double *out);

#endif
