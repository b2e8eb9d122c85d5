/* hsp_verify: recomputes every claim of a model from its training data and compares. */
#include "base/advance.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/report.h"
#include "base/text.h"
#include "data/data.h"
#include "data/matrix.h"
#include "model/model.h"
#include "option/options.h"
#include "verify/claim/certificate_file.h"
#include "verify/claim/checks.h"
#include "verify/claim/claim.h"
#include "verify/claim/expected_report.h"
#include "verify/claim/table_checks.h"

#include <string.h>

typedef struct verifying {
    const hsp_model *m;
    const hsp_data *data;
    const hsp_options *o;
    hsp_advance advance;
    int threads;
    hsp_report *found; /* owned: the recomputed claims */
    hsp_checks checks;
    hsp_certificate_file file;
    bool from_file;
    bool matching; /* rows and columns match the model */
} verifying;

/* ---- the data ---- */

/* A model that was trained over parts states the sum of the hashes of its rows. */
static void check_hash(verifying *v) {
    uint64_t hash = hsp_data_hash(v->data), sum;
    bool other = hash != v->m->data_hash && hsp_data_hash_rows(v->data, v->threads, &sum) == HSP_OK;
    if (other && sum == v->m->data_hash) hash = sum;
    char hex[2][17];
    hsp_hex(v->m->data_hash, hex[0]);
    hsp_hex(hash, hex[1]);
    hsp_report claimed = hsp_report_of_text(hex[0]), found = hsp_report_of_text(hex[1]);
    const char *message =
        "the data are not the training data (content hash differs): give the training file, read with the same options";
    if (hsp_report_flag(v->m->report, "weighted") == 1 && !v->data->weight)
        message = "the data are not the training data (content hash differs): the training rows had weights, give --weight";
    else if (v->data->x.n > v->m->rows)
        message = "the data have more rows than the training data: give the training file, or the --holdout of the "
                  "training";
    hsp_checks_add(&v->checks, "data_hash", &claimed, &found, hash == v->m->data_hash, message);
}

static void check_count(verifying *v, const char *name, int64_t claimed, int64_t found) {
    hsp_report value = hsp_report_of_number((double)claimed);
    hsp_checks_number(&v->checks, name, &value, (double)found, 0);
}

/* ---- the claims ---- */

static void see_problem(void *ctx, const hsp_audit *u, int64_t k, const hsp_figures *f) {
    verifying *v = ctx;
    hsp_certificate_fault fault;
    if (!v->from_file || !hsp_certificate_fault_find(&v->file, u, k, f, &fault)) return;
    bool kind = strcmp(fault.column, "kind") == 0;
    char claimed[32], found[32];
    hsp_format_number(fault.claimed, claimed);
    hsp_format_number(fault.found, found);
    hsp_text t = {0};
    hsp_text_format(&t, "the %s of row %lld in the certificate is claimed to be %s, but is %s", fault.column,
                    (long long)fault.row + 1, kind ? hsp_support_names[(int)fault.claimed] : claimed,
                    kind ? hsp_support_names[(int)fault.found] : found);
    hsp_report a = hsp_report_of_number(fault.claimed), b = hsp_report_of_number(fault.found);
    if (t.failed) v->checks.failed = true;
    hsp_checks_add(&v->checks, "certificate file", &a, &b, false, t.s);
    hsp_text_free(&t);
}

static int audit(verifying *v, hsp_error **err) {
    hsp_audit u;
    const hsp_dual *dual = v->from_file ? v->file.dual : v->m->dual;
    int status = hsp_audit_open(v->m, &v->m->objective, v->data, dual, v->threads, &u, err);
    u.advance = &v->advance;
    v->advance.passes = status ? 0 : hsp_claim_problems(&u.c);
    if (!status) status = hsp_audit_claims(&u, NULL, see_problem, v, &v->found, err);
    hsp_audit_close(&u);
    return status;
}

/* Members that depend on the missing multipliers. */
static const char *const of_multipliers[] = {
    "multipliers", "multipliers_hash", "dual_bound", "relative_gap", "residual", "support", "alpha_sum", "slackness", NULL};
/* A file does not say whether its multipliers were stored or derived. */
static const char *const of_origin[] = {"multipliers", NULL};

/* Multipliers of a file must equal those of the model, if it has any. */
static void check_file(verifying *v) {
    const hsp_dual *a = v->m->dual, *b = v->file.dual;
    if (!v->from_file || !a) return;
    size_t count = (size_t)a->begin[a->outputs];
    bool same = a->outputs == b->outputs && memcmp(a->begin, b->begin, (size_t)(a->outputs + 1) * sizeof *a->begin) == 0 &&
                memcmp(a->row, b->row, count * sizeof *a->row) == 0 &&
                memcmp(a->value, b->value, count * sizeof *a->value) == 0;
    hsp_checks_add(&v->checks, "dual vector", NULL, NULL, same,
                   "the dual vectors of the model and of the certificate differ");
}

static int check_claims(verifying *v, hsp_error **err) {
    check_file(v);
    const hsp_report *claims = v->m->claims;
    const char *multipliers = hsp_report_text(claims, "multipliers");
    bool lost = multipliers && strcmp(multipliers, "stored") == 0 && !v->m->dual && !v->from_file;
    if (lost)
        hsp_checks_add(&v->checks, "dual vector", hsp_report_member(claims, "multipliers"), NULL, false,
                       "the dual bound cannot be checked, as the model holds no dual vector: give the file of "
                       "--certificate, or train again without --no-certificate");
    hsp_checks_tree(&v->checks, "", claims, v->found, lost ? of_multipliers : v->from_file ? of_origin : NULL);
    return lost ? HSP_OK : hsp_expected_report_check(&v->checks, v->m, v->data, v->found, v->threads, err);
}

/* A model of an older format, without claims: checks its certificate up to the rounding of solvers. */
static void check_certificate(verifying *v) {
    const hsp_certificate *c = &v->m->certificate;
    double P = hsp_report_number(v->found, "objective"), proven = hsp_report_number(v->found, "dual_bound");
    hsp_report objective = hsp_report_of_number(c->objective), claimed = hsp_report_of_number(c->dual_bound);
    hsp_checks_number(&v->checks, "objective", &objective, P, 1e-9);
    if (isnan(c->dual_bound)) return;
    bool below = c->dual_bound <= P + 1e-9 * fabs(P);
    if (!below || c->dual_bound <= proven + 1e-9 * fabs(P))
        hsp_checks_add(&v->checks, "dual_bound", &claimed, hsp_report_member(v->found, "dual_bound"), below, NULL);
    else
        hsp_checks_add(&v->checks, "dual_bound", &claimed, NULL, false,
                       "the dual bound cannot be checked, as the model holds no multipliers: train again");
}

static int check_all(verifying *v, const char *certificate, hsp_error **err) {
    hsp_claim c = {0};
    int status = HSP_OK;
    bool stated = hsp_objective_known(&v->m->objective);
    if (hsp_model_extra(v->m, "update-state"))
        return hsp_fail(err, HSP_EINPUT,
                        "the model was updated row by row and claims nothing about its data: train on all rows to verify");
    if (!stated && !v->m->claims)
        return hsp_fail(err, HSP_EINPUT, "the model claims no objective to verify: %s does not minimise one",
                        v->m->algorithm);
    check_hash(v);
    const hsp_matrix *x = &v->data->x;
    check_count(v, "rows", v->m->rows, x->n);
    check_count(v, "features", v->m->prepare.schema.d, x->d);
    check_count(v, "nonzeros", v->m->nonzeros, x->nonzeros);
    v->matching = x->n == v->m->rows && x->d == v->m->prepare.schema.d;
    if (!stated)
        hsp_checks_add(&v->checks, "report.loss", hsp_report_member(v->m->report, "loss"), NULL, false,
                       "the model claims values of an objective, but the report names no known one");
    if (!v->matching || !stated) return HSP_OK; /* nothing else can be computed from these data */
    if (certificate) {
        status = hsp_claim_open(v->m, &v->m->objective, v->data, &c, err);
        if (!status) status = hsp_certificate_read(certificate, &c, &v->file, err);
        v->from_file = !status;
        hsp_claim_clear(&c);
    }
    if (!status) status = audit(v, err);
    if (status) return status;
    if (v->m->claims) {
        status = check_claims(v, err);
        if (!status) status = hsp_table_check(&v->checks, v->m, v->data, v->threads, err);
        return status ? status : hsp_report_proof(&v->checks, v->m, v->data, v->o, err);
    }
    check_certificate(v);
    if (v->m->origin.format == 1 || v->m->origin.format == 2)
        hsp_checks_unknown(&v->checks, "all other values: the model is older than the claims");
    else
        hsp_checks_add(&v->checks, "claims", NULL, NULL, false,
                       "the model minimises an objective but claims nothing about it");
    return HSP_OK;
}

/* ---- the result ---- */

static int write_report(verifying *v, double begun, hsp_report **report, hsp_error **err) {
    static const char *const figures[] = {"objective", "dual_bound", "relative_gap"};
    hsp_report *checks = NULL, *unchecked = NULL;
    hsp_json j = {0};
    hsp_json_array_end(&v->checks.list);
    hsp_json_array_end(&v->checks.unchecked);
    int status = v->checks.failed ? hsp_fail_memory(err) : hsp_json_take(&v->checks.list, &checks, err);
    if (!status) status = hsp_json_take(&v->checks.unchecked, &unchecked, err);
    if (!status) {
        hsp_json_object(&j, NULL);
        hsp_json_bool(&j, "verified", !v->checks.first_false);
        hsp_json_string(&j, "first_false", v->checks.first_false);
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
            hsp_json_report(&j, figures[i], hsp_report_member(v->found, figures[i]));
        hsp_json_number(&j, "tolerance", v->m->certificate.tolerance);
        hsp_json_int(&j, "rows", v->data->x.n);
        hsp_json_string(&j, "arithmetic", "double-double");
        hsp_json_report(&j, "checks", checks);
        hsp_json_report(&j, "unchecked", unchecked);
        hsp_json_object(&j, "seconds");
        hsp_json_number(&j, "read", v->data->read_seconds);
        hsp_json_number(&j, "verify", hsp_clock_seconds() - begun);
        hsp_json_object_end(&j);
        hsp_json_object_end(&j);
        status = hsp_json_take(&j, report, err);
    }
    hsp_report_free(checks);
    hsp_report_free(unchecked);
    return status;
}

int hsp_verify(const hsp_model *m, const hsp_data *data, const char *certificate, const hsp_options *o,
               const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    double begun = hsp_clock_seconds();
    verifying v = {.m = m, .data = data, .o = o, .threads = hsp_pool_threads(hsp_options_int(o, "threads", 0))};
    hsp_data *own = NULL;
    *report = NULL;
    hsp_advance_begin(&v.advance, hooks, "verify", 0);
    int status = hsp_model_encode(m, data, v.threads, &own, err);
    if (status) return status;
    if (own) v.data = own;
    hsp_error *inner = NULL;
    hsp_checks_open(&v.checks);
    status = check_all(&v, certificate, &inner);
    if (!status && hsp_advance_rows(&v.advance, 0)) status = hsp_audit_fail_stopped(&inner);
    /* Data other than the training data may lack its classes; a report may name the wrong loss for them. */
    bool answered = status == HSP_EINPUT && !certificate && (m->claims || v.checks.first_false) && inner;
    if (answered && !v.checks.first_false) hsp_checks_add(&v.checks, "report", NULL, NULL, false, hsp_error_message(inner));
    if (!status || answered) {
        hsp_error_free(inner);
        inner = NULL;
        status = write_report(&v, begun, report, &inner);
    }
    if (err)
        *err = inner;
    else
        hsp_error_free(inner);
    hsp_certificate_clear(&v.file);
    hsp_checks_close(&v.checks);
    hsp_report_free(v.found);
    hsp_data_free(own);
    return status;
}
