/* A matrix that borrows memory, in the form of one that was read. */
#ifndef HSP_DATA_COMPACT_H
#define HSP_DATA_COMPACT_H

#include "data/matrix.h"
#include "halfspace.h"

/* Whether the matrix has a form that files have: dense rows forwards, with adjacent values as double, float or by dictionary;
 * or CSR with ids of 16 or 32 bits. */
bool hsp_matrix_is_compact(const hsp_matrix *m);
/* The same numbers in such a form, the smallest, in memory of their own. */
int hsp_matrix_compact(const hsp_matrix *m, hsp_matrix *out, hsp_error **err);

#endif
