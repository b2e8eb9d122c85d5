/* Data sets from the caller's arrays, copied block by block through the builder: they are stored like data from files. */
#include "data/from_memory.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/array_input.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_VALUES = 1 << 16 }; /* values of a full block */

hsp_owner *hsp_memory_owner(void (*release)(void *user), void *user, hsp_error **err) {
    hsp_owner *owner = hsp_owner_new(release, user);
    if (owner) return owner;
    if (release) release(user);
    hsp_fail_memory(err);
    return NULL;
}

int hsp_memory_check_shape(int64_t n, int64_t d, hsp_error **err) {
    if (n < 1) return hsp_fail(err, HSP_EINPUT, "no rows: give at least one");
    if (d < 1) return hsp_fail(err, HSP_EINPUT, "no columns: give at least one");
    if (d > INT32_MAX)
        return hsp_fail(err, HSP_EINPUT, "%lld columns are more than 2147483647: leave some out", (long long)d);
    return 0;
}

int hsp_memory_fail_value(int64_t i, int64_t j, hsp_error **err) {
    return hsp_fail(err, HSP_EINPUT, "row %lld, column %lld (from 0) is not finite: remove the row or fill in the value",
                    (long long)i, (long long)j);
}

int hsp_memory_schema(int64_t d, const char *const *names, hsp_schema *out, hsp_error **err) {
    *out = (hsp_schema){.d = d};
    out->format = hsp_strdup("memory");
    if (names) out->name = hsp_alloc_zero(d, sizeof *out->name);
    if (!out->format || (names && !out->name)) goto memory;
    for (int64_t j = 0; names && j < d; j++) {
        if (!names[j]) {
            hsp_schema_clear(out);
            return hsp_fail(err, HSP_EINPUT, "column %lld (from 0) has no name: name all columns or none", (long long)j);
        }
        out->name[j] = hsp_strdup(names[j]);
        if (!out->name[j]) goto memory;
    }
    return 0;
memory:
    hsp_schema_clear(out);
    return hsp_fail_memory(err);
}

int hsp_memory_data(hsp_matrix *x, const char *const *names, hsp_data **out, hsp_error **err) {
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    *out = NULL;
    if (!data) {
        hsp_matrix_clear(x);
        return hsp_fail_memory(err);
    }
    data->x = *x;
    *x = (hsp_matrix){0};
    int status = hsp_memory_schema(data->x.d, names, &data->schema, err);
    if (!status && !(data->source = hsp_strdup("memory"))) status = hsp_fail_memory(err);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

/* The label of row i, with its length; NULL and 0 without labels. */
static int find_label(const char *const *labels, int64_t i, const char **label, int64_t *length, hsp_error **err) {
    *label = labels ? labels[i] : NULL;
    *length = 0;
    if (!labels) return 0;
    if (*label) *length = (int64_t)strlen(*label);
    if (!*label || strspn(*label, " \t\r\n") == (size_t)*length)
        return hsp_fail(err, HSP_EINPUT, "the label of row %lld (from 0) is empty: give every row a label", (long long)i);
    return 0;
}

/* Reserves memory for one more row; a full block goes to the builder first. */
static int reserve_row(hsp_builder *b, hsp_block *block, int64_t d, int64_t values, int64_t label, hsp_error **err) {
    if (block->rows > 0 && (hsp_block_tail(block) + values > BLOCK_VALUES || block->rows >= BLOCK_VALUES)) {
        int status = hsp_builder_add(b, block, err);
        if (status) return status;
        hsp_block_reset(block, block->dense, d);
    }
    return hsp_block_reserve(block, values, label) ? hsp_fail_memory(err) : 0;
}

static int finish_data(hsp_builder *b, hsp_block *block, int64_t d, const char *const *names, hsp_data **out,
                       hsp_error **err) {
    hsp_schema schema;
    int status = hsp_builder_add(b, block, err);
    if (status == 0) status = hsp_memory_schema(d, names, &schema, err);
    if (status == 0) return hsp_builder_finish(b, &schema, out, err);
    hsp_builder_free(b);
    return status;
}

/* ---- dense ---- */

static int add_dense_row(hsp_builder *b, hsp_block *block, const double *x, int64_t i, int64_t d, const char *const *labels,
                         hsp_error **err) {
    const char *label;
    int64_t length;
    int status = find_label(labels, i, &label, &length, err);
    if (status == 0) status = reserve_row(b, block, d, d, length, err);
    if (status) return status;
    for (int64_t j = 0; j < d; j++)
        if (!isfinite(x[j])) return hsp_memory_fail_value(i, j, err);
    memcpy(block->value + hsp_block_tail(block), x, (size_t)d * sizeof *x);
    hsp_block_close_row(block, d, label, length, i + 1);
    return 0;
}

int hsp_data_from_dense(const double *x, int64_t n, int64_t d, int64_t stride, const char *const *labels,
                        const char *const *names, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_builder *b = NULL;
    hsp_block block = {0};
    int status = hsp_memory_check_shape(n, d, err);
    if (status == 0) status = hsp_builder_new(NULL, &b, err);
    hsp_block_reset(&block, true, d);
    for (int64_t i = 0; status == 0 && i < n; i++) status = add_dense_row(b, &block, x + i * stride, i, d, labels, err);
    if (status == 0)
        status = finish_data(b, &block, d, names, out, err);
    else
        hsp_builder_free(b);
    hsp_block_free(&block);
    return status;
}

/* ---- CSR ---- */

typedef struct cell {
    int64_t column, order;
    double value;
} cell;

/* By column, duplicates in the given order, so that they are added in a fixed order. */
static int compare_cells(const void *a, const void *b) {
    const cell *u = a, *v = b;
    if (u->column != v->column) return u->column < v->column ? -1 : 1;
    return u->order < v->order ? -1 : 1;
}

/* Checks the entries of row i, sorts them and adds duplicates up; *count becomes the number of distinct columns. */
static int merge_cells(cell *c, int64_t *count, int64_t i, int64_t d, hsp_error **err) {
    bool sorted = true;
    int64_t m = 0;
    for (int64_t t = 0; t < *count; t++) {
        if (c[t].column < 0 || c[t].column >= d)
            return hsp_fail(err, HSP_EINPUT,
                            "row %lld has column %lld, but columns are numbered 0 to %lld: check the indices", (long long)i,
                            (long long)c[t].column, (long long)d - 1);
        if (!isfinite(c[t].value)) return hsp_memory_fail_value(i, c[t].column, err);
        sorted = sorted && (t == 0 || c[t - 1].column < c[t].column);
    }
    if (sorted) return 0;
    qsort(c, (size_t)*count, sizeof *c, compare_cells);
    for (int64_t t = 0; t < *count; t++) {
        if (m > 0 && c[m - 1].column == c[t].column)
            c[m - 1].value += c[t].value;
        else
            c[m++] = c[t];
    }
    for (int64_t t = 0; t < m; t++)
        if (!isfinite(c[t].value)) return hsp_memory_fail_value(i, c[t].column, err);
    *count = m;
    return 0;
}

static int add_csr_row(hsp_builder *b, hsp_block *block, cell *cells, int64_t count, int64_t i, int64_t d,
                       const char *const *labels, hsp_error **err) {
    const char *label;
    int64_t length, values = 0;
    int status = find_label(labels, i, &label, &length, err);
    if (status == 0) status = merge_cells(cells, &count, i, d, err);
    if (status == 0) status = reserve_row(b, block, 0, count, length, err);
    if (status) return status;
    int64_t at = hsp_block_tail(block);
    for (int64_t t = 0; t < count; t++) {
        if (cells[t].value == 0) continue;
        block->id[at + values] = (uint32_t)cells[t].column;
        block->value[at + values++] = cells[t].value;
    }
    hsp_block_close_row(block, values, label, length, i + 1);
    return 0;
}

/* The longest row, after a check of the offsets; or a negative status. */
static int64_t longest_row(const int64_t *row, int64_t n, hsp_error **err) {
    int64_t longest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (row[i] < 0 || row[i + 1] < row[i])
            return hsp_fail(err, HSP_EINPUT, "row %lld ends before it begins: give row offsets that ascend from 0",
                            (long long)i);
        if (row[i + 1] - row[i] > longest) longest = row[i + 1] - row[i];
    }
    return longest;
}

/* Row i, by the buffers at hand. */
static void read_cells(const hsp_array *column, const hsp_array *value, int64_t from, int64_t count, cell *cells) {
    enum { PIECE = 256 };
    int64_t id[PIECE];
    double x[PIECE];
    for (int64_t at = 0; at < count; at += PIECE) {
        int64_t some = count - at < PIECE ? count - at : PIECE;
        hsp_array_integers(column, from + at, some, id);
        hsp_array_numbers(value, from + at, some, x);
        for (int64_t t = 0; t < some; t++) cells[at + t] = (cell){id[t], at + t, x[t]};
    }
}

int hsp_memory_from_csr(const int64_t *row, const hsp_array *column, const hsp_array *value, int64_t n, int64_t d,
                        const char *const *labels, const char *const *names, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_builder *b = NULL;
    hsp_block block = {0};
    cell *cells = NULL;
    int status = hsp_memory_check_shape(n, d, err);
    int64_t longest = status ? 0 : longest_row(row, n, err);
    if (longest < 0) status = (int)longest;
    if (status == 0) status = hsp_builder_new(NULL, &b, err);
    if (status == 0 && !(cells = hsp_alloc(longest > 0 ? longest : 1, sizeof *cells))) status = hsp_fail_memory(err);
    hsp_block_reset(&block, false, 0);
    for (int64_t i = 0; status == 0 && i < n; i++) {
        int64_t count = row[i + 1] - row[i];
        read_cells(column, value, row[i], count, cells);
        status = add_csr_row(b, &block, cells, count, i, d, labels, err);
    }
    if (status == 0)
        status = finish_data(b, &block, d, names, out, err);
    else
        hsp_builder_free(b);
    hsp_block_free(&block);
    hsp_free(cells);
    return status;
}

int hsp_data_from_csr(const int64_t *row, const int64_t *column, const double *value, int64_t n, int64_t d,
                      const char *const *labels, hsp_data **out, hsp_error **err) {
    const hsp_array id = {.size = sizeof id, .data = column, .dtype = HSP_INT64, .ndim = 1, .strides = {sizeof *column}};
    const hsp_array x = {.size = sizeof x, .data = value, .dtype = HSP_FLOAT64, .ndim = 1, .strides = {sizeof *value}};
    return hsp_memory_from_csr(row, &id, &x, n, d, labels, NULL, out, err);
}
