/* Arrays as callers have them, for the tests: the numbers of a row-major table of doubles in every dtype, order and stride. */
#ifndef HSP_TESTS_ARRAY_VIEWS_H
#define HSP_TESTS_ARRAY_VIEWS_H

#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum array_layout { C_ORDER, FORTRAN, GAPS, SECOND, UPWARDS, BACKWARDS, UNALIGNED, LAYOUTS } array_layout;

static const char *const layout_names[LAYOUTS] = {"C order",      "Fortran order", "rows with gaps", "every second column",
                                                  "rows upwards", "backwards",     "not aligned"};
static const int32_t dense_dtypes[] = {HSP_FLOAT64, HSP_FLOAT32, HSP_INT8,  HSP_UINT8,
                                       HSP_BOOL,    HSP_INT16,   HSP_INT32, HSP_INT64};
static const char *const dtype_names[] = {"",       "float32", "float64", "int32", "int64",
                                          "uint32", "int8",    "uint8",   "bool",  "int16"};
enum { DENSE_DTYPES = sizeof dense_dtypes / sizeof *dense_dtypes };

static inline int64_t size_of_dtype(int32_t dtype) {
    static const int64_t sizes[] = {0, 4, 8, 4, 8, 4, 1, 1, 1, 2};
    return dtype > 0 && dtype < (int32_t)(sizeof sizes / sizeof *sizes) ? sizes[dtype] : 0; /* 0: no such dtype */
}

#define PUT(type)                        \
    {                                    \
        type w = (type)v;                \
        memcpy(to, &w, sizeof w);        \
        return (double)w == v || v != v; \
    }
/* Writes v; false: the dtype cannot hold it. */
static inline bool put_number(int32_t dtype, double v, void *to) {
    bool whole = v >= -0x1p63 && v < 0x1p63 && (double)(int64_t)v == v;
    bool narrow = whole && v >= -0x1p31 && v < 0x1p31;
    if (dtype == HSP_FLOAT64) PUT(double)
    if (dtype == HSP_FLOAT32) PUT(float)
    if (dtype == HSP_INT64 && whole) PUT(int64_t)
    if (dtype == HSP_INT32 && narrow) PUT(int32_t)
    if (dtype == HSP_UINT32 && narrow && v >= 0) PUT(uint32_t)
    if (dtype == HSP_INT16 && narrow) PUT(int16_t)
    if (dtype == HSP_INT8 && narrow) PUT(int8_t)
    if (dtype == HSP_UINT8 && narrow) PUT(uint8_t)
    if (dtype != HSP_BOOL || (v != 0 && v != 1)) return false;
    *(uint8_t *)to = v != 0;
    return true;
}

/* An array of n x d in a new block (free it), or NULL in *block: the dtype cannot hold the numbers. */
static inline hsp_array lay_out(const double *x, int64_t n, int64_t d, int32_t dtype, array_layout layout, char **block) {
    int64_t size = size_of_dtype(dtype), step = layout == SECOND ? 2 * size : size, pitch = (2 * d + 3) * size;
    hsp_array a = {.size = sizeof a, .dtype = dtype, .ndim = 2, .shape = {n, d}, .strides = {d * size, step}};
    *block = calloc((size_t)(n * pitch + 8), 1);
    char *first = *block;
    if (layout == GAPS || layout == SECOND || layout == UPWARDS || layout == BACKWARDS) a.strides[0] = pitch;
    if (layout == FORTRAN) a.strides[0] = size, a.strides[1] = n * size;
    if (layout == UPWARDS || layout == BACKWARDS) {
        first += (n - 1) * pitch;
        a.strides[0] = -pitch;
    }
    if (layout == BACKWARDS) {
        first += (d - 1) * size;
        a.strides[1] = -size;
    }
    if (layout == UNALIGNED) first++, a.strides[0] += size > 1;
    a.data = first;
    bool fits = true;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++)
            fits = put_number(dtype, x[i * d + j], first + i * a.strides[0] + j * a.strides[1]) && fits;
    if (!fits) {
        free(*block);
        *block = NULL;
    }
    return a;
}

static inline hsp_array vector_of(const void *data, int32_t dtype, int64_t count) {
    int64_t size = size_of_dtype(dtype);
    return (hsp_array){
        .size = sizeof(hsp_array), .data = data, .dtype = dtype, .ndim = 1, .shape = {count, 1}, .strides = {size, size}};
}

/* The non-zeros by rows (CSR) or columns (CSC) in three vectors. */
typedef struct packed_table {
    hsp_array begin, index, value;
    char *block[3]; /* free them; NULL: the dtype cannot hold the numbers */
} packed_table;

static inline packed_table pack_table(const double *x, int64_t n, int64_t d, bool columns, int32_t begin, int32_t index,
                                      int32_t value) {
    packed_table p = {0};
    int64_t lines = columns ? d : n, across = columns ? n : d, z = 0;
    for (int k = 0; k < 3; k++) p.block[k] = calloc((size_t)(n * d + lines + 1), 8);
    bool fits = true;
    for (int64_t l = 0; l < lines; l++) {
        for (int64_t t = 0; t < across; t++) {
            double v = columns ? x[t * d + l] : x[l * d + t];
            if (v == 0) continue;
            put_number(index, (double)t, p.block[1] + z * size_of_dtype(index));
            fits = put_number(value, v, p.block[2] + z++ * size_of_dtype(value)) && fits;
        }
        put_number(begin, (double)z, p.block[0] + (l + 1) * size_of_dtype(begin));
    }
    p.begin = vector_of(p.block[0], begin, lines + 1);
    p.index = vector_of(p.block[1], index, z);
    p.value = vector_of(p.block[2], value, z);
    for (int k = 0; !fits && k < 3; k++) {
        free(p.block[k]);
        p.block[k] = NULL;
    }
    return p;
}

/* What release callbacks free. */
typedef struct lent_blocks {
    char *block[3];
    int *released; /* counts calls; may be NULL */
} lent_blocks;

static inline void release_blocks(void *user) {
    lent_blocks *l = user;
    if (l->released) ++*l->released;
    for (int k = 0; k < 3; k++) free(l->block[k]);
    free(l);
}

static inline lent_blocks *lend_blocks(char *const *block, int count, int *released) {
    lent_blocks *l = calloc(1, sizeof *l);
    for (int k = 0; k < count; k++) l->block[k] = block[k];
    l->released = released;
    return l;
}

enum { SPARSE_VIEWS = 12, ALL_VIEWS = DENSE_DTYPES * LAYOUTS + SPARSE_VIEWS };

/* Data over an array that holds the table, the k-th of ALL_VIEWS. NULL with *status 0: its dtype cannot hold the numbers. */
static inline hsp_data *view_of(const double *x, int64_t n, int64_t d, int k, char *name, size_t room, int *released,
                                int *status) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    *status = 0;
    if (k < DENSE_DTYPES * LAYOUTS) {
        char *block;
        int32_t dtype = dense_dtypes[k / LAYOUTS];
        hsp_array a = lay_out(x, n, d, dtype, (array_layout)(k % LAYOUTS), &block);
        snprintf(name, room, "%s, %s", dtype_names[dtype], layout_names[k % LAYOUTS]);
        if (block) *status = hsp_data_view_dense(&a, NULL, release_blocks, lend_blocks(&block, 1, released), &data, &err);
    } else {
        k -= DENSE_DTYPES * LAYOUTS;
        bool columns = k >= 8;
        int32_t index = k & 1 ? HSP_INT64 : HSP_INT32, value = k & 2 ? HSP_FLOAT32 : HSP_FLOAT64,
                begin = k & 4 ? HSP_INT32 : HSP_INT64;
        packed_table p = pack_table(x, n, d, columns, begin, index, value);
        snprintf(name, room, "%s of %s, %s, %s", columns ? "CSC" : "CSR", dtype_names[begin], dtype_names[index],
                 dtype_names[value]);
        if (p.block[0])
            *status = (columns ? hsp_data_view_csc : hsp_data_view_csr)(&p.begin, &p.index, &p.value, columns ? n : d, NULL,
                                                                        release_blocks, lend_blocks(p.block, 3, released),
                                                                        &data, &err);
    }
    if (*status) fprintf(stderr, "%s: %s\n", name, hsp_error_message(err));
    hsp_error_free(err);
    return data;
}

#endif
