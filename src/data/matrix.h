/* The numbers of a data set: n rows, d columns, dense (row-major) or CSR. Stored values are exactly those read, in the
 * smallest coding that holds them all. CSR stores no zeros; ids ascend in a row. */
#ifndef HSP_DATA_MATRIX_H
#define HSP_DATA_MATRIX_H

#include "base/owner.h"
#include "halfspace.h"
#include "kernel/form.h"
#include "kernel/kernel.h"

/* How the values of a matrix are stored. */
typedef enum hsp_coding {
    HSP_CODING_F64,
    HSP_CODING_F32,
    HSP_CODING_CODE8, /* a byte each: the index in `table` */
    HSP_CODING_ONE,   /* CSR only: no values are stored, each is table[0] */
    /* Memory of a caller, dense only: integers, and values that are table[HSP_STEP] places apart. */
    HSP_CODING_I16,
    HSP_CODING_I32,
    HSP_CODING_I64,
    HSP_CODING_STEP_F64,
    HSP_CODING_STEP_F32,
    HSP_CODING_STEP_CODE8,
    HSP_CODING_STEP_I16,
    HSP_CODING_STEP_I32,
    HSP_CODING_STEP_I64
} hsp_coding;

/* The arrays of a matrix and its rows that belong to its owner, as bits. */
enum {
    HSP_LENT_ROW = 1,
    HSP_LENT_ID = 2,
    HSP_LENT_VALUE = 4,
    HSP_LENT_TABLE = 8,
    HSP_LENT_Y = 16,
    HSP_LENT_TARGET = 32,
    HSP_LENT_WEIGHT = 64
};

typedef struct hsp_matrix {
    int64_t n, d;
    bool dense;
    hsp_ids ids;       /* CSR: their width */
    hsp_coding coding; /* of the values */
    int32_t dtype;     /* HSP_FLOAT32 or HSP_FLOAT64: what the values decode to */
    int64_t stored;    /* values of the rows: n d if dense */
    int64_t nonzeros;  /* those that are not zero */
    int64_t stride;    /* dense: values from one row to the next, may be negative; 0: d */
    int64_t *row;      /* CSR: n+1 offsets; NULL if dense */
    uint32_t *id;      /* CSR: column of each value, from 0, by `ids`; NULL if dense */
    void *value;
    double *table;    /* HSP_TABLE places, if the coding has one, and one more if it has a step */
    hsp_owner *owner; /* counted reference, or NULL: of the memory that is lent */
    unsigned lent;    /* HSP_LENT_*: these arrays belong to the owner, the others to the matrix (and its data set) */
} hsp_matrix;

/* A stored row: `count` values, with their columns in `id`, or columns 0 .. count-1 if id is NULL. Read it by hsp_row_id and
 * hsp_row_value, or by the kernels of the design. */
typedef struct hsp_row {
    int64_t count;
    const void *id;    /* by `ids` */
    const void *value; /* by its coding; NULL if none are stored */
    const double *table;
    hsp_coding coding;
    hsp_ids ids;
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
    return (hsp_row){.count = r.count, .id = r.id, .value = value, .ids = r.ids};
}
/* The column of the t-th stored value. */
static inline int64_t hsp_row_id(hsp_row r, int64_t t) {
    if (!r.id) return t;
    if (r.ids == HSP_IDS_64) return ((const int64_t *)r.id)[t];
    return r.ids == HSP_IDS_16 ? (int64_t)((const uint16_t *)r.id)[t] : (int64_t)((const uint32_t *)r.id)[t];
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

static inline size_t hsp_ids_size(hsp_ids ids) {
    return ids == HSP_IDS_16 ? sizeof(uint16_t) : ids == HSP_IDS_32 ? sizeof(uint32_t) : sizeof(uint64_t);
}
static inline hsp_ids hsp_ids_of_size(size_t size) {
    return size == sizeof(uint16_t) ? HSP_IDS_16 : size == sizeof(uint32_t) ? HSP_IDS_32 : HSP_IDS_64;
}
/* Bytes of one id; 0 for a dense row. */
static inline size_t hsp_row_id_size(hsp_row r) {
    return r.id ? hsp_ids_size(r.ids) : 0;
}
/* The index of this row's form in the tables of kernels. */
static inline int hsp_row_form(hsp_row r) {
    return hsp_form(r.id != NULL, r.ids, (int)r.coding);
}
/* Decodes at most `most` entries from index `from`: columns (unless id is NULL) and values; how many. */
static inline int64_t hsp_row_decode(hsp_row r, int64_t from, int64_t most, uint32_t *id, double *value) {
    int64_t count = r.count - from < most ? r.count - from : most;
    if (count > 0) hsp_decodes[hsp_row_form(r)](r.id, r.value, r.table, from, count, id, value);
    return count > 0 ? count : 0;
}

int64_t hsp_matrix_bytes(const hsp_matrix *m);
/* Rows `from` to `from` + rows - 1 as a matrix that borrows all arrays and must not be cleared; `nonzeros` is that of m. */
hsp_matrix hsp_matrix_slice(const hsp_matrix *m, int64_t from, int64_t rows);
/* A new matrix of the given rows in the given order. */
int hsp_matrix_take(const hsp_matrix *m, const int64_t *rows, int64_t count, hsp_matrix *out);
/* Frees an array of the matrix or its data set unless it is lent. */
void hsp_matrix_drop(const hsp_matrix *m, unsigned array, void *p);
void hsp_matrix_clear(hsp_matrix *m); /* frees the arrays, zeroes the struct */

static inline hsp_coding hsp_matrix_coding(const hsp_matrix *m) {
    return m->coding == HSP_CODING_F64 && m->dtype == HSP_FLOAT32 ? HSP_CODING_F32 : m->coding;
}

/* Bytes of one stored value. */
static inline size_t hsp_coding_size(hsp_coding c) {
    static const uint8_t sizes[HSP_DENSE_CODINGS] = {8, 4, 1, 0, 2, 4, 8, 8, 4, 1, 2, 4, 8};
    return sizes[c];
}
static inline bool hsp_coding_steps(hsp_coding c) {
    return c >= HSP_CODING_STEP_F64;
}
static inline bool hsp_coding_has_table(hsp_coding c) {
    return c == HSP_CODING_CODE8 || c == HSP_CODING_ONE || hsp_coding_steps(c);
}
/* The coding of the same values side by side. */
hsp_coding hsp_coding_adjacent(hsp_coding c);
static inline size_t hsp_matrix_value_size(const hsp_matrix *m) {
    return hsp_coding_size(hsp_matrix_coding(m));
}
/* Bytes of one id. */
static inline size_t hsp_matrix_id_size(const hsp_matrix *m) {
    return hsp_ids_size(m->ids);
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
    const char *id = !m->id ? NULL : (const char *)m->id + begin * (int64_t)hsp_matrix_id_size(m);
    const char *value = m->value ? (const char *)m->value + begin * (int64_t)hsp_coding_size(coding) : NULL;
    return (hsp_row){end - begin, id, value, m->table, coding, m->ids};
}

/* The t-th stored value of a row, as double. */
static inline double hsp_row_value(hsp_row r, int64_t t) {
    if (r.coding == HSP_CODING_F64) return ((const double *)r.value)[t];
    if (r.coding == HSP_CODING_F32) return (double)((const float *)r.value)[t];
    if (r.coding <= HSP_CODING_ONE) return r.table[r.coding == HSP_CODING_CODE8 ? ((const uint8_t *)r.value)[t] : 0];
    double value;
    hsp_decodes[r.coding](NULL, r.value, r.table, t, 1, NULL, &value);
    return value;
}
/* The value at index t of a dense row in memory. */
static inline const void *hsp_row_at(hsp_row r, int64_t t) {
    int64_t step = hsp_coding_steps(r.coding) ? (int64_t)r.table[HSP_STEP] : 1;
    return (const char *)r.value + t * step * (int64_t)hsp_coding_size(r.coding);
}
/* Copies the values of a row, side by side, in the coding hsp_coding_adjacent. */
void hsp_row_copy_values(hsp_row r, void *to);

#endif
