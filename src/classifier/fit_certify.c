/* From multipliers to the claims of a model. What the solvers found is audited by src/verify, and what the
 * audit finds is what the model claims: the figures of a report can be had again from the file, to the last bit. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "classifier/classifier.h"

#include <math.h>
#include <string.h>

/* Where there may be no optimum: see hsp_stated. NULL: nowhere. */
static int find_endless(const hsp_fit *f, bool **out, hsp_error **err) {
    *out = NULL;
    if (f->penalty->penalises || !f->loss || !(f->loss->traits & HSP_LOSS_POSITIVE)) return HSP_OK;
    *out = hsp_alloc(f->outputs, sizeof **out);
    if (!*out) return hsp_fail_memory(err);
    for (int64_t k = 0; k < f->outputs; k++) (*out)[k] = !hsp_fit_asked(f, k) || f->proofs[k].verdict != HSP_NOT_SEPARABLE;
    return HSP_OK;
}

static hsp_stated state(const hsp_fit *f, const bool *endless) {
    return (hsp_stated){.endless = endless,
                        .algorithm = f->classifier->name,
                        .loss = f->loss ? f->loss->name : NULL,
                        .penalty = f->penalty ? f->penalty->name : NULL,
                        .intercept = hsp_options_text(f->o, "intercept"),
                        .C = isnan(f->C) ? 1 : f->C,
                        .l1_share = !f->penalty || !f->penalty->penalises ? 0
                                    : f->penalty->mixed                   ? hsp_options_real(f->o, "l1-ratio", 0.5)
                                                                          : f->penalty->l1,
                        .tolerance = hsp_fit_certificate(f).tolerance,
                        .joint = f->problems == 1 && f->outputs > 1};
}

/* One try with these multipliers: the claims and the figures of each problem. */
typedef struct audit {
    hsp_dual *dual; /* or NULL: those that the weights themselves give */
    hsp_verified_problem *problems;
    char *claims;
} audit;

static int run_audit(const hsp_fit *f, const hsp_model *m, bool stored, audit *a, hsp_error **err) {
    bool *endless = NULL;
    int threads = hsp_pool_threads(hsp_options_int(f->o, "threads", 0));
    a->problems = hsp_alloc_zero(m->outputs, sizeof *a->problems);
    int status = a->problems ? HSP_OK : hsp_fail_memory(err);
    if (!status && stored) status = hsp_dual_new(f->dual, f->data->x.n, f->outputs, &a->dual, err);
    if (!status) status = find_endless(f, &endless, err);
    hsp_stated stated = state(f, endless);
    if (!status) status = hsp_verify_certify(m, &stated, f->data, a->dual, threads, a->problems, &a->claims, err);
    hsp_free(endless);
    return status;
}

static void end_audit(audit *a) {
    hsp_dual_free(a->dual);
    hsp_free(a->problems);
    hsp_free(a->claims);
    *a = (audit){0};
}

/* Whether every problem is proven as well as was asked, or nearly as well as the solver knew. */
static bool proves_enough(const hsp_fit *f, const audit *a) {
    for (int64_t k = 0; k < f->problems; k++) {
        double known = f->results[k].outcome.gap, found = a->problems[k].gap;
        if (a->problems[k].absent || isnan(known) || found <= f->rules.tol / 10 || found <= 1.1 * known) continue;
        return false;
    }
    return true;
}

/* The figures of the report are those of the audit. */
static void take_figures(hsp_fit *f, const audit *a) {
    for (int64_t k = 0; k < f->problems; k++) {
        hsp_outcome *o = &f->results[k].outcome;
        const hsp_verified_problem *v = &a->problems[k];
        if (v->absent || !o->stop || isnan(o->end.objective)) continue;
        bool proven = o->gap <= f->rules.tol;
        o->end.objective = v->objective;
        o->dual_bound = v->bound;
        o->gap = v->gap;
        if (!proven || o->gap <= f->rules.tol || !(f->certified || f->rules.tol_given)) continue;
        o->converged = false;
        o->stop = "no-progress";
        hsp_text_format(&f->warnings, "%s%s%sthe weights, rounded as they are written, prove less than was asked: %s\n",
                        f->problems > 1 ? "class " : "", f->problems > 1 ? f->results[k].label : "",
                        f->problems > 1 ? ": " : "",
                        f->prepare->factor ? "use other units" : "use other units, or try --scale standard");
    }
}

int hsp_fit_certify(hsp_fit *f, hsp_model *m, hsp_error **err) {
    if (!f->solved || !f->penalty) return HSP_OK;
    double begun = hsp_clock_seconds();
    audit a = {0};
    bool derivable = f->loss && (f->loss->traits & HSP_LOSS_SMOOTH);
    bool keep = !hsp_options_is(f->o, "no-certificate", "yes");
    bool stored = f->dual && (!derivable || strcmp(f->classifier->name, "svm") == 0);
    int status = run_audit(f, m, stored, &a, err);
    if (!status && !stored && f->dual && !proves_enough(f, &a)) {
        end_audit(&a);
        stored = true;
        status = run_audit(f, m, stored, &a, err);
    }
    if (!status && a.claims) {
        take_figures(f, &a);
        m->claims = a.claims;
        a.claims = NULL;
        if (keep) {
            m->dual = a.dual;
            a.dual = NULL;
        }
        f->certify_seconds = hsp_clock_seconds() - begun;
    }
    end_audit(&a);
    return status;
}
