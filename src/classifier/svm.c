/* svm: the soft margin,
 *     min |w|^2/2 + C sum c_i xi_i,
 * solved to exact multipliers where that is affordable. The weights are then computed from the multipliers,
 *     w = sum alpha_i y_i x_i,
 * with the best intercept for them. With --multiclass crammer-singer more than two classes are one problem,
 *     min |W|^2/2 + C sum_i c_i max_k (g_k + [k != y_i] - g_{y_i}). */
#include "base/error.h"
#include "base/text.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "fit/margin_rows.h"
#include "loss/loss.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "problem/margin_values.h"
#include "problem/multipliers.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <string.h>

/* The gap to reach by default on data with few stored values, where the last steps are cheap: then the multipliers are
 * exact. */
static const double AIM = 1e-10;
enum { FEW_NUMBERS = 2000000 };

/* Margin losses are those whose dual is a box-constrained quadratic program. */
static bool is_margin(const hsp_loss *loss) {
    return loss->dual_shape == HSP_DUAL_BOX;
}

static int refuse_loss(const char *name, hsp_error **err) {
    if (strcmp(name, hsp_loss_crammer_singer.name) == 0)
        return hsp_fail(err, HSP_EUSAGE,
                        "crammer-singer is not a value of --loss for svm: use -a svm --multiclass crammer-singer");
    hsp_text margins = {0};
    hsp_loss_names(&margins, is_margin, " or ");
    int status = hsp_fail(err, HSP_EUSAGE, "svm needs loss %s, not %s: use -a logistic, ridge or gradient-descent",
                          margins.s ? margins.s : "", name);
    hsp_text_free(&margins);
    return status;
}

/* Rejects losses and penalties that make another classifier. hsp_fit_choose rejects unknown names. */
static int check_form(const hsp_fit *f, hsp_error **err) {
    const char *loss = hsp_options_text(f->job.options, "loss"), *penalty = hsp_options_text(f->job.options, "penalty");
    if (hsp_loss_find(loss) && !is_margin(hsp_loss_find(loss))) return refuse_loss(loss, err);
    if (hsp_penalty_find(penalty) && strcmp(penalty, "l2") != 0)
        return hsp_fail(err, HSP_EUSAGE,
                        "svm needs --penalty l2, not %s: use -a logistic, or -a gradient-descent --loss %s", penalty, loss);
    return HSP_OK;
}

/* Whether to keep the point: its gap meets a loose tolerance, or coordinate descent computed it from the multipliers. */
static bool good_as_it_is(const hsp_fit *f, const hsp_outcome *o) {
    static const double LOOSE = 1e-8; /* with such a tolerance the margins of single rows need not be exact */
    const hsp_stage *last = o->stages + o->stage_count - 1;
    if (!(o->gap <= f->form.rules.tol)) return false;
    return f->form.rules.tol >= LOOSE || (o->stage_count > 0 && strcmp(last->method, hsp_solver_dual.name) == 0);
}

/* Replaces the point by w of the multipliers and the best b, unless that is worse. */
static int take_weights_of_multipliers(hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *out, hsp_error **err) {
    int64_t n = p->design->n;
    hsp_margin_rows rows = {0};
    if (isnan(out->gap) || !point->alpha || good_as_it_is(f, out)) return HSP_OK;
    int status = hsp_margin_rows_new(p, &rows, err);
    hsp_point *exact = NULL;
    if (!status) status = hsp_point_new(1, point->d, &exact, err);
    if (!status) {
        for (int64_t i = 0; i < n; i++) rows.alpha[i] = hsp_alpha_of_r(p->y[i], hsp_row_weight(p, i), point->alpha[i]);
        hsp_margin_combine(&rows.program, rows.alpha, rows.scratch, exact->w);
        hsp_design_scores(p->design, exact->w, 0, rows.scores);
        exact->b[0] = hsp_margin_best_intercept(&rows.program, rows.scores, rows.scratch);
        hsp_evaluation e = hsp_problem_evaluate(p, exact->w, exact->b);
        double gap = hsp_relative_gap(e.objective, out->dual_bound);
        /* Two gaps of 1 cannot be compared, so the objectives are. */
        if (e.objective <= out->end.objective || gap <= 1e-9) {
            hsp_point_copy(point, exact);
            out->end = e;
            out->gap = gap < 0 ? 0 : gap;
        }
    }
    hsp_point_free(exact);
    hsp_margin_rows_clear(&rows);
    return status;
}

/* Counts a gap within the default tolerance as converged, even if the smaller goal AIM was missed. */
static void accept_tolerance(hsp_fit *f, double tol) {
    f->form.rules.tol = tol;
    for (int64_t k = 0; k < f->out.problems; k++) {
        hsp_outcome *o = &f->out.results[k].outcome;
        if (o->converged || !(o->gap <= tol)) continue;
        o->converged = true;
        if (o->stop == HSP_STOP_NO_PROGRESS) o->stop = HSP_STOP_GAP;
    }
}

/* All classes in one problem (Crammer and Singer 2001); see decision 024. */
static int fit_joint(hsp_fit *f, hsp_error **err) {
    f->form.multiclass = "crammer-singer";
    int status = hsp_options_default(f->job.options, "loss", hsp_loss_crammer_singer.name, err);
    if (!status) status = hsp_fit_choose(f, err);
    if (!status) status = hsp_fit_choose_solver(f, f->out.outputs, err);
    if (status) return status;
    f->form.certified = true;
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    if (!status) status = hsp_fit_solve_joint(f, err);
    hsp_fit_restore(f, &about);
    return status;
}

static int check_multiclass(const hsp_fit *f, bool joint, hsp_error **err) {
    const hsp_options *o = f->job.options;
    if (hsp_options_is(o, "multiclass", "softmax"))
        return hsp_fail(err, HSP_EUSAGE,
                        "softmax is for logistic, not for svm: use -a logistic, or --multiclass crammer-singer or ovr");
    if (joint && hsp_options_is_set(o, "loss"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--multiclass crammer-singer has a loss of its own: leave --loss out, or use --multiclass ovr");
    return HSP_OK;
}

static int fit_svm(hsp_fit *f, hsp_error **err) {
    bool joint = f->out.outputs > 1 && hsp_options_is(f->job.options, "multiclass", "crammer-singer");
    int status = check_multiclass(f, joint, err);
    if (!status) status = check_form(f, err);
    if (status || joint) return status ? status : fit_joint(f, err);
    status = hsp_fit_choose(f, err);
    double tol = f->form.rules.tol;
    if (!f->form.rules.tol_given && f->job.data->x.stored <= FEW_NUMBERS) f->form.rules.tol = AIM;
    if (!status) status = hsp_fit_choose_solver(f, 1, err);
    if (status) return status;
    /* svm needs a solver for L2 penalties that has its own multipliers. The loss meets the requirements of them all. */
    if (!f->form.solver->proposes || !f->form.solver->smooth_penalty)
        return hsp_fail(err, HSP_EUSAGE,
                        "the solvers of svm are interior-point, proximal-point, dual%s, not '%s': leave --solver out",
                        f->form.loss->traits & HSP_LOSS_CURVED ? ", newton, newton-cg" : "", f->form.solver->name);
    f->form.certified = f->notes.margins = true;
    f->form.refine = take_weights_of_multipliers;
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    if (!status) status = hsp_fit_solve(f, err);
    hsp_fit_restore(f, &about);
    if (!status) accept_tolerance(f, tol);
    return status;
}

static const char *const defaults[] = {"loss", "hinge", "penalty", "l2", NULL};

const hsp_classifier hsp_classifier_svm = {
    .name = "svm",
    .help = "soft-margin support vector machine: min |w|^2/2 + C sum xi, with its support vectors; losses hinge, "
            "squared-hinge, smoothed-hinge and modified-huber; only the l2 penalty; with certificate",
    .options = HSP_OPTIONS_ANY " intercept loss penalty C lambda solver multiclass tol max-epochs max-seconds",
    .defaults = defaults,
    .automatic =
        "the cheapest of the solvers dual, proximal-point and interior-point; for the smooth losses also newton and "
        "newton-cg; multiclass ovr; for crammer-singer class-dual or class-interior",
    .solver = &hsp_solver_interior_point,
    .only_l2 = true,
    .iterates = true,
    .fit = fit_svm};
