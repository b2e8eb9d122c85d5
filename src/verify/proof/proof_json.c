/* Proofs as JSON. Files are not trusted: every size and index is checked against the data. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "verify/proof/proof.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static void write_witness(const hsp_proof *p, hsp_json *j) {
    if (p->count < 1) {
        hsp_json_null(j, "witness");
        return;
    }
    hsp_json_object(j, "witness");
    hsp_json_array(j, "rows");
    for (int64_t s = 0; s < p->count; s++) hsp_json_int(j, NULL, p->row[s] + 1);
    hsp_json_array_end(j);
    hsp_json_numbers(j, "multipliers", p->multiplier, p->count);
    hsp_json_object_end(j);
}

void hsp_proof_write(const hsp_proof *p, bool origin, const char *(*feature)(const void *ctx, int64_t j, char *buf),
                     const void *ctx, int64_t d, hsp_json *j) {
    char buf[32];
    hsp_json_string(j, "verdict", hsp_verdict_names[p->verdict]);
    hsp_json_number(j, "margin", p->margin);
    hsp_json_string(j, "proof", hsp_proof_kind_names[p->kind]);
    hsp_json_string(j, "method", p->method);
    hsp_json_string(j, "reason", p->reason);
    hsp_json_string(j, "intercept", origin ? "none" : "free");
    if (p->w) {
        hsp_json_object(j, "hyperplane");
        hsp_json_numbers(j, "weights", p->w, d);
        hsp_json_number(j, "intercept", p->b);
        hsp_json_object_end(j);
    } else {
        hsp_json_null(j, "hyperplane");
    }
    write_witness(p, j);
    if (p->column_count > 0) {
        hsp_json_array(j, "columns");
        for (int64_t t = 0; t < p->column_count; t++) hsp_json_string(j, NULL, feature(ctx, p->columns[t], buf));
        hsp_json_array_end(j);
    } else {
        hsp_json_null(j, "columns");
    }
    if (p->verdict != HSP_UNDECIDED || (isnan(p->lower) && isnan(p->upper))) {
        hsp_json_null(j, "margin_bounds");
    } else {
        hsp_json_array(j, "margin_bounds");
        hsp_json_number(j, NULL, p->lower);
        hsp_json_number(j, NULL, p->upper);
        hsp_json_array_end(j);
    }
}

/* Reads a finite number; false: v is something else. */
static bool read_number(const json_t *v, double *out) {
    if (!json_is_number(v)) return false;
    *out = json_number_value(v);
    return isfinite(*out);
}

/* The index of a name among `count` names, some of which may be NULL; -1: not there. */
static int index_of(const json_t *v, const char *const *names, int count) {
    const char *s = json_string_value(v);
    for (int k = 0; s && k < count; k++)
        if (names[k] && strcmp(names[k], s) == 0) return k;
    return -1;
}

static bool is_absent(const json_t *v) {
    return !v || json_is_null(v);
}

static int read_words(const json_t *object, hsp_proof *p, bool *origin, hsp_error **err) {
    const json_t *proof = json_object_get(object, "proof"), *margin = json_object_get(object, "margin");
    const char *intercept = json_string_value(json_object_get(object, "intercept"));
    int verdict = index_of(json_object_get(object, "verdict"), hsp_verdict_names, HSP_UNDECIDED + 1);
    int kind = index_of(proof, hsp_proof_kind_names, HSP_PROOF_BOUNDED + 1);
    if (verdict < 0)
        return hsp_fail(err, HSP_EINPUT,
                        "the proof has no known verdict: it must be separable, not-separable, touching or "
                        "undecided");
    if (kind < 0 && !is_absent(proof))
        return hsp_fail(err, HSP_EINPUT, "the proof is of no known kind: 'proof' must be exact, bounded or null");
    if (!intercept || (strcmp(intercept, "free") != 0 && strcmp(intercept, "none") != 0))
        return hsp_fail(err, HSP_EINPUT,
                        "the proof does not say which planes it is about: 'intercept' must be free or none");
    if (!is_absent(margin) && !read_number(margin, &p->margin))
        return hsp_fail(err, HSP_EINPUT, "the proof's margin is not a number: it must be one, or null");
    p->verdict = (hsp_verdict)verdict;
    p->kind = kind < 0 ? HSP_PROOF_NONE : (hsp_proof_kind)kind;
    *origin = strcmp(intercept, "none") == 0;
    return HSP_OK;
}

static int read_plane(const json_t *plane, int64_t d, hsp_proof *p, hsp_error **err) {
    if (is_absent(plane)) return HSP_OK;
    const json_t *weights = json_object_get(plane, "weights");
    if (!json_is_array(weights) || (int64_t)json_array_size(weights) != d)
        return hsp_fail(err, HSP_EINPUT, "the proof's hyperplane does not have one weight a feature: the data have %lld",
                        (long long)d);
    if (!HSP_ALLOC(p->w, d > 0 ? d : 1)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++)
        if (!read_number(json_array_get(weights, (size_t)j), &p->w[j]))
            return hsp_fail(err, HSP_EINPUT, "weight %lld of the proof's hyperplane is not a finite number: it must be one",
                            (long long)j + 1);
    if (!read_number(json_object_get(plane, "intercept"), &p->b))
        return hsp_fail(err, HSP_EINPUT, "the intercept of the proof's hyperplane is not a finite number: it must be one");
    return HSP_OK;
}

static int read_witness(const json_t *witness, int64_t n, hsp_proof *p, hsp_error **err) {
    if (is_absent(witness)) return HSP_OK;
    const json_t *rows = json_object_get(witness, "rows"), *multipliers = json_object_get(witness, "multipliers");
    size_t count = json_array_size(rows);
    if (count < 1 || count != json_array_size(multipliers) || count > (uint64_t)n)
        return hsp_fail(err, HSP_EINPUT,
                        "the proof's witness does not have one multiplier a row: rows and multipliers must "
                        "be arrays of one length");
    if (!HSP_ALLOC(p->row, (int64_t)count) || !HSP_ALLOC(p->multiplier, (int64_t)count)) return hsp_fail_memory(err);
    for (size_t s = 0; s < count; s++) {
        double number;
        bool whole = read_number(json_array_get(rows, s), &number) && number == floor(number) && fabs(number) <= 0x1p53;
        int64_t i = whole ? (int64_t)number : 0;
        if (i < 1 || i > n || (s > 0 && i - 1 <= p->row[s - 1]))
            return hsp_fail(err, HSP_EINPUT,
                            "row %lld of the proof's witness is none of the data, or out of order: rows "
                            "ascend from 1 to %lld",
                            (long long)s + 1, (long long)n);
        p->row[s] = i - 1;
        if (!read_number(json_array_get(multipliers, s), &p->multiplier[s]) || p->multiplier[s] < 0)
            return hsp_fail(err, HSP_EINPUT,
                            "multiplier %lld of the proof's witness is not a number of 0 or more: it must be "
                            "one",
                            (long long)s + 1);
    }
    p->count = (int64_t)count;
    return HSP_OK;
}

static int read_rest(const json_t *object, hsp_proof *p, hsp_error **err) {
    const char *reason = json_string_value(json_object_get(object, "reason"));
    const json_t *bounds = json_object_get(object, "margin_bounds");
    if (reason && !(p->reason = hsp_strdup(reason))) return hsp_fail_memory(err);
    if (!is_absent(bounds) && (!json_is_array(bounds) || json_array_size(bounds) != 2))
        return hsp_fail(err, HSP_EINPUT, "the proof's margin_bounds are not two numbers: they must be, or null");
    double *out[] = {&p->lower, &p->upper};
    for (size_t k = 0; k < 2; k++) {
        const json_t *v = json_array_get(bounds, k);
        if (!is_absent(v) && !read_number(v, out[k]))
            return hsp_fail(err, HSP_EINPUT, "the proof's margin_bounds are not two numbers: they must be, or null");
    }
    if (!p->w && (p->verdict == HSP_SEPARABLE || p->verdict == HSP_TOUCHING))
        return hsp_fail(err, HSP_EINPUT, "the proof has no hyperplane: %s needs one", hsp_verdict_names[p->verdict]);
    if (p->count < 1 && (p->verdict == HSP_NOT_SEPARABLE || p->verdict == HSP_TOUCHING))
        return hsp_fail(err, HSP_EINPUT, "the proof has no witness: %s needs one", hsp_verdict_names[p->verdict]);
    return HSP_OK;
}

int hsp_proof_read(const struct json_t *object, int64_t n, int64_t d, hsp_proof *out, bool *origin, hsp_error **err) {
    *out = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = NAN, .upper = NAN};
    *origin = false;
    if (!json_is_object(object)) return hsp_fail(err, HSP_EINPUT, "the proof is not a JSON object: it must be one");
    int status = read_words(object, out, origin, err);
    if (!status) status = read_plane(json_object_get(object, "hyperplane"), d, out, err);
    if (!status) status = read_witness(json_object_get(object, "witness"), n, out, err);
    if (!status) status = read_rest(object, out, err);
    if (status) hsp_proof_clear(out);
    return status;
}
