/* The numbers of a data set: n rows, d columns, dense (row-major) or CSR, float or double. Stored values are exactly those
 * read: float only when every one of them is exact in float. Explicit zeros are not stored in CSR; ids ascend in a row. */
#ifndef HSP_DATA_MATRIX_H
#define HSP_DATA_MATRIX_H

#include "halfspace.h"

#include <stdbool.h>

typedef struct hsp_matrix {
    int64_t n, d;
    bool dense;
    int32_t dtype;    /* HSP_FLOAT32 or HSP_FLOAT64 */
    int64_t stored;   /* numbers in `value`: n*d when dense */
    int64_t nonzeros; /* of them, not zero */
    int64_t *row;     /* CSR: n+1 offsets; NULL when dense */
    uint32_t *id;     /* CSR: column of each value, from 0; NULL when dense */
    void *value;
} hsp_matrix;

/* One row as it is stored: `count` values, with their columns in `id`, or columns 0 .. count-1 when id is NULL. */
typedef struct hsp_row {
    int64_t count;
    const uint32_t *id;
    const void *value;
    int32_t dtype;
} hsp_row;

int64_t hsp_matrix_bytes(const hsp_matrix *m);
/* A new matrix of the given rows in the given order. */
int hsp_matrix_take(const hsp_matrix *m, const int64_t *rows, int64_t count, hsp_matrix *out);
void hsp_matrix_clear(hsp_matrix *m); /* frees the arrays, zeroes the struct */

/* Bytes of one number. */
static inline size_t hsp_matrix_value_size(const hsp_matrix *m) {
    return m->dtype == HSP_FLOAT32 ? sizeof(float) : sizeof(double);
}

/* Row i as it is stored; inline, since short rows are many. */
static inline hsp_row hsp_matrix_row(const hsp_matrix *m, int64_t i) {
    int64_t begin = m->dense ? i * m->d : m->row[i];
    int64_t end = m->dense ? begin + m->d : m->row[i + 1];
    const char *value = m->value;
    return (hsp_row){end - begin, m->dense ? NULL : m->id + begin, value + (size_t)begin * hsp_matrix_value_size(m),
                     m->dtype};
}

/* The t-th stored value of a row, as double. */
static inline double hsp_row_value(hsp_row r, int64_t t) {
    return r.dtype == HSP_FLOAT32 ? (double)((const float *)r.value)[t] : ((const double *)r.value)[t];
}

#endif
