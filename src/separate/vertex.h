/* From multipliers on many rows to multipliers on few (Caratheodory 1911). */
#ifndef HSP_SEPARATE_VERTEX_H
#define HSP_SEPARATE_VERTEX_H

#include "halfspace.h"
#include "separate/cone.h"
#include "verify/proof/proof.h"

/* X is k x q. m (k, > 0) has  sum m_i X_i = 0  nearly. Becomes a vertex of all such m with the same sum: those that are not
 * 0 belong to rows of which any one is a combination of the others, no fewer would do. HSP_OK; HSP_EINTERNAL when the
 * numbers do not allow it; HSP_EMEMORY. */
int hsp_vertex_find(const double *X, int64_t k, int64_t q, double *m, hsp_error **err);

/* Rows of a cone that are held by their multipliers. */
typedef struct hsp_held {
    int64_t count, rank, room;
    int64_t *row; /* of the cone */
    double *mu;   /* multipliers of the a_i */
} hsp_held;

void hsp_held_clear(hsp_held *h);
/* Joins rows whose multipliers leave a sum in the span of those held already (any rows, when none are). `more`: by which
 * the rank grows. */
int hsp_held_join(hsp_held *h, const hsp_cone *c, const int64_t *row, const double *mu, int64_t count, int64_t more,
                  hsp_error **err);
/* Basis of the span, rank x p, orthonormal; room for count x p. */
int hsp_held_span(const hsp_held *h, const hsp_cone *c, double *Q, hsp_error **err);
/* Corrects the multipliers by what is left of their sum over the rows as they were read, and gives those of the data:
 * ascending rows, the positive side's sum 1 (all, through the origin). False in *good: some are not positive. */
int hsp_held_finish(hsp_held *h, const hsp_rows_by_side *q, const hsp_cone *c, int64_t *row, double *multiplier, bool *good,
                    hsp_error **err);

#endif
