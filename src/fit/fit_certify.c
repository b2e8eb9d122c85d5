/* Turns multipliers into the claims of a model. src/verify audits the solver's result, and the model claims what the audit
 * finds. So the figures of a report can be recomputed from the file, to the last bit. */
#include "fit/fit_certify.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "model/objective.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "solve/loop/run.h"
#include "solve/loop/stop.h"
#include "verify/claim/verify.h"
#include "verify/proof/proof.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int find_endless(const hsp_fit *f, bool **out, hsp_error **err) {
    if (f->form.penalty->penalises || !f->form.loss || !(f->form.loss->traits & HSP_LOSS_POSITIVE)) return HSP_OK;
    *out = hsp_alloc(f->out.outputs, sizeof **out);
    if (!*out) return hsp_fail_memory(err);
    for (int64_t k = 0; k < f->out.outputs; k++)
        (*out)[k] = !hsp_fit_asked(f, k) || f->out.proofs[k].verdict != HSP_NOT_SEPARABLE;
    return HSP_OK;
}

/* Sets the objective of the model; `intercept` is borrowed from its options. */
static int set_objective(const hsp_fit *f, hsp_model *m, hsp_error **err) {
    const hsp_penalty *penalty = f->form.penalty;
    const hsp_loss *loss = f->form.loss;
    double ratio = hsp_options_real(f->job.options, "l1-ratio", 0.5);
    m->objective = (hsp_objective){.loss = loss ? loss->name : NULL,
                                   .penalty = penalty->name,
                                   .intercept = hsp_report_text(m->options, "intercept"),
                                   .hard = !loss,
                                   .joint = f->out.problems == 1 && f->out.outputs > 1,
                                   .parameter = loss && loss->option ? loss->parameter : (double)NAN,
                                   .C = isnan(f->form.C) ? 1 : f->form.C,
                                   .l1_share = !penalty->penalises ? 0
                                               : penalty->mixed    ? ratio
                                                                   : penalty->l1};
    return find_endless(f, &m->objective.endless, err);
}

/* One audit with these multipliers: the claims and the figures of each problem. */
typedef struct audit {
    hsp_dual *dual;            /* or NULL: derived from the weights */
    hsp_rows_visitor *visitor; /* borrowed; or NULL */
    hsp_verified_problem *problems;
    hsp_report *claims;
} audit;

/* The gap that suffices as a proof: the larger of tol / 10 and 1.1 times the solver's gap. */
static double enough(const hsp_fit *f, int64_t k) {
    double known = f->out.results[k].outcome.gap;
    return isnan(known) ? INFINITY : fmax(f->form.rules.tol / 10, 1.1 * known);
}

/* Audits one problem with the multipliers derived from the weights, or with the solver's where those prove a smaller
 * gap. */
static int audit_either(const hsp_fit *f, const hsp_model *m, int threads, audit *a, hsp_error **err) {
    bool by_dual = false;
    int status = hsp_dual_new(f->out.dual, f->job.data->x.n, f->out.outputs, &a->dual, err);
    if (!status)
        status = hsp_verify_certify_either(m, &m->objective, f->job.data, a->dual, enough(f, 0), threads, a->visitor,
                                           a->problems, &by_dual, &a->claims, err);
    if (!by_dual) {
        hsp_dual_free(a->dual);
        a->dual = NULL;
    }
    return status;
}

static int run_audit(const hsp_fit *f, const hsp_model *m, bool stored, audit *a, hsp_error **err) {
    int threads = hsp_fit_threads(f);
    a->problems = hsp_alloc_zero(m->outputs, sizeof *a->problems);
    int status = a->problems ? HSP_OK : hsp_fail_memory(err);
    if (!status && stored) status = hsp_dual_new(f->out.dual, f->job.data->x.n, f->out.outputs, &a->dual, err);
    if (!status && !stored && f->out.dual && f->out.outputs == 1)
        status = audit_either(f, m, threads, a, err);
    else if (!status)
        status =
            hsp_verify_certify(m, &m->objective, f->job.data, a->dual, threads, a->visitor, a->problems, &a->claims, err);
    return status;
}

static void end_audit(audit *a) {
    hsp_dual_free(a->dual);
    hsp_free(a->problems);
    hsp_report_free(a->claims);
    *a = (audit){0};
}

/* Whether the audit proves a sufficient gap for every problem. */
static bool proves_enough(const hsp_fit *f, const audit *a) {
    for (int64_t k = 0; k < f->out.problems; k++) {
        if (!a->problems[k].absent && enough(f, k) < INFINITY && !(a->problems[k].gap <= enough(f, k))) return false;
    }
    return true;
}

/* Only the audit certifies a result; the solver's stop reason does not. */
static void apply_claims(hsp_fit *f, int64_t k, bool proven) {
    hsp_outcome *o = &f->out.results[k].outcome;
    bool named = f->out.problems > 1;
    if (o->gap <= f->form.rules.tol) {
        o->converged = true;
        if (o->stop == HSP_STOP_NO_PROGRESS || o->stop == HSP_STOP_EARLY) o->stop = HSP_STOP_GAP;
        return;
    }
    if (o->converged && o->stop != HSP_STOP_CLOSED_FORM) o->stop = HSP_STOP_NO_PROGRESS;
    o->converged = false;
    if (!proven) return;
    hsp_text_format(&f->notes.warnings, "%s%s%safter rounding, the weights miss the tolerance: %s\n", named ? "class " : "",
                    named ? f->out.results[k].label : "", named ? ": " : "",
                    f->job.prepare->factor ? "use other units" : "use other units, or try --scale standard");
}

/* Without a penalty there may be no bound at all, for instance with linearly dependent columns. Then the gradient
 * decides. */
static bool unprovable(const hsp_fit *f, int64_t k) {
    const hsp_outcome *o = &f->out.results[k].outcome;
    return !f->form.penalty->penalises && isnan(o->gap) && (o->converged || o->stop == HSP_STOP_NO_PROGRESS);
}

static void accept_unprovable(hsp_fit *f) {
    bool any = false, all = true;
    for (int64_t k = 0; k < f->out.problems; k++) {
        hsp_outcome *o = &f->out.results[k].outcome;
        bool settled = unprovable(f, k) || o->gap <= f->form.rules.tol;
        if (unprovable(f, k) && o->stop == HSP_STOP_GAP) o->stop = HSP_STOP_GRADIENT;
        any |= unprovable(f, k);
        all &= settled;
    }
    if (!any || !all) return;
    f->form.certified = false;
    hsp_text_add(&f->notes.warnings,
                 "no certificate without a penalty, as the columns are dependent or too many: use --penalty l2\n");
}

/* Replaces the figures of the report by those of the audit. */
static void take_figures(hsp_fit *f, const audit *a) {
    for (int64_t k = 0; k < f->out.problems; k++) {
        hsp_outcome *o = &f->out.results[k].outcome;
        const hsp_verified_problem *v = &a->problems[k];
        if (v->absent || !o->stop || isnan(o->end.objective)) continue;
        bool proven = o->gap <= f->form.rules.tol, known = !isnan(o->gap);
        o->end.objective = v->objective;
        o->dual_bound = v->bound;
        o->gap = v->gap;
        if (f->form.certified && (known || !isnan(o->gap)) && !unprovable(f, k)) apply_claims(f, k, proven);
    }
    if (f->form.certified) accept_unprovable(f);
}

/* Sets output k of the model to a multiple of the given weights. */
static void stretch(hsp_model *m, int64_t k, const double *w, double b, double factor) {
    int64_t d = m->prepare.schema.d;
    for (int64_t j = 0; j < d; j++) m->w[k * d + j] = w[k * d + j] * factor;
    m->b[k] = b * factor;
}

/* Rounding the written weights may move a row on the margin inside it by one bit, and a large C makes that expensive.
 * Weights longer by a few units in the last place can then have a much lower objective. Tried only where the gap misses the
 * tolerance. */
static int stretch_margins(const hsp_fit *f, hsp_model *m, bool stored, audit *a, hsp_error **err) {
    static const double bits[] = {1, 2, 8, 64, 1024, 65536};
    size_t size = (size_t)(m->outputs * m->prepare.schema.d);
    double *w = hsp_alloc((int64_t)size + m->outputs, sizeof *w), *b = w ? w + size : NULL;
    if (!w) return hsp_fail_memory(err);
    memcpy(w, m->w, size * sizeof *w);
    memcpy(b, m->b, (size_t)m->outputs * sizeof *w);
    int status = HSP_OK;
    for (size_t t = 0; !status && t < sizeof bits / sizeof *bits; t++) {
        audit other = {0};
        bool any = false;
        for (int64_t k = 0; k < f->out.problems; k++) {
            bool missed = !(a->problems[k].gap <= f->form.rules.tol) && !a->problems[k].absent;
            if (missed) stretch(m, k, w, b[k], 1 + bits[t] * DBL_EPSILON);
            any |= missed;
        }
        if (!any) break;
        status = run_audit(f, m, stored, &other, err);
        for (int64_t k = 0; !status && k < f->out.problems; k++)
            if (!(other.problems[k].objective < a->problems[k].objective)) stretch(m, k, w, b[k], 1);
        end_audit(&other);
        end_audit(a);
        if (!status) status = run_audit(f, m, stored, a, err); /* audit the weights that were kept */
        memcpy(w, m->w, size * sizeof *w);
        memcpy(b, m->b, (size_t)m->outputs * sizeof *w);
    }
    hsp_free(w);
    return status;
}

/* A user who interrupts a fit with very many classes should not have to wait seconds for its certificate. */
static bool hurried(const hsp_fit *f) {
    bool large = (double)f->job.data->x.n * (double)f->out.outputs > 1e6;
    for (int64_t k = 0; large && k < f->out.problems; k++)
        if (f->out.results[k].outcome.stop && f->out.results[k].outcome.stop == HSP_STOP_CANCELLED) return true;
    return false;
}

int hsp_fit_certify(hsp_fit *f, hsp_model *m, hsp_rows_visitor *visitor, hsp_error **err) {
    if (!f->notes.solved || !f->form.penalty) return HSP_OK;
    int status = set_objective(f, m, err);
    if (status) return status;
    if (f->job.update || hurried(f)) { /* an update claims nothing: it is one pass, and other rows came before */
        for (int64_t k = 0; k < f->out.problems; k++)
            f->out.results[k].outcome.gap = f->out.results[k].outcome.dual_bound = NAN;
        f->form.certified = false;
        return HSP_OK;
    }
    double begun = hsp_clock_seconds();
    audit a = {.visitor = visitor};
    bool derivable = f->form.loss && (f->form.loss->traits & HSP_LOSS_SMOOTH);
    bool keep = !hsp_options_is(f->job.options, "no-certificate", "yes");
    /* Then multipliers take little space beside the weights, and storing them saves a second audit. */
    bool small = f->job.data->x.n <= f->job.design->d;
    bool stored = f->out.dual && (!derivable || small || f->notes.margins);
    status = run_audit(f, m, stored, &a, err);
    stored |= a.dual != NULL;
    if (!status && !stored && f->out.dual && !proves_enough(f, &a)) {
        end_audit(&a);
        stored = true;
        status = run_audit(f, m, stored, &a, err);
    }
    if (!status && f->notes.margins && f->form.loss) status = stretch_margins(f, m, stored, &a, err);
    if (!status && a.claims) {
        take_figures(f, &a);
        m->claims = a.claims;
        a.claims = NULL;
        if (keep) {
            m->dual = a.dual;
            a.dual = NULL;
        }
        f->notes.certify_seconds = hsp_clock_seconds() - begun;
    }
    end_audit(&a);
    return status;
}
