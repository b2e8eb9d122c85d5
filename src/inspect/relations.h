/* Columns that follow from others: x_k = a_0 + sum_t a_t x_t in all rows, to 1e-10 of their spread. */
#ifndef HSP_INSPECT_RELATIONS_H
#define HSP_INSPECT_RELATIONS_H

#include "data/matrix.h"
#include "halfspace.h"
#include "prepare/prepare.h"

typedef struct hsp_relations {
    int64_t p;     /* features that were given */
    int64_t count; /* relations */
    int64_t *of;   /* the feature that follows, as its place among those given */
    double *a;     /* count x (p + 1): a_0, then the coefficient of each feature given; 0: not in it */
    bool open;     /* not all could be settled within bounds: there may be more */
} hsp_relations;

/* The p features `use` (none constant, no two equal) are gone through in their order: each that follows from those before
 * it is told, if `wanted`, and is no longer there for the rest. The same for any number of threads. */
int hsp_relations_find(const hsp_matrix *x, const hsp_column_stats *s, const int64_t *use, const bool *wanted, int64_t p,
                       int threads, hsp_relations *out, hsp_error **err);
void hsp_relations_clear(hsp_relations *r);

#endif
