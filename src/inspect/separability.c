/* hsp_separability: tests linear separability, of two classes or of each class against the rest. */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/watched.h"
#include "data/data.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "option/options.h"
#include "prepare/positive.h"
#include "prepare/prepare.h"
#include "separate/separate.h"
#include "verify/proof/proof.h"

#include <math.h>

/* With more than two classes for all of them together. */
enum { LISTED = 1000 }; /* classes that are listed even if they were not tested */
static const double default_seconds = 20, seconds_for_many = 4;

typedef struct question {
    const hsp_data *data;
    hsp_prepare prepare; /* only classes, positive and merged are set */
    int8_t *y;           /* the side of each row: 0 for rows with weight 0 */
    bool origin;
    int threads;
    hsp_separate_limits limits;
    double end;    /* deadline for all problems */
    bool open;     /* a problem is undecided */
    hsp_json json; /* the report so far */
} question;

static bool counts(const hsp_data *data, int64_t i) {
    return !data->weight || data->weight[i] > 0;
}

static int64_t class_of(const question *q, int64_t i) {
    int32_t k = q->data->y[i];
    return q->prepare.merged ? q->prepare.merged[k] : k;
}

/* The number of classes that have rows with weight, at most 2; *last is one of them. */
static int64_t present(const question *q, int64_t *last) {
    int64_t first = -1, n = q->data->x.n;
    *last = -1;
    for (int64_t i = 0; i < n; i++) {
        if (!counts(q->data, i)) continue;
        int64_t k = class_of(q, i);
        if (first < 0) first = k;
        *last = k;
        if (k != first) return 2; /* 2 or more: the exact number is not needed */
    }
    return first < 0 ? 0 : 1;
}

static const char *feature(const void *schema, int64_t j, char *buf) {
    return hsp_schema_feature(schema, j, buf);
}

static bool is_over(const question *q) {
    return hsp_cancel_pending() || hsp_clock_seconds() >= q->end;
}

/* A class whose turn came after the end: with many classes even setting the sides of the rows takes too long. */
static int leave_open(question *q, hsp_error **err) {
    hsp_proof proof = {.verdict = HSP_UNDECIDED, .margin = NAN, .lower = 0, .upper = NAN};
    proof.reason = hsp_strdup(hsp_cancel_pending() ? "cancelled" : "time limit reached");
    if (!proof.reason) return hsp_fail_memory(err);
    q->open = true;
    hsp_proof_write(&proof, q->origin, feature, &q->data->schema, q->data->x.d, &q->json);
    hsp_proof_clear(&proof);
    return HSP_OK;
}

/* Tests class k against all others and writes the result into the open object. */
static int ask(question *q, int64_t k, int64_t problems_left, hsp_verdict *verdict, hsp_error **err) {
    for (int64_t i = 0; i < q->data->x.n; i++) q->y[i] = (int8_t)(!counts(q->data, i) ? 0 : class_of(q, i) == k ? 1 : -1);
    double now = hsp_clock_seconds();
    double left = fmax(q->end - now, 0);
    /* A share of the time, but enough for a proof: a few verdicts are worth more than none. */
    q->limits.deadline = now + fmax(left / (double)problems_left, fmin(left, 2));
    hsp_rows_by_side rows = {.x = &q->data->x, .y = q->y, .origin = q->origin, .threads = q->threads};
    hsp_proof proof = {0};
    int status = hsp_separate(&rows, &q->limits, &proof, err);
    if (!status) {
        *verdict = proof.verdict;
        q->open |= proof.verdict == HSP_UNDECIDED;
        hsp_proof_write(&proof, q->origin, feature, &q->data->schema, q->data->x.d, &q->json);
    }
    hsp_proof_clear(&proof);
    return status;
}

/* By severity, worst first. */
static int rank(hsp_verdict v) {
    return v == HSP_NOT_SEPARABLE ? 0 : v == HSP_TOUCHING ? 1 : v == HSP_UNDECIDED ? 2 : 3;
}

static int ask_each(question *q, hsp_error **err) {
    const hsp_classes *classes = &q->prepare.classes;
    hsp_json outer = q->json; /* the problems get a report of their own: the overall verdict comes first */
    hsp_report *problems = NULL;
    hsp_verdict worst = HSP_SEPARABLE;
    int status = HSP_OK;
    q->json = (hsp_json){0};
    hsp_json_array(&q->json, NULL);
    int64_t k = 0;
    for (; k < classes->count && !status; k++) {
        hsp_verdict verdict = HSP_UNDECIDED;
        if (k >= LISTED && is_over(q)) break;
        hsp_json_object(&q->json, NULL);
        hsp_json_string(&q->json, "class", classes->name[k]);
        status = is_over(q) ? leave_open(q, err) : ask(q, k, classes->count - k, &verdict, err);
        hsp_json_object_end(&q->json);
        if (rank(verdict) < rank(worst)) worst = verdict;
    }
    hsp_json_array_end(&q->json);
    int64_t untested = classes->count - k;
    if (untested > 0 && rank(HSP_UNDECIDED) < rank(worst)) worst = HSP_UNDECIDED;
    q->open |= untested > 0;
    if (status)
        hsp_json_drop(&q->json);
    else
        status = hsp_json_take(&q->json, &problems, err);
    q->json = outer;
    if (!status) {
        hsp_json_string(&q->json, "verdict", hsp_verdict_names[worst]);
        hsp_json_report(&q->json, "problems", problems);
        if (untested > 0) hsp_json_int(&q->json, "untested_classes", untested);
    }
    hsp_report_free(problems);
    return status;
}

static int answer(question *q, hsp_error **err) {
    int64_t last, classes = present(q, &last);
    if (classes == 0)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(q->data),
                           "no row has a positive weight: give at least one row a positive weight");
    int64_t positive = classes == 1 && q->prepare.positive < 0 ? last : q->prepare.positive;
    if (classes > 1 && q->prepare.classes.count > 2) return ask_each(q, err);
    hsp_verdict verdict;
    int status = ask(q, positive, 1, &verdict, err);
    hsp_json_string(&q->json, "positive", q->prepare.classes.name[positive]);
    if (classes == 1) hsp_json_string(&q->json, "note", "one class only");
    return status;
}

static int report_on(question *q, hsp_report **report, hsp_error **err) {
    q->json = (hsp_json){0};
    hsp_json_object(&q->json, NULL);
    int status = answer(q, err);
    if (status) {
        hsp_json_drop(&q->json);
        return status;
    }
    char hash[17];
    hsp_hex(hsp_data_hash(q->data), hash);
    hsp_json_string(&q->json, "data_hash", hash);
    if (hsp_cancel_take() && q->open) hsp_json_bool(&q->json, "interrupted", true);
    hsp_json_object_end(&q->json);
    return hsp_json_take(&q->json, report, err);
}

int hsp_separability(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                     hsp_error **err) {
    hsp_watch watch;
    *report = NULL;
    int status = hsp_watch_begin(&watch, hooks, "separability")
                     ? hsp_fail(err, HSP_ECANCELLED, "interrupted before the search for a separating hyperplane")
                     : hsp_separability_from(data, o, hooks, hsp_clock_seconds(), report, err);
    hsp_watch_end(&watch);
    return status;
}

int hsp_separability_from(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, double begun,
                          hsp_report **report, hsp_error **err) {
    *report = NULL;
    hsp_place where = hsp_data_place(data);
    if (data->target)
        return hsp_fail_at(err, HSP_EUSAGE, where,
                           "the target is numeric: separability is about classes, leave --task regression out");
    if (!data->y || data->x.n == 0)
        return hsp_fail_at(err, HSP_EINPUT, where, "no labelled rows: separability is about classes, give --target");
    if (data->x.d < 1)
        return hsp_fail_at(err, HSP_EINPUT, where, "no features: give at least one column besides the label");
    if (hsp_options_is(o, "intercept", "penalised"))
        return hsp_fail(
            err, HSP_EUSAGE,
            "--intercept penalised has no meaning for separability: use free, or none for hyperplanes through the origin");
    question q = {.data = data, .origin = hsp_options_is(o, "intercept", "none")};
    q.threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    q.limits = (hsp_separate_limits){.seed = (uint64_t)hsp_options_int(o, "seed", 1), .hooks = hooks};
    double most = hsp_options_real(o, "max-seconds", -1);
    q.end = most >= 0 ? begun + most : INFINITY;
    q.y = hsp_alloc(data->x.n, sizeof *q.y);
    int status =
        q.y ? hsp_prepare_positive(&data->classes, hsp_options_text(o, "positive"), &q.prepare, err) : hsp_fail_memory(err);
    if (!status && most < 0)
        q.end = hsp_clock_seconds() + (q.prepare.classes.count > 2 ? seconds_for_many : default_seconds);
    if (!status) status = report_on(&q, report, err);
    hsp_prepare_clear(&q.prepare);
    hsp_free(q.y);
    return status;
}
