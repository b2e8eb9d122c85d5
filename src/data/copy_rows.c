/* The numbers of a data set, copied into the caller's arrays. */
#include "base/error.h"
#include "data/data.h"

#include <string.h>

int hsp_data_is_table(const hsp_data *data) {
    return data->frame != NULL;
}

/* Where the numbers go. */
typedef struct target_array {
    char *data;
    int64_t row_step, column_step; /* in bytes */
    int32_t dtype;
} target_array;

static void store_real(const target_array *to, int64_t i, int64_t j, double v) {
    char *at = to->data + i * to->row_step + j * to->column_step;
    if (to->dtype == HSP_FLOAT64) {
        memcpy(at, &v, sizeof v);
    } else {
        float narrow = (float)v;
        memcpy(at, &narrow, sizeof narrow);
    }
}

static void store_whole(const target_array *to, int64_t i, int64_t v) {
    char *at = to->data + i * to->row_step;
    if (to->dtype == HSP_INT64) {
        memcpy(at, &v, sizeof v);
    } else {
        int32_t narrow = (int32_t)v;
        memcpy(at, &narrow, sizeof narrow);
    }
}

static void copy_features(const hsp_matrix *x, const target_array *to) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t j = 0; r.id && j < x->d; j++) store_real(to, i, j, 0);
        for (int64_t t = 0; t < r.count; t++) store_real(to, i, hsp_row_id(r, t), hsp_row_value(r, t));
    }
}

static void copy_row_begin(const hsp_matrix *x, const target_array *to) {
    for (int64_t i = 0; i <= x->n; i++) store_whole(to, i, x->row[i] - x->row[0]);
}

static void copy_columns(const hsp_matrix *x, const target_array *to) {
    for (int64_t i = 0, at = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) store_whole(to, at++, hsp_row_id(r, t));
    }
}

static void copy_values(const hsp_matrix *x, const target_array *to) {
    for (int64_t i = 0, at = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) store_real(to, at++, 0, hsp_row_value(r, t));
    }
}

typedef struct copyable {
    const char *name;
    bool whole, compressed; /* whole numbers; of compressed rows alone */
    void (*copy)(const hsp_matrix *x, const target_array *to);
} copyable;

static const copyable arrays[] = {
    {"features", false, false, copy_features},
    {"row-begin", true, true, copy_row_begin},
    {"columns", true, true, copy_columns},
    {"values", false, true, copy_values},
};

static const copyable *find_array(const char *name) {
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        if (strcmp(arrays[k].name, name) == 0) return &arrays[k];
    return NULL;
}

/* The shape that the array must have; a vector has one column. */
static void expected_shape(const hsp_matrix *x, const copyable *a, int64_t shape[2]) {
    int64_t stored = x->row ? x->row[x->n] - x->row[0] : x->stored;
    shape[0] = a->copy == copy_features ? x->n : a->copy == copy_row_begin ? x->n + 1 : stored;
    shape[1] = a->copy == copy_features ? x->d : 1;
}

static int check_array(const hsp_matrix *x, const copyable *a, const hsp_array *out, hsp_error **err) {
    if (out->size < sizeof *out) return hsp_fail(err, HSP_EUSAGE, "hsp_array.size is not set: set it to sizeof(hsp_array)");
    if (a->compressed && x->dense)
        return hsp_fail(err, HSP_EUSAGE, "the rows are dense and have no array '%s': ask for features", a->name);
    bool narrow = out->dtype == (a->whole ? HSP_INT32 : HSP_FLOAT32), wide = out->dtype == (a->whole ? HSP_INT64 : HSP_FLOAT64);
    if (!narrow && !wide)
        return hsp_fail(err, HSP_EUSAGE, "the array for '%s' has another dtype: give %s", a->name,
                        a->whole ? "int32 or int64" : "float32 or float64");
    int64_t shape[2];
    expected_shape(x, a, shape);
    int64_t columns = out->ndim == 2 ? out->shape[1] : 1;
    if (out->shape[0] != shape[0] || columns != shape[1])
        return hsp_fail(err, HSP_EUSAGE, "the array for '%s' has another shape: give %lld x %lld numbers", a->name,
                        (long long)shape[0], (long long)shape[1]);
    int64_t most = a->copy == copy_row_begin ? x->row[x->n] - x->row[0] : x->d;
    if (a->whole && narrow && most > INT32_MAX)
        return hsp_fail(err, HSP_EUSAGE, "the numbers of '%s' do not fit into int32: give int64", a->name);
    return HSP_OK;
}

int hsp_data_copy(const hsp_data *data, const char *what, hsp_array *out, hsp_error **err) {
    const copyable *a = find_array(what);
    if (a == NULL)
        return hsp_fail(err, HSP_EUSAGE, "the data have no array '%s' to copy: choose features, row-begin, columns or values",
                        what);
    int status = check_array(&data->x, a, out, err);
    if (status != HSP_OK) return status;
    target_array to = {(char *)(uintptr_t)out->data, out->strides[0], out->strides[1], out->dtype};
    a->copy(&data->x, &to);
    return HSP_OK;
}
