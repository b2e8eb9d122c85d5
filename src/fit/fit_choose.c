/* Looks up loss, penalty and solver by name, and chooses the solver for --solver auto. */
#include "base/error.h"
#include "base/text.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "option/options.h"
#include "option/unknown_name.h"
#include "penalty/penalty.h"
#include "solve/loop/choose.h"
#include "solve/loop/solver.h"

#include <inttypes.h>
#include <math.h>

/* ---- by name ---- */

/* The losses that --loss can name: those that can be minimised, with one score for each row. */
static const char *loss_at(int64_t i) {
    for (int64_t k = 0; hsp_loss_table[k]; k++)
        if ((hsp_loss_table[k]->traits & HSP_LOSS_SLOPE) && !(hsp_loss_table[k]->traits & HSP_LOSS_MANY) && i-- == 0)
            return hsp_loss_table[k]->name;
    return NULL;
}

static const char *penalty_at(int64_t i) {
    return hsp_penalty_table[i] ? hsp_penalty_table[i]->name : NULL;
}

static const char *solver_at(int64_t i) {
    if (i-- == 0) return "auto";
    for (int64_t k = 0; hsp_solver_table[k]; k++)
        if (!hsp_solver_table[k]->counts_mistakes && i-- == 0) return hsp_solver_table[k]->name;
    return NULL;
}

/* Whether the algorithm takes the loss for this task, and the loss has these traits. */
static bool suits(const hsp_fit *f, const hsp_loss *loss, unsigned traits) {
    traits |= f->rows.target ? HSP_LOSS_NUMBERS : HSP_LOSS_CLASSES;
    if ((loss->traits & traits) != traits || (loss->traits & HSP_LOSS_MANY)) return false;
    return !f->job.classifier->only_l2 || loss->dual_shape == HSP_DUAL_BOX; /* maximum-margin classifiers */
}

/* "solver X needs Y, and loss L has none: use --loss A or B, or leave --solver out" */
static int explain_misfit(const hsp_fit *f, unsigned lacks, hsp_error **err) {
    hsp_text remedy = {0};
    int64_t left = 0;
    bool own = hsp_classifier_takes(f->job.classifier, "loss");
    for (int64_t i = 0; own && hsp_loss_table[i]; i++) left += suits(f, hsp_loss_table[i], lacks);
    for (int64_t i = 0; left > 0; i++)
        if (suits(f, hsp_loss_table[i], lacks)) {
            left--;
            hsp_text_add(&remedy, !remedy.length ? "use --loss " : left == 0 ? " or " : ", ");
            hsp_text_add(&remedy, hsp_loss_table[i]->name);
        }
    if (!hsp_options_is(f->job.options, "solver", "auto"))
        hsp_text_format(&remedy, "%sleave --solver out", remedy.length ? ", or " : "");
    const char *need = lacks & HSP_LOSS_SLOPE    ? "a subgradient"
                       : lacks & HSP_LOSS_CURVED ? "a curvature"
                       : lacks & HSP_LOSS_SMOOTH ? "a continuous derivative"
                                                 : "a conjugate";
    int status = remedy.failed ? hsp_fail_memory(err)
                               : hsp_fail(err, HSP_EUSAGE, "solver '%s' needs %s, and loss '%s' has none: %s",
                                          f->form.solver->name, need, f->form.loss->name, remedy.s ? remedy.s : "");
    hsp_text_free(&remedy);
    return status;
}

static bool takes_numbers(const hsp_loss *loss) {
    return loss->traits & HSP_LOSS_NUMBERS;
}

static int refuse_task(const hsp_fit *f, hsp_error **err) {
    const char *name = f->form.loss->name;
    if (!f->rows.target)
        return hsp_fail(err, HSP_EUSAGE, "loss '%s' is for regression: use --task regression, or another loss", name);
    hsp_text names = {0};
    hsp_loss_names(&names, takes_numbers, " or ");
    int status = hsp_fail(err, HSP_EUSAGE, "loss '%s' is for classification: for regression use --loss %s", name,
                          names.s ? names.s : "");
    hsp_text_free(&names);
    return status;
}

int hsp_fit_check_idle(const hsp_fit *f, const char *option, bool used, const char *remedy, hsp_error **err) {
    if (used || !hsp_options_is_set(f->job.options, option)) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "%s%s has no effect %s, or leave it out", hsp_option_dashes(option), option, remedy);
}

/* Refuses options that have no effect beside the others. */
static int check_idle_options(const hsp_fit *f, hsp_error **err) {
    const struct {
        const char *option;
        bool used;
        const char *remedy;
    } list[] = {
        {"C", f->form.penalty->penalises, "without a penalty: add --penalty l2"},
        {"lambda", f->form.penalty->penalises || hsp_options_is(f->job.options, "lambda", "0"),
         "without a penalty: add --penalty l2"},
        {"l1-ratio", f->form.penalty->mixed, "without the elastic penalty: add --penalty elastic"},
        {"delta", f->form.loss->option, "without the huber loss: add --loss huber"},
        {"kink", f->form.loss->traits & HSP_LOSS_KINKED, "without the hinge loss: add --loss hinge"},
    };
    int status = HSP_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && !status; i++)
        status = hsp_fit_check_idle(f, list[i].option, list[i].used, list[i].remedy, err);
    return status;
}

/* Losses of K scores need solvers for them, and some solvers have no other use. */
static int check_outputs(const hsp_fit *f, bool kinked_classes, hsp_error **err) {
    const hsp_solver *solver = f->form.solver;
    const unsigned of_classes = HSP_LOSS_MANY | HSP_LOSS_KINKED;
    bool many = f->form.loss->traits & HSP_LOSS_MANY, only = (solver->needs & of_classes) == of_classes;
    if (kinked_classes && !f->form.multiclass)
        return hsp_fail(err, HSP_EUSAGE,
                        "loss '%s' has a score for each class: use -a svm --multiclass crammer-singer, or another loss",
                        f->form.loss->name);
    if (kinked_classes && !only)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' cannot solve --multiclass crammer-singer: use class-dual or class-interior, or leave "
                        "--solver out",
                        solver->name);
    if (many && !solver->many)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' takes one score per row, and loss '%s' has one for each class: use -a logistic",
                        solver->name, f->form.loss->name);
    if (only && !many)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' solves for all classes together: use it with -a svm --multiclass crammer-singer and "
                        "more than two classes, or leave --solver out",
                        solver->name);
    return HSP_OK;
}

int hsp_fit_choose(hsp_fit *f, hsp_error **err) {
    const char *loss = hsp_options_text(f->job.options, "loss"), *penalty = hsp_options_text(f->job.options, "penalty");
    const char *solver = hsp_options_text(f->job.options, "solver");
    if (f->rows.target && !hsp_options_is_set(f->job.options, "loss")) loss = "squared";
    f->form.loss = hsp_loss_find(loss);
    if (!f->form.loss) return hsp_fail_unknown_name("loss", loss, loss_at, err);
    if (!(f->form.loss->traits & (f->rows.target ? HSP_LOSS_NUMBERS : HSP_LOSS_CLASSES))) return refuse_task(f, err);
    if (f->form.loss->option) {
        f->form.own = f->form.loss->with(hsp_options_real(f->job.options, f->form.loss->option, f->form.loss->parameter));
        f->form.loss = &f->form.own;
    }
    f->form.penalty = hsp_penalty_find(hsp_options_is(f->job.options, "lambda", "0") ? "none" : penalty);
    if (!f->form.penalty) return hsp_fail_unknown_name("penalty", penalty, penalty_at, err);
    bool kinked_classes = (f->form.loss->traits & HSP_LOSS_MANY) && !(f->form.loss->traits & HSP_LOSS_SMOOTH);
    f->form.solver = strcmp(solver, "auto") != 0            ? hsp_solver_find(solver)
                     : kinked_classes && f->form.multiclass ? &hsp_solver_class_dual
                                                            : f->job.classifier->solver;
    if (!f->form.solver) return hsp_fail_unknown_name("solver", solver, solver_at, err);
    if (f->form.solver->counts_mistakes)
        return hsp_fail(err, HSP_EUSAGE, "solver 'perceptron' does not minimise an objective: use -a perceptron");
    int status = check_outputs(f, kinked_classes, err);
    if (status) return status;
    if (f->form.solver->smooth_penalty && f->form.penalty->penalises && (f->form.penalty->mixed || f->form.penalty->l1 > 0))
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' needs a smooth penalty, and '%s' contains L1: use --solver prox-newton",
                        f->form.solver->name, f->form.penalty->name);
    unsigned lacks = f->form.solver->needs & ~f->form.loss->traits;
    return lacks ? explain_misfit(f, lacks, err) : check_idle_options(f, err);
}

/* ---- by cost ---- */

/* The weight of the loss of a row with c_i = 1, as in hsp_problem_new. */
static double weight_of_losses(const hsp_fit *f) {
    double C = hsp_options_real(f->job.options, "C", NAN), lambda = hsp_options_real(f->job.options, "lambda", NAN);
    if (!f->form.penalty->penalises) return 1;
    return !isnan(lambda) ? 1 / (lambda * (double)f->rows.count) : isnan(C) ? 1 : C;
}

int hsp_fit_choose_solver(hsp_fit *f, int64_t outputs, hsp_error **err) {
    bool automatic = hsp_options_is(f->job.options, "solver", "auto");
    if (automatic) {
        hsp_facts facts = hsp_facts_of(f->job.design, f->form.loss, weight_of_losses(f), f->form.rules.tol);
        facts.outputs = outputs;
        facts.penalised = f->form.penalty->penalises;
        facts.l1 = facts.penalised && (f->form.penalty->mixed || f->form.penalty->l1 > 0);
        hsp_solver_choice choice = hsp_choose(&facts);
        f->form.solver = choice.first;
        f->form.rules.next = choice.next;
        for (int k = 0; k < HSP_MOST_FALLBACKS; k++) f->form.rules.fallback[k] = choice.fallback[k];
    }
    hsp_fit_log(f, "solver %s%s: %" PRId64 " rows, %" PRId64 " columns (%s), %" PRId64 " output%s", f->form.solver->name,
                automatic ? " (chosen)" : "", f->job.design->n, f->job.design->d, f->job.data->x.dense ? "dense" : "sparse",
                f->out.outputs,
                f->out.outputs == 1 ? ""
                : outputs > 1       ? "s in one problem"
                                    : "s, one problem each");
    /* Above this size the matrix of a solver would take hours, or more memory than there is. */
    enum { MOST = 12000 };
    const hsp_solver *s = f->form.solver;
    int64_t size = f->job.design->d * outputs;
    if (size <= MOST || !s->without_matrix) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "solver '%s' would need a matrix of %" PRId64 " x %" PRId64 " numbers: use %s, or leave --solver out",
                    s->name, size, size, s->without_matrix);
}
