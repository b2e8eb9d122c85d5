/* Replies as bytes, and their sum. */
#include "part/reply.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "part/wire.h"

#include <string.h>

enum {
    TAG_ASKED = 1,
    TAG_COUNTS,
    TAG_MOST,
    TAG_SHAPE,
    TAG_KEYS,
    TAG_SUMS,
    TAG_FAULT,
    TAG_FILE,
    TAG_MESSAGE,
    TAG_COLUMNS,
    TAG_LABELS
};

/* A fault of the parts together, which gives way to that of any block. */
static const int64_t LAST_BLOCK = INT64_MAX;

hsp_reply hsp_reply_new(int64_t ask, uint64_t asked) {
    hsp_reply r = {.ask = ask, .asked = asked, .tree.shape = {.rule = HSP_SUM_PLAIN}};
    for (int k = 0; k < HSP_MOSTS; k++) r.most[k] = INT64_MIN;
    return r;
}

static void clear_fault(hsp_reply_fault *f) {
    HSP_FREE(f->file, f->message);
    *f = (hsp_reply_fault){0};
}

void hsp_reply_clear(hsp_reply *r) {
    hsp_tree_clear(&r->tree);
    clear_fault(&r->fault);
    HSP_FREE(r->columns, r->labels);
    r->columns = r->labels = NULL;
    r->label_bytes = 0;
}

/* ---- faults ---- */

/* The message without its place, which is kept apart. */
static const char *without_place(const hsp_error *e) {
    const char *s = hsp_error_message(e), *file = hsp_error_file(e);
    if (!file || strncmp(s, file, strlen(file)) != 0) return s;
    s += strlen(file);
    while (*s == ':' && s[1] >= '0' && s[1] <= '9') s += 1 + strspn(s + 1, "0123456789");
    return *s == ':' && s[1] == ' ' ? s + 2 : s;
}

int hsp_reply_blame(hsp_reply *r, int64_t block, hsp_error *why, hsp_error **err) {
    int status = HSP_OK;
    if (!r->fault.code || block < r->fault.block) {
        clear_fault(&r->fault);
        r->fault = (hsp_reply_fault){.code = hsp_error_code(why), .block = block, .line = hsp_error_line(why),
                                     .column = hsp_error_column(why)};
        if (hsp_copy_string(&r->fault.file, hsp_error_file(why)) || hsp_copy_string(&r->fault.message, without_place(why)))
            status = hsp_fail_memory(err);
    }
    hsp_error_free(why);
    return status;
}

int hsp_reply_raise(const hsp_reply *r, hsp_error **err) {
    const hsp_reply_fault *f = &r->fault;
    return hsp_fail_at(err, (int)f->code, (hsp_place){f->file, f->line, f->column}, "%s", f->message);
}

/* ---- bytes ---- */

static void write_nodes(const hsp_tree *t, hsp_wire *w) {
    const hsp_sum_shape *s = &t->shape;
    const int64_t shape[] = {(int64_t)s->rule, s->length, s->pairs, s->groups, s->columns};
    hsp_wire_put(w, TAG_SHAPE, HSP_WIRE_WHOLE, shape, 5);
    int64_t *keys = hsp_alloc(2 * t->count, sizeof *keys);
    if (!keys) {
        w->failed = true;
        return;
    }
    for (int64_t k = 0; k < t->count; k++) {
        keys[2 * k] = t->node[k].level;
        keys[2 * k + 1] = t->node[k].index;
    }
    hsp_wire_put(w, TAG_KEYS, HSP_WIRE_WHOLE, keys, 2 * t->count);
    hsp_free(keys);
    double *sums = hsp_wire_room(w, TAG_SUMS, t->count * s->length);
    for (int64_t k = 0; sums && s->length > 0 && k < t->count; k++)
        memcpy(sums + k * s->length, t->node[k].sums, (size_t)s->length * sizeof *sums);
}

static void write_text(hsp_wire *w, int64_t tag, const char *s) {
    if (s) hsp_wire_put(w, tag, HSP_WIRE_BYTES, s, (int64_t)strlen(s));
}

int hsp_reply_write(const hsp_reply *r, void **bytes, size_t *size, hsp_error **err) {
    hsp_wire w;
    const int64_t asked = (int64_t)r->asked;
    hsp_wire_begin(&w, HSP_WIRE_REPLY, r->ask);
    hsp_wire_put(&w, TAG_ASKED, HSP_WIRE_WHOLE, &asked, 1);
    if (r->fault.code) {
        const int64_t fault[] = {r->fault.code, r->fault.block, r->fault.line, r->fault.column};
        hsp_wire_put(&w, TAG_FAULT, HSP_WIRE_WHOLE, fault, 4);
        write_text(&w, TAG_FILE, r->fault.file);
        write_text(&w, TAG_MESSAGE, r->fault.message);
        return hsp_wire_take(&w, bytes, size, err);
    }
    hsp_wire_put(&w, TAG_COUNTS, HSP_WIRE_WHOLE, r->counts, HSP_COUNTS);
    hsp_wire_put(&w, TAG_MOST, HSP_WIRE_WHOLE, r->most, HSP_MOSTS);
    write_nodes(&r->tree, &w);
    write_text(&w, TAG_COLUMNS, r->columns);
    if (r->label_bytes > 0) hsp_wire_put(&w, TAG_LABELS, HSP_WIRE_BYTES, r->labels, r->label_bytes);
    return hsp_wire_take(&w, bytes, size, err);
}

static int damaged(hsp_error **err) {
    return hsp_fail(err, HSP_EINPUT,
                    "a reply of a part has numbers that do not fit together: use one version of Halfspace on all machines");
}

static int read_nodes(const hsp_message *m, hsp_tree *t, hsp_error **err) {
    int64_t shape_count, key_count, sum_count, end = 0;
    const int64_t *shape = hsp_message_whole(m, TAG_SHAPE, &shape_count), *keys = hsp_message_whole(m, TAG_KEYS, &key_count);
    const double *sums = hsp_message_numbers(m, TAG_SUMS, &sum_count);
    if (!shape || shape_count != 5 || !keys || key_count % 2 != 0 || !sums) return damaged(err);
    if (shape[0] < HSP_SUM_PLAIN || shape[0] > HSP_SUM_SPREAD) return damaged(err);
    t->shape = (hsp_sum_shape){(hsp_sum_rule)shape[0], shape[1], shape[2], shape[3], shape[4]};
    int64_t nodes = key_count / 2, length = t->shape.length;
    if (!hsp_sum_shape_fits(&t->shape) || (length > 0 ? sum_count / length != nodes || sum_count % length != 0 : sum_count))
        return damaged(err);
    for (int64_t k = 0; k < nodes; k++) {
        hsp_tree_node n = {keys[2 * k], keys[2 * k + 1], NULL};
        if (n.level < 0 || n.level >= HSP_TREE_LEVELS || n.index < 0 || n.index >= INT64_MAX >> (n.level + 1) ||
            hsp_tree_first(&n) < end)
            return damaged(err);
        end = hsp_tree_end(&n);
        double *v = hsp_tree_vector(t);
        if (!v) return hsp_fail_memory(err);
        if (length > 0) memcpy(v, sums + k * length, (size_t)length * sizeof *v);
        int status = hsp_tree_push(t, n.level, n.index, v, err);
        if (status) return status;
    }
    return HSP_OK;
}

static int read_fault(const hsp_message *m, const int64_t *fault, hsp_reply *r, hsp_error **err) {
    if (fault[0] < HSP_EINTERNAL || fault[0] > HSP_EUSAGE || fault[1] < 0 || fault[2] < 0 || fault[3] < 0) return damaged(err);
    r->fault = (hsp_reply_fault){.code = fault[0], .block = fault[1], .line = fault[2], .column = fault[3]};
    int status = hsp_message_text(m, TAG_FILE, &r->fault.file, err);
    if (!status) status = hsp_message_text(m, TAG_MESSAGE, &r->fault.message, err);
    return status ? status : r->fault.message ? HSP_OK : damaged(err);
}

/* Whether the labels ascend, so that the sum of two lists is one pass over both. */
static bool labels_ascend(const char *s, int64_t n) {
    const char *before = NULL;
    for (const char *end = s + n; s < end; before = s, s += strlen(s) + 1)
        if (before && strcmp(before, s) >= 0) return false;
    return true;
}

static int read_sums(const hsp_message *m, hsp_reply *r, hsp_error **err) {
    int64_t count, most;
    const int64_t *counts = hsp_message_whole(m, TAG_COUNTS, &count), *mosts = hsp_message_whole(m, TAG_MOST, &most);
    if (!counts || count != HSP_COUNTS || !mosts || most != HSP_MOSTS) return damaged(err);
    memcpy(r->counts, counts, sizeof r->counts);
    memcpy(r->most, mosts, sizeof r->most);
    const char *labels = hsp_message_bytes(m, TAG_LABELS, &r->label_bytes);
    if (labels && (r->label_bytes == 0 || labels[r->label_bytes - 1] != 0 || !labels_ascend(labels, r->label_bytes)))
        return damaged(err);
    if (labels && hsp_copy((void **)&r->labels, labels, r->label_bytes, 1)) return hsp_fail_memory(err);
    int status = hsp_message_text(m, TAG_COLUMNS, &r->columns, err);
    return status ? status : read_nodes(m, &r->tree, err);
}

int hsp_reply_read(const void *bytes, size_t size, hsp_reply *out, hsp_error **err) {
    hsp_message m;
    int64_t asked_count, fault_count;
    *out = hsp_reply_new(0, 0);
    int status = hsp_message_read(bytes, size, HSP_WIRE_REPLY, &m, err);
    if (status) return status;
    const int64_t *asked = hsp_message_whole(&m, TAG_ASKED, &asked_count);
    const int64_t *fault = hsp_message_whole(&m, TAG_FAULT, &fault_count);
    out->ask = m.kind;
    if (!asked || asked_count != 1 || (fault && fault_count != 4))
        status = damaged(err);
    else if (fault)
        status = read_fault(&m, fault, out, err);
    else
        status = read_sums(&m, out, err);
    if (!status) out->asked = (uint64_t)asked[0];
    hsp_message_clear(&m);
    if (status) hsp_reply_clear(out);
    return status;
}

/* ---- sums ---- */

/* Joins two trees: their nodes in the order of the blocks. */
static int join_trees(hsp_tree *a, hsp_tree *b, hsp_error **err) {
    hsp_tree both = {.shape = a->shape};
    int64_t i = 0, k = 0;
    int status = HSP_OK;
    while (!status && (i < a->count || k < b->count)) {
        bool first = k >= b->count || (i < a->count && hsp_tree_first(&a->node[i]) <= hsp_tree_first(&b->node[k]));
        hsp_tree_node *n = first ? &a->node[i++] : &b->node[k++];
        status = hsp_tree_push(&both, n->level, n->index, n->sums, err);
        n->sums = NULL;
    }
    hsp_tree_clear(a);
    *a = both;
    return status;
}

int hsp_reply_join_labels(hsp_reply *a, const hsp_reply *b, hsp_error **err) {
    hsp_text t = {0};
    const char *s = a->labels, *end = s + a->label_bytes, *u = b->labels, *last = u + b->label_bytes;
    if (b->label_bytes == 0) return HSP_OK;
    while (s < end || u < last) {
        int order = s >= end ? 1 : u >= last ? -1 : strcmp(s, u);
        const char *next = order <= 0 ? s : u;
        hsp_text_add_n(&t, next, (int64_t)strlen(next) + 1);
        if (order <= 0) s += strlen(s) + 1;
        if (order >= 0) u += strlen(u) + 1;
    }
    hsp_free(a->labels);
    a->label_bytes = t.length;
    return hsp_text_take(&t, &a->labels, err);
}

/* Faults: sums are of no use any more. */
static int join_faults(hsp_reply *a, hsp_reply *b) {
    hsp_tree_clear(&a->tree);
    if (b->fault.code && (!a->fault.code || b->fault.block < a->fault.block)) {
        clear_fault(&a->fault);
        a->fault = b->fault;
        b->fault = (hsp_reply_fault){0};
    }
    return HSP_OK;
}

static int join_sums(hsp_reply *a, hsp_reply *b, hsp_error **err) {
    const hsp_sum_shape *s = &a->tree.shape, *t = &b->tree.shape;
    if (a->columns && b->columns && strcmp(a->columns, b->columns) != 0) {
        hsp_error *why = NULL;
        int status = hsp_fail(&why, HSP_EINPUT,
                              "parts of the data have different columns: give every part the same columns in the same order");
        return status == HSP_EMEMORY && !why ? hsp_fail_memory(err) : hsp_reply_blame(a, LAST_BLOCK, why, err);
    }
    if (s->rule != t->rule || s->length != t->length || s->pairs != t->pairs || s->groups != t->groups ||
        s->columns != t->columns)
        return hsp_fail(err, HSP_EINPUT, "two replies have sums of different sizes: add replies to the same request");
    for (int k = 0; k < HSP_COUNTS; k++) a->counts[k] = (int64_t)((uint64_t)a->counts[k] + (uint64_t)b->counts[k]);
    for (int k = 0; k < HSP_MOSTS; k++) a->most[k] = b->most[k] > a->most[k] ? b->most[k] : a->most[k];
    int status = hsp_reply_join_labels(a, b, err);
    return status ? status : join_trees(&a->tree, &b->tree, err);
}

int hsp_reply_join(hsp_reply *a, hsp_reply *b, hsp_error **err) {
    int status;
    if (a->ask != b->ask || a->asked != b->asked)
        status = hsp_fail(err, HSP_EINPUT, "two replies are to different requests: add replies to the same request");
    else if (a->fault.code || b->fault.code)
        status = join_faults(a, b);
    else
        status = join_sums(a, b, err);
    hsp_reply_clear(b);
    return status;
}

int hsp_reply_add(const void *a, size_t a_size, const void *b, size_t b_size, void **sum, size_t *sum_size, hsp_error **err) {
    hsp_reply left = {0}, right = {0};
    *sum = NULL;
    *sum_size = 0;
    int status = hsp_reply_read(a, a_size, &left, err);
    if (!status) status = hsp_reply_read(b, b_size, &right, err);
    if (!status) status = hsp_reply_join(&left, &right, err);
    if (!status) status = hsp_reply_write(&left, sum, sum_size, err);
    hsp_reply_clear(&left);
    hsp_reply_clear(&right);
    return status;
}
