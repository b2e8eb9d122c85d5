/* ridge: a regression loss with an L2 penalty,
 *     min |w|^2 / 2 + C sum c_i loss_i
 * The squared loss is solved exactly, and leave-one-out can choose lambda; other losses are solved by Newton's method, to a
 * certified gap. */
#include "base/error.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "fit/squares_fit.h"
#include "loss/loss.h"
#include "option/options.h"
#include "solve/loop/solver.h"

/* Rejects options that only the closed form supports. */
static int check_closed_form(const hsp_fit *f, const hsp_loss *loss, hsp_error **err) {
    const hsp_options *o = f->job.options;
    if (!(loss->traits & HSP_LOSS_NUMBERS))
        return hsp_fail(err, HSP_EUSAGE, "ridge needs a regression loss, not %s: use -a svm, logistic or gradient-descent",
                        loss->name);
    if (hsp_options_is(o, "lambda", "auto") || hsp_options_is(o, "loo", "yes"))
        return hsp_fail(err, HSP_EUSAGE,
                        "leave-one-out has a closed form only for --loss squared, not for %s: leave --%s out", loss->name,
                        hsp_options_is(o, "loo", "yes") ? "loo" : "lambda auto");
    return HSP_OK;
}

static int fit_ridge(hsp_fit *f, hsp_error **err) {
    const char *name = hsp_options_text(f->job.options, "loss");
    const hsp_loss *loss = name ? hsp_loss_find(name) : NULL;
    if (!name || loss == &hsp_loss_squared) {
        int status = hsp_fit_check_idle(f, "delta", false, "without the huber loss: add --loss huber", err);
        bool penalised = !hsp_options_is(f->job.options, "lambda", "0");
        return status ? status : hsp_fit_squares(f, penalised, err);
    }
    int status = loss ? check_closed_form(f, loss, err) : HSP_OK;
    if (!status) status = hsp_options_default(f->job.options, "penalty", "l2", err);
    return status ? status : hsp_fit_regression(f, err);
}

const hsp_classifier hsp_classifier_ridge = {
    .name = "ridge",
    .help = "least squares with an L2 penalty in closed form, --lambda auto by exact leave-one-out; --loss huber by Newton's "
            "method; with certificate",
    .options = HSP_OPTIONS_ANY " intercept C lambda tol loo loss delta",
    .solver = &hsp_solver_newton,
    .regression = true,
    .lambda_auto = true,
    .one_vs_rest = true,
    .fit = fit_ridge};
