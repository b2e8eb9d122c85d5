/* The options of a fit against its classifier, before anything is computed. */
#include "classifier/train_options.h"

#include "base/error.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "fit/fit.h"
#include "option/options.h"
#include "option/unknown_name.h"

#include <string.h>

static const char *algorithm_at(int64_t i) {
    return hsp_classifier_table[i] ? hsp_classifier_table[i]->name : NULL;
}

int hsp_train_find(const hsp_options *o, bool regression, const hsp_classifier **out, hsp_error **err) {
    const char *name = hsp_classifier_chosen(o, regression);
    *out = hsp_classifier_find(name);
    return *out ? HSP_OK : hsp_fail_unknown_name("algorithm", name, algorithm_at, err);
}

/* Whether the algorithm, chosen or default, could also predict numbers. */
bool hsp_train_regresses(const hsp_options *o) {
    const hsp_classifier *c = hsp_classifier_find(hsp_classifier_chosen(o, true));
    return c && c->regression;
}

static int refuse_option(const hsp_classifier *c, const char *option, bool regression, hsp_error **err) {
    hsp_text others = {0};
    for (int64_t i = 0; hsp_classifier_table[i]; i++)
        if (hsp_classifier_takes(hsp_classifier_table[i], option) && (!regression || hsp_classifier_table[i]->regression))
            hsp_text_format(&others, "%s%s", others.length ? ", " : ", or use an algorithm that does (",
                            hsp_classifier_table[i]->name);
    int status = hsp_fail(err, HSP_EUSAGE, "%s does not use %s%s: leave it out%s%s", c->name, hsp_option_dashes(option),
                          option, others.s ? others.s : "", others.s ? ")" : "");
    hsp_text_free(&others);
    return status;
}

/* --lambda 0 is no penalty: for ridge least squares, and for the algorithms that can do without one. */
static int check_no_penalty(const hsp_classifier *c, const hsp_options *o, hsp_error **err) {
    const char *penalty = hsp_options_is_set(o, "penalty") ? hsp_options_text(o, "penalty") : NULL;
    bool without = c->lambda_auto || (hsp_classifier_takes(c, "penalty") && !c->only_l2);
    if (!without)
        return hsp_fail(err, HSP_EUSAGE, "%s needs a penalty, and --lambda 0 is none: give a number above 0%s", c->name,
                        c->only_l2        ? ", or use -a hard-svm"
                        : c->only_numbers ? ", or use -a least-squares"
                                          : "");
    if (penalty && strcmp(penalty, "none") != 0)
        return hsp_fail(err, HSP_EUSAGE, "--lambda 0 is no penalty, and --penalty %s is one: leave one of the two out",
                        penalty);
    return HSP_OK;
}

/* Rejects training options that this classifier does not use. */
static int check_options(const hsp_classifier *c, const hsp_options *o, bool regression, hsp_error **err) {
    static const char *const of_classes[] = {"positive",  "class-weight",    "multiclass", "priors",
                                             "calibrate", "calibrate-folds", "decide"};
    for (size_t i = 0; regression && i < sizeof of_classes / sizeof *of_classes; i++)
        if (hsp_options_is_set(o, of_classes[i]))
            return hsp_fail(err, HSP_EUSAGE, "--%s is for classification, not for --task regression: leave it out",
                            of_classes[i]);
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *option = &hsp_option_table[i];
        bool training = strcmp(option->group, "train") == 0 || strcmp(option->group, "run") == 0;
        if (!training || !hsp_options_is_set(o, option->name)) continue;
        if (strcmp(option->name, "algorithm") == 0) continue;
        if (c->one_vs_rest && strcmp(option->name, "multiclass") == 0) continue;
        if (!hsp_classifier_takes(c, option->name)) return refuse_option(c, option->name, regression, err);
    }
    /* Options that conflict, or have no meaning here. */
    if (c->one_vs_rest && hsp_options_is_set(o, "multiclass") && !hsp_options_is(o, "multiclass", "ovr"))
        return hsp_fail(err, HSP_EUSAGE,
                        "%s has only --multiclass ovr: leave it out, or use -a logistic --multiclass softmax or -a svm "
                        "--multiclass crammer-singer",
                        c->name);
    if (hsp_options_is_set(o, "C") && hsp_options_is_set(o, "lambda"))
        return hsp_fail(err, HSP_EUSAGE, "-C and --lambda set the same value (lambda = 1/(n C)): give one of them");
    if (hsp_options_is(o, "lambda", "0")) {
        int status = check_no_penalty(c, o, err);
        if (status) return status;
    }
    if (hsp_options_is(o, "lambda", "auto") && !c->lambda_auto)
        return hsp_fail(err, HSP_EUSAGE,
                        "--lambda auto needs leave-one-out errors in closed form, which only ridge has: give a number, or "
                        "use -a ridge");
    return HSP_OK;
}

/* Regression needs numeric targets and a classifier that supports it; numeric targets need regression. */
static int check_task(const hsp_classifier *c, const hsp_data *data, const hsp_options *o, hsp_error **err) {
    bool regression = hsp_options_is(o, "task", "regression");
    if (c->only_numbers && !data->target)
        return hsp_fail(err, HSP_EUSAGE,
                        "%s predicts numbers, and the target was read as classes: read it with --task regression, or use "
                        "-a logistic --penalty %s",
                        c->name, hsp_classifier_default(c, "penalty"));
    if (data->target && !regression && hsp_options_is_set(o, "task"))
        return hsp_fail(err, HSP_EUSAGE, "the data have a numeric target: train with --task regression");
    if (regression && !data->target)
        return hsp_fail(
            err, HSP_EUSAGE,
            "--task regression needs a numeric target, and the data have classes: read them with --task regression");
    if (!data->target || c->regression) return HSP_OK;
    hsp_text others = {0};
    for (int64_t i = 0; hsp_classifier_table[i]; i++)
        if (hsp_classifier_table[i]->regression)
            hsp_text_format(&others, "%s%s", others.length ? ", " : "", hsp_classifier_table[i]->name);
    int status = hsp_fail(err, HSP_EUSAGE, "%s is a classifier and cannot do --task regression: use one of %s", c->name,
                          others.s ? others.s : "");
    hsp_text_free(&others);
    return status;
}

int hsp_train_defaults(const hsp_classifier *c, hsp_options *o, hsp_error **err) {
    for (const char *const *d = c->defaults; d && d[0]; d += 2) {
        int status = hsp_options_default(o, d[0], d[1], err);
        if (status) return status;
    }
    return c->complete ? c->complete(o, err) : HSP_OK;
}

int hsp_train_check_options(const hsp_classifier *c, const hsp_data *data, const hsp_options *o, hsp_error **err) {
    int status = check_task(c, data, o, err);
    return status ? status : check_options(c, o, data->target != NULL, err);
}
