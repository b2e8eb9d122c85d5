/* hard-svm:
 *     min |w|^2/2  subject to  y_i (w.x_i + b) >= 1
 * First proves that the classes are separable, or finds a witness that they are not; then maximises the margin width
 * 2/|w|. */
#include "base/clock.h"
#include "base/text.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_certify.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "fit/hard_margin.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "verify/proof/proof.h"

#include <math.h>

/* Without an intercept: whether one would separate the classes. */
static int warn_of_origin(hsp_fit *f, int64_t k, double deadline, hsp_error **err) {
    hsp_verdict verdict;
    int status = hsp_fit_verdict(f, k, false, deadline, &verdict, err);
    if (status) return status;
    bool helps = verdict == HSP_SEPARABLE;
    hsp_text_format(&f->notes.warnings, " are %s: %suse -a svm (soft margin)\n",
                    helps ? "linearly separable only with an intercept, and --intercept none leaves it out"
                          : "not linearly separable by a hyperplane through the origin",
                    helps ? "use --intercept free, or for a hyperplane through the origin " : "");
    return HSP_OK;
}

static int warn_infeasible(hsp_fit *f, double deadline, hsp_error **err) {
    bool origin = hsp_options_is(f->job.options, "intercept", "none");
    int status = HSP_OK;
    for (int64_t k = 0; k < f->out.outputs && !status; k++) {
        const hsp_proof *p = &f->out.proofs[k];
        if (!hsp_fit_asked(f, k) || p->verdict == HSP_SEPARABLE) continue;
        hsp_text_format(&f->notes.warnings, f->out.outputs == 1 ? "the classes%s" : "class %s and the rest",
                        f->out.outputs == 1 ? "" : f->job.prepare->classes.name[k]);
        if (p->verdict == HSP_UNDECIDED)
            hsp_text_format(&f->notes.warnings, " could not be proven separable or not (%s): use -a svm\n",
                            p->reason ? p->reason : "undecided");
        else if (origin)
            status = warn_of_origin(f, k, deadline, err);
        else
            hsp_text_format(&f->notes.warnings, " are not linearly separable%s: use -a svm (soft margin)\n",
                            p->verdict == HSP_TOUCHING ? " (their convex hulls touch)" : "");
    }
    return status;
}

static hsp_stop stop_of(hsp_verdict verdict) {
    return verdict == HSP_NOT_SEPARABLE ? HSP_STOP_NOT_SEPARABLE
           : verdict == HSP_TOUCHING    ? HSP_STOP_TOUCHING
                                        : HSP_STOP_UNDECIDED;
}

/* Tests whether every class is separable from the rest. If one is not, the fit is infeasible and the verdict is
 * the stop reason of that class. */
static int ask_separability(hsp_fit *f, double deadline, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < f->out.outputs; k++) {
        if (f->out.outputs > 1 && hsp_fit_absent(f, k)) continue;
        status = hsp_fit_separate(f, k, deadline, err);
        if (status || f->out.proofs[k].verdict == HSP_SEPARABLE) continue;
        f->out.infeasible = true;
        f->out.results[k].outcome.stop = stop_of(f->out.proofs[k].verdict);
        if (hsp_cancel_pending()) break;
    }
    for (int64_t k = 0; f->out.infeasible && k < f->out.outputs; k++)
        f->out.results[k].outcome.converged = hsp_fit_asked(f, k) && f->out.proofs[k].verdict == HSP_SEPARABLE;
    return status;
}

static int fit_hard_svm(hsp_fit *f, hsp_error **err) {
    double most = hsp_options_real(f->job.options, "max-seconds", NAN);
    double deadline = isnan(most) ? INFINITY : f->job.begun + most;
    hsp_intercept intercept = (hsp_intercept)hsp_options_choice(f->job.options, "intercept");
    f->form.penalty = hsp_penalty_find("l2");
    f->form.solver = &hsp_solver_interior_point;
    f->notes.solved = f->notes.iterative = f->form.certified = f->notes.margins = true;
    if (f->out.outputs > 1) f->form.multiclass = "ovr";
    hsp_evaluation unknown = {NAN, NAN, NAN, NAN};
    for (int64_t k = 0; k < f->out.outputs; k++)
        f->out.results[k] = (hsp_fit_result){
            .label = f->job.prepare->classes.name[f->out.outputs == 1 ? f->job.prepare->positive : k],
            .outcome = {.stop = HSP_STOP_NOT_TRIED, .start = unknown, .end = unknown, .dual_bound = NAN, .gap = NAN},
            .margin = NAN,
            .radius = NAN,
            .bound = NAN};
    int status = ask_separability(f, deadline, err);
    if (status) return status;
    if (f->out.infeasible) {
        hsp_cancel_take(); /* the verdict already reports the interruption */
        return warn_infeasible(f, deadline, err);
    }
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    for (int64_t k = 0; !status && k < f->out.outputs; k++)
        if (f->out.outputs == 1 || !hsp_fit_absent(f, k)) status = hsp_fit_hard_margin(f, k, intercept, deadline, err);
    hsp_fit_restore(f, &about);
    for (int64_t k = 0; !status && k < f->out.outputs; k++)
        if (f->out.outputs == 1 || !hsp_fit_absent(f, k)) status = hsp_fit_clear_margin(f, k, err);
    if (!status) hsp_fit_log(f, "`halfspace explain DATA -a hard-svm` derives primal, dual and KKT conditions with these "
                                "numbers");
    return status;
}

const hsp_classifier hsp_classifier_hard_svm = {
    .name = "hard-svm",
    .help = "hard margin: the maximum-margin separator with its exact support vectors, or a proof that there is none",
    /* no class-weight: without slacks there is nothing to weigh */
    .options = "positive calibrate calibrate-folds decide " HSP_OPTIONS_NUMBERS " intercept tol max-epochs max-seconds",
    .defaults = NULL,
    .automatic = "interior point for few columns, dual coordinate descent for many; both end with exact multipliers",
    .solver = &hsp_solver_interior_point,
    .one_vs_rest = true,
    .fit = fit_hard_svm};
