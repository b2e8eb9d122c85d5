/* The descent family: which loss, penalty and solver, and what `auto` means for the steps. */
#include "base/error.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "solve/loop/solver.h"

#include <math.h>
#include <string.h>

static int unknown(hsp_error **err, const char *what, const char *name, const char *plural) {
    return hsp_fail(err, HSP_EUSAGE, "unknown %s '%s': `halfspace list %s` shows what there is", what, name, plural);
}

/* "solver X needs Y; loss L has none; these have: ..." */
static int misfit(const hsp_fit *f, unsigned lacks, hsp_error **err) {
    hsp_text have = {0};
    for (int64_t i = 0; hsp_loss_table[i]; i++)
        if ((hsp_loss_table[i]->traits & lacks) == lacks && !(hsp_loss_table[i]->traits & HSP_LOSS_MANY)) {
            if (have.length) hsp_text_add(&have, ", ");
            hsp_text_add(&have, hsp_loss_table[i]->name);
        }
    const char *need = lacks & HSP_LOSS_SLOPE    ? "a slope"
                       : lacks & HSP_LOSS_CURVED ? "a curvature"
                       : lacks & HSP_LOSS_SMOOTH ? "a smooth loss"
                                                 : "a conjugate";
    int status = hsp_fail(err, HSP_EUSAGE, "solver '%s' needs %s; loss '%s' has none; these have: %s", f->form.solver->name,
                          need, f->form.loss->name, have.s ? have.s : "");
    hsp_text_free(&have);
    return status;
}

int hsp_fit_choose(hsp_fit *f, hsp_error **err) {
    const char *loss = hsp_options_text(f->job.options, "loss"), *penalty = hsp_options_text(f->job.options, "penalty");
    const char *solver = hsp_options_text(f->job.options, "solver");
    if (f->rows.target && !hsp_options_is_set(f->job.options, "loss")) loss = "squared";
    f->form.loss = hsp_loss_find(loss);
    if (!f->form.loss) return unknown(err, "loss", loss, "losses");
    if (f->rows.target && !(f->form.loss->traits & HSP_LOSS_NUMBERS))
        return hsp_fail(err, HSP_EUSAGE, "loss '%s' is for classes: to predict a number use --loss squared", loss);
    f->form.penalty = hsp_penalty_find(penalty);
    if (!f->form.penalty) return unknown(err, "penalty", penalty, "penalties");
    f->form.solver = strcmp(solver, "auto") == 0 ? f->job.classifier->solver : hsp_solver_find(solver);
    if (!f->form.solver) return unknown(err, "solver", solver, "solvers");
    if (f->form.solver->counts_mistakes)
        return hsp_fail(err, HSP_EUSAGE, "solver 'perceptron' minimises no objective: use -a perceptron");
    if ((f->form.loss->traits & HSP_LOSS_MANY) && !f->form.solver->many)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' takes one score a row; loss '%s' has one for each class: use -a logistic",
                        f->form.solver->name, f->form.loss->name);
    if (f->form.solver->smooth_penalty && f->form.penalty->penalises && (f->form.penalty->mixed || f->form.penalty->l1 > 0))
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' needs a smooth penalty; '%s' has a part of L1: use --solver prox-newton",
                        f->form.solver->name, f->form.penalty->name);
    unsigned lacks = f->form.solver->needs & ~f->form.loss->traits;
    return lacks ? misfit(f, lacks, err) : HSP_OK;
}

/* A mean over B rows is steadier than one row and allows longer steps, by sqrt(B); but not past what the curvature of the
 * loss allows when the rows of a batch pull the same way. */
static double batch_gain(const hsp_fit *f) {
    double gain = sqrt((double)f->form.rules.batch), curvature = f->form.loss->lipschitz;
    double most = curvature > 0 ? 1 / curvature : INFINITY;
    if (most < 1) most = 1;
    return gain < most ? gain : most;
}

/* Schedule, rate and decay that were left to us. */
static void decide(hsp_fit *f, double lambda) {
    hsp_rules *r = &f->form.rules;
    bool batch = f->form.solver->searches;
    double mean, largest;
    hsp_design_norms(f->job.design, f->rows.c, &mean, &largest);
    double q = mean + (hsp_options_is(f->job.options, "intercept", "none") ? 0 : 1);
    if (!(q > 0)) q = 1;
    if (!hsp_options_text(f->job.options, "schedule"))
        r->schedule = batch && (f->form.loss->traits & HSP_LOSS_SMOOTH) ? HSP_SCHEDULE_LINE_SEARCH : HSP_SCHEDULE_DECAY;
    if (isnan(r->rate)) {
        r->rate = batch ? 10 / sqrt(q) : batch_gain(f) / q;
        if (r->schedule == HSP_SCHEDULE_LINE_SEARCH) r->rate = 1 / q;
        if (r->schedule == HSP_SCHEDULE_HARMONIC) r->rate = 1;
    }
    if (isnan(r->decay)) {
        double n = (double)f->rows.count, slow = lambda > 1 / n ? lambda : 1 / n;
        r->decay = batch ? 0.005 : r->rate * slow;
    }
}

static int check_schedule(const hsp_fit *f, double lambda, hsp_error **err) {
    if (f->form.rules.schedule == HSP_SCHEDULE_LINE_SEARCH && !f->form.solver->searches)
        return hsp_fail(err, HSP_EUSAGE,
                        "schedule 'line-search' needs the objective over all rows at every step: use it with "
                        "-a gradient-descent, or another schedule");
    if (f->form.rules.schedule == HSP_SCHEDULE_PEGASOS && !(lambda > 0))
        return hsp_fail(err, HSP_EUSAGE,
                        "schedule 'pegasos' steps by 1/(lambda k), and there is no lambda without a penalty: "
                        "add --penalty l2, or use another schedule");
    return HSP_OK;
}

int hsp_fit_descent(hsp_fit *f, hsp_error **err) {
    int status = hsp_fit_choose(f, err);
    if (status) return status;
    double mass = f->rows.c ? hsp_sum_f64(f->rows.c, f->job.design->n) : (double)f->job.design->n;
    double lambda = hsp_options_real(f->job.options, "lambda", NAN);
    if (isnan(lambda)) lambda = 1 / (hsp_options_real(f->job.options, "C", 1) * mass);
    if (!f->form.penalty->penalises) lambda = 0;
    decide(f, lambda);
    if (f->form.loss->traits & HSP_LOSS_ODDS) f->out.link = f->out.outputs == 1 ? HSP_LINK_LOGISTIC : HSP_LINK_OVR;
    status = check_schedule(f, lambda, err);
    return status ? status : hsp_fit_solve(f, err);
}
