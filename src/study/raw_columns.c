#include "study/raw_columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "halfspace_internal.h"
#include "table/kind.h"
#include "table/transform.h"
#include "table/unseen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the columns ---- */

static bool is_numeric(const hsp_raw_columns *r, int64_t j) {
    return !r->e || r->e->column[j].kind == &hsp_kind_numeric;
}

static int find_columns(hsp_raw_columns *r, hsp_error **err) {
    for (int64_t j = 0; j < r->width; j++) r->count += is_numeric(r, j);
    if (r->count == 0)
        return hsp_fail(err, HSP_EINPUT,
                        "no column is numeric, so there is nothing to draw the boundary over: use another chart");
    if (!HSP_ALLOC(r->column, r->count) || !HSP_ALLOC(r->least, r->count)) return hsp_fail_memory(err);
    for (int64_t j = 0, k = 0; j < r->width; j++)
        if (is_numeric(r, j)) r->column[k++] = j;
    return HSP_OK;
}

/* The numeric columns of all rows into x, n x count; NaN: missing. */
static int copy_numbers(const hsp_raw_columns *r, const hsp_data *data, double *x, hsp_error **err) {
    int64_t n = data->x.n, c = r->count;
    /* Rows of svmlight may have fewer or more columns than the model. */
    double *row = hsp_alloc_zero(r->width > data->x.d ? r->width : data->x.d, sizeof *row);
    if (!row) return hsp_fail_memory(err);
    const hsp_frame *f = r->e ? data->frame : NULL;
    int status = HSP_OK;
    for (int64_t b = 0; f && b < f->blocks; b++)
        for (int64_t i = 0; i < f->block[b].rows; i++) {
            hsp_block_copy_numbers(&f->block[b], i, row);
            for (int64_t k = 0; k < c; k++) x[(f->first[b] + i) * c + k] = row[r->column[k]];
        }
    for (int64_t i = 0; !f && status == HSP_OK && i < n; i++) {
        status = hsp_data_row(data, i, row, err);
        memcpy(x + i * c, row, (size_t)c * sizeof *x);
    }
    hsp_free(row);
    return status;
}

/* The mean of each column over its numbers; missing cells become that. And its smallest number. */
static void fill_means(hsp_raw_columns *r, double *x, int64_t n) {
    for (int64_t k = 0; k < r->count; k++) {
        long double mean = 0;
        int64_t seen = 0;
        r->least[k] = INFINITY;
        for (int64_t i = 0; i < n; i++) {
            double v = x[i * r->count + k];
            if (!isnan(v)) mean += (v - mean) / ++seen;
            if (v < r->least[k]) r->least[k] = v;
        }
        r->number[r->column[k]] = (double)mean;
        for (int64_t i = 0; i < n; i++)
            if (isnan(x[i * r->count + k])) x[i * r->count + k] = (double)mean;
    }
}

static int copy_labels(hsp_raw_columns *r, const hsp_data *data, hsp_error **err) {
    hsp_classes_clear(&r->data->classes);
    int status = hsp_classes_copy(&data->classes, &r->data->classes, err);
    if (!status && (HSP_COPY(r->data->y, data->y, data->x.n) || HSP_COPY(r->data->target, data->target, data->x.n)))
        status = hsp_fail_memory(err);
    return status;
}

static int take_numbers(hsp_raw_columns *r, const hsp_data *data, hsp_error **err) {
    int64_t n = data->x.n;
    const hsp_schema *from = r->e ? &r->table : &r->m->prepare.schema;
    double *x = hsp_alloc(n * r->count, sizeof *x);
    char *label = hsp_alloc(r->count, HSP_LABEL_SIZE);
    const char **name = hsp_alloc(r->count, sizeof *name);
    int status = x && label && name ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = copy_numbers(r, data, x, err);
    if (!status) fill_means(r, x, n);
    for (int64_t k = 0; !status && k < r->count; k++)
        name[k] = hsp_schema_feature(from, r->column[k], label + k * HSP_LABEL_SIZE);
    if (!status) status = hsp_data_from_dense(x, n, r->count, r->count, NULL, name, &r->data, err);
    if (!status) status = copy_labels(r, data, err);
    HSP_FREE(x, label, name);
    return status;
}

/* ---- the typical row ---- */

static int by_text(const void *a, const void *b) {
    const hsp_cell *p = a, *q = b;
    if (p->number != q->number && !(isnan(p->number) && isnan(q->number)))
        return isnan(p->number) ? 1 : isnan(q->number) ? -1 : p->number < q->number ? -1 : 1;
    int64_t common = p->length < q->length ? p->length : q->length;
    int order = common > 0 ? memcmp(p->text, q->text, (size_t)common) : 0;
    return order ? order : (p->length > q->length) - (p->length < q->length);
}

/* The most frequent of n cells, in ascending order; missing ones do not count unless all are. */
static hsp_cell most_frequent(const hsp_cell *cell, int64_t n) {
    hsp_cell best = {NAN, NULL, 0};
    for (int64_t i = 0, most = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && by_text(&cell[i], &cell[next]) == 0;) next++;
        if (next - i <= most || hsp_cell_missing(cell[i])) continue;
        most = next - i;
        best = cell[i];
    }
    return best;
}

static int keep_typical(hsp_raw_columns *r, const hsp_frame *f, int64_t j, hsp_cell *cell, hsp_error **err) {
    for (int64_t b = 0; b < f->blocks; b++)
        for (int64_t i = 0; i < f->block[b].rows; i++) {
            hsp_cells at = hsp_block_cells(&f->block[b], i);
            cell[f->first[b] + i] = hsp_cells_at(&at, j);
        }
    qsort(cell, (size_t)f->n, sizeof *cell, by_text);
    hsp_cell typical = most_frequent(cell, f->n);
    r->number[j] = typical.number;
    if (!typical.text) return HSP_OK;
    r->word[j] = hsp_strndup(typical.text, (size_t)typical.length);
    return r->word[j] ? HSP_OK : hsp_fail_memory(err);
}

/* Columns without features, and texts, are missing. */
static int find_typical(hsp_raw_columns *r, const hsp_data *data, hsp_error **err) {
    const hsp_frame *f = data->frame;
    hsp_cell *cell = hsp_alloc(f->n, sizeof *cell);
    int status = cell ? HSP_OK : hsp_fail_memory(err);
    for (int64_t j = 0; !status && j < r->width; j++) {
        const hsp_kind *kind = r->e->column[j].kind;
        if (is_numeric(r, j)) continue;
        r->number[j] = NAN;
        if (!kind->left_out && !kind->reads_text) status = keep_typical(r, f, j, cell, err);
    }
    hsp_free(cell);
    return status;
}

int hsp_raw_columns_open(const hsp_model *m, const hsp_data *data, int threads, hsp_raw_columns *out, hsp_error **err) {
    hsp_encoding *e = m->prepare.encoding;
    *out = (hsp_raw_columns){.m = m, .e = e, .threads = threads, .width = e ? e->raw.d : m->prepare.schema.d};
    if (data->x.n < 1) return hsp_fail(err, HSP_EINPUT, "no rows to draw: give a file with data");
    if (e && !data->frame)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "not the columns of the model's table: read the data for the model");
    if (!HSP_ALLOC(out->number, out->width) || !(out->word = hsp_alloc_zero(out->width, sizeof *out->word)))
        return hsp_fail_memory(err);
    int status = e ? hsp_schema_copy(&data->frame->schema, &out->table, err) : HSP_OK;
    if (!status) status = find_columns(out, err);
    if (!status && !e) status = hsp_model_check_features(m, data, err);
    if (!status && e) status = find_typical(out, data, err);
    return status ? status : take_numbers(out, data, err);
}

void hsp_raw_columns_clear(hsp_raw_columns *r) {
    for (int64_t j = 0; r->word && j < r->width; j++) hsp_free(r->word[j]);
    HSP_FREE(r->column, r->least, r->number, r->word);
    hsp_data_free(r->data);
    hsp_schema_clear(&r->table);
    hsp_block_free(&r->rows);
    *r = (hsp_raw_columns){0};
}

/* ---- scores ---- */

/* The number of column k, or the smallest number that its transform is defined for: beside the data a picture may show numbers
 * below 0, which have no square root. By bisection towards the smallest number in the data. */
static double defined_number(const hsp_raw_columns *r, int64_t k, double v) {
    enum { HALVINGS = 60 };
    const hsp_transform *t = r->e->column[r->column[k]].transform;
    if (!t || !isnan(hsp_transform_apply(t, v))) return v;
    double below = v, defined = r->least[k];
    for (int i = 0; i < HALVINGS; i++) {
        double middle = below + (defined - below) / 2;
        *(isnan(hsp_transform_apply(t, middle)) ? &below : &defined) = middle;
    }
    return defined;
}

/* A row of the table: these numbers, the rest typical. 0 or HSP_EMEMORY. */
static int add_row(hsp_raw_columns *r, const double *x) {
    if (hsp_block_reserve(&r->rows, r->width, 0)) return HSP_EMEMORY;
    double *value = r->rows.value + hsp_block_tail(&r->rows);
    memcpy(value, r->number, (size_t)r->width * sizeof *value);
    for (int64_t k = 0; k < r->count; k++) value[r->column[k]] = defined_number(r, k, x[k]);
    for (int64_t j = 0; j < r->width; j++)
        if (r->word[j] && hsp_block_add_word(&r->rows, j, r->word[j], (int64_t)strlen(r->word[j]))) return HSP_EMEMORY;
    hsp_block_close_row(&r->rows, r->width, NULL, 0, 1);
    return HSP_OK;
}

/* The rows as features of the model. */
static int encode_rows(hsp_raw_columns *r, const double *x, int64_t rows, hsp_data **out, hsp_error **err) {
    hsp_frame *f = NULL;
    hsp_unseen unseen = {0};
    *out = NULL;
    if (!r->e) return hsp_data_from_dense(x, rows, r->count, r->count, NULL, NULL, out, err);
    int status = hsp_frame_new(&f, err);
    if (!status) status = hsp_schema_copy(&r->table, &f->schema, err);
    hsp_block_reset(&r->rows, true, r->width);
    r->rows.table = true;
    for (int64_t i = 0; !status && i < rows; i++)
        if (add_row(r, x + i * r->count)) status = hsp_fail_memory(err);
    if (!status) status = hsp_frame_add(f, &r->rows, err);
    if (!status) status = hsp_encode_cells(r->e, f, NULL, r->threads, out, &unseen, err);
    hsp_unseen_clear(&unseen);
    hsp_frame_free(f);
    return status;
}

enum { AT_ONCE = 2048 }; /* rows that are encoded together: thousands of Fourier features take memory */

int hsp_raw_columns_score(hsp_raw_columns *r, const double *x, int64_t rows, double *scores, int32_t *classes,
                          hsp_error **err) {
    int status = HSP_OK;
    for (int64_t from = 0; !status && from < rows; from += AT_ONCE) {
        int64_t count = rows - from < AT_ONCE ? rows - from : AT_ONCE;
        hsp_data *encoded = NULL;
        status = encode_rows(r, x + from * r->count, count, &encoded, err);
        if (!status)
            status = hsp_model_score_matrix(r->m, &encoded->x, r->threads, scores ? scores + from * r->m->outputs : NULL,
                                            classes ? classes + from : NULL, err);
        hsp_data_free(encoded);
    }
    return status;
}

int hsp_model_raw_features(const hsp_model *m, const hsp_data *data, const double *x, int64_t rows, double *features,
                           hsp_error **err) {
    hsp_raw_columns r;
    int64_t d = m->prepare.schema.d;
    int status = hsp_raw_columns_open(m, data, hsp_pool_threads(0), &r, err);
    for (int64_t from = 0; !status && from < rows; from += AT_ONCE) {
        int64_t count = rows - from < AT_ONCE ? rows - from : AT_ONCE;
        hsp_data *encoded = NULL;
        status = encode_rows(&r, x + from * r.count, count, &encoded, err);
        for (int64_t i = 0; !status && i < count; i++) status = hsp_data_row(encoded, i, features + (from + i) * d, err);
        hsp_data_free(encoded);
    }
    hsp_raw_columns_clear(&r);
    return status;
}

/* ---- influence ---- */

/* Rows evenly spaced over the data, fewer for many columns. */
static int64_t sample_rows(const hsp_raw_columns *r) {
    int64_t most = 60000 / r->count, n = r->data->x.n;
    most = most > 300 ? 300 : most < 20 ? 20 : most;
    return most < n ? most : n;
}

int hsp_raw_columns_influence(hsp_raw_columns *r, double *influence, hsp_error **err) {
    int64_t rows = sample_rows(r), c = r->count, K = r->m->outputs;
    double *x = hsp_alloc(rows * c, sizeof *x), *kept = hsp_alloc(rows, sizeof *kept);
    double *plain = hsp_alloc(rows * K, sizeof *plain), *moved = hsp_alloc(rows * K, sizeof *moved);
    int status = x && kept && plain && moved ? HSP_OK : hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < rows; i++)
        status = hsp_data_row(r->data, i * r->data->x.n / rows, x + i * c, err);
    if (!status) status = hsp_raw_columns_score(r, x, rows, plain, NULL, err);
    for (int64_t k = 0; !status && k < c; k++) {
        for (int64_t i = 0; i < rows; i++) kept[i] = x[i * c + k], x[i * c + k] = r->number[r->column[k]];
        status = hsp_raw_columns_score(r, x, rows, moved, NULL, err);
        influence[k] = 0;
        for (int64_t t = 0; !status && t < rows * K; t++) influence[k] += fabs(moved[t] - plain[t]) / (double)rows;
        if (!isfinite(influence[k])) influence[k] = 0;
        for (int64_t i = 0; i < rows; i++) x[i * c + k] = kept[i];
    }
    HSP_FREE(x, kept, plain, moved);
    return status;
}
