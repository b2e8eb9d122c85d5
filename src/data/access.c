/* The functions of the public header that describe a data set. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/data.h"
#include "data/features.h"
#include "kernel/form.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

int64_t hsp_data_rows(const hsp_data *data) {
    return data->x.n;
}
int64_t hsp_data_features(const hsp_data *data) {
    return data->x.d;
}
int64_t hsp_data_classes(const hsp_data *data) {
    return data->classes.count;
}

const char *hsp_data_class_name(const hsp_data *data, int64_t k) {
    return k >= 0 && k < data->classes.count ? data->classes.name[k] : NULL;
}

const char *hsp_data_feature_name(const hsp_data *data, int64_t j) {
    return data->schema.name && j >= 0 && j < data->x.d ? data->schema.name[j] : NULL;
}

const char *hsp_data_feature_label(const hsp_data *data, int64_t j, char *buf) {
    return j >= 0 && j < data->x.d ? hsp_schema_feature(&data->schema, j, buf) : NULL;
}

int hsp_data_row(const hsp_data *data, int64_t i, double *x, hsp_error **err) {
    if (i < 0 || i >= data->x.n)
        return hsp_fail(err, HSP_EUSAGE, "no row %lld: rows are numbered 0 to %lld", (long long)i,
                        (long long)data->x.n - 1);
    hsp_row r = hsp_matrix_row(&data->x, i);
    for (int64_t j = 0; r.id && j < data->x.d; j++) x[j] = 0;
    for (int64_t t = 0; t < r.count; t++) x[hsp_row_id(r, t)] = hsp_row_value(r, t);
    return 0;
}

void hsp_data_class_counts(const hsp_data *data, int64_t *count) {
    for (int64_t k = 0; k < data->classes.count; k++) count[k] = 0;
    for (int64_t i = 0; data->y && i < data->x.n; i++) count[data->y[i]]++;
}

void hsp_data_drop_labels(hsp_data *data) {
    hsp_matrix_drop(&data->x, HSP_LENT_Y, data->y);
    hsp_matrix_drop(&data->x, HSP_LENT_TARGET, data->target);
    data->x.lent &= ~(unsigned)(HSP_LENT_Y | HSP_LENT_TARGET);
    data->y = NULL;
    data->target = NULL;
    hsp_classes_clear(&data->classes);
}

void hsp_data_free(hsp_data *data) {
    if (!data) return;
    hsp_data_drop_labels(data);
    hsp_matrix_drop(&data->x, HSP_LENT_WEIGHT, data->weight);
    hsp_matrix_clear(&data->x);
    hsp_schema_clear(&data->schema);
    hsp_frame_free(data->frame);
    hsp_features_release(data->features);
    hsp_unseen_levels_free(data->unseen.named);
    HSP_FREE(data->group, data->time, data->notes, data->title, data->absent.names, data->refusal, data->assumed,
             data->source);
    hsp_free(atomic_load(&data->column_range));
    hsp_free(data);
}

/* ---- arrays ---- */

/* Ranges of columns, found in pieces of the rows. The number of pieces depends on the data alone. */
typedef struct ranging {
    const hsp_matrix *m;
    int64_t pieces;
    double *least, *greatest; /* pieces x d */
    int64_t *seen;            /* pieces x d: stored values; if fewer than the rows, the column has zeros, too */
} ranging;

static void range_piece(void *ctx, int64_t p) {
    enum { VALUES = 256 };
    ranging *g = ctx;
    const hsp_matrix *m = g->m;
    double value[VALUES], *least = g->least + p * m->d, *greatest = g->greatest + p * m->d;
    uint32_t id[VALUES];
    int64_t *seen = g->seen + p * m->d, from = m->n / g->pieces * p,
            to = p + 1 < g->pieces ? from + m->n / g->pieces : m->n;
    for (int64_t j = 0; j < m->d; j++) {
        least[j] = INFINITY;
        greatest[j] = -INFINITY;
        seen[j] = 0;
    }
    for (int64_t i = from; i < to; i++) {
        hsp_row r = hsp_matrix_row(m, i);
        for (int64_t begin = 0, count; (count = hsp_row_decode(r, begin, VALUES, id, value)) > 0; begin += count) {
            for (int64_t t = 0; t < count; t++) {
                int64_t j = id[t];
                least[j] = value[t] < least[j] ? value[t] : least[j];
                greatest[j] = value[t] > greatest[j] ? value[t] : greatest[j];
                seen[j]++;
            }
        }
    }
}

/* Joins the pieces. Zeros that are not stored count; -0 becomes 0. */
static void join_ranges(const ranging *g, double *range) {
    int64_t d = g->m->d;
    for (int64_t j = 0; j < d; j++) {
        double least = INFINITY, greatest = -INFINITY;
        int64_t seen = 0;
        for (int64_t p = 0; p < g->pieces; p++) {
            least = fmin(least, g->least[p * d + j]);
            greatest = fmax(greatest, g->greatest[p * d + j]);
            seen += g->seen[p * d + j];
        }
        if (seen < g->m->n) {
            least = fmin(least, 0);
            greatest = fmax(greatest, 0);
        }
        range[j] = least == 0 ? 0 : least;
        range[d + j] = greatest == 0 ? 0 : greatest;
    }
}

static int find_range(const hsp_matrix *m, double *range) {
    enum { MOST_PIECES = 32 };
    ranging g = {.m = m, .pieces = m->stored / (8 * m->d + 4096)};
    if (g.pieces > MOST_PIECES) g.pieces = MOST_PIECES;
    if (g.pieces < 1) g.pieces = 1;
    g.least = hsp_alloc(2 * g.pieces, (size_t)m->d * sizeof *g.least);
    g.greatest = g.least ? g.least + g.pieces * m->d : NULL;
    g.seen = hsp_alloc(g.pieces, (size_t)m->d * sizeof *g.seen);
    bool made = g.least && g.seen;
    if (made) {
        hsp_pool_run(g.pieces, hsp_pool_threads(0), range_piece, &g);
        join_ranges(&g, range);
    }
    HSP_FREE(g.least, g.seen);
    return made ? 0 : HSP_EMEMORY;
}

/* Computed on first use, unless reading has done it. Threads may compute it at the same time; the first result stays. */
static const double *column_range(const hsp_data *data) {
    hsp_data *owner = (hsp_data *)data; /* column_range is the only member that changes behind a const pointer */
    double *range = atomic_load(&owner->column_range);
    if (range) return range;
    if (!HSP_ALLOC(range, 2 * data->x.d) || find_range(&data->x, range)) {
        hsp_free(range);
        return NULL;
    }
    double *other = NULL;
    if (!atomic_compare_exchange_strong(&owner->column_range, &other, range)) {
        hsp_free(range);
        range = other;
    }
    return range;
}

static void set_view(hsp_array *out, const void *data, int32_t dtype, int64_t count, int64_t size) {
    *out = (hsp_array){out->size, data, dtype, 1, {count, 1}, {size, size}};
}

int hsp_data_array(const hsp_data *data, const char *name, hsp_array *out, hsp_error **err) {
    if (out->size < sizeof *out) return hsp_fail(err, HSP_EUSAGE, "hsp_array.size is not set: set it to sizeof(hsp_array)");
    if (strcmp(name, "labels") == 0) {
        if (!data->y) return hsp_fail(err, HSP_EUSAGE, "the data have no labels: read them with --target");
        set_view(out, data->y, HSP_INT32, data->x.n, sizeof *data->y);
        return 0;
    }
    if (strcmp(name, "targets") == 0) {
        if (!data->target) return hsp_fail(err, HSP_EUSAGE, "the data have no targets: read them with --task regression");
        set_view(out, data->target, HSP_FLOAT64, data->x.n, sizeof *data->target);
        return 0;
    }
    if (strcmp(name, "weights") == 0) {
        if (!data->weight) return hsp_fail(err, HSP_EUSAGE, "the rows have no weights: read them with --weight");
        set_view(out, data->weight, HSP_FLOAT64, data->x.n, sizeof *data->weight);
        return 0;
    }
    if (strcmp(name, "groups") == 0) {
        if (!data->group) return hsp_fail(err, HSP_EUSAGE, "the rows have no groups: read them with --group");
        set_view(out, data->group, HSP_INT32, data->x.n, sizeof *data->group);
        return 0;
    }
    if (strcmp(name, "times") == 0) {
        if (!data->time) return hsp_fail(err, HSP_EUSAGE, "the rows have no times: read them with --time");
        set_view(out, data->time, HSP_FLOAT64, data->x.n, sizeof *data->time);
        return 0;
    }
    bool greatest = strcmp(name, "column-max") == 0;
    if (!greatest && strcmp(name, "column-min") != 0)
        return hsp_fail(
            err, HSP_EUSAGE,
            "the data have no array '%s': choose labels, targets, weights, groups, times, column-min or column-max", name);
    const double *range = column_range(data);
    if (!range) return hsp_fail_memory(err);
    set_view(out, range + (greatest ? data->x.d : 0), HSP_FLOAT64, data->x.d, sizeof *range);
    return 0;
}

/* ---- report ---- */

static void report_classes(hsp_json *j, const hsp_data *data, const int64_t *count) {
    if (!data->y) {
        hsp_json_null(j, "classes");
        return;
    }
    hsp_json_object(j, "classes");
    for (int64_t k = 0; k < data->classes.count; k++) hsp_json_int(j, data->classes.name[k], count[k]);
    hsp_json_object_end(j);
}

/* A running mean: a sum might overflow. */
static void report_targets(hsp_json *j, const hsp_data *data) {
    int64_t n = data->x.n;
    if (!data->target || n == 0) {
        hsp_json_null(j, "targets");
        return;
    }
    double least = data->target[0], greatest = least, mean = 0;
    for (int64_t i = 0; i < n; i++) {
        least = fmin(least, data->target[i]);
        greatest = fmax(greatest, data->target[i]);
        mean += data->target[i] / (double)(i + 1) - mean / (double)(i + 1);
    }
    hsp_json_object(j, "targets");
    hsp_json_number(j, "min", least);
    hsp_json_number(j, "max", greatest);
    hsp_json_number(j, "mean", mean);
    hsp_json_object_end(j);
}

static void report_weights(hsp_json *j, const hsp_data *data) {
    if (!data->weight) {
        hsp_json_null(j, "weights");
        return;
    }
    double sum = 0;
    int64_t zero = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        sum += data->weight[i];
        zero += data->weight[i] == 0;
    }
    hsp_json_object(j, "weights");
    hsp_json_string(j, "column", data->schema.weight);
    hsp_json_number(j, "sum", sum);
    hsp_json_int(j, "zero", zero);
    hsp_json_object_end(j);
}

/* Distinct values in the table; unused places are 0. Dense matrices have 0 as a value, too. */
static int64_t table_count(const hsp_matrix *m) {
    int64_t count = m->dense;
    for (int k = 0; k < (m->coding == HSP_CODING_ONE ? 1 : HSP_TABLE); k++) count += m->table[k] != 0;
    return count;
}

static void report_storage(hsp_json *j, const hsp_data *data) {
    static const char *const codings[HSP_DENSE_CODINGS] = {"float64", "float32", "dictionary", "constant",
                                                           "int16",   "int32",   "int64"};
    const hsp_matrix *m = &data->x;
    hsp_json_string(j, "layout", m->dense ? "dense" : "sparse");
    hsp_json_string(j, "dtype", m->dtype == HSP_FLOAT32 ? "float32" : "float64");
    hsp_json_string(j, "coding", codings[hsp_coding_adjacent(hsp_matrix_coding(m))]);
    if (m->dense)
        hsp_json_null(j, "id_bits");
    else
        hsp_json_int(j, "id_bits", 8 * (int64_t)hsp_matrix_id_size(m));
    if (m->table && !hsp_coding_steps(m->coding))
        hsp_json_int(j, "table", table_count(m));
    else
        hsp_json_null(j, "table");
    hsp_json_int(j, "bytes", hsp_matrix_bytes(m));
    hsp_data_memory_json(data, j);
}

int hsp_data_report(const hsp_data *data, hsp_report **out, hsp_error **err) {
    *out = NULL;
    int64_t *count = hsp_alloc(data->classes.count > 0 ? data->classes.count : 1, sizeof *count);
    if (!count) return hsp_fail_memory(err);
    hsp_data_class_counts(data, count);
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", data->x.n);
    hsp_json_int(&j, "features", data->x.d);
    hsp_json_int(&j, "nonzeros", data->x.nonzeros);
    report_classes(&j, data, count);
    report_targets(&j, data);
    report_weights(&j, data);
    hsp_json_string(&j, "format", data->schema.format);
    report_storage(&j, data);
    hsp_json_string(&j, "assumed", data->assumed);
    hsp_json_string(&j, "source", data->source);
    hsp_json_string(&j, "target", data->schema.target);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", data->read_seconds);
    if (data->check_seconds > 0) hsp_json_number(&j, "check", data->check_seconds);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    hsp_free(count);
    return hsp_json_take(&j, out, err);
}

hsp_place hsp_data_place(const hsp_data *data) {
    bool file = data->source && strcmp(data->source, "memory") != 0 && strcmp(data->source, "generated") != 0;
    return (hsp_place){.file = file ? data->source : NULL};
}
