#include "predict/array_out.h"

#include "base/error.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static int check_dtype(const hsp_array *a, const char *what, bool integers, hsp_error **err) {
    if (integers ? a->dtype == HSP_INT32 || a->dtype == HSP_INT64 : a->dtype == HSP_FLOAT32 || a->dtype == HSP_FLOAT64)
        return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "the dtype %d of the array cannot hold %s: use %s", (int)a->dtype, what,
                    integers ? "int32 or int64" : "float64 or float32");
}

static int check_shape(const hsp_array *a, const char *what, int64_t rows, int64_t columns, hsp_error **err) {
    char has[64];
    bool vector = a->ndim == 1 && columns == 1;
    if (a->ndim != 1 && a->ndim != 2)
        return hsp_fail(err, HSP_EUSAGE, "an array of %d dimensions: use 1 or 2", (int)a->ndim);
    if (a->shape[0] == rows && (vector || (a->ndim == 2 && a->shape[1] == columns))) return HSP_OK;
    if (a->ndim == 1)
        snprintf(has, sizeof has, "%lld", (long long)a->shape[0]);
    else
        snprintf(has, sizeof has, "%lld x %lld", (long long)a->shape[0], (long long)a->shape[1]);
    return hsp_fail(err, HSP_EUSAGE, "the array is %s, but the %s are %lld x %lld: give it that shape", has, what,
                    (long long)rows, (long long)columns);
}

int hsp_array_out_open(const hsp_array *a, const char *what, int64_t rows, int64_t columns, bool integers,
                       hsp_array_out *out, hsp_error **err) {
    if (a->size < sizeof *a) return hsp_fail(err, HSP_EUSAGE, "hsp_array.size is not set: set it to sizeof(hsp_array)");
    int status = check_dtype(a, what, integers, err);
    if (!status) status = check_shape(a, what, rows, columns, err);
    if (status) return status;
    bool empty = rows == 0 || columns == 0;
    *out = (hsp_array_out){(char *)a->data, a->dtype, a->strides[0], a->ndim == 2 ? a->strides[1] : 0};
    if (!a->data && !empty) return hsp_fail(err, HSP_EUSAGE, "the array has no memory: set its data");
    if (!empty && ((rows > 1 && out->row_step == 0) || (columns > 1 && out->column_step == 0)))
        return hsp_fail(err, HSP_EUSAGE, "a stride of the array is 0, so that its elements overlap: use an array of its own");
    return HSP_OK;
}

static float float_of(double v) {
    return v > (double)FLT_MAX ? FLT_MAX : v < -(double)FLT_MAX ? -FLT_MAX : (float)v;
}

#define INT32_OF(v) ((int32_t)(v))
#define INT64_OF(v) ((int64_t)(v))
#define DOUBLE_OF(v) (v)

/* Through memcpy, because strides of a caller need not be aligned; it costs nothing. */
#define PUT_ALL(type, CONVERT)                                                                 \
    for (int64_t i = 0; i < rows; i++, to += a->row_step)                                      \
        for (int64_t j = 0; j < columns; j++) {                                                \
            type item = CONVERT(v[i * columns + j]);                                           \
            memcpy(to + j * a->column_step, &item, sizeof item);                               \
        }

void hsp_array_out_put(const hsp_array_out *a, int64_t row, int64_t column, int64_t rows, int64_t columns, const double *v) {
    char *to = a->data + row * a->row_step + column * a->column_step;
    if (a->dtype == HSP_FLOAT32) {
        PUT_ALL(float, float_of)
    } else if (a->dtype == HSP_FLOAT64) {
        PUT_ALL(double, DOUBLE_OF)
    } else if (a->dtype == HSP_INT32) {
        PUT_ALL(int32_t, INT32_OF)
    } else {
        PUT_ALL(int64_t, INT64_OF)
    }
}

void hsp_array_out_zero(const hsp_array_out *a, int64_t row, int64_t columns) {
    char *to = a->data + row * a->row_step;
    size_t item = a->dtype == HSP_FLOAT32 || a->dtype == HSP_INT32 ? sizeof(float) : sizeof(double);
    if (a->column_step == (int64_t)item) {
        memset(to, 0, (size_t)columns * item);
        return;
    }
    for (int64_t j = 0; j < columns; j++) memset(to + j * a->column_step, 0, item);
}
