/* Writes the claims: every figure of an audit. */
#include "base/advance.h"
#include "base/json.h"
#include "base/text.h"
#include "data/data.h"
#include "model/model.h"
#include "model/objective.h"
#include "verify/claim/support.h"

typedef struct totals {
    double objective, bound, residual, loss_sum, penalty;
} totals;

static void write_support(hsp_json *j, const hsp_audit *u, const hsp_figures *f) {
    hsp_support s;
    hsp_support_count(u, f->gap, &s);
    hsp_json_number(j, "margin", 1 / f->norm);
    hsp_json_number(j, "margin_width", 2 / f->norm);
    hsp_json_number(j, "least_margin", f->least);
    if (u->c.hard) hsp_json_bool(j, "feasible", f->feasible);
    hsp_json_object(j, "support");
    hsp_json_number(j, "tolerance", s.tolerance);
    hsp_json_int(j, "non_support", s.count[HSP_NON_SUPPORT]);
    hsp_json_int(j, "on_margin", s.count[HSP_ON_MARGIN]);
    hsp_json_int(j, "bound", s.count[HSP_BOUND]);
    hsp_json_number(j, "vectors", s.vectors < 0 ? (double)NAN : (double)s.vectors);
    hsp_json_object_end(j);
    hsp_json_number(j, "slack_sum", s.slack_sum);
    hsp_json_number(j, "slack_max", s.slack_max);
    hsp_json_number(j, "alpha_sum", s.alpha_sum);
    hsp_json_object(j, "slackness");
    hsp_json_number(j, "margin", s.slackness);
    hsp_json_number(j, "bound", u->c.hard ? (double)NAN : s.slackness_bound);
    hsp_json_object_end(j);
}

static void write_problem(hsp_json *j, const hsp_audit *u, int64_t k, const hsp_figures *f) {
    hsp_json_object(j, NULL);
    hsp_json_string(j, "class", u->c.K > 1 && !u->c.joint ? u->c.m->prepare.classes.name[k] : NULL);
    hsp_json_number(j, "objective", f->objective);
    hsp_json_number(j, "dual_bound", f->bounded ? f->bound : (double)NAN);
    hsp_json_number(j, "relative_gap", f->gap);
    hsp_json_number(j, "residual", f->residual);
    hsp_json_number(j, "norm", f->norm);
    if (hsp_claim_margins(&u->c) && !f->absent) write_support(j, u, f);
    hsp_json_object_end(j);
}

static void write_hash(hsp_json *j, const char *key, bool known, uint64_t v) {
    char hex[17];
    hsp_hex(v, hex);
    hsp_json_string(j, key, known ? hex : NULL);
}

typedef struct claims_walk {
    hsp_verified_problem *problems; /* each of these may be NULL */
    hsp_json *j;
    hsp_audit_witness *see;
    void *ctx;
} claims_walk;

static int audit_all(hsp_audit *u, const claims_walk *w, totals *t, hsp_error **err) {
    for (int64_t k = 0; k < hsp_claim_problems(&u->c); k++) {
        hsp_figures f;
        int status = hsp_audit_scores(u, k, &f, err);
        if (!status) status = hsp_audit_finish(u, k, &f, err);
        if (status) return status;
        t->objective += f.objective;
        t->bound += f.bounded ? f.bound : (double)NAN;
        t->residual += f.residual;
        t->loss_sum += f.loss_sum;
        t->penalty += f.penalty;
        if (w->problems)
            w->problems[k] = (hsp_verified_problem){.objective = f.objective,
                                                    .bound = f.bounded ? f.bound : (double)NAN,
                                                    .gap = f.gap,
                                                    .residual = f.residual,
                                                    .absent = f.absent};
        if (w->j) write_problem(w->j, u, k, &f);
        if (w->see) w->see(w->ctx, u, k, &f);
        hsp_advance_pass(u->advance);
    }
    return HSP_OK;
}

static void write_head(const hsp_audit *u, const totals *t, hsp_json *j) {
    bool dual = hsp_audit_multipliers(u);
    hsp_json_string(j, "arithmetic", "double-double");
    hsp_json_string(j, "multipliers", !dual ? NULL : u->dual ? "stored" : "derived");
    hsp_json_number(j, "objective", t->objective);
    hsp_json_number(j, "dual_bound", t->bound);
    hsp_json_number(j, "relative_gap", hsp_audit_gap(t->objective, t->bound));
    hsp_json_number(j, "residual", t->residual);
    hsp_json_number(j, u->c.class ? "accuracy" : "rmse", hsp_audit_quality(u, t->loss_sum));
    write_hash(j, "scores_hash", true, u->hashes.scores);
    write_hash(j, "multipliers_hash", dual, u->hashes.multipliers);
}

int hsp_audit_claims(hsp_audit *u, hsp_verified_problem *problems, hsp_audit_witness *see, void *ctx, hsp_report **claims,
                     hsp_error **err) {
    totals t = {0};
    hsp_json list = {0}, j = {0}; /* the problems first, because their sums are written before them */
    hsp_report *each = NULL;
    claims_walk w = {.problems = problems, .j = &list, .see = see, .ctx = ctx};
    hsp_json_array(&list, NULL);
    int status = audit_all(u, &w, &t, err);
    hsp_json_array_end(&list);
    if (!status) status = hsp_json_take(&list, &each, err);
    if (!status) {
        hsp_json_object(&j, NULL);
        write_head(u, &t, &j);
        hsp_json_report(&j, "problems", each);
        hsp_json_object_end(&j);
        status = hsp_json_take(&j, claims, err);
    }
    hsp_json_drop(&list);
    hsp_report_free(each);
    return status;
}

int hsp_verify_certify(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, const hsp_dual *dual,
                       int threads, hsp_rows_visitor *visitor, hsp_verified_problem *problems, hsp_report **claims,
                       hsp_error **err) {
    *claims = NULL;
    if (!hsp_objective_known(objective)) return HSP_OK;
    hsp_audit u;
    int status = hsp_audit_open(m, objective, data, dual, threads, &u, err);
    u.visitor = visitor;
    if (!status) status = hsp_audit_claims(&u, problems, NULL, NULL, claims, err);
    hsp_audit_close(&u);
    return status;
}

int hsp_verify_certify_either(const hsp_model *m, const hsp_objective *objective, const hsp_data *data,
                              const hsp_dual *dual, double enough, int threads, hsp_rows_visitor *visitor,
                              hsp_verified_problem *problem, bool *by_dual, hsp_report **claims, hsp_error **err) {
    *claims = NULL;
    *by_dual = false;
    if (!hsp_objective_known(objective)) return HSP_OK;
    hsp_audit u;
    int status = hsp_audit_open(m, objective, data, NULL, threads, &u, err);
    u.visitor = visitor;
    if (!status && u.a && enough < INFINITY && m->outputs == 1 && hsp_dual_fits(dual, 1, data->x.n))
        u.spare = (hsp_audit_spare){dual, enough};
    if (!status) status = hsp_audit_claims(&u, problem, NULL, NULL, claims, err);
    *by_dual = u.dual != NULL;
    hsp_audit_close(&u);
    return status;
}

int hsp_verify_model(const hsp_model *m, const hsp_data *data, hsp_verified *out, hsp_error **err) {
    hsp_audit u = {0};
    totals t = {0};
    int status = hsp_audit_open(m, &m->objective, data, m->dual, 1, &u, err);
    if (!status) status = audit_all(&u, &(claims_walk){0}, &t, err);
    if (!status)
        *out = (hsp_verified){.objective = t.objective,
                              .loss_sum = t.loss_sum,
                              .penalty = t.penalty,
                              .accuracy = u.c.class ? hsp_audit_quality(&u, t.loss_sum) : (double)NAN,
                              .bound = t.bound};
    hsp_audit_close(&u);
    return status;
}
