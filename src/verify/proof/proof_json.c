/* Proofs as JSON. Files are not trusted: every size and index is checked against the data. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "verify/proof/proof.h"

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

/* How many elements an array has; -1: it is not an array. */
static int64_t length_of(const hsp_report *v) {
    int kind = hsp_report_kind(v, NULL);
    return kind == HSP_REPORT_ARRAY || kind == HSP_REPORT_LIST ? hsp_report_count(v, NULL) : -1;
}

/* The index of a name in a table of `count`, NULL entries left out; -1: none. */
static int index_of(const hsp_report *v, const char *const *names, int count) {
    const char *s = hsp_report_text(v, NULL);
    for (int k = 0; s && k < count; k++)
        if (names[k] && strcmp(names[k], s) == 0) return k;
    return -1;
}

static bool is_absent(const hsp_report *v) {
    return hsp_report_kind(v, NULL) <= HSP_REPORT_NULL;
}

static int read_words(const hsp_report *object, hsp_proof *p, bool *origin, hsp_error **err) {
    const hsp_report *proof = hsp_report_member(object, "proof"), *margin = hsp_report_member(object, "margin");
    const char *intercept = hsp_report_text(object, "intercept");
    int verdict = index_of(hsp_report_member(object, "verdict"), hsp_verdict_names, HSP_UNDECIDED + 1);
    int kind = index_of(proof, hsp_proof_kind_names, HSP_PROOF_BOUNDED + 1);
    if (verdict < 0)
        return hsp_fail(err, HSP_EINPUT,
                        "unknown verdict in the proof: it must be separable, not-separable, touching or undecided");
    if (kind < 0 && !is_absent(proof))
        return hsp_fail(err, HSP_EINPUT, "unknown kind of proof: 'proof' must be exact, bounded or null");
    if (!intercept || (strcmp(intercept, "free") != 0 && strcmp(intercept, "none") != 0))
        return hsp_fail(err, HSP_EINPUT, "unknown intercept in the proof: 'intercept' must be free or none");
    p->margin = hsp_report_number(margin, NULL);
    if (!is_absent(margin) && !isfinite(p->margin))
        return hsp_fail(err, HSP_EINPUT, "the proof's margin is not a number: it must be one, or null");
    p->verdict = (hsp_verdict)verdict;
    p->kind = kind < 0 ? HSP_PROOF_NONE : (hsp_proof_kind)kind;
    *origin = strcmp(intercept, "none") == 0;
    return HSP_OK;
}

static int read_plane(const hsp_report *plane, int64_t d, hsp_proof *p, hsp_error **err) {
    if (is_absent(plane)) return HSP_OK;
    const hsp_report *weights = hsp_report_member(plane, "weights");
    if (length_of(weights) != d)
        return hsp_fail(err, HSP_EINPUT,
                        "the proof's hyperplane does not have one weight for each feature: the data have %lld",
                        (long long)d);
    if (!HSP_ALLOC(p->w, d > 0 ? d : 1)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        p->w[j] = hsp_report_number_at(weights, NULL, j);
        if (!isfinite(p->w[j]))
            return hsp_fail(err, HSP_EINPUT, "weight %lld of the proof's hyperplane is not a finite number: it must be one",
                            (long long)j + 1);
    }
    p->b = hsp_report_number(plane, "intercept");
    if (!isfinite(p->b))
        return hsp_fail(err, HSP_EINPUT, "the intercept of the proof's hyperplane is not a finite number: it must be one");
    return HSP_OK;
}

static int read_witness(const hsp_report *witness, int64_t n, hsp_proof *p, hsp_error **err) {
    if (is_absent(witness)) return HSP_OK;
    const hsp_report *rows = hsp_report_member(witness, "rows"), *multipliers = hsp_report_member(witness, "multipliers");
    int64_t count = length_of(rows);
    if (count < 1 || count != length_of(multipliers) || count > n)
        return hsp_fail(err, HSP_EINPUT,
                        "the proof's witness does not have one multiplier for each row: rows and multipliers must be "
                        "arrays of equal length");
    if (!HSP_ALLOC(p->row, count) || !HSP_ALLOC(p->multiplier, count)) return hsp_fail_memory(err);
    for (int64_t s = 0; s < count; s++) {
        double number = hsp_report_number_at(rows, NULL, s);
        bool whole = number == floor(number) && fabs(number) <= 0x1p53;
        int64_t i = whole ? (int64_t)number : 0;
        if (i < 1 || i > n || (s > 0 && i - 1 <= p->row[s - 1]))
            return hsp_fail(err, HSP_EINPUT,
                            "row %lld of the proof's witness is not a row of the data, or out of order: rows must ascend "
                            "from 1 to %lld",
                            (long long)s + 1, (long long)n);
        p->row[s] = i - 1;
        p->multiplier[s] = hsp_report_number_at(multipliers, NULL, s);
        if (!(p->multiplier[s] >= 0))
            return hsp_fail(err, HSP_EINPUT,
                            "multiplier %lld of the proof's witness is not a number of 0 or more: it must be "
                            "one",
                            (long long)s + 1);
    }
    p->count = count;
    return HSP_OK;
}

static int read_rest(const hsp_report *object, hsp_proof *p, hsp_error **err) {
    const char *reason = hsp_report_text(object, "reason");
    const hsp_report *bounds = hsp_report_member(object, "margin_bounds");
    if (reason && !(p->reason = hsp_strdup(reason))) return hsp_fail_memory(err);
    if (!is_absent(bounds) && (hsp_report_kind(bounds, NULL) != HSP_REPORT_ARRAY || length_of(bounds) != 2))
        return hsp_fail(err, HSP_EINPUT, "the proof's margin_bounds are not two numbers: they must be, or null");
    p->lower = hsp_report_number_at(bounds, NULL, 0);
    p->upper = hsp_report_number_at(bounds, NULL, 1);
    if (!p->w && (p->verdict == HSP_SEPARABLE || p->verdict == HSP_TOUCHING))
        return hsp_fail(err, HSP_EINPUT, "the proof has no hyperplane: %s needs one", hsp_verdict_names[p->verdict]);
    if (p->count < 1 && (p->verdict == HSP_NOT_SEPARABLE || p->verdict == HSP_TOUCHING))
        return hsp_fail(err, HSP_EINPUT, "the proof has no witness: %s needs one", hsp_verdict_names[p->verdict]);
    return HSP_OK;
}

int hsp_proof_read(const hsp_report *object, int64_t n, int64_t d, hsp_proof *out, bool *origin, hsp_error **err) {
    *out = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = NAN, .upper = NAN};
    *origin = false;
    if (hsp_report_kind(object, NULL) != HSP_REPORT_OBJECT)
        return hsp_fail(err, HSP_EINPUT, "the proof is not a JSON object: it must be one");
    int status = read_words(object, out, origin, err);
    if (!status) status = read_plane(hsp_report_member(object, "hyperplane"), d, out, err);
    if (!status) status = read_witness(hsp_report_member(object, "witness"), n, out, err);
    if (!status) status = read_rest(object, out, err);
    if (status) hsp_proof_clear(out);
    return status;
}
