/* The question in homogeneous form, with a_i = rho_i (x'_i, 1). By Gordan's theorem (1873) exactly one of these exists:
 *     v with a_i.v > 0 for all rows
 *     m >= 0, not all 0, with sum m_i a_i = 0
 * Rows and columns are scaled, which does not change the answer: columns by powers of two (dense ones are also centred,
 * unless planes go through the origin), rows to unit length. */
#ifndef HSP_SEPARATE_CONE_H
#define HSP_SEPARATE_CONE_H

#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "verify/proof/proof.h"

typedef struct hsp_cone {
    const hsp_design *design; /* n rows x'_i of d coordinates */
    const double *rho;        /* n: the side divided by the length; 0: the row does not count */
    bool free;                /* the last coordinate of v is the intercept */
    int64_t n, d, p;          /* p: coordinates of v */
    const int64_t *row;       /* n: row of the data; NULL: the same */
    const double *map;        /* base->n x d: coordinates to coefficients of `base` rows; NULL: coordinates are columns */
    const hsp_design *base;   /* the rows as read, scaled */
} hsp_cone;                   /* all borrowed */

static inline int64_t hsp_cone_source(const hsp_cone *c, int64_t i) {
    return c->row ? c->row[i] : i;
}

/* out_i = a_i.v */
void hsp_cone_apply(const hsp_cone *c, const double *v, double *out);
/* out (p) = sum_i r_i a_i; scratch has n numbers. */
void hsp_cone_adjoint(const hsp_cone *c, const double *r, double *scratch, double *out);
/* a_i as p numbers. */
void hsp_cone_row(const hsp_cone *c, int64_t i, double *out);
/* w (base->d numbers): the weights of v in the units of the data, without the intercept. scratch: base->n numbers, needed
 * only with a map. */
void hsp_cone_lift(const hsp_cone *c, const double *v, double *scratch, double *w);
/* out (p): a residual in the coordinates of the cone, given in the units of the data by r = sum m_i y_i x_i (base->d
 * numbers, overwritten) and sides = sum m_i y_i. scratch as above. */
void hsp_cone_pull(const hsp_cone *c, double *r, double sides, double *scratch, double *out);

/* The rows as read, scaled. Owns all of it. */
typedef struct hsp_cone_frame {
    double *shift, *factor; /* d; shift NULL: not centred */
    hsp_design *design;
    double *rho; /* n */
    bool finite; /* the scaled numbers are finite */
} hsp_cone_frame;

/* HSP_OK or HSP_EMEMORY; call hsp_frame_clear in either case. */
int hsp_frame_make(const hsp_rows_by_side *q, hsp_cone_frame *out, hsp_error **err);
void hsp_frame_clear(hsp_cone_frame *f);
hsp_cone hsp_frame_cone(const hsp_cone_frame *f, bool origin);
bool hsp_row_is_zero(hsp_row r);

#endif
