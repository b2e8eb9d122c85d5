/* The agreement of the parts on columns and labels, before the fit: two rounds. */
#include "base/error.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/schema_json.h"
#include "design/design.h"
#include "drive/drive.h"
#include "option/options.h"
#include "part/relayout.h"
#include "part/reply.h"
#include "part/request.h"
#include "part/spread_sums.h"
#include "prepare/positive.h"
#include "prepare/prepare.h"
#include "table/encoding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

static int load_columns(hsp_drive *d, hsp_error **err) {
    const char *text = d->reply.columns;
    const int64_t *most = d->reply.most, many = (int64_t)1 << 31;
    hsp_json_value *json = NULL;
    int status = text ? hsp_json_parse(text, (int64_t)strlen(text), &json, NULL) : HSP_EINPUT;
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    if (status)
        return hsp_fail(err, HSP_EINPUT, "a part does not state its columns: use one version of Halfspace on all machines");
    const hsp_json_loader l = {json, "parts", err};
    hsp_prepare *p = &d->prepare;
    status = hsp_encoding_load(&l, many, &p->encoding);
    if (!status)
        status = p->encoding ? hsp_encoding_schema(p->encoding, &p->schema, err) : hsp_schema_load(&l, many, &p->schema);
    hsp_free(json);
    if (status) return status;
    if (most[HSP_MOST_FEWER] != INT64_MIN && -most[HSP_MOST_FEWER] != most[HSP_MOST_FEATURES])
        return hsp_fail(err, HSP_EINPUT,
                        "parts of the data have from %lld to %lld columns: give every part the same columns in the same order",
                        (long long)-most[HSP_MOST_FEWER], (long long)most[HSP_MOST_FEATURES]);
    if (most[HSP_MOST_BASE] != INT64_MIN) p->schema.base = (int)-most[HSP_MOST_BASE];
    if (!p->schema.name && !p->schema.column) p->schema.d = most[HSP_MOST_FEATURES];
    if (p->schema.d != most[HSP_MOST_FEATURES] || p->schema.d < 1)
        return hsp_fail(err, HSP_EINPUT, "no features: give at least one column besides the label");
    return HSP_OK;
}

/* ---- labels ---- */

static int compare_numbers(const void *a, const void *b) {
    return hsp_label_compare(*(char *const *)a, *(char *const *)b, true);
}

static int take_labels(hsp_drive *d, hsp_error **err) {
    hsp_classes *c = &d->agreed.labels;
    const char *s = d->reply.labels, *end = s + d->reply.label_bytes;
    bool numeric = true;
    for (const char *at = s; at < end; at += strlen(at) + 1) c->count++;
    c->name = hsp_alloc_zero(c->count + 1, sizeof *c->name);
    if (!c->name) return hsp_fail_memory(err);
    for (int64_t k = 0; k < c->count; k++, s += strlen(s) + 1) {
        c->name[k] = hsp_strdup(s);
        if (!c->name[k]) return hsp_fail_memory(err);
        numeric = numeric && hsp_label_is_number(s);
    }
    if (numeric && c->count > 1) qsort(c->name, (size_t)c->count, sizeof *c->name, compare_numbers);
    return HSP_OK;
}

/* Whether all parts have labels, or all have targets. */
static int check_task(const hsp_drive *d, const hsp_options *o, hsp_error **err) {
    const int64_t *most = d->reply.most;
    bool labelled = most[HSP_MOST_LABELLED] == 1, targets = most[HSP_MOST_TARGETS] == 1;
    bool regression = hsp_options_is(o, "task", "regression");
    if (most[HSP_MOST_UNLABELLED] == 1)
        return hsp_fail(err, HSP_EINPUT, labelled || targets ? "a part of the data has no labels: give all parts labels"
                                                             : "no labels: give their column with --target");
    if (labelled && targets)
        return hsp_fail(err, HSP_EINPUT, "some parts have labels and others numeric targets: read all with one --task");
    if (regression && labelled)
        return hsp_fail(err, HSP_EINPUT, "the data were read with labels, not with a numeric target: read them with --task "
                                         "regression");
    if (!regression && targets && hsp_options_is_set(o, "task"))
        return hsp_fail(err, HSP_EINPUT, "the data have a numeric target, not labels: use --task regression");
    return HSP_OK;
}

/* ---- the rounds ---- */

static int agree_on_columns(hsp_drive *d, const hsp_options *o, hsp_error **err) {
    hsp_request q = {.ask = HSP_ASK_SCHEMA};
    int status = hsp_drive_ask(d, &q, err);
    if (!status) status = check_task(d, o, err);
    if (!status) status = load_columns(d, err);
    if (!status) status = take_labels(d, err);
    if (status) return status;
    hsp_agreement *a = &d->agreed;
    a->count = d->reply.counts[HSP_COUNT_ROWS];
    a->nonzeros = d->reply.counts[HSP_COUNT_NONZEROS];
    a->weighted = d->reply.most[HSP_MOST_WEIGHTS] == 1;
    d->prepare.regression = d->reply.most[HSP_MOST_TARGETS] == 1;
    d->prepare.positive = -1;
    d->prepare.scale_all = !d->prepare.encoding;
    return d->prepare.regression ? HSP_OK : hsp_prepare_positive(&a->labels, hsp_options_text(o, "positive"), &d->prepare, err);
}

static int state_rows(hsp_drive *d, hsp_error **err) {
    hsp_prepare *p = &d->prepare;
    hsp_agreement *a = &d->agreed;
    if (p->merged) {
        a->class_of = hsp_alloc(a->labels.count, sizeof *a->class_of);
        if (!a->class_of) return hsp_fail_memory(err);
        for (int64_t k = 0; k < a->labels.count; k++) a->class_of[k] = p->merged[k];
    }
    d->rows = (hsp_request_rows){.features = p->schema.d,
                                 .base = p->schema.base,
                                 .dense = hsp_part_prefers_dense(a->nonzeros, a->count, p->schema.d),
                                 .targets = p->regression,
                                 .label_count = p->regression ? 0 : a->labels.count,
                                 .label = (const char **)(uintptr_t)a->labels.name,
                                 .class_of = a->class_of,
                                 .classes = p->regression ? 0 : p->classes.count};
    return HSP_OK;
}

static int check_present(const hsp_drive *d, hsp_error **err) {
    const hsp_agreement *a = &d->agreed;
    int64_t present = 0, last = -1;
    for (int64_t k = 0; k < a->groups; k++)
        if (a->rows[k] > 0) present++, last = k;
    if (present == 0 && a->weighted)
        return hsp_fail(err, HSP_EINPUT, "no row has a positive weight: give at least one row a positive weight");
    if (present >= (d->prepare.regression ? 1 : 2)) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "only one class ('%s') in all parts of the training data, a classifier needs two: check "
                                     "--target and the files",
                    last >= 0 ? d->prepare.classes.name[last] : "");
}

static int count_classes(hsp_drive *d, hsp_error **err) {
    hsp_agreement *a = &d->agreed;
    hsp_request q = {.ask = HSP_ASK_CLASSES};
    a->groups = d->prepare.regression ? 1 : d->prepare.classes.count;
    int status = hsp_drive_ask(d, &q, err);
    if (status) return status;
    if (!HSP_ALLOC(a->mass, a->groups) || !HSP_ALLOC(a->rows, a->groups)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < a->groups; k++) {
        a->mass[k] = d->sums[2 * k];
        a->rows[k] = d->sums[2 * k + 1];
    }
    a->hash = (uint64_t)d->reply.counts[HSP_COUNT_HASH];
    return check_present(d, err);
}

/* The data as modules of training in memory know them: sizes and columns. */
static void lay_out_data(hsp_drive *d) {
    hsp_agreement *a = &d->agreed;
    d->data = (hsp_data){.x = {.n = a->count, .d = d->rows.features, .dense = d->rows.dense, .nonzeros = a->nonzeros},
                         .schema = d->prepare.schema, /* borrowed, as the classes */
                         .classes = a->labels,
                         .target = d->prepare.regression ? &d->none : NULL,
                         .weight = a->weighted ? &d->none : NULL};
    d->data.x.stored = d->rows.dense ? a->count * d->rows.features : a->nonzeros;
    d->design = (hsp_design){.n = a->count, .d = d->rows.features, .x = &d->data.x, .threads = 1};
}

/* The scaling of the columns: one round, and then all requests state it. */
static int agree_on_scale(hsp_drive *d, const hsp_options *o, hsp_error **err) {
    hsp_column_stats s = {0};
    double *sd = NULL;
    int64_t columns = d->rows.features;
    int status = HSP_OK;
    if (!hsp_options_is(o, "scale", "none")) {
        hsp_request q = {.ask = HSP_ASK_SPREAD};
        status = hsp_drive_ask(d, &q, err);
        if (!status && !HSP_ALLOC(sd, columns)) status = hsp_fail_memory(err);
        const double *sums = d->sums;
        for (int64_t j = 0; !status && j < columns; j++)
            sd[j] = sqrt(sums[hsp_spread_squares(columns) + j] / sums[HSP_SPREAD_ROWS]);
        if (!status)
            s = (hsp_column_stats){.mean = (double *)(uintptr_t)(sums + hsp_spread_mean(columns)),
                                   .sd = sd,
                                   .min = (double *)(uintptr_t)(sums + hsp_spread_least(columns)),
                                   .max = (double *)(uintptr_t)(sums + hsp_spread_greatest(columns))};
    }
    if (!status) status = hsp_prepare_scale(&s, o, &d->prepare, err);
    d->rows.shift = d->prepare.shift;
    d->rows.factor = d->prepare.factor;
    hsp_free(sd);
    return status;
}

int hsp_drive_agree(hsp_drive *d, const hsp_options *o, hsp_error **err) {
    int status = agree_on_columns(d, o, err);
    if (!status) status = state_rows(d, err);
    if (!status) status = count_classes(d, err);
    if (!status) status = agree_on_scale(d, o, err);
    if (!status) lay_out_data(d);
    return status;
}

int hsp_drive_agree_with(hsp_drive *d, const hsp_model *m, hsp_error **err) {
    hsp_request q = {.ask = HSP_ASK_SCHEMA};
    int status = hsp_drive_ask(d, &q, err);
    if (!status) status = hsp_prepare_copy(&m->prepare, &d->prepare, err);
    if (!status) status = hsp_classes_copy(hsp_prepare_labels(&d->prepare), &d->agreed.labels, err);
    if (status) return status;
    d->agreed.count = d->reply.counts[HSP_COUNT_ROWS];
    d->agreed.nonzeros = d->reply.counts[HSP_COUNT_NONZEROS];
    d->agreed.weighted = d->reply.most[HSP_MOST_WEIGHTS] == 1;
    status = state_rows(d, err);
    if (!status) status = count_classes(d, err);
    d->rows.class_weight = m->class_weight;
    if (!status) lay_out_data(d);
    return status;
}

void hsp_drive_clear(hsp_drive *d) {
    hsp_reply_clear(&d->reply);
    hsp_classes_clear(&d->agreed.labels);
    HSP_FREE(d->agreed.class_of, d->agreed.mass, d->agreed.rows);
    hsp_prepare_clear(&d->prepare);
}
