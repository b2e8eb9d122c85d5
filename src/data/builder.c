#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/labels.h"
#include "data/shape.h"
#include "data/store.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* What is known of rows that are counted and not kept. */
typedef struct counts {
    int64_t *label_rows; /* owned: of each spelling of a label */
    int64_t spellings, capacity;
    double least, greatest, mean; /* of the targets */
    double weight_sum;
    int64_t weight_zero;
} counts;

struct hsp_builder {
    const hsp_classes *classes; /* borrowed */
    char *file;                 /* owned */
    hsp_labels *labels;         /* owned */
    bool regression, in_column, bare;
    int32_t *y;              /* owned: provisional class of each row, if they have labels */
    double *target, *weight; /* owned: of each row, if they have any */
    int64_t y_capacity, target_capacity, weight_capacity;
    hsp_store store;
    int64_t rows;
    bool dense, labelled, weighted; /* as the first block */
    int64_t d;                      /* of dense blocks */
    int64_t largest;                /* largest id of sparse blocks; -1: none yet */
    int64_t largest_line;           /* its line */
    int64_t zero_line;              /* first line with the id 0; 0: none */
    double *range;                  /* owned: of the columns of dense blocks, d least, d greatest values; NULL: unknown */
    hsp_digest *digest;             /* owned: for hsp_builder_add */
    counts counted;
};

int hsp_builder_new(const hsp_builder_rules *rules, hsp_builder **out, hsp_error **err) {
    const hsp_builder_rules none = {0}, *r = rules ? rules : &none;
    *out = NULL;
    hsp_builder *b = hsp_alloc_zero(1, sizeof *b);
    if (!b) return hsp_fail_memory(err);
    hsp_store_begin(&b->store);
    b->largest = -1;
    b->counted.least = INFINITY;
    b->counted.greatest = -INFINITY;
    b->classes = r->classes;
    b->regression = r->regression;
    b->in_column = r->in_column;
    b->bare = r->bare;
    int status = hsp_copy_string(&b->file, r->file) ? hsp_fail_memory(err) : 0;
    if (!status) status = hsp_labels_new(b->classes, r->map_label, &b->labels, err);
    if (!status && hsp_labels_name_target(b->labels, r->target)) status = hsp_fail_memory(err);
    if (status)
        hsp_builder_free(b);
    else
        *out = b;
    return status;
}

static hsp_place line_place(const hsp_builder *b, int64_t line) {
    return (hsp_place){b->file, b->file ? line : 0, b->file ? 1 : 0};
}

static int check_kind(hsp_builder *b, const hsp_block *block, hsp_error **err) {
    if (b->rows == 0) {
        b->dense = block->dense;
        b->d = block->d;
        b->labelled = block->labelled;
        b->weighted = block->weighted;
    }
    if (block->dense != b->dense || (b->dense && block->d != b->d) || block->weighted != b->weighted)
        return hsp_fail_at(err, HSP_EINTERNAL, line_place(b, block->line_base + block->line[0]),
                           "internal error, blocks of two shapes: please report this bug");
    if (block->labelled != b->labelled)
        return hsp_fail_at(err, HSP_EINPUT, line_place(b, block->line_base + block->line[0]),
                           "only some rows have labels: give labels to all rows or to none");
    return 0;
}

static hsp_place label_place(const hsp_builder *b, const hsp_block *block, int64_t i) {
    return (hsp_place){b->file, b->file ? block->line_base + block->line[i] : 0, b->file ? block->column[i] : 0};
}

static int fail_target(const hsp_builder *b, const hsp_block *block, int64_t i, hsp_error **err) {
    double unused;
    const char *label = block->text + block->label[i];
    int64_t length = block->label[i + 1] - block->label[i];
    return hsp_target_parse(label, length, b->dense || b->in_column, label_place(b, block, i), &unused, err);
}

static int fail_missing(const hsp_builder *b, const hsp_block *block, int64_t i, hsp_error **err) {
    return hsp_fail_at(err, HSP_EINPUT, label_place(b, block, i), "the label is missing: fill it in or remove the row");
}

/* Gives the labels of the rows before `end` their classes; checks targets. */
static int merge_labels(hsp_builder *b, const hsp_block *block, hsp_digest *g, int64_t end, hsp_error **err) {
    if (!block->labelled) return 0;
    if (b->regression) {
        int64_t i = g->bad_target;
        if (i < 0 || i >= end) return 0;
        bool missing = b->classes && block->label[i] == block->label[i + 1];
        return missing ? fail_missing(b, block, i, err) : fail_target(b, block, i, err);
    }
    int status = 0;
    for (int64_t k = 0; status == 0 && k < g->met.count; k++) {
        hsp_digest_label *l = &g->met.label[k];
        if (l->first >= end) break;
        int64_t at = block->label[l->first], length = block->label[l->first + 1] - at;
        status = length == 0 && b->classes ? fail_missing(b, block, l->first, err)
                                           : hsp_labels_class(b->labels, block->text + at, length, l->rows,
                                                              label_place(b, block, l->first), &l->class, err);
    }
    return status;
}

static int merge_ids(hsp_builder *b, const hsp_block *block, const hsp_digest *g, hsp_error **err) {
    if (g->bad_row >= 0) {
        int64_t line = block->line_base + block->line[g->bad_row];
        return hsp_fail_at(err, HSP_EINPUT, line_place(b, line),
                           "feature %lld is above the limit of 2147483647: renumber the features",
                           (long long)block->id[block->row[g->bad_row + 1] - 1]);
    }
    if (g->zero_row >= 0 && b->zero_line == 0) b->zero_line = block->line_base + block->line[g->zero_row];
    if (g->largest > b->largest) {
        b->largest = g->largest;
        b->largest_line = block->line_base + block->line[g->largest_row];
    }
    return 0;
}

/* Joins the ranges of the columns: either all digests have them or none. */
static int merge_ranges(hsp_builder *b, const hsp_digest *g) {
    if (!g->ranged) return 0;
    if (b->rows == 0) {
        if (!HSP_ALLOC(b->range, 2 * b->d)) return HSP_EMEMORY;
        memcpy(b->range, g->range, 2 * (size_t)b->d * sizeof *b->range);
        return 0;
    }
    for (int64_t j = 0; j < b->d; j++) {
        if (g->range[j] < b->range[j]) b->range[j] = g->range[j];
        if (g->range[b->d + j] > b->range[b->d + j]) b->range[b->d + j] = g->range[b->d + j];
    }
    return 0;
}

/* Reserves memory for labels and weights. */
static int reserve_rows(hsp_builder *b, const hsp_block *block) {
    int64_t n = b->rows + block->rows;
    bool y = block->labelled && !b->regression, target = block->labelled && b->regression;
    if ((!y || n <= b->y_capacity) && (!target || n <= b->target_capacity) && (!block->weighted || n <= b->weight_capacity))
        return 0;
    hsp_store_wait(&b->store);
    if ((y && HSP_RESERVE(b->y, b->y_capacity, n)) || (target && HSP_RESERVE(b->target, b->target_capacity, n)) ||
        (block->weighted && HSP_RESERVE(b->weight, b->weight_capacity, n)))
        return HSP_EMEMORY;
    return 0;
}

int hsp_builder_digest(const hsp_builder *b, const hsp_block *block, hsp_digest *g) {
    if (block->rows == 0) return 0;
    hsp_digest_hints h = {.regression = b->regression};
    hsp_store_hints(&b->store, &h);
    return hsp_digest_values(g, block, &h) || hsp_digest_labels(g, block, &h) ? HSP_EMEMORY : 0;
}

int hsp_builder_place(hsp_builder *b, const hsp_block *block, hsp_digest *g, hsp_error **err) {
    if (block->rows == 0) return 0;
    int status = check_kind(b, block, err);
    if (status == 0) status = merge_labels(b, block, g, g->bad_row < 0 ? block->rows : g->bad_row, err);
    if (status == 0) status = merge_ids(b, block, g, err);
    if (status) return status;
    if (merge_ranges(b, g) || reserve_rows(b, block) || hsp_store_place(&b->store, block, g)) return hsp_fail_memory(err);
    b->rows += block->rows;
    return 0;
}

void hsp_builder_write(hsp_builder *b, const hsp_block *block, const hsp_digest *g) {
    if (block->rows == 0) return;
    hsp_store_write(&b->store, block, g);
    if (block->labelled && b->regression) memcpy(b->target + g->to.row, g->target, (size_t)block->rows * sizeof *b->target);
    if (block->labelled && !b->regression)
        for (int64_t i = 0; i < block->rows; i++) b->y[g->to.row + i] = g->met.label[g->met.spelling[i]].class;
    if (block->weighted) memcpy(b->weight + g->to.row, block->weight, (size_t)block->rows * sizeof *b->weight);
    hsp_store_written(&b->store);
}

int hsp_builder_add(hsp_builder *b, const hsp_block *block, hsp_error **err) {
    if (block->rows == 0) return 0;
    if ((!b->digest && hsp_digest_new(&b->digest)) || hsp_builder_digest(b, block, b->digest)) return hsp_fail_memory(err);
    int status = hsp_builder_place(b, block, b->digest, err);
    if (status == 0) hsp_builder_write(b, block, b->digest);
    return status;
}

/* ---- rows that are counted ---- */

int hsp_builder_set_file(hsp_builder *b, const char *file) {
    hsp_free(b->file);
    return hsp_copy_string(&b->file, file);
}

/* The labels count one row a spelling, whose numbers hsp_labels_finish sorts. */
static int count_labels(hsp_builder *b, const hsp_block *block, const hsp_digest *g, hsp_error **err) {
    for (int64_t k = 0; k < g->met.count; k++) {
        const hsp_digest_label *l = &g->met.label[k];
        int64_t at = block->label[l->first], length = block->label[l->first + 1] - at;
        int32_t spelling = 0;
        int status = hsp_labels_class(b->labels, block->text + at, length, 0, label_place(b, block, l->first), &spelling, err);
        if (status == 0 && spelling == b->counted.spellings) {
            if (HSP_RESERVE(b->counted.label_rows, b->counted.capacity, b->counted.spellings + 1)) return hsp_fail_memory(err);
            b->counted.label_rows[b->counted.spellings++] = 0;
            status = hsp_labels_class(b->labels, block->text + at, length, 1, (hsp_place){0}, &spelling, err);
        }
        if (status < 0) return status;
        b->counted.label_rows[spelling] += l->rows;
    }
    return 0;
}

static int count_targets(hsp_builder *b, const hsp_block *block, const hsp_digest *g, hsp_error **err) {
    if (g->bad_target >= 0) return fail_target(b, block, g->bad_target, err);
    for (int64_t i = 0; i < block->rows; i++) {
        if (g->target[i] < b->counted.least) b->counted.least = g->target[i];
        if (g->target[i] > b->counted.greatest) b->counted.greatest = g->target[i];
        double n = (double)(b->rows + i + 1);
        b->counted.mean += g->target[i] / n - b->counted.mean / n; /* running: a sum might overflow */
    }
    return 0;
}

int hsp_builder_count(hsp_builder *b, const hsp_block *block, hsp_digest *g, hsp_error **err) {
    if (block->rows == 0) return 0;
    int status = check_kind(b, block, err);
    if (status == 0 && block->labelled)
        status = b->regression ? count_targets(b, block, g, err) : count_labels(b, block, g, err);
    if (status == 0) status = merge_ids(b, block, g, err);
    for (int64_t i = 0; block->weighted && i < block->rows; i++) {
        b->counted.weight_sum += block->weight[i];
        b->counted.weight_zero += block->weight[i] == 0;
    }
    hsp_store_count(&b->store, block, g);
    b->rows += block->rows;
    return status;
}

static int check_columns(const hsp_builder *b, const hsp_schema *s, hsp_error **err) {
    hsp_place where = line_place(b, 0);
    if (b->rows == 0) return hsp_fail_at(err, HSP_EINPUT, where, "no rows: give a file with data");
    if (s->d < 1 && !b->bare)
        return hsp_fail_at(err, HSP_EINPUT, where, "no features: give at least one column besides the label");
    if (s->d > INT32_MAX) return hsp_fail_at(err, HSP_EINPUT, where, "more than 2147483647 features: leave some out");
    if (b->dense && s->d != b->d)
        return hsp_fail_at(err, HSP_EINTERNAL, where,
                           "internal error, a schema of %lld features for rows of %lld: please report this bug",
                           (long long)s->d, (long long)b->d);
    if (b->dense) return 0;
    if (s->base > 0 && b->zero_line > 0)
        return hsp_fail_at(err, HSP_EINPUT, line_place(b, b->zero_line),
                           "feature 0, but features are numbered from 1: use --base 0");
    if (b->largest >= s->base + s->d)
        return hsp_fail_at(err, HSP_EINPUT, line_place(b, b->largest_line),
                           "feature %lld, but the last feature is %lld: leave it out, or check --base",
                           (long long)b->largest, (long long)(s->base + s->d - 1));
    return 0;
}

static int check_weights(const hsp_builder *b, hsp_error **err) {
    if (b->counted.weight_sum > 0) return 0;
    for (int64_t i = 0; b->weight && i < b->rows; i++)
        if (b->weight[i] > 0) return 0;
    return hsp_fail_at(err, HSP_EINPUT, line_place(b, 0),
                       "all rows have weight 0: give at least one row a positive weight");
}

/* The classes of the spellings that were counted, and the rows of each. */
static int shape_classes(hsp_builder *b, hsp_shape *s, hsp_error **err) {
    int32_t *class = NULL;
    if (b->counted.spellings == 0) return 0;
    if (!HSP_ALLOC(class, b->counted.spellings)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < b->counted.spellings; k++) class[k] = (int32_t)k;
    int status = hsp_labels_finish(b->labels, &s->classes, class, err);
    if (status == 0 && !HSP_ALLOC_ZERO(s->class_rows, s->classes.count)) status = hsp_fail_memory(err);
    for (int64_t k = 0; status == 0 && k < b->counted.spellings; k++) s->class_rows[class[k]] += b->counted.label_rows[k];
    hsp_free(class);
    return status;
}

int hsp_builder_shape(hsp_builder *b, const hsp_schema *schema, hsp_shape *out, hsp_error **err) {
    *out = (hsp_shape){.base = b->dense ? 0 : schema->base,
                       .labelled = b->labelled,
                       .regression = b->regression,
                       .weighted = b->weighted,
                       .least = b->counted.least,
                       .greatest = b->counted.greatest,
                       .mean = b->counted.mean,
                       .weight_sum = b->counted.weight_sum,
                       .weight_zero = b->counted.weight_zero};
    int status = check_columns(b, schema, err);
    if (status == 0) status = shape_classes(b, out, err);
    if (status == 0 && b->weighted) status = check_weights(b, err);
    if (status == 0 && hsp_store_shape(&b->store, schema->d, out)) status = hsp_fail_memory(err);
    if (status < 0) hsp_shape_clear(out);
    hsp_builder_free(b);
    return status;
}

void hsp_shape_clear(hsp_shape *s) {
    hsp_classes_clear(&s->classes);
    HSP_FREE(s->table, s->class_rows);
    *s = (hsp_shape){0};
}

static int fill_data(hsp_builder *b, const hsp_schema *schema, hsp_data *data, hsp_error **err) {
    int status = check_columns(b, schema, err);
    if (status == 0) status = hsp_labels_finish(b->labels, &data->classes, b->y, err);
    if (status == 0 && b->classes) status = hsp_classes_copy(b->classes, &data->classes, err);
    if (status == 0 && b->weight) status = check_weights(b, err);
    if (status) return status;
    data->y = hsp_shrink(b->y, b->rows, sizeof *b->y);
    data->target = hsp_shrink(b->target, b->rows, sizeof *b->target);
    data->weight = hsp_shrink(b->weight, b->rows, sizeof *b->weight);
    b->y = NULL;
    b->target = b->weight = NULL;
    for (int64_t j = 0; b->range && j < 2 * b->d; j++)
        if (b->range[j] == 0) b->range[j] = 0; /* -0 becomes 0 */
    atomic_init(&data->column_range, b->range);
    b->range = NULL;
    data->source = hsp_strdup(b->file ? b->file : "memory");
    if (!data->source || hsp_store_finish(&b->store, schema->d, b->dense ? 0 : schema->base, &data->x))
        return hsp_fail_memory(err);
    return 0;
}

int hsp_builder_finish(hsp_builder *b, hsp_schema *schema, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    int status = data ? fill_data(b, schema, data, err) : hsp_fail_memory(err);
    if (status) {
        hsp_data_free(data);
        hsp_schema_clear(schema);
    } else {
        data->schema = *schema;
        *schema = (hsp_schema){0};
        *out = data;
    }
    hsp_builder_free(b);
    return status;
}

int64_t hsp_builder_bytes(const hsp_builder *b) {
    int64_t label = !b->labelled ? 0 : b->regression ? (int64_t)sizeof *b->target : (int64_t)sizeof *b->y;
    return hsp_matrix_bytes(&b->store.m) + b->rows * (label + (b->weighted ? (int64_t)sizeof *b->weight : 0));
}

void hsp_builder_free(hsp_builder *b) {
    if (!b) return;
    hsp_labels_free(b->labels);
    hsp_store_free(&b->store);
    hsp_digest_free(b->digest);
    HSP_FREE(b->counted.label_rows, b->range, b->y, b->target, b->weight, b->file, b);
}
