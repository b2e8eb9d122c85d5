/* Walks over the blocks of a part. */
#include "part/answer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "kernel/kernel.h"
#include "option/options.h"
#include "part/pair_sum.h"
#include "part/part.h"
#include "part/relayout.h"
#include "part/reply.h"
#include "part/request.h"

#include <string.h>

struct hsp_part {
    hsp_block_source source;
    int threads;
};

static const hsp_answer_kind *const kinds[HSP_ASKS] = {
    [HSP_ASK_SCHEMA] = &hsp_answer_schema,     [HSP_ASK_CLASSES] = &hsp_answer_classes,
    [HSP_ASK_MOMENTS] = &hsp_answer_moments,   [HSP_ASK_EVALUATE] = &hsp_answer_evaluate,
    [HSP_ASK_LINE] = &hsp_answer_line,         [HSP_ASK_PRODUCT] = &hsp_answer_product,
    [HSP_ASK_METRICS] = &hsp_answer_metrics,   [HSP_ASK_CHECK] = &hsp_answer_check,
    [HSP_ASK_CURVATURE] = &hsp_answer_curvature, [HSP_ASK_SPREAD] = &hsp_answer_spread,
};

/* ---- parts ---- */

int hsp_part_of_source(const hsp_block_source *source, const hsp_options *o, hsp_part **out, hsp_error **err) {
    const int64_t most = (int64_t)1 << (HSP_TREE_LEVELS - 1);
    int status = HSP_OK;
    *out = NULL;
    hsp_part *p = hsp_alloc_zero(1, sizeof *p);
    if (!p)
        status = hsp_fail_memory(err);
    else if (source->first_block < 0 || source->first_block > most || source->blocks > most - source->first_block)
        status = hsp_fail(err, HSP_EUSAGE, "no block %lld of rows can exist: number them from 0 on",
                          (long long)source->first_block);
    if (status) {
        source->close(source->self);
        hsp_free(p);
        return status;
    }
    *p = (hsp_part){.source = *source, .threads = hsp_pool_threads(hsp_options_int(o, "threads", 0))};
    *out = p;
    return HSP_OK;
}

void hsp_part_free(hsp_part *part) {
    if (!part) return;
    part->source.close(part->source.self);
    hsp_free(part);
}

/* ---- blocks ---- */

double *hsp_answer_scratch(hsp_answer *a, int64_t count) {
    if (count <= a->scratch_size) return a->scratch;
    hsp_free(a->scratch);
    a->scratch = hsp_alloc(count, sizeof *a->scratch);
    a->scratch_size = a->scratch ? count : 0;
    return a->scratch;
}

void hsp_part_targets(const hsp_part_block *b, const hsp_request_problem *p, int64_t k, double *y) {
    for (int64_t i = 0; i < b->n; i++)
        y[i] = !b->class ? b->rows.target[i] : p->joint ? (double)b->class[i] : b->class[i] == p->positive[k] ? 1 : -1;
}

void hsp_part_sum(const hsp_part_block *b, const double *v, double *pair) {
    enum { PIECE = 256 }; /* summed plainly */
    for (int64_t i = 0; i < b->n; i += PIECE) {
        int64_t count = b->n - i < PIECE ? b->n - i : PIECE;
        hsp_pair_add(pair, b->c ? hsp_dot_f64(b->c + i, v + i, count) : hsp_sum_f64(v + i, count));
    }
}

static bool is_wrong(const hsp_request_problem *p, int64_t figure, double y, const double *g) {
    if (!p->joint) return (g[figure] > 0) != (y > 0);
    int64_t high = 0;
    for (int64_t k = 1; k < p->outputs; k++)
        if (g[k] > g[high]) high = k;
    return high != (int64_t)y;
}

double hsp_part_wrong(const hsp_part_block *b, const hsp_request_problem *p, int64_t figure, const double *y,
                      const double *scores) {
    double wrong = 0;
    for (int64_t i = 0; b->class && i < b->n; i++)
        if (is_wrong(p, figure, y[i], scores + i * p->outputs)) wrong += b->c ? b->c[i] : 1;
    return wrong;
}

/* Maps the classes of a source to those that were agreed. */
static int map_classes(hsp_answer *a, const hsp_classes *own, hsp_error **err) {
    const hsp_request_rows *r = &a->q->rows;
    if (a->mapped == own) return HSP_OK;
    hsp_free(a->class_of);
    a->mapped = NULL;
    a->class_of = hsp_alloc(own->count + 1, sizeof *a->class_of);
    if (!a->class_of) return hsp_fail_memory(err);
    const hsp_classes agreed = {r->label_count, (char **)(uintptr_t)r->label};
    for (int64_t k = 0; k < own->count; k++) {
        int64_t label = hsp_classes_find(&agreed, own->name[k], (int64_t)strlen(own->name[k]));
        if (label < 0)
            return hsp_fail(err, HSP_EINPUT, "label '%s' has appeared since the parts agreed on their labels: do not change "
                            "the data during training", own->name[k]);
        a->class_of[k] = (int32_t)(r->class_of ? r->class_of[label] : label);
    }
    a->mapped = own;
    return HSP_OK;
}

static int set_classes(hsp_answer *a, hsp_part_block *b, hsp_error **err) {
    const hsp_part_rows *rows = &b->rows;
    if (!rows->y) return hsp_fail(err, HSP_EINPUT, "a part of the data has no labels: give all parts labels");
    int status = map_classes(a, rows->classes, err);
    if (status) return status;
    b->class = hsp_alloc(b->n, sizeof *b->class);
    if (!b->class) return hsp_fail_memory(err);
    for (int64_t i = 0; i < b->n; i++) b->class[i] = a->class_of[rows->y[i]];
    return HSP_OK;
}

static int set_weights(const hsp_request_rows *r, hsp_part_block *b, hsp_error **err) {
    const double *weight = b->rows.weight, *of_class = b->class ? r->class_weight : NULL;
    if (!weight && !of_class) return HSP_OK;
    b->c = hsp_alloc(b->n, sizeof *b->c);
    if (!b->c) return hsp_fail_memory(err);
    for (int64_t i = 0; i < b->n; i++) b->c[i] = (of_class ? of_class[b->class[i]] : 1) * (weight ? weight[i] : 1);
    return HSP_OK;
}

static int fit_columns(const hsp_request_rows *r, hsp_part_block *b, hsp_error **err) {
    b->x = b->rows.x;
    if (b->x.d != r->features && (b->x.dense || b->x.d > r->features))
        return hsp_fail(err, HSP_EINPUT,
                        "a part of the data has %lld columns, and %lld were agreed on: give every part the same columns",
                        (long long)b->x.d, (long long)r->features);
    b->x.d = r->features; /* columns without entries */
    if (b->x.dense == r->dense) return HSP_OK;
    if (hsp_part_relayout(&b->rows.x, r->features, r->dense, &b->own)) return hsp_fail_memory(err);
    b->x = b->own;
    return HSP_OK;
}

/* What an agreement makes of a block. */
static int lay_out(hsp_answer *a, hsp_part_block *b, hsp_error **err) {
    const hsp_request_rows *r = &a->q->rows;
    enum { SMALL = 1 << 14 }; /* numbers for which waking the other threads takes longer than the work */
    int status = fit_columns(r, b, err);
    if (!status && r->targets && !b->rows.target)
        status = hsp_fail(err, HSP_EINPUT, "a part of the data has no targets: give all parts targets");
    if (!status && !r->targets) status = set_classes(a, b, err);
    if (!status) status = set_weights(r, b, err);
    int threads = b->x.stored < SMALL ? 1 : a->threads;
    return status ? status : hsp_design_new(&b->x, r->shift, r->factor, threads, &b->design, err);
}

static void forget(hsp_part_block *b) {
    hsp_design_free(b->design);
    hsp_matrix_clear(&b->own);
    HSP_FREE(b->class, b->c);
}

static int answer_block(hsp_answer *a, const hsp_answer_kind *kind, hsp_part_block *b, hsp_error **err) {
    int status = a->q->ask == HSP_ASK_SCHEMA ? HSP_OK : lay_out(a, b, err);
    double *sums = status ? NULL : hsp_tree_vector(&a->reply.tree);
    if (!status && !sums) status = hsp_fail_memory(err);
    if (!status) status = kind->block(a, b, sums, err);
    forget(b);
    if (!status) return hsp_tree_push(&a->reply.tree, 0, b->number, sums, err);
    hsp_free(sums);
    return status;
}

static int answer_blocks(hsp_part *part, hsp_answer *a, hsp_error **err) {
    const hsp_block_source *s = &part->source;
    const hsp_answer_kind *kind = kinds[a->q->ask];
    a->reply.tree.shape = kind->shape(a->q);
    if (!hsp_sum_shape_fits(&a->reply.tree.shape))
        return hsp_fail(err, HSP_EMEMORY, "the sums over %lld columns are too many: use fewer columns",
                        (long long)a->q->rows.features);
    for (int64_t k = 0; k < s->blocks; k++) {
        hsp_part_block b = {.number = s->first_block + k};
        hsp_error *why = NULL;
        int status = s->open(s->self, k, &b.rows, &why);
        b.n = b.rows.x.n;
        if (!status) {
            status = answer_block(a, kind, &b, &why);
            a->reply.counts[HSP_COUNT_ROWS] += b.n;
            s->release(s->self, &b.rows);
        }
        if (status == HSP_EMEMORY && !why) return hsp_fail_memory(err);
        if (status) return hsp_reply_blame(&a->reply, b.number, why, err);
    }
    return HSP_OK;
}

/* What the source has to say and to know before its blocks are opened. */
static int begin_pass(hsp_part *part, hsp_answer *a, hsp_error **err) {
    const hsp_block_source *s = &part->source;
    const hsp_request_rows *r = &a->q->rows;
    const hsp_agreed agreed = {.features = r->features, .base = (int)r->base};
    hsp_error *why = NULL;
    int status = a->q->ask == HSP_ASK_SCHEMA ? hsp_part_columns(s, &a->reply, &why) : s->agree(s->self, &agreed, &why);
    if (status == HSP_EMEMORY && !why) return hsp_fail_memory(err);
    return status ? hsp_reply_blame(&a->reply, s->first_block, why, err) : HSP_OK;
}

int hsp_part_answer(hsp_part *part, const void *request, size_t request_size, void **reply, size_t *reply_size,
                    hsp_error **err) {
    hsp_request q;
    *reply = NULL;
    *reply_size = 0;
    int status = hsp_request_read(request, request_size, &q, err);
    if (status) return status;
    hsp_answer a = {.q = &q, .reply = hsp_reply_new(q.ask, q.checksum), .threads = part->threads};
    if (!kinds[q.ask])
        status = hsp_fail(err, HSP_EINPUT, "a part cannot answer this request: use one version of Halfspace on all machines");
    if (!status) status = begin_pass(part, &a, err);
    if (!status && !a.reply.fault.code) status = answer_blocks(part, &a, err);
    if (!status) status = hsp_reply_write(&a.reply, reply, reply_size, err);
    hsp_reply_clear(&a.reply);
    HSP_FREE(a.scratch, a.place, a.class_of);
    hsp_request_clear(&q);
    return status;
}
