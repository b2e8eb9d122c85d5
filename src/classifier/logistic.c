/* logistic: maximum (penalised) likelihood of
 *     P(y|x) = 1/(1 + exp(-y g)),
 * or of the softmax of K scores, to a certified gap. Unless the user names a solver, it is chosen by cost
 * (solve/loop/choose.h): Newton's method with the full Hessian, Newton-CG or dual coordinate descent; proximal Newton with
 * an L1 penalty. */
#include "base/error.h"
#include "classifier/classifier.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_infinity.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "solve/loop/solver.h"

#include <math.h>

static int pick_solver(hsp_fit *f, bool joint, hsp_error **err) {
    int status = hsp_fit_choose(f, err);
    if (status) return status;
    if (f->form.solver->samples)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' gives no certificate: use -a sgd or -a minibatch with --loss logistic",
                        f->form.solver->name);
    if (joint) f->form.loss = &hsp_loss_softmax;
    status = hsp_fit_choose_solver(f, joint ? f->out.outputs : 1, err);
    if (!status && joint && !f->form.solver->many)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' cannot solve softmax problems: use --solver newton or newton-cg, or --multiclass ovr",
                        f->form.solver->name);
    return status;
}

static int fit_logistic(hsp_fit *f, hsp_error **err) {
    if (hsp_options_is(f->job.options, "multiclass", "crammer-singer"))
        return hsp_fail(err, HSP_EUSAGE,
                        "crammer-singer is for svm, not for logistic: use -a svm, or --multiclass softmax or ovr");
    bool joint = f->out.outputs > 1 && !hsp_options_is(f->job.options, "multiclass", "ovr");
    int status = pick_solver(f, joint, err);
    if (status) return status;
    f->form.rules.schedule = HSP_SCHEDULE_LINE_SEARCH;
    f->form.rules.rate = NAN;
    if (f->form.solver->searches) { /* the first step of the line search of --solver gradient */
        double mean, largest;
        hsp_design_norms(f->job.design, f->rows.c, &mean, &largest);
        f->form.rules.rate = 1 / (mean + 1);
    }
    f->form.certified = true;
    f->out.link = joint ? HSP_LINK_SOFTMAX : f->out.outputs > 1 ? HSP_LINK_OVR : HSP_LINK_LOGISTIC;
    if (f->out.outputs > 1) f->form.multiclass = joint ? "softmax" : "ovr";
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    if (!status) status = joint ? hsp_fit_solve_joint(f, err) : hsp_fit_solve(f, err);
    hsp_fit_restore(f, &about);
    return status ? status : hsp_fit_heed_infinity(f, joint, err);
}

static const char *const defaults[] = {"loss", "logistic", "penalty", "l2", NULL};

const hsp_classifier hsp_classifier_logistic = {
    .name = "logistic",
    .help = "logistic regression, P(y|x) = 1/(1 + exp(-y g)), penalised, softmax for K classes; with certificate",
    .options = HSP_OPTIONS_ANY " intercept penalty C lambda l1-ratio solver multiclass tol max-epochs max-seconds",
    .defaults = defaults,
    .automatic =
        "the cheapest of the solvers newton, newton-cg and dual; prox-newton for penalties with L1; multiclass softmax",
    .solver = &hsp_solver_prox_newton, /* accepts every penalty; --solver auto chooses a faster one */
    .probabilities = true,
    .iterates = true,
    .fit = fit_logistic};
