/* What data sets from arrays of the caller share, whether the arrays are copied or borrowed. */
#ifndef HSP_DATA_FROM_MEMORY_H
#define HSP_DATA_FROM_MEMORY_H

#include "base/owner.h"
#include "data/data.h"
#include "halfspace.h"

/* The owner of memory that a view borrows. NULL: out of memory; release was called, and *err is set. */
hsp_owner *hsp_memory_owner(void (*release)(void *user), void *user, hsp_error **err);
/* HSP_EINPUT unless there are rows and columns, and not too many columns. */
int hsp_memory_check_shape(int64_t n, int64_t d, hsp_error **err);
/* HSP_EINPUT: row i, column j is not finite. */
int hsp_memory_fail_value(int64_t i, int64_t j, hsp_error **err);
/* A schema of d columns with copies of their names (NULL: none). */
int hsp_memory_schema(int64_t d, const char *const *names, hsp_schema *out, hsp_error **err);
/* Makes a data set without labels of the matrix, which it takes over, also on failure. */
int hsp_memory_data(hsp_matrix *x, const char *const *names, hsp_data **out, hsp_error **err);
/* Copies CSR rows: sorts columns, adds duplicates, leaves zeros out. row: n + 1 offsets; column and value: checked vectors
 * of at least row[n] elements. */
int hsp_memory_from_csr(const int64_t *row, const hsp_array *column, const hsp_array *value, int64_t n, int64_t d,
                        const char *const *labels, const char *const *names, hsp_data **out, hsp_error **err);

#endif
