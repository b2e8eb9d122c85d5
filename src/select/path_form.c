/* The objective of a path: a loss and a penalty, given by name or by an algorithm that stands for both. */
#include "base/error.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "option/unknown_name.h"
#include "penalty/penalty.h"
#include "problem/problem.h"
#include "select/path.h"

#include <math.h>
#include <string.h>

/* ---- options ---- */

/* The algorithms with a lambda and a certificate. */
static const char *const algorithms[] = {"logistic", "svm", "ridge", "lasso", "elastic-net", NULL};

static int check_algorithm(const char *name, const hsp_options *o, hsp_error **err) {
    static const char *const forms[] = {"loss", "penalty", "l1-ratio", "delta", NULL};
    const hsp_classifier *c = hsp_classifier_find(name);
    int64_t known = 0;
    while (algorithms[known] && strcmp(algorithms[known], name) != 0) known++;
    if (!algorithms[known])
        return hsp_fail(
            err, HSP_EUSAGE,
            "a path of %s is not defined: use -a logistic, svm, ridge, lasso or elastic-net, or give --loss and "
            "--penalty instead",
            name);
    for (int k = 0; forms[k]; k++)
        if (hsp_options_is_set(o, forms[k]) && !hsp_classifier_takes(c, forms[k]))
            return hsp_fail(err, HSP_EUSAGE,
                            "%s does not use --%s: leave it out, or leave -a out and give --loss and --penalty", name,
                            forms[k]);
    if (c->only_l2 && hsp_options_is_set(o, "penalty") && !hsp_options_is(o, "penalty", "l2"))
        return hsp_fail(err, HSP_EUSAGE,
                        "%s needs --penalty l2: leave --penalty out, or use --loss squared-hinge without -a", name);
    return HSP_OK;
}

/* What the algorithm stands for, where the user has not said otherwise. */
static int fill_form(const char *name, bool regression, hsp_options *o, hsp_error **err) {
    const hsp_classifier *c = name ? hsp_classifier_find(name) : NULL;
    const char *loss = c && !regression ? hsp_classifier_default(c, "loss") : NULL;
    const char *penalty = c && (c->only_l2 || c->only_numbers) ? hsp_classifier_default(c, "penalty") : NULL;
    if (c && strcmp(name, "ridge") == 0) {
        loss = "squared";
        penalty = "l2";
    }
    if (!loss) loss = regression ? "squared" : "logistic";
    int status = hsp_options_is_set(o, "loss") ? HSP_OK : hsp_options_set(o, "loss", loss, err);
    if (!status && !hsp_options_is_set(o, "penalty")) status = hsp_options_set(o, "penalty", penalty ? penalty : "l1", err);
    return status;
}

int hsp_path_options(const hsp_data *data, const hsp_options *o, hsp_options **out, hsp_error **err) {
    *out = NULL;
    const char *name = hsp_options_is_set(o, "algorithm") ? hsp_options_text(o, "algorithm") : NULL;
    if (!data->y && !data->target)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "no labels: give their column with --target");
    int status = hsp_options_is_set(o, "C") || hsp_options_is_set(o, "lambda")
                     ? hsp_fail(err, HSP_EUSAGE,
                                "a path has many values of lambda: leave -C and --lambda out, or give the values with "
                                "--lambdas")
                     : HSP_OK;
    if (!status && name) status = check_algorithm(name, o, err);
    if (!status) status = hsp_options_copy(o, out, err);
    if (!status) status = fill_form(name, data->target != NULL, *out, err);
    if (status) {
        hsp_options_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- the formulation ---- */

static bool suits(const hsp_loss *loss, bool regression) {
    unsigned traits = HSP_LOSS_DUAL | (regression ? HSP_LOSS_NUMBERS : HSP_LOSS_CLASSES);
    return (loss->traits & traits) == traits && !(loss->traits & (HSP_LOSS_MANY | HSP_LOSS_TRIVIAL));
}

static bool suits_classes(const hsp_loss *loss) {
    return suits(loss, false);
}

static bool suits_numbers(const hsp_loss *loss) {
    return suits(loss, true);
}

static const char *loss_at(int64_t i) {
    for (int64_t k = 0; hsp_loss_table[k]; k++)
        if ((suits_classes(hsp_loss_table[k]) || suits_numbers(hsp_loss_table[k])) && i-- == 0)
            return hsp_loss_table[k]->name;
    return NULL;
}

static const char *penalty_at(int64_t i) {
    return hsp_penalty_table[i] ? hsp_penalty_table[i]->name : NULL;
}

static int refuse_loss(const char *name, bool regression, hsp_error **err) {
    hsp_text names = {0};
    hsp_loss_names(&names, regression ? suits_numbers : suits_classes, " or ");
    int status = hsp_fail(err, HSP_EUSAGE, "no path of loss '%s' for %s: use --loss %s", name,
                          regression ? "regression" : "classification", names.s ? names.s : "");
    hsp_text_free(&names);
    return status;
}

static int check_form(const hsp_fit *f, hsp_error **err) {
    const hsp_loss *loss = f->form.loss;
    const hsp_penalty *penalty = f->form.penalty;
    double rho = penalty->mixed ? hsp_options_real(f->job.options, "l1-ratio", 0.5) : penalty->l1;
    unsigned needs = HSP_LOSS_SMOOTH | HSP_LOSS_CURVED;
    if (!penalty->penalises)
        return hsp_fail(err, HSP_EUSAGE, "without a penalty there is no lambda to vary: use --penalty l1, elastic or l2");
    if (rho > 0 && (loss->traits & needs) != needs)
        return hsp_fail(err, HSP_EUSAGE,
                        "a path with an L1 penalty needs a smooth loss, and '%s' is not: use --penalty l2, or --loss "
                        "squared-hinge",
                        loss->name);
    if (f->out.outputs > 1)
        return hsp_fail(err, HSP_EUSAGE,
                        "a path needs two classes, and the data have %lld: choose the positive class with --positive LABEL",
                        (long long)f->job.prepare->classes.count);
    int status =
        hsp_fit_check_idle(f, "l1-ratio", penalty->mixed, "without the elastic penalty: add --penalty elastic", err);
    if (!status)
        status = hsp_fit_check_idle(f, "delta", loss->option != NULL, "without the huber loss: add --loss huber", err);
    return status;
}

static int choose_form(hsp_fit *f, hsp_error **err) {
    const char *loss = hsp_options_text(f->job.options, "loss"), *penalty = hsp_options_text(f->job.options, "penalty");
    f->form.loss = hsp_loss_find(loss);
    if (!f->form.loss) return hsp_fail_unknown_name("loss", loss, loss_at, err);
    if (!suits(f->form.loss, f->rows.target != NULL)) return refuse_loss(loss, f->rows.target != NULL, err);
    f->form.penalty = hsp_penalty_find(penalty);
    if (!f->form.penalty) return hsp_fail_unknown_name("penalty", penalty, penalty_at, err);
    if (f->form.loss->option) {
        f->form.own = f->form.loss->with(hsp_options_real(f->job.options, f->form.loss->option, f->form.loss->parameter));
        f->form.loss = &f->form.own;
    }
    return check_form(f, err);
}

/* ---- the classifier ---- */

static int pose_and_solve(hsp_fit *f, hsp_error **err) {
    const hsp_problem_spec spec = {.loss = f->form.loss,
                                   .penalty = f->form.penalty,
                                   .intercept = (hsp_intercept)hsp_options_choice(f->job.options, "intercept"),
                                   .kink = HSP_KINK_OPEN,
                                   .C = NAN,
                                   .lambda = 1,
                                   .l1_ratio = hsp_options_real(f->job.options, "l1-ratio", 0.5),
                                   .c = f->rows.c,
                                   .regression = f->rows.target != NULL};
    hsp_problem *p = NULL;
    int status = hsp_problem_new(f->job.design, &spec, &p, err);
    if (!status) {
        hsp_fit_targets(f, 0, p->y);
        status = hsp_path_solve(f->job.context, f, p, err);
    }
    hsp_problem_free(p);
    return status;
}

static int fit_path(hsp_fit *f, hsp_error **err) {
    hsp_path_sweep *w = f->job.context;
    int status = choose_form(f, err);
    if (status) return status;
    w->loss = f->form.loss == &f->form.own ? hsp_loss_find(f->form.loss->name)->name : f->form.loss->name;
    w->penalty = f->form.penalty->name;
    w->rho = f->form.penalty->mixed ? hsp_options_real(f->job.options, "l1-ratio", 0.5) : f->form.penalty->l1;
    w->tol = hsp_options_real(f->job.options, "tol", 1e-6);
    w->regression = f->rows.target != NULL;
    if (f->form.loss->traits & HSP_LOSS_ODDS) f->out.link = HSP_LINK_LOGISTIC;
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    if (!status) status = pose_and_solve(f, err);
    hsp_fit_restore(f, &about);
    return status;
}

static const char *const defaults[] = {"tol", "1e-6", NULL};

const hsp_classifier hsp_classifier_path = {.name = "path",
                                            .help = "the optima of one objective for many values of lambda",
                                            .options =
                                                HSP_OPTIONS_ANY " intercept loss delta penalty l1-ratio tol max-seconds",
                                            .defaults = defaults,
                                            .regression = true,
                                            .probabilities = true,
                                            .fit = fit_path};
