/* The numbers of a data set: n rows, d columns, dense (row-major) or CSR. Stored values are exactly those read, in the
 * smallest coding that holds them all. CSR stores no zeros; ids ascend in a row. */
#ifndef HSP_DATA_MATRIX_H
#define HSP_DATA_MATRIX_H

#include "base/map.h"
#include "halfspace.h"
#include "kernel/form.h"
#include "kernel/kernel.h"

/* How the values of a matrix are stored. */
typedef enum hsp_coding {
    HSP_CODING_F64,
    HSP_CODING_F32,
    HSP_CODING_CODE8, /* a byte each: the index in `table` */
    HSP_CODING_ONE    /* CSR only: no values are stored, each is table[0] */
} hsp_coding;

enum { HSP_TABLE = 256 }; /* places of a table */

struct hsp_map;

typedef struct hsp_matrix {
    int64_t n, d;
    bool dense;
    bool narrow;       /* CSR: the ids are uint16_t */
    hsp_coding coding; /* of the values */
    int32_t dtype;     /* HSP_FLOAT32 or HSP_FLOAT64: what the values decode to */
    int64_t stored;    /* values of the rows: n d if dense */
    int64_t nonzeros;  /* those that are not zero */
    int64_t stride;    /* dense: values from one row to the next; 0: d */
    int64_t *row;      /* CSR: n+1 offsets; NULL if dense */
    uint32_t *id;      /* CSR: column of each value, from 0; NULL if dense */
    void *value;
    double *table;       /* HSP_TABLE places, if the coding has one */
    struct hsp_map *map; /* owned, or NULL; arrays in this mapped file belong to it, the others to the matrix */
} hsp_matrix;

/* A stored row: `count` values, with their columns in `id`, or columns 0 .. count-1 if id is NULL. Read it by hsp_row_id and
 * hsp_row_value, or by the kernels of the design. */
typedef struct hsp_row {
    int64_t count;
    const void *id;    /* uint16_t if narrow, else uint32_t */
    const void *value; /* by its coding; NULL if none are stored */
    const double *table;
    hsp_coding coding;
    bool narrow;
} hsp_row;

/* Rows of `count` doubles, dense or with their ascending columns. */
static inline hsp_row hsp_row_dense(int64_t count, const double *value) {
    return (hsp_row){.count = count, .value = value};
}
static inline hsp_row hsp_row_sparse(int64_t count, const uint32_t *id, const double *value) {
    return (hsp_row){.count = count, .id = id, .value = value};
}
/* The columns of r with other values. */
static inline hsp_row hsp_row_with(hsp_row r, const double *value) {
    return (hsp_row){.count = r.count, .id = r.id, .value = value, .narrow = r.narrow};
}
/* The column of the t-th stored value. */
static inline int64_t hsp_row_id(hsp_row r, int64_t t) {
    if (!r.id) return t;
    return r.narrow ? (int64_t)((const uint16_t *)r.id)[t] : (int64_t)((const uint32_t *)r.id)[t];
}
/* The index of the first entry of a sparse row whose column is at least j. */
static inline int64_t hsp_row_find(hsp_row r, int64_t j) {
    int64_t low = 0, high = r.count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (hsp_row_id(r, middle) < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Bytes of one id; 0 for a dense row. */
static inline size_t hsp_row_id_size(hsp_row r) {
    return !r.id ? 0 : r.narrow ? sizeof(uint16_t) : sizeof(uint32_t);
}
/* The index of this row's form in the tables of kernels. */
static inline int hsp_row_form(hsp_row r) {
    return hsp_form(r.id != NULL, r.narrow, (int)r.coding);
}
/* Decodes at most `most` entries from index `from`: columns (unless id is NULL) and values; how many. */
static inline int64_t hsp_row_decode(hsp_row r, int64_t from, int64_t most, uint32_t *id, double *value) {
    int64_t count = r.count - from < most ? r.count - from : most;
    if (count > 0) hsp_decodes[hsp_row_form(r)](r.id, r.value, r.table, from, count, id, value);
    return count > 0 ? count : 0;
}

int64_t hsp_matrix_bytes(const hsp_matrix *m);
/* A new matrix of the given rows in the given order. */
int hsp_matrix_take(const hsp_matrix *m, const int64_t *rows, int64_t count, hsp_matrix *out);
void hsp_matrix_clear(hsp_matrix *m); /* frees the arrays, zeroes the struct */

static inline hsp_coding hsp_matrix_coding(const hsp_matrix *m) {
    return m->coding == HSP_CODING_F64 && m->dtype == HSP_FLOAT32 ? HSP_CODING_F32 : m->coding;
}

/* Bytes of one stored value. */
static inline size_t hsp_coding_size(hsp_coding c) {
    return c == HSP_CODING_F64 ? sizeof(double) : c == HSP_CODING_F32 ? sizeof(float) : c == HSP_CODING_CODE8 ? 1 : 0;
}
static inline size_t hsp_matrix_value_size(const hsp_matrix *m) {
    return hsp_coding_size(hsp_matrix_coding(m));
}
/* Bytes of one id. */
static inline size_t hsp_matrix_id_size(const hsp_matrix *m) {
    return m->narrow ? sizeof(uint16_t) : sizeof(uint32_t);
}

/* Dense: values from one row to the next. */
static inline int64_t hsp_matrix_stride(const hsp_matrix *m) {
    return m->stride ? m->stride : m->d;
}

/* Row i; inline, for data with many short rows. */
static inline hsp_row hsp_matrix_row(const hsp_matrix *m, int64_t i) {
    hsp_coding coding = hsp_matrix_coding(m);
    int64_t begin = m->dense ? i * hsp_matrix_stride(m) : m->row[i];
    int64_t end = m->dense ? begin + m->d : m->row[i + 1];
    const char *id = !m->id ? NULL : (const char *)m->id + (size_t)begin * hsp_matrix_id_size(m);
    const char *value = m->value ? (const char *)m->value + (size_t)begin * hsp_coding_size(coding) : NULL;
    return (hsp_row){end - begin, id, value, m->table, coding, m->narrow};
}

/* The t-th stored value of a row, as double. */
static inline double hsp_row_value(hsp_row r, int64_t t) {
    if (r.coding == HSP_CODING_F64) return ((const double *)r.value)[t];
    if (r.coding == HSP_CODING_F32) return (double)((const float *)r.value)[t];
    return r.table[r.coding == HSP_CODING_CODE8 ? ((const uint8_t *)r.value)[t] : 0];
}

#endif
