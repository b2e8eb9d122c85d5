/* Finds columns that are linear functions of others. In all rows, up to 1e-10 of their standard deviation,
 *
 *     x_k = a_0 + sum_t a_t x_t */
#ifndef HSP_INSPECT_RELATIONS_H
#define HSP_INSPECT_RELATIONS_H

#include "data/matrix.h"
#include "halfspace.h"
#include "prepare/prepare.h"

typedef struct hsp_relations {
    int64_t p;     /* number of features given */
    int64_t count; /* number of relations */
    int64_t *of;   /* owned: the dependent feature, as its index among those given */
    double *a;     /* owned: count x (p + 1): a_0, then the coefficient of each feature given; 0: not in the relation */
    bool open;     /* the limit of rounds or work was reached: there may be more relations */
} hsp_relations;

/* Goes through the p features `use` (none constant, no two equal) in order. A feature that is a linear function of those
 * before it is reported, if `wanted`, and left out for the features after it. The result is the same for any number of
 * threads. */
int hsp_relations_find(const hsp_matrix *x, const hsp_column_stats *s, const int64_t *use, const bool *wanted, int64_t p,
                       int threads, hsp_relations *out, hsp_error **err);
void hsp_relations_clear(hsp_relations *r);

#endif
