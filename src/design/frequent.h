/* A working copy of sparse rows for methods that visit rows in random order with a vector over the columns: columns are
 * numbered by their number of entries, the most frequent first, so that the part of the vector that most entries need stays in
 * the cache. A column with a single entry concerns no other row: it is left out, and its square belongs to the row. */
#ifndef HSP_DESIGN_FREQUENT_H
#define HSP_DESIGN_FREQUENT_H

#include "data/matrix.h"
#include "halfspace.h"

typedef struct hsp_frequent {
    hsp_matrix x; /* owned: n rows, as many columns as have two entries or more; ids of a row do not ascend */
    double *own;  /* n, owned: the sum of the squares of the entries that were left out */
} hsp_frequent;

/* x: sparse, ids in 16 or 32 bits. HSP_OK or HSP_EMEMORY; free it in any case. */
int hsp_frequent_new(const hsp_matrix *x, int threads, hsp_frequent *out, hsp_error **err);
void hsp_frequent_free(hsp_frequent *f);

#endif
