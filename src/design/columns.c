/* See columns.h. */
#include "design/columns.h"

#include "base/memory.h"

#include <string.h>

hsp_row hsp_column(const hsp_columns *C, int64_t j) {
    if (!C->start) return hsp_row_dense(C->n, (const double *)C->value + j * C->n);
    int64_t from = C->start[j];
    size_t id_size = C->narrow ? sizeof(uint16_t) : sizeof(uint32_t);
    return (hsp_row){.count = C->start[j + 1] - from,
                     .id = (const char *)C->id + (size_t)from * id_size,
                     .value = (const char *)C->value + (size_t)from * hsp_coding_size(C->coding),
                     .narrow = C->narrow,
                     .coding = C->coding,
                     .table = C->table};
}

double hsp_column_dot(const hsp_columns *C, int64_t j, const double *r) {
    return hsp_column_factor(C, j) * hsp_row_dot(hsp_column(C, j), r);
}

void hsp_column_axpy(const hsp_columns *C, double a, int64_t j, double *r) {
    hsp_row_axpy(a * hsp_column_factor(C, j), hsp_column(C, j), r);
}

/* One body for every form; i is the row, v the number. */
#define WEIGHTED_AXPY(form, id_type, COLUMN, type, VALUE)                                                    \
    static void weighted_axpy_##form(double a, hsp_row c, const double *restrict h, double *restrict r) {    \
        const id_type *id = c.id;                                                                            \
        const type *x = c.value;                                                                             \
        const double *table = c.table;                                                                       \
        (void)id, (void)x, (void)table;                                                                      \
        for (int64_t t = 0; t < c.count; t++) r[COLUMN(id, t)] += a * h[COLUMN(id, t)] * VALUE(x, table, t); \
    }
HSP_EACH_FORM(WEIGHTED_AXPY)

#define MOMENTS(form, id_type, COLUMN, type, VALUE)                                                           \
    static void moments_##form(hsp_row c, const double *h, double *restrict first, double *restrict second) { \
        const id_type *id = c.id;                                                                             \
        const type *x = c.value;                                                                              \
        const double *table = c.table;                                                                        \
        double one = 0, two = 0;                                                                              \
        (void)id, (void)x, (void)table;                                                                       \
        for (int64_t t = 0; t < c.count; t++) {                                                               \
            double v = VALUE(x, table, t), hv = h[COLUMN(id, t)] * v;                                         \
            one += hv;                                                                                        \
            two += hv * v;                                                                                    \
        }                                                                                                     \
        *first = one;                                                                                         \
        *second = two;                                                                                        \
    }
HSP_EACH_FORM(MOMENTS)

#define WEIGHTED_AXPY_ENTRY(form, ...) weighted_axpy_##form,
#define MOMENTS_ENTRY(form, ...) moments_##form,
static void (*const weighted_axpys[HSP_FORMS])(double, hsp_row, const double *restrict,
                                               double *restrict) = {HSP_EACH_FORM(WEIGHTED_AXPY_ENTRY)};
static void (*const moments[HSP_FORMS])(hsp_row, const double *, double *restrict,
                                        double *restrict) = {HSP_EACH_FORM(MOMENTS_ENTRY)};

void hsp_column_weighted_axpy(const hsp_columns *C, double a, int64_t j, const double *h, double *r) {
    hsp_row c = hsp_column(C, j);
    weighted_axpys[hsp_row_form(c)](a * hsp_column_factor(C, j), c, h, r);
}

void hsp_column_moments(const hsp_columns *C, int64_t j, const double *h, double *first, double *second) {
    hsp_row c = hsp_column(C, j);
    double f = hsp_column_factor(C, j);
    moments[hsp_row_form(c)](c, h, first, second);
    *first *= f;
    *second *= f * f;
}

/* ---- making ---- */

/* next[j] counts the entries of column j; then it is where they begin. */
static void count_columns(const hsp_matrix *x, int64_t *next) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) next[hsp_row_id(r, t)]++;
    }
    int64_t sum = 0;
    for (int64_t j = 0; j <= x->d; j++) {
        int64_t count = next[j];
        next[j] = sum;
        sum += count;
    }
}

/* Entry t of row i goes to place `to`, as it is coded. */
static void move_entry(hsp_columns *C, int64_t i, hsp_row r, int64_t t, int64_t to) {
    if (C->narrow)
        ((uint16_t *)C->id)[to] = (uint16_t)i;
    else
        ((uint32_t *)C->id)[to] = (uint32_t)i;
    if (C->coding == HSP_CODING_F64)
        ((double *)C->value)[to] = ((const double *)r.value)[t];
    else if (C->coding == HSP_CODING_F32)
        ((float *)C->value)[to] = ((const float *)r.value)[t];
    else if (C->coding == HSP_CODING_CODE8)
        ((uint8_t *)C->value)[to] = ((const uint8_t *)r.value)[t];
}

static int fill_sparse(hsp_columns *C, const hsp_design *D, hsp_error **err) {
    const hsp_matrix *x = D->x;
    C->coding = hsp_matrix_coding(x);
    C->table = x->table;
    C->narrow = C->n <= UINT16_MAX + 1;
    C->stored = x->stored;
    C->factor = D->factor;
    C->p = D->p;
    if (C->n > UINT32_MAX)
        return hsp_fail(err, HSP_EINPUT, "too many rows for a method that works by columns: choose another solver");
    C->start = hsp_alloc_zero(C->d + 1, sizeof *C->start);
    C->id = hsp_alloc(x->stored, C->narrow ? sizeof(uint16_t) : sizeof(uint32_t));
    C->value = hsp_alloc(x->stored, hsp_coding_size(C->coding));
    if (!C->start || !C->id || !C->value) return hsp_fail_memory(err);
    int64_t *next = C->start; /* next[j] is where column j goes on; in the end its end, which is the beginning of j+1 */
    count_columns(x, next);
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) move_entry(C, i, r, t, next[hsp_row_id(r, t)]++);
    }
    memmove(C->start + 1, C->start, (size_t)C->d * sizeof *C->start);
    C->start[0] = 0;
    return HSP_OK;
}

static void take_mean(double *z, int64_t n, double *mean) {
    double sum = 0, rest = 0;
    for (int64_t i = 0; i < n; i++) sum += z[i];
    sum /= (double)n;
    for (int64_t i = 0; i < n; i++) rest += z[i] - sum; /* what rounding left */
    sum += rest / (double)n;
    for (int64_t i = 0; i < n; i++) z[i] -= sum;
    *mean = sum;
}

static int fill_dense(hsp_columns *C, const hsp_design *D, bool centred, hsp_error **err) {
    int64_t n = D->n, d = D->d;
    C->stored = n * d;
    double *z = C->value = hsp_alloc(n * d, sizeof *z);
    if (centred) C->p = C->own = hsp_alloc(d, sizeof *C->own);
    if (!z || (centred && !C->own)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        hsp_row row = hsp_design_row(D, i, NULL);
        for (int64_t j = 0; j < d; j++) z[j * n + i] = hsp_row_value(row, j);
    }
    for (int64_t j = 0; centred && j < d; j++) {
        take_mean(z + j * n, n, C->own + j);
        C->own[j] = -C->own[j];
    }
    return HSP_OK;
}

int hsp_columns_new(const hsp_design *D, bool centred, hsp_columns **out, hsp_error **err) {
    *out = NULL;
    hsp_columns *C = hsp_alloc_zero(1, sizeof *C);
    if (!C) return hsp_fail_memory(err);
    C->n = D->n;
    C->d = D->d;
    int status = D->x->dense ? fill_dense(C, D, centred, err) : fill_sparse(C, D, err);
    if (status) {
        hsp_columns_free(C);
        return status;
    }
    *out = C;
    return HSP_OK;
}

void hsp_columns_free(hsp_columns *C) {
    if (!C) return;
    hsp_free(C->start);
    hsp_free(C->id);
    hsp_free(C->value);
    hsp_free(C->own);
    hsp_free(C);
}
