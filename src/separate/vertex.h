/* From multipliers on many rows to multipliers on few (Caratheodory 1911). */
#ifndef HSP_SEPARATE_VERTEX_H
#define HSP_SEPARATE_VERTEX_H

#include "halfspace.h"
#include "separate/cone.h"
#include "verify/proof/proof.h"

/* X is k x q, and m (k, > 0) satisfies  sum m_i X_i = 0  approximately. Replaces m by a vertex of all such m with the same
 * sum: the rows with m_i > 0 are minimal. HSP_OK; HSP_EINTERNAL if the problem is numerically singular; HSP_EMEMORY. */
int hsp_vertex_find(const double *X, int64_t k, int64_t q, double *m, hsp_error **err);

/* Rows of a cone with positive multipliers, sum mu_i a_i = 0. Owns its arrays. */
typedef struct hsp_held {
    int64_t count, rank;
    int64_t *row; /* of the cone */
    double *mu;
} hsp_held;

void hsp_held_clear(hsp_held *h);
/* Adds rows; their sum with these multipliers must be in the span of the held rows, if there are any. `more`: what the rank
 * grows by. */
int hsp_held_join(hsp_held *h, const hsp_cone *c, const int64_t *row, const double *mu, int64_t count, int64_t more,
                  hsp_error **err);
/* Q: an orthonormal basis of the span, rank x p. */
int hsp_held_span(const hsp_held *h, const hsp_cone *c, double *Q, hsp_error **err);
/* Refines the multipliers by the residual over the rows as they were read, and writes those of the data: rows ascend, the
 * multipliers of the positive side (through the origin: all) sum to 1. *good: all are positive. */
int hsp_held_finish(hsp_held *h, const hsp_rows_by_side *q, const hsp_cone *c, int64_t *row, double *multiplier, bool *good,
                    hsp_error **err);

#endif
