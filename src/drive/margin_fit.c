/* Fits of losses of margins, and softmax: logistic and svm. */
#include "base/error.h"
#include "base/memory.h"
#include "drive/barrier.h"
#include "drive/descent.h"
#include "drive/method.h"
#include "drive/round_watch.h"
#include "drive/sparse_fit.h"
#include "drive/drive_problem.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "solve/loop/solver.h"

#include <math.h>
#include <string.h>

/* The solvers that have a form over parts. */
static int choose_solver(hsp_drive *d, const hsp_drive_problem *p, bool *gram, hsp_error **err) {
    const hsp_options *o = d->fit.job.options;
    const char *name = hsp_options_text(o, "solver");
    *gram = hsp_drive_by_hessians(p);
    if (hsp_options_is(o, "solver", "newton-cg")) *gram = false;
    if (hsp_options_is(o, "solver", "newton") && !*gram)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver 'newton' over parts would need matrices of %lld columns: use newton-cg, or leave --solver out",
                        (long long)p->d);
    if (!hsp_options_is(o, "solver", "auto") && !hsp_options_is(o, "solver", "newton") &&
        !hsp_options_is(o, "solver", "newton-cg"))
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' needs all rows at once and cannot run over parts: leave --solver out, or use newton or "
                        "newton-cg",
                        name);
    d->fit.form.solver = *gram ? &hsp_solver_newton : &hsp_solver_newton_cg;
    return HSP_OK;
}

static void keep_weights(hsp_drive *d, const hsp_drive_problem *p) {
    for (int64_t k = 0; k < p->figures * p->width; k++) {
        memcpy(d->fit.out.w + k * p->d, p->theta + k * (p->d + 1), (size_t)p->d * sizeof(double));
        d->fit.out.b[k] = p->theta[k * (p->d + 1) + p->d];
    }
}

static int run_descent(hsp_drive *d, hsp_drive_problem *p, hsp_error **err) {
    hsp_descent s = {0};
    bool gram = false;
    int status = choose_solver(d, p, &gram, err);
    if (!status && !p->loss->second && !p->joint) return hsp_drive_by_barrier(p, gram, err);
    if (!status) status = hsp_descent_new(p, gram, &s, err);
    if (!status) status = hsp_descent_run(&s, NULL, NULL, err);
    hsp_descent_clear(&s);
    return status;
}

static int check_penalty(const hsp_drive *d, hsp_error **err) {
    const hsp_formulation *form = &d->fit.form;
    if (!form->penalty->penalises)
        return hsp_fail(err, HSP_EUSAGE,
                        "without a penalty no bound is known over parts: use a small --lambda, such as 1e-9");
    return HSP_OK;
}

/* L1 has a method of its own. */
static int check_sparse(const hsp_drive *d, bool joint, hsp_error **err) {
    const hsp_options *o = d->fit.job.options;
    if (joint)
        return hsp_fail(err, HSP_EUSAGE, "penalty '%s' over parts needs --multiclass ovr: add it, or use --penalty l2",
                        d->fit.form.penalty->name);
    if (!hsp_options_is(o, "solver", "auto") && !hsp_options_is(o, "solver", "prox-newton"))
        return hsp_fail(err, HSP_EUSAGE, "solver '%s' over parts needs --penalty l2: leave --solver out",
                        hsp_options_text(o, "solver"));
    return HSP_OK;
}

static int run_sparse(hsp_drive *d, hsp_drive_problem *p, hsp_error **err) {
    int status = check_sparse(d, p->joint, err);
    d->fit.form.solver = &hsp_solver_prox_newton;
    return status ? status : hsp_drive_by_columns(p, err);
}

static int fit_loss(hsp_drive *d, bool joint, hsp_error **err) {
    hsp_drive_problem p = {0};
    int status = check_penalty(d, err);
    if (!status) status = hsp_drive_pose(d, joint, &p, err);
    if (!status) {
        hsp_drive_open_results(&p);
        status = p.rho > 0 ? run_sparse(d, &p, err) : run_descent(d, &p, err);
    }
    if (!status) keep_weights(d, &p);
    hsp_drive_problem_clear(&p);
    return status;
}

int hsp_drive_fit_logistic(hsp_drive *d, hsp_error **err) {
    hsp_fit *f = &d->fit;
    bool joint = f->out.outputs > 1 && !hsp_options_is(f->job.options, "multiclass", "ovr");
    if (hsp_options_is(f->job.options, "multiclass", "crammer-singer"))
        return hsp_fail(err, HSP_EUSAGE,
                        "crammer-singer is for svm, not for logistic: use --multiclass softmax or ovr");
    int status = hsp_fit_choose(f, err);
    if (status) return status;
    if (joint) f->form.loss = &hsp_loss_softmax;
    f->out.link = joint ? HSP_LINK_SOFTMAX : f->out.outputs > 1 ? HSP_LINK_OVR : HSP_LINK_LOGISTIC;
    if (f->out.outputs > 1) f->form.multiclass = joint ? "softmax" : "ovr";
    return fit_loss(d, joint, err);
}

int hsp_drive_fit_svm(hsp_drive *d, hsp_error **err) {
    hsp_fit *f = &d->fit;
    if (f->out.outputs > 1 && hsp_options_is_set(f->job.options, "multiclass") &&
        !hsp_options_is(f->job.options, "multiclass", "ovr"))
        return hsp_fail(err, HSP_EUSAGE, "svm over parts has only --multiclass ovr: leave it out");
    int status = hsp_fit_choose(f, err);
    if (status) return status;
    if (f->out.outputs > 1) f->form.multiclass = "ovr";
    if (f->form.loss->dual_shape != HSP_DUAL_BOX)
        return hsp_fail(err, HSP_EUSAGE, "svm needs a loss of margins with a bound, not '%s': use -a logistic",
                        f->form.loss->name);
    return fit_loss(d, false, err);
}
