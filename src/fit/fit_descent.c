/* gradient-descent, sgd and minibatch: the meaning of `auto` for their steps. */
#include "base/error.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "solve/loop/solver.h"

#include <math.h>

/* A descent stops early when its objective has not fallen by this share over so many epochs. An epoch of gradient descent is
 * a single step, and past a kink the objective goes up and down for dozens of steps while the step size falls: stopped
 * after 30 steps it was 15 % above the optimum of a9a. */
enum { PATIENCE = 10, PATIENCE_AT_KINK = 100 };
static const double LEAST_FALL = 1e-4;

/* A mean over B rows has less variance than one row and allows steps longer by sqrt(B). The curvature of the loss limits
 * them where the gradients of a batch point the same way. */
static double batch_gain(const hsp_fit *f) {
    double gain = sqrt((double)f->form.rules.batch), curvature = f->form.loss->lipschitz;
    double most = curvature > 0 ? 1 / curvature : INFINITY;
    if (most < 1) most = 1;
    return gain < most ? gain : most;
}

/* The schedule that follows from the other options: a rate that is given is the rate of every step. */
static hsp_schedule choose_schedule(const hsp_fit *f) {
    if (hsp_options_is_set(f->job.options, "decay")) return HSP_SCHEDULE_DECAY;
    if (!isnan(f->form.rules.rate)) return HSP_SCHEDULE_CONSTANT;
    bool searches = f->form.solver->searches && (f->form.loss->traits & HSP_LOSS_SMOOTH);
    return searches ? HSP_SCHEDULE_LINE_SEARCH : HSP_SCHEDULE_DECAY;
}

/* Sets schedule, rate and decay where the options leave them to `auto`. */
static void decide_steps(hsp_fit *f, double lambda) {
    hsp_rules *r = &f->form.rules;
    bool batch = f->form.solver->searches;
    if (!hsp_options_text(f->job.options, "schedule")) r->schedule = choose_schedule(f);
    if (isnan(r->rate)) {
        double mean, largest;
        hsp_design_norms(f->job.design, f->rows.c, &mean, &largest);
        double q = mean + (hsp_options_is(f->job.options, "intercept", "none") ? 0 : 1);
        if (!(q > 0)) q = 1;
        r->rate = batch ? 10 / sqrt(q) : batch_gain(f) / q;
        if (r->schedule == HSP_SCHEDULE_LINE_SEARCH) r->rate = 1 / q;
        if (r->schedule == HSP_SCHEDULE_HARMONIC) r->rate = 1;
    }
    if (isnan(r->decay)) {
        double n = (double)f->rows.count, slow = lambda > 1 / n ? lambda : 1 / n;
        r->decay = batch ? 0.005 : r->rate * slow;
        if (r->schedule == HSP_SCHEDULE_POWER) r->decay = 0.5;
    }
}

static int check_schedule(const hsp_fit *f, double lambda, hsp_error **err) {
    if (f->form.rules.schedule == HSP_SCHEDULE_LINE_SEARCH && !f->form.solver->searches)
        return hsp_fail(err, HSP_EUSAGE,
                        "schedule 'line-search' needs the objective of all rows at every step: use -a gradient-descent, or "
                        "another schedule");
    if (f->form.rules.schedule == HSP_SCHEDULE_PEGASOS && !(lambda > 0))
        return hsp_fail(err, HSP_EUSAGE,
                        "schedule 'pegasos' needs a penalty for its step size 1/(lambda (k+1)): add --penalty l2, or use "
                        "another schedule");
    int status = hsp_fit_check_idle(f, "decay", hsp_schedule_decays(f->form.rules.schedule),
                                    "with this schedule: add --schedule decay", err);
    if (status) return status;
    return hsp_fit_check_idle(f, "learning-rate", f->form.rules.schedule != HSP_SCHEDULE_PEGASOS,
                              "with --schedule pegasos: use another schedule", err);
}

int hsp_fit_descent(hsp_fit *f, hsp_error **err) {
    int status = hsp_fit_choose(f, err);
    if (status) return status;
    double mass = f->rows.c ? hsp_sum_f64(f->rows.c, f->job.design->n) : (double)f->job.design->n;
    double lambda = hsp_options_real(f->job.options, "lambda", NAN);
    if (isnan(lambda)) lambda = 1 / (hsp_options_real(f->job.options, "C", 1) * mass);
    if (!f->form.penalty->penalises) lambda = 0;
    decide_steps(f, lambda);
    if (!f->form.rules.epochs_given && !f->form.rules.tol_given) {
        bool smooth = f->form.loss->traits & HSP_LOSS_SMOOTH;
        f->form.rules.patience = f->form.solver->searches && !smooth ? PATIENCE_AT_KINK : PATIENCE;
        f->form.rules.least_fall = LEAST_FALL;
    }
    if (f->form.loss->traits & HSP_LOSS_ODDS) f->out.link = f->out.outputs == 1 ? HSP_LINK_LOGISTIC : HSP_LINK_OVR;
    status = check_schedule(f, lambda, err);
    return status ? status : hsp_fit_solve(f, err);
}
