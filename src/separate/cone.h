/* The question in homogeneous form: is there a v with a_i.v > 0 for all rows, a_i = rho_i (x'_i, 1), or is 0 a combination
 * of the a_i with multipliers >= 0 (Gordan 1873)? Rows and columns are scaled, which changes neither answer: columns by
 * powers of two (dense ones are centred, too, unless the planes go through the origin), rows to unit length. */
#ifndef HSP_SEPARATE_CONE_H
#define HSP_SEPARATE_CONE_H

#include "design/design.h"
#include "halfspace.h"
#include "verify/proof/proof.h"

typedef struct hsp_cone {
    const hsp_design *design; /* n rows x'_i of d coordinates */
    const double *rho;        /* n: the side over the length; 0: the row does not count */
    bool free;                /* the last coordinate of v is the intercept */
    int64_t n, d, p;          /* p: of v */
    const int64_t *row;       /* that each is in the data; NULL: the same */
    const double *map;        /* coordinates are those of weights of `base` rows: base->n x d; NULL: they are its columns */
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
/* The weights in the units of the data, without the intercept: w has base->d numbers; scratch has base->n (with a map
 * only). */
void hsp_cone_lift(const hsp_cone *c, const double *v, double *scratch, double *w);
/* The other way round: what is left of  sum m_i y_i x_i  (r, base->d numbers as read, overwritten) and of  sum m_i y_i,  in
 * the p coordinates; scratch has base->n (with a map only). */
void hsp_cone_pull(const hsp_cone *c, double *r, double sides, double *scratch, double *out);

/* The rows as read, scaled. */
typedef struct hsp_cone_frame {
    double *shift, *factor; /* d; shift NULL: not centred */
    hsp_design *design;
    double *rho; /* n */
    bool finite; /* all of it is */
} hsp_cone_frame;

/* HSP_OK or HSP_EMEMORY; hsp_frame_clear in any case. */
int hsp_frame_make(const hsp_rows_by_side *q, hsp_cone_frame *out, hsp_error **err);
void hsp_frame_clear(hsp_cone_frame *f);
hsp_cone hsp_frame_cone(const hsp_cone_frame *f, bool origin);

#endif
