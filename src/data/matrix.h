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

/* How the values of a matrix are kept; always exactly those read. */
typedef enum hsp_coding {
    HSP_CODING_F64,
    HSP_CODING_F32,
    HSP_CODING_CODE8, /* a byte each: where it stands in `table`, which has 256 places */
    HSP_CODING_ONE    /* CSR only: nothing is stored, every value is table[0] */
} hsp_coding;

/* One row as it is stored: `count` values, with their columns in `id`, or columns 0 .. count-1 when id is NULL. Read it by
 * hsp_row_id and hsp_row_value, or with the kernels of the design. */
typedef struct hsp_row {
    int64_t count;
    const uint32_t *id;
    const void *value;
    int32_t dtype;
} hsp_row;

/* Rows that somebody made: count doubles, dense, or with their ascending columns. */
static inline hsp_row hsp_row_dense(int64_t count, const double *value) {
    return (hsp_row){.count = count, .value = value, .dtype = HSP_FLOAT64};
}
static inline hsp_row hsp_row_sparse(int64_t count, const uint32_t *id, const double *value) {
    return (hsp_row){.count = count, .id = id, .value = value, .dtype = HSP_FLOAT64};
}
/* The columns of r with other values. */
static inline hsp_row hsp_row_with(hsp_row r, const double *value) {
    return (hsp_row){.count = r.count, .id = r.id, .value = value, .dtype = HSP_FLOAT64};
}
/* The column of the t-th stored value. */
static inline int64_t hsp_row_id(hsp_row r, int64_t t) {
    return r.id ? (int64_t)r.id[t] : t;
}

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
