#include "data/array_input.h"

#include "base/error.h"

#include <string.h>

static const struct kind {
    const char *name;
    int64_t size;
} kinds[] = {
    [HSP_FLOAT32] = {"float32", 4}, [HSP_FLOAT64] = {"float64", 8}, [HSP_INT32] = {"int32", 4},
    [HSP_INT64] = {"int64", 8},     [HSP_UINT32] = {"uint32", 4},   [HSP_INT8] = {"int8", 1},
    [HSP_UINT8] = {"uint8", 1},     [HSP_BOOL] = {"bool", 1},       [HSP_INT16] = {"int16", 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

int64_t hsp_dtype_size(int32_t dtype) {
    return kinds[dtype].size;
}

/* ---- checks ---- */

static int check_dtype(const hsp_array *a, const hsp_array_form *form, hsp_error **err) {
    bool known = a->dtype > 0 && a->dtype < KINDS;
    if (known && (form->dtypes >> a->dtype & 1)) return 0;
    if (!known)
        return hsp_fail(err, HSP_EUSAGE, "%s: %d is not an hsp_dtype: give %s", form->name, (int)a->dtype, form->listed);
    return hsp_fail(err, HSP_EUSAGE, "%s: the dtype %s cannot be used here: give %s", form->name, kinds[a->dtype].name,
                    form->listed);
}

/* Adds the bytes from the first to the last element along one dimension; false: too many. */
static bool add_extent(int64_t count, int64_t stride, int64_t *bytes) {
    int64_t along;
    if (count <= 1) return true;
    if (stride == INT64_MIN || __builtin_mul_overflow(count - 1, stride < 0 ? -stride : stride, &along)) return false;
    return !__builtin_add_overflow(*bytes, along, bytes);
}

int hsp_array_check(const hsp_array *a, const hsp_array_form *form, hsp_error **err) {
    if (!a) return hsp_fail(err, HSP_EUSAGE, "%s is NULL: give an array", form->name);
    if (a->size < sizeof *a)
        return hsp_fail(err, HSP_EUSAGE, "%s: hsp_array.size is not set: set it to sizeof(hsp_array)", form->name);
    if (a->ndim != form->ndim)
        return hsp_fail(err, HSP_EUSAGE, "%s has ndim %d: give an array of %d dimension%s", form->name, (int)a->ndim,
                        (int)form->ndim, form->ndim == 1 ? "" : "s");
    int status = check_dtype(a, form, err);
    if (status) return status;
    int64_t elements = 1, bytes = hsp_dtype_size(a->dtype);
    bool fits = true;
    for (int k = 0; k < a->ndim; k++) {
        if (a->shape[k] < 0)
            return hsp_fail(err, HSP_EUSAGE, "%s: shape[%d] is negative: give the number of elements", form->name, k);
        fits = fits && !__builtin_mul_overflow(elements, a->shape[k], &elements) &&
               add_extent(a->shape[k], a->strides[k], &bytes);
    }
    if (!fits) return hsp_fail(err, HSP_EUSAGE, "%s is larger than an address space: check shape and strides", form->name);
    if (!a->data && elements > 0) return hsp_fail(err, HSP_EUSAGE, "%s: data is NULL: give its elements", form->name);
    return 0;
}

int hsp_array_check_rows(const hsp_array *a, const hsp_array_form *form, int64_t n, hsp_error **err) {
    int status = hsp_array_check(a, form, err);
    if (status || a->shape[0] == n) return status;
    return hsp_fail(err, HSP_EINPUT, "%s has %lld element%s for %lld row%s: give one for each row", form->name,
                    (long long)a->shape[0], a->shape[0] == 1 ? "" : "s", (long long)n, n == 1 ? "" : "s");
}

bool hsp_array_in_place(const hsp_array *a) {
    int64_t size = hsp_dtype_size(a->dtype);
    bool in_place = (uintptr_t)a->data % (uintptr_t)size == 0;
    for (int k = 0; k < a->ndim; k++) in_place = in_place && (a->shape[k] <= 1 || a->strides[k] % size == 0);
    return in_place;
}

/* ---- elements ---- */

#define READ(type, to)                         \
    for (int64_t k = 0; k < count; k++) {      \
        type v;                                \
        memcpy(&v, at + k * stride, sizeof v); \
        out[k] = (to)v;                        \
    }                                          \
    break

/* Any byte but 0 is true. */
#define READ_BOOL()                                                   \
    for (int64_t k = 0; k < count; k++) out[k] = at[k * stride] != 0; \
    break

#define READ_INTEGERS(to)   \
    case HSP_INT32:         \
        READ(int32_t, to);  \
    case HSP_INT64:         \
        READ(int64_t, to);  \
    case HSP_UINT32:        \
        READ(uint32_t, to); \
    case HSP_INT8:          \
        READ(int8_t, to);   \
    case HSP_UINT8:         \
        READ(uint8_t, to);  \
    case HSP_INT16:         \
        READ(int16_t, to);  \
    default:                \
        READ_BOOL()

void hsp_array_numbers(const hsp_array *a, int64_t from, int64_t count, double *out) {
    int64_t stride = a->strides[0];
    const char *at = (const char *)a->data + from * stride;
    switch (a->dtype) {
    case HSP_FLOAT32:
        READ(float, double);
    case HSP_FLOAT64:
        READ(double, double);
        READ_INTEGERS(double);
    }
}

void hsp_array_integers(const hsp_array *a, int64_t from, int64_t count, int64_t *out) {
    int64_t stride = a->strides[0];
    const char *at = (const char *)a->data + from * stride;
    switch (a->dtype) { READ_INTEGERS(int64_t); }
}
