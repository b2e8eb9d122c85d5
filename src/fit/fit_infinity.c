#include "fit/fit_infinity.h"

#include "base/clock.h"
#include "base/text.h"
#include "data/schema.h"
#include "fit/class_weight.h"
#include "fit/fit_certify.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <string.h>

/* Time limit of the proof that an optimum lies at infinity. */
static const double PROOF_SECONDS = 10;

/* The adverb before "separable" in a warning. */
static const char *degree(const hsp_fit *f, int64_t k) {
    const hsp_proof *p = hsp_fit_asked(f, k) ? &f->out.proofs[k] : NULL;
    if (p && p->verdict == HSP_SEPARABLE) return "";
    if (p && p->verdict == HSP_TOUCHING) return "quasi-completely ";
    return f->out.results[k].outcome.end.error == 0 ? "" : "quasi-completely ";
}

static void warn_of_infinity(hsp_fit *f) {
    hsp_text *t = &f->notes.warnings;
    for (int64_t k = 0; k < f->out.problems; k++) {
        const hsp_outcome *o = &f->out.results[k].outcome;
        if (!o->stop || o->stop != HSP_STOP_INFINITY) continue;
        const char *label = f->out.problems > 1 ? f->out.results[k].label : NULL;
        hsp_text_add(t, label ? "class " : "the classes are ");
        if (label) hsp_text_format(t, "%s is ", label);
        hsp_text_format(t, "%sseparable%s, and without a penalty the weights diverge", degree(f, k),
                        label ? " from the rest" : "");
        char buffer[32];
        for (int i = 0; i < o->diverging_count; i++) {
            hsp_text_add(t, i == 0 ? " (" : ", ");
            hsp_text_add(t, hsp_schema_feature(&f->job.prepare->schema, o->diverging[i], buffer));
        }
        if (o->diverging_count) hsp_text_add(t, o->diverging_count == HSP_MOST_DIVERGING ? ", ...)" : ")");
        hsp_text_add(t, ": use --penalty l2, the default\n");
    }
}

/* Applies a proof to the outcome of a problem: the optimum lies at infinity, it does not, or this is undecided. Claims only
 * what is proven, since a bound holds only if there is an optimum. */
static void apply_proof(const hsp_proof *p, hsp_outcome *o) {
    bool endless = o->stop == HSP_STOP_INFINITY, cancelled = o->stop == HSP_STOP_CANCELLED;
    if (p->verdict == HSP_NOT_SEPARABLE && endless) o->stop = HSP_STOP_NO_PROGRESS; /* rounding misled the solver */
    if (p->verdict == HSP_NOT_SEPARABLE) return;
    o->converged = false;
    o->dual_bound = o->gap = NAN;
    if (!cancelled) o->stop = p->verdict == HSP_UNDECIDED ? HSP_STOP_UNDECIDED : HSP_STOP_INFINITY;
    if (p->column_count == 0) return;
    o->diverging_count = p->column_count < HSP_MOST_DIVERGING ? (int)p->column_count : HSP_MOST_DIVERGING;
    for (int c = 0; c < o->diverging_count; c++) o->diverging[c] = p->columns[c];
}

/* Applies the worst verdict to a joint problem: one class that is separable from the rest is enough. */
static void apply_worst_proof(hsp_fit *f, hsp_outcome *o) {
    const hsp_proof *worst = NULL;
    for (int64_t k = 0; k < f->out.outputs; k++) {
        if (!hsp_fit_asked(f, k)) continue;
        const hsp_proof *p = &f->out.proofs[k];
        bool runs_off = p->verdict == HSP_SEPARABLE || p->verdict == HSP_TOUCHING;
        if (!worst || runs_off || (p->verdict == HSP_UNDECIDED && worst->verdict == HSP_NOT_SEPARABLE)) worst = p;
        if (runs_off) break;
    }
    /* Classes in order along a line need not be separable from the rest one by one, yet the joint optimum may lie at
     * infinity. Then keep the solver's result. */
    if (worst && !(worst->verdict == HSP_NOT_SEPARABLE && o->stop == HSP_STOP_INFINITY)) apply_proof(worst, o);
}

/* Without a penalty there is an optimum only if the classes are not separable. */
static int ask_separability(hsp_fit *f, bool joint, hsp_error **err) {
    int status = HSP_OK;
    double deadline = hsp_clock_seconds() + PROOF_SECONDS;
    for (int64_t k = 0; !status && k < f->out.outputs; k++) {
        if (hsp_fit_absent(f, f->out.outputs == 1 ? f->job.prepare->positive : k)) continue;
        status = hsp_fit_separate(f, k, deadline, err);
        if (!status && !joint) apply_proof(&f->out.proofs[k], &f->out.results[k].outcome);
    }
    if (!status && joint) apply_worst_proof(f, &f->out.results[0].outcome);
    return status;
}

int hsp_fit_heed_infinity(hsp_fit *f, bool joint, hsp_error **err) {
    int status = f->form.penalty->penalises ? HSP_OK : ask_separability(f, joint, err);
    if (status) return status;
    warn_of_infinity(f);
    /* Warn where the proof did not decide whether there is an optimum. */
    for (int64_t k = 0; k < f->out.problems; k++) {
        const char *label = f->out.problems > 1 ? f->out.results[k].label : NULL;
        if (!f->out.results[k].outcome.stop || f->out.results[k].outcome.stop != HSP_STOP_UNDECIDED) continue;
        hsp_text_format(
            &f->notes.warnings,
            "without a penalty the weights diverge if %s%s separable, which is undecided: use --penalty l2, the default\n",
            label ? "class " : "the classes are", label ? label : "");
    }
    return HSP_OK;
}
