#include "base/memory.h"
#include "data/data.h"
#include "data/labels.h"
#include "data/store.h"

#include <limits.h>
#include <string.h>

struct hsp_builder {
    const hsp_classes *classes;
    char *file;
    hsp_labels *labels;
    bool regression;
    double *target, *weight; /* of each row so far, when there are any */
    int64_t target_capacity, weight_capacity;
    hsp_store store;
    int64_t rows;
    bool dense, labelled, weighted; /* as the first rows */
    int64_t d;                      /* of dense blocks */
    int64_t largest;                /* id of sparse blocks, -1: none yet ... */
    int64_t largest_line;           /* ... and where it stands */
    int64_t zero_line;              /* where the id 0 stands first; 0: nowhere */
};

int hsp_builder_new(const hsp_builder_rules *rules, hsp_builder **out, hsp_error **err) {
    int rc = 0;
    *out = NULL;
    hsp_builder *b = hsp_alloc_zero(1, sizeof *b);
    if (!b) return hsp_fail_memory(err);
    b->largest = -1;
    b->classes = rules ? rules->classes : NULL;
    b->regression = rules && rules->regression;
    if (rules && rules->file) {
        b->file = hsp_strdup(rules->file);
        if (!b->file) {
            rc = hsp_fail_memory(err);
            goto done;
        }
    }
    rc = hsp_labels_new(b->classes, rules ? rules->map_label : NULL, &b->labels, err);
done:
    if (rc)
        hsp_builder_free(b);
    else
        *out = b;
    return rc;
}

static hsp_place place(const hsp_builder *b, int64_t line) {
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
        return hsp_fail_at(err, HSP_EINTERNAL, place(b, block->line_base + block->line[0]),
                           "blocks of two shapes: please report this");
    if (block->labelled != b->labelled)
        return hsp_fail_at(err, HSP_EINPUT, place(b, block->line_base + block->line[0]),
                           "some rows have labels and others have none: give labels to all rows or to none");
    return 0;
}

/* Ids ascend in a row: its first and last are enough. */
static int check_ids(hsp_builder *b, const hsp_block *block, hsp_error **err) {
    for (int64_t i = 0; i < block->rows; i++) {
        int64_t begin = block->row[i], end = block->row[i + 1];
        if (begin == end) continue;
        if (block->id[begin] == 0 && b->zero_line == 0) b->zero_line = block->line_base + block->line[i];
        if ((int64_t)block->id[end - 1] <= b->largest) continue;
        b->largest = block->id[end - 1];
        b->largest_line = block->line_base + block->line[i];
        if (b->largest > INT32_MAX)
            return hsp_fail_at(err, HSP_EINPUT, place(b, block->line_base + block->line[i]),
                               "feature %lld is beyond 2147483647, the most there may be: number the features anew",
                               (long long)b->largest);
    }
    return 0;
}

static hsp_place label_place(const hsp_builder *b, const hsp_block *block, int64_t i) {
    return (hsp_place){b->file, b->file ? block->line_base + block->line[i] : 0, b->file ? block->column[i] : 0};
}

/* Labels become classes, or targets. */
static int add_labels(hsp_builder *b, const hsp_block *block, hsp_error **err) {
    int rc = 0;
    if (b->regression && hsp_reserve((void **)&b->target, &b->target_capacity, b->rows + block->rows, sizeof *b->target))
        return hsp_fail_memory(err);
    for (int64_t i = 0; rc == 0 && i < block->rows; i++) {
        const char *label = block->text + block->label[i];
        int64_t length = block->label[i + 1] - block->label[i];
        hsp_place where = label_place(b, block, i);
        if (length == 0 && b->classes)
            return hsp_fail_at(err, HSP_EINPUT, where, "the label is missing: fill it in or remove the row");
        rc = b->regression ? hsp_target_parse(label, length, b->dense, where, &b->target[b->rows + i], err)
                           : hsp_labels_add(b->labels, label, length, where, err);
    }
    return rc;
}

static int add_weights(hsp_builder *b, const hsp_block *block, hsp_error **err) {
    if (hsp_reserve((void **)&b->weight, &b->weight_capacity, b->rows + block->rows, sizeof *b->weight))
        return hsp_fail_memory(err);
    memcpy(b->weight + b->rows, block->weight, (size_t)block->rows * sizeof *b->weight);
    return 0;
}

/* All the work is done when the block is placed. */
struct hsp_digest {
    int unused;
};

int hsp_digest_new(hsp_digest **out) {
    *out = hsp_alloc_zero(1, sizeof **out);
    return *out ? 0 : HSP_EMEMORY;
}

void hsp_digest_free(hsp_digest *g) {
    hsp_free(g);
}

int hsp_builder_digest(const hsp_builder *b, const hsp_block *block, hsp_digest *g) {
    (void)b;
    (void)block;
    (void)g;
    return 0;
}

int hsp_builder_place(hsp_builder *b, const hsp_block *block, hsp_digest *g, hsp_error **err) {
    (void)g;
    return hsp_builder_add(b, block, err);
}

void hsp_builder_write(hsp_builder *b, const hsp_block *block, const hsp_digest *g) {
    (void)b;
    (void)block;
    (void)g;
}

int hsp_builder_add(hsp_builder *b, const hsp_block *block, hsp_error **err) {
    if (block->rows == 0) return 0;
    int rc = check_kind(b, block, err);
    if (rc == 0 && !block->dense) rc = check_ids(b, block, err);
    if (rc == 0 && block->labelled) rc = add_labels(b, block, err);
    if (rc == 0 && block->weighted) rc = add_weights(b, block, err);
    if (rc) return rc;
    if (hsp_store_add(&b->store, block)) return hsp_fail_memory(err);
    b->rows += block->rows;
    return 0;
}

static int check_columns(const hsp_builder *b, const hsp_schema *s, hsp_error **err) {
    hsp_place where = place(b, 0);
    if (b->rows == 0) return hsp_fail_at(err, HSP_EINPUT, where, "has no rows: give a file with data");
    if (s->d < 1) return hsp_fail_at(err, HSP_EINPUT, where, "has no features: give at least one column beside the label");
    if (s->d > INT32_MAX) return hsp_fail_at(err, HSP_EINPUT, where, "more than 2147483647 features: leave some out");
    if (b->dense && s->d != b->d)
        return hsp_fail_at(err, HSP_EINTERNAL, where, "a schema of %lld features for rows of %lld: please report this",
                           (long long)s->d, (long long)b->d);
    if (b->dense) return 0;
    if (s->base > 0 && b->zero_line > 0)
        return hsp_fail_at(err, HSP_EINPUT, place(b, b->zero_line), "feature 0, but the first one is 1: use --base 0");
    if (b->largest >= s->base + s->d)
        return hsp_fail_at(err, HSP_EINPUT, place(b, b->largest_line),
                           "feature %lld, but the last one is %lld: leave it out or check the base", (long long)b->largest,
                           (long long)(s->base + s->d - 1));
    return 0;
}

/* The array less its spare room; *from is left without one. */
static double *take_array(double **from, int64_t n) {
    double *trimmed = *from ? hsp_resize(*from, n, sizeof **from) : NULL, *taken = trimmed ? trimmed : *from;
    *from = NULL;
    return taken;
}

static int check_weights(const hsp_builder *b, hsp_error **err) {
    for (int64_t i = 0; i < b->rows; i++)
        if (b->weight[i] > 0) return 0;
    return hsp_fail_at(err, HSP_EINPUT, place(b, 0), "all rows have the weight 0: give at least one a weight above 0");
}

static int fill(hsp_builder *b, const hsp_schema *schema, hsp_data *data, hsp_error **err) {
    int rc = check_columns(b, schema, err);
    if (rc == 0) rc = hsp_labels_finish(b->labels, &data->classes, &data->y, err);
    if (rc == 0 && b->classes) rc = hsp_classes_copy(b->classes, &data->classes, err);
    if (rc == 0 && b->weight) rc = check_weights(b, err);
    if (rc) return rc;
    data->target = take_array(&b->target, b->rows);
    data->weight = take_array(&b->weight, b->rows);
    data->source = hsp_strdup(b->file ? b->file : "memory");
    if (!data->source || hsp_store_finish(&b->store, schema->d, b->dense ? 0 : schema->base, &data->x))
        return hsp_fail_memory(err);
    return 0;
}

int hsp_builder_finish(hsp_builder *b, hsp_schema *schema, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    int rc = data ? fill(b, schema, data, err) : hsp_fail_memory(err);
    if (rc) {
        hsp_data_free(data);
        hsp_schema_clear(schema);
    } else {
        data->schema = *schema;
        *schema = (hsp_schema){0};
        *out = data;
    }
    hsp_builder_free(b);
    return rc;
}

void hsp_builder_free(hsp_builder *b) {
    if (!b) return;
    hsp_labels_free(b->labels);
    hsp_store_free(&b->store);
    hsp_free(b->target);
    hsp_free(b->weight);
    hsp_free(b->file);
    hsp_free(b);
}
