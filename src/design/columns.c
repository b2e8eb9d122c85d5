/* See columns.h. The loops come in four layouts: rows listed or all, floats or doubles. */
#include "design/columns.h"

#include "base/memory.h"

#include <string.h>

hsp_row hsp_column(const hsp_columns *C, int64_t j) {
    if (!C->start) return (hsp_row){C->n, NULL, (const double *)C->value + j * C->n, HSP_FLOAT64};
    int64_t from = C->start[j];
    const void *value =
        C->dtype == HSP_FLOAT32 ? (const void *)((const float *)C->value + from) : (const double *)C->value + from;
    return (hsp_row){C->start[j + 1] - from, C->id + from, value, C->dtype};
}

double hsp_column_dot(const hsp_columns *C, int64_t j, const double *r) {
    return hsp_column_factor(C, j) * hsp_row_dot(hsp_column(C, j), r);
}

void hsp_column_axpy(const hsp_columns *C, double a, int64_t j, double *r) {
    hsp_row_axpy(a * hsp_column_factor(C, j), hsp_column(C, j), r);
}

/* The body of a loop over a column: i is the row, v the number. */
#define OVER_COLUMN(c, body)                      \
    if ((c).id && (c).dtype == HSP_FLOAT32) {     \
        const float *value = (c).value;           \
        for (int64_t t = 0; t < (c).count; t++) { \
            int64_t i = (c).id[t];                \
            double v = (double)value[t];          \
            body                                  \
        }                                         \
    } else if ((c).id) {                          \
        const double *value = (c).value;          \
        for (int64_t t = 0; t < (c).count; t++) { \
            int64_t i = (c).id[t];                \
            double v = value[t];                  \
            body                                  \
        }                                         \
    } else {                                      \
        const double *value = (c).value;          \
        for (int64_t i = 0; i < (c).count; i++) { \
            double v = value[i];                  \
            body                                  \
        }                                         \
    }

void hsp_column_weighted_axpy(const hsp_columns *C, double a, int64_t j, const double *h, double *r) {
    hsp_row c = hsp_column(C, j);
    a *= hsp_column_factor(C, j);
    OVER_COLUMN(c, { r[i] += a * h[i] * v; })
}

void hsp_column_moments(const hsp_columns *C, int64_t j, const double *h, double *first, double *second) {
    hsp_row c = hsp_column(C, j);
    double f = hsp_column_factor(C, j), one = 0, two = 0;
    OVER_COLUMN(c, {
        double hv = h[i] * v;
        one += hv;
        two += hv * v;
    })
    *first = f * one;
    *second = f * f * two;
}

/* ---- making ---- */

static int fill_sparse(hsp_columns *C, const hsp_design *D, hsp_error **err) {
    const hsp_matrix *x = D->x;
    size_t size = hsp_matrix_value_size(x);
    C->dtype = x->dtype;
    C->stored = x->stored;
    C->factor = D->factor;
    C->p = D->p;
    if (C->n > UINT32_MAX)
        return hsp_fail(err, HSP_EINPUT, "too many rows for a method that works by columns: choose another solver");
    C->start = hsp_alloc_zero(C->d + 1, sizeof *C->start);
    C->id = hsp_alloc(x->stored, sizeof *C->id);
    C->value = hsp_alloc(x->stored, size);
    if (!C->start || !C->id || !C->value) return hsp_fail_memory(err);
    int64_t *next = C->start; /* next[j] is where column j goes on; in the end its end, which is the beginning of j+1 */
    for (int64_t t = 0; t < x->stored; t++) next[x->id[t]]++;
    int64_t sum = 0;
    for (int64_t j = 0; j <= C->d; j++) {
        int64_t count = next[j];
        next[j] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < x->n; i++) {
        for (int64_t t = x->row[i]; t < x->row[i + 1]; t++) {
            int64_t to = next[x->id[t]]++;
            C->id[to] = (uint32_t)i;
            if (x->dtype == HSP_FLOAT32)
                ((float *)C->value)[to] = ((const float *)x->value)[t];
            else
                ((double *)C->value)[to] = ((const double *)x->value)[t];
        }
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
    C->dtype = HSP_FLOAT64;
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
