/* The table of contenders. The settings are those that a practitioner would begin with, and bounded in work:
 *
 * - Columns are standardised, so that one C, one step size and one distance suit all data.
 * - C of ridge, logistic, svm and mlp, and lambda of lasso and elastic-net decide, so they are chosen from a few values, for
 *   every training set by a cross-validation inside it: the rows of the outer test fold take no part. For numbers they are
 *   relative to the unit of the target where the objective is not.
 * - The update rules minimise the logistic (or squared) loss with an L2 penalty (C = 1), as they have probabilities then. The
 *   perceptron averages its weights (Freund and Schapire 1999), since the last ones depend on the last mistakes.
 * - Networks and stochastic rules visit at most a million rows. For many columns, networks and methods that factorise a
 *   covariance matrix are left out unless they are named: a fit would take minutes. */
#include "select/contenders.h"

#include "base/error.h"
#include "base/text.h"
#include "option/options.h"

#include <string.h>

static const char *const lda[] = {"shrinkage", "auto", NULL};
static const char *const perceptron[] = {"keep", "average", "order", "shuffle", "max-epochs", "10", NULL};
static const char *const fisher[] = {"threshold", "prior", NULL};
static const char *const descent[] = {"loss", "logistic", "penalty", "l2", NULL};
static const char *const stochastic[] = {"loss", "logistic",  "penalty", "l2", "keep",
                                         "average", "max-steps", "1000000", NULL};
static const char *const descent_numbers[] = {"loss", "squared", "penalty", "l2", NULL};
static const char *const stochastic_numbers[] = {"loss", "squared", "penalty",   "l2",      "keep",
                                                 "average", "max-steps", "1000000", NULL};
static const char *const mlp[] = {"max-steps", "1000000", NULL};

static const double C_values[] = {0.01, 0.1, 1, 10, 100};
static const double few_C[] = {0.1, 1, 10};
static const double shares[] = {0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001};

#define CHOSEN(option, list, unit) option, list, (int64_t)(sizeof list / sizeof *list), unit
#define FIXED NULL, NULL, 0, HSP_UNIT_ONE

const hsp_contender hsp_contender_table[] = {
    {"majority", NULL, false, false, HSP_PREFER_NEVER, 1, 0, NULL, FIXED},
    {"nearest-mean", "nearest-mean", false, true, HSP_PREFER_CERTIFIED, 1, 0, NULL, FIXED},
    {"lda", "lda", false, true, HSP_PREFER_CERTIFIED, 2, 2000, lda, FIXED},
    {"fisher", "fisher", false, false, HSP_PREFER_CERTIFIED, 2, 2000, fisher, FIXED},
    {"least-squares", "least-squares", false, false, HSP_PREFER_CERTIFIED, 2, 0, NULL, FIXED},
    {"ridge", "ridge", false, true, HSP_PREFER_CERTIFIED, 3, 0, NULL, CHOSEN("C", C_values, HSP_UNIT_ONE)},
    {"perceptron", "perceptron", false, true, HSP_PREFER_DESCENT, 3, 0, perceptron, FIXED},
    {"sgd", "sgd", false, true, HSP_PREFER_DESCENT, 10, 0, stochastic, FIXED},
    {"minibatch", "minibatch", false, true, HSP_PREFER_DESCENT, 10, 0, stochastic, FIXED},
    {"gradient-descent", "gradient-descent", false, true, HSP_PREFER_DESCENT, 10, 0, descent, FIXED},
    {"logistic", "logistic", false, true, HSP_PREFER_CERTIFIED, 20, 0, NULL, CHOSEN("C", C_values, HSP_UNIT_ONE)},
    {"hard-svm", "hard-svm", false, true, HSP_PREFER_CERTIFIED, 10, 0, NULL, FIXED},
    {"svm", "svm", false, true, HSP_PREFER_CERTIFIED, 60, 0, NULL, CHOSEN("C", C_values, HSP_UNIT_ONE)},
    {"mlp", "mlp", false, false, HSP_PREFER_NETWORK, 200, 15000, mlp, CHOSEN("C", few_C, HSP_UNIT_ONE)},
    {"majority", NULL, true, false, HSP_PREFER_NEVER, 1, 0, NULL, FIXED},
    {"least-squares", "least-squares", true, false, HSP_PREFER_CERTIFIED, 2, 0, NULL, FIXED},
    {"ridge", "ridge", true, true, HSP_PREFER_CERTIFIED, 3, 0, NULL, CHOSEN("C", C_values, HSP_UNIT_ONE)},
    {"sgd", "sgd", true, true, HSP_PREFER_DESCENT, 10, 0, stochastic_numbers, FIXED},
    {"minibatch", "minibatch", true, true, HSP_PREFER_DESCENT, 10, 0, stochastic_numbers, FIXED},
    {"gradient-descent", "gradient-descent", true, true, HSP_PREFER_DESCENT, 10, 0, descent_numbers, FIXED},
    {"lasso", "lasso", true, true, HSP_PREFER_CERTIFIED, 20, 0, NULL, CHOSEN("lambda", shares, HSP_UNIT_LAMBDA)},
    {"elastic-net", "elastic-net", true, true, HSP_PREFER_CERTIFIED, 20, 0, NULL, CHOSEN("lambda", shares, HSP_UNIT_LAMBDA)},
    {"mlp", "mlp", true, false, HSP_PREFER_NETWORK, 200, 15000, mlp, CHOSEN("C", few_C, HSP_UNIT_TARGET)},
    {NULL, NULL, false, false, HSP_PREFER_NEVER, 0, 0, NULL, FIXED},
};

bool hsp_contenders_scale(const hsp_data *data) {
    const double few = 0.05;
    double cells = (double)data->x.n * (double)data->x.d;
    return data->features || (double)data->x.nonzeros >= few * cells;
}

const hsp_contender *hsp_contender_find(const char *name, bool regression) {
    for (const hsp_contender *c = hsp_contender_table; c->name; c++)
        if (c->regression == regression && strcmp(c->name, name) == 0) return c;
    return NULL;
}

const char *hsp_contender_scale(const hsp_contender *c, const hsp_options *o, bool scaled) {
    if (!c->algorithm) return NULL;
    if (hsp_options_is_set(o, "scale")) return hsp_options_text(o, "scale");
    return c->scaled && scaled ? "standard" : NULL;
}

void hsp_contender_typed(const hsp_contender *c, const char *scale, hsp_text *t) {
    if (scale) hsp_text_format(t, "--scale %s", scale);
    const char *blank = scale ? " " : "";
    for (const char *const *s = c->settings; s && s[0]; s += 2, blank = " ")
        hsp_text_format(t, "%s%s%s %s", blank, hsp_option_dashes(s[0]), s[0], s[1]);
}

void hsp_contender_settings_json(const hsp_contender *c, const char *scale, hsp_json *j) {
    hsp_json_object(j, "settings");
    if (scale) hsp_json_string(j, "scale", scale);
    for (const char *const *s = c->settings; s && s[0]; s += 2) hsp_json_string(j, s[0], s[1]);
    hsp_json_object_end(j);
}

static void add_contender(const hsp_contender *c, hsp_json *j) {
    static const char *const units[] = {"", " times the largest", " / sd of the target"};
    hsp_text typed = {0}, chosen = {0};
    hsp_contender_typed(c, c->scaled ? "standard" : NULL, &typed);
    for (int64_t v = 0; v < c->count; v++) {
        hsp_text_add(&chosen, v > 0 ? ", " : "");
        hsp_text_number(&chosen, c->values[v]);
    }
    if (c->count > 0)
        hsp_text_format(&chosen, "%s, by %d-fold cross-validation", units[c->unit], HSP_CONTENDER_FOLDS);
    hsp_json_object(j, NULL);
    hsp_json_string(j, "name", c->name);
    hsp_json_string(j, "task", c->regression ? "regression" : "classification");
    hsp_json_string(j, "settings", typed.s ? typed.s : "");
    hsp_json_string(j, "option", c->option);
    hsp_json_string(j, "chosen", chosen.s);
    hsp_json_object_end(j);
    if (typed.failed || chosen.failed) hsp_json_fail(j);
    hsp_text_free(&typed);
    hsp_text_free(&chosen);
}

int hsp_contenders_report(hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_array(&j, NULL);
    for (const hsp_contender *c = hsp_contender_table; c->name; c++) add_contender(c, &j);
    hsp_json_array_end(&j);
    return hsp_json_take(&j, out, err);
}
