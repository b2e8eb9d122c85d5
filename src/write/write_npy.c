/* Writes .npy: version 1 of the format, C order. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data.h"
#include "data/matrix.h"
#include "write/writer.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool exact_in_float(double v) {
    return fabs(v) <= FLT_MAX && (double)(float)v == v;
}

/* The labels of the classes as numbers; NULL without classes. */
static int label_numbers(const hsp_data *data, double **out, hsp_error **err) {
    *out = NULL;
    if (!data->y) return 0;
    if (hsp_classes_are_codes(&data->classes))
        return hsp_fail(err, HSP_EUSAGE,
                        "the labels are codes such as '%.40s', which .npy would store as numbers: rename them with "
                        "--map-label, or write CSV",
                        data->classes.name[0]);
    double *number = hsp_alloc(data->classes.count, sizeof *number);
    if (!number) return hsp_fail_memory(err);
    for (int64_t k = 0; k < data->classes.count; k++) {
        const char *name = data->classes.name[k], *end = name + strlen(name);
        if (hsp_label_is_number(name) && hsp_number_parse(name, end, &number[k]) == end) continue;
        hsp_free(number);
        return hsp_fail(err, HSP_EUSAGE,
                        "label '%.40s' is not a number, which .npy needs: rename it with --map-label, or write CSV", name);
    }
    *out = number;
    return 0;
}

static void make_header(hsp_text *t, bool narrow, int64_t n, int64_t columns) {
    enum { BEFORE = 10, BOUNDARY = 64 };
    hsp_text_add_n(t, "\x93NUMPY\1\0\0\0", BEFORE);
    hsp_text_format(t, "{'descr': '<f%d', 'fortran_order': False, 'shape': (%lld, %lld), }", narrow ? 4 : 8, (long long)n,
                    (long long)columns);
    while (!t->failed && (t->length + 1) % BOUNDARY != 0) hsp_text_char(t, ' ');
    hsp_text_char(t, '\n');
    if (t->failed) return;
    t->s[8] = (char)(t->length - BEFORE);
    t->s[9] = (char)((t->length - BEFORE) >> 8);
}

/* Adds row i with its label, as bytes. */
static void add_row(hsp_text *t, const hsp_data *data, int64_t i, const double *number, bool narrow, double *x) {
    hsp_row r = hsp_matrix_row(&data->x, i);
    int64_t d = data->x.d;
    for (int64_t j = 0; j < d; j++) x[j] = 0;
    for (int64_t k = 0; k < r.count; k++) x[hsp_row_id(r, k)] = hsp_row_value(r, k);
    if (data->y) x[d++] = number[data->y[i]];
    if (data->target) x[d++] = data->target[i];
    if (!narrow) {
        hsp_text_add_n(t, (const char *)x, d * (int64_t)sizeof *x);
        return;
    }
    for (int64_t j = 0; j < d; j++) {
        float v = (float)x[j];
        hsp_text_add_n(t, (const char *)&v, sizeof v);
    }
}

int hsp_write_npy(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err) {
    (void)delimiter;
    int64_t n = data->x.n, columns = data->x.d + (data->y || data->target);
    if (data->weight)
        return hsp_fail(err, HSP_EUSAGE, ".npy cannot hold row weights: write CSV or .hsd, or leave --weight out");
    if (!data->x.dense && (double)n * (double)columns > HSP_CELL_LIMIT)
        return hsp_fail(err, HSP_EUSAGE,
                        "the array would have %lld x %lld numbers, most of them zero: write svmlight or .hsd", (long long)n,
                        (long long)columns);
    hsp_text t = {0};
    double *number = NULL, *x = NULL;
    int status = label_numbers(data, &number, err);
    if (status) return status;
    bool narrow = data->x.dtype == HSP_FLOAT32;
    for (int64_t k = 0; k < data->classes.count && number; k++) narrow = narrow && exact_in_float(number[k]);
    for (int64_t i = 0; i < data->x.n && data->target && narrow; i++) narrow = exact_in_float(data->target[i]);
    make_header(&t, narrow, n, columns);
    x = hsp_alloc(columns, sizeof *x);
    if (!x) status = hsp_fail_memory(err);
    for (int64_t i = 0; i < n && status == 0; i++) {
        add_row(&t, data, i, number, narrow, x);
        status = hsp_write_flush(&t, out, false, err);
    }
    if (status == 0) status = hsp_write_flush(&t, out, true, err);
    hsp_text_free(&t);
    HSP_FREE(number, x);
    return status;
}
