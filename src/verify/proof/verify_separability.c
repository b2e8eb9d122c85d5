/* hsp_verify_separability: reads a report of hsp_separability and checks its claims against the data. */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/report.h"
#include "base/text.h"
#include "data/data.h"
#include "data/schema.h"
#include "option/options.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <string.h>

typedef struct proof_review {
    const hsp_data *data;
    int threads;
    int8_t *y;            /* owned: the sides of the rows in the present problem */
    bool *chosen;         /* owned: the classes of the positive side */
    bool *seen;           /* owned: the classes whose problem was checked */
    hsp_json checks;      /* a list of objects */
    hsp_json unchecked;   /* a list of texts */
    hsp_text first_false; /* empty: every claim holds so far */
    int origin;           /* whether planes go through the origin in the problems so far; -1: no problem yet */
    bool open;            /* a problem is undecided */
} proof_review;

static const char *const PROOF_MEMBERS[] = {"verdict",    "margin",  "proof",   "method",        "reason", "intercept",
                                            "hyperplane", "witness", "columns", "margin_bounds", NULL};
static const char *const ONE_MEMBERS[] = {"positive", "note", "data_hash", "interrupted", NULL};
static const char *const EACH_MEMBERS[] = {"verdict", "problems", "untested_classes", "data_hash", "interrupted", NULL};
static const char *const CLASS_MEMBERS[] = {"class", NULL};
static const char *const NO_MEMBERS[] = {NULL};

/* Adds the result of one check to the report. */
static void add_check(proof_review *x, const char *claim, bool holds, const char *detail) {
    hsp_json_object(&x->checks, NULL);
    hsp_json_string(&x->checks, "claim", claim);
    hsp_json_bool(&x->checks, "holds", holds);
    hsp_json_string(&x->checks, "detail", detail);
    hsp_json_object_end(&x->checks);
    if (!holds && x->first_false.length == 0) hsp_text_format(&x->first_false, "%s: %s", claim, detail);
}

/* Lists a member of problem `name` (NULL: the only problem) that is not checked. */
static void add_unchecked(proof_review *x, const char *name, const char *member) {
    hsp_text t = {0};
    hsp_text_format(&t, "%s%s%s", name ? name : "", name ? ": " : "", member);
    hsp_json_string(&x->unchecked, NULL, t.failed ? member : t.s);
    hsp_text_free(&t);
}

static bool is_listed(const char *const *list, const char *name) {
    while (*list && strcmp(*list, name) != 0) list++;
    return *list != NULL;
}

static bool is_null(const hsp_report *v) {
    return hsp_report_kind(v, NULL) <= HSP_REPORT_NULL;
}

/* Whether every member of the object is in one of the lists. */
static bool are_listed(const hsp_report *object, const char *const *some, const char *const *others) {
    HSP_REPORT_EACH(member, object)
    if (!is_listed(some, hsp_report_name(member)) && !is_listed(others, hsp_report_name(member))) return false;
    return true;
}

static void set_sides(proof_review *x) {
    const hsp_data *data = x->data;
    for (int64_t i = 0; i < data->x.n; i++) {
        bool counts = !data->weight || data->weight[i] > 0;
        x->y[i] = (int8_t)(!counts ? 0 : x->chosen[data->y[i]] ? 1 : -1);
    }
}

/* Columns with diverging weights must be columns of the data, each once, with a weight other than 0. */
static const char *check_columns(const proof_review *x, const hsp_report *columns, const hsp_proof *p) {
    enum { MOST = 10 };
    const hsp_schema *schema = &x->data->schema;
    int64_t used[MOST];
    char buf[32];
    int64_t count = hsp_report_count(columns, NULL);
    if (is_null(columns)) return NULL;
    if (p->verdict != HSP_TOUCHING) return "only touching classes have diverging columns";
    if (hsp_report_kind(columns, NULL) != HSP_REPORT_LIST || count > MOST)
        return "the columns must be a short list of names";
    for (int64_t t = 0; t < count; t++) {
        const char *name = hsp_report_text_at(columns, NULL, t);
        bool found = false;
        for (int64_t j = 0; name && j < x->data->x.d && !found; j++) {
            if (!p->w || p->w[j] == 0 || strcmp(hsp_schema_feature(schema, j, buf), name) != 0) continue;
            found = true;
            for (int64_t u = 0; u < t; u++) found &= used[u] != j;
            used[t] = j;
        }
        if (!found) return "the columns do not match the weights of the hyperplane";
    }
    return NULL;
}

/* What is wrong with the other members of a problem; NULL: nothing. */
static const char *check_members(const proof_review *x, const hsp_report *object, const char *const *others,
                                 const hsp_proof *p, bool origin) {
    const hsp_report *method = hsp_report_member(object, "method"), *reason = hsp_report_member(object, "reason");
    const char *name = hsp_report_text(method, NULL);
    if (!is_null(method) && !(name && is_listed(hsp_proof_methods, name))) return "unknown method";
    if (!is_null(reason) && !hsp_report_text(reason, NULL)) return "the reason is not a text";
    if (x->origin >= 0 && x->origin != origin) return "the problems differ in 'intercept'";
    const char *what = check_columns(x, hsp_report_member(object, "columns"), p);
    if (!what && !are_listed(object, PROOF_MEMBERS, others)) what = "it has unknown members";
    return what;
}

static void report_proof(proof_review *x, const hsp_proof *p, hsp_proof_kind kind, const char *name, const char *what,
                         hsp_text *claim) {
    bool decided = p->verdict != HSP_UNDECIDED, by_kind = decided ? p->kind == kind : p->kind == HSP_PROOF_NONE;
    const char *verdict = hsp_verdict_names[p->verdict];
    hsp_text_format(claim, "%s%s%s", name ? name : "", name ? ": " : "", verdict);
    add_check(x, claim->failed ? verdict : claim->s, !what, what ? what : decided ? NULL : "proves nothing");
    if (!what && (decided || !by_kind))
        add_check(x, "proof", by_kind, by_kind ? hsp_proof_kind_names[kind] : "it is not of the claimed kind");
    if (!what && p->reason) add_unchecked(x, name, "reason");
    if (!what && !isnan(p->upper)) add_unchecked(x, name, "margin_bounds");
}

/* Checks one problem for the sides in x->y. `others`: the members it may have besides those of a proof. */
static int check_problem(proof_review *x, const hsp_report *object, const char *const *others, const char *name,
                         hsp_verdict *verdict, hsp_error **err) {
    hsp_proof p = {0};
    hsp_proof_kind kind;
    const char *what;
    bool origin;
    hsp_text claim = {0};
    int status = hsp_proof_read(object, x->data->x.n, x->data->x.d, &p, &origin, err);
    if (status) return status;
    hsp_rows_by_side q = {&x->data->x, x->y, origin, x->threads};
    status = hsp_proof_check(&q, &p, &kind, &what, err);
    if (!status && !what) what = check_members(x, object, others, &p, origin);
    if (!status) {
        x->origin = origin;
        x->open |= p.verdict == HSP_UNDECIDED;
        *verdict = p.verdict;
        report_proof(x, &p, kind, name, what, &claim);
        if (claim.failed) status = hsp_fail_memory(err);
    }
    hsp_text_free(&claim);
    hsp_proof_clear(&p);
    return status;
}

/* How many sides have rows that count. */
static int count_sides(const proof_review *x) {
    bool seen[2] = {false, false};
    for (int64_t i = 0; i < x->data->x.n; i++)
        if (x->y[i]) seen[x->y[i] > 0] = true;
    return seen[0] + seen[1];
}

/* Checks `note` and `interrupted`. */
static void check_remarks(proof_review *x, const hsp_report *proof) {
    const hsp_report *note = hsp_report_member(proof, "note"), *interrupted = hsp_report_member(proof, "interrupted");
    if (!is_null(note)) {
        const char *text = hsp_report_text(note, NULL);
        bool known = text && strcmp(text, "one class only") == 0;
        bool right = known && count_sides(x) == 1;
        add_check(x, "note", right,
                  right   ? "one class only"
                  : known ? "there are rows of both classes"
                          : "its note is unknown");
    }
    if (!is_null(interrupted)) {
        bool right = hsp_report_flag(interrupted, NULL) == 1 && x->open;
        add_check(x, "interrupted", right, right ? "a question is undecided" : "no question is undecided");
    }
}

/* Two classes, or some classes against the rest. */
static int check_binary(proof_review *x, const hsp_report *proof, hsp_error **err) {
    const char *positive = hsp_report_text(proof, "positive");
    hsp_verdict verdict;
    if (!positive)
        return hsp_fail(err, HSP_EINPUT, "no positive class in the proof: 'positive' must be a label of the data");
    bool known = !hsp_classes_mark(&x->data->classes, positive, x->chosen), all = known && x->data->classes.count > 1;
    for (int64_t c = 0; c < x->data->classes.count; c++) all &= x->chosen[c];
    add_check(x, "positive", known && !all,
              all     ? "it names all classes: none is left for the negative side"
              : known ? positive
                      : "the data have no such class");
    if (!known || all) return HSP_OK;
    set_sides(x);
    int status = check_problem(x, proof, ONE_MEMBERS, NULL, &verdict, err);
    if (!status) check_remarks(x, proof);
    return status;
}

/* The worst is 0. */
static int rank_of_verdict(hsp_verdict v) {
    return v == HSP_NOT_SEPARABLE ? 0 : v == HSP_TOUCHING ? 1 : v == HSP_UNDECIDED ? 2 : 3;
}

/* Classes that the time limit left untested; they are not among the problems. */
static int64_t untested_classes(const hsp_report *proof, int64_t classes) {
    double untested = hsp_report_number(proof, "untested_classes");
    return untested > 0 && untested <= (double)classes ? (int64_t)untested : 0;
}

/* Each class against the rest: one problem for every class that was tested. */
static int check_multiclass(proof_review *x, const hsp_report *proof, const hsp_report *problems, hsp_error **err) {
    const hsp_classes *classes = &x->data->classes;
    hsp_verdict worst = HSP_SEPARABLE;
    const char *claimed = hsp_report_text(proof, "verdict");
    int64_t untested = untested_classes(proof, classes->count), tested = classes->count - untested;
    bool all = hsp_report_count(problems, NULL) == tested;
    if (hsp_report_kind(problems, NULL) != HSP_REPORT_LIST || !claimed)
        return hsp_fail(err, HSP_EINPUT,
                        "not a proof for several classes: it must have a verdict and an array of problems");
    for (int64_t t = 0; all && t < tested; t++) {
        const hsp_report *problem = hsp_report_item(problems, NULL, t);
        const char *label = hsp_report_text(problem, "class");
        int64_t k = label ? hsp_classes_find(classes, label, (int64_t)strlen(label)) : -1;
        hsp_verdict verdict = HSP_UNDECIDED;
        if (k < 0 || x->seen[k]) {
            all = false;
            break;
        }
        x->seen[k] = true;
        for (int64_t c = 0; c < classes->count; c++) x->chosen[c] = c == k;
        set_sides(x);
        int status = check_problem(x, problem, CLASS_MEMBERS, classes->name[k], &verdict, err);
        if (status) return status;
        if (rank_of_verdict(verdict) < rank_of_verdict(worst)) worst = verdict;
    }
    if (untested > 0 && rank_of_verdict(HSP_UNDECIDED) < rank_of_verdict(worst)) worst = HSP_UNDECIDED;
    x->open |= untested > 0;
    add_check(x, "problems", all,
              all ? "one for each class that was tested" : "the problems do not match the classes of the data");
    if (!all) return HSP_OK;
    if (!are_listed(proof, EACH_MEMBERS, NO_MEMBERS)) add_check(x, "members", false, "it has unknown members");
    check_remarks(x, proof);
    add_check(x, claimed, strcmp(claimed, hsp_verdict_names[worst]) == 0, "the verdict must be the worst of the problems");
    return HSP_OK;
}

/* All claims, the hash of the data first: for other data the rest is meaningless. */
static int check_claims(proof_review *x, const hsp_report *proof, hsp_error **err) {
    const char *claimed = hsp_report_text(proof, "data_hash");
    const hsp_report *problems = hsp_report_member(proof, "problems");
    char hash[17];
    if (!claimed) return hsp_fail(err, HSP_EINPUT, "the proof does not identify its data: it has no data_hash");
    hsp_hex(hsp_data_hash(x->data), hash);
    bool same = strcmp(hash, claimed) == 0;
    add_check(x, "data", same,
              same ? hash
                   : "the data are not the data of the proof (content hash differs): give the file that was inspected");
    if (!same) return HSP_OK;
    return is_null(problems) ? check_binary(x, proof, err) : check_multiclass(x, proof, problems, err);
}

static int check_input(const hsp_report *proof, const hsp_data *data, hsp_error **err) {
    if (data->target || !data->y || data->classes.count < 1)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "no classes: a proof of separability is about classes");
    if (hsp_report_kind(proof, NULL) != HSP_REPORT_OBJECT)
        return hsp_fail(err, HSP_EINPUT, "the proof is not a JSON object: give a file of `inspect --certificate`");
    return HSP_OK;
}

static int write_report(proof_review *x, double start, hsp_report **report, hsp_error **err) {
    bool verified = x->first_false.length == 0;
    hsp_report *checks = NULL, *unchecked = NULL;
    hsp_json j = {0};
    int status = hsp_json_take(&x->checks, &checks, err);
    if (!status) status = hsp_json_take(&x->unchecked, &unchecked, err);
    if (!status) {
        hsp_json_object(&j, NULL);
        hsp_json_bool(&j, "verified", verified);
        hsp_json_string(&j, "first_false", verified ? NULL : x->first_false.s);
        hsp_json_report(&j, "checks", checks);
        hsp_json_report(&j, "unchecked", unchecked);
        hsp_json_int(&j, "rows", x->data->x.n);
        hsp_json_object(&j, "seconds");
        hsp_json_number(&j, "verify", hsp_clock_seconds() - start);
        hsp_json_object_end(&j);
        hsp_json_object_end(&j);
        status = hsp_json_take(&j, report, err);
    }
    hsp_report_free(checks);
    hsp_report_free(unchecked);
    return status;
}

static int review_proof(proof_review *x, const hsp_report *proof, double start, hsp_report **report, hsp_error **err) {
    hsp_json_array(&x->checks, NULL);
    hsp_json_array(&x->unchecked, NULL);
    int status = check_claims(x, proof, err);
    hsp_json_array_end(&x->unchecked);
    hsp_json_array_end(&x->checks);
    if (!status && hsp_cancel_take()) status = hsp_fail(err, HSP_ECANCELLED, "interrupted before the proof was checked");
    if (!status && x->first_false.failed) status = hsp_fail_memory(err);
    if (!status) status = write_report(x, start, report, err);
    hsp_json_drop(&x->checks);
    hsp_json_drop(&x->unchecked);
    return status;
}

int hsp_verify_separability(const hsp_report *proof, const hsp_data *data, const hsp_options *o, hsp_report **report,
                            hsp_error **err) {
    double start = hsp_clock_seconds();
    proof_review x = {.data = data, .threads = hsp_pool_threads(hsp_options_int(o, "threads", 0)), .origin = -1};
    *report = NULL;
    int status = check_input(proof, data, err);
    if (!status && (!HSP_ALLOC(x.y, data->x.n) || !HSP_ALLOC_ZERO(x.chosen, data->classes.count) ||
                    !HSP_ALLOC_ZERO(x.seen, data->classes.count)))
        status = hsp_fail_memory(err);
    if (!status) status = review_proof(&x, proof, start, report, err);
    hsp_text_free(&x.first_false);
    HSP_FREE(x.y, x.chosen, x.seen);
    return status;
}
