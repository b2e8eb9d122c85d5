#include "onepass/arriving_rows.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "option/options.h"
#include "read/reader.h"
#include "read/stream.h"

#include <stdlib.h>
#include <string.h>

struct hsp_arriving_input {
    hsp_stream *stream;
    hsp_reading reading;
    hsp_parcel parcel;
};

void hsp_arriving_clear(hsp_arriving *a) {
    if (a->in) {
        hsp_reading_close(&a->in->reading);
        hsp_stream_close(a->in->stream);
        hsp_parcel_free(&a->in->parcel);
    }
    HSP_FREE(a->in, a->assumed);
    hsp_block_free(&a->block);
    hsp_classes_clear(&a->classes);
    hsp_schema_clear(&a->schema);
}

/* ---- classes ---- */

static int by_number(const void *a, const void *b) {
    return hsp_label_compare(*(char *const *)a, *(char *const *)b, true);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_class(hsp_classes *c, const char *s, int64_t n, hsp_error **err) {
    hsp_label_trim(&s, &n);
    char *name = hsp_alloc((n > 32 ? n : 32) + 1, 1);
    if (!name) return hsp_fail_memory(err);
    hsp_label_canonical(s, n, name);
    c->name[c->count++] = name;
    return *name ? HSP_OK : hsp_fail(err, HSP_EUSAGE, "--classes has an empty label: write all labels as A,B,...");
}

/* The labels of --classes, sorted like those of data. */
static int declare_classes(const char *list, hsp_classes *c, hsp_error **err) {
    int64_t most = 1;
    bool numeric = true;
    for (const char *s = list; *s; s++) most += *s == ',';
    c->name = hsp_alloc_zero(most, sizeof *c->name);
    if (!c->name) return hsp_fail_memory(err);
    int status = HSP_OK;
    for (const char *s = list; !status; s += strcspn(s, ",") + 1) {
        size_t n = strcspn(s, ",");
        status = add_class(c, s, (int64_t)n, err);
        if (!s[n]) break;
    }
    for (int64_t k = 0; k < c->count; k++) numeric = numeric && hsp_label_is_number(c->name[k]);
    if (!status) qsort(c->name, (size_t)c->count, sizeof *c->name, numeric ? by_number : by_text);
    for (int64_t k = 1; !status && k < c->count; k++)
        if (strcmp(c->name[k - 1], c->name[k]) == 0)
            status = hsp_fail(err, HSP_EUSAGE, "--classes has the label '%s' twice: write each label once", c->name[k]);
    if (!status && c->count < 2)
        status = hsp_fail(err, HSP_EUSAGE, "--classes needs two labels or more: write them as A,B,...");
    return status;
}

/* ---- rows ---- */

/* Whether the label of row i may occur. */
static int check_label(const hsp_arriving *a, const hsp_block *b, int64_t i, hsp_error **err) {
    char shown[HSP_EXCERPT];
    const char *s = b->text + b->label[i];
    int64_t n = b->label[i + 1] - b->label[i];
    if (a->regression || a->classes.count == 0 || hsp_options_text(a->o, "map-label")) return HSP_OK;
    if (hsp_classes_find(&a->classes, s, n) >= 0) return HSP_OK;
    const hsp_place where = {hsp_stream_name(a->in->stream), b->line_base + b->line[i], 0};
    if (a->declared)
        return hsp_fail_at(err, HSP_EINPUT, where, "label '%s' is not among --classes: add it there, or correct the row",
                           hsp_excerpt(shown, s, n));
    return hsp_fail_at(err, HSP_EINPUT, where,
                       "label '%s' appears after the first %d rows, by which the classes were learnt: declare all labels with "
                       "--classes A,B,...",
                       hsp_excerpt(shown, s, n), HSP_ARRIVING_ROWS);
}

static int copy_row(hsp_arriving *a, const hsp_block *b, int64_t i, hsp_error **err) {
    hsp_block *to = &a->block;
    int64_t begin = b->dense ? i * b->d : b->row[i], values = b->dense ? b->d : b->row[i + 1] - begin;
    int64_t label = b->label[i], length = b->label[i + 1] - label;
    if (to->rows == 0) {
        hsp_block_reset(to, b->dense, b->d);
        to->weighted = b->weighted;
    }
    if (hsp_block_reserve(to, values + 1, length)) return hsp_fail_memory(err);
    int64_t at = hsp_block_tail(to);
    memcpy(to->value + at, b->value + begin, (size_t)values * sizeof *to->value);
    if (!b->dense) memcpy(to->id + at, b->id + begin, (size_t)values * sizeof *to->id);
    if (b->weighted) to->weight[to->rows] = b->weight[i];
    hsp_block_close_row(to, values, b->labelled ? b->text + label : NULL, length, b->line_base + b->line[i]);
    to->column[to->rows - 1] = b->column[i];
    return HSP_OK;
}

/* The classes of the first rows are those of all. */
static int keep_classes(hsp_arriving *a, const hsp_data *data, hsp_error **err) {
    if (a->regression || a->classes.count > 0) return HSP_OK;
    if (data->classes.count < 2)
        return hsp_fail_file(err, hsp_stream_name(a->in->stream),
                             data->classes.count == 0
                                 ? "no labels: give their column with --target"
                                 : "one label in the first %d rows, and a classifier needs two: declare all labels with "
                                   "--classes A,B,...",
                             HSP_ARRIVING_ROWS);
    return hsp_classes_copy(&data->classes, &a->classes, err);
}

/* svmlight: features are numbered from 0 if one of the first rows has that number, and their number grows. */
static int widen(hsp_arriving *a, hsp_error **err) {
    const hsp_block *b = &a->block;
    hsp_schema *s = &a->schema;
    int64_t least = INT64_MAX, largest = -1;
    if (!hsp_schema_is_svmlight(s)) return HSP_OK;
    for (int64_t t = 0; t < b->row[b->rows]; t++) {
        if ((int64_t)b->id[t] < least) least = b->id[t];
        if ((int64_t)b->id[t] > largest) largest = b->id[t];
    }
    if (a->rows == 0)
        s->base = hsp_options_is(a->o, "base", "0") ? 0 : hsp_options_is(a->o, "base", "1") ? 1 : least > 0;
    if (least < s->base)
        return hsp_fail_file(err, hsp_stream_name(a->in->stream),
                             "a feature has the number 0 after rows that begin with 1: use --base 0");
    if (largest + 1 - s->base > s->d) s->d = largest + 1 - s->base;
    return HSP_OK;
}

/* Makes a data set of the rows so far, and hands it on. */
static int hand_on(hsp_arriving *a, hsp_error **err) {
    hsp_builder_rules rules = hsp_read_rules(a->o, NULL, a->regression, hsp_stream_name(a->in->stream));
    hsp_builder *builder = NULL;
    hsp_schema schema = {0};
    hsp_data *data = NULL;
    if (a->block.rows == 0) return HSP_OK;
    if (a->classes.count > 0) rules.classes = &a->classes;
    int status = widen(a, err);
    if (!status) status = hsp_builder_new(&rules, &builder, err);
    if (!status) status = hsp_builder_add(builder, &a->block, err);
    if (!status) status = hsp_schema_copy(&a->schema, &schema, err);
    if (!status) {
        status = hsp_builder_finish(builder, &schema, &data, err);
        builder = NULL;
    }
    hsp_builder_free(builder);
    hsp_schema_clear(&schema);
    if (!status) status = keep_classes(a, data, err);
    a->rows += a->block.rows;
    a->block.rows = 0;
    if (!status) status = a->take(a->ctx, data, err);
    hsp_data_free(data);
    return status;
}

static int add_rows(hsp_arriving *a, hsp_error **err) {
    const hsp_block *b = &a->in->parcel.block;
    int status = HSP_OK;
    for (int64_t i = 0; !status && i < b->rows; i++) {
        status = b->labelled ? check_label(a, b, i, err) : HSP_OK;
        if (!status) status = copy_row(a, b, i, err);
        if (!status && a->block.rows == HSP_ARRIVING_ROWS) status = hand_on(a, err);
    }
    return status;
}

/* ---- the stream ---- */

static int open_stream(hsp_arriving *a, const char *path, hsp_error **err) {
    a->in = hsp_alloc_zero(1, sizeof *a->in);
    if (!a->in) return hsp_fail_memory(err);
    int status = hsp_stream_open(path, &a->in->stream, err);
    if (!status) status = hsp_reading_open(&a->in->reading, a->in->stream, a->o, NULL, err);
    if (status) return status;
    const char *name = hsp_stream_name(a->in->stream);
    if (a->in->reading.kind->load)
        return hsp_fail_at(err, HSP_EUSAGE, (hsp_place){.file = name},
                           "binary data cannot be trained on as they arrive: give the file by its name");
    if (a->in->reading.schema->table)
        return hsp_fail_at(err, HSP_EUSAGE, (hsp_place){.file = name},
                           "columns with text, categories, dates or missing values need all rows to be encoded, and one "
                           "pass over a pipe sees them once: save the rows to a file, or leave --keep out");
    return hsp_schema_copy(a->in->reading.schema, &a->schema, err);
}

int hsp_arriving_read(hsp_arriving *a, const char *path, const char *classes, hsp_error **err) {
    a->regression = hsp_options_is(a->o, "task", "regression");
    a->declared = classes != NULL;
    int status = hsp_read_check(a->o, a->regression, err), more = 0;
    if (!status && classes && a->regression)
        status = hsp_fail(err, HSP_EUSAGE, "--classes is for classification, not for --task regression: leave it out");
    if (!status && classes) status = declare_classes(classes, &a->classes, err);
    if (!status) status = open_stream(a, path, err);
    if (!status && hsp_schema_is_svmlight(&a->schema)) a->schema.d = 0;
    while (!status && !hsp_cancel_pending() && (more = hsp_reading_cut(&a->in->reading, &a->in->parcel, err)) > 0) {
        hsp_reading_parse(&a->in->reading, &a->in->parcel);
        status = hsp_reading_take(&a->in->reading, &a->in->parcel, err);
        if (!status) status = add_rows(a, err);
        if (!status) status = hsp_reading_fault(&a->in->reading, &a->in->parcel, err);
    }
    if (!status && more < 0) status = more;
    if (!status) status = hsp_reading_finish(&a->in->reading, err);
    if (!status && hsp_copy_string(&a->assumed, a->in->reading.assumed->s)) status = hsp_fail_memory(err);
    if (!status) status = hand_on(a, err);
    if (status > 0) status = HSP_OK;
    if (!status && a->rows == 0) status = hsp_fail_file(err, hsp_stream_name(a->in->stream), "no rows: training needs data");
    return status;
}
