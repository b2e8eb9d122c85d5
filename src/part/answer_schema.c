/* Columns and labels, before the parts agree. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "data/schema.h"
#include "data/schema_json.h"
#include "part/answer.h"
#include "part/relayout.h"
#include "table/encoding.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

/* The columns as a model stores them, so that the model reads new rows as the parts were read. Numbers that may differ from
 * part to part, those of svmlight and of arrays without names, are agreed on apart. */
static int write_columns(const hsp_source_columns *c, hsp_reply *r, hsp_error **err) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    hsp_json_object(&j, NULL);
    if (c->encoding) {
        hsp_encoding_save(c->encoding, &j);
    } else {
        hsp_schema s = *c->schema;
        if (!s.name && !s.column) s.d = 1;
        s.base = 0;
        hsp_schema_save(&s, &j);
    }
    hsp_json_object_end(&j);
    return hsp_text_take(&t, &r->columns, err);
}

int hsp_part_columns(const hsp_block_source *source, hsp_reply *r, hsp_error **err) {
    hsp_source_columns c = {0};
    int status = source->columns(source->self, &c, err);
    if (status) return status;
    if (hsp_schema_is_svmlight(c.schema)) r->most[HSP_MOST_BASE] = -c.schema->base;
    return write_columns(&c, r, err);
}

/* ---- labels ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_labels(hsp_reply *r, const hsp_classes *classes, hsp_error **err) {
    hsp_reply own = {0};
    hsp_text t = {0};
    const char **names = hsp_alloc(classes->count + 1, sizeof *names);
    if (!names) return hsp_fail_memory(err);
    for (int64_t k = 0; k < classes->count; k++) names[k] = classes->name[k];
    qsort(names, (size_t)classes->count, sizeof *names, compare_names);
    for (int64_t k = 0; k < classes->count; k++) hsp_text_add_n(&t, names[k], (int64_t)strlen(names[k]) + 1);
    hsp_free(names);
    own.label_bytes = t.length;
    int status = hsp_text_take(&t, &own.labels, err);
    if (!status) status = hsp_reply_join_labels(r, &own, err);
    hsp_free(own.labels);
    return status;
}

/* ---- blocks ---- */

static void raise_to(int64_t *most, int64_t v) {
    if (v > *most) *most = v;
}

static int answer_rows(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_part_rows *rows = &b->rows;
    int64_t *most = a->reply.most;
    (void)sums;
    raise_to(&most[HSP_MOST_FEATURES], rows->x.d);
    if (rows->x.dense) raise_to(&most[HSP_MOST_FEWER], -rows->x.d);
    raise_to(&most[rows->y ? HSP_MOST_LABELLED : rows->target ? HSP_MOST_TARGETS : HSP_MOST_UNLABELLED], 1);
    if (rows->weight) raise_to(&most[HSP_MOST_WEIGHTS], 1);
    if (!rows->x.dense) raise_to(&most[HSP_MOST_SPARSE], 1);
    a->reply.counts[HSP_COUNT_NONZEROS] += hsp_part_nonzeros(&rows->x);
    if (!rows->y || a->mapped == rows->classes) return HSP_OK;
    a->mapped = rows->classes;
    return add_labels(&a->reply, rows->classes, err);
}

static hsp_sum_shape shape_of(const hsp_request *q) {
    (void)q;
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN};
}

const hsp_answer_kind hsp_answer_schema = {shape_of, answer_rows};
