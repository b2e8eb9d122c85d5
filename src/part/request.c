/* Requests as bytes. */
#include "part/request.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/kernel.h"
#include "part/barrier_loss.h"

#include <math.h>
#include <string.h>

enum {
    TAG_ROWS = 1,
    TAG_LABELS,
    TAG_CLASS_OF,
    TAG_CLASS_WEIGHT,
    TAG_SHIFT,
    TAG_FACTOR,
    TAG_PROBLEM,
    TAG_LOSS,
    TAG_PARAMETER,
    TAG_POSITIVE,
    TAG_W,
    TAG_B,
    TAG_V,
    TAG_V0,
    TAG_STEPS,
    TAG_COLUMNS,
    TAG_FLAGS,
    TAG_C
};

static const int64_t MOST_FEATURES = (int64_t)1 << 40;
enum { MOST_OUTPUTS = 1 << 24 };

/* ---- writing ---- */

static void put_numbers(hsp_wire *w, int64_t tag, const double *v, int64_t count) {
    if (v) hsp_wire_put(w, tag, HSP_WIRE_NUMBERS, v, count);
}

static void put_whole(hsp_wire *w, int64_t tag, const int64_t *v, int64_t count) {
    if (v) hsp_wire_put(w, tag, HSP_WIRE_WHOLE, v, count);
}

static void put_labels(hsp_wire *w, const hsp_request_rows *r) {
    hsp_text t = {0};
    for (int64_t k = 0; k < r->label_count; k++) hsp_text_add_n(&t, r->label[k], (int64_t)strlen(r->label[k]) + 1);
    w->failed |= t.failed;
    if (t.length > 0) hsp_wire_put(w, TAG_LABELS, HSP_WIRE_BYTES, t.s, t.length);
    hsp_text_free(&t);
}

static void put_rows(hsp_wire *w, const hsp_request_rows *r) {
    const int64_t rows[] = {r->features, r->base, r->targets, r->label_count, r->classes, r->dense};
    put_whole(w, TAG_ROWS, rows, 6);
    put_labels(w, r);
    put_whole(w, TAG_CLASS_OF, r->class_of, r->label_count);
    put_numbers(w, TAG_CLASS_WEIGHT, r->class_weight, r->classes);
    put_numbers(w, TAG_SHIFT, r->shift, r->features);
    put_numbers(w, TAG_FACTOR, r->factor, r->features);
}

int hsp_request_write(const hsp_request *q, void **bytes, size_t *size, hsp_error **err) {
    const hsp_request_problem *p = &q->problem;
    const hsp_request_point *at = &q->at;
    const int64_t weights = p->outputs * q->rows.features, flags[] = {at->gram, q->scatter, at->majorant};
    hsp_wire w;
    hsp_wire_begin(&w, HSP_WIRE_REQUEST, q->ask);
    if (q->ask == HSP_ASK_SCHEMA) return hsp_wire_take(&w, bytes, size, err);
    put_rows(&w, &q->rows);
    if (p->loss) {
        const int64_t problem[] = {p->outputs, p->joint};
        put_whole(&w, TAG_PROBLEM, problem, 2);
        hsp_wire_put(&w, TAG_LOSS, HSP_WIRE_BYTES, p->loss->name, (int64_t)strlen(p->loss->name));
        put_numbers(&w, TAG_PARAMETER, &p->loss->parameter, 1);
        if (!p->joint) put_whole(&w, TAG_POSITIVE, p->positive, p->outputs);
    }
    put_numbers(&w, TAG_W, at->w, weights);
    put_numbers(&w, TAG_B, at->b, p->outputs);
    put_numbers(&w, TAG_V, at->v, weights);
    put_numbers(&w, TAG_V0, at->v0, p->outputs);
    put_numbers(&w, TAG_STEPS, at->steps, at->step_count);
    put_whole(&w, TAG_COLUMNS, at->columns, at->column_count);
    put_whole(&w, TAG_FLAGS, flags, 3);
    if (q->ask == HSP_ASK_CHECK) put_numbers(&w, TAG_C, &at->C, 1);
    return hsp_wire_take(&w, bytes, size, err);
}

/* ---- reading ---- */

static int damaged(hsp_error **err) {
    return hsp_fail(err, HSP_EINPUT,
                    "a request to a part has members that do not fit together: use one version of Halfspace on all machines");
}

/* Sets *v to a field of `count` finite numbers, or NULL if it is absent. */
static bool take(const hsp_message *m, int64_t tag, int64_t count, const double **v) {
    int64_t have;
    *v = hsp_message_numbers(m, tag, &have);
    return !*v || (have == count && hsp_finite_f64(*v, count));
}

static bool within(const int64_t *v, int64_t count, int64_t end) {
    for (int64_t k = 0; v && k < count; k++)
        if (v[k] < 0 || v[k] >= end) return false;
    return true;
}

static bool not_negative(const double *v, int64_t count) {
    for (int64_t k = 0; v && k < count; k++)
        if (!(v[k] >= 0)) return false;
    return true;
}

static int read_labels(const hsp_message *m, hsp_request_rows *r, hsp_error **err) {
    int64_t bytes;
    hsp_message_bytes(m, TAG_LABELS, &bytes);
    if (r->label_count > bytes) return damaged(err);
    r->label = hsp_alloc_zero(r->label_count + 1, sizeof *r->label);
    if (!r->label) return hsp_fail_memory(err);
    return r->label_count == 0 ? HSP_OK : hsp_message_names(m, TAG_LABELS, r->label_count, r->label, err);
}

static int read_rows(const hsp_message *m, hsp_request_rows *r, hsp_error **err) {
    int64_t count, labels;
    const int64_t *v = hsp_message_whole(m, TAG_ROWS, &count);
    if (!v || count != 6 || v[0] < 1 || v[0] > MOST_FEATURES || v[1] < 0 || v[1] > 1 || v[2] < 0 || v[2] > 1 || v[3] < 0 ||
        v[4] < 0 || v[4] > v[3] || v[5] < 0 || v[5] > 1)
        return damaged(err);
    *r = (hsp_request_rows){.features = v[0],
                            .base = v[1],
                            .targets = v[2],
                            .label_count = v[3],
                            .classes = v[4],
                            .dense = v[5]};
    int status = read_labels(m, r, err);
    if (status) return status;
    r->class_of = hsp_message_whole(m, TAG_CLASS_OF, &labels);
    bool ok = r->classes == r->label_count;
    if (r->class_of) ok = labels == r->label_count && within(r->class_of, labels, r->classes);
    ok = ok && take(m, TAG_CLASS_WEIGHT, r->classes, &r->class_weight) && not_negative(r->class_weight, r->classes);
    ok = ok && take(m, TAG_SHIFT, r->features, &r->shift) && take(m, TAG_FACTOR, r->features, &r->factor);
    return ok && (!r->shift || r->factor) ? HSP_OK : damaged(err);
}

static bool read_loss(const hsp_message *m, hsp_request_problem *p) {
    int64_t n;
    const char *name = hsp_message_bytes(m, TAG_LOSS, &n);
    const double *parameter = hsp_message_exactly(m, TAG_PARAMETER, 1);
    if (!name || !parameter || !isfinite(*parameter)) return false;
    for (int64_t k = 0; !p->loss && hsp_loss_table[k]; k++)
        if ((int64_t)strlen(hsp_loss_table[k]->name) == n && memcmp(hsp_loss_table[k]->name, name, (size_t)n) == 0)
            p->loss = hsp_loss_table[k];
    if (!p->loss && (int64_t)strlen(hsp_loss_barrier.name) == n && memcmp(hsp_loss_barrier.name, name, (size_t)n) == 0)
        p->loss = &hsp_loss_barrier;
    if (!p->loss) return false;
    if (p->loss->with) {
        if (!(*parameter > 0)) return false;
        p->own = p->loss->with(*parameter);
        p->loss = &p->own;
    }
    return true;
}

static int read_problem(const hsp_message *m, const hsp_request_rows *r, hsp_request_problem *p, hsp_error **err) {
    int64_t count, positives;
    const int64_t *v = hsp_message_whole(m, TAG_PROBLEM, &count);
    if (!v) return HSP_OK;
    if (count != 2 || v[0] < 1 || v[0] > MOST_OUTPUTS || v[1] < 0 || v[1] > 1) return damaged(err);
    p->outputs = v[0];
    p->joint = v[1];
    if (!read_loss(m, p)) return damaged(err);
    bool many = p->loss->traits & HSP_LOSS_MANY;
    p->positive = hsp_message_whole(m, TAG_POSITIVE, &positives);
    bool ok = many == p->joint && (!p->joint || p->outputs == r->classes) && (r->targets || r->classes > 0);
    ok = ok && (p->joint || (p->positive ? !r->targets && positives == p->outputs && within(p->positive, positives, r->classes)
                                         : r->targets && p->outputs == 1));
    return ok ? HSP_OK : damaged(err);
}

static int read_point(const hsp_message *m, hsp_request *q, hsp_error **err) {
    int64_t weights, outputs = q->problem.outputs, count;
    hsp_request_point *at = &q->at;
    if (__builtin_mul_overflow(outputs, q->rows.features, &weights)) return damaged(err);
    bool ok = take(m, TAG_W, weights, &at->w) && take(m, TAG_B, outputs, &at->b) && take(m, TAG_V, weights, &at->v) &&
              take(m, TAG_V0, outputs, &at->v0);
    at->steps = hsp_message_numbers(m, TAG_STEPS, &at->step_count);
    at->columns = hsp_message_whole(m, TAG_COLUMNS, &at->column_count);
    const int64_t *flags = hsp_message_whole(m, TAG_FLAGS, &count);
    ok = ok && at->step_count <= HSP_LINE_STEPS && (!at->steps || hsp_finite_f64(at->steps, at->step_count));
    ok = ok && flags && count == 3;
    ok = ok && within(at->columns, at->column_count, q->rows.features);
    for (int64_t k = 1; ok && k < at->column_count; k++) ok = at->columns[k] > at->columns[k - 1];
    if (!ok) return damaged(err);
    const double *C = hsp_message_exactly(m, TAG_C, 1);
    at->C = C && isfinite(*C) ? *C : 0;
    at->gram = flags[0] != 0;
    q->scatter = flags[1] != 0;
    at->majorant = flags[2] != 0;
    return HSP_OK;
}

static bool share_fits(const hsp_request_point *at) {
    return at->step_count == 1 && at->steps[0] > 0 && at->steps[0] <= 1 && !at->columns;
}

/* What each kind of request cannot do without. */
static bool complete(const hsp_request *q) {
    bool problem = q->problem.loss, at = q->at.w && q->at.b, way = q->at.v && q->at.v0;
    unsigned traits = problem ? q->problem.loss->traits : 0;
    switch (q->ask) {
    case HSP_ASK_EVALUATE:
        if (q->at.v && (!way || q->problem.joint || !q->problem.loss->with || q->at.step_count != 1 || !(q->at.steps[0] > 0)))
            return false;
        return problem && at && (traits & HSP_LOSS_SLOPE) && (!(q->at.gram || q->at.v) || (traits & HSP_LOSS_CURVED));
    case HSP_ASK_PRODUCT: return problem && at && way && (traits & HSP_LOSS_CURVED);
    case HSP_ASK_LINE: return problem && at && way && q->at.step_count > 0 && (traits & HSP_LOSS_SLOPE);
    case HSP_ASK_CHECK:
        if (q->at.v && (!way || q->problem.joint || q->at.step_count != 1 || !(q->at.steps[0] > 0))) return false;
        return problem && at && q->at.C > 0;
    case HSP_ASK_METRICS: return problem && at;
    case HSP_ASK_CURVATURE:
        if (q->at.gram && !share_fits(&q->at)) return false;
        return problem && !q->at.w == !q->at.b && (traits & HSP_LOSS_CURVED);
    default: return true;
    }
}

int hsp_request_read(const void *bytes, size_t size, hsp_request *out, hsp_error **err) {
    *out = (hsp_request){0};
    int status = hsp_message_read(bytes, size, HSP_WIRE_REQUEST, &out->message, err);
    if (status) return status;
    const hsp_message *m = &out->message;
    if (m->kind < HSP_ASK_SCHEMA || m->kind >= HSP_ASKS) {
        hsp_request_clear(out);
        return damaged(err);
    }
    out->ask = (hsp_ask)m->kind;
    out->checksum = m->checksum;
    if (out->ask != HSP_ASK_SCHEMA) {
        status = read_rows(m, &out->rows, err);
        if (!status) status = read_problem(m, &out->rows, &out->problem, err);
        if (!status) status = read_point(m, out, err);
        if (!status && !complete(out)) status = damaged(err);
    }
    if (status) hsp_request_clear(out);
    return status;
}

void hsp_request_clear(hsp_request *q) {
    hsp_free((void *)(uintptr_t)q->rows.label);
    hsp_message_clear(&q->message);
    *q = (hsp_request){0};
}
